"""Settings: every key of daybook.toml, and what of a file counts."""

from daybook.settings.loading import Loaded, acting_parts, fingerprint, load, validate
from daybook.settings.schema import (
    BUILT_IN_CHECKS,
    DEPLOYMENTS,
    Budget,
    CheckSettings,
    Feed,
    Mailbox,
    Models,
    Network,
    Notify,
    Prefect,
    QuietHours,
    Settings,
    parse_duration,
)

__all__ = [
    "BUILT_IN_CHECKS",
    "DEPLOYMENTS",
    "Budget",
    "CheckSettings",
    "Feed",
    "Loaded",
    "Mailbox",
    "Models",
    "Network",
    "Notify",
    "Prefect",
    "QuietHours",
    "Settings",
    "acting_parts",
    "fingerprint",
    "load",
    "parse_duration",
    "validate",
]
