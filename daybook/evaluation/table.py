"""An evaluation as text for a terminal, and as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from daybook.clock import slot_date, stamp
from daybook.evaluation.comparing import SEALED
from daybook.evaluation.judging import RULES, expected_of
from daybook.evaluation.results import figures
from daybook.guard.outside import flatten
from daybook.guard.secrets import redact
from daybook.models.choice import EXTRACTIVE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import tzinfo

    from daybook.evaluation.evaluate import Evaluation, Tried
    from daybook.evaluation.judging import Judged
    from daybook.evaluation.results import Figures, Result

HEADINGS = ("set", "cases", "answered", "right", "precision", "recall", "tokens", "USD", "refused")
HASH_CHARS = 12
LINE_CHARS = 400


def told(one: Evaluation, zone: tzinfo, *, sealed: bool) -> str:
    """
    Tell an evaluation: its figures, those of the last result, what is wrong.

    Args:
        one: The evaluation.
        zone: Of the workspace, for the last result's date.
        sealed: Whether sealed cases are named too: who has seen them can tune a prompt to them.
    """
    by = f"extractive ({RULES[one.prompt]})" if one.model == EXTRACTIVE else one.model
    rows = [HEADINGS, *map(_row, figures(one.result.cases.values()))]
    if one.before is None:
        last = ["  no result was saved before"]
    else:
        shipped = " (came with Daybook)" if one.before.shipped else ""
        day = slot_date(one.before.result.at, zone)
        last = [f"  before, {day}{shipped}{_hash(one.before.result)}"]
        rows += map(_row, figures(one.before.result.cases.values()))
    table = _aligned(rows)
    sets = len(figures(one.result.cases.values()))
    wrong = [tried for tried in one.tried if tried.judged and not tried.judged.right]
    named = [tried for tried in wrong if sealed or tried.golden.group != SEALED]
    hidden = len(wrong) - len(named)
    lines = [f"{one.prompt}, {by}{_hash(one.result)}", *table[: sets + 1], *last, *table[sets + 1 :]]
    lines += [f"  not right: {len(wrong)}"] * bool(wrong)
    lines += [f"    {_wrong(tried, tried.judged)}" for tried in named if tried.judged]
    lines += [f"    {hidden} sealed, which --sealed names (then they test no edit of yours any more)"] * bool(hidden)
    lines += [f"  recorded in {one.recorded}"] if one.recorded else []
    lines += [f"  {note}" for note in one.notes]
    accepted = "accepted: " if one.ok else "! "
    return "\n".join([*lines, *(f"  {accepted}{fault}" for fault in one.faults)])


def plain(one: Evaluation, *, sealed: bool) -> dict[str, Any]:
    """Give an evaluation as values for JSON, with each sealed case too if that is wished."""
    before = one.before and {"shipped": one.before.shipped, **_plain_result(one.before.result)}
    return {
        "prompt": one.prompt,
        "model": one.model,
        **_plain_result(one.result),
        "cases": [_plain_case(tried) for tried in one.tried if sealed or tried.golden.group != SEALED],
        "before": before,
        "faults": list(one.faults),
        "notes": list(one.notes),
        "recorded": str(one.recorded) if one.recorded else None,
        "ok": one.ok,
    }


def _plain_result(result: Result) -> dict[str, Any]:
    sets = [
        {
            "set": one.group,
            "cases": one.cases,
            "answered": one.answered,
            "right": one.right,
            "precision": None if one.precision is None else round(one.precision, 3),
            "recall": None if one.recall is None else round(one.recall, 3),
            "refused": dict(one.refused),
            "calls": one.used.calls,
            "tokens_in": one.used.tokens_in,
            "tokens_out": one.used.tokens_out,
            "usd": one.used.usd,
        }
        for one in figures(result.cases.values())
    ]
    return {"at": stamp(result.at), "sha256": result.prompt or None, "sets": sets}


def _plain_case(tried: Tried) -> dict[str, Any]:
    case, judged = tried.golden.case, tried.judged
    values = tried.result.model_dump(exclude={"group", "content", "kept", "expected"})
    return {
        "name": case.name,
        "set": tried.golden.group,
        "language": case.language,
        "traps": list(case.traps),
        **values,
        "expected": list(expected_of(case)),
        "kept": list(judged.kept) if judged else [],
        "astray": list(judged.astray) if judged else [],
        "sentence": tried.reply.sentence,
    }


def _row(one: Figures) -> tuple[str, ...]:
    used = one.used
    usd = "?" if used.usd is None else f"{used.usd:.4f}"
    return (
        one.group,
        str(one.cases),
        str(one.answered),
        str(one.right),
        _figure(one.precision),
        _figure(one.recall),
        f"{used.tokens_in + used.tokens_out:,}" if used.calls else "-",
        usd if used.calls else "-",
        _codes(one.refused.items()) or "-",
    )


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Write rows in columns: the first and the last to the left, the numbers between them to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            ["", row[0].ljust(widths[0]), *map(str.rjust, row[1:-1], widths[1:-1]), row[-1]],
        ).rstrip()
        for row in rows
    ]


def _wrong(tried: Tried, judged: Judged) -> str:
    case = tried.golden.case
    about = ", ".join([tried.golden.group, case.language, *case.traps])
    refused = [f"refused {_codes(judged.refused.items())}"] if judged.refused else []
    came = "; ".join([*judged.kept, *judged.astray, *refused]) or "nothing"
    line = f"{case.name} ({about}): expected {'; '.join(expected_of(case)) or 'nothing'}; came {came}"
    return flatten(redact(line), limit=LINE_CHARS)


def _codes(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{code} {count}" for code, count in sorted(counts))


def _hash(result: Result) -> str:
    return f", prompt {result.prompt[:HASH_CHARS]}" if result.prompt else ""
