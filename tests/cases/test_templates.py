"""O13: a template of the operator's, or of whoever wrote into the folder, reaches nothing and ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from daybook import prompts
from daybook.errors import PromptError

if TYPE_CHECKING:
    from pathlib import Path

    from daybook.workspace import Workspace

SECRET = "what no template may show"
HOSTILE = {
    "the environment": "{{ namespace.__init__.__globals__['os'].environ['GEMINI_API_KEY'] }}",
    "a class": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "another folder": "{% include '../secret.md.j2' %}",
    "a whole path": "{% include '/etc/hostname' %}",
    "a computed name": "{% include '../' ~ 'secret' ~ '.md.j2' %}",
    "an endless loop": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "all memory": "{{ 'x' * 10 ** 10 }}",
}


@pytest.mark.parametrize("by", ["its own file", "a partial", "a comparison"])
@pytest.mark.parametrize("name", ["review", "mail_triage"])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_o13_a_template_that_reaches_out_or_never_ends_is_refused(
    text: str, name: str, by: str, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red if a template is rendered outside the sandbox or without limits, or a partial is not looked at."""
    monkeypatch.setenv("GEMINI_API_KEY", SECRET)
    (workspace.root / "secret.md.j2").write_text(SECRET)
    (tmp_path / "secret.md.j2").write_text(SECRET)
    folder = tmp_path / "elsewhere" if by == "a comparison" else workspace.prompts_dir
    folder.mkdir()
    main = folder / f"{name}.md.j2"
    main.write_text("{% include '_part.md.j2' %}" if by == "a partial" else text)
    (folder / "_part.md.j2").write_text(text)
    with pytest.raises(PromptError) as caught:
        prompts.show(workspace, name, template=main if by == "a comparison" else None)
    assert SECRET not in str(caught.value)
    assert str(folder) in str(caught.value)
