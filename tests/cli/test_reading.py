from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from daybook.guard import register
from daybook.sources import tracking

COMMAND = [str(Path(sys.executable).with_name("daybook"))]

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

    from daybook.workspace import Workspace

    Daybook = Callable[..., CompletedProcess[str]]


def answer(done: CompletedProcess[str]) -> Any:
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_init_makes_or_adopts_and_changes_nothing_that_is_there(daybook: Daybook, tmp_path: Path) -> None:
    folder = tmp_path / "brought"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("- mine\n")
    (folder / "daybook.toml").write_text('[notify]\nurls = ["json://127.0.0.1/"]\n')
    first = answer(daybook("init", str(folder), "--json"))
    assert (first["workspace"], first["made"], first["waits_for_trust"]) == (
        str(folder),
        [".daybook/.gitignore", "memory/.gitignore", "memory/.gitattributes"],
        ["notify"],
    )
    assert (folder / "MEMORY.md").read_text() == "- mine\n"
    again = answer(daybook("init", str(folder), "--json"))
    assert (again["id"], again["made"]) == (first["id"], [])


def test_context_shows_memory_and_topics_only_to_the_operators_own_session(
    workspace: Workspace, daybook: Daybook
) -> None:
    now = datetime.now(UTC)
    workspace.longterm.write_text("## Lessons\n\n- The safe is behind the clock.\n")
    workspace.topics_dir.mkdir()
    workspace.topic("garden").write_text("# Garden\n\n- Roses need lime.\n")
    (workspace.memory_dir / "archive.md").write_text("- The old safe was blue.\n")
    workspace.pending.write_text("- [ ] **Add** (Lessons): The spare key is red.\n")
    (workspace.root / "SOUL.md").write_text("Be brief.\n")
    register.write(workspace, ["Send the invoices."], now)
    workspace.daily_note(now.date()).write_text(
        "- 09:00 - The router moved.\n- 09:01 - [mail] from Ana: hello\n- 09:02 - Send the invoices.\n"
    )
    workspace.inbox.write_text("- The printer moved.\n- [news] Something happened.\n")
    plain, main = (answer(daybook("context", *flags, "--json")) for flags in ([], ["--main"]))
    names = [part["name"] for part in plain["parts"]]
    note = f"memory/{now.date()}.md"
    assert names == ["SOUL.md", note, "memory/_inbox.md"]
    assert [part["name"] for part in main["parts"]] == ["SOUL.md", "MEMORY.md", "topics", *names[1:]]
    assert [part["outside"] for part in plain["parts"]] == [0, 2, 1]
    secret = ["safe", "Roses", "garden", "spare key", "invoices", "hello", "Something"]
    for text in (str(plain), daybook("context").stdout):
        assert [word for word in secret if word in text] == []
        assert ("The router moved." in text, "The printer moved." in text) == (True, True)
    text = daybook("context", "--main").stdout
    assert [word for word in secret if word in text] == ["safe", "garden"]


def test_status_and_prompts_answer_in_json(workspace: Workspace, daybook: Daybook) -> None:
    before = sorted(path for path in workspace.root.rglob("*") if path.is_file())
    status = answer(daybook("status", "--json"))
    assert (status["workspace"], status["at_home"], status["up"], status["problems"]) == (
        str(workspace.root),
        True,
        False,
        [],
    )
    assert set(status["checks"]) == {"news", "mail", "inbox", "review", "day"}
    assert status["memory"]["max_lines"] == 80
    assert [row["source"] for row in answer(daybook("prompts", "list", "--json"))["prompts"]] == ["packaged"] * 5
    workspace.prompts_dir.mkdir()
    (workspace.prompts_dir / "review.md.j2").write_text("On {{ date }}: {{ lines | length }} lines.\n")
    shown = answer(daybook("prompts", "show", "review", "--json"))
    assert (shown["name"], shown["source"]) == ("review", "workspace")
    assert shown["text"].startswith("On 20")
    assert daybook("prompts", "show", "review").stdout == shown["text"]
    (workspace.prompts_dir / "review.md.j2").unlink()
    assert sorted(path for path in workspace.root.rglob("*") if path.is_file()) == before


@pytest.mark.usefixtures("migrated_database")
def test_the_schemas_fit_what_a_run_by_hand_publishes(workspace: Workspace, daybook: Daybook) -> None:
    now = datetime.now(UTC)
    workspace.daily_note(now.date()).write_text("- 00:01 - Decision: invoices are paid on Fridays.\n")
    progress = tracking.Progress("feed", "k", "Feed", validators=('"v1"', None))
    tracking.commit(workspace, [progress], now)
    done = daybook("review", "--json", "--main")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    record = json.loads(done.stdout)
    assert (record["outcome"], record["trigger"], record["diff"]) == (
        "done",
        "hand",
        ["+ - invoices are paid on Fridays."],
    )
    (kept,) = workspace.runs_dir.rglob("*.json")
    assert json.loads(kept.read_bytes()) == record
    assert "- invoices are paid on Fridays." in workspace.longterm.read_text().splitlines()
    schemas = answer(daybook("schema"))
    assert answer(daybook("schema", "run", "--json")) == schemas["run"]
    for name, path in (
        ("run", kept),
        ("state", workspace.heartbeat_state),
        ("tracking", workspace.source_tracking),
    ):
        jsonschema.Draft202012Validator.check_schema(schemas[name])
        jsonschema.validate(json.loads(path.read_bytes()), schemas[name])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(record | {"outcome": "splendid"}, schemas["run"])


def test_a_reader_that_goes_away_is_no_error(workspace: Workspace) -> None:
    from_the_command = ["schema", "status", "context"]
    (workspace.root / "SOUL.md").write_text("Be brief.\n" * 20_000)
    for name in from_the_command:
        with subprocess.Popen(
            [*COMMAND, name], cwd=workspace.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            assert (process.stderr.read(), process.wait(30)) == (b"", 1)
