"""`daybook trust`: show what this folder's settings may do, and allow exactly that on this machine."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from daybook import settings, tomlfile, trust
from daybook.cli.terminal import confirmed
from daybook.guard.secrets import redact
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace


def run(options: Namespace) -> int:
    """
    Run the command.

    Raises:
        UsageError: There is no terminal to ask at.
    """
    workspace = open_workspace(options.workspace)
    raw = tomlfile.read(workspace)
    settings.validate(raw, str(workspace.settings))
    acting = settings.acting_parts(raw)
    wanted, allowed = settings.fingerprint(acting), trust.trusted_parts(workspace)
    trusted = wanted.items() <= allowed.items() and trust.ledger_trusted(workspace)
    if options.json and (trusted or not sys.stdin.isatty()):
        ledger = trust.ledger_trusted(workspace)
        print(json.dumps({"trusted": trusted, "settings": _redacted(acting), "ledger": ledger}))
        return 0 if trusted else 1
    print(f"{workspace.settings} would be allowed to:" if acting else f"{workspace.settings} asks for nothing.")
    for name in sorted(acting, key=lambda name: allowed.get(name) == wanted[name]):
        print("\n".join(_told(name, acting[name], known=allowed.get(name) == wanted[name])))
    if not trust.ledger_trusted(workspace):
        print(f"  ledger: {workspace.ledger} would count as what memory knows")
    if trusted:
        print("All of it is trusted already.")
        return 0
    if not confirmed("Allow this on this machine?", yes=options.yes):
        print("Nothing was allowed.")
        return 1
    trust.grant(workspace, settings=wanted, ledger=True)
    print("Allowed.")
    return 0


def _told(name: str, part: Any, *, known: bool) -> list[str]:
    """Tell a part line by line: what is new in full, what is allowed already by its number."""
    items = part if isinstance(part, list) else [part]
    if known:
        return [f"  {name}: allowed already" + (f" ({len(items)})" if len(items) > 1 else "")]
    # ASCII alone: signs that turn or hide text must not disguise what is allowed.
    return [f"  {name}:", *(f"    {json.dumps(_redacted(item))}" for item in items)]


def _redacted(value: Any) -> Any:
    match value:
        case str():
            return redact(value)
        case list():
            return [_redacted(item) for item in value]
        case dict():
            return {name: _redacted(item) for name, item in value.items()}
        case _:
            return value
