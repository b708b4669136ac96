"""What reaches outward: models and keys, feeds, mailboxes and passwords, commands, notices. Nothing is connected to."""

from __future__ import annotations

import asyncio
import os
import shutil
from typing import TYPE_CHECKING

from daybook import clock
from daybook.doctor.examined import Examined, Site, failed
from daybook.errors import DaybookError, SourceError
from daybook.guard.cleaning import clean
from daybook.models import choice, cooldown, keys
from daybook.sources import passwords, standing, tracking
from daybook.sources.fetching import feed_key, feed_name
from daybook.sources.mail import mailbox_key
from daybook.sources.process import expanded, small_environment
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from daybook.sources.tracking import SourceState

# Theirs is a server of one's own, which mostly asks for no key.
KEYLESS = frozenset({"ollama", "vllm", "litellm", "sentence-transformers"})


def examine_models(site: Site) -> Iterator[Examined]:
    """Look whether every model that is asked has its key, and the file of keys can be read."""
    known: Mapping[str, str] = os.environ
    try:
        known = keys.environment()
    except DaybookError as error:
        yield failed("keys", "wrong", error)
    else:
        there = keys.path().exists()
        yield Examined("keys", "ok", f"{keys.path()} is {'of this user alone' if there else 'not there'}.")
    asked = sorted(choice.configured(site.settings.models, known))
    for model in asked:
        provider = choice.provider_of(model)[0]
        if choice.key_of(model, known) or provider in KEYLESS | choice.FOUND_BY_PLACE:
            yield Examined("models", "ok", f"{model} has what it needs to be asked.")
            continue
        variable = choice.key_variables(model, known)
        remedy = f"Set it, or write `{variable.split()[0]}=...` into {keys.path()} (mode 600)."
        yield Examined("models", "warning", f"{model} cannot be asked: {variable} is not set.", remedy)
    if not asked:
        sentence = "No model is configured, so reviews take what is marked and triage goes by rules."
        yield Examined("models", "note", sentence, "A Gemini key is enough: GEMINI_API_KEY.")
    yield from _left_alone(site, asked)


def _left_alone(site: Site, asked: list[str]) -> Iterator[Examined]:
    for model, state in cooldown.read(site.workspace).items():
        if model in asked and state.down_since:
            yield Examined("models", "warning", f"{model} fails since {_local(state.down_since, site)}.")


def examine_feeds(site: Site) -> Iterator[Examined]:
    """Look how the feeds fared, as far as it is written down."""
    known = tracking.load(site.workspace, site.now).feeds
    followed = {feed_key(feed.url): feed_name(feed) for feed in site.settings.feeds}
    gone = {key for key, one in standing.load(site.workspace).items() if one.gone_at is not None}
    for name in (name for key, name in followed.items() if key in gone):
        remedy = f"Take it out: `daybook feeds remove`, or find out whether it is back: `daybook feeds test {name}`."
        yield Examined("feeds", "warning", f"{name} is gone for good (410), and is not asked any more.", remedy)
    yield from _sources("feeds", "feed", [known.get(key) for key in followed if key not in gone], site)


def examine_mailboxes(site: Site) -> Iterator[Examined]:
    """Look how the mailboxes fared, and whether their passwords can be had without asking anybody."""
    known = tracking.load(site.workspace, site.now).mailboxes
    boxes = site.settings.mailboxes
    yield from _sources("mailboxes", "mailbox", [known.get(mailbox_key(box)) for box in boxes], site)
    for box in boxes:
        if box.password_command is not None:
            yield from _program("passwords", f"password_command of {box.user}", box.password_command, site)
            continue
        try:
            asyncio.run(passwords.resolve(box, site.workspace.private))
        except SourceError as error:
            # A variable may be set where the schedule runs, and not in this shell.
            yield failed("passwords", "warning" if box.password_env is not None else "wrong", error)


def examine_commands(site: Site) -> Iterator[Examined]:
    """Look whether the programs of the operator's own checks are found."""
    own = {name: check for name, check in site.settings.checks.items() if check.command and check.enabled}
    missing = [
        row
        for name, check in own.items()
        for setting, argv in (("command", check.command), ("when", check.when))
        for row in _program("commands", f"checks.{name}.{setting}", argv or (), site)
    ]
    yield from missing
    if own and not missing:
        yield Examined("commands", "ok", f"The programs of {counted(len(own), 'check')} of yours are found.")


def examine_notices(site: Site) -> Iterator[Examined]:
    """Look whether notices reach anybody, and when they are held back."""
    chosen = site.settings
    if "notify" in site.inert:
        yield Examined("notices", "warning", "No notices reach you until [notify] is trusted.", "See `daybook trust`.")
    elif chosen.notify.urls:
        yield Examined("notices", "ok", f"Notices go to {counted(len(chosen.notify.urls), 'address', 'addresses')}.")
    else:
        remedy = 'Name an address: `urls = ["ntfy://topic"]` under [notify] in daybook.toml.'
        yield Examined("notices", "note", "No notices reach you, urgent ones neither.", remedy)
    if hours := chosen.quiet_hours:
        now = "now they hold" if chosen.quiet_at(site.now) else "now they do not hold"
        yield Examined("quiet-hours", "ok", f"Quiet hours are {hours.begin:%H:%M}-{hours.end:%H:%M}; {now}.")
    else:
        yield Examined("quiet-hours", "note", "There are no quiet hours; a notice may come at night.")


def _sources(name: str, word: str, states: Iterable[SourceState | None], site: Site) -> Iterator[Examined]:
    listed = list(states)
    for state in listed:
        if state is None or not state.failures:
            continue
        times = "once" if state.failures == 1 else f"{state.failures} times in a row"
        good = f"last success {_local(state.last_ok, site)}" if state.last_ok else "no success so far"
        until = f"; it is left alone until {_local(state.next_allowed, site)}" if state.next_allowed else ""
        remedy = f"Ask it now: `daybook {'feeds test' if word == 'feed' else 'mail'}`."
        who = clean(state.name or f"A {word}")
        yield Examined(name, "warning", f"{who} failed {times} ({good}){until}.", remedy)
    fine = [state for state in listed if state is not None and not state.failures]
    if fine:
        oldest = min(fine, key=lambda state: state.last_ok or site.now)
        many = counted(len(fine), word, "mailboxes" if word == "mailbox" else "")
        yield Examined(name, "ok", f"{many} without failure, last success {_local(oldest.last_ok, site)} or later.")
    if new := listed.count(None):
        many = counted(new, word, "mailboxes" if word == "mailbox" else "")
        yield Examined(name, "note", f"{many} {'was' if new == 1 else 'were'} never looked at so far.")


def _local(instant: datetime | None, site: Site) -> str:
    return f"{clock.local(instant, site.settings.zone):%Y-%m-%d %H:%M}" if instant else "unknown"


def _program(name: str, setting: str, argv: tuple[str, ...], site: Site) -> Iterator[Examined]:
    if argv and not _is_found(expanded(argv)[0], site.workspace.private):
        sentence = f"The program {argv[0]} of {setting} is not found."
        yield Examined(name, "wrong", sentence, "Install it, or write its whole path.")


def _is_found(program: str, private: Path) -> bool:
    # Commands run in private state, with the search path alone of this environment.
    if os.sep in program:
        path = private / program
        return path.is_file() and os.access(path, os.X_OK)
    return shutil.which(program, path=small_environment().get("PATH", os.defpath)) is not None
