"""The commands and their arguments; each command's code is imported only when it runs."""

from __future__ import annotations

import argparse
import importlib
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from daybook import VERSION
from daybook.cli import feeds
from daybook.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

FLOWS = {
    "heartbeat": "look whether anything is due, and do it",
    "news": "scan the feeds now",
    "mail": "check the mailboxes now",
    "flush": "flush the inbox into the note and memory now",
    "review": "review the last notes into MEMORY.md now",
    "day": "write the roll-up of the day now",
}


class _Parser(argparse.ArgumentParser):
    def __init__(self, **options: Any) -> None:
        # An abbreviation that works today may mean another option tomorrow.
        super().__init__(**options, allow_abbrev=False)

    def error(self, message: str) -> None:  # type: ignore[override] # argparse exits here; we raise, as everywhere
        raise UsageError(f"{message}; see `{self.prog} --help`.")


def run(arguments: Sequence[str]) -> int:
    """
    Parse and run one command.

    Raises:
        UsageError: The arguments are wrong.
    """
    parser = _parser()
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        about = f"{parser.prog} {options.command}" if options.command else parser.prog
        raise UsageError(f"unrecognized arguments: {' '.join(unknown)}; see `{about} --help`.")
    if options.command is None:
        parser.print_help()
        return 0
    module = importlib.import_module(f"daybook.cli.{options.module}")
    return int(module.run(options))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="daybook", description="A memory that keeps itself for stateless AI agents.")
    parser.add_argument("--workspace", metavar="PATH", help="the workspace (default: found from the current folder)")
    parser.add_argument("--version", action="version", version=f"daybook {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    _add_workspace_commands(commands)
    _add_flow_commands(commands)
    _add_feed_commands(commands)
    _add_reading_commands(commands)
    return parser


def _add_workspace_commands(commands: argparse._SubParsersAction[_Parser]) -> None:
    init = _command(commands, "init", "init", "make or adopt a workspace; changes nothing that is there")
    init.add_argument("path", nargs="?", metavar="PATH", help="the folder (default: ~/daybook)")
    init.add_argument(
        "--curate",
        choices=("all", "ours"),
        help="may every entry be curated (an agent wrote them), or only Daybook's own (default)?",
    )
    demo = _command(commands, "demo", "demo", "one heartbeat and one review on a throw-away workspace, and the diffs")
    demo.add_argument("--keep", metavar="PATH", help="write the workspace there and keep it")
    _command(commands, "up", "up", "server, schedules and UI in the foreground; Ctrl-C ends them", as_json=False)
    _command(commands, "ui", "ui", "open the UI and print its login")
    _command(commands, "env", "env", "print settings for Prefect's own command line", as_json=False)
    trust = _command(commands, "trust", "trust", "show what daybook.toml may do here, and allow it")
    trust.add_argument("--yes", action="store_true", help="do not ask (needs a terminal all the same)")


def _add_flow_commands(commands: argparse._SubParsersAction[_Parser]) -> None:
    for name, about in FLOWS.items():
        command = _command(commands, name, "run_flow", about)
        command.add_argument("--dry-run", action="store_true", help="say what would be done; write nothing")
        command.add_argument("--main", action="store_true", help="the operator's own session: show text of memory too")
        if name == "heartbeat":
            command.add_argument("--check", default="", metavar="NAME", help="run this command of yours, due or not")
        if name == "review":
            command.add_argument("--since", type=_date, metavar="DATE", help="read every note from this date on")
            command.add_argument(
                "--compare",
                default="",
                metavar="MODEL|PROMPT",
                help="show what another model or template (*.j2) would do with the last window; write nothing",
            )


def _add_feed_commands(commands: argparse._SubParsersAction[_Parser]) -> None:
    group = commands.add_parser("feeds", help=feeds.ABOUT, description=f"{feeds.ABOUT[0].upper()}{feeds.ABOUT[1:]}.")
    which = group.add_subparsers(dest="feeds_command", metavar="COMMAND", required=True, parser_class=_Parser)
    feeds.add_arguments(partial(_command, which))


def _add_reading_commands(commands: argparse._SubParsersAction[_Parser]) -> None:
    commands.add_parser("note", help="stage a line in the inbox, or write it into today's note", add_help=False)
    context = _command(commands, "context", "context", "what a session should load")
    context.add_argument("--main", action="store_true", help="the operator's own session: with MEMORY.md and topics")
    context.add_argument("--budget", type=_tokens, metavar="TOKENS", help="cut notes to about this many tokens")
    _command(commands, "status", "status", "checks, memory, inbox, pending and problems at a glance")
    _command(commands, "doctor", "doctor", "what is wrong with the workspace or this machine, and what to do about it")
    pending = _command(commands, "pending", "pending", "list the proposals that wait; accept or refuse one")
    pending.add_argument("action", nargs="?", choices=("accept", "refuse"), help="do it now (asks at a terminal)")
    pending.add_argument("id", nargs="?", metavar="ID", help="which; its first four signs may do")
    pending.add_argument("--main", action="store_true", help="the operator's own session: show text of memory too")
    pending.add_argument("--yes", action="store_true", help="do not ask (needs a terminal all the same)")
    _add_memory_commands(commands)
    schema = _command(commands, "schema", "schema", "JSON Schemas of what Daybook publishes")
    schema.add_argument("name", nargs="?", choices=("run", "state", "tracking"), help="one of them (default: all)")
    _add_prompt_commands(commands)
    notify = commands.add_parser("notify", help="try the addresses of notices", description="Notices.")
    tried = notify.add_subparsers(dest="notify_command", metavar="COMMAND", required=True, parser_class=_Parser)
    _command(tried, "test", "notify", "send a test message to each address, and fetch the ping address")


def _add_prompt_commands(commands: argparse._SubParsersAction[_Parser]) -> None:
    prompts = commands.add_parser(
        "prompts",
        help="list, show, check, compare and try the prompts",
        description="List, show, check, compare and try the prompts. Only `eval` asks a model, which costs money.",
    )
    which = prompts.add_subparsers(dest="prompts_command", metavar="COMMAND", required=True, parser_class=_Parser)
    _command(which, "list", "prompts", "name the prompts and where each comes from")
    show = _command(which, "show", "prompts", "render a prompt with sample data")
    show.add_argument("name", metavar="NAME")
    check = _command(which, "check", "prompts", "say what each prompt uses, how long it is and what is wrong with it")
    check.add_argument("name", nargs="?", metavar="NAME", help="one of them (default: all)")
    diff = _command(which, "diff", "prompts", "show how your own prompts differ from the packaged ones")
    diff.add_argument("name", nargs="?", metavar="NAME", help="one of them (default: all)")
    evaluate = _command(which, "eval", "evaluating", "try golden cases, and compare with the last result")
    evaluate.description = (
        "Try golden cases, and compare with the last result. It asks the model that is configured for the prompt, "
        "about every case, which costs money; `--model extractive` and `--model recorded:NAME` ask nobody. Exit code 1 "
        "means that a result is worse than the last one, or that cases had no answer."
    )
    evaluate.add_argument("name", nargs="?", metavar="NAME", help="one of them (default: all)")
    evaluate.add_argument(
        "--model",
        default="",
        metavar="MODEL",
        help="provider:name, recorded:NAME or extractive (default: as configured)",
    )
    evaluate.add_argument("--record", default="", metavar="NAME", help="keep a model's answers as recorded:NAME")
    evaluate.add_argument(
        "--save", action="store_true", help="accept the result also where it is worse, unless it was broken off"
    )
    evaluate.add_argument("--sealed", action="store_true", help="name the sealed cases too")


def _add_memory_commands(commands: argparse._SubParsersAction[_Parser]) -> None:
    why = _command(commands, "why", "why", "say why memory holds an entry")
    why.add_argument("text", nargs="+", metavar="TEXT", help="an entry or a part of one")
    undo = _command(commands, "undo", "undo", "take back what a run did to memory")
    undo.add_argument("run", nargs="?", metavar="RUN", help="id of the run (default: the last that changed memory)")
    restore = _command(commands, "restore", "restore", "bring back what an accident took out of memory")
    restore.add_argument("--keep", action="store_true", help="agree with the files as they are instead")
    forget = _command(commands, "forget", "forget", "take an entry out for good, also out of ledger and versions")
    forget.description = (
        "Take an entry out for good, also out of ledger, earlier versions, proposals and run records. It shows the "
        "entry's text at the terminal it asks at. Daily notes, claimed inboxes, set-aside copies and git's history are "
        "not rewritten: where the first three hold the words is told. Prefect's own database keeps what runs showed in "
        "the UI until its retention ends."
    )
    forget.add_argument("text", nargs="+", metavar="TEXT", help="the entry, or a part that no other one has")
    rebuild = _command(commands, "rebuild", "rebuild", "bring back the entries that the ledger holds")
    rebuild.add_argument("--check", action="store_true", help="only say where memory differs from the ledger")
    compact = _command(commands, "compact", "compact", "bring MEMORY.md under its caps")
    compact.add_argument("--dry-run", action="store_true", help="only show what would leave")
    for asking in (undo, restore, forget, compact):
        asking.add_argument("--yes", action="store_true", help="do not ask (needs a terminal all the same)")
    for showing in (why, undo, rebuild, compact):
        showing.add_argument("--main", action="store_true", help="the operator's own session: show text of memory")


def _command(
    commands: argparse._SubParsersAction[_Parser],
    name: str,
    module: str,
    about: str,
    *,
    as_json: bool = True,
) -> _Parser:
    command = commands.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
    command.set_defaults(module=module)
    command.add_argument("--workspace", metavar="PATH", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    if as_json:
        command.add_argument("--json", action="store_true", help="print one JSON object")
    return command


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no date; write one like 2026-02-07") from None


def _tokens(text: str) -> int:
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of tokens")
    return int(text)
