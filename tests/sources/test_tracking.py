from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from daybook.clock import stamp
from daybook.errors import UnsafeFileError
from daybook.sources import cursors, tracking
from daybook.sources.tracking import Failure, FeedState, Progress, backoff, commit, load

if TYPE_CHECKING:
    from pathlib import Path

    from daybook.workspace import Workspace

NOW = datetime(2026, 2, 7, 8, 0, tzinfo=UTC)
GOOD = Progress("feed", "e.org/f#1", "The feed", validators=('"1"', None), seen=("a", "b"))
BAD = Failure("feed", "e.org/f#1", "The feed", "It failed.")


def published(workspace: Workspace) -> dict[str, Any]:
    return json.loads(workspace.source_tracking.read_text())


def test_a_good_look_is_published(workspace: Workspace) -> None:
    assert commit(workspace, [GOOD], NOW) == ()
    assert published(workspace) == {
        "version": 1,
        "feeds": {"e.org/f#1": {"name": "The feed", "failures": 0, "last_ok": "2026-02-07T08:00:00Z", "etag": '"1"'}},
        "mailboxes": {},
    }


def test_failures_wait_longer_each_time_and_a_good_look_ends_that(workspace: Workspace) -> None:
    waits = []
    for _ in range(8):
        commit(workspace, [BAD], NOW)
        waits.append((load(workspace, NOW).feeds["e.org/f#1"].next_allowed - NOW) / timedelta(minutes=1))
    assert waits == [10, 20, 40, 80, 160, 320, 360, 360]
    commit(workspace, [GOOD], NOW)
    assert load(workspace, NOW).feeds["e.org/f#1"].next_allowed is None


@pytest.mark.parametrize(
    ("asked_s", "expected"),
    [(None, timedelta(minutes=10)), (1, timedelta(minutes=10)), (3600, timedelta(hours=1)), (1e9, timedelta(days=7))],
)
def test_a_wait_that_was_asked_for_is_kept_when_longer(asked_s: float | None, expected: Any) -> None:
    assert backoff(1, asked_s) == expected


def test_a_failure_keeps_the_validators(workspace: Workspace) -> None:
    commit(workspace, [GOOD], NOW)
    commit(workspace, [BAD], NOW)
    assert load(workspace, NOW).feeds["e.org/f#1"].etag == '"1"'


