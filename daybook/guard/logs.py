"""Redact every log line of this process before any handler sees it, tracebacks included."""

from __future__ import annotations

import logging
from typing import Any

from daybook.guard.secrets import redact

FORMATTER = logging.Formatter()


def redact_all() -> None:
    """Put redaction into the making of log records, so that no handler, ours or a library's, can be forgotten."""
    made = logging.getLogRecordFactory()
    if getattr(made, "redacts", False):
        return

    def factory(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = made(*args, **kwargs)
        try:
            record.msg, record.args = redact(record.getMessage()), ()
        except (TypeError, ValueError, KeyError):
            # A library's call whose arguments do not fit its message is told without them.
            record.msg, record.args = redact(str(record.msg)), ()
        if record.exc_info and record.exc_info[0] is not None:
            # Formatters use this text instead of formatting the exception themselves.
            record.exc_text = redact(FORMATTER.formatException(record.exc_info))
        return record

    factory.redacts = True  # type: ignore[attr-defined] # a mark on our own function
    logging.setLogRecordFactory(factory)
