"""
Every key of daybook.toml and its default.

A length of time is written like `30m`; a span of the day like `23:00-08:00`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta, tzinfo
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from daybook import clock
from daybook.settings.providers import PROVIDERS, provider_named

SPAN_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
DURATION = re.compile(r"(?P<count>\d+(?:\.\d+)?)\s*(?P<unit>s|m|h|d|w)")
LONGEST_S = 366 * 86_400
UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
DEPLOYMENTS = ("heartbeat", "news-scan", "email-check", "daily-note", "inbox-flush", "review")
BUILT_IN_CHECKS = ("news", "mail", "inbox", "review", "day")
# The heartbeat's own claims lie beside those of the checks.
RESERVED_CHECKS = ("heartbeat",)
CHECK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,40}")


def parse_duration(value: object) -> timedelta:
    """
    Read a length of time such as `30m`, `4h` or `2d`.

    Raises:
        ValueError: It is none.
    """
    if isinstance(value, timedelta):
        return value
    found = DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if not found:
        raise ValueError(f'{value!r} is no length of time; write one like "30m", "4h" or "2d"')
    seconds = float(found["count"]) * UNIT_S[found["unit"]]
    if seconds > LONGEST_S:
        raise ValueError(f"{value!r} is longer than a year")
    length = timedelta(seconds=seconds)
    if not length:
        raise ValueError(f"{value!r} is no time at all")
    return length


Duration = Annotated[timedelta, BeforeValidator(parse_duration)]


class _Part(BaseModel):
    # Deferred, the parts are built once, as parts of the whole: half the start-up time.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class QuietHours(_Part):
    """A span of local time, over midnight if it ends before it begins."""

    begin: time
    end: time

    @model_validator(mode="after")
    def _is_a_span(self) -> QuietHours:
        if self.begin == self.end:
            raise ValueError("it begins when it ends; leave it out for no quiet hours")
        return self

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        begin, dash, end = value.partition("-")
        if not dash:
            raise ValueError(f'{value!r} is no span of time; write one like "23:00-08:00"')
        if not (SPAN_TIME.fullmatch(begin.strip()) and SPAN_TIME.fullmatch(end.strip())):
            raise ValueError(f'{value!r} is no span of local times; write one like "23:00-08:00"')
        return {"begin": begin.strip(), "end": end.strip()}

    def hold(self, moment: time) -> bool:
        """Whether a local time lies within."""
        if self.begin <= self.end:
            return self.begin <= moment < self.end
        return moment >= self.begin or moment < self.end


class CheckSettings(_Part):
    """
    `[checks.NAME]`: when a check is due and what happens to missed slots.

    Attributes:
        enabled: False: the schedule leaves it alone; by hand it still runs.
        every: Interval; the built-in checks have their own defaults.
        cron: Instead, for a command: a cron line in the workspace's zone; it runs at the first heartbeat from then on.
        catch_up: What a slot that was missed while the machine was off gets: one run, or none.
        deadline: How late a missed slot may still run.
        command: What to run, without a shell, for a check of the operator's own.
        timeout: How long the command may take.
        when: A command that is run first: exit code 0 means go on, a silent failure that there is nothing to do.
    """

    enabled: bool = True
    every: Duration | None = None
    cron: str | None = None
    catch_up: Literal["once", "skip"] = "once"
    deadline: Duration | None = None
    command: tuple[str, ...] | None = Field(default=None, min_length=1)
    timeout: Duration = timedelta(minutes=1)
    when: tuple[str, ...] | None = Field(default=None, min_length=1)


class Feed(_Part):
    """`[[feeds]]`: a news feed."""

    url: str = Field(pattern=r"^https?://", max_length=4_000)
    name: str | None = None
    weight: float = Field(default=1.0, ge=0, le=10)

    @field_validator("url")
    @classmethod
    def _has_a_host(cls, value: str) -> str:
        try:
            parts = urlsplit(value)
            usable = bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable or any(char.isspace() or not char.isprintable() for char in value):
            raise ValueError("it is no web address; write one like https://example.org/feed.xml")
        return value


class Mailbox(_Part):
    """
    `[[mailboxes]]`: an IMAP mailbox and where its password comes from (never from this file).

    Attributes:
        auth: What the password is: a password, or an access token of OAuth 2 that a command gives out anew each time.
    """

    host: str = Field(min_length=1)
    user: str = Field(min_length=1)
    port: int = Field(default=993, ge=1, le=65535)
    security: Literal["tls", "starttls", "plain"] = "tls"
    folder: str = "INBOX"
    auth: Literal["password", "xoauth2"] = "password"
    password_env: str | None = None
    password_file: str | None = None
    password_command: tuple[str, ...] | None = Field(default=None, min_length=1)
    vip: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_password(self) -> Mailbox:
        given = [self.password_env, self.password_file, self.password_command]
        if sum(value is not None for value in given) != 1:
            raise ValueError(f"mailbox {self.user} needs one of password_command, password_env, password_file")
        return self


class Models(_Part):
    """
    `[models]`: per purpose the models to try, in order.

    Attributes:
        review: For the review; empty: chosen by the keys that are set.
        second_opinion: For what code cannot decide; empty: those of the review.
        mail_triage: For mail that no rule decides; empty: rules alone.
        news_rank: For the news; empty: interests, weight and freshness alone.
        capture: Whether a turn taught something; empty: rules alone.
        context_tokens: What every one of them can take at once; a review's window is cut to it.
        requests_per_minute: Per provider, such as `google`, for all processes of this user together.
    """

    review: tuple[str, ...] = ()
    second_opinion: tuple[str, ...] = ()
    mail_triage: tuple[str, ...] = ()
    news_rank: tuple[str, ...] = ()
    capture: tuple[str, ...] = ()
    context_tokens: int = Field(default=100_000, ge=4_000)
    requests_per_minute: Mapping[str, Annotated[int, Field(ge=1)]] = Field(default_factory=dict)

    @field_validator("requests_per_minute")
    @classmethod
    def _known_providers(cls, value: Mapping[str, int]) -> Mapping[str, int]:
        for name in value:
            provider = provider_named(name)
            if provider not in PROVIDERS:
                raise ValueError(f"{name!r} is no provider{nearest(name, PROVIDERS)}")
            if name != provider:
                raise ValueError(f"{name!r} is counted as its provider; write {provider!r}")
        return value


class Budget(_Part):
    """
    `[budget]`: what models may use, in days of the workspace's zone and in any hour.

    Attributes:
        review_share: The part of each limit that is kept for the review, so that a flood of mail cannot use it up.
    """

    usd_per_day: float = Field(default=0.25, ge=0)
    tokens_per_day: int = Field(default=500_000, ge=0)
    calls_per_hour: int = Field(default=60, ge=0)
    review_share: float = Field(default=0.5, ge=0, le=1)


class Notify(_Part):
    """
    `[notify]`: where notices go, as Apprise URLs.

    Attributes:
        per_hour: At most so many messages in any hour, the last for what is urgent; the rest is told together later.
        brief: What the brief after quiet hours quotes of memory and news: texts, or counts alone; or no brief.
        ping_url: Fetched after each good heartbeat, so that a dead man's switch elsewhere sees when beats stop.
    """

    urls: tuple[str, ...] = ()
    per_hour: int = Field(default=6, ge=1, le=60)
    brief: Literal["texts", "counts", "off"] = "texts"
    ping_url: str | None = Field(default=None, pattern=r"^https?://")


class Network(_Part):
    """`[network]`: private hosts that may be fetched from."""

    allow_hosts: tuple[str, ...] = ()


class Prefect(_Part):
    """`[prefect]`: a Prefect server of one's own."""

    api_url: str | None = Field(default=None, pattern=r"^https?://")


