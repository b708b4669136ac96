"""Where the text of a prompt comes from: the workspace's own file, else the packaged one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from daybook import files
from daybook.errors import PromptError, UnreadableFileError, UnsafeFileError
from daybook.prompts.template import Problem, Reference, Source, referenced

if TYPE_CHECKING:
    from daybook.workspace import Workspace

SUFFIX = ".md.j2"
PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]+\.md\.j2")
MAX_TEMPLATE_BYTES = 64 * 1024
# By place and not through importlib: `prompts` is a common name, and a folder of that name in the current
# folder would be imported, and so run, instead of ours.
PACKAGED_DIR = Path(__file__).parents[2] / "prompts"
REINSTALL = "reinstall Daybook"

Origin = Literal["packaged", "workspace"]


@dataclass(frozen=True)
class Found:
    """
    A prompt's text and where it came from.

    Attributes:
        origin: Whose file it is; one that is named by its path is the operator's, as one in the workspace is.
        path: The file.
        sources: The template first, then what it includes.
    """

    origin: Origin
    path: Path
    sources: tuple[Source, ...]


def find(workspace: Workspace, name: str, template: Path | None = None) -> Found:
    """
    Read the template of prompt *name* and what it includes.

    Includes are plain names beside it, in the workspace or packaged, and include nothing themselves.

    Args:
        workspace: Its own file wins over the packaged one.
        name: The prompt.
        template: Another file for it, which wins over both; its includes stand beside it or are packaged.

    Raises:
        PromptError: A file cannot be read, or includes what it must not.
    """
    file_name = name + SUFFIX
    origin: Origin = "workspace"
    path = template
    if path is None:
        origin, path = _locate(workspace, file_name)
    main = _read(path, file_name)
    partials = []
    for reference in _referenced(main, origin):
        wanted, place = reference.name, f"{path}:{reference.line}"
        if wanted is None or not PLAIN_NAME.fullmatch(wanted):
            raise PromptError(
                f"{place}: it includes {wanted or 'a computed name'!r}; include plain names such as _tone{SUFFIX} only."
            )
        beside = template.with_name(wanted) if template else _own_dir(workspace) / wanted
        # A packaged prompt is rendered without limits, so nothing of the workspace may get into it.
        partial = _read_if_exists(PACKAGED_DIR / wanted if origin == "packaged" else _choose(beside, wanted)[1], wanted)
        if partial is None:
            way_out = REINSTALL if origin == "packaged" else f"write {beside}, or take out the line that includes it"
            raise PromptError(f"{place}: it includes {wanted!r}, which does not exist; {way_out}.")
        if _referenced(partial, origin):
            raise PromptError(
                f"{partial.path}: a file that is included must not include others; move that into {path}."
            )
        partials.append(partial)
    return Found(origin, path, (main, *partials))


def own_files(workspace: Workspace) -> list[Path]:
    """
    List the operator's own templates and partials, by name, whether or not they can be read.

    Raises:
        PromptError: The prompts folder leads out of the workspace, or cannot be listed.
    """
    return [path for path in listed(workspace) if path.name.endswith(".j2")]


def listed(workspace: Workspace) -> list[Path]:
    """
    List what there is in the operator's prompts folder, by name.

    Raises:
        PromptError: The prompts folder leads out of the workspace, or cannot be listed.
    """
    folder = _own_dir(workspace)
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise PromptError(f"{folder} cannot be listed: {error.strerror}; make it a folder that can be.") from error


def text_of(path: Path) -> str:
    """
    Read a template as it stands, also one that cannot be rendered.

    Raises:
        PromptError: It cannot be read.
    """
    return _read(path, path.name).text


def _locate(workspace: Workspace, file_name: str) -> tuple[Origin, Path]:
    """
    Say which file counts, without reading it: anything in the workspace's place wins, also what is unreadable.

    Raises:
        PromptError: The workspace's prompts folder leads out of the workspace.
    """
    return _choose(_own_dir(workspace) / file_name, file_name)


def _own_dir(workspace: Workspace) -> Path:
    folder = workspace.prompts_dir
    if folder.is_symlink() and not folder.resolve().is_relative_to(workspace.root):
        raise PromptError(f"{folder} is a link that leads out of the workspace; put the folder itself there.")
    return folder


def _choose(own: Path, file_name: str) -> tuple[Origin, Path]:
    # A folder that cannot be searched hides whether there is an override: then reading it must fail, not pass it by.
    try:
        own.lstat()
    except FileNotFoundError:
        return "packaged", PACKAGED_DIR / file_name
    except OSError:
        return "workspace", own
    return "workspace", own


def _referenced(source: Source, origin: Origin) -> list[Reference]:
    found = referenced(source)
    if isinstance(found, Problem):
        raise explain(found, origin)
    return found


def _read(path: Path, name: str) -> Source:
    source = _read_if_exists(path, name)
    if source is None:
        way_out = REINSTALL if path.parent == PACKAGED_DIR else "write it, or name another"
        raise PromptError(f"There is no prompt file {path}; {way_out}.")
    return source


def _read_if_exists(path: Path, name: str) -> Source | None:
    found = files.look(path)
    if found is not None and found.st_size > MAX_TEMPLATE_BYTES:
        raise PromptError(f"{path} is larger than {MAX_TEMPLATE_BYTES // 1024} KiB; shorten it.")
    try:
        data = files.read_bytes(path)
    except (UnsafeFileError, UnreadableFileError) as error:
        raise PromptError(f"The prompt {name} cannot be read: {error}") from error
    except FileNotFoundError:
        return None
    try:
        return Source(name, str(path), data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PromptError(f"{path}:{line}: byte {error.start} is no UTF-8; save the file as UTF-8.") from error


def explain(problem: Problem, origin: Origin) -> PromptError:
    """Make the one sentence that names file, line and trouble."""
    place = problem.path if problem.line is None else f"{problem.path}:{problem.line}"
    way_out = "correct it" if origin == "workspace" else REINSTALL
    if origin == "workspace" and (PACKAGED_DIR / Path(problem.path).name).is_file():
        way_out += ", or remove the file to use the packaged prompt"
    return PromptError(f"{place}: {problem.what}; {way_out}.")
