"""A report for a terminal, and as plain values for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from daybook.wording import counted

if TYPE_CHECKING:
    from daybook.doctor.examined import Examined, Level
    from daybook.doctor.examining import Report
    from daybook.rules.heartbeat import Rule

SIGNS: dict[Level, str] = {"ok": "ok", "note": "- ", "warning": "! ", "wrong": "X "}
NAME_WIDTH = 14


def told(report: Report) -> str:
    """Write a report: what was examined, the worst last, then how many of it are wrong, then HEARTBEAT.md's rules."""
    rules = report.rules
    lines = [_row(row) for row in report.checks]
    wrong = sum(row.level == "wrong" for row in report.checks)
    warnings = sum(row.level == "warning" for row in report.checks)
    ends = f"{counted(wrong, 'thing')} {'is' if wrong == 1 else 'are'} wrong" if wrong else "Nothing is wrong"
    lines.append(f"{ends}, {counted(warnings, 'warning')}.")
    if rules.understood or rules.not_understood:
        lines += ["", "HEARTBEAT.md, which Daybook reads and never follows by itself:"]
        lines += [line for rule in rules.understood for line in _rule(rule)]
        lines += [f"  line {one.line}: {one.text}\n    -> not understood" for one in rules.not_understood]
    return "\n".join(lines)


def plain(report: Report) -> dict[str, Any]:
    """Give a report as values for JSON."""
    return {
        "ok": report.ok,
        "checks": [asdict(row) for row in report.checks],
        "heartbeat_rules": {
            "understood": [asdict(rule) for rule in report.rules.understood],
            "not_understood": [asdict(one) for one in report.rules.not_understood],
        },
    }


def _row(row: Examined) -> str:
    remedy = f" {row.remedy}" if row.remedy else ""
    return f"{SIGNS[row.level]} {row.name:{NAME_WIDTH}} {row.sentence}{remedy}"


def _rule(rule: Rule) -> list[str]:
    note = f" ({rule.note})" if rule.note else ""
    lines = [f"  line {rule.line}: {rule.text}", f"    -> {rule.understood_as}{note}"]
    return lines + [f"       {line}" for line in (rule.toml or "").splitlines()]
