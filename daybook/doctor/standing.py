"""The workspace itself: settings, trust, home, whether it is up, and the files of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook import files, trust
from daybook.curation import observing
from daybook.doctor.examined import Examined, Site, failed
from daybook.errors import DaybookError
from daybook.ledger import append as ledger
from daybook.memory import longterm, synced
from daybook.workspace import machine_id

if TYPE_CHECKING:
    from collections.abc import Iterator


def examine_settings(site: Site) -> Iterator[Examined]:
    """Look whether daybook.toml can be understood."""
    path = site.workspace.settings
    if site.unreadable:
        remedy = "Mend that; until then nothing runs, and the rest is examined with the defaults."
        yield Examined("settings", "wrong", site.unreadable, remedy)
    elif files.look(path) is None:
        yield Examined("settings", "note", f"There is no {path}; everything has its default.")
    else:
        yield Examined("settings", "ok", f"{path} is understood.")


def examine_trust(site: Site) -> Iterator[Examined]:
    """Name what is left out because nobody allowed it on this machine."""
    for part in site.inert:
        sentence = f"[{part}] of daybook.toml is not trusted on this machine, so it does nothing."
        yield Examined("trust", "warning", sentence, "`daybook trust` shows what it would allow.")
    if not trust.ledger_trusted(site.workspace):
        sentence = "The ledger in this folder is not trusted on this machine and does not count."
        yield Examined("trust", "warning", sentence, "`daybook trust` shows what it would allow.")
    elif not site.inert:
        yield Examined("trust", "ok", "The settings and the ledger are trusted on this machine.")


def examine_home(site: Site) -> Iterator[Examined]:
    """Look whether this machine runs the schedule."""
    home = site.workspace.home
    if home == machine_id():
        yield Examined("home", "ok", "This machine is the workspace's home.")
    elif home is None:
        remedy = f"Run `daybook init {site.workspace.root}` on the machine that shall run the schedule."
        yield Examined("home", "warning", "No machine is the workspace's home, so nothing runs by itself.", remedy)
    else:
        sentence = f"Another machine (id {home}) is the workspace's home, so no checks run here."
        yield Examined("home", "note", sentence, "To move it here: `daybook up --take-over`.")


def examine_up(site: Site) -> Iterator[Examined]:
    """Look whether the schedule runs now."""
    ui = site.find_ui()
    if ui is not None:
        yield Examined("up", "ok", f"It is up; its UI is at {ui}.")
    elif site.workspace.home == machine_id():
        yield Examined("up", "warning", "It is not up, so nothing runs by itself.", "Start it with `daybook up`.")
    else:
        yield Examined("up", "ok", "It is not up here, which is not its home.")


def examine_memory(site: Site) -> Iterator[Examined]:
    """Look at MEMORY.md and the ledger: the caps, damage, and what waits for a word of the operator's."""
    data = files.read_if_exists(site.workspace.longterm)
    if data is not None:
        document = longterm.parse(data)
        lines, words = longterm.count_lines(document), longterm.count_words(document)
        filled = f"MEMORY.md has {lines} of {longterm.MAX_LINES} lines and {words} of {longterm.MAX_WORDS} words"
        if lines > longterm.MAX_LINES or words > longterm.MAX_WORDS:
            yield Examined("memory", "warning", f"{filled}.", "`daybook compact --dry-run` shows what would leave it.")
        else:
            yield Examined("memory", "ok", f"{filled}.")
    problems = [*ledger.read(site.workspace).torn, *observing.peek(site.workspace, site.now).problems]
    for problem in dict.fromkeys(problems):
        yield failed("memory", "warning", DaybookError(problem))


def examine_synced(site: Site) -> Iterator[Examined]:
    """Look for what sync tools left in the folder."""
    found = synced.left_behind(site.workspace)
    for problem in found:
        yield failed("sync", "warning", DaybookError(problem))
    if not found:
        yield Examined("sync", "ok", "No copies or stand-ins of a sync tool lie in the folder.")
