"""Write what a review did as Markdown for people, with every quoted text inert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook.guard.outside import inert_markdown

if TYPE_CHECKING:
    from daybook.schedule.record import RunRecord

FENCE = "~~~~"


def diff_markdown(record: RunRecord) -> str:
    """
    Show the diff of MEMORY.md, then every operation with its fate and sources.

    Args:
        record: Of a review.
    """
    lines = ["## MEMORY.md", ""]
    diff = [line.replace(FENCE, "") for line in record.diff]
    lines += [f"{FENCE}diff", *diff, FENCE] if diff else ["Nothing changed."]
    lines += ["", "## Operations", "", "| what | text | fate | why | from |", "| --- | --- | --- | --- | --- |"]
    for one in record.operations:
        cells = (one.op, one.text or one.entry, one.verdict, one.code, ", ".join(one.sources))
        lines.append("| " + " | ".join(inert_markdown(cell) for cell in cells) + " |")
    if record.problems:
        lines += ["", "## Problems", "", *(f"- {inert_markdown(problem)}" for problem in record.problems)]
    return "\n".join(lines) + "\n"
