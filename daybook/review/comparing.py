"""What another model or another prompt would have done on the last window, beside what the last review did."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from daybook.clock import local
from daybook.errors import UsageError
from daybook.models.choice import EXTRACTIVE
from daybook.review.extract import Readers, readers_of
from daybook.schedule import record
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from daybook.schedule.record import OperationResult, RunRecord
    from daybook.settings import Settings
    from daybook.workspace import Workspace

LOOK_BACK = timedelta(days=record.KEPT_DAYS)
TEMPLATE_SUFFIX = ".j2"
# Recorded answers are to golden cases.
RECORDED = "recorded:"
Side = Literal["both", "here", "before"]


@dataclass(frozen=True)
class Comparison:
    """
    Two reviews of the same window.

    Attributes:
        operations: Every operation of either, marked by which of them has it.
        summary: The same in one sentence.
    """

    operations: tuple[OperationResult, ...]
    summary: str


def readers_for(settings: Settings, named: str) -> Readers:
    """
    Read what `--compare` names.

    Args:
        settings: Whose models try another prompt.
        named: `provider:name`, `extractive`, or the path of a template, which ends in .j2.

    Raises:
        UsageError: It is neither, or there is no model to try a prompt with.
    """
    if not named.endswith(TEMPLATE_SUFFIX):
        if named != EXTRACTIVE and (":" not in named or named.startswith(RECORDED)):
            raise UsageError(f"{named!r} is no model such as google:gemini-2.5-pro, and no template ending in .j2.")
        return Readers((named,))
    if not Path(named).is_absolute() or not _is_file(named):
        raise UsageError(f"There is no template {named}; give the path of a file that is there.")
    usual = readers_of(settings)
    if not usual.asked:
        raise UsageError("No model is configured to try a prompt with; name one under [models] in daybook.toml.")
    return replace(usual, models=usual.asked, template=Path(named))


def _is_file(named: str) -> bool:
    try:
        return Path(named).is_file()
    except (OSError, ValueError):
        # A name that no file can have.
        return False


def compare(
    workspace: Workspace, operations: Sequence[OperationResult], named: str, zone: tzinfo, now: datetime
) -> Comparison:
    """
    Lay operations beside those of the last review that did its work; what code refused is done by neither.

    Args:
        workspace: Whose records.
        operations: What the other reader would do.
        named: Who it is, for the sentence.
        zone: The workspace's.
        now: The present instant.
    """
    last = _last_review(workspace, now)
    before = [one for one in last.operations if one.verdict != "refused"] if last else []
    done = [one for one in operations if one.verdict != "refused"]
    marked = []
    for one in done:
        same = next((other for other in before if _same(one, other)), None)
        if same is not None:
            before.remove(same)
        marked.append(_marked(one, "both" if same else "here"))
    both = sum(1 for one in marked if one.compared == "both")
    at = f"the review of {local(datetime.fromisoformat(last.slot), zone):%Y-%m-%d %H:%M}" if last else "no review yet"
    summary = (
        f"{named} would do {counted(len(done), 'operation')}, before any second opinion: {both} as {at} did, "
        f"{len(done) - both} that it did not; {len(before)} of its own are missing. Nothing was written."
    )
    refused = [one for one in operations if one.verdict == "refused"]
    return Comparison((*marked, *(_marked(one, "before") for one in before), *refused), summary)


def _last_review(workspace: Workspace, now: datetime) -> RunRecord | None:
    found = None
    for one in record.read_since(workspace, now - LOOK_BACK):
        reviewed = any(check.check == "review" and check.outcome == "done" for check in one.checks)
        if reviewed and not one.dry_run:
            found = one
    return found


def _same(one: OperationResult, other: OperationResult) -> bool:
    """Whether two reviews say the same: an entry that the last one added can only be confirmed by now."""
    kinds = {one.op, other.op}
    said = (one.text or one.entry) == (other.text or other.entry)
    return (len(kinds) == 1 or kinds == {"add", "confirm"}) and said and bool(set(one.sources) & set(other.sources))


def _marked(one: OperationResult, side: Side) -> OperationResult:
    return one.model_copy(update={"compared": side})
