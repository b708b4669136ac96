"""
Append lines to daily notes so that a crash neither loses nor doubles one.

Every line has a key (a feed item, a mail, an inbox line). The journal in private state holds what is about
to be appended before it is, and that it was afterwards; what a kill left open is settled by looking into
the note.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from daybook import files
from daybook.errors import DaybookError
from daybook.memory import notes
from daybook.memory.forgotten import FORGOTTEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from daybook.memory.forgotten import Words
    from daybook.workspace import Workspace

# One for all rows: `json.dumps` would make one for each.
ENCODER = json.JSONEncoder(ensure_ascii=False)


@dataclass(frozen=True)
class Entry:
    """
    One line for a daily note.

    Attributes:
        key: Names it for ever: the same key is written once.
        day: The note's date.
        heading: The note's heading it goes under.
        text: The whole note line, without its newline.
        own: Daybook's own report, which no review takes as evidence.
    """

    key: str
    day: date
    heading: notes.Heading
    text: str
    own: bool


@dataclass(frozen=True)
class Written:
    """
    What a write came to.

    Attributes:
        entries: Those that stand in a note through it, those left open by a kill among them.
        problems: Sentences about notes that could not be written; their lines are tried again.
    """

    entries: tuple[Entry, ...] = ()
    problems: tuple[str, ...] = ()


def write(workspace: Workspace, entries: Sequence[Entry]) -> Written:
    """
    Append those entries whose key was never written; the caller holds the workspace lock.

    Raises:
        UnreadableFileError: None of these entries could be written.
    """
    rows = _read(workspace)
    errors: list[DaybookError] = []
    written = _settle(workspace, rows, errors)
    new = [entry for entry in {one.key: one for one in entries}.values() if entry.key not in rows]
    for day in sorted({entry.day for entry in new}):
        # A note that cannot be written keeps its own lines waiting, and no other day's.
        try:
            written += _append(workspace, day, [entry for entry in new if entry.day == day])
        except DaybookError as error:
            errors.append(error)
    if new and errors and not any(entry in written for entry in new):
        raise errors[-1]
    return Written(tuple(written), tuple(dict.fromkeys(map(str, errors))))


def own_lines(workspace: Workspace) -> frozenset[str]:
    """Lines that are Daybook's own reports."""
    return frozenset(row.entry.text for row in _read(workspace).values() if row.entry.own)


def written(workspace: Workspace, prefix: str) -> frozenset[str]:
    """Keys with this prefix that stand in a note."""
    return frozenset(key for key, row in _read(workspace).items() if key.startswith(prefix) and row.done)


def begun(workspace: Workspace, prefix: str) -> dict[str, Entry]:
    """Entries with this prefix, also those that a kill left open: the next write brings them into their note."""
    return {key: row.entry for key, row in _read(workspace).items() if key.startswith(prefix)}


def unread(workspace: Workspace, prefix: str) -> list[Entry]:
    """Entries with this prefix that stand in a note and were not yet passed on (see `passed_on`)."""
    rows = _read(workspace).items()
    return [row.entry for key, row in rows if key.startswith(prefix) and row.done and not row.passed_on]


def known(workspace: Workspace, prefix: str) -> dict[str, bool]:
    """Keys with this prefix, each with whether its entry was offered to the next stage."""
    rows = _read(workspace).items()
    return {key: row.passed_on or row.offered for key, row in rows if key.startswith(prefix)}


def pass_over(workspace: Workspace, entries: Iterable[Entry]) -> int:
    """Count entries as done without writing them anywhere, if they are not known yet; how many."""
    entries = list(entries)
    rows = _read(workspace) if entries else {}
    new = [entry for entry in entries if entry.key not in rows]
    _append_rows(workspace, [{**_intent(entry, NOWHERE), "done": True, "passed_on": True} for entry in new])
    return len(new)


def passed_on(workspace: Workspace, keys: Iterable[str]) -> None:
    """Record that entries reached the next stage of their pipeline."""
    _append_rows(workspace, _ended(keys, "passed_on"))


def offered(workspace: Workspace, keys: Iterable[str]) -> None:
    """Record that entries were offered to the next stage, and wait for room there."""
    _append_rows(workspace, _ended(keys, "offered"))


def prune(workspace: Workspace, before: date, *, keep: tuple[str, ...] = ()) -> int:
    """
    Forget finished entries of days before *before*, whose sources have moved on by then; give their number.

    Our own reports stay, since a review of long past notes must still know them.

    Args:
        workspace: Whose journal.
        before: Entries of this day and later stay.
        keep: Prefixes of keys that stay as well.
    """
    path = workspace.private / "posted.jsonl"
    data = files.read_if_exists(path)
    rows = _read(workspace)
    kept = {
        key: row
        for key, row in rows.items()
        if row.entry.own or not row.done or row.entry.day >= before or key.startswith(keep)
    }
    if len(kept) < len(rows):
        lines = [_intent(row.entry, row.size) for row in kept.values()]
        ended = [(key, row) for key, row in kept.items() if row.done]
        lines += [{"key": key, "done": True, "passed_on": row.passed_on, "offered": row.offered} for key, row in ended]
        files.replace(path, _encode(lines), expected=data, mode=files.PRIVATE_FILE_MODE)
    return len(rows) - len(kept)


