"""Templates that reach out, or never end, are refused in about a second."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from daybook import prompts
from daybook.errors import PromptError
from daybook.prompts import limited, template
from daybook.prompts.template import Problem, Source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybook.workspace import Workspace

HUNGRY = "it takes more than a second or too much memory"


def refusal(workspace: Workspace) -> str:
    with pytest.raises(PromptError) as caught:
        prompts.show(workspace, "review")
    return str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "{{ date.__class__ }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ self.__init__.__globals__ }}",
        "{{ prompts.show.__globals__ }}",
        "{{ '{0.__class__}'.format(date) }}",
        "{{ lines.append(1) }}",
        "{{ date | attr('__class__') }}",
        "{{ range.__globals__ }}",
        "{{ namespace.__init__.__globals__['os'].environ }}",
        "{{ joiner.__init__.__globals__ }}",
        "{% set x = cycler.__init__ %}",
    ],
)
def test_reaching_out_of_the_sandbox_is_refused(workspace: Workspace, edit: Callable[..., Path], text: str) -> None:
    path = edit(f"\n{text}")
    told = refusal(workspace)
    assert told.startswith(f"{path}:2: ")
    assert "unsafe" in told or "unknown variable" in told or "has no attribute" in told


@pytest.mark.parametrize(
    "text",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% set n = namespace(s='x') %}{% for i in range(90) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(99) }}",
        "{{ 7 ** (9 ** 9) }}",
        "{{ 'x' * 10 ** 10 }}",
        "{{ 'x' | center(10 ** 10) }}",
        "{{ '%10000000000d' % 1 }}",
        "{% for a in range(10 ** 9) %}{% endfor %}",
        "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
        "{{ " + "9" * 5000 + " }}",
    ],
    ids=[
        "loops",
        "doubling",
        "macros",
        "power",
        "times",
        "center",
        "format",
        "range",
        "recursion",
        "nesting",
        "digits",
    ],
)
def test_what_would_take_for_ever_is_refused(workspace: Workspace, edit: Callable[..., Path], text: str) -> None:
    path = edit(text)
    assert refusal(workspace).startswith(str(path))


def test_a_loop_without_output_is_ended_by_the_kernel(workspace: Workspace, edit: Callable[..., Path]) -> None:
    path = edit("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}")
    assert refusal(workspace).startswith(f"{path}: {HUNGRY}; look for a loop without end; correct it")


def test_too_much_output_is_refused(workspace: Workspace, edit: Callable[..., Path]) -> None:
    path = edit("{% for a in range(2000) %}{{ 'x' * 1000 }}{% endfor %}")
    assert refusal(workspace).startswith(f"{path}: it makes more than 1,000,000 characters; correct it")


def test_the_packaged_prompt_is_bounded_too() -> None:
    sources = [Source("a.md.j2", "a.md.j2", "{{ 'x' * 2000000 }}")]
    assert template.render(sources, [], {}) == Problem("a.md.j2", None, "it makes more than 1,000,000 characters")


def test_a_child_that_hangs_is_ended(
    workspace: Workspace, edit: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limited, "WALL_TIMEOUT_S", 0.001)
    path = edit("{{ date }}")
    assert refusal(workspace).startswith(f"{path}: {HUNGRY}")


def test_a_child_that_cannot_start_says_why(
    workspace: Workspace, edit: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limited, "CHILD", "daybook.prompts.nosuch")
    path = edit("{{ date }}")
    assert refusal(workspace).startswith(f"{path}: the renderer failed: ")


def test_the_child_imports_nothing_from_where_it_runs(
    workspace: Workspace, edit: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (workspace.root, workspace.private):
        for name in ("json.py", "jinja2.py"):
            (folder / name).write_text("raise SystemExit('planted code ran')")
    edit("{{ date }}")
    monkeypatch.chdir(workspace.root)
    monkeypatch.setenv("PYTHONPATH", str(workspace.root))
    assert prompts.show(workspace, "review").text == "2026-02-07"
