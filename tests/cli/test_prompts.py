"""`daybook prompts check` and `diff`, as a user runs them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from daybook.prompts.finding import PACKAGED_DIR

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from daybook.workspace import Workspace

    Daybook = Callable[..., subprocess.CompletedProcess[str]]

NAMES = ["review", "second_opinion", "mail_triage", "news_rank", "capture"]


@pytest.fixture
def own(workspace: Workspace) -> Callable[[str], Path]:
    """Write a prompt of one's own."""

    def write(text: str, name: str = "review.md.j2") -> Path:
        workspace.prompts_dir.mkdir(exist_ok=True)
        path = workspace.prompts_dir / name
        path.write_text(text)
        return path

    return write


def answer(done: subprocess.CompletedProcess[str], code: int = 0) -> Any:
    assert (done.returncode, done.stderr) == (code, "")
    return json.loads(done.stdout)


@pytest.mark.usefixtures("workspace")
def test_the_packaged_prompts_are_all_right(daybook: Daybook) -> None:
    found = answer(daybook("prompts", "check", "--json"))
    assert [one["name"] for one in found["prompts"]] == NAMES
    assert (found["problems"], found["ok"]) == ([], True)
    assert {(one["source"], tuple(one["problems"]), tuple(one["leaves"])) for one in found["prompts"]} == {
        ("packaged", (), ())
    }
    told = daybook("prompts", "check", "capture")
    assert told.returncode == 0
    tokens = next(one["tokens"] for one in found["prompts"] if one["name"] == "capture")
    assert told.stdout.splitlines() == [
        f"capture: in order, packaged, about {tokens} tokens",
        f"  {PACKAGED_DIR / 'capture.md.j2'}",
        "  uses known, turns",
    ]


def test_a_mistake_a_doubt_and_a_file_without_effect_are_told_and_the_first_and_last_fail(
    daybook: Daybook, own: Callable[..., Path]
) -> None:
    opinion = own("On {{ statement }}\n", "second_opinion.md.j2")
    doubtful = daybook("prompts", "check")
    assert doubtful.returncode == 0
    assert "second_opinion: in order, workspace, about " in doubtful.stdout
    assert "  uses statement; leaves out lines, ended\n" in doubtful.stdout
    assert f"  look: {opinion}: it never mentions 'lines', so" in doubtful.stdout
    opinion.unlink()
    path = own("On {{ date }}\n")
    blind = daybook("prompts", "check", "review")
    assert blind.returncode == 1
    assert blind.stdout.startswith(f"review: not in order, workspace, about 4 tokens\n  {path}\n")
    assert f"  wrong: {path}: it never mentions 'lines', so" in blind.stdout
    own("{% for line in lines %}{{ line.text }}{% endfor %}\n")
    stray = own("x", "news.md.j2")
    idle = daybook("prompts", "check")
    assert idle.returncode == 1
    assert idle.stdout.splitlines()[-1].startswith(f"wrong: {stray} has no effect: it is no prompt's file")
    stray.unlink()
    partial, mistaken = own("x", "_quoted.md.j2"), own("x", "capture.md")
    for arguments in ((), ("capture",)):
        idle = daybook("prompts", "check", *arguments)
        assert idle.returncode == 1
        assert [line.partition(": ")[0] for line in idle.stdout.splitlines()[-2:]] == ["wrong", "wrong"]
        assert f"wrong: {partial} has no effect: no prompt of yours includes it" in idle.stdout
        assert f"wrong: {mistaken} has no effect: a prompt's file ends in .md.j2" in idle.stdout
    mistaken.unlink()
    partial.unlink()
    own("one\n{{ nots }}\n")
    wrong = answer(daybook("prompts", "check", "review", "--json"), code=1)
    assert wrong["ok"] is False
    assert wrong["prompts"][0]["problems"][0].startswith(f"{path}:2: unknown variable 'nots'")
    assert wrong["prompts"][0]["tokens"] is None
    assert f"  wrong: {path}:2: unknown variable 'nots'" in daybook("prompts", "check").stdout


def test_the_difference_is_shown_and_where_there_is_none_that_is_said(
    daybook: Daybook, own: Callable[..., Path]
) -> None:
    assert daybook("prompts", "diff", "review").stdout == ("review: no prompt of your own; the packaged one is used.\n")
    packaged = (PACKAGED_DIR / "review.md.j2").read_text()
    path = own(packaged.replace("Answer with the operations now.", "Answer now.\x1b[2J"))
    partial = own("Bars quote.\n", "_quoted.md.j2")
    own((PACKAGED_DIR / "capture.md.j2").read_text(), "capture.md.j2")
    told = daybook("prompts", "diff")
    assert told.returncode == 0
    assert f"--- packaged/review.md.j2\n+++ {path}\n" in told.stdout
    assert "-Answer with the operations now.\n+Answer now.\ufffd[2J\n" in told.stdout
    assert told.stdout.count(f"+++ {partial}\n") == 1
    assert "news_rank: no prompt of your own; the packaged one is used.\n" in told.stdout
    assert f"{path.with_name('capture.md.j2')} is the same as the packaged one." in told.stdout
    found = answer(daybook("prompts", "diff", "--json"))["prompts"]
    assert {one["name"]: [file["path"] for file in one["files"]] for one in found} == {
        "review": [str(path), str(partial)],
        "second_opinion": [],
        "mail_triage": [],
        "news_rank": [],
        "capture": [str(path.with_name("capture.md.j2")), str(partial)],
    }
    assert "+Answer now.\x1b[2J\n" in found[0]["files"][0]["diff"]


@pytest.mark.usefixtures("workspace")
def test_an_unknown_prompt_is_one_sentence(daybook: Daybook) -> None:
    for command in ("check", "diff"):
        done = daybook("prompts", command, "triage")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("daybook: There is no prompt 'triage'; known are review, ")


def test_the_help_says_that_only_eval_costs_money(daybook: Daybook) -> None:
    told = " ".join(daybook("prompts", "--help").stdout.split())
    assert "Only `eval` asks a model, which costs money." in told
