"""
Find golden cases: ours beside the packaged prompts, the operator's in the workspace, one set a file.

A file that cannot be understood is an error that says everything that is wrong with it; none is passed by.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from daybook import files, folders
from daybook.errors import PromptError
from daybook.evaluation.cases import FORMS, Case
from daybook.guard.outside import flatten
from daybook.prompts.declared import PROMPTS
from daybook.prompts.finding import PACKAGED_DIR

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from daybook.models.choice import Purpose
    from daybook.workspace import Workspace

SUFFIX = ".toml"
MAX_FILE_BYTES = 1024 * 1024
# In front of the names of the operator's sets: theirs may be called as ours are.
OWN = "own/"
# What Pydantic says in its own words, said in those of a file of cases.
WORDING = {"missing": "it is missing", "extra_forbidden": "there is no such key"}


@dataclass(frozen=True)
class Golden:
    """
    A case and where it stands.

    Attributes:
        case: What it is.
        group: The set: `open` and `sealed` are ours, `own/<file>` is the operator's.
        path: The file.
    """

    case: Case
    group: str
    path: Path


def cases_of(workspace: Workspace, prompt: Purpose) -> list[Golden]:
    """
    Read every case of a prompt: ours first, then the operator's, each set in the order of its file.

    Raises:
        PromptError: A file is no TOML, or not of the form of cases; a sentence for each fault.
        UnsafeFileError: Something else than a regular file stands there.
        UnreadableFileError: A file cannot be read.
    """
    ours, own = PACKAGED_DIR / "cases" / prompt, own_folder(workspace, prompt)
    faults: list[str] = []
    found = [one for path in toml_files(ours) for one in _read(path, path.stem, prompt, faults)]
    found += [one for path in toml_files(own) for one in _read(path, OWN + flatten(path.stem), prompt, faults)]
    faults += _twice(found)
    if faults:
        raise PromptError("\n".join(faults))
    return found


def unread(workspace: Workspace) -> list[str]:
    """Say of each folder among the operator's cases that no prompt reads it."""
    folder = own_folder(workspace)
    named = [name for name in folders.listed(folder) if (folder / name).is_dir() and name not in FORMS]
    return [
        f"{folder / name} has no effect: "
        + ("there are no cases of this prompt yet." if name in PROMPTS else f"cases are of {', '.join(FORMS)}.")
        for name in named
    ]


def own_folder(workspace: Workspace, *parts: str) -> Path:
    """
    Give a folder among the operator's cases; it need not exist.

    Raises:
        PromptError: It leads out of the workspace.
    """
    folder = workspace.prompts_dir.joinpath("cases", *parts)
    if not folder.resolve().is_relative_to(workspace.root):
        raise PromptError(f"{folder} leads out of the workspace by a link; put the folder itself there.")
    return folder


def toml_files(folder: Path) -> list[Path]:
    """List a folder's TOML files, by name; a missing folder has none."""
    return [folder / name for name in folders.listed(folder) if name.endswith(SUFFIX)]


def read_toml(path: Path) -> dict[str, Any]:
    """
    Read a TOML file.

    Raises:
        PromptError: It is none, or too large.
        FileNotFoundError: Nothing is there.
    """
    # Looked at before it is read: a file with holes may be larger than memory.
    found = files.look(path)
    if found is not None and found.st_size > MAX_FILE_BYTES:
        raise PromptError(f"{path} is larger than {MAX_FILE_BYTES // 1024} KiB; cut it into several files.")
    try:
        return tomllib.loads(files.read_bytes(path).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise PromptError(f"{path} is no valid TOML: {error}; mend that line.") from error


def told(error: ValidationError, where: str) -> Iterator[str]:
    """Tell what is wrong with values of a file, a sentence each; places in a list are counted from 1."""
    for one in error.errors(include_url=False):
        key = "".join(map(_part, one["loc"])).lstrip(".")
        message = WORDING.get(one["type"], one["msg"].removeprefix("Value error, "))
        yield f"{where}, {key}: {message}." if key else f"{where}, {message}."


def _read(path: Path, group: str, prompt: Purpose, faults: list[str]) -> Iterator[Golden]:
    raw = read_toml(path)
    faults += [f"{path}, {key!r}: there is no such key; a case begins with [[case]]." for key in raw if key != "case"]
    rows = raw.get("case", [])
    if not isinstance(rows, list):
        faults.append(f"{path}, case: it must be a list; a case begins with [[case]].")
        return
    for number, row in enumerate(rows, start=1):
        try:
            yield Golden(FORMS[prompt].model_validate(row), group, path)
        except ValidationError as error:
            faults += told(error, f"{path}, case {_name(row, number)}")


def _name(row: object, number: int) -> str:
    name = row.get("name") if isinstance(row, dict) else None
    return repr(name) if isinstance(name, str) and name else f"number {number}"


def _part(part: int | str) -> str:
    if isinstance(part, int):
        return f"[{part + 1}]"
    # Anybody may have written the file, also signs that a terminal obeys.
    return f".{part if part.isidentifier() else repr(part)}"


def _twice(found: list[Golden]) -> list[str]:
    places = defaultdict(list)
    for one in found:
        places[one.case.name].append(str(one.path))
    return [
        f"{' and '.join(dict.fromkeys(paths))}, case {name!r}, name: {len(paths)} cases have it; give each its own."
        for name, paths in places.items()
        if len(paths) > 1
    ]
