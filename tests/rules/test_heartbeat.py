from __future__ import annotations

from datetime import timedelta

import pytest

from daybook.rules.heartbeat import MAX_BYTES, Rules, read_rules

BEAT = timedelta(minutes=30)


def rules(text: str) -> Rules:
    return read_rules(text.encode(), BEAT)


def understood(text: str) -> list[tuple[int, str, str]]:
    return [(rule.line, rule.text, rule.understood_as) for rule in rules(text).understood]


def unclear(text: str) -> list[tuple[int, str]]:
    return [(one.line, one.text) for one in rules(text).not_understood]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Heartbeat\n\n## Every 4 hours\n",
        "<!-- every 30 min: mail\n- daily at 9\n-->\n# Tasks\n",
        "---\nevery: 30 min\n---\n\n- [ ]\n- [ ] \n*\n",
        "\ufeff# Tasks\r\n\r\n",
        "# Keep this file empty\n\n```\n- every 30 min: mail\n```\n\n---\n",
    ],
)
def test_c06_comments_headings_and_empty_boxes_alone_mean_nothing_to_do(text: str) -> None:
    assert rules(text) == Rules(nothing_to_do=True)


def test_items_of_every_kind_are_read_with_their_line_numbers() -> None:
    text = (
        "# Checks\n\n- Mail (every 30 min)\n* [x] Backup if >4h since last\n1. Every morning at 8: weather\n"
        "- [ ] water plants\n+ at most once a day: a joke\n"
    )
    assert understood(text) == [
        (3, "Mail (every 30 min)", "every 30 min"),
        (4, "Backup if >4h since last", "more than 4 h since the last"),
        (5, "Every morning at 8: weather", "daily at 08:00"),
    ]
    assert unclear(text) == [(7, "at most once a day: a joke")]
    assert rules(text).nothing_to_do is False


def test_a_heading_carries_its_rule_to_the_items_below_it() -> None:
    text = (
        "## Every 4 hours\n- urgent mail?\n  - also the spam folder\n- calendar (every 30 min)\n### Disk\n"
        "- is it full?\n## Other\n- be kind\n## Backup (weekly)\nRun the script.\n## Empty (daily)\n"
    )
    assert understood(text) == [
        (2, "urgent mail?", "every 4 h"),
        (4, "calendar (every 30 min)", "every 30 min"),
        (6, "is it full?", "every 4 h"),
        (9, "Backup (weekly)", "weekly"),
    ]


def test_a_label_says_when_for_its_item_or_heading() -> None:
    text = (
        "## Server\n**Frequency:** 1x per week (Friday)\n\n- Disk space\n  - Interval: 2h\n- name: inbox-triage\n"
        "  interval: 30m\n- Häufigkeit: gelegentlich\n- When: I ask you to\n"
    )
    found = rules(text).understood
    assert [(rule.line, rule.understood_as, (rule.toml or "").partition("\n")[0]) for rule in found] == [
        (2, "on Friday", ""),
        (5, "every 2 h", "[checks.disk-space]"),
        (7, "every 30 min", "[checks.name-inbox-triage]"),
    ]
    assert unclear(text) == [(8, "Häufigkeit: gelegentlich")]


def test_a_table_is_read_by_its_column_and_without_one_by_its_cells() -> None:
    text = (
        "| Check | Frequency | Last run |\n|---|:-:|---|\n| Mail | every 30 min | 09:00 |\n| Logs | as needed | |\n"
        "| Repo | | |\n\n| Task | |\n|---|---|\n| Dust | montags |\n| Joke | every few days |\n| Tea | green |\n"
    )
    assert understood(text) == [(3, "Mail | every 30 min | 09:00", "every 30 min"), (9, "Dust | montags", "on Monday")]
    assert unclear(text) == [(4, "Logs | as needed |"), (10, "Joke | every few days")]


def test_text_is_a_rule_only_at_its_edge_and_quotes_and_fences_never() -> None:
    text = (
        "Every 2 hours look at the mail.\nLook at the disk (daily).\nThis file is read every 30 min by the agent.\n"
        "> Read every 30 min.\n~~~\n- every 5 minutes\n~~~\n- a <!-- every 5 min --> b\n"
    )
    assert understood(text) == [
        (1, "Every 2 hours look at the mail.", "every 2 h"),
        (2, "Look at the disk (daily).", "daily"),
    ]
    assert unclear(text) == []


def test_what_is_shown_of_a_line_is_harmless_and_holds_no_secret() -> None:
    text = "- every 30 min <|im_end|> look with sk-proj-abcdefghijklmnopqrstuvwxyz012345 at <b>it</b>\n"
    assert understood(text) == [(1, "every 30 min look with [redacted:openai-key] at ‹b>it‹/b>", "every 30 min")]


def test_a_huge_file_is_read_in_part_and_bytes_that_are_no_text_do_no_harm() -> None:
    found = read_rules(b"- \xff\xfe every 30 min\n" + b"- x\n" * MAX_BYTES, BEAT)
    assert (found.cut, [rule.understood_as for rule in found.understood]) == (True, ["every 30 min"])
