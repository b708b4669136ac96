"""What others do to memory is told apart: edit, move, deletion, stale save, rollback, accident."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook import files
from daybook.curation import observing
from daybook.curation.known import read_memory
from daybook.curation.writing import Plan, demote, write
from daybook.errors import UnreadableFileError
from daybook.ledger import append as ledger
from daybook.ledger.record import Curate, Seen
from daybook.ledger.replay import State, replay
from daybook.memory import longterm
from daybook.review.merge import Author
from daybook.upkeep import rebuild

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybook.workspace import Workspace

    Post = Callable[..., None]

TREES = ("oak", "elm", "ash", "fir", "yew", "lime", "birch", "alder", "maple")
FACTS = [
    f"{name} lives at number {number} of the long street"
    for number, name in enumerate(
        ["Ada", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Joe", "Kim", "Leo"]
    )
]


def observe(workspace: Workspace, now: datetime) -> observing.Observed:
    with workspace.lock():
        return observing.observe(workspace, "later", now)


def state_of(workspace: Workspace) -> State:
    return replay(ledger.read(workspace).records)


def standing(path: Path) -> list[str]:
    return [entry.text for entry in longterm.parse(path.read_bytes()).entries]


def without(text: str, *gone: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not any(one in line for one in gone))


def what(observed: observing.Observed) -> list[tuple[str, str]]:
    return [(one.what, one.text) for one in observed.changes.seen]


def test_a_word_changed_by_a_person_keeps_the_lineage(workspace: Workspace, now: datetime, post: Post) -> None:
    post(workspace, FACTS[:3], now)
    (lineage,) = (one.lineage for one in state_of(workspace).entries.values() if one.text == FACTS[1])
    new = FACTS[1].replace("long", "short")
    workspace.longterm.write_text(workspace.longterm.read_text().replace(FACTS[1], new))
    observe(workspace, now)
    entry = state_of(workspace).entries[lineage]
    assert (entry.text, entry.edited) == (new, True)
    known = next(one for one in read_memory(workspace, now).entries if one.text == new)
    assert (known.owned, known.edited, known.lineage) == (True, True, lineage)


def test_an_entry_moved_to_another_heading_or_file_is_moved_and_not_deleted(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    post(workspace, FACTS[:3], now)
    text = without(workspace.longterm.read_text(), FACTS[0], FACTS[1])
    workspace.longterm.write_text(text.replace("## Decisions\n", f"## Decisions\n- {FACTS[0]}\n"))
    workspace.topics_dir.mkdir()
    workspace.topic("people").write_text(f"# People\n- {FACTS[1]}\n")
    assert sorted(what(observe(workspace, now))) == [("moved", FACTS[0]), ("moved", FACTS[1])]
    assert {(one.file, one.section) for one in state_of(workspace).entries.values()} == {
        ("MEMORY.md", "Decisions"),
        ("memory/topics/people.md", "People"),
        ("MEMORY.md", "Lessons Learned"),
    }


def test_m14_a_deleted_entry_is_forgotten_and_its_lines_with_it(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    """Turns red when a deletion is not remembered, or only its exact words are."""
    before = workspace.longterm.read_bytes()
    post(workspace, FACTS[:1], now)
    workspace.longterm.write_bytes(before)
    memory = read_memory(workspace, now)
    assert memory.forgotten_lines == {"mark of Ada"}, "a review that is about to begin knows it already"
    assert not any(isinstance(one, Seen) for one in ledger.read(workspace).records), "looking writes nothing"
    assert what(observe(workspace, now)) == [("deleted", FACTS[0])]
    post(workspace, FACTS[:1], now)
    assert standing(workspace.longterm) == []


def test_three_of_twelve_are_deletions_and_four_are_not(workspace: Workspace, now: datetime, post: Post) -> None:
    post(workspace, FACTS, now)
    whole = workspace.longterm.read_text()
    workspace.longterm.write_text(without(whole, *FACTS[:4]) + "- a line of mine\n")
    observed = observe(workspace, now)
    assert what(observed) == [("vanished", text) for text in FACTS[:4]]
    assert "4 entries of MEMORY.md are gone at once; none counts as forgotten" in observed.problems[0]
    assert read_memory(workspace, now).forgotten == frozenset()
    assert len(read_memory(workspace, now).vanished) == 4
    workspace.longterm.write_text(without(whole, *FACTS[:3]))
    assert [one for one in what(observe(workspace, now)) if one[0] == "returned"] == [("returned", FACTS[3])]


def test_m06_an_old_copy_saved_over_it_is_brought_up_to_date_again(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    """Turns red when a stale save counts as deletions, or wins over what was added since."""
    old = workspace.longterm.read_bytes()
    post(workspace, FACTS[:4], now)
    new = workspace.longterm.read_bytes()
    workspace.longterm.write_bytes(old)
    observed = observe(workspace, now)
    assert workspace.longterm.read_bytes() == new
    assert what(observed) == []
    assert "saved from an old copy" in observed.problems[0]


def test_m06_new_words_in_an_old_copy_stay_beside_what_was_added_since(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    """Turns red when the person's new words are lost with the old copy, or our operations are."""
    post(workspace, FACTS[:3], now, "one")
    old = workspace.longterm.read_text()
    post(workspace, FACTS[3:8], now + timedelta(days=1), "two")
    workspace.longterm.write_text(old + "\n## My own\n- typed into an old window\n")
    observe(workspace, now + timedelta(days=2))
    assert set(standing(workspace.longterm)) == {*FACTS[:8], "typed into an old window"}
    assert len(state_of(workspace).entries) == 8