def test_unknown_keys_are_kept(workspace: Workspace) -> None:
    workspace.source_tracking.write_text(
        json.dumps({"mine": [1], "feeds": {"e.org/f#1": {"note": "x"}, "other": {"etag": "2", "y": {}}}})
    )
    commit(workspace, [GOOD], NOW)
    text = published(workspace)
    assert (text["mine"], text["feeds"]["e.org/f#1"]["note"]) == ([1], "x")
    assert text["feeds"]["other"] == {"failures": 0, "etag": "2", "y": {}}


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff\xfe", b"null", b"[" * 100_000])
def test_a_damaged_file_is_set_aside_and_reported(workspace: Workspace, damage: bytes) -> None:
    workspace.source_tracking.write_bytes(damage)
    assert load(workspace, NOW) == tracking.Tracking()
    (report,) = commit(workspace, [GOOD], NOW)
    aside = workspace.memory_dir / "source-tracking.json.corrupt-20260207T080000Z"
    assert (aside.read_bytes(), aside.name in report) == (damage, True)
    assert list(published(workspace)["feeds"]) == ["e.org/f#1"]


def test_two_damaged_files_of_one_second_are_both_kept(workspace: Workspace) -> None:
    for _ in range(2):
        workspace.source_tracking.write_bytes(b"{")
        commit(workspace, [GOOD], NOW)
    assert len(list(workspace.memory_dir.glob("*.corrupt-*"))) == 2


def test_w18_made_up_values_are_bounded_or_unknown(workspace: Workspace) -> None:
    scribbled = {
        "version": "1.0",
        "feeds": {
            "a": {"next_allowed": "9999-01-01T00:00:00Z", "last_ok": "2099-01-01T00:00:00Z", "failures": 10**30},
            "b": {"next_allowed": 1771000000, "last_ok": "2026-02-07 09:00", "failures": "many", "etag": 7},
            "c": "prose",
            "d": {"next_allowed": "9999-12-31T23:59:59-23:59", "last_ok": "0001-01-01T00:00:00+23:59"},
        },
        "mailboxes": None,
    }
    workspace.source_tracking.write_text(json.dumps(scribbled))
    found = load(workspace, NOW)
    assert found.feeds["a"] == FeedState(last_ok=NOW, failures=1_000)
    assert found.feeds["d"] == FeedState()
    assert (found.feeds["b"], "c" in found.feeds, found.mailboxes, found.version) == (FeedState(), False, {}, 1)


def test_w18_one_beat_with_a_wrong_clock_silences_no_source(workspace: Workspace) -> None:
    commit(workspace, [BAD], NOW + timedelta(days=900))
    assert load(workspace, NOW).feeds["e.org/f#1"].next_allowed is None
    commit(workspace, [BAD], NOW)
    assert load(workspace, NOW).feeds["e.org/f#1"].next_allowed == NOW + backoff(2, None)


def test_a_week_that_was_asked_for_is_waited(workspace: Workspace) -> None:
    commit(workspace, [Failure("feed", "e.org/f#1", "The feed", "It failed.", retry_after_s=1e9)], NOW)
    assert load(workspace, NOW).feeds["e.org/f#1"].next_allowed == NOW + timedelta(days=7)


def test_w18_a_wait_without_a_failure_was_scribbled(workspace: Workspace) -> None:
    later = stamp(NOW + timedelta(days=6))
    workspace.source_tracking.write_text(json.dumps({"mailboxes": {"m": {"next_allowed": later}}}))
    assert load(workspace, NOW).mailboxes["m"].next_allowed is None


def test_o02_a_name_that_was_scribbled_cannot_act_on_a_terminal(workspace: Workspace) -> None:
    names = ["\x1b]0;pwned\x07Fine\nok  doctor  All is well", "\u202e\u200b", "x" * 9_000, 7]
    boxes = {str(number): {"name": name} for number, name in enumerate(names)}
    workspace.source_tracking.write_text(json.dumps({"mailboxes": boxes}))
    found = [state.name for state in load(workspace, NOW).mailboxes.values()]
    assert found == ["]0;pwnedFine ok doctor All is well", None, "x" * 199 + "…", None]


def test_m33_a_link_in_its_place_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    workspace.source_tracking.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafeFileError):
        commit(workspace, [GOOD], NOW)


def test_what_was_seen_is_kept_once_and_survives_a_torn_row(workspace: Workspace) -> None:
    commit(workspace, [GOOD], NOW)
    path = workspace.private / "seen-news.jsonl"
    with path.open("ab") as file:
        file.write(b'{"at": "2026-')
    reports = commit(workspace, [Progress("feed", "e.org/f#1", "The feed", seen=("b", "c"))], NOW)
    assert reports == ("seen-news.jsonl in private state holds 1 damaged line(s), which are left out.",)
    assert cursors.seen(workspace, "feed", "e.org/f#1").items == {"a", "b", "c"}
    rows = path.read_text().splitlines()
    assert json.loads(rows[-1])["items"] == ["c"]


def test_a_look_without_anything_new_adds_no_row(workspace: Workspace) -> None:
    commit(workspace, [GOOD], NOW)
    size = (workspace.private / "seen-news.jsonl").stat().st_size
    commit(workspace, [GOOD], NOW)
    assert (workspace.private / "seen-news.jsonl").stat().st_size == size


