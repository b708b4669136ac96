"""
The run record: one JSON object a run under `.daybook/runs/`, for people and agents.

It is written when a run begins (so that a killed run shows) and again when it ends.
"""

from __future__ import annotations

import json
import re
import shutil
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from daybook import files, folders
from daybook.clock import slot_name, stamp
from daybook.errors import DaybookError, UnsafeFileError
from daybook.memory.forgotten import FORGOTTEN
from daybook.models.outcomes import Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from daybook.memory.forgotten import Words
    from daybook.models.choice import Purpose
    from daybook.models.outcomes import Answered
    from daybook.prompts import Rendered
    from daybook.workspace import Workspace

KEPT_DAYS = 90
# Where a record quotes memory and notes.
TOLD = frozenset({"text", "entry", "note_lines", "diff", "problems", "summary"})
DATED = re.compile(r"\d{4}-\d{2}-\d{2}")
Outcome = Literal[
    "running",
    "done",
    "nothing-to-do",
    "not-due",
    "not-configured",
    "already-done",
    "running-elsewhere",
    "waiting",
    "dry-run",
    "missed",
    "failed",
]
# Of what its checks came to, a run came to the first.
ORDER: tuple[Outcome, ...] = (
    "failed",
    "waiting",
    "done",
    "dry-run",
    "nothing-to-do",
    "not-due",
    "not-configured",
)
ACTED: frozenset[str] = frozenset({"done", "nothing-to-do"})
# What a beat does of its own: where one of these fails, the beat was not good.
OURS = frozenset({"note", "memory", "pending", "inbox", "review"})
Try: TypeAlias = "Answered[Any] | Unavailable"
Trigger = Literal["schedule", "hand", "catch-up"]


class _Part(BaseModel):
    # A record of a newer Daybook has more keys, and is a record all the same.
    model_config = ConfigDict(extra="allow")


class CheckResult(_Part):
    """What one check came to within a run."""

    check: str
    slot: str
    outcome: Outcome
    summary: str = ""
    catch_up: bool = False
    problems: list[str] = Field(default_factory=list)


class OperationResult(_Part):
    """One operation: applied, proposed, refused or left for later, and why."""

    op: str
    text: str
    verdict: Literal["applied", "proposed", "refused", "later"]
    code: str = ""
    file: str = ""
    section: str = ""
    entry: str = ""
    sources: list[str] = Field(default_factory=list, description="file:line of each note line")
    compared: Literal["", "both", "here", "before"] = Field(
        default="", description="in a comparison: done by both, only by the other reader, only by the last review"
    )


class ModelCall(_Part):
    """One try to get an answer from a model."""

    purpose: str
    model: str
    outcome: str
    sentence: str = ""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float | None = None


class PromptUse(_Part):
    """Which prompt was sent."""

    name: str
    source: Literal["packaged", "workspace"]
    sha256: str


class RunRecord(_Part):
    """
    One run of one flow.

    Attributes:
        slot: The instant the run is for, ISO 8601 in UTC.
        note_lines: The lines this run appended, as `file: line`.
        diff: What changed in MEMORY.md, as `+ …` and `- …` lines.
        problems: Sentences for the operator; none of them holds a secret.
    """

    version: Literal[1] = 1
    id: str
    flow: str
    workspace: str
    slot: str
    trigger: Trigger
    started: str
    ended: str | None = None
    outcome: Outcome = "running"
    summary: str = ""
    dry_run: bool = False
    interrupted_before: bool = False
    checks: list[CheckResult] = Field(default_factory=list)
    note_lines: list[str] = Field(default_factory=list)
    operations: list[OperationResult] = Field(default_factory=list)
    diff: list[str] = Field(default_factory=list)
    models: list[ModelCall] = Field(default_factory=list)
    prompts: list[PromptUse] = Field(default_factory=list)
    notices: list[str] = Field(default_factory=list)
    counts: dict[str, int] = Field(default_factory=dict)
    problems: list[str] = Field(default_factory=list)


def model_call(got: Try, purpose: Purpose) -> ModelCall:
    """Write one try for a record."""
    return ModelCall(
        purpose=purpose,
        model=got.model,
        outcome=got.outcome,
        sentence=got.sentence if isinstance(got, Unavailable) else "",
        calls=got.used.calls,
        tokens_in=got.used.tokens_in,
        tokens_out=got.used.tokens_out,
        usd=got.used.usd,
    )


def prompt_use(prompt: Rendered) -> PromptUse:
    """Write a prompt that was sent for a record."""
    return PromptUse(name=prompt.name, source=prompt.source, sha256=prompt.sha256)


