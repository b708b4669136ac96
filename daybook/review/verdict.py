"""What becomes of one proposed operation, and the codes that say why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from daybook.curation.entries import Known
    from daybook.review.operations import Operation
    from daybook.review.window import Evidence

Code = Literal[
    "no-source",
    "outside-only",
    "ungrounded",
    "secret",
    "forgotten",
    "foreign",
    "conflict",
    "too-long",
    "quota",
    "done-before",
    "supersedes",
    "second-opinion",
    "relative-date",
    "question",
    "expired",
    "refused",
    "lapsed",
]
Fate = Literal["apply", "propose", "refuse", "later"]


@dataclass(frozen=True)
class Verdict:
    """
    What becomes of one operation.

    Attributes:
        fate: `apply` it, `propose` it to the operator, `refuse` it for good, or leave it for `later`.
        operation: With its text flattened, its section chosen; an Add that equals an entry is a Confirm.
        sources: The note lines it rests on.
        entry: The entry it speaks of; for an Add that is not applied, the one it may supersede.
        code: Why it is not applied.
        counts: Whether a Confirm adds a date (an echo does not).
        promotes: An Add that moves its entry from a topic to MEMORY.md.
        loses: It takes something away, and counts for the quota of seven days; not what merely expired.
        reason: Why an entry is retired, for the archive.
        asks: What a second opinion would have to agree to for it to be applied after all: that the lines say the
            statement, or that the entry has ended; None where no opinion can help.
    """

    fate: Fate
    operation: Operation
    sources: tuple[Evidence, ...]
    entry: Known | None = None
    code: Code | None = None
    counts: bool = True
    promotes: bool = False
    loses: bool = False
    reason: str = ""
    asks: Literal["says", "ended"] | None = None