def test_a_mail_cursor_is_kept_and_a_damaged_one_is_first_contact(workspace: Workspace) -> None:
    cursor = cursors.MailCursor(uidvalidity=5, last_uid=7, looked=NOW)
    progress = Progress("mailbox", "me@e.org/INBOX", "me", seen=("x",), cursor=cursor)
    commit(workspace, [progress], NOW)
    assert cursors.mail_cursor(workspace, "me@e.org/INBOX") == cursor
    (workspace.private / "mail.json").write_bytes(b"{")
    assert cursors.mail_cursor(workspace, "me@e.org/INBOX") is None
    (report,) = commit(workspace, [progress], NOW)
    assert report.startswith("mail.json was damaged")
    assert cursors.mail_cursor(workspace, "me@e.org/INBOX") == cursor
    assert list(load(workspace, NOW).mailboxes) == ["me@e.org/INBOX"]


def test_a_wait_that_a_server_asked_for_is_known_apart(workspace: Workspace) -> None:
    for wait_s, expected in ((None, None), (3600.0, NOW + timedelta(hours=1))):
        commit(workspace, [Failure("feed", "e.org/f#1", "The feed", "It failed.", retry_after_s=wait_s)], NOW)
        assert load(workspace, NOW).feeds["e.org/f#1"].retry_after == expected
    tracking.clear(workspace, "e.org/f#1", NOW)
    assert load(workspace, NOW).feeds["e.org/f#1"] == FeedState(name="The feed")


def test_what_never_failed_is_not_written_to_clear_it(workspace: Workspace) -> None:
    tracking.clear(workspace, "e.org/f#1", NOW)
    assert not workspace.source_tracking.exists()


def rows(workspace: Workspace) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (workspace.private / "seen-news.jsonl").read_text().splitlines()]


def test_rows_go_after_three_months_and_what_a_feed_still_holds_stays_known(workspace: Workspace) -> None:
    ids: tuple[str, ...] = ()
    for day in range(0, 400, 5):
        ids = ("pinned", f"item {day}", f"item {day - 5}")
        commit(workspace, [Progress("feed", "f", "The feed", seen=ids)], NOW + timedelta(days=day))
        assert cursors.seen(workspace, "feed", "f").items.issuperset(ids)
    assert len(rows(workspace)) <= 20
    assert "item 0" not in cursors.seen(workspace, "feed", "f").items


def test_a_feed_that_does_not_change_for_years_keeps_all_its_rows(workspace: Workspace) -> None:
    for day, ids in ((0, ("a",)), (60, ("a", "b"))):
        commit(workspace, [Progress("feed", "f", "The feed", seen=ids)], NOW + timedelta(days=day))
    for year in range(1, 4):
        commit(workspace, [Progress("feed", "f", "The feed")], NOW + timedelta(days=365 * year))
    assert cursors.seen(workspace, "feed", "f").items == {"a", "b"}
    commit(workspace, [Progress("feed", "f", "The feed", seen=("a", "b", "c"))], NOW + timedelta(days=1400))
    assert [row["items"] for row in rows(workspace)] == [["a"], ["a", "b"], ["a", "b", "c"]]
    commit(workspace, [Progress("feed", "f", "The feed", seen=("b", "d"))], NOW + timedelta(days=1401))
    assert cursors.seen(workspace, "feed", "f").items == {"a", "b", "c", "d"}


def test_rows_of_another_source_and_those_of_a_clock_ahead_are_left(workspace: Workspace) -> None:
    commit(workspace, [Progress("feed", "other", "Other", seen=("x",))], NOW)
    commit(workspace, [Progress("feed", "f", "The feed", seen=("a",))], NOW + timedelta(days=900))
    for day in (0, 200, 300):
        commit(workspace, [Progress("feed", "f", "The feed", seen=("a", f"{day}"))], NOW + timedelta(days=day))
    assert cursors.seen(workspace, "feed", "other").items == {"x"}
    assert cursors.seen(workspace, "feed", "f").items >= {"a", "300"}
