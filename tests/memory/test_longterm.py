import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybook.memory.longterm import (
    Add,
    Edit,
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

PIECES = [
    *(
        b"# A",
        b"## B",
        b"  ## C",
        b"- a",
        b"- b <!-- pin -->",
        b"*   c",
        b" + d",
        b"  - n",
        b"-",
        b"1. x",
        b"text",
        b"  more",
    ),
    *(b"    code", b"", b"", b"---", b"```", b"   ~~~", b"<!-- open", b"-->", b"| t |", b"> q", b"-\ttab", b"\xff\x00"),
]
MARKDOWN = st.lists(st.sampled_from(PIECES), max_size=14).map(b"\n".join)
FILES = st.builds(
    lambda bom, text, newline, end: bom + (text + end).replace(b"\n", newline),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    MARKDOWN,
    st.sampled_from([b"\n", b"\r\n"]),
    st.sampled_from([b"", b"\n"]),
)


def kept_in_order(part: list[bytes], whole: list[bytes]) -> bool:
    rest = iter(whole)
    return all(line in rest for line in part)


def content(data: bytes) -> list[bytes]:
    return [line.rstrip(b"\r") for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]


@settings(derandomize=True, deadline=None, max_examples=600)
@given(FILES, st.sampled_from(["A", "b", "New"]))
def test_an_add_leaves_every_other_line_and_adds_one_entry(data: bytes, section: str) -> None:
    before = parse(data)
    changed = add(before, section, "a new one")
    after = parse(changed)
    assert kept_in_order(content(data.removesuffix(b"\n")), content(changed))
    assert changed.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
    new = [entry for entry in after.entries if entry.text == "a new one"]
    assert [entry.section.casefold() for entry in new] == [section.casefold()]
    assert len(after.entries) == len(before.entries) + 1
    titles = [s.title for s in after.sections]
    if find_section(before, section) is None:
        titles.remove(section)
    assert titles == [s.title for s in before.sections]


@settings(derandomize=True, deadline=None, max_examples=600)
@given(FILES.filter(lambda data: parse(data).entries), st.data())
def test_a_revise_leaves_every_other_byte(data: bytes, draw: st.DataObject) -> None:
    document = parse(data)
    entry = draw.draw(st.sampled_from(document.entries))
    changed = revise(document, entry, "a new one")
    head, tail = b"".join(document.lines[: entry.start]), b"".join(document.lines[entry.end :])
    assert changed.startswith(head)
    assert changed.endswith(tail)
    line = changed[len(head) : len(changed) - len(tail)]
    assert line.removeprefix(entry.prefix).strip().startswith(b"a new one")
    assert b"\n" not in line.rstrip(b"\r\n")
    assert line.endswith(b"\n") == document.lines[entry.end - 1].endswith(b"\n")
    assert parse(line).entries[0].pinned == entry.pinned
    assert [e.text for e in parse(changed).entries if e.start == entry.start] == ["a new one"]


@settings(derandomize=True, deadline=None, max_examples=600)
@given(FILES.filter(lambda data: parse(data).entries), st.data())
def test_a_remove_leaves_every_other_byte(data: bytes, draw: st.DataObject) -> None:
    document = parse(data)
    entry = draw.draw(st.sampled_from(document.entries))
    bom = b"\xef\xbb\xbf" if entry.prefix.startswith(b"\xef\xbb\xbf") else b""
    head, tail = bom + b"".join(document.lines[: entry.start]), b"".join(document.lines[entry.end :])
    assert remove(document, entry) in {head + tail, head + b"\n" + tail, head + b"\r\n" + tail}


def test_text_below_an_edited_entry_does_not_run_into_it() -> None:
    document = parse(b"- p\n- a\n  ## C\ntext\n")
    assert revise(document, document.entries[1], "b") == b"- p\n- b\n\ntext\n"
    assert remove(document, document.entries[1]) == b"- p\n\ntext\n"
    below = parse(b"## A\n- a\n  ## C\ntext\n")
    assert add(below, "A", "b") == b"## A\n- a\n  ## C\n- b\n\ntext\n"


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
