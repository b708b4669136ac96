"""
Stage one line in the inbox: an append, and nothing else.

No dedup, no model, no lookup, no settings: `echo "- x" >> memory/_inbox.md` is as good.
Imports stay few: `daybook note` runs through here.
"""

from __future__ import annotations

import os

from daybook import files, folders
from daybook.errors import UsageError

INBOX = "memory/_inbox.md"


def stage(root: str, text: str) -> None:
    """
    Append one line to the inbox of the workspace at *root*: no lookup, no settings, no dedup.

    Raises:
        UsageError: There is nothing to stage.
    """
    line = " ".join(text.split())
    if not line:
        raise UsageError("There is nothing to note; say what was learned: `daybook note TEXT`.")
    path = os.path.join(root, INBOX)
    data = f"- {line}\n".encode("utf-8", "replace")
    if not os.path.isdir(os.path.dirname(path)):
        folders.make_dir(os.path.dirname(path))
    files.append(path, data)
