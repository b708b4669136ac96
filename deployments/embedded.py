"""
Prefect inside our own process: the two calls that its public interface lacks, checked on 3.9.1.

Neither imports Prefect: they act only if something else has.
"""

from __future__ import annotations

import logging
import sys

FLUSH_TIMEOUT_S = 5.0
EVENTS_LOGGER = "EventsWorker"


def renew_settings() -> None:
    """Let a Prefect that was imported before read its settings from the environment again."""
    if "prefect" in sys.modules:
        from prefect.context import refresh_global_settings_context  # noqa: PLC0415 - a second of start-up time

        refresh_global_settings_context()


def flush() -> None:
    """Send what is queued of events and logs; later, its server may be gone."""
    if "prefect.events.worker" in sys.modules:
        from prefect.events.worker import EventsWorker  # noqa: PLC0415 - a second of start-up time

        # It warns of every event it still has, which is what we wait for.
        logging.getLogger(EVENTS_LOGGER).setLevel(logging.ERROR)
        EventsWorker.drain_all(timeout=FLUSH_TIMEOUT_S, at_exit=False)
    if "prefect.logging.handlers" in sys.modules:
        from prefect.logging.handlers import APILogWorker  # noqa: PLC0415 - a second of start-up time

        APILogWorker.drain_all(timeout=FLUSH_TIMEOUT_S, at_exit=False)
