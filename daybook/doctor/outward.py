"""What is asked elsewhere: models and keys, feeds, mailboxes and passwords. Nothing is connected to."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from daybook import clock
from daybook.doctor.examined import Examined, Site, failed
from daybook.doctor.programs import program
from daybook.errors import DaybookError, SourceError
from daybook.guard.cleaning import clean
from daybook.models import choice, cooldown, keys
from daybook.sources import mended, passwords, standing, tracking
from daybook.sources.fetching import feed_key, feed_name
from daybook.sources.login import owner
from daybook.sources.mail import mailbox_key
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

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
        yield Examined("keys", "ok", f"{keys.path()} is of this user alone." if there else "No keys.env (optional).")
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
    yield from _sources("feeds", "feed", {key: known.get(key) for key in followed if key not in gone}, site)


def examine_mailboxes(site: Site) -> Iterator[Examined]:
    """Look how the mailboxes fared, and whether their passwords can be had without asking anybody."""
    known = tracking.load(site.workspace, site.now).mailboxes
    boxes = site.settings.mailboxes
    yield from _sources("mailboxes", "mailbox", {key: known.get(key) for key in map(mailbox_key, boxes)}, site)
    for box in boxes:
        if box.password_command is not None:
            yield from program("passwords", f"password_command of {owner(box)}", box.password_command, site)
            continue
        try:
            asyncio.run(passwords.resolve(box, site.workspace.private))
        except SourceError as error:
            # A variable may be set where the schedule runs, and not in this shell.
            yield failed("passwords", "warning" if box.password_env is not None else "wrong", error)


def _sources(name: str, word: str, states: Mapping[str, SourceState | None], site: Site) -> Iterator[Examined]:
    for key, state in states.items():
        if state is None or not state.failures:
            continue
        times = "once" if state.failures == 1 else f"{state.failures} times in a row"
        good = f"last success {_local(state.last_ok, site)}" if state.last_ok else "no success so far"
        until = f"; it is left alone until {_local(state.next_allowed, site)}" if state.next_allowed else ""
        remedy = f"Ask it now: `daybook {'feeds test' if word == 'feed' else 'mail'}`."
        who = clean(state.name or f"A {word}")
        why = mended.why(site.workspace, key) if word == "mailbox" else ""
        yield Examined(name, "warning", f"{who} failed {times}{why and f': {why}'} ({good}){until}.", remedy)
    fine = [state for state in states.values() if state is not None and not state.failures]
    new = list(states.values()).count(None)
    many = counted(len(fine) or new, word, "mailboxes" if word == "mailbox" else "")
    if fine:
        oldest = min(fine, key=lambda state: state.last_ok or site.now)
        others = f"; {new} not looked at yet" if new else ""
        sentence = f"{many} without failure, last success {_local(oldest.last_ok, site)} or later{others}."
        yield Examined(name, "ok", sentence)
    elif new:
        yield Examined(name, "note", f"{many} {'was' if new == 1 else 'were'} never looked at so far.")


def _local(instant: datetime | None, site: Site) -> str:
    return f"{clock.local(instant, site.settings.zone):%Y-%m-%d %H:%M}" if instant else "unknown"
