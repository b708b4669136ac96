"""
Thirty simulated days of memory: a person, an agent, a bad model, accidents; and what is lost, made up or left open.

No Prefect, no network, no clock: the core functions that the flows call, with the time passed in. What must hold is
asked after every day, by code that knows what is true because it made it up. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from agent import Agent
from fakes import MODEL, EasyOpinion, FakeModel
from lines import BOM, MEMORY
from person import Person
from story import START, Story
from truths import Truths, unlabelled
from watching import Watcher, proposed_facts, told_facts

from daybook import demo
from daybook.review import opinion
from daybook.settings import Models, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator


POSTED_GOAL = 0.60
ZERO = (
    "lines_lost",
    "untrue",
    "over_the_cap",
    "over_the_quota",
    "vanished",
    "replay_differs",
    "undo_differs",
    "restore_differs",
    "forgotten",
    "returned",
    "undone_returned",
    "doubled",
    "failed",
)


def main() -> int:
    arguments = _arguments()
    seeds = [arguments.seed] if arguments.seed is not None else list(range(1, arguments.seeds + 1))
    results = {}
    for seed in seeds:
        results[str(seed)] = figures = tell(seed, arguments.days, verbose=arguments.verbose)
        print(f"seed {seed}, {arguments.days} days: {json.dumps(figures)}")
    goals = dict.fromkeys(ZERO, 0) | {"posted": POSTED_GOAL}
    ok = all(
        figures["posted"] >= POSTED_GOAL and not any(figures[name] for name in ZERO) for figures in results.values()
    )
    print(json.dumps({"bench": "survival", "figures": results, "goals": goals, "ok": ok}))
    return 0 if ok else 1


def tell(seed: int, days: int, *, verbose: bool) -> dict[str, float]:
    """Tell one story; its figures."""
    with tempfile.TemporaryDirectory() as folder, _own_state(folder):
        story = begin(Path(folder), seed)
        setattr(opinion, "ask", story.opinion.answer)  # noqa: B010 - mypy knows that a module's function is no variable
        for number in range(days):
            story.day(number)
        story.finish(days)
        if verbose:
            _explain(story)
        return figures_of(story, START + timedelta(days=days))


def begin(folder: Path, seed: int) -> Story:
    """Make a workspace of the packaged example, with the files of half of the seeds in other shapes."""
    rng = Random(seed)  # noqa: S311 - no secret
    workspace = demo.write(folder / "workspace", "http://127.0.0.1:9/none.xml", START)
    memory = workspace.longterm
    data = memory.read_bytes()
    if seed % 3 == 0:
        data = data.replace(b"\n", b"\r\n")
    if seed % 2 == 0:
        data = BOM + data
    memory.write_bytes(data)
    truths = Truths(rng)
    for path in sorted((workspace.root / "memory").glob("*.md")):
        for line in path.read_text(encoding="utf-8").splitlines():
            text = unlabelled(line.removeprefix("- ").partition(" - ")[2] or line.removeprefix("- "))
            for one in (line.removeprefix("- "), line.removeprefix("- ").partition(" - ")[2], text):
                truths.note(one)
    person = Person(workspace.root, rng)
    person.own(MEMORY)
    return Story(
        workspace=workspace,
        rng=rng,
        truths=truths,
        person=person,
        agent=Agent(workspace.root, rng, truths),
        model=FakeModel(rng, truths),
        opinion=EasyOpinion(rng),
        watcher=Watcher(workspace, person, truths),
        settings=Settings(timezone="UTC", models=Models(review=(MODEL,))),
    )


def figures_of(story: Story, now: datetime) -> dict[str, float]:
    """Count what was found, and how much of what was planted stands in memory."""
    person, truths = story.person, story.truths
    hers = person.deleted | person.doubtful
    reworded = {number for text in person.texts for number in truths.tells(text) or ()}
    out = story.excluded | {number for text in hers for number in truths.tells(text) or ()}
    told = told_facts(story.workspace, truths) | reworded
    accepted = {number for text in story.watcher.accepted for number in truths.tells(text) or ()}
    waits = proposed_facts(story.workspace, truths, now)
    counting = [fact.number for fact in truths.facts if fact.number not in out]
    posted = [number for number in counting if number in told - accepted]
    found = story.watcher.found
    return {
        "planted": len(counting),
        "posted": round(len(posted) / max(1, len(counting)), 3),
        "accepted": sum(number in accepted for number in counting),
        "proposed": sum(number in waits - told for number in counting),
        "runs": story.runs,
        "opinions_asked": story.opinion.asked,
        "opinions_agreed": story.opinion.agreed,
        "person_edits": sum(person.counts.values()),
        **{name: story.counts[name] for name in ("undone runs", "rewritten", "restored", "checked out", "held")},
        "only_in_ledger": len(story.watcher.only_in_ledger),
        **{name: len(found.get(name, ())) for name in ZERO},
    }


def _explain(story: Story) -> None:
    for kind, sentences in story.watcher.found.items():
        for sentence in sentences:
            print(f"  {kind}: {sentence}")
    print(f"  proposed by the model: {dict(sorted(story.model.counts.items()))}")
    print(f"  came to: {dict(sorted(story.counts.items()))}")
    print(f"  the person: {dict(story.person.counts)}")


@contextmanager
def _own_state(folder: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ |= {"XDG_STATE_HOME": f"{folder}/state", "TZ": "UTC"}
    for name in ("DAYBOOK_WORKSPACE", "DAYBOOK_MACHINE", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        os.environ.pop(name, None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ |= before


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Thirty simulated days of memory.")
    parser.add_argument("--seed", type=int, help="tell this story only")
    parser.add_argument("--seeds", type=int, default=5, help="how many stories, from seed 1 on (default: 5)")
    parser.add_argument("--days", type=int, default=30, help="how long each is (default: 30)")
    parser.add_argument("--verbose", action="store_true", help="also print every fault, and what came of what")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
