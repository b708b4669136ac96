"""`daybook note`: stage a line in the inbox, or with `--today` write it into today's note."""

from __future__ import annotations

import sys

from daybook.errors import UsageError
from daybook.finding import find_root
from daybook.guard.secrets import redact
from daybook.memory import staging

USAGE = """usage: daybook note [--today] [--lesson | --decision] [--json] TEXT...

Stage one thing just learned in memory/_inbox.md; with --today write it into today's note at once.

  TEXT        what was learned; `-` reads lines from standard input
  --today     write into today's note instead of the inbox
  --lesson    mark it as a lesson
  --decision  mark it as a decision
  --json      print one JSON object
"""
MARKS = {"--lesson": "Lesson: ", "--decision": "Decision: "}


def run(arguments: list[str], named: str | None) -> int:
    """
    Run the command.

    Args:
        arguments: After `note`.
        named: The workspace given before it.

    Raises:
        UsageError: Nothing to note, or an unknown option.
    """
    flags = [a for a in arguments if a.startswith("-") and a != "-"]
    words = [a for a in arguments if not a.startswith("-") or a == "-"]
    if "--" in arguments:
        cut = arguments.index("--")
        flags = [a for a in arguments[:cut] if a.startswith("-") and a != "-"]
        words = [a for a in arguments[:cut] if a not in flags] + arguments[cut + 1 :]
    if "-h" in flags or "--help" in flags:
        print(USAGE, end="")
        return 0
    unknown = [flag for flag in flags if flag not in {*MARKS, "--today", "--json"}]
    marks = [flag for flag in MARKS if flag in flags]
    if unknown or len(marks) > 1:
        wrong = unknown[0] if unknown else " with ".join(marks)
        raise UsageError(f"`daybook note` does not take {wrong}; see `daybook note --help` (text after -- is kept).")
    texts = sys.stdin.buffer.read().decode("utf-8", "replace").splitlines() if words == ["-"] else [" ".join(words)]
    today, lesson = "--today" in flags, "--lesson" in flags
    # Under the heading Lessons of a note a lesson needs no mark of its own.
    mark = MARKS[marks[0]] if marks and not (today and lesson) else ""
    cleaned = [_clean(text) for text in texts if text.strip()]
    lines = [redact(text if text.lower().startswith(mark.lower()) else f"{mark}{text}") for text in cleaned]
    if not lines:
        raise UsageError("There is nothing to note; say what was learned: `daybook note TEXT`.")
    root = find_root(named)
    where = _today(root, lines, lesson=lesson) if today else _stage(root, lines)
    _report(lines, where, as_json="--json" in flags)
    return 0


def _clean(text: str) -> str:
    # Bytes of the command line that are no text come as lone surrogates.
    return text.strip().encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _stage(root: str, lines: list[str]) -> str:
    for line in lines:
        staging.stage(root, line)
    return staging.INBOX


def _today(root: str, lines: list[str], *, lesson: bool) -> str:
    # The date is the workspace's own, so this way of noting has to read its zone.
    from daybook import clock, tomlfile  # noqa: PLC0415 - start-up time
    from daybook.memory import notes  # noqa: PLC0415 - start-up time
    from daybook.workspace import open_workspace  # noqa: PLC0415 - start-up time

    workspace = open_workspace(root)
    moment = clock.local(clock.now_utc(), tomlfile.zone(workspace))
    heading: notes.Heading | None = "Lessons" if lesson else None
    notes.append(workspace, moment.date(), [notes.note_line(line, moment, heading=heading) for line in lines])
    return workspace.relative(workspace.daily_note(moment.date()))


def _report(lines: list[str], where: str, *, as_json: bool) -> None:
    if as_json:
        import json  # noqa: PLC0415 - start-up time

        print(json.dumps({"file": where, "lines": lines}, ensure_ascii=False))
    else:
        print(f"noted in {where}")
