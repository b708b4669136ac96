"""What the operator ticked is done once, whatever happens in between; what did not change costs nothing."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from daybook import files
from daybook.curation.entries import statement_hash
from daybook.curation.known import read_memory
from daybook.curation.observing import observe
from daybook.ledger import append as ledger
from daybook.ledger.record import Source, operation_id
from daybook.ledger.replay import replay
from daybook.memory import longterm, pending, proposals
from daybook.memory.pending import Proposal
from daybook.review import accepting, merge, ticks
from daybook.review.merge import Author
from daybook.review.operations import Operation
from daybook.review.verdict import Verdict
from daybook.review.window import Evidence

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from daybook.curation.entries import Known
    from daybook.memory.proposals import Fate
    from daybook.workspace import Workspace

MINUTE = timedelta(minutes=1)
MEMORY = "# Memory\n\n## Preferences\n\n- tea over coffee\n\n## Lessons Learned\n"


def source(mark: str, origin: str = "trusted") -> Source:
    values = {"file": "memory/2026-02-07.md", "line": 5, "date": "2026-02-07", "hash": mark, "text": "said"}
    return Source.model_validate({**values, "origin": origin})


def proposal(op: str, text: str, old: str = "", *, mark: str = "m1", **changes: object) -> Proposal:
    """A proposal as a review makes it."""
    sources = (source(mark, "outside"),)
    fields: dict[str, object] = {
        "id": operation_id(op, "MEMORY.md", old, text, (mark,)),  # type: ignore[arg-type]
        "op": op,
        "file": "MEMORY.md",
        "section": "Lessons Learned" if op == "add" else "Preferences",
        "text": text,
        "old": old,
        "code": "outside-only" if op == "add" else "foreign",
        "sources": sources,
        "run": "review-1",
        "model": "google:m",
        "prompt": "p",
        "statement": statement_hash(text) if text else "",
    }
    return Proposal(**(fields | changes))  # type: ignore[arg-type]


ADD = proposal("add", "the router needs a fixed address.")


def propose(workspace: Workspace, now: datetime, *wanted: Proposal) -> None:
    with workspace.lock():
        pending.propose(workspace, wanted, now)


def tick(workspace: Workspace, sign: str = "x", which: str = "") -> None:
    lines = workspace.pending.read_text().split("\n")
    ticked = [line.replace("- [ ]", f"- [{sign}]", 1) if which in line else line for line in lines]
    workspace.pending.write_text("\n".join(ticked))


def add_by_review(workspace: Workspace, now: datetime, text: str, *, mark: str, topic: str | None = None) -> None:
    line = Evidence(1, now.date(), "memory/2026-02-07.md", 5, "", "said", "", "trusted", (mark,))
    operation = Operation(kind="add", text=text, section="Lessons Learned", sources=(1,))
    with workspace.lock():
        author = Author("review-0", "review", "extractive")
        merge.apply(workspace, [Verdict("apply", operation, (line,))], author, now, topic=topic)


def entries(path: Path) -> list[str]:
    return [entry.text for entry in longterm.parse(path.read_bytes()).entries] if path.exists() else []


def known(workspace: Workspace, now: datetime, text: str) -> Known:
    return next(one for one in read_memory(workspace, now).entries if one.text == text)


def fates(acted: ticks.Acted) -> list[tuple[str, str, str, str]]:
    return [(one.op, one.verdict, one.code, one.file) for one in acted.results]


def snapshot(workspace: Workspace) -> dict[Path, tuple[int, int]]:
    paths = [path for top in (workspace.root, workspace.private) for path in top.rglob("*")]
    return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in paths}


def test_what_is_accepted_is_done_owned_and_exempt_from_automatic_retirement(
    workspace: Workspace, now: datetime
) -> None:
    propose(workspace, now, ADD)
    tick(workspace)
    acted = ticks.act(workspace, "beat-1", now + MINUTE)
    assert fates(acted) == [("add", "applied", "", "MEMORY.md")]
    assert (acted.problems, acted.summary) == ((), "Proposals: 1 accepted.")
    entry = known(workspace, now, ADD.text)
    assert (entry.owned, entry.accepted, entry.section) == (True, True, "Lessons Learned")
    (intent,) = replay(ledger.read(workspace).records).operations.values()
    assert (intent.run, intent.channel, intent.accepted, intent.model, intent.prompt) == (
        "beat-1",
        "pending",
        True,
        "google:m",
        "p",
    )
    assert intent.sources == ADD.sources
    assert workspace.pending.read_text() == pending.HEAD
    assert pending.open_ids(workspace, now) == []


def test_a_beat_at_which_nothing_was_ticked_writes_nothing(workspace: Workspace, now: datetime) -> None:
    assert ticks.act(workspace, "r", now) == ticks.Acted()
    assert not (workspace.private / "pending.json").exists()
    propose(workspace, now, ADD)
    assert ticks.act(workspace, "r", now) == ticks.Acted()
    before = snapshot(workspace)
    assert ticks.idle(workspace, now + MINUTE)
    assert ticks.act(workspace, "r", now + MINUTE) == ticks.Acted()
    assert snapshot(workspace) == before
    tick(workspace, "-")
    assert not ticks.idle(workspace, now + MINUTE)
    assert fates(ticks.act(workspace, "r", now + MINUTE)) == [("add", "refused", "refused", "")]
    assert ticks.idle(workspace, now + timedelta(days=60))


def test_a_persons_entry_is_changed_or_retired_when_the_operator_agrees_pinned_or_not(
    workspace: Workspace, now: datetime
) -> None:
    workspace.longterm.write_text("# Mine\n<!-- mine -->\n\n## Preferences\n\n- tea <!-- pin -->\n- old car\n")
    propose(workspace, now, proposal("revise", "green tea", "tea"), proposal("retire", "", "old car", mark="m2"))
    tick(workspace)
    assert fates(ticks.act(workspace, "r", now)) == [
        ("revise", "applied", "", "MEMORY.md"),
        ("retire", "applied", "", "memory/archive.md"),
    ]
    assert workspace.longterm.read_text() == "# Mine\n<!-- mine -->\n\n## Preferences\n\n- green tea <!-- pin -->\n"
    assert "- old car\n  - 2026-02-07; no longer true, the operator agreed; from MEMORY.md;" in (
        workspace.archive.read_text()
    )
    entry = known(workspace, now, "green tea")
    assert (entry.owned, entry.accepted, entry.lines) == (True, True, {"m1"})


def test_an_entry_that_has_moved_since_is_the_same_entry(workspace: Workspace, now: datetime) -> None:
    workspace.longterm.write_text(MEMORY)
    propose(workspace, now, proposal("revise", "green tea over coffee", "tea over coffee"))
    workspace.topics_dir.mkdir()
    workspace.topic("preferences").write_text("# Preferences\n\n- tea over coffee\n")
    workspace.longterm.write_text(MEMORY.replace("- tea over coffee\n", "- water\n"))
    tick(workspace)
    assert fates(ticks.act(workspace, "r", now)) == [("revise", "applied", "", "memory/topics/preferences.md")]


def test_what_changed_since_is_shown_with_the_reason_and_can_be_ticked_again(
    workspace: Workspace, now: datetime
) -> None:
    workspace.longterm.write_text(MEMORY)
    change = proposal("revise", "green tea over coffee", "tea over coffee")
    propose(workspace, now, change)
    whole = workspace.pending.read_text()
    workspace.longterm.write_text(MEMORY.replace("tea over coffee", "coffee over tea"))
    tick(workspace)
    reason = "what it speaks of is gone, was changed, or stands there already"
    acted = ticks.act(workspace, "r", now)
    assert fates(acted) == [("revise", "later", "conflict", "")]
    assert acted.problems == (
        f"Proposal {change.id} was accepted but not carried out: {reason}; it waits on in memory/_pending.md.",
    )
    assert acted.summary == ""
    assert workspace.pending.read_text() == whole.replace(f"^{change.id}\n", f"^{change.id}\n  - not done: {reason}\n")
    assert ticks.act(workspace, "r", now + MINUTE) == ticks.Acted()
    tick(workspace)
    assert len(ticks.act(workspace, "r", now).problems) == 1
    assert workspace.pending.read_text().count("not done") == 1
    workspace.longterm.write_text(MEMORY)
    tick(workspace)
    assert fates(ticks.act(workspace, "r", now)) == [("revise", "applied", "", "MEMORY.md")]
    assert workspace.pending.read_text() == pending.HEAD


@pytest.mark.parametrize(
    ("text", "code"),
    [("the key is AKIAABCDEFGHIJKLMNOP", "secret"), ("x" * 301, "too-long"), ("# a heading", "ungrounded")],
)
def test_a_text_that_may_not_stand_is_not_written_when_it_is_ticked(
    workspace: Workspace, now: datetime, text: str, code: str
) -> None:
    before = workspace.longterm.read_bytes()
    propose(workspace, now, proposal("add", text))
    tick(workspace)
    acted = ticks.act(workspace, "r", now)
    assert fates(acted) == [("add", "later", code, "")]
    assert not any("AKIA" in word for word in (*acted.problems, *(one.text for one in acted.results)))
    assert workspace.longterm.read_bytes() == before


def test_a_missing_memory_leaves_the_tick_as_it_is_for_the_next_beat(workspace: Workspace, now: datetime) -> None:
    memory = workspace.longterm.read_bytes()
    propose(workspace, now, ADD, proposal("add", "no.", mark="m2"))
    tick(workspace, "-", "no.")
    tick(workspace)
    workspace.longterm.unlink()
    acted = ticks.act(workspace, "r", now)
    assert fates(acted) == [("add", "refused", "refused", "")]
    assert [problem.partition(" is missing")[0] for problem in acted.problems] == [str(workspace.longterm)]
    assert "- [x] **Add**" in workspace.pending.read_text()
    rows = proposals.path(workspace).read_bytes()
    assert len(ticks.act(workspace, "r", now).problems) == 1
    assert proposals.path(workspace).read_bytes() == rows
    workspace.longterm.write_bytes(memory)
    assert fates(ticks.act(workspace, "r", now)) == [("add", "applied", "", "MEMORY.md")]


def test_what_was_left_alone_lapses_unless_it_was_ticked_in_time(workspace: Workspace, now: datetime) -> None:
    propose(workspace, now, ADD, proposal("add", "left alone.", mark="m2"))
    tick(workspace, "x", ADD.text)
    before = now + pending.LAPSES_AFTER
    acted = ticks.act(workspace, "r", before)
    assert (fates(acted), acted.lapsed) == ([("add", "applied", "", "MEMORY.md")], 1)
    assert acted.summary == "Proposals: 1 accepted, 1 lapsed."
    assert workspace.pending.read_text() == pending.HEAD
    assert "left alone." not in workspace.longterm.read_text()


def test_a_lapse_is_noticed_though_no_file_changed(workspace: Workspace, now: datetime) -> None:
    propose(workspace, now, ADD)
    ticks.act(workspace, "r", now)
    late = now + pending.LAPSES_AFTER
    assert (ticks.idle(workspace, late - MINUTE), ticks.idle(workspace, late)) == (True, False)
    assert ticks.act(workspace, "r", late).lapsed == 1


def test_an_accepted_add_that_somebody_wrote_meanwhile_is_not_written_twice(
    workspace: Workspace, now: datetime
) -> None:
    propose(workspace, now, ADD)
    workspace.longterm.write_text(f"{MEMORY}\n- The router needs a fixed address\n")
    before = workspace.longterm.read_bytes()
    tick(workspace)
    assert fates(ticks.act(workspace, "r", now)) == [("add", "applied", "done-before", "MEMORY.md")]
    assert workspace.longterm.read_bytes() == before
    assert pending.open_ids(workspace, now) == []


def test_an_accepted_add_that_a_review_made_meanwhile_is_exempt_from_automatic_retirement_too(
    workspace: Workspace, now: datetime
) -> None:
    propose(workspace, now, ADD)
    add_by_review(workspace, now, ADD.text, mark="m9")
    before = workspace.longterm.read_bytes()
    assert not known(workspace, now, ADD.text).accepted
    tick(workspace)
    assert fates(ticks.act(workspace, "r", now)) == [("add", "applied", "", "MEMORY.md")]
    assert known(workspace, now, ADD.text).accepted
    assert workspace.longterm.read_bytes() == before


def test_m14_what_a_person_deleted_returns_when_the_operator_ticks_it(workspace: Workspace, now: datetime) -> None:
    """Turns red when what was forgotten stands above the operator's newer word."""
    propose(workspace, now, ADD)
    empty = workspace.longterm.read_bytes()
    add_by_review(workspace, now, ADD.text, mark="m1")
    workspace.longterm.write_bytes(empty)
    with workspace.lock():
        observe(workspace, "r", now)
    assert statement_hash(ADD.text) in read_memory(workspace, now).forgotten
    tick(workspace)
    assert fates(ticks.act(workspace, "r", now)) == [("add", "applied", "", "MEMORY.md")]
    assert entries(workspace.longterm) == [ADD.text]


