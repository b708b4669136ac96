"""
The last result of each prompt and model: the operator's in private state, else the one that came with Daybook.

Both files have the same form. Ours holds what the rules and the hand-written answers come to, so that a drop shows at
the first run.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from daybook import files, folders
from daybook.clock import slot_name
from daybook.evaluation.results import Result
from daybook.prompts.finding import PACKAGED_DIR

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from daybook.models.choice import Purpose
    from daybook.workspace import Workspace

FILE = "evals.json"
SHIPPED = PACKAGED_DIR / "cases" / "baseline.json"


class _File(BaseModel):
    """Results by prompt and model."""

    model_config = ConfigDict(extra="ignore")
    version: int = 1
    results: dict[str, dict[str, Result]] = Field(default_factory=dict)


@dataclass(frozen=True)
class Before:
    """
    The result to compare with.

    Attributes:
        result: What it was.
        shipped: It came with Daybook.
    """

    result: Result
    shipped: bool


def last(workspace: Workspace, prompt: Purpose, model: str) -> Before | None:
    """
    Give the last saved result.

    Raises:
        UnreadableFileError: It is there and cannot be read.
    """
    for path, shipped in ((_path(workspace), False), (SHIPPED, True)):
        found = _parse(files.read_if_exists(path)).results.get(prompt, {}).get(model)
        if found is not None:
            return Before(found, shipped)
    return None


def save(workspace: Workspace, prompt: Purpose, model: str, result: Result) -> None:
    """
    Put a result in the place of the last one.

    Raises:
        UnreadableFileError: It cannot be written.
    """

    def make(data: bytes | None) -> bytes:
        kept = _parse(data)
        kept.results.setdefault(prompt, {})[model] = result
        return f"{json.dumps(kept.model_dump(mode='json'), indent=1)}\n".encode()

    files.update(_path(workspace), make, mode=files.PRIVATE_FILE_MODE)


def mend(workspace: Workspace, now: datetime) -> list[str]:
    """Set a damaged file of the operator's results aside; the sentence that reports it, none where nothing is wrong."""
    data = files.read_if_exists(_path(workspace))
    try:
        _File.model_validate_json(data or b"{}")
    except ValidationError:
        return [folders.set_aside(_path(workspace), slot_name(now))]
    return []


def _parse(data: bytes | None) -> _File:
    try:
        return _File.model_validate_json(data or b"{}")
    except ValidationError:
        # `mend` has set it aside, unless somebody damages it at this moment.
        return _File()


def _path(workspace: Workspace) -> Path:
    return workspace.private / FILE
