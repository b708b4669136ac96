"""`daybook prompts`: list, show, check and compare the prompts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from daybook import prompts
from daybook.models.tokens import estimate
from daybook.prompts.checking import Checked, check, without_effect
from daybook.prompts.differing import Difference, differences
from daybook.prompts.finding import find
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Mapping

    from daybook.workspace import Workspace


def run(options: Namespace) -> int:
    """Run the command; `prompts eval` is a module of its own."""
    workspace = open_workspace(options.workspace)
    match options.prompts_command:
        case "show":
            return _show(workspace, options)
        case "check":
            return _check(workspace, options)
        case "diff":
            return _diff(workspace, options)
        case _:
            return _list(workspace, options)


def _list(workspace: Workspace, options: Namespace) -> int:
    rows = []
    for info in prompts.names():
        found = find(workspace, info.name)
        rows.append({"name": info.name, "source": found.origin, "path": str(found.path), "about": info.about})
    if options.json:
        _print_json({"prompts": rows})
    else:
        for row in rows:
            print(f"{row['name']:15} {row['source']:10} {row['path']}\n{'':26} {row['about']}")
    return 0


def _show(workspace: Workspace, options: Namespace) -> int:
    shown = prompts.show(workspace, options.name)
    if options.json:
        _print_json({"name": shown.name, "source": shown.source, "sha256": shown.sha256, "text": shown.text})
    else:
        print(_shown(shown.text))
    return 0


def _check(workspace: Workspace, options: Namespace) -> int:
    names = [options.name] if options.name else [info.name for info in prompts.names()]
    checked = [check(workspace, name, estimate) for name in names]
    idle = without_effect(workspace, options.name or "")
    ok = not idle and not any(one.problems for one in checked)
    if options.json:
        _print_json({"prompts": [_plain(one) for one in checked], "problems": idle, "ok": ok})
    else:
        print(
            "\n".join([*(line for one in checked for line in _told(one)), *(f"wrong: {problem}" for problem in idle)])
        )
    return 0 if ok else 1


def _plain(one: Checked) -> dict[str, Any]:
    return {
        "name": one.name,
        "source": one.source,
        "path": str(one.path) if one.path else None,
        "uses": one.uses,
        "leaves": one.leaves,
        "tokens": one.tokens,
        "problems": one.problems,
        "warnings": one.warnings,
    }


def _told(one: Checked) -> Iterator[str]:
    where = f", {one.source}" if one.source else ""
    size = f", about {one.tokens:,} tokens" if one.tokens is not None else ""
    yield f"{one.name}: {'not ' if one.problems else ''}in order{where}{size}"
    if one.source:
        yield f"  {one.path}"
        left = f"; leaves out {', '.join(one.leaves)}" if one.leaves else ""
        yield f"  uses {', '.join(one.uses) or 'no variable'}{left}"
    yield from (f"  wrong: {problem}" for problem in one.problems)
    yield from (f"  look: {warning}" for warning in one.warnings)


def _diff(workspace: Workspace, options: Namespace) -> int:
    names = [options.name] if options.name else [info.name for info in prompts.names()]
    found = {name: differences(workspace, name) for name in names}
    if options.json:
        _print_json({"prompts": [{"name": name, "files": list(map(_compared, own))} for name, own in found.items()]})
    else:
        print("\n".join(_differing(found)))
    return 0


def _compared(one: Difference) -> dict[str, str | None]:
    return {"path": str(one.path), "packaged": str(one.packaged) if one.packaged else None, "diff": one.diff}


def _differing(found: Mapping[str, list[Difference]]) -> Iterator[str]:
    told = set()
    for name, own in found.items():
        if not own:
            yield f"{name}: no prompt of your own; the packaged one is used."
        # A partial that two prompts include is shown once.
        for one in (one for one in own if one.path not in told):
            told.add(one.path)
            yield _shown(one.diff) or f"{one.path} is the same as the packaged one."


def _shown(text: str) -> str:
    """Show no sign that a terminal obeys: the folder may be a stranger's."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\ufffd" for sign in text).rstrip("\n")


def _print_json(value: Mapping[str, object]) -> None:
    print(json.dumps(value, ensure_ascii=False))
