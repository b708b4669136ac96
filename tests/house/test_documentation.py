"""What can be typed or set is documented, and what is documented exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from daybook import settings
from daybook.cli import parser
from daybook.settings import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = sorted(
    command
    for action in parser._parser()._actions
    if action.choices
    for command in action.choices  # type: ignore[union-attr]
)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_stands_in_the_readme(command: str) -> None:
    assert re.search(rf"`(?:daybook )?{command}\b", README)


def test_the_settings_in_the_readme_are_all_there_are_and_all_valid() -> None:
    blocks = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", README, flags=re.DOTALL)]
    for raw in blocks:
        settings.validate(raw, "README.md")
    whole = max(blocks, key=len)
    assert set(whole) == set(Settings.model_fields)
    checks = {name for check in whole["checks"].values() for name in check}
    # Instead of `every` there may be `cron`, which stands in its comment.
    assert checks == set(settings.CheckSettings.model_fields) - {"cron"}
    for name, part in {"notify": settings.Notify, "budget": settings.Budget, "models": settings.Models}.items():
        assert set(whole[name]) == set(part.model_fields)
    # Of three ways to a password the others stand in a comment.
    assert set(settings.Mailbox.model_fields) - set(whole["mailboxes"][0]) == {"password_env", "password_file"}


def test_every_make_target_in_the_readme_and_contributing_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, flags=re.MULTILINE))
    for document in ("README.md", "CONTRIBUTING.md"):
        named = set(re.findall(r"`make ([a-z]+)", (ROOT / document).read_text(encoding="utf-8")))
        assert named <= targets


def test_every_room_of_the_core_stands_on_the_map() -> None:
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rooms = {path.stem if path.suffix == ".py" else path.name for path in (ROOT / "daybook").iterdir()}
    rooms -= {"__init__", "__pycache__", "py.typed", "py"}
    assert {room for room in rooms if f"`{room}`" not in contributing and f"`{room}/`" not in contributing} == set()
