"""
Examine everything once, change nothing, connect to nothing beyond this machine.

To add an examination, write a function that yields `Examined` rows and name it in `EXAMINATIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from daybook import clock, files, settings
from daybook.doctor import machine, notices, outward, programs, standing
from daybook.doctor.examined import LEVELS, Examined, Site, failed
from daybook.doctor.openclaw import examine_openclaw
from daybook.errors import DaybookError
from daybook.guard.cleaning import clean
from daybook.rules import heartbeat
from daybook.rules.heartbeat import Rules
from daybook.schedule.checks import BEAT_EVERY, beat_interval
from daybook.settings import Settings
from daybook.wording import counted

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.workspace import Workspace

Examination = Callable[[Site], Iterable[Examined]]
EXAMINATIONS: tuple[tuple[str, Examination], ...] = (
    ("python", machine.examine_python),
    ("git", machine.examine_git),
    ("private-state", machine.examine_private_state),
    ("folder", machine.examine_folder),
    ("gemini-sdk", machine.examine_legacy_sdk),
    ("settings", standing.examine_settings),
    ("trust", standing.examine_trust),
    ("home", standing.examine_home),
    ("up", standing.examine_up),
    ("models", outward.examine_models),
    ("feeds", outward.examine_feeds),
    ("mailboxes", outward.examine_mailboxes),
    ("commands", programs.examine_commands),
    ("notices", notices.examine_notices),
    ("memory", standing.examine_memory),
    ("sync", standing.examine_synced),
    ("openclaw", examine_openclaw),
)
HEARTBEAT = "heartbeat-file"
HEARTBEAT_FILE = "HEARTBEAT.md"
SENTENCE_CHARS = 400


@dataclass(frozen=True)
class Report:
    """
    Everything that was examined.

    Attributes:
        checks: One row a finding, the worst last.
        rules: What HEARTBEAT.md says of time.
    """

    checks: tuple[Examined, ...]
    rules: Rules = field(default_factory=Rules)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; a warning is not."""
        return not any(row.level == "wrong" for row in self.checks)


def examine(workspace: Workspace, now: datetime, find_ui: Callable[[], str | None]) -> Report:
    """
    Examine a workspace and this machine.

    An examination that fails is a row of its own, and the others are done.

    Args:
        workspace: Which.
        now: The present instant.
        find_ui: Gives the address of the running UI; None when nothing is up.
    """
    site = _site(workspace, now, find_ui)
    rows = [row for name, look in EXAMINATIONS for row in _done(name, look, site)]
    rules, row = _heartbeat(site)
    rows.append(row)
    return Report(tuple(sorted(rows, key=lambda row: LEVELS.index(row.level))), rules)


def _site(workspace: Workspace, now: datetime, find_ui: Callable[[], str | None]) -> Site:
    try:
        loaded = settings.load(workspace)
        # A zone or schedule that is none is found out only when it is asked for.
        clock.local(now, loaded.settings.zone)
        beat = beat_interval(loaded.settings)
    except DaybookError as error:
        return Site(workspace, now, Settings(), (), str(error), BEAT_EVERY, find_ui)
    return Site(workspace, now, loaded.settings, loaded.inert, "", beat, find_ui)


def _done(name: str, look: Examination, site: Site) -> list[Examined]:
    rows: list[Examined] = []
    try:
        # One by one: what was found before a failure stays.
        rows.extend(look(site))
    except DaybookError as error:
        rows.append(failed(name, "wrong", error))
    except Exception as error:  # noqa: BLE001 - a defect of one look must not hide what the others find
        why = clean(f"{type(error).__name__}: {error}", limit=SENTENCE_CHARS)
        rows.append(Examined(name, "wrong", f"This could not be examined ({why})."))
    return rows


def _heartbeat(site: Site) -> tuple[Rules, Examined]:
    try:
        path = site.workspace.readable(site.workspace.root / HEARTBEAT_FILE)
        data = files.read_if_exists(path)
        rules = heartbeat.read_rules(data or b"", site.beat)
    except (DaybookError, OSError, RuntimeError) as error:
        return Rules(), failed(HEARTBEAT, "warning", error)
    if data is None:
        return rules, Examined(HEARTBEAT, "ok", f"There is no {HEARTBEAT_FILE}.")
    if rules.nothing_to_do:
        return rules, Examined(HEARTBEAT, "ok", f"{HEARTBEAT_FILE} holds no task, so there is nothing to do in it.")
    understood, unclear = len(rules.understood), len(rules.not_understood)
    what = f"{HEARTBEAT_FILE} says when in {counted(understood, 'line')} that we understand, and in {unclear} we do not"
    cut = "; only its first 64 KB were read" if rules.cut else ""
    remedy = "Daybook follows none of them by itself; make checks of them in daybook.toml."
    return rules, Examined(HEARTBEAT, "note", f"{what}{cut}.", remedy if understood + unclear else "")