def purge(workspace: Workspace, words: Words) -> None:
    """
    Take what was forgotten out of finished rows; the key stays, so that the line is not written again.

    A line that says it goes to no next stage either. One that is not in its note yet keeps its words until it is.
    """
    said = {key for key, row in _read(workspace).items() if row.done and words.says(row.entry.text)}

    def without(data: bytes | None) -> bytes:
        return b"".join(_purged(line, said) for line in (data or b"").splitlines(keepends=True))

    if said:
        files.update(workspace.private / "posted.jsonl", without, mode=files.PRIVATE_FILE_MODE)


def _purged(line: bytes, said: set[str]) -> bytes:
    try:
        raw = json.loads(line)
    except ValueError:
        return line
    if "line" not in raw or raw["key"] not in said:
        return line
    return _encode([raw | {"line": FORGOTTEN, "passed_on": True}])


# Size of the note that a passed-over line would have been appended to: it stands in none for us.
NOWHERE = -1


@dataclass(slots=True)
class _Row:
    entry: Entry
    size: int
    done: bool = False
    passed_on: bool = False
    offered: bool = False


def _append(workspace: Workspace, day: date, entries: list[Entry]) -> list[Entry]:
    size = len(files.read_if_exists(workspace.daily_note(day)) or b"")
    _append_rows(workspace, [_intent(entry, size) for entry in entries])
    notes.append(workspace, day, [notes.Line(entry.heading, entry.text) for entry in entries])
    _append_rows(workspace, _ended([entry.key for entry in entries], "done"))
    return entries


def _settle(workspace: Workspace, rows: dict[str, _Row], errors: list[DaybookError]) -> list[Entry]:
    """Finish what a killed run left open: a line that stands after where the note ended then was appended."""
    left = [row for row in rows.values() if not row.done]
    every = _grouped(rows.values())
    settled: list[Entry] = []
    for day in sorted({row.entry.day for row in left}):
        batch = [row for row in left if row.entry.day == day]
        try:
            if not _finish_whole(workspace, day, batch):
                for (_, text), group in _grouped(batch).items():
                    _finish(workspace, day, text, group, every[day, text])
        except DaybookError as error:
            errors.append(error)
        else:
            settled += [row.entry for row in batch]
    _append_rows(workspace, _ended([entry.key for entry in settled], "done"))
    return settled


def _finish_whole(workspace: Workspace, day: date, batch: list[_Row]) -> bool:
    """Finish an append that was cut in the middle of a line; False if it is not plain what was appended."""
    (size, *more) = {row.size for row in batch}
    if more:
        return False
    return notes.finish(workspace, day, size, [notes.Line(row.entry.heading, row.entry.text) for row in batch])


def _finish(workspace: Workspace, day: date, text: str, group: list[_Row], alike: list[_Row]) -> None:
    start = min(row.size for row in group)
    data = files.read_if_exists(workspace.daily_note(day)) or b""
    after = data[start:] if len(data) >= start else data
    standing = [line.rstrip(b"\r") for line in after.split(b"\n")].count(text.encode())
    known = sum(row.done and row.size >= start for row in alike)
    missing = len(group) - max(standing - known, 0)
    notes.append(workspace, day, [notes.Line(row.entry.heading, text) for row in group[: max(missing, 0)]])


def _grouped(rows: Iterable[_Row]) -> dict[tuple[date, str], list[_Row]]:
    groups: dict[tuple[date, str], list[_Row]] = {}
    for row in rows:
        groups.setdefault((row.entry.day, row.entry.text), []).append(row)
    return groups


def _intent(entry: Entry, size: int) -> dict[str, object]:
    return {
        "key": entry.key,
        "day": entry.day.isoformat(),
        "heading": entry.heading,
        "line": entry.text,
        "own": entry.own,
        "size": size,
    }


def _ended(keys: Iterable[str], stage: Literal["done", "passed_on", "offered"]) -> list[dict[str, object]]:
    """One row for a whole batch: it stands or is torn as one, which is settled line by line all the same."""
    batch = list(keys)
    return [{"keys": batch, stage: True}] if batch else []


def _append_rows(workspace: Workspace, rows: Sequence[dict[str, object]]) -> None:
    if rows:
        files.append(workspace.private / "posted.jsonl", _encode(rows), mode=files.PRIVATE_FILE_MODE)


def _encode(rows: Iterable[dict[str, object]]) -> bytes:
    return "".join([ENCODER.encode(row) + "\n" for row in rows]).encode()


def _read(workspace: Workspace) -> dict[str, _Row]:
    rows: dict[str, _Row] = {}
    for line in (files.read_if_exists(workspace.private / "posted.jsonl") or b"").splitlines():
        # A row torn by a kill was never acted on: the note is written only after its row.
        try:
            raw = json.loads(line.decode())
        except ValueError:
            continue
        if "line" in raw:
            entry = Entry(raw["key"], date.fromisoformat(raw["day"]), raw["heading"], raw["line"], raw["own"])
            rows[entry.key] = _Row(entry, raw["size"], bool(raw.get("done")), bool(raw.get("passed_on")))
        else:
            _end(rows, raw)
    return rows


def _end(rows: dict[str, _Row], raw: dict[str, Any]) -> None:
    """Apply a row that ends something: of a batch, or of one line."""
    stages = [stage for stage in ("done", "passed_on", "offered") if raw.get(stage)]
    for key in raw["keys"] if "keys" in raw else (raw["key"],):
        if key in rows:
            for stage in stages:
                setattr(rows[key], stage, True)
