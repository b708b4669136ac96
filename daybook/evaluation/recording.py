"""
Answers that were recorded, or written by hand, for golden cases.

They hold for one text of the prompt, by its hash: an answer recorded for another text is no answer to this one.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from daybook import files, folders
from daybook.errors import PromptError
from daybook.evaluation.judging import SCHEMAS
from daybook.evaluation.loading import SUFFIX, own_folder, read_toml, told, toml_files
from daybook.guard.secrets import redact
from daybook.prompts.finding import PACKAGED_DIR
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from daybook.models.choice import Purpose
    from daybook.workspace import Workspace

FOLDER = "recorded"
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
PROMPT_LINE = re.compile(r"^\s*prompt\s*=", re.MULTILINE)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")
    prompt: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    answers: dict[str, str]


@dataclass(frozen=True)
class Recorded:
    """
    Recorded answers.

    Attributes:
        path: The file.
        prompt: Hash of the template they were recorded for.
        line: The line of the file that says so.
        answers: JSON by the case's name.
    """

    path: Path
    prompt: str
    line: int
    answers: Mapping[str, str]


def read(workspace: Workspace, prompt: Purpose, name: str) -> Recorded | None:
    """
    Read the answers to a prompt's cases that are recorded under a name; the operator's win over ours.

    Raises:
        PromptError: The file cannot be understood, or an answer is not of the prompt's schema.
    """
    places = (own_folder(workspace, prompt, FOLDER), PACKAGED_DIR / "cases" / prompt / FOLDER)
    path = next((path for folder in places for path in toml_files(folder) if path.name == name + SUFFIX), None)
    if path is None:
        return None
    try:
        found = _File.model_validate(read_toml(path))
    except ValidationError as error:
        raise PromptError("\n".join(told(error, str(path)))) from None
    for case, answer in found.answers.items():
        try:
            SCHEMAS[prompt].model_validate_json(answer)
        except ValidationError as error:
            raise PromptError("\n".join(told(error, f"{path}, answer to {case!r}"))) from None
    return Recorded(path, found.prompt, _line(path), found.answers)


def write(workspace: Workspace, prompt: Purpose, name: str, sha256: str, answers: Mapping[str, str]) -> Path:
    """
    Record answers in the workspace, beside those to other cases that are recorded under the name for the same text.

    Args:
        workspace: Whose.
        prompt: Which prompt's cases.
        name: Under which they will be read.
        sha256: Hash of the template that was asked with.
        answers: JSON by the case's name.
    """
    folder = own_folder(workspace, prompt, FOLDER)
    for made in (workspace.prompts_dir, folder.parent.parent, folder.parent, folder):
        folders.make_dir(made)
    path = folder / f"{name}{SUFFIX}"
    earlier = read(workspace, prompt, name)
    if earlier and earlier.prompt == sha256:
        answers = {**earlier.answers, **answers}
    lines = [f'prompt = "{sha256}"', "", "[answers]"]
    lines += [f"{case} = '''{_literal(answer)}'''" for case, answer in answers.items()]
    text = "\n".join([*lines, ""]).encode()
    files.update(path, lambda _: text)
    return path


def fuller(
    workspace: Workspace,
    prompt: Purpose,
    name: str,
    sha256: str,
    answers: Mapping[str, str],
    cases: Sequence[str],
) -> str:
    """
    Say that what is recorded for another text answers more of the cases, and so should stay; empty where it does not.

    Args:
        workspace: Whose.
        prompt: Which prompt's cases.
        name: Under which would be recorded.
        sha256: Hash of the template that was asked with.
        answers: What would be recorded.
        cases: Names of the cases there are.
    """
    earlier = read(workspace, prompt, name)
    if earlier is None or earlier.prompt == sha256:
        return ""
    had = sum(case in earlier.answers for case in cases)
    if had <= len(answers):
        return ""
    return (
        f"{earlier.path} stays as it is: it answers {had} of {counted(len(cases), 'case')}, of an earlier text of the "
        f"prompt, and this run only {len(answers)}; record under another name to keep those."
    )


def missing(prompt: Purpose, name: str, recorded: Recorded | None, sha256: str, unanswered: int, cases: int) -> str:
    """
    Say in one sentence why cases have no recorded answer, and what to do.

    Args:
        prompt: Which.
        name: Of the recording.
        recorded: What is recorded under it.
        sha256: Hash of the prompt's template as it is.
        unanswered: How many cases have none.
        cases: How many cases there are.
    """
    record = f"record new ones with `daybook prompts eval {prompt} --model MODEL --record {name}`"
    if recorded is None:
        return f"No answers to the cases of {prompt} are recorded as {name!r}; {record}."
    if recorded.prompt != sha256:
        return (
            f"The text of the prompt {prompt} has changed since the answers in {recorded.path} were recorded, so they "
            f"are no answers to it; {record}, or, where they are written by hand and still fit, change line "
            f'{recorded.line} of that file to prompt = "{sha256}".'
        )
    of = f"{unanswered} of {counted(cases, 'case')}"
    return f"{recorded.path} has no answer to {of}; {record}, or write them there by hand."


def _literal(answer: str) -> str:
    """Write JSON so that it may stand between three quotes."""
    text = json.dumps(_redacted(json.loads(answer)), ensure_ascii=False)
    return text.replace("'''", r"\u0027\u0027\u0027").replace("\x7f", r"\u007f")


def _redacted(value: Any) -> Any:
    match value:
        case str():
            return redact(value)
        case list():
            return [_redacted(one) for one in value]
        case dict():
            return {key: _redacted(one) for key, one in value.items()}
        case _:
            return value


def _line(path: Path) -> int:
    text = files.read_bytes(path).decode("utf-8-sig")
    found = PROMPT_LINE.search(text)
    return text.count("\n", 0, found.end()) + 1 if found else 1
