from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daybook.memory.longterm import (
    Add,
    Edit,
    Insert,
    Remove,
    Revise,
    add,
    apply,
    can_head,
    can_stand,
    count_lines,
    count_words,
    find_section,
    parse,
    remove,
    revise,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from daybook.memory.longterm import Document, Entry

BOM = b"\xef\xbb\xbf"
# Lines and blocks of every kind that people's files have, put together in any order.
PIECES = [
    *(b"# A", b"## B ##", b"### C #c", b"  ## in", b"   # three", b"    # four", b"#", b"#none", b"\t# t"),
    *(b"- a", b"- b <!-- pin -->", b"*   c", b" + d", b"  - n", b"    - nn", b"   - three", b"-   wide", b"-\ttab"),
    *(b"-", b"-  ", b"+", b"-    - code", b"- # h", b"- ```", b"- > q", b"- | t |", b"- - x", b"- ---", b"- <!--"),
    *(
        b"- 12 x",
        b"- 1. x",
        b"1. x",
        b"2. y",
        b"1) z",
        b"   2. in",
        b"text",
        b"  more",
        b"    code",
        b"",
        b"",
        b"",
        b"  ",
    ),
    *(
        b"---",
        b"***",
        b"===",
        b"--",
        b"=",
        b"- - -",
        b"```",
        b"````",
        b"   ~~~",
        b"``` md",
        b"``` `x",
        b"> q",
        b"> - q",
    ),
    *(b"<!-- c -->", b"<!-- open", b"-->", b"<!-- mine -->", b"<div>", b"</div>", b"<pre>", b"<?x", b"?>", b"<a>"),
    *(b"| t |", b"| - |", b"\xff\x00", "Ü 北京 🙂".encode(), b"\\- a", b"- " + b"x" * 5000),
    *(b"Title\n=====", b"Title\n---", b"```sh\n# no\n- no\n```", b"- x\n  ```\n- out\n  ```", b"<!--\n- no\n# no\n-->"),
    *(
        b"- **Lead**: in\n  - nested\n    wrapped\nlazy\n\n  para",
        b"- x\n\n\n  y",
        b"-\n  later",
        b"<div>\n- no\n</div>\n",
    ),
    *(b"| a | b |\n| - | - |\n| # x | - y |", b"1. x\n   - in\n\n   more", b"## A\n\n- one\n- two\n"),
]
MARKDOWN = st.lists(st.sampled_from(PIECES), max_size=14).map(b"\n".join)
FILES = st.builds(
    lambda bom, front, text, newline, end: bom + (front + text + end).replace(b"\n", newline),
    st.sampled_from([b"", BOM]),
    st.sampled_from([b"", b"", b"---\nt: 1\n- no\n---\n", b"---\n"]),
    MARKDOWN,
    st.sampled_from([b"\n", b"\r\n"]),
    st.sampled_from([b"", b"\n"]),
)
RAW = {
    "raw zero": b"- raw zero",
    "raw one more": b"*   raw one\r\n    more",
    "raw two - nested para": b"- raw two\n  - nested\n\n  para\n",
    "raw three": b"-\n  raw three\n",
    "raw four x": b"   - raw four\n     x\n",
    "raw five ``` # no": b" - raw five\n   ```\n   # no\n",
    "raw six": BOM + b"- raw six <!-- pin -->\n",
    "raw seven lazy": b"- raw seven\nlazy\n",
}
TITLES = ("A", "b", "New")
APART = {b"", b"  ", b"<!-- -->"}
PROPERTY = settings(derandomize=True, deadline=None, max_examples=250, suppress_health_check=[HealthCheck.too_slow])


def kept_in_order(part: Iterable[bytes], whole: Iterable[bytes]) -> bool:
    rest = iter(whole)
    return all(line in rest for line in part)


def content(lines: Iterable[bytes]) -> list[bytes]:
    return [bare for line in lines if (bare := line.removeprefix(BOM).rstrip(b"\r\n")) or line != BOM]


def own_text(edit: Edit) -> str | None:
    match edit:
        case Add() | Revise():
            return edit.text
        case Insert():
            return next(text for text, raw in RAW.items() if raw == edit.raw)
        case Remove():
            return None


def own_section(edit: Add | Revise | Insert) -> str:
    return " ".join((edit.entry.section if isinstance(edit, Revise) else edit.section).casefold().split())


@st.composite
def batches(draw: Callable[[st.SearchStrategy], object], document: Document) -> list[Edit]:
    edits: list[Edit] = []
    for number, entry in enumerate(document.entries):
        edits += draw(st.sampled_from([[], [], [Remove(entry)], [Revise(entry, f"revised {number}")]]))
    titles = sorted({*TITLES, "", *(entry.section for entry in document.entries)})
    anchors = [None, "", "raw zero", *(entry.text for entry in document.entries)]
    for number in range(draw(st.integers(0, 3))):
        edits.append(Add(draw(st.sampled_from(TITLES)), f"added {number}"))
    for raw in draw(st.lists(st.sampled_from(sorted(RAW.values())), max_size=3, unique=True)):
        edits.append(Insert(raw, draw(st.sampled_from(titles)), draw(st.sampled_from(anchors))))
    return draw(st.permutations(edits))


def check(data: bytes, edits: list[Edit]) -> bytes:
    """Apply edits, and check that nothing but what they say has changed."""
    before = parse(data)
    changed = apply(before, edits)
    after = parse(changed)
    cut = {edit.entry.start: edit.entry for edit in edits if isinstance(edit, Remove | Revise)}
    gone = {number for entry in cut.values() for number in range(entry.start, entry.end)}
    kept = content(line for number, line in enumerate(before.lines) if number not in gone)
    assert kept_in_order(kept, content(after.lines))
    left = content(after.lines)
    for line in kept:
        left.remove(line)
    raw = {line for edit in edits if isinstance(edit, Insert) for line in content(edit.raw.split(b"\n"))}
    ours = {own_text(edit): own_section(edit) for edit in edits if not isinstance(edit, Remove)}
    assert [
        line
        for line in left
        if line not in APART | raw and not line.startswith(b"## ") and not any(str(t).encode() in line for t in ours)
    ] == []
    assert changed.startswith(BOM) == data.startswith(BOM)

    def said(entries: Iterable[Entry]) -> list[tuple[str, str, bool]]:
        return [(entry.section, entry.text, entry.pinned) for entry in entries]

    assert said(e for e in after.entries if e.text not in ours) == said(e for e in before.entries if e.start not in cut)
    found = [(entry.text, " ".join(entry.section.casefold().split())) for entry in after.entries if entry.text in ours]
    assert sorted(found) == sorted(ours.items())
    titles = [section.title for section in after.sections]
    for section in before.sections:
        titles.remove(section.title)
    assert kept_in_order([s.title.encode() for s in before.sections], [s.title.encode() for s in after.sections])
    assert {title.casefold() for title in titles} <= set(ours.values()) - {s.title.casefold() for s in before.sections}
    return changed


@PROPERTY
@given(FILES, st.data())
def test_a_batch_of_edits_changes_only_its_own_lines(data: bytes, draw: st.DataObject) -> None:
    check(data, draw.draw(batches(parse(data))))


@PROPERTY
@given(FILES, st.sampled_from(["A", "b", "New"]))
def test_an_add_leaves_every_other_line_and_adds_one_entry(data: bytes, section: str) -> None:
    changed = check(data, [Add(section, "a new one")])
    assert len(parse(changed).entries) == len(parse(data).entries) + 1


@PROPERTY
@given(FILES.filter(lambda data: parse(data).entries), st.data())
def test_a_revise_leaves_every_other_byte(data: bytes, draw: st.DataObject) -> None:
    document = parse(data)
    entry = draw.draw(st.sampled_from(document.entries))
    changed = check(data, [Revise(entry, "a new one")])
    head, tail = b"".join(document.lines[: entry.start]), b"".join(document.lines[entry.end :])
    assert changed.startswith(head)
    assert changed.endswith(tail)
    line = changed[len(head) : len(changed) - len(tail)]
    assert line.removeprefix(entry.prefix).strip().startswith(b"a new one")
    assert line.endswith(b"\n") == document.lines[entry.end - 1].endswith(b"\n")
    assert parse(line).entries[0].pinned == entry.pinned
    assert [e.text for e in parse(changed).entries if e.start == entry.start] == ["a new one"]


@PROPERTY
@given(FILES.filter(lambda data: parse(data).entries), st.data())
def test_a_remove_leaves_every_other_byte(data: bytes, draw: st.DataObject) -> None:
    document = parse(data)
    entry = draw.draw(st.sampled_from(document.entries))
    bom = BOM if entry.prefix.startswith(BOM) else b""
    head, tail = bom + b"".join(document.lines[: entry.start]), b"".join(document.lines[entry.end :])
    changed = check(data, [Remove(entry)])
    assert changed in {head + gap + end + tail for gap in APART for end in (b"\n", b"\r\n")} | {head + tail}
    assert len(parse(changed).entries) == len(document.entries) - 1


@PROPERTY
@given(FILES, st.data())
def test_an_insert_leaves_every_other_line_and_adds_one_entry(data: bytes, draw: st.DataObject) -> None:
    titles = sorted({*TITLES, "", *(entry.section for entry in parse(data).entries)})
    anchors = [None, "", *(entry.text for entry in parse(data).entries)]
    raw, title = draw.draw(st.sampled_from(sorted(RAW.values()))), draw.draw(st.sampled_from(titles))
    changed = check(data, [Insert(raw, title, draw.draw(st.sampled_from(anchors)))])
    assert len(parse(changed).entries) == len(parse(data).entries) + 1


WRAPPED = [
    [],
    [],
    ["  wrapped"],
    ["  - nested", "    deep"],
    ["  - n", "", "  para"],
    ["  ```", "  # no", "  ```"],
    ["lazy"],
]


@st.composite
def tidy_files(draw: Callable[[st.SearchStrategy], object]) -> bytes:
    """Files whose lists are spaced alike throughout, as people and formatters leave them."""
    loose, bullet = draw(st.booleans()), draw(st.sampled_from(["- ", "* ", "-   "]))
    tight = not loose and draw(st.booleans())
    lines = [*draw(st.sampled_from([[], ["---", "title: x", "---"]])), *draw(st.sampled_from([[], ["# Memory", ""]]))]
    for section in range(draw(st.integers(1, 4))):
        lines += ["", f"## S{section}", *([] if tight else [""]), *draw(st.sampled_from([[], [], ["Some text.", ""]]))]
        for number in range(draw(st.integers(0, 4))):
            wrapped = draw(st.sampled_from(WRAPPED))
            pad = " " * (len(bullet) - 2)
            lines.append(f"{bullet}entry {section}.{number}")
            lines += [pad + line if line.startswith(" ") else line for line in wrapped] + ([""] if loose else [])
    text = "\n".join(lines).replace("\n\n\n", "\n\n").strip("\n") + draw(st.sampled_from(["", "\n"]))
    return draw(st.sampled_from([b"", BOM])) + text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))).encode()


