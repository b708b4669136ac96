"""
Entry point of `daybook`: `note` is dispatched by hand, for its start-up time; argparse does the rest.

A user meets one sentence, never a traceback: what we did not foresee is kept in a file that the sentence names.
"""

from __future__ import annotations

import os
import sys

from daybook.errors import DaybookError

INTERRUPTED = 130


def main(argv: list[str] | None = None) -> int:
    """
    Run one command.

    Args:
        argv: Arguments after the program's name; None for the process's own.

    Returns:
        0 done, 1 not done or a check failed, 2 wrong usage.
    """
    arguments = sys.argv[1:] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter shows another sign; it is no reason to fail.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")
    try:
        return _dispatch(arguments)
    except DaybookError as error:
        print(f"daybook: {error}", file=sys.stderr)
        if "--json" in arguments:
            import json  # noqa: PLC0415 - start-up time

            print(json.dumps({"ok": False, "error": str(error)}, ensure_ascii=False))
        return error.exit_code
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:
        # Whoever read our output has gone; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:  # noqa: BLE001 - the last place where a defect can become a sentence
        if "KeyboardInterrupt" in str(error):
            # A library caught Ctrl-C within a call of ours and wrapped it.
            return _interrupted()
        print(f"daybook: {_kept(error)}", file=sys.stderr)
        return 1


def _interrupted() -> int:
    print("Interrupted.", file=sys.stderr)
    return INTERRUPTED


def _dispatch(arguments: list[str]) -> int:
    named, rest = _workspace_option(arguments)
    if rest and rest[0] == "note":
        from daybook.cli import note  # noqa: PLC0415 - start-up time

        behind, words = _workspace_option(rest[1:])
        return note.run(words, behind or named)
    from daybook.cli import parser  # noqa: PLC0415 - start-up time

    return parser.run(arguments)


def _workspace_option(arguments: list[str]) -> tuple[str | None, list[str]]:
    """Take a leading `--workspace PATH` off."""
    if len(arguments) > 1 and arguments[0] == "--workspace":
        return arguments[1], arguments[2:]
    if arguments and arguments[0].startswith("--workspace="):
        return arguments[0].partition("=")[2], arguments[1:]
    return None, arguments


def _kept(error: Exception) -> str:
    import traceback  # noqa: PLC0415 - start-up time
    from pathlib import Path  # noqa: PLC0415 - start-up time

    from daybook import files, finding, folders  # noqa: PLC0415 - start-up time
    from daybook.guard.secrets import redact  # noqa: PLC0415 - start-up time

    path = Path(finding.state_home()) / "crash.log"
    folders.make_private_dir(path.parent)
    text = redact("".join(traceback.format_exception(error)))
    files.append(path, f"{text}\n".encode(), mode=files.PRIVATE_FILE_MODE)
    return f"this is a defect of Daybook ({type(error).__name__}); please report what {path} says last."


if __name__ == "__main__":
    sys.exit(main())
