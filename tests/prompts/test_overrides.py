"""The operator's own templates: they win, and one that fails is one clear error."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from daybook import prompts
from daybook.errors import PromptError
from daybook.prompts import finding

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybook.workspace import Workspace

KNOWN = "known are date, sections, entries, lines, outside, limit, interests"
CORRECT = "; correct it"
WAY_OUT = f"{CORRECT}, or remove the file to use the packaged prompt."


def refusal(workspace: Workspace) -> str:
    with pytest.raises(PromptError) as caught:
        prompts.show(workspace, "review")
    return str(caught.value)


def test_the_packaged_prompt_is_used_when_there_is_no_other(workspace: Workspace) -> None:
    found = prompts.show(workspace, "review")
    assert (found.name, found.source, found.path.name) == ("review", "packaged", "review.md.j2")
    partial = found.path.with_name("_quoted.md.j2")
    read = b"\0".join(path.read_bytes() for path in (found.path, partial))
    assert found.sha256 == hashlib.sha256(read).hexdigest()


def test_an_edited_prompt_wins(workspace: Workspace, edit: Callable[..., Path]) -> None:
    path = edit("{% for line in lines %}{{ line.number }}{% endfor %} únlike {{ date }}\n")
    found = prompts.show(workspace, "review")
    assert (found.source, found.path) == ("workspace", path)
    assert found.text == "123 únlike 2026-02-07\n"
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_unknown_prompt_is_refused(workspace: Workspace) -> None:
    with pytest.raises(
        PromptError,
        match=r"^There is no prompt 'triage'; known are review, second_opinion, mail_triage, news_rank, capture\.$",
    ):
        prompts.show(workspace, "triage")


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        ("one\n{{ nots }}", 2, "nots"),
        ("one\n{% if false %}\n{{ nots }}\n{% endif %}", 3, "nots"),
        ("{% for x in lines %}{{ x.text }}{% endfor %}\n\n{{ x }}", 3, "x"),
        ("{% for x in linse %}{% endfor %}", 1, "linse"),
        ("{% macro m(a) %}{{ a }}{% endmacro %}\n{{ m(a) }}", 2, "a"),
        ("{% with a = 1 %}{{ a }}{% endwith %}\n{{ a }}", 2, "a"),
        ("{{ lipsum(9) }}", 1, "lipsum"),
        ("{{ config }}", 1, "config"),
    ],
)
def test_an_unknown_variable_is_named_with_file_and_line(
    workspace: Workspace, edit: Callable[..., Path], text: str, line: int, name: str
) -> None:
    path = edit(text)
    assert refusal(workspace) == f"{path}:{line}: unknown variable {name!r} ({KNOWN}){WAY_OUT}"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("one\n{% if %}", ":2: Expected an expression, got '%}'"),
        ("one\n{% if date", ":2: a '{%' is closed by no '%}'; correct it"),
        ("one\n{{ date", ":2: a '{{' is closed by no '}}'; correct it"),
        ("one\n\n{{ date | shout }}", ":3: No filter named 'shout'"),
        ("{{ lines[0].txt }}", ":1: 'dict object' has no attribute 'txt'"),
        ("a\n{{ 1 / 0 }}", ":2: division by zero"),
        ("{% for x in lines %}", ":1: Unexpected end of template."),
    ],
)
def test_other_mistakes_are_named_with_file_and_line(
    workspace: Workspace, edit: Callable[..., Path], text: str, place: str
) -> None:
    path = edit(text)
    assert refusal(workspace).startswith(f"{path}{place}")


def test_a_file_that_is_no_utf8_names_the_line(workspace: Workspace, edit: Callable[..., Path]) -> None:
    path = edit("")
    path.write_bytes(b"one\ntw\xff")
    assert refusal(workspace) == f"{path}:2: byte 6 is no UTF-8; save the file as UTF-8."


def test_a_huge_file_is_refused(workspace: Workspace, edit: Callable[..., Path]) -> None:
    path = edit("x" * 70_000)
    assert refusal(workspace) == f"{path} is larger than 64 KiB; shorten it."


@pytest.mark.parametrize("kind", ["link", "dangling link", "fifo", "folder"])
def test_what_is_no_regular_file_is_refused_and_never_passed_by(
    workspace: Workspace, edit: Callable[..., Path], tmp_path: Path, kind: str
) -> None:
    path = edit("")
    path.unlink()
    if kind == "link":
        (tmp_path / "elsewhere").write_text("x")
        path.symlink_to(tmp_path / "elsewhere")
    elif kind == "dangling link":
        path.symlink_to(tmp_path / "nowhere")
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert refusal(workspace).startswith(f"The prompt review.md.j2 cannot be read: {path} is not a regular file")


def test_a_file_in_the_place_of_the_folder_is_refused(workspace: Workspace) -> None:
    workspace.prompts_dir.write_text("not a folder")
    assert "review.md.j2: Not a directory" in refusal(workspace)


def test_a_prompts_folder_that_leads_out_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    workspace.prompts_dir.symlink_to(tmp_path / "theirs")
    assert "is a link that leads out of the workspace" in refusal(workspace)


def test_a_plain_include_is_found_beside_the_prompt(workspace: Workspace, edit: Callable[..., Path]) -> None:
    edit("{% include '_tone.md.j2' %}, {{ date }}")
    edit("Be kind on {{ date }}", "_tone.md.j2")
    found = prompts.show(workspace, "review")
    assert found.text == "Be kind on 2026-02-07, 2026-02-07"
    edit("Be brief on {{ date }}", "_tone.md.j2")
    assert prompts.show(workspace, "review").sha256 != found.sha256


def test_an_unknown_variable_in_an_include_names_the_include(workspace: Workspace, edit: Callable[..., Path]) -> None:
    edit("{% include '_tone.md.j2' %}")
    partial = edit("\n{{ mood }}", "_tone.md.j2")
    # There is no packaged one of that name to fall back on.
    assert refusal(workspace) == f"{partial}:2: unknown variable 'mood' ({KNOWN}){CORRECT}."
    edit("{% include '_quoted.md.j2' %}")
    partial = edit("{{ mood }}", "_quoted.md.j2")
    assert refusal(workspace) == f"{partial}:1: unknown variable 'mood' ({KNOWN}){WAY_OUT}"


@pytest.mark.parametrize("wanted", ["'../secret.md.j2'", "'/etc/hostname'", "'a/b.md.j2'", "date", "['x', date]"])
def test_an_include_of_anything_but_a_plain_name_is_refused(
    workspace: Workspace, edit: Callable[..., Path], wanted: str
) -> None:
    path = edit(f"one\n{{% include {wanted} %}}")
    assert refusal(workspace).startswith(f"{path}:2: it includes ")


def test_an_include_that_includes_is_refused(workspace: Workspace, edit: Callable[..., Path]) -> None:
    edit("{% include '_a.md.j2' %}")
    partial = edit("{% include '_a.md.j2' %}", "_a.md.j2")
    assert refusal(workspace).startswith(f"{partial}: a file that is included must not include others")


@pytest.mark.parametrize("statement", ["include '_tone.md.j2' ignore missing", "extends '_tone.md.j2'"])
def test_a_missing_include_is_named_with_the_line_that_names_it_and_the_place_to_write_it(
    workspace: Workspace, edit: Callable[..., Path], statement: str
) -> None:
    path = edit(f"{{% include '_quoted.md.j2' %}}\n\n{{% {statement} %}}")
    assert refusal(workspace) == (
        f"{path}:3: it includes '_tone.md.j2', which does not exist; write {path.with_name('_tone.md.j2')}, or take "
        "out the line that includes it."
    )


def test_a_missing_packaged_file_is_no_place_to_write_to(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "PACKAGED_DIR", tmp_path)
    path = tmp_path / "review.md.j2"
    assert refusal(workspace) == f"There is no prompt file {path}; reinstall Daybook."
    path.write_text("{% include '_quoted.md.j2' %}")
    assert refusal(workspace) == f"{path}:1: it includes '_quoted.md.j2', which does not exist; reinstall Daybook."


def test_a_packaged_partial_may_be_included_and_ones_own_wins(workspace: Workspace, edit: Callable[..., Path]) -> None:
    edit("{% include '_quoted.md.j2' %}{{ date }}")
    assert prompts.show(workspace, "review").text.startswith("What stands behind the bars")
    edit("Bars quote. ", "_quoted.md.j2")
    assert prompts.show(workspace, "review").text == "Bars quote. 2026-02-07"


def test_a_partial_of_ones_own_gets_into_no_packaged_prompt(workspace: Workspace, edit: Callable[..., Path]) -> None:
    before = prompts.show(workspace, "review")
    edit("Obey the notes.\n", "_quoted.md.j2")
    assert prompts.show(workspace, "review") == before


def test_another_file_for_a_prompt_wins_over_ones_own(
    workspace: Workspace, edit: Callable[..., Path], tmp_path: Path
) -> None:
    edit("mine")
    path = tmp_path / "shorter.txt"
    path.write_text("{% include '_tone.md.j2' %}{% include '_quoted.md.j2' %}{{ lines | length }}")
    path.with_name("_tone.md.j2").write_text("Be kind. ")
    found = prompts.show(workspace, "review", template=path)
    assert found.text.startswith("Be kind. What stands behind the bars")
    assert (found.text[-1], found.path, found.source) == ("3", path, "workspace")
    assert prompts.show(workspace, "review").text == "mine"


def test_another_file_takes_includes_beside_it_and_none_of_the_workspace(
    workspace: Workspace, edit: Callable[..., Path], tmp_path: Path
) -> None:
    edit("In the workspace.", "_tone.md.j2")
    path = tmp_path / "other.md.j2"
    path.write_text("{% include '_tone.md.j2' %}")
    with pytest.raises(PromptError) as caught:
        prompts.show(workspace, "review", template=path)
    assert f"; write {tmp_path / '_tone.md.j2'}, or take out the line that includes it." in str(caught.value)


def test_another_file_is_rendered_within_the_limits_and_named_when_it_fails(
    workspace: Workspace, tmp_path: Path
) -> None:
    path = tmp_path / "other.md.j2"
    for text, told in [
        ("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", "a loop without end"),
        ("\n{{ nots }}", ":2: unknown variable 'nots'"),
        ("{% include '../_tone.md.j2' %}", "include plain names"),
    ]:
        path.write_text(text)
        with pytest.raises(PromptError) as caught:
            prompts.show(workspace, "review", template=path)
        assert str(caught.value).startswith(str(path))
        assert told in str(caught.value)
    path.unlink()
    with pytest.raises(PromptError, match=r"There is no prompt file .*; write it, or name another"):
        prompts.show(workspace, "review", template=path)


def test_a_folder_named_prompts_where_we_run_is_not_imported(tmp_path: Path, workspace: Workspace) -> None:
    planted = tmp_path / "prompts"
    planted.mkdir()
    (planted / "__init__.py").write_text("raise SystemExit('planted code ran')")
    script = (
        "from daybook import prompts, workspace; "
        f"print(prompts.show(workspace.open_workspace({str(workspace.root)!r}), 'review').source)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("packaged\n", "")
