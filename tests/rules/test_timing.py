from __future__ import annotations

import tomllib
from datetime import timedelta

import pytest

from daybook import settings
from daybook.rules import suggesting, timing
from daybook.rules.timing import EachBeat, Every, Since

BEAT = timedelta(minutes=30)
RULES = [
    ("(every 30 min)", "every 30 min"),
    ("every 2 hours", "every 2 h"),
    ("Every 90 minutes: look at the ovens", "every 1.5 h"),
    ("hourly", "every hour"),
    ("every hour on the hour", "every hour"),
    ("every half hour", "every 30 min"),
    ("daily at 09:30", "daily at 09:30"),
    ("every morning at 8", "daily at 08:00"),
    ("every evening at 8", "daily at 20:00"),
    ("every night at 2", "daily at 02:00"),
    ("Daily 9am and 5pm", "daily at 09:00, 17:00"),
    ("Every morning (8am-10am): review the workspace", "daily, 08:00-10:00"),
    ("daily at noon", "daily at 12:00"),
    ("1x per week (Friday)", "on Friday"),
    ("2x per week (Mon, Thu)", "on Monday, Thursday"),
    ("Weekly (Monday morning)", "on Monday"),
    ("twice a day", "every 12 h"),
    ("Backup if >4h since last", "more than 4 h since the last"),
    (">4h since last", "more than 4 h since the last"),
    ("Urgent emails (check if >4h since last check)", "more than 4 h since the last"),
    ("if not checked in 4 hours", "more than 4 h since the last"),
    ("(daily)", "daily"),
    ("Water the plants daily.", "daily"),
    ("weekdays at 9", "on weekdays at 09:00"),
    ("Mon/Wed/Fri", "on Monday, Wednesday, Friday"),
    ("Mon-Fri 8:30", "on weekdays at 08:30"),
    ("Mondays 10:00", "on Monday at 10:00"),
    ("Tuesdays and Thursdays", "on Tuesday, Thursday"),
    ("once a day", "daily"),
    ("once every 3 days", "every 3 days"),
    ("5 times per week", "every 33.6 h"),
    ("1x/day", "daily"),
    ("every other day", "every 2 days"),
    ("every night", "every night"),
    ("3x daily", "every 8 h"),
    ("Generate the daily summary at 9 AM", "daily at 09:00"),
    ("Weekly statistics every Monday at 8 AM", "on Monday at 08:00"),
    ("every 2 hours between 9 and 17", "every 2 h, 09:00-17:00"),
    ("every 2 hours on weekdays", "every 2 h on weekdays"),
    ("monthly", "monthly"),
    ("`0 2 * * *` scripts/nightly.py", "cron 0 2 * * *"),
    ("`*/30 9-17 * * mon-fri` scripts/watch.py", "cron */30 9-17 * * MON-FRI"),
    ("Every heartbeat: is the disk full?", "at every heartbeat"),
    ("täglich um 9:30", "daily at 09:30"),
    ("alle 30 Minuten", "every 30 min"),
    ("jede halbe Stunde", "every 30 min"),
    ("montags", "on Monday"),
    ("jeden Freitag um 10 Uhr", "on Friday at 10:00"),
    ("stündlich", "every hour"),
    ("zweimal täglich", "every 12 h"),
    ("werktags um 7", "on weekdays at 07:00"),
    ("wenn seit mehr als 4 Stunden nicht geprüft", "more than 4 h since the last"),
    ("einmal pro Woche (Fr)", "on Friday"),
    ("chaque jour à 9h30", "daily at 09:30"),
    ("toutes les 30 minutes", "every 30 min"),
    ("tous les lundis à 10h", "on Monday at 10:00"),
    ("deux fois par jour", "every 12 h"),
    ("cada 2 horas", "every 2 h"),
    ("los lunes", "on Monday"),
    ("todos los días a las 9:30", "daily at 09:30"),
    ("una vez al día", "daily"),
    ("más de 4 horas desde la última vez", "more than 4 h since the last"),
]
LABELLED = [
    ("30m", "every 30 min"),
    ("about 2 hours", "every 2 h"),
    ("Friday", "on Friday"),
    ("09:30", "daily at 09:30"),
    ("daily digest", "daily"),
]
UNCLEAR = [
    "daily at 25:00",
    "every 2-3 hours",
    "every few hours",
    "at most once a day",
    "Don't check mail every 30 minutes",
    "every other Friday",
    "first Monday of the month",
    "Late night (23:00-08:00): urgent things only",
    "Any task that sits there >2h?",
    "MWF 10am",
    "Wed 10:00 standup",
    "alle paar Stunden",
    "每30分钟检查邮件",
]
MENTIONS = [
    "meeting was at 09:30 yesterday",
    "The build failed last Monday at 10:00",
    "Last run: daily at 09:30",
    "**Last check:** 2026-03-01 09:00",
    "Next run: Friday 09:00",
    "Zuletzt: täglich um 9",
    "Dernière exécution : chaque jour à 9h",
    "Review today's daily log",
    "Daily note: keep it short",
    "Any event in the next 2 hours?",
    "Calendar for the next 24h",
    "Remind me 30 min before",
    "Remove files older than 30 days",
    "The backup takes 20 minutes",
    "Termin in den nächsten 3 Stunden?",
    "Standup with Ana was every day last week",
    "Version 9.30 is out",
    "Anything urgent in the inbox?",
    "Read each file once and be brief",
    "The report of 2026-03-01 09:00 is in reports/",
    "Use 2 models at most",
    "Kept for 90 days",
]


