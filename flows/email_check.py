"""Check the mailboxes, note what matters, tell what is urgent."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from prefect import flow
from prefect.client.schemas.objects import State

from daybook.errors import SourceError
from daybook.schedule.occasion import Occasion, Stopped
from daybook.schedule.record import RunRecord
from daybook.sources import mail
from daybook.sources.reporting import untrusted
from flows.reporting import report, settle
from flows.starting import finished, run_name, started
from tasks.check_mail import check_mail
from tasks.triage_mail import triage_mail

if TYPE_CHECKING:
    from daybook.settings import Mailbox
    from daybook.sources.fetching import Waiting
    from daybook.sources.finding import Finding
    from daybook.sources.mail import MailLook
    from daybook.sources.tracking import Failure


@flow(name="email-check", flow_run_name=run_name, persist_result=False)
async def email_check(dry_run: bool = False) -> State[RunRecord]:
    """
    Check the mailboxes, note what matters, tell what is urgent.

    Args:
        dry_run: Look and triage, but write and tell nothing.
    """
    async with started("email-check", "mail", dry_run=dry_run) as run:
        if isinstance(run, Stopped):
            return finished(run.record)
        await report(run, [await look_at_mail(run)])
        await settle(run)
    return finished(run.record)


async def look_at_mail(run: Occasion) -> Finding:
    """Read every mailbox side by side, each alone in its failure, and triage what they have."""
    if "mailboxes" in run.loaded.inert:
        return untrusted("mail", "mailboxes")
    looks = await asyncio.gather(*(_one(run, mailbox) for mailbox in run.settings.mailboxes))
    return await triage_mail(run.workspace, run.settings, looks, run.today, run.now, run.pace)


async def _one(run: Occasion, mailbox: Mailbox) -> MailLook | Waiting | Failure:
    try:
        return await check_mail(run.workspace, mailbox, run.now, by_hand=run.by_hand)
    except SourceError as error:
        return mail.failed(mailbox, error)
    except Exception as error:  # noqa: BLE001 - one broken mailbox never hides the others
        key, kind = mail.mailbox_key(mailbox), type(error).__name__
        sentence = f"The mailbox {key} failed ({kind}); its run's log in the UI says more."
        return mail.failed(mailbox, SourceError(sentence))