def slot_text(slot: datetime) -> str:
    """Write a slot as ISO 8601 in UTC, with its fraction of a second if it has one."""
    return slot.astimezone(UTC).isoformat().replace("+00:00", "Z")


def is_good(record: RunRecord) -> bool:
    """Whether what a beat does of its own went well; a source that failed is no reason to call for help."""
    return not any(one.outcome == "failed" and one.check in OURS for one in record.checks)


def path_of(workspace: Workspace, record: RunRecord) -> Path:
    """Where a record lies: `.daybook/runs/<date>/<time>Z-<flow>.json`, date and time of its slot in UTC."""
    slot = datetime.fromisoformat(record.slot)
    return workspace.runs_dir / f"{slot:%Y-%m-%d}" / f"{slot_name(slot).partition('T')[2]}-{record.flow}.json"


def write(workspace: Workspace, record: RunRecord) -> Path:
    """Write a record, replacing what this run wrote of itself before."""
    path = path_of(workspace, record)
    folders.make_dir(workspace.runs_dir)
    folders.make_dir(path.parent)
    if path.parent.is_symlink():
        raise UnsafeFileError(f"{path.parent} is a link; move it away and try again.")
    # Pydantic's own way to JSON refuses a text with half a sign in it.
    text = json.dumps(record.model_dump(mode="json"), ensure_ascii=False, indent=1)
    data = f"{text}\n".encode("utf-8", "replace")
    files.replace(path, data, expected=files.read_if_exists(path))
    return path


def read_since(workspace: Workspace, since: datetime) -> Iterator[RunRecord]:
    """Records of slots since *since*, oldest first; a file that is none is passed over."""
    first, earliest = (since.astimezone(UTC).strftime(form) for form in ("%Y-%m-%d", "%H%M%S"))
    dated = [name for name in folders.listed(workspace.runs_dir) if DATED.fullmatch(name)]
    for folder in (workspace.runs_dir / name for name in dated if name >= first):
        written = [name for name in folders.listed(folder) if name.endswith(".json")]
        # A name begins with its slot's time.
        late = (name for name in written if folder.name > first or name[: len(earliest)] >= earliest)
        for path in (folder / name for name in late):
            try:
                record = RunRecord.model_validate_json(files.read_bytes(path))
                recent = datetime.fromisoformat(record.slot) >= since
            except (ValidationError, ValueError, TypeError, DaybookError):
                continue
            if recent:
                yield record


def prune(workspace: Workspace, today: date) -> int:
    """Remove the folders of days more than 90 days back; the number removed."""
    limit = (today - timedelta(days=KEPT_DAYS)).isoformat()
    # Only what is ours goes: a real folder of runs, and in it real folders named by a date.
    if workspace.runs_dir.is_symlink() or not workspace.runs_dir.is_dir():
        return 0
    dated = [path for path in workspace.runs_dir.iterdir() if DATED.fullmatch(path.name) and path.name < limit]
    old = [path for path in dated if path.is_dir() and not path.is_symlink()]
    for path in old:
        shutil.rmtree(path)
    return len(old)


def purge(workspace: Workspace, words: Words) -> int:
    """Take what was forgotten out of every record; the number of records that said it."""
    days = [workspace.runs_dir / name for name in folders.listed(workspace.runs_dir)]
    written = [day / name for day in days for name in folders.listed(day) if name.endswith(".json")]
    count = 0
    for path in written:
        present = files.read_if_exists(path) or b""
        try:
            after = _without(json.loads(present), words)
        except (ValueError, RecursionError):
            continue
        if after != json.loads(present):
            files.replace(path, f"{json.dumps(after, ensure_ascii=False, indent=1)}\n".encode(), expected=present)
            count += 1
    return count


def _without(value: Any, words: Words, *, told: bool = False) -> Any:
    """Replace what is told of memory and says the words; everything else of a record is as it was."""
    match value:
        case str() if told and words.says(value):
            return FORGOTTEN
        case list():
            return [_without(one, words, told=told) for one in value]
        case dict():
            return {key: _without(one, words, told=key in TOLD) for key, one in value.items()}
        case _:
            return value


def begin(
    workspace: Workspace, flow: str, slot: datetime, *, trigger: Trigger, now: datetime, run_id: str
) -> RunRecord:
    """Start a record."""
    return RunRecord(
        id=run_id,
        flow=flow,
        workspace=workspace.id,
        slot=slot_text(slot),
        trigger=trigger,
        started=stamp(now),
    )
