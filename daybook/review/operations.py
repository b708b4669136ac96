"""
What a model or a rule may propose: operations that cite note lines. Nobody returns a file.

`Answer` is the schema sent to models; `Operation` is what the rest of the code works with.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Kind = Literal["add", "revise", "retire", "confirm"]
MAX_TEXT_CHARS = 300


class Operation(BaseModel):
    """
    One proposed change of one entry.

    Attributes:
        kind: `add` a new entry, `revise` or `retire` an entry, or `confirm` that it still holds.
        text: The new entry's text, for `add` and `revise`.
        section: Heading the entry belongs under, for `add`.
        entry: Id of the entry, such as `e3`, for all but `add`.
        sources: Numbers of the note lines that say so.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    kind: Kind = Field(description="add, revise, retire or confirm")
    text: str = Field(default="", description="the entry's new text; empty for retire and confirm")
    section: str = Field(default="", description="heading for an add; empty otherwise")
    entry: str = Field(default="", description="id of the entry, such as e3; empty for an add")
    sources: tuple[int, ...] = Field(description="numbers of the note lines this rests on")


class Answer(BaseModel):
    """All that a review answers."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    # Without a default: an object that says nothing of operations is no answer.
    operations: tuple[Operation, ...]