@PROPERTY
@given(tidy_files().filter(lambda data: parse(data).entries), st.data())
def test_an_entry_taken_out_and_put_back_gives_the_bytes(data: bytes, draw: st.DataObject) -> None:
    document = parse(data)
    at = draw.draw(st.integers(0, len(document.entries) - 1))
    entry, above = document.entries[at], document.entries[at - 1] if at else None
    raw = b"".join(document.lines[entry.start : entry.end])
    after = above.text if above and above.section == entry.section else ""
    assert apply(parse(remove(document, entry)), [Insert(raw, entry.section, after)]) == data


@PROPERTY
@given(tidy_files().filter(lambda data: parse(data).entries), st.data())
def test_an_entry_revised_and_put_back_gives_the_bytes(data: bytes, draw: st.DataObject) -> None:
    document = parse(data)
    at = draw.draw(st.integers(0, len(document.entries) - 1))
    entry, above = document.entries[at], document.entries[at - 1] if at else None
    raw = b"".join(document.lines[entry.start : entry.end])
    after = above.text if above and above.section == entry.section else ""
    revised = parse(revise(document, entry, "something else"))
    assert apply(revised, [Remove(revised.entries[at]), Insert(raw, entry.section, after)]) == data


def test_text_below_an_edited_entry_does_not_run_into_it() -> None:
    document = parse(b"- p\n- a\n  ## C\ntext\n")
    assert revise(document, document.entries[1], "b") == b"- p\n- b\n\ntext\n"
    assert remove(document, document.entries[1]) == b"- p\n\ntext\n"
    assert (
        remove(parse(b"## A\n- a\n  ## C\ntext\n"), parse(b"## A\n- a\n  ## C\ntext\n").entries[0]) == b"## A\ntext\n"
    )
    below = parse(b"## A\n- a\n  ## C\ntext\n")
    assert add(below, "A", "b") == b"## A\n- a\n  ## C\n- b\n\ntext\n"


