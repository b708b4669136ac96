"""A slot happens once: the claim is a locked file, and a kill leaks nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

from daybook.schedule import claim
from daybook.schedule.claim import Claim, Finished, Running

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.workspace import Workspace

HOLD = """
import sys
from datetime import datetime
from daybook.workspace import open_workspace
from daybook.schedule import claim
slot = datetime.fromisoformat(sys.argv[2])
taken = claim.take(open_workspace(sys.argv[1]), "mail", slot, slot)
taken.first("note", slot)
print(type(taken).__name__, flush=True)
sys.stdin.read()
"""


def slot_of(done: claim.Done | None) -> datetime | None:
    return done.slot if done else None


def taken(workspace: Workspace, slot: datetime, check: str = "mail") -> Claim:
    found = claim.take(workspace, check, slot, slot)
    assert isinstance(found, Claim)
    return found


def test_s07_a_slot_that_is_over_is_not_taken_again(workspace: Workspace, now: datetime) -> None:
    """Turns red when `done` is not looked at."""
    first = taken(workspace, now)
    first.done("done", now)
    first.release()
    assert claim.take(workspace, "mail", now, now) == Finished("mail", now, "done")


def test_s09_s11_a_check_at_work_is_not_started_beside_itself_for_any_slot(workspace: Workspace, now: datetime) -> None:
    """Turns red when only the slot's own file is locked."""
    first = taken(workspace, now)
    assert claim.take(workspace, "mail", now, now) == Running("mail")
    assert claim.take(workspace, "mail", now + timedelta(minutes=30), now) == Running("mail")
    assert isinstance(claim.take(workspace, "news", now, now), Claim)
    first.release()
    assert isinstance(claim.take(workspace, "mail", now + timedelta(minutes=30), now), Claim)


def test_s06_s21_a_killed_owner_leaves_its_slot_free_marked_interrupted_with_its_effects(
    workspace: Workspace, now: datetime
) -> None:
    """Turns red when a lock outlives its owner, or an effect is forgotten."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(workspace.root), now.isoformat()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"Claim\n"
        assert claim.take(workspace, "mail", now, now) == Running("mail")
        child.send_signal(signal.SIGSTOP)
        assert claim.take(workspace, "mail", now, now) == Running("mail")
        child.kill()
    assert claim.interrupted_slots(workspace, "mail", now) == [now]
    again = taken(workspace, now)
    assert again.interrupted
    assert not again.first("note", now)
    assert again.first("notice", now)
    again.release()


def test_s21_an_empty_claim_file_is_a_slot_that_is_free(workspace: Workspace, now: datetime) -> None:
    """Turns red when the file alone means that the slot is taken."""
    first = taken(workspace, now)
    first.release()
    first.path.write_bytes(b"")
    assert not taken(workspace, now).interrupted


def test_a_torn_last_row_does_not_swallow_the_next(workspace: Workspace, now: datetime) -> None:
    first = taken(workspace, now)
    first.release()
    with first.path.open("ab") as stream:
        stream.write(b'{"at": "2026')
    second = taken(workspace, now)
    second.done("done", now)
    second.release()
    assert claim.take(workspace, "mail", now, now) == Finished("mail", now, "done")


def test_the_newest_slot_that_acted_is_found_past_newer_ones_that_did_not(workspace: Workspace, now: datetime) -> None:
    for minutes, outcome in ((0, "done"), (30, "not-due")):
        slot = now + timedelta(minutes=minutes)
        one = taken(workspace, slot)
        one.done(outcome, slot)
        one.release()
    assert slot_of(claim.last_done(workspace, "mail")) == now + timedelta(minutes=30)
    assert slot_of(claim.last_done(workspace, "mail", acted=frozenset({"done"}))) == now
    assert claim.last_done(workspace, "news") is None


def test_old_claims_are_removed_and_the_newest_finished_one_is_kept(workspace: Workspace, now: datetime) -> None:
    for days in (200, 120):
        one = taken(workspace, now - timedelta(days=days))
        one.done("done", now)
        one.release()
    assert claim.prune(workspace, now - timedelta(days=90)) == 1
    assert slot_of(claim.last_done(workspace, "mail")) == now - timedelta(days=120)


def test_a_claim_does_not_leak_into_children(workspace: Workspace, now: datetime) -> None:
    one = taken(workspace, now)
    wait = [sys.executable, "-c", "import sys; print('up', flush=True); sys.stdin.read()"]
    with subprocess.Popen(wait, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"up\n"
        one.release()
        assert isinstance(claim.take(workspace, "mail", now, now), Claim)
        child.kill()
