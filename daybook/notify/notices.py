"""What there is to tell, and what became of it: a closed union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from daybook.guard.cleaning import clean
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXT_CHARS = 500
REPEAT_MARK = "(repeat)"
# What is left where a text is made of nothing that can be seen.
NO_WORDS = "(no text)"
# Chat services read these as a person, a group or a channel.
MENTIONS = (("<@", "‹@"), ("<#", "‹#"), ("@**", "@ **"), ("@_**", "@ _**"))


@dataclass(frozen=True)
class Notice:
    """
    Something to tell the operator.

    Attributes:
        key: The same for the same news, so that it is told once.
        text: May hold text from outside.
        urgent: Whether it may break quiet hours, and must arrive even if that means twice.
    """

    key: str
    text: str
    urgent: bool = False


@dataclass(frozen=True)
class Sent:
    """
    At least one address took the notice.

    Attributes:
        key: The notice's.
        repeated: Whether it may have been told before.
        failed: One sentence for each address that did not take it.
    """

    key: str
    repeated: bool = False
    failed: tuple[str, ...] = ()


@dataclass(frozen=True)
class AlreadyTold:
    """The notice was told before; nothing was sent."""

    key: str


@dataclass(frozen=True)
class NotConfigured:
    """There is no address to tell it to."""

    key: str


@dataclass(frozen=True)
class Quiet:
    """It is not urgent, and these are quiet hours or the brief after them is still to come; it is told later."""

    key: str


@dataclass(frozen=True)
class Later:
    """So many messages were sent in the last hour that it waits for the next send, to be told with others."""

    key: str


@dataclass(frozen=True)
class Failed:
    """No address took the notice; it is tried again at a later send."""

    key: str
    reason: str


@dataclass(frozen=True)
class GivenUp:
    """It waited, or was tried, for so long that it is no news any more."""

    key: str


Outcome = Sent | AlreadyTold | NotConfigured | Quiet | Later | Failed | GivenUp


def sentence(outcome: Outcome) -> str:
    """Tell an outcome for the run record."""
    match outcome:
        case Sent(key=key, repeated=repeated, failed=failed):
            said = " ".join([f"{key} was told{' again' if repeated else ''}.", *failed])
        case AlreadyTold(key=key):
            said = f"{key} was told before."
        case NotConfigured(key=key):
            said = f"{key} was not told: no address is configured under [notify]."
        case Quiet(key=key):
            said = f"{key} waits for the end of quiet hours."
        case Later(key=key):
            said = f"{key} waits: as many messages as notify.per_hour allows were sent in the last hour."
        case Failed(key=key, reason=reason):
            said = f"{key} was not told: {reason}"
        case GivenUp(key=key):
            said = f"{key} could not be told for days and is no news any more; see `daybook notify test`."
        case _:
            assert_never(outcome)
    return said


def unheard(notices: Sequence[Notice], outcomes: Sequence[Outcome]) -> str:
    """Say that urgent notices reached nobody since there is no address; empty where that is not so."""
    pairs = zip(notices, outcomes, strict=False)
    count = sum(notice.urgent and isinstance(outcome, NotConfigured) for notice, outcome in pairs)
    if not count:
        return ""
    return f"{counted(count, 'urgent notice')} reached nobody: [notify] of daybook.toml names no address that counts."


def harmless(text: str, *, limit: int = TEXT_CHARS) -> str:
    """Make a notice's text one line that mentions nobody, opens nothing and holds no secret; never an empty one."""
    line = clean(text, limit=limit)
    for live, inert in MENTIONS:
        line = line.replace(live, inert)
    return line or NO_WORDS
