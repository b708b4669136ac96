"""Which mail matters, by rules: urgent, needs an answer, information, noise. A sender's own word counts little."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from daybook import clock
from daybook.guard.cleaning import clean
from daybook.guard.outside import MAX_CHARS, flatten
from daybook.sources.fetching import Waiting
from daybook.sources.mail import MailLook, MailWaiting
from daybook.sources.tracking import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime, tzinfo

    from daybook.sources.messages import Message
    from daybook.sources.tracking import Progress

Level = Literal["urgent", "needs-answer", "information", "noise"]
MATTERS: tuple[Level, ...] = ("urgent", "needs-answer")
WORDING: Mapping[Level, str] = {
    "urgent": "urgent, from",
    "needs-answer": "to answer, from",
    "information": "from",
    "noise": "from",
}
TAG = "[mail]"
MAX_NOTES = 20
FROM_A_VIP = "from a VIP"
URGENT = re.compile(
    r"\b(?:urgent(?:ly)?|asap|a\.s\.a\.p|emergency|time[- ]sensitive|(?:due|deadline|expires) today"
    r"|dringend\w*|eilt|eilig\w*|notfall|heute fällig|frist heute"
    r"|urgente?s?|urgence|urgenza|urgência|spoed|срочно)\b|緊急|至急|紧急|긴급",
    re.IGNORECASE,
)
NOT_URGENT = re.compile(r"\b(?:not|non|no|nicht|kein(?:e|er)?|pas|niet|не)[\s-]+(?:\w+\s+)?$", re.IGNORECASE)
ASKS = re.compile(
    r"[?？]|\b(?:please (?:reply|respond|confirm|answer|advise|let me know)|let (?:me|us) know|rsvp|r\.s\.v\.p"
    r"|bitte um (?:antwort|rückmeldung|bestätigung)|(?:rückmeldung|antwort) (?:bis|erbeten)"
    r"|merci de (?:répondre|confirmer))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Triaged:
    """
    A message and what it was judged to be.

    Attributes:
        message: The message.
        level: How much it matters.
        reason: Which rule said so.
    """

    message: Message
    level: Level
    reason: str

    @property
    def note(self) -> str:
        """The line for the daily note, tagged as outside."""
        return _line(self)


@dataclass(frozen=True)
class MailReport:
    """
    One check of all mailboxes.

    Attributes:
        new: How many messages were new.
        matters: Those that are urgent or need an answer, urgent ones first; the first 20.
        notes: A tagged line for each of these, in the same order.
        urgent: The urgent ones, for notices.
        counts: How many of each level.
        summary: Our own words, fit for a trusted line.
        problems: One sentence for each mailbox that failed.
        remarks: Sentences on single messages that could not be read.
        waiting: Names of mailboxes that are left alone for now.
        progress: For `tracking.commit`, after the note was written.
    """

    new: int
    matters: tuple[Triaged, ...]
    notes: tuple[str, ...]
    urgent: tuple[Triaged, ...]
    counts: tuple[tuple[Level, int], ...]
    summary: str
    problems: tuple[str, ...]
    remarks: tuple[str, ...]
    waiting: tuple[str, ...]
    progress: tuple[Progress | Failure, ...]


def triage(messages: Iterable[Message], vips: Sequence[str]) -> list[Triaged]:
    """
    Judge messages by rules.

    What went to many, or was sent by a program, is never urgent, whoever sent it. A mark of high
    priority counts only in mail to the operator personally.

    Args:
        messages: In any order, which is kept.
        vips: Addresses (`boss@example.org`) or domains (`@example.org`) whose mail is urgent.
    """
    known = frozenset(vip.strip().casefold() for vip in vips)
    return [Triaged(message, *_judged(message, known)) for message in messages]


def stands(triaged: Triaged) -> bool:
    """Whether the rules are sure of a message, so that no model is shown it: a VIP's, one to many, a program's."""
    message = triaged.message
    return message.bulk or message.automatic or triaged.reason == FROM_A_VIP


def judge(looks: Iterable[MailLook | Waiting | Failure]) -> list[Triaged]:
    """Judge what is new in all mailboxes by rules, each with its own VIPs."""
    return [one for look in looks if isinstance(look, MailLook) for one in triage(look.messages, look.vips)]


def report(looks: Iterable[MailLook | Waiting | Failure], judged: Sequence[Triaged]) -> MailReport:
    """
    Make one report of the looks at all mailboxes.

    Args:
        looks: One for each mailbox, failed ones as `mail.failed` makes them.
        judged: What is new in them.
    """
    progress: list[Progress | Failure] = []
    waiting: list[str] = []
    remarks: list[str] = []
    first = False
    for look in looks:
        match look:
            case MailLook():
                progress.append(look.progress)
                remarks += look.remarks
                first = first or look.first_contact
            case Waiting():
                waiting.append(look.name)
            case Failure():
                progress.append(look)
            case _:
                assert_never(look)
    counts = Counter(each.level for each in judged)
    matters = tuple(each for level in MATTERS for each in judged if each.level == level)
    problems = tuple(each.reason for each in progress if isinstance(each, Failure))
    return MailReport(
        new=len(judged),
        matters=matters[:MAX_NOTES],
        notes=tuple(each.note for each in matters[:MAX_NOTES]),
        urgent=tuple(each for each in matters if each.level == "urgent"),
        counts=tuple(counts.items()),
        summary=_summary(
            len(judged),
            counts,
            len(matters),
            first=first,
            looked=len(progress) - len(problems),
            problems=len(problems),
        ),
        problems=problems,
        remarks=tuple(remarks),
        waiting=tuple(waiting),
        progress=tuple(progress),
    )


def waits(looks: Iterable[MailLook | Waiting | Failure], zone: tzinfo, now: datetime) -> tuple[str, ...]:
    """
    Say of each mailbox that is left alone why, until when, and how not to wait.

    Args:
        looks: One for each mailbox.
        zone: The operator's.
        now: What is asked again on another day is told with its date.
    """
    return tuple(_waits(look, zone, now) for look in looks if isinstance(look, MailWaiting))


def sender(message: Message) -> str:
    """Name the sender: name and address, whichever there is; the address is what counts, so it is always shown."""
    if message.name and message.address and message.name.casefold() != message.address.casefold():
        return f"{message.name} ({message.address})"
    return message.address or message.name or "an unnamed sender"


def notice_text(triaged: Triaged) -> str:
    """Text of a notice about an urgent message."""
    return clean(f"Urgent mail from {sender(triaged.message)}: {_subject(triaged.message)}")


def _waits(look: MailWaiting, zone: tzinfo, now: datetime) -> str:
    until = clock.local(look.until, zone)
    at = f"{until:%H:%M}" if until.date() == clock.local(now, zone).date() else f"{until:%Y-%m-%d %H:%M}"
    return f"{look.failed} and is asked again at {at}; to ask now: `daybook mail`."


def _line(triaged: Triaged) -> str:
    text = f"{WORDING[triaged.level]} {sender(triaged.message)}: {_subject(triaged.message)}"
    return f"{TAG} {flatten(text, limit=MAX_CHARS - len(TAG) - 1)}"


def _judged(message: Message, vips: frozenset[str]) -> tuple[Level, str]:
    address = message.address.casefold()
    vip = address in vips or f"@{address.rpartition('@')[2]}" in vips
    rules: tuple[tuple[bool, Level, str], ...] = (
        (message.bulk and vip, "information", "a list, from a VIP"),
        (message.bulk, "noise", "sent to many"),
        (message.automatic, "information", "sent by a program"),
        (vip, "urgent", FROM_A_VIP),
        (_says_urgent(message.subject), "urgent", "the subject says so"),
        (message.high_priority and message.direct, "urgent", "marked as high priority, to you"),
        (_asks(message), "needs-answer", "asks something"),
        (True, "information", "nothing calls for action"),
    )
    return next((level, reason) for holds, level, reason in rules if holds)


def _asks(message: Message) -> bool:
    return bool(ASKS.search(message.subject) or (message.direct and ASKS.search(message.snippet)))


def _subject(message: Message) -> str:
    return message.subject or "(no subject)"


def _says_urgent(subject: str) -> bool:
    return any(not NOT_URGENT.search(subject[: found.start()]) for found in URGENT.finditer(subject))


def _summary(new: int, counts: Counter[Level], matter: int, *, first: bool, looked: int, problems: int) -> str:
    if problems and not looked:
        return f"Checked no mailbox: {problems} failed."
    text = f"{new} new, {counts['urgent'] or 'none'} urgent" if new else "nothing new"
    since = " of the last 24 hours" if first else ""
    left = matter - MAX_NOTES
    more = f"; {left} more matter{'s' if left == 1 else ''}, see the mailbox" if left > 0 else ""
    failed = f"; {problems} mailbox{'' if problems == 1 else 'es'} failed" if problems else ""
    return f"Checked email{since}: {text}{more}{failed}."
