"""`daybook prompts`: list and show the prompts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from daybook import prompts
from daybook.prompts.finding import find
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace


def run(options: Namespace) -> int:
    """Run the command."""
    workspace = open_workspace(options.workspace)
    if options.prompts_command == "show":
        shown = prompts.show(workspace, options.name)
        row = {"name": shown.name, "source": shown.source, "sha256": shown.sha256, "text": shown.text}
        print(json.dumps(row, ensure_ascii=False) if options.json else shown.text)
        return 0
    rows = []
    for info in prompts.names():
        found = find(workspace, info.name)
        rows.append({"name": info.name, "source": found.origin, "path": str(found.path), "about": info.about})
    if options.json:
        print(json.dumps({"prompts": rows}, ensure_ascii=False))
    else:
        for row in rows:
            print(f"{row['name']:10} {row['source']:10} {row['path']}\n{'':21} {row['about']}")
    return 0