def test_an_indented_paragraph_is_kept_apart_from_an_entry_it_would_be_drawn_into() -> None:
    document = parse(b"- p\n-   wide\n\n  more\n")
    assert [entry.text for entry in document.entries] == ["p", "wide"]
    assert remove(document, document.entries[1]) == b"- p\n<!-- -->\n\n  more\n"


def test_a_rule_that_becomes_the_first_line_begins_no_front_matter() -> None:
    document = parse(b"- a\n---\n- b\n---\n")
    assert remove(document, document.entries[0]) == b"\n---\n- b\n---\n"


def test_an_insert_goes_below_the_entry_it_names_with_its_own_bullet_and_the_files_line_ends() -> None:
    document = parse(b"## A\r\n\r\n- a\r\n- b\r\n")
    raw = b"*   r\n    - nested\n"
    assert apply(document, [Insert(raw, "a", "a")]) == b"## A\r\n\r\n- a\r\n*   r\r\n    - nested\r\n- b\r\n"
    assert apply(document, [Insert(raw, "A", "")]) == b"## A\r\n\r\n*   r\r\n    - nested\r\n- a\r\n- b\r\n"
    at_the_end = b"## A\r\n\r\n- a\r\n- b\r\n*   r\r\n    - nested\r\n"
    assert apply(document, [Insert(raw, "A", "gone")]) == apply(document, [Insert(raw, "A")]) == at_the_end


