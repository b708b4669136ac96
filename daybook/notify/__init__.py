"""Notices to the operator: told once, held back in quiet hours and above a rate, repeated where that is unsure."""

from daybook.notify.journal import JOURNAL, LOCK_FILE, is_settled, last_told, urgent_between
from daybook.notify.notices import (
    AlreadyTold,
    Failed,
    GivenUp,
    Later,
    NotConfigured,
    Notice,
    Outcome,
    Quiet,
    Sent,
    harmless,
    sentence,
)
from daybook.notify.sending import Brief, send, send_brief

__all__ = [
    "JOURNAL",
    "LOCK_FILE",
    "AlreadyTold",
    "Brief",
    "Failed",
    "GivenUp",
    "Later",
    "NotConfigured",
    "Notice",
    "Outcome",
    "Quiet",
    "Sent",
    "harmless",
    "is_settled",
    "last_told",
    "send",
    "send_brief",
    "sentence",
    "urgent_between",
]
