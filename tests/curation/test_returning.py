"""What comes back stands as it stood: its own lines, in its old place; and nothing that it holds raises."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybook import folders
from daybook.curation import observing, returning
from daybook.ledger import append as ledger
from daybook.ledger.record import Curate
from daybook.ledger.replay import Owned, State, replay
from daybook.memory import longterm
from daybook.upkeep import rebuild
from daybook.upkeep.restore import restore

if TYPE_CHECKING:
    from daybook.workspace import Workspace

DAY = timedelta(days=1)
COLOURS = ["red", "blue", "green", "yellow", "brown", "black", "white", "grey", "pink", "cyan"]
OTHERS = "".join(f"- other {one}\n" for one in COLOURS)
SHAPES = {
    "a task": "- [ ] buy milk\n",
    "a heading": "- # note\n",
    "a number": "- 1. first\n",
    "a table row": "- | a | b |\n",
    "markup": "- <div>x</div>\n",
    "a comment": "- text <!-- x --> more\n",
    "a quote": "- > quote\n",
    "a fence": "- ```\n  code\n  ```\n",
    "nested bullets": "- **Bold:** text\n  - nested one\n  - nested two\n",
    "wrapped text": "* one line\n  and another\n",
    "a rule of signs": "- - - x\n",
}


def observe(workspace: Workspace, now: datetime, run: str = "later") -> observing.Observed:
    with workspace.lock():
        return observing.observe(workspace, run, now)


def adopt(workspace: Workspace, body: bytes, now: datetime) -> None:
    workspace.longterm.write_bytes(body)
    with workspace.lock():
        ledger.append(workspace, [Curate(at="2026-02-07T00:00:00Z", mode="all")])
    observe(workspace, now, "adopting")


def state_of(workspace: Workspace) -> State:
    return replay(ledger.read(workspace).records)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_an_entry_of_any_shape_is_restored_with_its_own_bytes(workspace: Workspace, now: datetime, shape: str) -> None:
    """Turns red when it is flattened to one line, comes to another place, or raises."""
    body = f"# M\n\n## A\n- first of all\n{shape}- a1 one\n- b2 two\n- c3 three\n{OTHERS}".encode()
    adopt(workspace, body, now)
    whole = workspace.longterm.read_bytes()
    start, end = whole.index(b"- first of all\n") + len(b"- first of all\n"), whole.index(b"- other red")
    workspace.longterm.write_bytes(whole[:start] + whole[end:])
    assert len(observe(workspace, now + DAY).state.vanished) == 4
    done = restore(workspace, "hand", now + DAY, keep=False)
    assert (done.entries, done.problems) == (4, ())
    assert workspace.longterm.read_bytes() == whole
    assert rebuild.check(workspace) == []


def test_entries_above_the_first_heading_are_restored_there(workspace: Workspace, now: datetime) -> None:
    """Turns red when an entry without a heading raises, or gets one."""
    tops = "".join(f"- top {one} fact\n" for one in ("one", "two", "three", "four"))
    adopt(workspace, f"{tops}\n## A\n- alpha\n{OTHERS}".encode(), now)
    whole = workspace.longterm.read_bytes()
    workspace.longterm.write_bytes(whole.replace(tops.encode(), b"words of mine\n"))
    observe(workspace, now + DAY)
    assert restore(workspace, "hand", now + DAY, keep=False).entries == 4
    text = workspace.longterm.read_text()
    assert text.index("words of mine") < text.index("## A")
    assert text.index("- top one fact\n- top two fact\n- top three fact\n- top four fact\n") < text.index("## A")
    assert rebuild.check(workspace) == []


@pytest.mark.parametrize("top", ["- top of all\n", "- top of all\n  - with a detail\n"])
def test_an_old_copy_with_an_entry_above_the_first_heading_is_brought_up_to_date(
    workspace: Workspace, now: datetime, top: str
) -> None:
    """Turns red when the look raises for as long as the file stands, or flattens what it brings back."""
    adopt(workspace, b"- one of old\n\n## A\n- other red\n", now)
    rows = workspace.ledger.read_bytes()
    workspace.longterm.write_text(f"- one of old\n{top}\n## A\n- other red\n")
    observe(workspace, now + DAY)
    workspace.ledger.write_bytes(rows)
    workspace.longterm.write_text("- one of old\n\n## A\n- other red\n- words of mine\n")
    observe(workspace, now + 2 * DAY)
    assert workspace.longterm.read_text() == f"- one of old\n{top}\n## A\n- other red\n- words of mine\n"
    assert state_of(workspace).statements == set()


def test_what_no_version_holds_comes_back_in_the_ledgers_words_or_stays_there(
    workspace: Workspace, now: datetime
) -> None:
    """Turns red when it raises, or when what cannot stand counts as deleted."""
    adopt(workspace, f"- top\n\n## A\n- plain words\n- # no plain words\n- more\n- and more\n{OTHERS}".encode(), now)
    for name in folders.listed(workspace.private / "versions"):
        (workspace.private / "versions" / name).unlink()
    workspace.longterm.write_text(f"## A\n{OTHERS}")
    assert len(observe(workspace, now + DAY).state.vanished) == 5
    done = restore(workspace, "hand", now + DAY, keep=False)
    assert done.entries == 4
    assert [problem.partition(":")[0] for problem in done.problems] == ["1 entry of MEMORY.md cannot be put back"]
    assert [one.text for one in state_of(workspace).vanished.values()] == ["# no plain words"]
    entries = {one.text: one.section for one in longterm.parse(workspace.longterm.read_bytes()).entries}
    assert {text: entries[text] for text in ("top", "plain words", "more")} == {
        "top": "",
        "plain words": "A",
        "more": "A",
    }


def test_after_a_rollback_what_cannot_be_put_back_is_missing_and_not_forgotten(
    workspace: Workspace, now: datetime
) -> None:
    """Turns red when an entry that our own look could not bring back counts as a person's deletion."""
    adopt(workspace, b"## A\n- other red\n", now)
    rows = workspace.ledger.read_bytes()
    workspace.longterm.write_text("## A\n- other red\n- plain words\n- # no plain words\n")
    observe(workspace, now + DAY)
    for name in folders.listed(workspace.private / "versions"):
        (workspace.private / "versions" / name).unlink()
    workspace.ledger.write_bytes(rows)
    workspace.longterm.write_text("## A\n- other red\n")
    observed = observe(workspace, now + 2 * DAY)
    assert workspace.longterm.read_text() == "## A\n- other red\n- plain words\n"
    assert [one.text for one in observed.state.vanished.values()] == ["# no plain words"]
    assert observed.state.statements == set()
    assert any("gone at once" in problem for problem in observed.problems)


@settings(derandomize=True, max_examples=200)
@given(st.binary(max_size=60), st.text(max_size=20), st.lists(st.text(max_size=20), max_size=4))
def test_nothing_that_an_entry_holds_raises(present: bytes, section: str, texts: list[str]) -> None:
    gone = [Owned(str(number), "MEMORY.md", section, text) for number, text in enumerate(texts)]
    document = longterm.parse(present)
    edits, left = returning.put_back(document, gone, {})
    texts_after = {one.text for one in longterm.parse(longterm.apply(document, edits)).entries}
    assert {one.text for one in gone} - {one.text for one in left} <= texts_after