def test_an_insert_makes_a_missing_section_and_finds_the_place_above_all_headings() -> None:
    document = parse(b"- top\n\n# M\n")
    assert apply(document, [Insert(b"- r\n  x\n", "New")]) == b"- top\n\n# M\n\n## New\n\n- r\n  x\n"
    assert apply(document, [Insert(b"- r\n", "", "top")]) == b"- top\n- r\n\n# M\n"


def test_inserts_find_the_places_of_those_before_them() -> None:
    document = parse(b"## A\n\n- a\n- d\n")
    edits = [Insert(b"- b\n", "A", "a"), Insert(b"- c\n", "A", "b"), Insert(b"- z\n", "New"), Insert(b"- y", "New", "")]
    assert apply(document, edits) == b"## A\n\n- a\n- b\n- c\n- d\n\n## New\n\n- y\n- z\n"


@pytest.mark.parametrize("raw", [b"", b"text\n", b"- a\n- b\n", b"- a\n\n", b"# A\n", b"-\n", b"\n- a\n", b"1. a\n"])
def test_what_is_not_the_lines_of_one_entry_is_not_inserted(raw: bytes) -> None:
    with pytest.raises(ValueError, match="not the lines of one entry"):
        apply(parse(b"## A\n"), [Insert(raw, "A")])


def test_an_add_to_a_list_with_blank_lines_keeps_them() -> None:
    assert add(parse(b"## A\n\n- a\n\n- b\n\n## B\n"), "A", "x") == b"## A\n\n- a\n\n- b\n\n- x\n\n## B\n"


@settings(derandomize=True, deadline=None)
@given(FILES)
def test_no_edits_change_nothing(data: bytes) -> None:
    assert apply(parse(data), []) == data


def test_an_add_goes_below_the_last_entry_in_its_style() -> None:
    data = b"# M\r\n\r\n## A\r\n\r\n*   one\r\n*   two\r\n\r\n## B\r\n"
    assert add(parse(data), "a", "three") == b"# M\r\n\r\n## A\r\n\r\n*   one\r\n*   two\r\n*   three\r\n\r\n## B\r\n"


def test_an_add_to_a_section_without_entries_goes_below_its_text() -> None:
    assert add(parse(b"## A\n\ntext\n\n## B\n"), "A", "x") == b"## A\n\ntext\n\n- x\n\n## B\n"
    assert add(parse(b"## A\n## B"), "A", "x") == b"## A\n\n- x\n\n## B"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", b"## A\n\n- x\n"),
        (b"\xef\xbb\xbf", b"\xef\xbb\xbf## A\n\n- x\n"),
        (b"# M", b"# M\n\n## A\n\n- x\n"),
        (b"# M\n\n", b"# M\n\n## A\n\n- x\n"),
        (b"# M\r\n- y", b"# M\r\n- y\r\n\r\n## A\r\n\r\n- x\r\n"),
        (b"---\nt: 1\n---\n", b"---\nt: 1\n---\n\n## A\n\n- x\n"),
    ],
)
def test_a_missing_section_is_made_at_the_end(data: bytes, expected: bytes) -> None:
    assert add(parse(data), "A", "x") == expected


def test_a_new_heading_has_the_level_asked_for() -> None:
    assert add(parse(b""), "A", "x", 1) == b"# A\n\n- x\n"


