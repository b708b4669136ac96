"""
Take operations back in the files.

Where nobody has touched a file since, its bytes come back as they were. Elsewhere each operation is taken back for
itself; once more makes no difference, so that what a kill cut short can be finished.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook import files, folders
from daybook.ledger import versions
from daybook.memory import longterm

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from daybook.ledger.record import Intent
    from daybook.workspace import Workspace


@dataclass
class Sheet:
    """
    A file on its way back.

    Attributes:
        present: What was found; None for no file.
        wanted: What it comes to; None for no file.
        exact: Whether these are its bytes before the run; then no operation is taken back for itself.
    """

    present: bytes | None
    wanted: bytes | None
    exact: bool = False


def sheets(
    workspace: Workspace, operations: Iterable[Intent], run: str, present: Mapping[str, bytes | None]
) -> dict[str, Sheet]:
    """
    Give a sheet for each file that operations of a run changed; the file that an entry returns to comes first.

    Args:
        workspace: Whose memory.
        operations: What is to be taken back.
        run: Id of their run.
        present: Bytes of files that were read already.
    """
    names = dict.fromkeys(name for one in operations for name in (one.file, one.to) if name)
    return {name: _sheet(workspace, name, run, present.get(name)) for name in names}


def take_back(on: Mapping[str, Sheet], operation: Intent) -> None:
    """Take one operation back on the sheets of its files."""
    if operation.op == "confirm":
        return
    for file in {operation.file, operation.to} - {""}:
        sheet = on[file]
        if not sheet.exact:
            wanted = _without(sheet.wanted or b"", file, operation)
            sheet.wanted = None if sheet.wanted is None and not wanted else wanted


def write(workspace: Workspace, on: Mapping[str, Sheet], run: str, now: datetime) -> None:
    """
    Write the sheets that changed; the caller holds the workspace lock.

    Raises:
        ChangedFileError: Somebody saved one of the files since; what was written by then stands.
    """
    for file, sheet in on.items():
        path = workspace.root / file
        if sheet.wanted == sheet.present:
            continue
        if sheet.wanted is None:
            folders.take_away(path, expected=sheet.present or b"")
        else:
            folders.make_dir(path.parent)
            files.replace(path, sheet.wanted, expected=sheet.present)
        versions.remember(workspace, file, sheet.wanted or b"", run, now, by="written")


def _sheet(workspace: Workspace, file: str, run: str, present: bytes | None) -> Sheet:
    data = present if present is not None else files.read_if_exists(workspace.root / file)
    history = versions.history(workspace, file)
    written = [index for index, one in enumerate(history) if one.run == run and one.by == "written"]
    if written and data is not None and history[written[-1]].sha == versions.sha_of(data):
        first = written[0]
        if first == 0:
            return Sheet(data, None, exact=True)
        before = versions.content(workspace, history[first - 1])
        # Only if all between is this run's: else what somebody wrote meanwhile would go, too.
        own = all(one.run == run for one in history[first : written[-1] + 1])
        if before is not None and own:
            # Nothing in it stands for no file at all.
            return Sheet(data, before or None, exact=True)
    return Sheet(data, data)


def _without(data: bytes, file: str, operation: Intent) -> bytes:
    """Take one operation back in one file, entry by entry."""
    document = longterm.parse(data)
    came = operation.op == "add" or file == operation.to
    if came:
        moved = operation.op == "retire"
        entry = next((one for one in document.entries if _is(one.text, operation.text or operation.old, moved)), None)
        return longterm.remove(document, entry) if entry else data
    raw = operation.old_raw.encode("latin-1")
    if operation.op == "revise":
        entry = next((one for one in document.entries if one.text == operation.text), None)
        if entry is None:
            return data
        over = [one for one in document.entries if one.end <= entry.start and one.section == entry.section]
        above = over[-1].text if over else ""
        document = longterm.parse(longterm.remove(document, entry))
        return longterm.apply(document, [longterm.Insert(raw, entry.section, above)])
    if any(one.text == operation.old for one in document.entries):
        return data
    # What was promoted returns under its topic's own heading; its section is the one in MEMORY.md.
    topic = document.sections[0].title if operation.op == "promote" and document.sections else ""
    return longterm.apply(document, [longterm.Insert(raw, topic or operation.section)])


def _is(text: str, wanted: str, noted: bool) -> bool:
    # In the archive a note stands below what was moved there.
    return text == wanted or (noted and text.startswith(f"{wanted} "))