@pytest.mark.parametrize(("line", "reading"), RULES)
def test_w19_a_rule_in_peoples_own_words_is_understood(line: str, reading: str) -> None:
    found = timing.read(line)
    assert found is not None
    assert suggesting.told(found) == reading


@pytest.mark.parametrize(("value", "reading"), LABELLED)
def test_the_value_of_a_label_is_a_rule_in_fewer_words(value: str, reading: str) -> None:
    found = timing.read(value, labelled=True)
    assert found is not None
    assert suggesting.told(found) == reading
    assert timing.read(value) is None


@pytest.mark.parametrize("line", UNCLEAR)
def test_what_could_mean_two_things_is_told_and_not_guessed(line: str) -> None:
    assert (timing.read(line), timing.smells(line)) == (None, True)


@pytest.mark.parametrize("line", MENTIONS)
def test_a_line_that_merely_mentions_time_is_no_rule(line: str) -> None:
    assert (timing.read(line), timing.smells(line)) == (None, False)


@pytest.mark.parametrize(
    "line", ["every 9999 weeks", "every 0 minutes", "0x daily", "1" * 5_000, "every " * 2_000, "(" * 3_000]
)
def test_absurd_lines_come_to_nothing(line: str) -> None:
    assert timing.read(line) is None


@pytest.mark.parametrize(
    ("found", "every"),
    [
        (Every(1_800), "30m"),
        (Every(604_800 / 5), "2016m"),
        (Every(45), "45s"),
        (Since(14_400), "4h"),
        (EachBeat(), "30m"),
        (Every(172_800), "2d"),
    ],
)
def test_the_lines_for_daybook_toml_are_a_valid_check(found: timing.Timing, every: str) -> None:
    lines = suggesting.settings_lines(found, "disk", BEAT)
    assert lines == f'[checks.disk]\ncommand = ["program", "argument"]\nevery = "{every}"'
    assert settings.validate(tomllib.loads(lines), "here").checks["disk"].every is not None


def test_a_weekday_or_time_of_day_becomes_a_cron_line() -> None:
    """Turns red when the commonest rule of all cannot be made a check."""
    found = timing.read("Mon/Wed/Fri at 9:30")
    assert found is not None
    lines = suggesting.settings_lines(found, "it", BEAT)
    assert lines == '[checks.it]\ncommand = ["program", "argument"]\ncron = "30 9 * * 1,3,5"'
    assert settings.validate(tomllib.loads(lines), "here").checks["it"].cron == "30 9 * * 1,3,5"
    assert suggesting.remark(found, BEAT) is None
    several = timing.read("daily at 9:30 and 17:00")
    assert several is not None
    assert suggesting.settings_lines(several, "it", BEAT) is None
    assert suggesting.remark(several, BEAT) == "that takes a cron line of your own, `cron = …`"
    assert suggesting.remark(Every(60), BEAT) == "checks are looked at by each heartbeat, every 30 min"
    assert suggesting.remark(Every(1_800), BEAT) is None


@pytest.mark.parametrize(
    ("text", "section", "name"),
    [
        ("Check disk space (every 30 min)", "", "disk-space"),
        ("**Frequency:** 1x per week (Friday)", "Backup of the server", "backup-server"),
        ("mail (daily)", "", "my-mail"),
        ("daily", "", "name-of-it"),
        ("jeden Montag: Müll", "", "ll"),
        ("Backup nightly", "", "backup-2"),
    ],
)
def test_a_check_is_named_by_the_words_that_are_no_rule(text: str, section: str, name: str) -> None:
    assert suggesting.check_name(text, section, {"backup"}) == name
