"""What is gone and what is new are paired if they say the same in other words, or stand elsewhere."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook.curation import observing
from daybook.ledger import append as ledger
from daybook.ledger.record import Curate
from daybook.ledger.replay import State, replay

if TYPE_CHECKING:
    from daybook.workspace import Workspace

DAY = timedelta(days=1)
REWORDED = [
    ("label every cable", "label each cable at both ends"),
    ("Backups run at 03:00", "Backups run every night at 03:00, to the disk in the cellar"),
    ("the router stands in the hall", "the router moved to the study, it no longer stands in the hall"),
    ("prefers tea", "prefers green tea in the morning, coffee never"),
    ("Invoices go to the tax office by the 10th", "Send invoices to the tax office until the 10th of each month"),
    ("Jana pays the rent", "The rent is paid by Jana"),
    ("never deploy on Fridays", "Don't deploy on Fridays or before holidays"),
    ("the boiler trips its fuse in frost", "In frost the boiler of the cellar trips its fuse"),
    ("Der Schlüssel hängt im Keller", "Schlüssel: hängt jetzt im Flur statt im Keller"),
    ("read the log first", "always read the log before anything else"),
    ("wifi password is on the fridge", "the wifi password hangs on a note at the fridge"),
    ("test bakcups in Marhc", "test backups in March"),
]
UNRELATED = [
    ("label every cable", "table every fable and more words"),
    ("turn the valve slowly", "buy milk and bread on the way"),
    ("read the log first", "ask Jana about the invoices"),
    ("charge the drill outside", "the car needs new tyres in October"),
    ("test backups in March", "call the dentist next week"),
    ("pay by card", "water the tomatoes every evening"),
    ("the router stands in the hall", "the spare key hangs in the pantry"),
    ("prefers tea over coffee", "prefers trains to planes"),
    ("keep copies of keys", "clean the coffee machine"),
    ("Ada lives at number 3", "Bob works at the bakery"),
    ("write the address down", "the meter reads 4711"),
    ("Der Schlüssel hängt im Keller", "Die Heizung läuft nur bis zehn"),
]


def adopt(workspace: Workspace, files: dict[str, str], now: datetime) -> None:
    workspace.topics_dir.mkdir(exist_ok=True)
    for name, text in files.items():
        (workspace.root / name).write_text(text)
    with workspace.lock():
        ledger.append(workspace, [Curate(at="2026-02-07T00:00:00Z", mode="all")])
    observe(workspace, now)


def observe(workspace: Workspace, now: datetime) -> list[tuple[str, str]]:
    with workspace.lock():
        observed = observing.observe(workspace, "later", now)
    return [(one.what, one.text) for one in observed.changes.seen]


def state_of(workspace: Workspace) -> State:
    return replay(ledger.read(workspace).records)


def lineages(workspace: Workspace) -> dict[str, tuple[str, str]]:
    return {one.lineage: (one.file, one.text) for one in state_of(workspace).entries.values()}


@pytest.mark.parametrize(("old", "new"), REWORDED)
def test_what_is_reworded_in_its_place_keeps_its_lineage(
    workspace: Workspace, now: datetime, old: str, new: str
) -> None:
    adopt(workspace, {"MEMORY.md": f"# M\n\n## A\n- above it\n- {old}\n- below it\n"}, now)
    before = lineages(workspace)
    workspace.longterm.write_text(workspace.longterm.read_text().replace(old, new))
    assert observe(workspace, now + DAY) == [("edited", new)]
    assert lineages(workspace).keys() == before.keys()


@pytest.mark.parametrize(("old", "new"), UNRELATED)
def test_another_line_in_the_same_place_is_a_deletion_and_a_new_entry(
    workspace: Workspace, now: datetime, old: str, new: str
) -> None:
    """Turns red when a foreign line becomes ours because it took the place of one that was deleted."""
    adopt(workspace, {"MEMORY.md": f"# M\n\n## A\n- above it\n- {old}\n- below it\n"}, now)
    workspace.longterm.write_text(workspace.longterm.read_text().replace(old, new))
    assert observe(workspace, now + DAY) == [("deleted", old), ("adopted", new)]


def test_a_topic_that_a_person_renamed_keeps_its_lineages(workspace: Workspace, now: datetime) -> None:
    """Turns red when a renamed file is held as missing, and its entries are adopted a second time."""
    adopt(workspace, {"memory/topics/people.md": "# People\n- Ada is tall\n- Bob has a dog\n- Cleo sings\n"}, now)
    before = lineages(workspace)
    workspace.topic("people").rename(workspace.topic("friends"))
    workspace.topic("friends").write_text(workspace.topic("friends").read_text() + "- words of mine\n")
    assert observe(workspace, now + DAY)[:3] == [
        ("moved", "Ada is tall"),
        ("moved", "Bob has a dog"),
        ("moved", "Cleo sings"),
    ]
    after = lineages(workspace)
    assert {lineage: after[lineage] for lineage in before} == {
        lineage: ("memory/topics/friends.md", text) for lineage, (_, text) in before.items()
    }
    with workspace.lock():
        observed = observing.observe(workspace, "again", now + DAY)
    assert (observed.changes.seen, observed.problems) == ((), ())


def test_a_topic_that_is_missing_is_not_deleted_for_one_line_that_stands_elsewhere(
    workspace: Workspace, now: datetime
) -> None:
    people = "".join(f"- {name} lives in the {name}street\n" for name in ["Ada", "Bob", "Cleo", "Dan", "Eve", "Finn"])
    adopt(workspace, {"memory/topics/people.md": f"# People\n{people}"}, now)
    workspace.topic("people").rename(workspace.root / "elsewhere.md")
    workspace.topic("other").write_text("# Other\n- Ada lives in the Adastreet\n")
    with workspace.lock():
        observed = observing.observe(workspace, "later", now + DAY)
    assert "memory/topics/people.md" in observed.changes.held
    assert sum(one.file == "memory/topics/people.md" for one in observed.state.entries.values()) == 6


def test_an_adopted_entry_is_moved_to_another_heading_and_one_that_stands_twice_is_not(
    workspace: Workspace, now: datetime
) -> None:
    """Turns red when a doubled line moves to and fro, or an adopted one stays under a heading it has left."""
    adopt(workspace, {"MEMORY.md": "# M\n\n## A\n- one of them\n- another thing\n\n## B\n- a third\n"}, now)
    text = "# M\n\n## B\n- a third\n- one of them\n- another thing\n\n## A\n- another thing\n"
    workspace.longterm.write_text(text)
    assert observe(workspace, now + DAY) == [("moved", "one of them")]
    assert observe(workspace, now + DAY) == []
    assert {one.text: one.section for one in state_of(workspace).entries.values()} == {
        "one of them": "B",
        "another thing": "A",
        "a third": "B",
    }