def test_m30_a_rolled_back_folder_forgets_nothing(workspace: Workspace, now: datetime, post: Post) -> None:
    """Turns red when `git checkout` of an old state counts as the deletion of what came since."""
    post(workspace, FACTS[:3], now, "one")
    old, old_ledger = workspace.longterm.read_bytes(), workspace.ledger.read_bytes()
    post(workspace, FACTS[3:5], now + timedelta(days=1), "two")
    workspace.longterm.write_bytes(old)
    workspace.ledger.write_bytes(old_ledger)
    observe(workspace, now + timedelta(days=2))
    assert set(standing(workspace.longterm)) == set(FACTS[:5])
    assert ledger.read(workspace).records == tuple(state for state in ledger.read(workspace).records)
    assert workspace.ledger.read_bytes() == workspace.private_ledger.read_bytes()
    assert read_memory(workspace, now).forgotten == frozenset()


def test_m26_a_rewrite_that_takes_most_entries_stops_all_writing_until_the_operator_speaks(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    """Turns red when a wipe counts as forgetting, or is written over."""
    post(workspace, FACTS, now)
    workspace.longterm.write_text("# Memory\n\n## Lessons Learned\n- all summed up by an agent\n")
    with pytest.raises(UnreadableFileError, match=r"12 of 12 entries .* `daybook restore`"):
        post(workspace, ["a new fact about the garden"], now)
    assert workspace.longterm.read_text() == "# Memory\n\n## Lessons Learned\n- all summed up by an agent\n"
    assert len(state_of(workspace).entries) == 12
    assert read_memory(workspace, now).forgotten == frozenset()


@pytest.mark.parametrize("how", ["missing", "empty", "blank", "folder"])
def test_a_file_that_is_not_there_is_never_a_deletion(
    workspace: Workspace, now: datetime, how: str, post: Post
) -> None:
    post(workspace, FACTS[:2], now)
    workspace.longterm.unlink()
    if how == "folder":
        workspace.longterm.mkdir()
    elif how != "missing":
        workspace.longterm.write_text("" if how == "empty" else "\n \n")
    with pytest.raises(UnreadableFileError):
        post(workspace, FACTS[2:3], now)
    assert len(state_of(workspace).entries) == 2


def test_m35_in_an_agent_written_folder_every_entry_is_adopted_but_mine_and_pinned_ones(
    workspace: Workspace, now: datetime
) -> None:
    """Turns red when an agent's entries stay foreign, or a protected one is curated."""
    workspace.longterm.write_text(
        "# Memory\n\n## Facts\n- one old fact\n- two old facts <!-- pin -->\n\n## Me\n<!-- mine -->\n- my words\n"
    )
    with workspace.lock():
        ledger.append(workspace, [Curate(at="2026-02-07T00:00:00Z", mode="all")])
    observe(workspace, now)
    entries = {one.text: (one.owned, one.protected) for one in read_memory(workspace, now).entries}
    assert entries == {"one old fact": (True, False), "two old facts": (False, True), "my words": (False, True)}
    observe(workspace, now)
    assert len(state_of(workspace).entries) == 1, "an entry is adopted once"
    with workspace.lock():
        ledger.append(workspace, [Curate(at="2026-02-08T00:00:00Z", mode="ours")])
    assert not any(one.owned for one in read_memory(workspace, now).entries)


def test_a_stale_save_while_an_editor_saves_again_is_left_to_the_next_look(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch, post: Post
) -> None:
    post(workspace, FACTS[5:6], now)
    old = workspace.longterm.read_bytes()
    post(workspace, FACTS[:4], now)
    workspace.longterm.write_bytes(old)
    real = files.replace

    def saved_meanwhile(path: Path, data: bytes, **options: object) -> None:
        if path == workspace.longterm:
            workspace.longterm.write_bytes(old + b"\n- typed just now\n")
            monkeypatch.setattr(files, "replace", real)
        real(path, data, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "replace", saved_meanwhile)
    post(workspace, FACTS[4:5], now)
    assert set(standing(workspace.longterm)) == {*FACTS[:6], "typed just now"}


@pytest.mark.parametrize("whole", [True, False])
def test_m06_what_left_for_a_topic_and_stands_in_memory_again_stands_there_alone(
    workspace: Workspace, now: datetime, *, whole: bool, post: Post
) -> None:
    """Turns red when an old copy that lacks nothing of ours makes an entry stand in two files."""
    post(workspace, FACTS[:3], now)
    old = workspace.longterm.read_text()
    with workspace.lock():
        plan = Plan(workspace, observing.observe(workspace, "two", now), Author("two", "hand", "hand"), now)
        demote(plan, plan.document("MEMORY.md").entries[1], "to make room")
        write(plan)
    if not whole:
        post(workspace, FACTS[3:4], now, "three")
        old = workspace.longterm.read_text() + f"\n- {FACTS[1]}\n"
    workspace.longterm.write_text(f"{old}\n- words of mine\n")
    observed = observe(workspace, now + timedelta(days=1))
    assert what(observed) == [("moved", FACTS[1])]
    assert observed.alerts == ()
    assert FACTS[1] in standing(workspace.longterm)
    assert FACTS[1] not in standing(workspace.topic("lessons-learned"))
    assert {one.file for one in state_of(workspace).entries.values()} == {"MEMORY.md"}
    assert rebuild.check(workspace) == []


def test_m26_a_rewrite_that_takes_a_persons_own_entries_stops_all_writing(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    """Turns red when only our own entries count, and a newcomer's whole file can go without a word."""
    mine = "".join(
        f"- my own {name}\n" for name in ("oak", "elm", "ash", "fir", "yew", "lime", "birch", "alder", "maple")
    )
    workspace.longterm.write_text(f"# Memory\n\n## Mine\n\n{mine}")
    observe(workspace, now)
    post(workspace, FACTS[:1], now)
    workspace.longterm.write_text("# M\n\n- summary\n")
    with pytest.raises(UnreadableFileError, match="10 of 10 entries"):
        post(workspace, FACTS[1:2], now)
    assert workspace.longterm.read_text() == "# M\n\n- summary\n"


def test_a_file_put_in_another_order_or_dress_is_no_rewrite(workspace: Workspace, now: datetime) -> None:
    mine = [
        f"- the {name} stands beside the shed\n"
        for name in ("oak", "elm", "ash", "fir", "yew", "lime", "birch", "alder")
    ]
    workspace.longterm.write_text("# Memory\n\n## Mine\n\n" + "".join(mine))
    observe(workspace, now)
    workspace.longterm.write_text(
        "# Memory\n\n## Mine\n\n" + "".join(line.replace("stands", "**grows**") for line in mine)
    )
    assert observe(workspace, now).changes.held == {}


def test_four_newer_entries_that_a_person_deletes_stay_deleted_or_asked_about(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    post(workspace, FACTS[:4], now, "one")
    post(workspace, FACTS[4:8], now + timedelta(days=1), "two")
    post(workspace, FACTS[8:], now + timedelta(days=2), "three")
    gone = [FACTS[5], FACTS[6], FACTS[9], FACTS[10]]
    workspace.longterm.write_text(without(workspace.longterm.read_text(), *gone) + "- typed today\n")
    observed = observe(workspace, now + timedelta(days=3))
    assert observed.changes.stale == ()
    assert [one for one in gone if one in standing(workspace.longterm)] == []


def test_entries_below_a_fence_that_is_being_typed_are_not_deleted(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    post(workspace, FACTS[:3], now)
    text = workspace.longterm.read_text()
    workspace.longterm.write_text(text.replace("## Lessons Learned\n", "## Lessons Learned\n\n```sh\n"))
    assert what(observe(workspace, now)) == []
    workspace.longterm.write_text(text)
    assert what(observe(workspace, now)) == []
    assert len(state_of(workspace).entries) == 3
