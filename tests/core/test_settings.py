"""An unknown key is named with its nearest known one; what can act waits for trust."""

from __future__ import annotations

import re
from datetime import time, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook import settings, tomlfile, trust
from daybook.errors import SettingsError

if TYPE_CHECKING:
    from daybook.workspace import Workspace

EVERYTHING = """
timezone = "Europe/Berlin"
quiet_hours = "23:00-08:00"
interests = ["home energy", "python"]
[schedule]
news-scan = "0 8 * * *"
heartbeat = "30m"
email-check = false
[checks.mail]
every = "4h"
catch_up = "once"
deadline = "6h"
[checks.weather]
command = ["weather", "--brief"]
every = "3h"
[[feeds]]
url = "https://example.org/feed.xml"
[[mailboxes]]
host = "imap.example.org"
user = "me@example.org"
password_command = ["pass", "show", "mail"]
vip = ["boss@example.org"]
[models]
review = ["google:gemini-flash-lite-latest", "extractive"]
[budget]
usd_per_day = 0.5
[notify]
urls = ["ntfy://topic"]
[network]
allow_hosts = ["127.0.0.1"]
[prefect]
api_url = "http://127.0.0.1:4200/api"
"""


def write(workspace: Workspace, text: str) -> None:
    workspace.settings.write_text(text, encoding="utf-8")


def test_every_documented_key_is_understood_once_trusted(workspace: Workspace) -> None:
    write(workspace, EVERYTHING)
    acting = settings.acting_parts(tomlfile.read(workspace))
    trust.grant(workspace, settings=settings.fingerprint(acting), ledger=True)
    loaded = settings.load(workspace)
    assert loaded.inert == ()
    assert loaded.settings.checks["mail"].every == timedelta(hours=4)
    assert loaded.settings.checks["weather"].command == ("weather", "--brief")
    assert loaded.settings.mailboxes[0].vip == ("boss@example.org",)
    assert loaded.settings.models.review == ("google:gemini-flash-lite-latest", "extractive")


def test_o06_o19_an_untrusted_file_gives_only_times_interests_intervals_and_caps(workspace: Workspace) -> None:
    """Turns red when a part that can act counts before `daybook trust`."""
    write(workspace, EVERYTHING)
    loaded = settings.load(workspace)
    assert loaded.inert == ("budget", "checks.weather", "feeds", "mailboxes", "models", "network", "notify", "prefect")
    found = loaded.settings
    assert (found.feeds, found.mailboxes, found.notify.urls, found.models.review) == ((), (), (), ())
    assert (found.network.allow_hosts, found.prefect.api_url) == ((), None)
    assert set(found.checks) == {"mail"}
    assert (found.timezone, found.budget.usd_per_day) == ("Europe/Berlin", 0.25)


def test_trust_holds_for_exactly_the_parts_that_were_shown(workspace: Workspace) -> None:
    write(workspace, EVERYTHING)
    acting = settings.acting_parts(tomlfile.read(workspace))
    trust.grant(workspace, settings=settings.fingerprint(acting), ledger=True)
    write(workspace, EVERYTHING.replace("Europe/Berlin", "Europe/Paris"))
    assert settings.load(workspace).inert == ()
    write(workspace, EVERYTHING.replace('"--brief"', '"--long"'))
    assert settings.load(workspace).inert == ("checks.weather",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("timezon = 'UTC'", r"unknown key 'timezon'; did you mean 'timezone'"),
        ("[checks.mail]\nevry = '4h'", r"unknown key 'checks.mail.evry'; did you mean 'every'"),
        ("[[feeds]]\nurl = 'https://a.example/f'\ntitle = 'x'", r"unknown key 'title of [[feeds]] number 1'"),
        ("[checks.mail]\nevery = 'often'", "'often' is no length of time; write one like \"30m\""),
        ("[schedule]\nreviews = '0 1 * * *'", r"schedule.reviews is no deployment; did you mean 'review'"),
        ("quiet_hours = 'night'", r"'night' is no span of time"),
        ("timezone = ", r"is no valid TOML"),
        ("[checks.mial]\nevery = '4h'", r"checks.mial has no command and is not built in; did you mean 'mail'"),
        ("[checks.x]\ncommand = 'weather'", r"checks.x.command: must be a list"),
        ("[[feeds]]\nurl = 'ftp://x'", r"url of [[feeds]] number 1: must begin with http:// or https://"),
        ("[checks.mail]\nevery = '99999999999h'", r"is longer than a year"),
        ("[checks.heartbeat]\nenabled = true", r"checks.heartbeat cannot be a check's name"),
        ("[checks.mail]\ncommand = ['x']", r"checks.mail is built in and takes no command"),
        ("[[mailboxes]]\nhost='h'\nuser='u'", r"needs one of password_command, password_env, password_file"),
    ],
)
def test_a_wrong_setting_is_one_sentence_that_names_it(workspace: Workspace, text: str, sentence: str) -> None:
    write(workspace, text)
    with pytest.raises(SettingsError, match=re.escape(sentence)) as caught:
        settings.load(workspace)
    assert "\n" not in str(caught.value)
    assert "daybook.toml" in str(caught.value)


def test_an_untrusted_budget_may_only_be_smaller_than_the_default(workspace: Workspace) -> None:
    write(workspace, "[budget]\nusd_per_day = 0\ntokens_per_day = 99000000\n")
    loaded = settings.load(workspace)
    assert loaded.inert == ("budget",)
    assert loaded.settings.budget == settings.Budget(usd_per_day=0)


def test_a_missing_file_means_defaults(workspace: Workspace) -> None:
    workspace.settings.unlink()
    assert settings.load(workspace) == settings.Loaded(settings.Settings())


def test_quiet_hours_go_over_midnight() -> None:
    quiet = settings.QuietHours(begin=time(23), end=time(8))
    assert [quiet.hold(time(hour)) for hour in (22, 23, 3, 8)] == [False, True, True, False]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('quiet_hours = "23:00Z-08:00Z"', "no span of local times; write one like"),
        ('quiet_hours = "08:00-08:00"', "quiet_hours: it begins when it ends; leave it out for no quiet hours"),
        ('quiet_hours = "23-8"', 'no span of local times; write one like "23:00-08:00"'),
        ('[[feeds]]\nurl = "http://[bad/x"', "url of [[feeds]] number 1: it is no web address"),
        ('[[feeds]]\nurl = "http://ex ample/feed"', "url of [[feeds]] number 1: it is no web address"),
        ('[checks.mail]\ncron = "0 9 * * *"', "checks.mail.cron is for a command, instead of every"),
        (
            '[checks.x]\ncommand = "weather"\nevery = "1h"',
            'checks.x.command: must be a list, such as ["one", "two"] (it',
        ),
        ('feeds = "x"', "feeds: must be a table of several, written [[feeds]]"),
        (
            '[[mailboxes]]\npassword = "x"',
            "password of [[mailboxes]] number 1: a password never stands in daybook.toml",
        ),
    ],
)
def test_a_value_that_cannot_be_is_told_in_the_words_of_the_file(workspace: Workspace, text: str, says: str) -> None:
    workspace.settings.write_text(text)
    with pytest.raises(SettingsError) as raised:
        settings.load(workspace)
    assert says in str(raised.value)
