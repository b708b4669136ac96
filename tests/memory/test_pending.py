"""Proposals wait in a file that reads well; private state alone says what a tick stands for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybook.ledger.record import Source
from daybook.memory import checklist, pending, proposals, ticked
from daybook.memory.forgotten import Words
from daybook.memory.markdown import parse
from daybook.memory.pending import Proposal
from daybook.memory.proposals import Kept, Register

if TYPE_CHECKING:
    from daybook.workspace import Workspace

OUTSIDE = Source(file="memory/2026-02-07.md", line=5, date="2026-02-07", hash="m", text="[mail] fact", origin="outside")
ADD = (
    "- [ ] **Add** (Lessons Learned): fact 1 ^0000000000000001\n"
    "  - why it waits: only text from outside says so\n"
    '  - from memory/2026-02-07.md:5 (outside): "[mail] fact"\n'
    "  - since 2026-02-07, lapses 2026-02-28\n"
)


def proposal(number: int, **changes: object) -> Proposal:
    fields: dict[str, object] = {
        "id": f"{number:016x}",
        "op": "add",
        "file": "MEMORY.md",
        "section": "Lessons Learned",
        "text": f"fact {number}",
        "old": "",
        "code": "outside-only",
        "sources": (OUTSIDE.model_copy(update={"hash": f"m{number}"}),),
        "run": "r",
        "model": "extractive",
        "prompt": None,
        "statement": f"s{number}",
    }
    return Proposal(**(fields | changes))  # type: ignore[arg-type]


def file(workspace: Workspace) -> str:
    return workspace.pending.read_bytes().decode()


def marks(workspace: Workspace) -> dict[str, str]:
    return dict(ticked.read_ticks(workspace.pending.read_bytes(), proposals.read(workspace)).marks)


def problems(workspace: Workspace) -> list[str]:
    ticks = ticked.read_ticks(workspace.pending.read_bytes(), proposals.read(workspace))
    return [sentence for _, sentence in ticks.problems]


def test_a_proposal_says_what_why_and_from_whom(workspace: Workspace, now: datetime) -> None:
    pending.propose(workspace, [proposal(1)], now)
    assert file(workspace) == f"{pending.HEAD}\n## Add\n\n{ADD}"


def test_proposals_are_grouped_by_what_they_do_and_those_of_a_section_stand_together(
    workspace: Workspace, now: datetime
) -> None:
    retire = proposal(4, op="retire", text="", old="gone", code="second-opinion")
    change = proposal(5, op="revise", old="before", code="foreign", file="memory/topics/garden.md", section="Garden")
    made = [proposal(1), retire, proposal(2, section="Decisions"), proposal(3), change]
    pending.propose(workspace, made, now)
    lines = [line for line in file(workspace).split("\n") if line.startswith(("#", "- [", "  - instead"))]
    assert lines == [
        "# Pending",
        "## Add",
        "- [ ] **Add** (Lessons Learned): fact 1 ^0000000000000001",
        "- [ ] **Add** (Lessons Learned): fact 3 ^0000000000000003",
        "- [ ] **Add** (Decisions): fact 2 ^0000000000000002",
        "## Change",
        "- [ ] **Change** (Garden, memory/topics/garden.md): fact 5 ^0000000000000005",
        "  - instead of: before",
        "## Retire",
        "- [ ] **Retire** (Lessons Learned): gone ^0000000000000004",
    ]


def test_a_proposal_is_made_once_and_at_most_ten_are_open(workspace: Workspace, now: datetime) -> None:
    waiting, left = pending.propose(workspace, [proposal(n) for n in range(12)], now)
    assert (len(waiting), len(left)) == (10, 2)
    again, left = pending.propose(workspace, [proposal(0), proposal(11)], now)
    assert ([one.id for one in again], [one.id for one in left]) == ([proposal(0).id], [proposal(11).id])
    assert file(workspace).count("- [ ]") == 10
    later = now + timedelta(days=21)
    assert pending.open_ids(workspace, later - timedelta(seconds=1)) == [proposal(n).id for n in range(10)]
    assert pending.open_ids(workspace, later) == []
    assert pending.propose(workspace, [proposal(11)], later) == ([proposal(11)], [])


def test_what_a_kill_kept_out_of_the_file_or_somebody_deleted_comes_back(workspace: Workspace, now: datetime) -> None:
    pending.propose(workspace, [proposal(1)], now)
    whole = file(workspace)
    workspace.pending.unlink()
    pending.propose(workspace, [proposal(1)], now)
    assert file(workspace) == whole
    workspace.pending.write_text("\n")
    pending.refresh(workspace, now)
    assert file(workspace) == whole
    workspace.pending.write_text("# My own head\n")
    pending.refresh(workspace, now)
    assert file(workspace) == f"# My own head\n\n## Add\n\n{ADD}"


def test_nothing_is_written_where_nothing_waits(workspace: Workspace, now: datetime) -> None:
    assert pending.refresh(workspace, now) == b""
    assert pending.propose(workspace, [], now) == ([], [])
    assert not workspace.pending.exists()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_first_versions_head_and_items_live_on(workspace: Workspace, now: datetime, newline: str) -> None:
    old = f"{pending.OLD_HEAD}\n{ADD}".replace("\n", newline).encode()
    workspace.pending.write_bytes(old)
    proposals.register(workspace, [Kept(proposal(1), now)])
    pending.refresh(workspace, now)
    expected = f"{pending.HEAD}\n{ADD}".replace("\n", newline)
    assert file(workspace) == expected
    workspace.pending.write_bytes(expected.replace("[ ]", "[x]").encode())
    assert marks(workspace) == {proposal(1).id: "accept"}
    proposals.settle(workspace, [proposal(1).id], "accepted", "r", now)
    pending.refresh(workspace, now)
    assert file(workspace) == pending.HEAD.replace("\n", newline)


@pytest.mark.parametrize(
    ("sign", "mark"), [("x", "accept"), ("X", "accept"), ("-", "refuse"), (" ", None), ("/", None), ("é", None)]
)
def test_a_box_says_accept_refuse_or_nothing(workspace: Workspace, now: datetime, sign: str, mark: str | None) -> None:
    pending.propose(workspace, [proposal(1)], now)
    workspace.pending.write_text(file(workspace).replace("[ ]", f"[{sign}]"))
    assert marks(workspace) == ({proposal(1).id: mark} if mark else {})
    assert problems(workspace) == []


@pytest.mark.parametrize(
    "shape",
    [
        "```\n{}```\n",
        "~~~\n{}",
        "<!--\n{}-->\n",
        "<!-- never closed\n{}",
        "<details>\n{}</details>\n",
        "- a list\n{indented}",
        "{quoted}",
        "    {}",
    ],
)
def test_o11_a_tick_in_a_fence_a_comment_a_quote_or_below_another_item_does_nothing(
    workspace: Workspace, now: datetime, shape: str
) -> None:
    """Turns red when ticks are looked for line by line."""
    pending.propose(workspace, [proposal(1)], now)
    ticked = ADD.replace("[ ]", "[x]")
    indented, quoted = ("".join(sign + line for line in ticked.splitlines(keepends=True)) for sign in ("  ", "> "))
    workspace.pending.write_text(shape.format(ticked, indented=indented, quoted=quoted))
    assert (marks(workspace), problems(workspace)) == ({}, [])
    pending.refresh(workspace, now)
    assert file(workspace).count(f"\n{ADD}") == 1


def test_what_is_settled_leaves_and_every_byte_of_a_person_stays(workspace: Workspace, now: datetime) -> None:
    pending.propose(workspace, [proposal(n) for n in (1, 2, 3)], now)
    text = file(workspace).replace("# Pending\n", "# Pending\n\nmy preface\n")
    text = text.replace("fact 2 ^", "fact 2 ^").replace(
        "## Add\n", "## Add\n\n- [x] buy milk\n\n```\n- [x] code\n```\n"
    )
    second = "  - since 2026-02-07, lapses 2026-02-28\n"
    head, _, tail = text.rpartition(f"{second}\n- [ ] **Add** (Lessons Learned): fact 3")
    text = f"{head}{second}  - I like this one\n\n- [ ] **Add** (Lessons Learned): fact 3{tail}\n## Mine\n- a thing"
    workspace.pending.write_text(text)
    proposals.settle(workspace, [proposal(2).id, proposal(3).id], "accepted", "r", now)
    proposals.settle(workspace, [proposal(1).id], "refused", "r", now)
    pending.refresh(workspace, now)
    preface = pending.HEAD.replace("# Pending\n", "# Pending\n\nmy preface\n")
    assert file(workspace) == (
        f"{preface}\n## Add\n\n- [x] buy milk\n\n```\n- [x] code\n```\n\n"
        "- [x] **Add** (Lessons Learned): fact 2 ^0000000000000002\n  - I like this one\n\n## Mine\n- a thing"
    )
    after = file(workspace)
    pending.refresh(workspace, now)
    assert file(workspace) == after
    assert marks(workspace) == {}


def test_a_heading_of_ours_that_is_left_with_nothing_goes_and_what_is_settled_does_not_return_by_an_old_copy(
    workspace: Workspace, now: datetime
) -> None:
    pending.propose(workspace, [proposal(1), proposal(2, op="retire", text="", old="gone")], now)
    old = file(workspace)
    proposals.settle(workspace, [proposal(1).id], "accepted", "r", now)
    for present in (old, old.replace("[ ]", "[x]")):
        workspace.pending.write_text(present)
        assert proposal(1).id not in marks(workspace)
        pending.refresh(workspace, now)
        assert file(workspace) == (
            old.replace(f"\n## Add\n\n{ADD}", "") if present == old else file(workspace).replace("## Add", "")
        )
        assert proposal(1).id not in file(workspace)


def test_o11_a_changed_line_a_strange_line_and_two_minds_stand_for_nothing_and_are_said(
    workspace: Workspace, now: datetime
) -> None:
    """Turns red when a tick is bound to the id in its line alone."""
    pending.propose(workspace, [proposal(n) for n in (1, 2, 3)], now)
    text = file(workspace).replace("fact 1 ^", "fact 1, and more ^").replace("[ ]", "[x]")
    again = "- [ ] **Add** (Lessons Learned): fact 2 ^0000000000000002\n"
    strange = "- [x] **Add** (Lessons): evil ^00000000000000ff\n- [x] **Retire** (Lessons): all of it\n- [x] my own\n"
    workspace.pending.write_text(f"{text}\n{again}{strange}")
    assert marks(workspace) == {proposal(3).id: "accept"}
    lines = {line: number for number, line in enumerate(file(workspace).split("\n"), start=1)}
    first = next(number for line, number in lines.items() if "and more" in line)
    ticked, unticked, evil, nameless = (
        next(number for line, number in lines.items() if sign in line)
        for sign in ("[x] **Add** (Lessons Learned): fact 2", "[ ] **Add**", "evil", "all of it")
    )
    assert [sentence.partition(" line")[2].partition(" so ")[0] for sentence in problems(workspace)] == [
        f" {nameless} is ticked, but Daybook did not write it,",
        f" {first} is ticked, but its text was changed,",
        f"s {ticked}, {unticked},",
        f" {evil} is ticked, but Daybook did not write it,",
    ]
    assert not any("evil" in sentence or "fact" in sentence for sentence in problems(workspace))


def test_white_space_and_another_bullet_do_not_change_a_line(workspace: Workspace, now: datetime) -> None:
    pending.propose(workspace, [proposal(1)], now)
    text = file(workspace).replace("- [ ] **Add** (Lessons Learned):", "*   [x]  **Add**  (Lessons Learned):\t")
    workspace.pending.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "  \r\n").encode())
    assert marks(workspace) == {proposal(1).id: "accept"}


def test_a_refusal_is_remembered_for_the_text_and_for_the_same_from_the_same_lines(
    workspace: Workspace, now: datetime
) -> None:
    refused = [
        proposal(1),
        proposal(2, op="retire", text="", old="gone", statement=""),
        proposal(3, op="revise", old="before"),
    ]
    pending.propose(workspace, refused, now)
    proposals.settle(workspace, [one.id for one in refused], "refused", "r", now)
    other = proposal(9).sources
    both = proposal(1).sources + other
    tried = {
        "itself": proposal(1),
        "same words, other lines": proposal(10, text="fact 1", statement="", sources=other),
        "same statement, other lines": proposal(11, text="Fact 1!", statement="s1", sources=other),
        "other words, same line": proposal(12, text="the fact, reworded", sources=proposal(1).sources),
        "other words, one more line": proposal(13, text="the fact, with more", sources=both),
        "retire again, same line": proposal(14, op="retire", text="", old="gone", sources=proposal(2).sources),
        "retire again, new line": proposal(15, op="retire", text="", old="gone", sources=other, statement=""),
        "retire another, same line": proposal(16, op="retire", text="", old="x", sources=proposal(2).sources),
        "change it otherwise, same line": proposal(17, op="revise", old="before", sources=proposal(3).sources),
    }
    over = pending.settled(workspace, list(tried.values()), now)
    assert {why for why, one in tried.items() if over.get(one.id) == "refused"} == {
        "itself",
        "same words, other lines",
        "same statement, other lines",
        "other words, same line",
        "retire again, same line",
        "change it otherwise, same line",
    }
    waiting, left = pending.propose(workspace, list(tried.values()), now)
    assert ([one.id for one in waiting], left) == ([proposal(n).id for n in (13, 15, 16)], [])


def test_a_lapse_is_no_refusal_the_same_may_be_proposed_again_from_new_lines(
    workspace: Workspace, now: datetime
) -> None:
    pending.propose(workspace, [proposal(1), proposal(2)], now)
    proposals.settle(workspace, [proposal(2).id], "accepted", "r", now)
    later = now + pending.LAPSES_AFTER
    new = proposal(9, text="fact 1", statement="s1")
    wanted = [proposal(1), proposal(2), new]
    assert pending.settled(workspace, wanted, later) == {proposal(1).id: "lapsed", proposal(2).id: "done-before"}
    assert pending.propose(workspace, wanted, later) == ([new], [])


def test_words_that_are_forgotten_leave_file_and_register_and_are_not_proposed_again(
    workspace: Workspace, now: datetime
) -> None:
    said = proposal(3, sources=(OUTSIDE.model_copy(update={"text": "once, fact 1 was said"}),))
    old = proposal(4, op="retire", text="", old="fact 1")
    pending.propose(workspace, [proposal(1), proposal(2), said, old], now)
    proposals.settle(workspace, [old.id], "accepted", "r", now)
    pending.purge(workspace, Words.of(["fact 1"]), "r", now)
    register = proposals.path(workspace).read_text()
    assert ("fact 1" in register, "fact 2" in register, "fact 1" in file(workspace)) == (False, True, False)
    assert pending.open_ids(workspace, now) == [proposal(2).id]
    again = [proposal(1), proposal(9, text="fact 1", statement="s1")]
    assert set(pending.settled(workspace, again, now).values()) == {"refused"}
    pending.purge(workspace, Words.of(["never said"]), "r", now)
    assert proposals.path(workspace).read_text() == register


def test_a_torn_row_of_the_register_stands_for_nothing_and_swallows_none(workspace: Workspace, now: datetime) -> None:
    pending.propose(workspace, [proposal(1)], now)
    with proposals.path(workspace).open("ab") as stream:
        stream.write(b'[]\n7\n{"kind": "proposal", "id": "x"}\n{"kind": "settled", "id": "0000000000000001", "fa')
    proposals.say(workspace, ["k"])
    register = proposals.read(workspace)
    assert [(one.proposal, one.fate) for one in register.kept.values()] == [(proposal(1), None)]
    assert register.said == {"k"}
    assert proposals.path(workspace).stat().st_mode & 0o777 == 0o600


PIECES = st.sampled_from(
    [
        "\n",
        "# Mine\n",
        "## Add\n",
        "## Retire\n",
        "<!-- mine -->\n",
        "- a bullet\n",
        "  - nested\n",
        "1. one\n",
        "plain text\n",
        "> quoted\n",
        "| a | b |\n",
        "```\n",
        "~~~ sh\n",
        "<!-- open\n",
        "-->\n",
        "<div>\n",
        "---\n",
        "===\n",
        "    code\n",
        "\tcode\n",
        "- [x] done\n",
        "tail",
        pending.OLD_HEAD,
        ADD,
        ADD.replace("[ ]", "[x]"),
        ADD.splitlines(keepends=True)[0],
    ]
)


@settings(derandomize=True, max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=9), st.booleans(), st.booleans())
def test_whatever_the_file_looks_like_what_waits_is_seen_once_and_other_lines_stay(
    pieces: list[str], crlf: bool, bom: bool
) -> None:
    """Turns red when an item is put where it is code or a comment, or somebody's line is lost or joined."""
    now = datetime(2026, 2, 7, 14, 30, tzinfo=UTC)
    text = "".join(pieces).replace("\n", "\r\n") if crlf else "".join(pieces)
    before = (b"\xef\xbb\xbf" if bom else b"") + text.encode()
    one, two = (Kept(proposal(n), now, pending.item(proposal(n), now).lines) for n in (1, 2))
    retire = proposal(3, op="retire", text="", old="gone")
    three = Kept(retire, now, pending.item(retire, now).lines)
    over = Kept(one.proposal, one.at, one.item, fate="accepted")
    register = Register({kept.proposal.id: kept for kept in (over, two, three)})
    after = pending._shown(before, register, {}, now)
    boxes = checklist.boxes(parse(after.removeprefix(b"\xef\xbb\xbf")))
    waiting = [box.id for box in boxes if box.id in {two.proposal.id, three.proposal.id}]
    assert sorted(waiting) == [two.proposal.id, three.proposal.id]
    assert pending._shown(after, register, {}, now) == after
    ours = {line for kept in (one, two, three) for line in kept.item}
    ours |= {one.item[0].replace("[ ]", "[x]"), *pending.HEAD.split("\n"), *pending.OLD_HEAD.split("\n"), ""}
    ours |= {"## Add", "## Retire"}
    theirs, kept = (
        [line for line in data.decode().removeprefix("\ufeff").splitlines() if line not in ours]
        for data in (before, after)
    )
    assert theirs == kept
