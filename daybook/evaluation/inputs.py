"""What a case is made into: the values that the code which decides in earnest works with."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Literal

from daybook.curation.entries import LONGTERM, Known, Memory
from daybook.guard.cleaning import clean
from daybook.guard.outside import flatten
from daybook.guard.secrets import redact
from daybook.review.capturing import Turn
from daybook.review.window import Evidence
from daybook.sources.items import Item
from daybook.sources.messages import ADDRESS_CHARS, BODY_CHARS, NAME_CHARS, SNIPPET_CHARS, SUBJECT_CHARS, Message
from daybook.sources.parsing import TITLE_CHARS

if TYPE_CHECKING:
    from daybook.evaluation.cases import CaptureCase, MailCase, NewsCase, ReviewCase

SCANNED_AT = time(12)


def evidence(case: ReviewCase) -> tuple[Evidence, ...]:
    """Make a window's lines."""
    origin: Literal["trusted", "outside"] = "outside" if case.outside else "trusted"
    return tuple(
        Evidence(
            number=number,
            day=line.date,
            file=f"memory/{line.date}.md",
            line=number,
            time=line.time,
            text=flatten(redact(line.text), limit=len(line.text) + 1) if case.outside else redact(line.text),
            heading="",
            origin=origin,
            marks=(f"{case.name}:{number}",),
        )
        for number, line in enumerate(case.lines, start=1)
    )


def memory(case: ReviewCase) -> Memory:
    """Make what memory holds."""
    return Memory(
        tuple(
            Known(entry.id, LONGTERM, entry.section, entry.text, entry.owned, lineage=entry.id if entry.owned else "")
            for entry in case.entries
        ),
        case.sections,
    )


def messages(case: MailCase) -> tuple[Message, ...]:
    """Make mail, cleaned as a look at a mailbox cleans it."""
    return tuple(
        Message(
            id=f"{case.name}:{number}",
            mailbox="",
            uid=number,
            message_id="",
            name=clean(mail.name, limit=NAME_CHARS),
            address=clean(mail.address, limit=ADDRESS_CHARS),
            subject=clean(mail.subject, limit=SUBJECT_CHARS),
            date=None,
            direct=mail.direct,
            attachments=False,
            automatic=mail.automatic,
            bulk=mail.bulk,
            high_priority=mail.high_priority,
            snippet=clean(mail.text, limit=SNIPPET_CHARS),
            body=clean(mail.text, limit=BODY_CHARS),
        )
        for number, mail in enumerate(case.messages, start=1)
    )


def items(case: NewsCase) -> tuple[Item, ...]:
    """Make the items of feeds, cleaned as a scan cleans them; their ids are their numbers."""
    return tuple(
        Item(
            id=str(number),
            title=clean(item.title, limit=TITLE_CHARS),
            link="",
            summary=clean(item.summary),
            published=scanned_at(case) - timedelta(hours=item.age_h),
            feed=item.feed,
            weight=item.weight,
        )
        for number, item in enumerate(case.items, start=1)
    )


def scanned_at(case: NewsCase) -> datetime:
    """When the items are looked at: noon of the case's day."""
    return datetime.combine(case.date, SCANNED_AT, UTC)


def turns(case: CaptureCase) -> tuple[Turn, ...]:
    """Make the turns of a session."""
    return tuple(Turn(number, turn.who, turn.text) for number, turn in enumerate(case.turns, start=1))
