"""`daybook prompts eval`, as a user runs it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from daybook import prompts
from daybook.evaluation.cases import FORMS
from daybook.evaluation.loading import cases_of
from daybook.models.pricing import price_of_tokens

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybook.workspace import Workspace

    Command = Callable[..., Any]

MODEL = "google:gemini-flash-lite-latest"


def test_without_a_key_the_rules_are_tried_on_every_prompt(command: Command) -> None:
    done = command()
    assert (done.code, done.err) == (0, "")
    assert "review, extractive (the extractive review)\n" in done.out
    assert "\n\nsecond_opinion: no cases\n\n" in done.out
    assert (done.out[-1], done.out[-2:] == "\n\n") == ("\n", False)
    (sealed,) = {line for line in done.out.splitlines() if line.startswith("  sealed     19")}
    assert sealed.split() == ["sealed", "19", "19", "9", "1.000", "0.375", "-", "-", "-"]
    wrong = (
        "    kokyaku-list-soto-ni-okanai (sealed, ja, dropped-never): expected add from 1 with '置かない'; came nothing"
    )
    # Who has seen a sealed case can tune a prompt to it.
    assert wrong not in done.out.splitlines()
    assert "    10 sealed, which --sealed names (then they test no edit of yours any more)" in done.out.splitlines()
    assert wrong in command("review", "--sealed").out.splitlines()


def test_the_table_holds_what_was_refused_and_the_result_that_came_with_daybook(command: Command) -> None:
    done = command("capture", "--model", "recorded:hand")
    lines = done.out.splitlines()
    assert done.code == 0
    assert lines[1].split() == ["set", "cases", "answered", "right", "precision", "recall", "tokens", "USD", "refused"]
    (before,) = [index for index, line in enumerate(lines) if line.startswith("  before, ")]
    assert "(came with Daybook), prompt " in lines[before]
    assert lines[2:before] == lines[before + 1 : before + 1 + before - 2]
    assert lines[3].split() == ["sealed", "10", "10", "7", "1.000", "0.400", "-", "-", "ungrounded", "4"]
    # Columns are aligned: what was refused begins where its heading does.
    assert {line[lines[1].index("refused") - 1] for line in lines[1:before]} == {" "}


def test_as_json_it_is_one_object_with_everything(command: Command, workspace: Workspace) -> None:
    hidden = command("capture", "--model", "recorded:hand", "--json")
    assert {case["set"] for case in hidden.json["prompts"][0]["cases"]} == {"open"}
    done = command("--model", "recorded:hand", "--json", "--sealed")
    assert (done.code, done.json["ok"]) == (0, True)
    by_name = {one["prompt"]: one for one in done.json["prompts"]}
    assert by_name["second_opinion"] == {"prompt": "second_opinion", "cases": []}
    review = by_name["review"]
    assert (review["model"], review["sha256"]) == ("recorded:hand", prompts.show(workspace, "review").sha256)
    assert review["sets"] == review["before"]["sets"]
    assert review["before"]["shipped"] is True
    assert review["sets"][1] == {
        "set": "sealed",
        "cases": 19,
        "answered": 19,
        "right": 16,
        "precision": 0.933,
        "recall": 0.875,
        "refused": {"ungrounded": 2},
        "calls": 0,
        "tokens_in": 0,
        "tokens_out": 0,
        "usd": 0.0,
    }
    (case,) = [one for one in review["cases"] if one["name"] == "backup-hour-moved"]
    assert case == {
        "name": "backup-hour-moved",
        "set": "sealed",
        "language": "en",
        "traps": ["contradiction"],
        "outcome": "answered",
        "right": True,
        "matched": 1,
        "refused": {},
        "calls": 0,
        "tokens_in": 0,
        "tokens_out": 0,
        "usd": 0.0,
        "expected": ["revise e1 from 2 with '03:40'"],
        "kept": ["revise e1 'Nightly backup of brass.example.org now starts at 03:40' from 2"],
        "astray": [],
        "sentence": "",
    }


@pytest.mark.parametrize("prompt", FORMS)
@pytest.mark.parametrize("leave_out", ["{{ ", "2. "], ids=["lines", "rule"])
def test_a_prompt_that_was_changed_ends_the_command_with_1_with_recorded_answers(
    command: Command, workspace: Workspace, prompt: str, leave_out: str
) -> None:
    lines = prompts.show(workspace, prompt).path.read_text().splitlines(keepends=True)
    left = [line for line in lines if not line.startswith(leave_out)]
    assert left != lines
    workspace.prompts_dir.mkdir()
    (workspace.prompts_dir / f"{prompt}.md.j2").write_text("".join(left))
    done = command(prompt, "--model", "recorded:hand")
    assert done.code == 1
    assert done.out.count("  ! ") == 1
    assert "  not right: " not in done.out
    # Nothing was answered, so that there is no figure, and none that could have dropped.
    rows = [line.split() for line in done.out.splitlines() if line.startswith("  sealed ")]
    assert rows[0][2:6] == ["0", "0", "-", "-"]
    assert float(rows[1][4]) > 0
    assert f"  ! The text of the prompt {prompt} has changed since the answers in " in done.out


def test_a_prompt_that_cannot_be_rendered_is_an_error_also_with_recorded_answers_but_not_for_the_rules(
    command: Command, workspace: Workspace
) -> None:
    workspace.prompts_dir.mkdir()
    (workspace.prompts_dir / "review.md.j2").write_text("{{ nothing }}")
    done = command("review", "--model", "recorded:hand")
    assert (done.code, done.out) == (1, "")
    assert "unknown variable 'nothing'" in done.err
    assert command("review", "--model", "extractive").code == 0


def test_cases_of_the_operator_are_tried_too_and_compared_from_then_on(
    command: Command, own: Callable[..., Path], workspace: Workspace
) -> None:
    own()
    first, second = command("mail_triage", "--model", "extractive"), command("mail_triage", "--model", "extractive")
    assert (first.code, second.code) == (0, 0)
    assert any(line.split()[:4] == ["own/mine", "2", "2", "0"] for line in first.out.splitlines())
    shipped = len(cases_of(workspace, "mail_triage")) - 2
    assert f"The saved result is of other cases (2 new); {shipped} cases could be compared." in first.out
    assert "The saved result is of other cases" not in second.out


def test_a_damaged_file_of_cases_ends_the_command(command: Command, own: Callable[..., Path]) -> None:
    path = own("[[case]]\nname = 'x'")
    done = command("mail_triage")
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[0] == f"daybook: {path}, case 'x', language: it is missing."


def test_a_name_that_is_no_prompt_and_wrong_arguments_are_told(command: Command) -> None:
    unknown = command("reviews")
    assert (unknown.code, unknown.out) == (1, "")
    assert unknown.err.startswith("daybook: There is no prompt 'reviews'; known are review,")
    wrong = command("review", "--record", "x", "--model", "recorded:hand")
    assert (wrong.code, wrong.err) == (
        2,
        "daybook: Only a model's answers can be recorded, and recorded:hand is none; name one with --model.\n",
    )


def test_a_folder_of_cases_that_no_prompt_reads_is_told_beside_the_output(
    command: Command, own: Callable[..., Path]
) -> None:
    folder = own("", "reviews").parent
    done = command("capture")
    assert done.code == 0
    assert done.err == f"daybook: {folder} has no effect: cases are of review, mail_triage, news_rank, capture.\n"


@pytest.mark.usefixtures("only_own")
def test_a_models_cost_and_recording_are_shown_and_its_progress_only_at_a_terminal(
    command: Command, gemini: Any, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    gemini.will_say({"levels": [{"id": 1, "level": "urgent"}]})
    done = command("mail_triage", "--model", MODEL, "--record", "gem")
    assert (done.code, done.err) == (0, "")
    usd = f"{2 * (price_of_tokens(MODEL, 1100, 70) or 0):.4f}"
    assert done.out.splitlines()[2].split()[:8] == ["own/mine", "2", "2", "1", "0.500", "0.500", "2,340", usd]
    assert f"  recorded in {workspace.prompts_dir}/cases/mail_triage/recorded/gem.toml" in done.out
    assert "  no result was saved before\n" in done.out
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert command("mail_triage", "--model", MODEL).err.splitlines() == [
        "mail_triage 1/2: boiler",
        "mail_triage 2/2: two-letters",
    ]
    gemini.script.clear()
    gemini.will_say({"levels": []})
    assert command("mail_triage", "--model", MODEL).code == 1
    worse = command("mail_triage", "--model", MODEL, "--save")
    assert worse.code == 0
    assert "  accepted: own/mine: recall fell from 0.500 to 0.000 (0 after 1 of 2).\n" in worse.out


@pytest.mark.usefixtures("workspace")
def test_without_a_key_one_line_says_that_nobody_was_asked(command: Command) -> None:
    done = command("capture", "--model", MODEL)
    assert done.code == 1
    (fault,) = [line for line in done.out.splitlines() if line.startswith("  ! ")]
    assert fault.startswith(f"  ! 24 of 24 cases were not asked: {MODEL} ")
    assert "  not right: " not in done.out
    assert [line.split()[1:6] for line in done.out.splitlines()[2:4]] == [
        ["14", "0", "0", "-", "-"],
        ["10", "0", "0", "-", "-"],
    ]
    found = command("capture", "--model", MODEL, "--json").json["prompts"][0]
    assert [(one["precision"], one["recall"]) for one in found["sets"]] == [(None, None), (None, None)]
    assert [one["outcome"] for one in found["cases"]] == ["no-key", *["not-asked"] * 13]


@pytest.mark.usefixtures("only_own")
def test_a_message_that_does_not_matter_and_has_the_wrong_level_is_shown(command: Command, gemini: Any) -> None:
    gemini.will_say(
        {"levels": [{"id": 1, "level": "urgent"}]},
        {"levels": [{"id": 1, "level": "needs-answer"}, {"id": 2, "level": "noise"}]},
    )
    done = command("mail_triage", "--model", MODEL)
    assert done.code == 0
    assert done.out.splitlines()[2].split()[:6] == ["own/mine", "2", "2", "1", "1.000", "1.000"]
    told = "    two-letters (own/mine, de): expected 1 needs-answer; came 1 needs-answer; 2 noise for information"
    assert told in done.out.splitlines()


def test_the_help_says_what_costs_money_and_what_the_exit_code_means(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        command("--help")
    told = " ".join(capsys.readouterr().out.split())
    assert "It asks the model that is configured for the prompt, about every case, which costs money;" in told
    assert "Exit code 1 means that a result is worse than the last one, or that cases had no answer." in told
