"""The form of golden cases: what a prompt is asked about, and what a good answer comes to."""

from __future__ import annotations

import hashlib
from datetime import date as Date  # noqa: N812 - a field is called `date`
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from daybook.review.operations import Kind
from daybook.sources.triage import Level

if TYPE_CHECKING:
    from daybook.models.choice import Purpose

# The headings of the packaged prompt's sample.
SECTIONS = ("Operator Preferences", "Decisions", "Lessons Learned")

Kebab = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Words = Annotated[str, StringConstraints(min_length=1)]
Number = Annotated[int, Field(ge=1)]
Sources = Annotated[tuple[Number, ...], Field(min_length=1)]
# What tells people about a case, and changes neither the question nor the judgement.
TOLD = {"name", "language", "about", "traps"}
HASH_CHARS = 16


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Case(_Form):
    """
    What every case says of itself.

    Attributes:
        name: Unique within the prompt, over all sets.
        language: Two or three letters.
        about: What a good answer does, and why.
        traps: What a careless answer falls into.
    """

    name: Kebab
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]
    about: Words
    traps: tuple[Kebab, ...] = ()

    def content(self) -> str:
        """Hash what is asked and expected; two of one hash can be compared."""
        text = self.model_dump_json(exclude=TOLD, exclude_defaults=True)
        return hashlib.sha256(text.encode()).hexdigest()[:HASH_CHARS]


class Entry(_Form):
    """What memory holds."""

    id: Words
    section: Words
    text: Words
    owned: bool = True


class NoteLine(_Form):
    """A line of a note; the first is number 1."""

    date: Date
    time: str = ""
    text: Words


class ExpectedOperation(_Form):
    """
    An operation that a good answer comes to, applied or proposed.

    Attributes:
        kind: Its kind.
        entry: Id of its entry, for all but an Add.
        sources: Lines; one that cites at least one of them counts.
        holds: Words its text must hold, as they are.
    """

    kind: Kind
    entry: str = ""
    sources: Sources
    holds: tuple[Words, ...] = ()


class ReviewCase(_Case):
    """A case of the prompt `review`."""

    date: Date
    sections: tuple[Words, ...] = SECTIONS
    entries: tuple[Entry, ...] = ()
    lines: tuple[NoteLine, ...]
    outside: bool = False
    expect: tuple[ExpectedOperation, ...]

    @model_validator(mode="after")
    def _fits(self) -> ReviewCase:
        _require(bool(self.lines), "lines", "there is none")
        ids = [entry.id for entry in self.entries]
        _require(len(set(ids)) == len(ids), "entries", "two have the same id")
        for number, one in enumerate(self.expect, start=1):
            where = f"expect[{number}]"
            _require(max(one.sources) <= len(self.lines), f"{where}.sources", f"there is no line {max(one.sources)}")
            _require(one.kind != "add" or not one.entry, f"{where}.entry", "an add has none")
            known = one.kind == "add" or one.entry in ids
            _require(known, f"{where}.entry", f"there is no entry {one.entry!r}; a {one.kind} names one")
            _require(not one.holds or one.kind in {"add", "revise"}, f"{where}.holds", f"a {one.kind} has no text")
        return self


class Mail(_Form):
    """A message; the first is number 1."""

    name: str = ""
    address: Words
    subject: str
    text: str
    direct: bool = True
    bulk: bool = False
    automatic: bool = False
    high_priority: bool = False


class MailCase(_Case):
    """A case of the prompt `mail_triage`; *expect* holds one level a message, in order."""

    date: Date
    messages: tuple[Mail, ...]
    expect: tuple[Level, ...]

    @model_validator(mode="after")
    def _fits(self) -> MailCase:
        _require(bool(self.messages), "messages", "there is none")
        _require(len(self.expect) == len(self.messages), "expect", "it must hold one level for each message")
        return self


class NewsItem(_Form):
    """
    An item of a feed; the first is number 1.

    Attributes:
        age_h: Hours since it was published.
        weight: Of its feed.
    """

    feed: Words
    title: Words
    summary: str = ""
    age_h: Annotated[float, Field(ge=0, le=100_000)] = 6.0
    weight: Annotated[float, Field(ge=0, le=10)] = 1.0


class NewsCase(_Case):
    """A case of the prompt `news_rank`; *expect* holds the numbers of the strong items."""

    date: Date
    interests: tuple[Words, ...]
    limit: Number
    items: tuple[NewsItem, ...]
    expect: tuple[Number, ...]

    @model_validator(mode="after")
    def _fits(self) -> NewsCase:
        _require(bool(self.items), "items", "there is none")
        _require(len(set(self.expect)) == len(self.expect), "expect", "an item stands there twice")
        _require(max(self.expect, default=0) <= len(self.items), "expect", "it names an item that is not there")
        _require(len(self.expect) <= self.limit, "expect", f"it names more than the limit of {self.limit}")
        return self


class SessionTurn(_Form):
    """A turn of a session; the first is number 1."""

    who: Literal["operator", "agent", "tool"]
    text: Words


class ExpectedLine(_Form):
    """
    The line that a good answer comes to.

    Attributes:
        sources: Turns; one that cites at least one of them counts.
        holds: Words it must hold, as they are.
    """

    sources: Sources
    holds: tuple[Words, ...] = ()


class CaptureCase(_Case):
    """A case of the prompt `capture`."""

    known: tuple[Words, ...] = ()
    turns: tuple[SessionTurn, ...]
    expect: Annotated[tuple[ExpectedLine, ...], Field(max_length=1)]

    @model_validator(mode="after")
    def _fits(self) -> CaptureCase:
        _require(bool(self.turns), "turns", "there is none")
        cited = [number for one in self.expect for number in one.sources]
        _require(max(cited, default=0) <= len(self.turns), "expect", "it names a turn that is not there")
        tools = any(self.turns[number - 1].who == "tool" for number in cited)
        _require(not tools, "expect", "a turn of a tool is no source")
        return self


Case: TypeAlias = ReviewCase | MailCase | NewsCase | CaptureCase
FORMS: dict[Purpose, type[Case]] = {
    "review": ReviewCase,
    "mail_triage": MailCase,
    "news_rank": NewsCase,
    "capture": CaptureCase,
}


def _require(holds: bool, key: str, otherwise: str) -> None:
    if not holds:
        raise ValueError(f"{key}: {otherwise}")
