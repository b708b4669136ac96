"""
Take operations back in the files.

Where all that a run did to a file is taken back and nobody has touched it since, its bytes come back as they were.
Elsewhere each operation is taken back for itself. What is to be written is kept before anything is, so that what a
kill cut short comes to the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from daybook import files, folders
from daybook.curation.standing import Page, text_after
from daybook.ledger import versions
from daybook.memory import longterm, topics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from daybook.ledger.record import Intent
    from daybook.workspace import Workspace


@dataclass(frozen=True)
class Sheet:
    """
    A file on its way back.

    Attributes:
        present: What was found; None for no file.
        wanted: What it comes to; None for no file.
        exact: Whether these are its bytes before the run.
    """

    present: bytes | None
    wanted: bytes | None
    exact: bool = False


def plan(
    workspace: Workspace,
    taken: Sequence[Intent],
    staying: Iterable[Intent],
    run: str,
    present: Mapping[str, bytes | None],
) -> dict[str, Sheet]:
    """
    Give a sheet for each file that operations of a run changed; the file that an entry returns to comes first.

    Args:
        workspace: Whose memory.
        taken: What is to be taken back, the latest first.
        staying: What cannot be taken back: the bytes before a run are those without any of its operations.
        run: Id of their run.
        present: Bytes of files that were read already.
    """
    mixed = _files(staying)
    found: dict[str, Sheet] = {}
    for file in _files(taken):
        data = present[file] if file in present else files.read_if_exists(workspace.root / file)
        before = None if file in mixed else _version_before(workspace, file, data, taken, run)
        bytes_before = versions.content(workspace, before) if before else None
        if before is not None and (bytes_before is not None or before.sha == versions.ABSENT):
            found[file] = Sheet(data, bytes_before, exact=True)
        else:
            found[file] = Sheet(data, _one_by_one(data, file, taken))
    return found


def begin(workspace: Workspace, on: Mapping[str, Sheet], run: str) -> None:
    """Keep what is to be written, before the ledger says that it will be; the caller holds the workspace lock."""
    rows = {
        file: {"present": _sha(one.present), "wanted": None if one.wanted is None else one.wanted.decode("latin-1")}
        for file, one in on.items()
    }
    data = json.dumps({"run": run, "files": rows}).encode()
    files.update(_kept(workspace), lambda _: data, mode=files.PRIVATE_FILE_MODE)


def resume(workspace: Workspace, taken: Sequence[Intent], run: str) -> dict[str, Sheet]:
    """
    Give the sheets of an undo that was cut short: as they were decided, but for files that somebody saved since.

    Args:
        workspace: Whose memory.
        taken: What was to be taken back, the latest first.
        run: Id of the run that took it back.
    """
    kept: dict[str, Any] = json.loads(files.read_if_exists(_kept(workspace)) or b"{}")
    decided = kept["files"] if kept.get("run") == run else {}
    found: dict[str, Sheet] = {}
    for file in _files(taken):
        data = files.read_if_exists(workspace.root / file)
        row = decided.get(file)
        wanted = row["wanted"].encode("latin-1") if row and row["wanted"] is not None else None
        same = row is not None and (_sha(data) == row["present"] or data == wanted)
        found[file] = Sheet(data, wanted if same else _one_by_one(data, file, taken))
    return found


def end(workspace: Workspace) -> None:
    """Let go of what was kept."""
    folders.remove(_kept(workspace))


def write(workspace: Workspace, on: Mapping[str, Sheet], run: str, now: datetime) -> None:
    """
    Write the sheets that change a file; the caller holds the workspace lock.

    Raises:
        ChangedFileError: Somebody saved one of the files since; what was written by then stands.
    """
    for file, sheet in on.items():
        path = workspace.root / file
        if sheet.wanted == sheet.present:
            continue
        versions.remember(workspace, file, sheet.present, run, now, by="read")
        if sheet.wanted is None:
            folders.take_away(path, expected=sheet.present or b"")
        else:
            folders.make_dir(path.parent)
            files.replace(path, sheet.wanted, expected=sheet.present)
        versions.remember(workspace, file, sheet.wanted, run, now, by="written")


def _files(operations: Iterable[Intent]) -> list[str]:
    changing = (one for one in operations if one.op != "confirm")
    return list(dict.fromkeys(name for one in changing for name in (one.file, one.to) if name))


def _version_before(
    workspace: Workspace, file: str, data: bytes | None, taken: Sequence[Intent], run: str
) -> versions.Version | None:
    """The version that a run found, if all since is the run's own and stands as it left it."""
    history = versions.history(workspace, file)
    written = [index for index, one in enumerate(history) if one.run == run and one.by == "written"]
    if not written or history[written[-1]].sha != _sha(data):
        return None
    first, last = written[0], written[-1]
    # What somebody else saved in between would go, too; and without a row nobody knows what stood there.
    if first == 0 or len(written) != last - first + 1:
        return None
    before = history[first - 1]
    # What the run brought up to date before its first operation is no part of what it did.
    begun = next((one for one in reversed(taken) if one.file == file and one.op != "confirm"), None)
    return before if begun is None or (begun.before or versions.ABSENT) == before.sha else None


def _one_by_one(data: bytes | None, file: str, operations: Iterable[Intent]) -> bytes | None:
    """Take operations back in one file, entry by entry; once more makes no difference."""
    page = Page(longterm.parse(data or b""))
    leaving: dict[int, longterm.Edit] = {}
    for operation in operations:
        if operation.op == "confirm" or file not in {operation.file, operation.to}:
            continue
        if operation.op == "add" or file == operation.to:
            if operation.op == "demote" and operation.loses:
                # These words stood there before.
                continue
            # The section of what was retired is the one it left.
            section = "" if operation.op == "retire" else operation.section
            entry = page.ours(text_after(operation), section, leaving)
            leaving |= {entry.start: longterm.Remove(entry)} if entry else {}
            continue
        page = Page(longterm.parse(longterm.apply(page.document, list(leaving.values()))))
        leaving = {}
        page = Page(longterm.parse(_put_back(page, operation)))
    wanted = longterm.apply(page.document, list(leaving.values()))
    return None if data is None and not wanted else wanted


def _put_back(page: Page, operation: Intent) -> bytes:
    """Give an entry the lines it had in the file it was in."""
    document, raw = page.document, operation.old_raw.encode("latin-1")
    section, above = _section_before(document, operation), None
    if operation.op == "revise":
        entry = page.ours(operation.text, section)
        if entry is None:
            return b"".join(document.lines)
        over = [one for one in document.entries if one.end <= entry.start and one.section == entry.section]
        section, above = entry.section, over[-1].text if over else ""
        document = longterm.parse(longterm.remove(document, entry))
    elif page.ours(operation.old, section) is not None:
        return b"".join(document.lines)
    return longterm.apply(document, [longterm.Insert(raw, section, above)])


def _section_before(document: longterm.Document, operation: Intent) -> str:
    """The heading an entry returns to: what came to another file has in the ledger the heading it has there."""
    if operation.op == "promote":
        return document.sections[0].title if document.sections else operation.section
    unnamed = operation.op == "demote" and operation.section == topics.NOTES
    if unnamed and longterm.find_section(document, topics.NOTES) is None:
        return ""
    return operation.section


def _sha(data: bytes | None) -> str:
    return versions.ABSENT if data is None else versions.sha_of(data)


def _kept(workspace: Workspace) -> Path:
    return workspace.private / "undo.json"
