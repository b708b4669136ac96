"""Notices to the operator: told once, held back in quiet hours and above a rate, repeated where that is unsure."""

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
    unheard,
)
from daybook.notify.sending import Brief, may_send_first, send, send_brief
from daybook.notify.told import (
    JOURNAL,
    LOCK_FILE,
    Urgent,
    first_refused,
    is_settled,
    last_told,
    settled,
    urgent_between,
)

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
    "Urgent",
    "first_refused",
    "harmless",
    "is_settled",
    "last_told",
    "may_send_first",
    "send",
    "send_brief",
    "sentence",
    "settled",
    "unheard",
    "urgent_between",
]
