"""Files of cases: what may be wrong with one is said with file, case and key; none is passed by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from daybook.errors import PromptError, UnsafeFileError
from daybook.evaluation.loading import cases_of, unread

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybook.models.choice import Purpose
    from daybook.workspace import Workspace

HEAD = '[[case]]\nname = "a-case"\nlanguage = "en"\nabout = "Why."\n'
REVIEW = HEAD + 'date = 2026-02-07\nlines = [{ date = 2026-02-06, text = "Tea at four." }]\n'
MAIL = HEAD + 'date = 2026-02-07\nmessages = [{ address = "a@example.org", subject = "", text = "" }]\n'
NEWS = HEAD + 'date = 2026-02-07\ninterests = []\nlimit = 1\nitems = [{ feed = "F", title = "T" }]\n'
CAPTURE = HEAD + 'turns = [{ who = "tool", text = "x" }, { who = "operator", text = "y" }]\n'
ENTRY = '{ id = "e1", section = "S", text = "T" }'
ADD = '{ kind = "add", sources = [1] }'
FAULTS: list[tuple[Purpose, str, str]] = [
    ("review", REVIEW, "case 'a-case', expect: it is missing."),
    ("review", REVIEW + "expect = []\nexpected = []", "case 'a-case', expected: there is no such key."),
    ("review", REVIEW + 'expect = []\n"\\u001b[2J" = 1', r"case 'a-case', '\x1b[2J': there is no such key."),
    ("review", REVIEW.replace("a-case", "A case") + "expect = []", "case 'A case', name: String should match"),
    ("review", REVIEW.replace('name = "a-case"\n', "") + "expect = []", "case number 1, name: it is missing."),
    ("review", REVIEW.replace("2026-02-06", '"soon"') + "expect = []", "case 'a-case', lines[1].date: "),
    ("review", REVIEW + 'expect = [{ kind = "add", sources = [2] }]', "expect[1].sources: there is no line 2."),
    ("review", REVIEW + 'expect = [{ kind = "add", sources = [] }]', "case 'a-case', expect[1].sources: "),
    ("review", REVIEW + 'expect = [{ kind = "make", sources = [1] }]', "case 'a-case', expect[1].kind: "),
    ("review", REVIEW + f'expect = [{ADD[:-1]}, entry = "e1" }}]', "expect[1].entry: an add has none."),
    ("review", REVIEW + 'expect = [{ kind = "retire", sources = [1] }]', "expect[1].entry: there is no entry ''"),
    (
        "review",
        REVIEW
        + f"entries = [{ENTRY}]\n"
        + 'expect = [{ kind = "retire", entry = "e1", sources = [1], holds = ["x"] }]',
        "expect[1].holds: a retire has no text.",
    ),
    (
        "review",
        REVIEW + f"entries = [{ENTRY}, {ENTRY}]\nexpect = []",
        "case 'a-case', entries: two have the same id.",
    ),
    ("mail_triage", MAIL + "expect = []", "case 'a-case', expect: it must hold one level for each message."),
    ("mail_triage", MAIL + 'expect = ["late"]', "case 'a-case', expect[1]: "),
    ("news_rank", NEWS + "expect = [2]", "case 'a-case', expect: it names an item that is not there."),
    ("news_rank", NEWS + "expect = [1, 1]", "case 'a-case', expect: an item stands there twice."),
    ("capture", CAPTURE + "expect = [{ sources = [1] }]", "case 'a-case', expect: a turn of a tool is no source."),
    ("capture", CAPTURE + "expect = [{ sources = [3] }]", "case 'a-case', expect: it names a turn that is not there."),
    ("capture", "case = 1", "case: it must be a list; a case begins with [[case]]."),
    ("capture", "[[cases]]\nname = 1", "'cases': there is no such key; a case begins with [[case]]."),
    ("capture", "[[case]", "is no valid TOML: "),
]


@pytest.mark.parametrize(("prompt", "text", "sentence"), FAULTS)
def test_a_damaged_file_is_an_error_that_names_file_case_and_key(
    workspace: Workspace, own: Callable[..., Path], prompt: Purpose, text: str, sentence: str
) -> None:
    path = own(text, prompt)
    with pytest.raises(PromptError) as caught:
        cases_of(workspace, prompt)
    assert str(caught.value).startswith(str(path))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_fault_of_every_file_is_told_at_once(workspace: Workspace, own: Callable[..., Path]) -> None:
    first = own(MAIL + "expect = []\nmore = 1", "mail_triage", "first")
    second = own(MAIL.replace("a-case", "b"), "mail_triage", "second")
    with pytest.raises(PromptError) as caught:
        cases_of(workspace, "mail_triage")
    assert str(caught.value).splitlines() == [
        f"{first}, case 'a-case', more: there is no such key.",
        f"{second}, case 'b', expect: it is missing.",
    ]


def test_a_name_is_given_once_over_all_sets(workspace: Workspace, own: Callable[..., Path]) -> None:
    taken = cases_of(workspace, "mail_triage")[0]
    path = own(MAIL.replace("a-case", taken.case.name) + 'expect = ["noise"]')
    with pytest.raises(PromptError) as caught:
        cases_of(workspace, "mail_triage")
    sentence = f"{taken.path} and {path}, case {taken.case.name!r}, name: 2 cases have it; give each its own."
    assert str(caught.value) == sentence


def test_cases_of_the_operator_are_a_set_by_the_name_of_their_file(
    workspace: Workspace, own: Callable[..., Path]
) -> None:
    own(name="open")
    mine = [one for one in cases_of(workspace, "mail_triage") if one.group == "own/open"]
    assert [one.case.name for one in mine] == ["boiler", "two-letters"]
    assert cases_of(workspace, "mail_triage")[-2:] == mine


def test_a_file_that_is_no_file_or_lies_elsewhere_is_refused(
    workspace: Workspace, own: Callable[..., Path], tmp_path: Path
) -> None:
    path = own()
    path.rename(tmp_path / "elsewhere.toml")
    path.symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(UnsafeFileError, match=r"mine\.toml"):
        cases_of(workspace, "mail_triage")
    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(PromptError, match="leads out of the workspace"):
        cases_of(workspace, "mail_triage")


def test_folders_that_no_prompt_reads_are_named(workspace: Workspace, own: Callable[..., Path]) -> None:
    own()
    mistyped, early = own("", "mail-triage").parent, own("", "second_opinion").parent
    assert unread(workspace) == [
        f"{mistyped} has no effect: cases are of review, mail_triage, news_rank, capture.",
        f"{early} has no effect: there are no cases of this prompt yet.",
    ]