class Settings(_Part):
    """
    All of daybook.toml.

    Attributes:
        schedule: Per deployment a cron line, an interval such as `30m`, or false for "no schedule".
    """

    timezone: str | None = None
    quiet_hours: QuietHours | None = None
    interests: tuple[str, ...] = ()
    schedule: Mapping[str, str | Literal[False]] = Field(default_factory=dict)
    checks: Mapping[str, CheckSettings] = Field(default_factory=dict)
    feeds: tuple[Feed, ...] = ()
    mailboxes: tuple[Mailbox, ...] = ()
    models: Models = Models()
    budget: Budget = Budget()
    notify: Notify = Notify()
    network: Network = Network()
    prefect: Prefect = Prefect()

    @property
    def zone(self) -> tzinfo:
        """The workspace's time zone."""
        return clock.zone(self.timezone)

    def quiet_at(self, instant: datetime) -> bool:
        """Whether an aware instant lies in the quiet hours."""
        return self.quiet_hours is not None and self.quiet_hours.hold(clock.local(instant, self.zone).time())

    @model_validator(mode="after")
    def _usable_checks(self) -> Settings:
        for name, check in self.checks.items():
            if not CHECK_NAME.fullmatch(name) or name in RESERVED_CHECKS:
                raise ValueError(f"checks.{name} cannot be a check's name; use letters, digits, - and _")
            if check.command is None and name not in BUILT_IN_CHECKS:
                raise ValueError(f"checks.{name} has no command and is not built in{nearest(name, BUILT_IN_CHECKS)}")
            if check.command is not None and name in BUILT_IN_CHECKS:
                raise ValueError(f"checks.{name} is built in and takes no command; give the command another name")
            if check.cron is not None and (check.command is None or check.every is not None):
                raise ValueError(f"checks.{name}.cron is for a command, instead of every; remove one of them")
            if check.when is not None and check.command is None:
                raise ValueError(f"checks.{name} has no command, so when cannot hold it back; remove it")
        return self

    @model_validator(mode="after")
    def _known_deployments(self) -> Settings:
        for name in self.schedule:
            if name not in DEPLOYMENTS:
                raise ValueError(f"schedule.{name} is no deployment{nearest(name, DEPLOYMENTS)}")
        return self


def nearest(key: str, known: Sequence[str]) -> str:
    """Say which known key was meant, or which ones there are."""
    close = difflib.get_close_matches(key, known, n=1)
    return f"; did you mean {close[0]!r}" if close else f"; known are {', '.join(known)}"
