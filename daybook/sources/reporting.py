"""Turn what each kind of source came to into a `Finding`; items that stand in a note already are left out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from daybook.clock import slot_name
from daybook.memory import journal
from daybook.notify import Notice
from daybook.sources import counsel, feeds, interests, stories, triage
from daybook.sources.finding import Finding, FindingOutcome, Item
from daybook.sources.items import KEY_PREFIX as NEWS
from daybook.sources.ranking import DEFAULT_LIMIT
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import date, datetime

    from daybook.models.trying import Pace
    from daybook.settings import Settings
    from daybook.sources.command import CommandResult
    from daybook.sources.counsel import Counsel
    from daybook.sources.feeds import FeedLook
    from daybook.sources.fetching import Waiting
    from daybook.sources.mail import MailLook
    from daybook.sources.messages import Message
    from daybook.sources.tracking import Failure
    from daybook.workspace import Workspace

MAIL = "mail:"
NO_FEEDS = "No feeds are configured; add [[feeds]] to daybook.toml."
NO_MAILBOXES = "No mailboxes are configured; add [[mailboxes]] to daybook.toml."


async def of_news(
    workspace: Workspace,
    settings: Settings,
    looks: Iterable[FeedLook | Failure],
    today: date,
    now: datetime,
    pace: Pace,
) -> Finding:
    """Rank what all feeds have, and report the strongest few."""
    noted = journal.begun(workspace, NEWS).keys()
    new = stories.without_told(workspace, [_without(look, noted) for look in looks], today)
    fresh = feeds.fresh_items(new)
    signals, asked = await counsel.strongest(workspace, settings, fresh, DEFAULT_LIMIT, today, now, pace=pace)
    scan = feeds.scan(new, signals)
    alone = (*scan.waiting, *scan.unasked, *scan.gone)
    return Finding(
        check="news",
        outcome=_news_outcome(scan),
        summary=_said(scan.summary, scan.progress, alone, NO_FEEDS),
        quiet=not scan.found,
        items=tuple(
            Item(f"{NEWS}{item.id}", text, item.title, {"title": item.title, "feed": item.feed, "link": item.link})
            for item, text in zip(scan.signals, scan.notes, strict=True)
        ),
        seen=tuple(text for item in fresh for text in (item.title, item.summary, item.link, item.seen)),
        progress=scan.progress,
        counts={"signals": len(scan.signals), "news": scan.found} | _refused(asked),
        problems=(
            *scan.problems,
            *scan.remarks,
            *feeds.waits(new, settings.zone, now),
            *interests.problems(workspace),
            *asked.problems,
        ),
        counsel=asked,
    )


async def of_mail(
    workspace: Workspace,
    settings: Settings,
    looks: Sequence[MailLook | Waiting | Failure],
    today: date,
    now: datetime,
    pace: Pace,
) -> Finding:
    """Triage what all mailboxes have, and report what matters."""
    noted = journal.written(workspace, MAIL)
    judged, asked = await counsel.weighed(workspace, settings, triage.judge(looks), today, now, pace=pace)
    report = triage.report(looks, judged)
    items = [
        Item(
            f"{MAIL}{one.message.id}",
            text,
            one.message.subject,
            {"level": one.level, "from": triage.sender(one.message), "subject": one.message.subject},
        )
        for one, text in zip(report.matters, report.notes, strict=True)
    ]
    return Finding(
        check="mail",
        outcome=_outcome(len(report.progress), len(report.problems), len(report.waiting), report.new),
        summary=_said(report.summary, report.progress, report.waiting, NO_MAILBOXES),
        quiet=not report.new,
        items=tuple(item for item in items if item.key not in noted),
        seen=tuple(text for one in judged for text in _texts(one.message)),
        notices=tuple(Notice(f"{MAIL}{one.message.id}", triage.notice_text(one), urgent=True) for one in report.urgent),
        progress=report.progress,
        counts={"mails": report.new, "urgent": len(report.urgent)} | _refused(asked),
        problems=(*report.problems, *report.remarks, *triage.waits(looks, settings.zone, now), *asked.problems),
        counsel=asked,
    )


def of_command(result: CommandResult, check: str, slot: datetime) -> Finding:
    """Report what a command of the operator's printed, line by line; only a failure is said in our own words."""
    key = f"cmd:{check}:{slot_name(slot)}"
    return Finding(
        check=check,
        outcome=("nothing-to-do" if result.held_back else "done") if result.ok else "failed",
        summary=_command_summary(result, check),
        quiet=result.ok,
        items=tuple(
            Item(f"{key}:{number}", text, line, {"check": check, "output": line})
            for number, (text, line) in enumerate(zip(result.notes, result.lines, strict=True), start=1)
        ),
        seen=(result.output,),
        problems=(result.problem,) if result.problem else (),
    )


def untrusted(check: str, part: str) -> Finding:
    """Report that a part of daybook.toml that stands there does not count."""
    sentence = (
        f"[[{part}]] of daybook.toml is not trusted on this machine, so nothing was looked at; see `daybook trust`."
    )
    return Finding(check, "not-configured", summary=sentence, quiet=True)


def _command_summary(result: CommandResult, check: str) -> str:
    if result.problem:
        return result.problem
    if result.held_back:
        return f"{check} was not needed: its `when` said no."
    return f"{check}: {counted(len(result.lines), 'line')}." if result.lines else f"{check} had nothing to say."


def _texts(message: Message) -> tuple[str, ...]:
    return (message.subject, message.address, message.name, message.body, message.seen)


def _said(summary: str, looked: Sequence[object], waiting: Sequence[str], nothing: str) -> str:
    """Our own words for what happened; a source that was not looked at is never called quiet."""
    if looked:
        return summary
    return f"Not looked at: {', '.join(waiting)}." if waiting else nothing


def _refused(asked: Counsel) -> dict[str, int]:
    return {f"{asked.purpose} refused: {code}": count for code, count in sorted(asked.refused.items())}


def _without(look: FeedLook | Failure, noted: Collection[str]) -> FeedLook | Failure:
    if isinstance(look, feeds.News):
        return replace(look, fresh=tuple(item for item in look.fresh if f"{NEWS}{item.id}" not in noted))
    return look


def _news_outcome(scan: feeds.Scan) -> FindingOutcome:
    waiting = len(scan.waiting) + len(scan.unasked)
    if scan.gone and not (scan.progress or waiting):
        return "nothing-to-do"
    return _outcome(len(scan.progress), len(scan.problems), waiting, scan.found)


def _outcome(looked: int, failures: int, waiting: int, found: int) -> FindingOutcome:
    if not looked:
        return "waiting" if waiting else "not-configured"
    if failures == looked:
        return "failed"
    return "done" if found else "nothing-to-do"
