from __future__ import annotations

import json
from typing import TYPE_CHECKING

from daybook import settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

    from daybook.workspace import Workspace

    Daybook = Callable[..., CompletedProcess[str]]
    Terminal = Callable[..., tuple[int, str]]

ACTS = '[checks.sky]\nevery = "1h"\ncommand = ["/bin/echo", "clear"]\n'


def inert(workspace: Workspace) -> tuple[str, ...]:
    return settings.load(workspace).inert


def test_o18_trust_needs_a_person_at_a_terminal(workspace: Workspace, daybook: Daybook) -> None:
    workspace.settings.write_text(ACTS)
    assert inert(workspace) == ("checks.sky",)
    for flags in ([], ["--yes"]):
        done = daybook("trust", *flags, input="y\n")
        assert (done.returncode, done.stderr) == (2, "daybook: This needs a person at a terminal; run it in one.\n")
    seen = daybook("trust", "--json", input="")
    assert (seen.returncode, json.loads(seen.stdout)["trusted"]) == (1, False)
    assert inert(workspace) == ("checks.sky",)


def test_at_a_terminal_trust_allows_exactly_what_it_showed(
    workspace: Workspace, daybook: Daybook, at_a_terminal: Terminal
) -> None:
    workspace.settings.write_text(ACTS)
    code, text = at_a_terminal("trust", answer="n\n")
    assert (code, "Nothing was allowed." in text, inert(workspace)) == (1, True, ("checks.sky",))
    code, text = at_a_terminal("trust", "--yes")
    assert (code, '"/bin/echo", "clear"' in text, text.rstrip().endswith("Allowed.")) == (0, True, True)
    assert inert(workspace) == ()
    assert json.loads(daybook("trust", "--json").stdout)["trusted"] is True
    workspace.settings.write_text(ACTS.replace("clear", "other"))
    assert inert(workspace) == ("checks.sky",)
