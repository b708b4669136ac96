"""`daybook why TEXT`: the note lines an entry rests on, and every operation that made it what it is."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from daybook.cli.terminal import under
from daybook.upkeep.why import Step, Story, explain
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace


def run(options: Namespace) -> int:
    """
    Run the command.

    Without `--main` it tells no text of memory, headings and reasons among it: only which entry by its id in the
    ledger, the files, runs and note lines. That an entry holds the words is answered: whoever asks has them already.
    """
    workspace = open_workspace(options.workspace)
    stories = explain(workspace, " ".join(options.text))
    if not options.main:
        stories = [_without_text(story) for story in stories]
    if options.json:
        print(json.dumps({"entries": [_plain(story) for story in stories]}, ensure_ascii=False))
    else:
        print("\n\n".join(map(_told, stories)) or "No entry of memory holds these words, and none ever did.")
    return 0 if stories else 1


def _without_text(story: Story) -> Story:
    steps = tuple(
        replace(step, text="", reason="", sources=tuple(one.model_copy(update={"text": ""}) for one in step.sources))
        for step in story.steps
    )
    return replace(story, text="", section="", steps=steps)


def _plain(story: Story) -> dict[str, object]:
    steps = [{**asdict(step), "sources": [one.model_dump() for one in step.sources]} for step in story.steps]
    return {**asdict(story), "steps": steps}


def _told(story: Story) -> str:
    where = f"{story.file}{under(story.section)}" if story.file else "stands nowhere any more"
    whose = {"ours": "", "adopted": " (adopted)", "yours": " (yours: no operation wrote it)"}[story.whose]
    text = story.text or f"entry {story.lineage or 'of yours'} (`--main` shows its words)"
    agreed = "; you agreed to it" if story.accepted else ""
    return "\n".join([text, f"  {where}{whose}{agreed}", *(line for step in story.steps for line in _step(step))])


def _step(step: Step) -> list[str]:
    by = f" by {step.by}" + (f" through {step.channel}" if step.channel else "")
    prompt = f", prompt {step.prompt[:12]}" if step.prompt else ""
    undone = ", undone since" if step.undone else ""
    because = f": {step.reason}" if step.reason else ""
    lines = [f"  {step.at}  {step.what}{by}, run {step.run or '-'}{prompt}{undone}{because}"]
    for source in step.sources:
        said = f': "{source.text}"' if source.text else ""
        lines.append(f"    <- {source.file}:{source.line} ({source.origin}, {source.date}){said}")
    return lines