def test_a_new_section_is_not_lost_in_a_fence_that_is_never_closed() -> None:
    changed = add(parse(b"# M\n\n## A\n\n```\ncode"), "B", "x")
    assert changed == b"# M\n\n## B\n\n- x\n\n## A\n\n```\ncode"


def test_a_section_that_is_not_the_operators_own_is_preferred() -> None:
    document = parse(b"## A\n<!-- mine -->\n## A\n- x\n")
    found = find_section(document, "a")
    assert found
    assert (found.line, found.mine) == (2, False)
    assert add(document, "A", "y").endswith(b"- x\n- y\n")


def test_a_revise_keeps_bullet_pin_and_line_end() -> None:
    document = parse(b"  *  old\r\n     text <!-- pin -->\r\n\r\ntail")
    assert revise(document, document.entries[0], "new") == b"  *  new <!-- pin -->\r\n\r\ntail"


def test_a_revise_of_the_last_line_gives_it_no_newline() -> None:
    document = parse(b"- a\n- b")
    assert revise(document, document.entries[1], "c") == b"- a\n- c"


def test_edits_of_one_parse_are_applied_together() -> None:
    document = parse(b"## A\n- a\n- b\n\n## B\n- c\n")
    a, b, c = document.entries
    edits: list[Edit] = [Add("A", "n1"), Remove(b), Revise(c, "C"), Add("A", "n2"), Add("New", "n3"), Add("new", "n4")]
    assert apply(document, edits) == b"## A\n- a\n- n1\n- n2\n\n## B\n- C\n\n## New\n\n- n3\n- n4\n"
    assert apply(document, [Remove(a), Remove(b), Remove(c)]) == b"## A\n\n## B\n"


def test_many_edits_on_a_long_file_touch_only_their_lines() -> None:
    data = b"".join(b"## S%d\n\n- entry %d\n\n" % (n, n) for n in range(295))
    document = parse(data)
    assert count_lines(document) == 590
    edits: list[Edit] = [Revise(entry, f"new {n}") for n, entry in enumerate(document.entries[:20])]
    before, after = data.split(b"\n"), apply(document, edits).split(b"\n")
    assert [n for n, (old, new) in enumerate(zip(before, after, strict=True)) if old != new] == list(range(2, 82, 4))


def test_an_entry_of_another_document_or_edited_twice_is_refused() -> None:
    document, other = parse(b"- a\n- b\n"), parse(b"- x\n")
    with pytest.raises(ValueError, match="not an entry"):
        remove(document, other.entries[0])
    with pytest.raises(ValueError, match="edited twice"):
        apply(document, [Remove(document.entries[0]), Revise(document.entries[0], "c")])


@pytest.mark.parametrize(
    "text",
    [
        "",
        " a",
        "a\n",
        "a\nb",
        "a\rb",
        "a\x0bb",
        "a\u2028b",
        "a\x85b",
        "# a",
        "- a",
        "+ a",
        "1. a",
        "> a",
        "```",
        "| a |",
        *("---", "_ _ _", "===", "<!-- pin -->", "a <!-- pin -->", "<div>", "\ud800", "a\x00"),
    ],
)
def test_a_text_that_could_be_structure_is_refused(text: str) -> None:
    assert not can_stand(text)
    with pytest.raises(ValueError, match="cannot stand"):
        add(parse(b""), "A", text)


@pytest.mark.parametrize(
    "text", ["a", "#a", "-5 degrees", "`code` first", "C++", "**Bold:** x", "3.5 is it", "北京", "a < b"]
)
def test_an_ordinary_text_stands_and_reads_back(text: str) -> None:
    assert can_stand(text)
    assert [entry.text for entry in parse(add(parse(b""), "A", text)).entries] == [text]


@pytest.mark.parametrize("title", ["Lessons Learned", "1. First", "C #", "C#", "- dash", "Präferenzen", "偏好"])
def test_any_title_of_one_line_reads_back(title: str) -> None:
    changed = add(parse(add(parse(b""), title, "x")), title, "y")
    assert [section.title for section in parse(changed).sections] == [title]


@pytest.mark.parametrize("title", ["", " A", "A\nB", "A\r", "A\x00"])
def test_a_title_of_more_than_one_line_is_refused(title: str) -> None:
    assert not can_head(title)
    with pytest.raises(ValueError, match="not a heading"):
        add(parse(b""), title, "x")


def test_counts_leave_blank_lines_out_and_headings_in() -> None:
    document = parse(b"\xef\xbb\xbf\r\n# A b\r\n\r\n- c d\n \t\nlast")
    assert (count_lines(document), count_words(document)) == (3, 7 + 1)