def test_an_accepted_add_goes_into_a_section_that_is_closed_to_others(workspace: Workspace, now: datetime) -> None:
    workspace.longterm.write_text(f"{MEMORY}<!-- mine -->\n")
    propose(workspace, now, ADD)
    tick(workspace)
    assert fates(ticks.act(workspace, "r", now)) == [("add", "applied", "", "MEMORY.md")]
    assert workspace.longterm.read_text() == f"{MEMORY}<!-- mine -->\n\n- {ADD.text}\n"


def test_an_accepted_add_that_stands_in_a_topic_of_ours_moves_to_memory(workspace: Workspace, now: datetime) -> None:
    propose(workspace, now, ADD)
    add_by_review(workspace, now, ADD.text, mark="m9", topic="Notes")
    tick(workspace)
    assert fates(ticks.act(workspace, "r", now)) == [("add", "applied", "", "MEMORY.md")]
    assert entries(workspace.longterm) == [ADD.text]
    assert entries(workspace.topic("notes")) == []
    assert known(workspace, now, ADD.text).accepted


def test_a_strange_tick_is_told_once(workspace: Workspace, now: datetime) -> None:
    propose(workspace, now, ADD)
    workspace.pending.write_text(workspace.pending.read_text().replace("fixed", "dynamic"))
    tick(workspace)
    assert len(ticks.act(workspace, "r", now).problems) == 1
    workspace.pending.write_text(workspace.pending.read_text() + "\nmy own words\n")
    assert ticks.act(workspace, "r", now) == ticks.Acted()
    assert "dynamic" in workspace.pending.read_text()
    assert workspace.longterm.read_text().count("router") == 0


