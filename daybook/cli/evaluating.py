"""`daybook prompts eval`: try golden cases, and compare with the last result."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING

from daybook import clock, settings
from daybook.cli.terminal import complain, progress
from daybook.evaluation import table
from daybook.evaluation.cases import FORMS
from daybook.evaluation.evaluate import evaluate
from daybook.evaluation.loading import unread
from daybook.evaluation.wishes import Wish
from daybook.prompts.declared import PROMPTS
from daybook.prompts.rendering import declared
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace

    from daybook.evaluation.evaluate import Evaluation
    from daybook.models.choice import Purpose
    from daybook.settings import Settings
    from daybook.workspace import Workspace


def run(options: Namespace) -> int:
    """
    Run the command.

    Raises:
        PromptError: There is no such prompt, or a file of its cases is damaged.
        UsageError: The arguments do not go together.
    """
    workspace = open_workspace(options.workspace)
    loaded = settings.load(workspace)
    names = [declared(options.name).name] if options.name else list(PROMPTS)
    complain(unread(workspace))
    found = {}
    for name in names:
        found[name] = _evaluate(workspace, loaded.settings, name, options)
        # Each as it is done: a model takes its time.
        if not options.json:
            print(_told(name, found[name], loaded.settings, options), end="\n\n" if name != names[-1] else "\n")
    ok = all(one is None or one.ok for one in found.values())
    if options.json:
        rows = [
            table.plain(one, sealed=options.sealed) if one else {"prompt": name, "cases": []}
            for name, one in found.items()
        ]
        print(json.dumps({"prompts": rows, "ok": ok}, ensure_ascii=False))
    return 0 if ok else 1


def _evaluate(workspace: Workspace, usable: Settings, name: str, options: Namespace) -> Evaluation | None:
    purpose: Purpose | None = next((form for form in FORMS if form == name), None)
    tell = progress if sys.stderr.isatty() else _in_silence
    wish = Wish(options.model, options.record, save=options.save, sealed=options.sealed, tell=tell)
    return asyncio.run(evaluate(workspace, usable, purpose, clock.now_utc, wish)) if purpose else None


def _told(name: str, found: Evaluation | None, usable: Settings, options: Namespace) -> str:
    return table.told(found, usable.zone, sealed=options.sealed) if found else f"{name}: no cases"


def _in_silence(_: str) -> None:
    """Tell nobody: standard error is no terminal."""
