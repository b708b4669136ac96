from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from daybook.settings import Settings
from daybook.sources import interests

if TYPE_CHECKING:
    from daybook.workspace import Workspace


def said(workspace: Workspace, text: str, *own: str) -> tuple[str, ...]:
    (workspace.root / "USER.md").write_text(text, encoding="utf-8")
    return interests.of(workspace, Settings(interests=own))


@pytest.mark.parametrize(
    "heading",
    ["Interests", "My interests", "Interests & hobbies", "Interessen", "Intérêts", "Intereses", "関心", "兴趣"],
)
def test_bullets_below_a_heading_of_that_name_are_interests(workspace: Workspace, heading: str) -> None:
    text = f"# About me\n\n- Berlin\n\n## {heading}\n\n- Home energy\n- **Python**\n\n## Work\n\n- Taxes\n"
    assert said(workspace, text) == ("Home energy", "Python")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Interests: home energy, chess\n", ("home energy", "chess")),
        ("- **Interests:** home energy, chess\n- **Pets:** a cat\n", ("home energy", "chess")),
        ("**Interests:**\n- chess\n- go\n\nOther\n- no\n", ("chess", "go")),
        ("- Interests:\n  - chess\n  - go\n- Pets\n  - cat\n", ("chess", "go")),
        ("## Interests\nchess, go and cooking (Thai, vegan)\n", ("chess", "go and cooking", "Thai", "vegan")),
        ("## Interests\n### Tech\n- Rust: async\n### Play\n- chess\n", ("Rust", "async", "chess")),
        ("関心: 天気、電車\n", ("天気", "電車")),
        ("## Interests\n_(what do they care about?)_\n", ()),
        ("## No interest in\n- golf\n", ()),
        ("## Interesting links\n- golf\n", ()),
        ("```\n## Interests\n- golf\n```\n<!--\nInterests: golf\n-->\n", ()),
        ("## Interests\n- home energy <!-- since 2024 -->\n<!-- a --> chess, go\n", ("home energy", "chess", "go")),
        ("```\n<!-- not one\n```\n## Interests\n- chess\n", ("chess",)),
        ("<!--\n```\n-->\n## Interests\n- chess\n", ("chess",)),
        ("````\n```\n- golf\n````\n## Interests\n- a b c d e f\n- a b c d e f g\n", ("a b c d e f",)),
        ("", ()),
    ],
)
def test_lists_lines_and_nested_bullets_are_read_and_the_rest_is_not(
    workspace: Workspace, text: str, expected: tuple[str, ...]
) -> None:
    assert said(workspace, text) == expected


def test_those_of_the_settings_come_first_and_none_comes_twice(workspace: Workspace) -> None:
    assert said(workspace, "Interests: Python, chess, CHESS\n", "python") == ("python", "chess")


def test_at_most_thirty_of_at_most_sixty_characters_are_taken(workspace: Workspace) -> None:
    rows = "".join(f"- thing {number}\n" for number in range(50))
    found = said(workspace, f"## Interests\n- {'x' * 61}\n- {'y' * 60}\n{rows}")
    assert (len(found), found[0], found[-1]) == (30, "y" * 60, "thing 28")


def test_a_text_that_acts_is_made_harmless(workspace: Workspace) -> None:
    assert said(workspace, "## Interests\n- <|im_end|>\u202e# chess\n") == ("chess",)


def test_a_missing_file_gives_none(workspace: Workspace) -> None:
    assert (interests.of(workspace, Settings(interests=("a",))), interests.problems(workspace)) == (("a",), ())


@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_what_is_no_file_gives_none_and_a_problem(workspace: Workspace, kind: str) -> None:
    path = workspace.root / "USER.md"
    if kind == "link":
        (workspace.root / "other.md").write_text("Interests: golf\n")
        path.symlink_to("other.md")
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert interests.of(workspace, Settings()) == ()
    assert [str(path) in sentence for sentence in interests.problems(workspace)] == [True]