def test_a_save_in_the_moment_we_write_is_looked_at_by_the_next_beat(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    propose(workspace, now, ADD)
    update = files.update

    def saved_just_then(path: Path, make: object, **options: object) -> None:
        update(path, make, **options)  # type: ignore[arg-type]
        if path == workspace.pending:
            tick(workspace)

    with monkeypatch.context() as patch:
        patch.setattr(files, "update", saved_just_then)
        assert ticks.act(workspace, "r", now) == ticks.Acted()
    assert fates(ticks.act(workspace, "r", now)) == [("add", "applied", "", "MEMORY.md")]


def test_one_proposal_is_decided_at_once_and_only_once(workspace: Workspace, now: datetime) -> None:
    second = proposal("add", "second.", mark="m2")
    propose(workspace, now, ADD, second)
    assert fates(ticks.decide(workspace, ADD.id, "accept", "cli", now)) == [("add", "applied", "", "MEMORY.md")]
    assert ADD.id not in workspace.pending.read_text()
    assert second.id in workspace.pending.read_text()
    assert ticks.decide(workspace, ADD.id, "refuse", "cli", now) == ticks.Acted()
    assert fates(ticks.decide(workspace, second.id, "refuse", "cli", now)) == [("add", "refused", "refused", "")]
    assert ticks.decide(workspace, "0" * 16, "accept", "cli", now) == ticks.Acted()
    assert entries(workspace.longterm) == [ADD.text]


class Killed(BaseException):
    """The process ends here."""


def kill_at(patch: pytest.MonkeyPatch, number: int, *, after: bool) -> list[str]:
    """End the process before or after its write of this number; gives what was written."""
    done: list[str] = []
    for name in ("append", "replace"):
        real = getattr(files, name)

        def write(path: object, *values: object, _real: object = real, **options: object) -> object:
            if len(done) == number and not after:
                raise Killed
            result = _real(path, *values, **options)  # type: ignore[operator]
            done.append(str(path))
            if len(done) == number + 1 and after:
                raise Killed
            return result

        patch.setattr(files, name, write)
    return done


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("op", "by_hand"), [("add", False), ("revise", False), ("retire", False), ("add", True)])
def test_m07_a_kill_at_every_write_neither_loses_a_tick_nor_does_it_twice(
    tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch, op: str, after: bool, by_hand: bool
) -> None:
    """Turns red when a tick that was begun is done again, or is lost, at the next start."""
    from daybook import adoption  # noqa: PLC0415 - a workspace for each kill

    old = "" if op == "add" else "tea over coffee"
    wanted = proposal(op, "" if op == "retire" else "green tea over coffee", old)
    number = 0
    while True:
        workspace = adoption.adopt(tmp_path / f"w{number}", now).workspace
        workspace.longterm.write_text(MEMORY)
        propose(workspace, now, wanted)
        if not by_hand:
            tick(workspace)
        try:
            with monkeypatch.context() as patch:
                written = kill_at(patch, number, after=after)
                _ = (
                    ticks.decide(workspace, wanted.id, "accept", "r1", now)
                    if by_hand
                    else ticks.act(workspace, "r1", now)
                )
        except Killed:
            pass
        else:
            assert len(written) <= number
            break
        later = ticks.act(workspace, "r2", now + MINUTE)
        if by_hand and pending.open_ids(workspace, now):
            ticks.decide(workspace, wanted.id, "accept", "r3", now + MINUTE)
        assert later.problems == ()
        expected = {"add": [old, wanted.text], "revise": [wanted.text], "retire": []}[op]
        assert entries(workspace.longterm) == [text or "tea over coffee" for text in expected]
        operations = replay(ledger.read(workspace).records).operations.values()
        assert [(one.op, one.channel) for one in operations] == [(op, "pending")]
        assert [one.fate for one in proposals.read(workspace).kept.values()] == ["accepted"]
        assert workspace.pending.read_text() == pending.HEAD
        number += 1
    assert number >= 8


