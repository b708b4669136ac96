"""Hand one text to every address, through Apprise; no sentence holds an address."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

TITLE = "Daybook"
# Apprise and the libraries below it write whole addresses, with their passwords and topics.
LOGGERS_WITH_ADDRESSES = ("apprise", "urllib3", "requests")
# Apprise bounds each wait for a byte, not the whole; meanwhile nobody else can tell anything.
TOTAL_TIMEOUT_S = 20.0
SILENT = logging.CRITICAL + 1


def deliver(urls: Sequence[str], text: str, *, urgent: bool) -> tuple[str, ...]:
    """
    Hand a text to each address.

    Returns:
        One sentence, which does not hold the address, for each that did not take it.
    """
    for name in LOGGERS_WITH_ADDRESSES:
        logging.getLogger(name).setLevel(SILENT)
    told = (_in_time(f"notify.urls number {number}", url, text, urgent=urgent) for number, url in enumerate(urls, 1))
    return tuple(filter(None, told))


def _in_time(where: str, url: str, text: str, *, urgent: bool) -> str:
    told: list[str] = []
    # A thread that no exit waits for.
    sending = threading.Thread(
        target=lambda: told.append(_deliver(where, url, text, urgent=urgent)), name="notice", daemon=True
    )
    sending.start()
    sending.join(TOTAL_TIMEOUT_S)
    if told:
        return told[0]
    return f"{where} did not take the notice in {TOTAL_TIMEOUT_S:g} s; check the address and the network."


def _deliver(where: str, url: str, text: str, *, urgent: bool) -> str:
    import apprise  # noqa: PLC0415 - start-up time: an idle beat never needs it

    kind = apprise.NotifyType.WARNING if urgent else apprise.NotifyType.INFO
    try:
        # One at a time, and not by `add`, which makes two addresses of one with a comma in it.
        plugin = apprise.Apprise.instantiate(url, asset=apprise.AppriseAsset(app_id=TITLE, async_mode=False))
        if plugin is None:
            return f"{where} is no address that Apprise understands; correct it."
        service = apprise.Apprise()
        service.add(plugin)
        if service.notify(body=text, title=TITLE, notify_type=kind, body_format=apprise.NotifyFormat.TEXT):
            return ""
    except Exception as error:  # noqa: BLE001 - a hundred plugins of others, and a notice must not stop a beat
        return f"{where} failed ({type(error).__name__}); check the address."
    return f"{where} did not take the notice; check the address and the network."