JENKINS = ("Jenkins builds every release branch", "Jenkins deploys the staging server")


@pytest.mark.parametrize("twice", [False, True])
def test_two_proposals_from_one_line_are_told_apart_after_a_kill_at_the_second(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch, twice: bool
) -> None:
    """Turns red when a kill marks the second as accepted because the first one's operation rests on the same line."""
    first, second = (JENKINS[0], JENKINS[0]) if twice else JENKINS
    topic = workspace.topic("tools")
    topic.parent.mkdir()
    topic.write_text(f"# Tools\n\n- {second}\n")
    workspace.longterm.write_text(f"# Memory\n\n## Tools\n\n- {first}\n- mine\n")
    there = workspace.relative(topic)
    wanted = [
        proposal("retire", "", first, section="Tools"),
        proposal("retire", "", second, section="Tools", file=there, id="f" * 16),
    ]
    propose(workspace, now, *wanted)
    tick(workspace)
    accept = accepting.accept
    with monkeypatch.context() as patch:

        def killed_at_the_second(space: Workspace, one: Proposal, *rest: object) -> object:
            if one.id == wanted[1].id:
                raise Killed
            return accept(space, one, *rest)  # type: ignore[arg-type]

        patch.setattr(accepting, "accept", killed_at_the_second)
        with pytest.raises(Killed):
            ticks.act(workspace, "r1", now)
    assert (entries(workspace.longterm), entries(topic)) == (["mine"], [second])
    acted = ticks.act(workspace, "r2", now + MINUTE)
    assert (acted.problems, acted.summary) == ((), "Proposals: 1 accepted.")
    assert (entries(workspace.longterm), entries(topic)) == (["mine"], [])
    assert {one.fate for one in proposals.read(workspace).kept.values()} == {"accepted"}


def test_an_add_that_became_a_confirmation_is_known_as_done_and_another_is_not(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red when any confirmation from the same line counts as the proposal that was begun."""
    other = proposal("add", "the printer needs new paper", mark="m1")
    propose(workspace, now, ADD, other)
    add_by_review(workspace, now, ADD.text, mark="m9")
    add_by_review(workspace, now, other.text, mark="m8")
    tick(workspace)
    settle = proposals.settle
    with monkeypatch.context() as patch:

        def killed_at_the_first(space: Workspace, names: list[str], fate: Fate, *rest: object) -> None:
            if fate == "accepted":
                raise Killed
            settle(space, names, fate, *rest)  # type: ignore[arg-type]

        patch.setattr(proposals, "settle", killed_at_the_first)
        with pytest.raises(Killed):
            ticks.act(workspace, "r1", now)
    proposals.begin(workspace, other.id, "r1", now)
    acted = ticks.act(workspace, "r2", now + MINUTE)
    assert sorted(fates(acted)) == [("add", "applied", "", "MEMORY.md")] * 2
    assert (known(workspace, now, ADD.text).accepted, known(workspace, now, other.text).accepted) == (True, True)
