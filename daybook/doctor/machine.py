"""This machine and the folders: Python, git, private state, disks, a library whose support ended."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import stat
import sys
from typing import TYPE_CHECKING

from daybook import files
from daybook.doctor.examined import Examined, Site
from daybook.git.outcome import Left
from daybook.git.repository import open_repository
from daybook.git.running import GitError
from daybook.guard.cleaning import clean

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 13)
OTHERS_MAY = stat.S_IRWXG | stat.S_IRWXO
SHORT_BYTES, FULL_BYTES = 1 << 30, 100 << 20
MEGABYTE = 1 << 20
LEGACY_SDK = "google-generativeai"


def examine_python(_: Site) -> Iterator[Examined]:
    """Look at Python's version."""
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST_PYTHON:
        yield Examined("python", "wrong", f"This is Python {version}.", "Install Daybook with Python 3.11 to 3.13.")
    elif sys.version_info[:2] > NEWEST_PYTHON:
        yield Examined("python", "note", f"This is Python {version}, with which Daybook is not tested yet.")
    else:
        yield Examined("python", "ok", f"This is Python {version}.")


def examine_git(site: Site) -> Iterator[Examined]:
    """Look whether memory is committed to git."""
    try:
        found = open_repository(site.workspace)
    except GitError as error:
        yield Examined("git", "warning", clean(str(error)))
        return
    if isinstance(found, Left):
        yield Examined("git", "note", f"Memory is not committed to git: {found.why}")
    elif left := found.unfinished():
        yield Examined("git", "warning", left.why)
    else:
        yield Examined(
            "git", "ok", f"{site.workspace.root} is the root of a git repository; memory is committed to it."
        )


def examine_private_state(site: Site) -> Iterator[Examined]:
    """Look at the folder that git and sync tools cannot roll back."""
    private = site.workspace.private
    found = files.look(private)
    if found is None:
        remedy = f"Run `daybook init {site.workspace.root}`."
        yield Examined("private-state", "wrong", f"There is no private state at {private}.", remedy)
        return
    if stat.S_IMODE(found.st_mode) & OTHERS_MAY:
        yield Examined("private-state", "wrong", f"Others may look into {private}.", f"Run `chmod 700 {private}`.")
    yield from _room("private-state", private)


def examine_folder(site: Site) -> Iterator[Examined]:
    """Look at the workspace's folder."""
    yield from _room("folder", site.workspace.root)


def examine_legacy_sdk(_: Site) -> Iterator[Examined]:
    """Say what became of Gemini's former SDK, where it is installed; it is never imported for that."""
    try:
        version = importlib.metadata.version(LEGACY_SDK)
    except importlib.metadata.PackageNotFoundError:
        return
    yield Examined(
        "gemini-sdk",
        "note",
        f"{LEGACY_SDK} {version} is installed; its support ended on 2025-11-30.",
        "Name models `google:...`: they use the SDK that is maintained.",
    )


def _room(name: str, folder: Path) -> Iterator[Examined]:
    free = shutil.disk_usage(folder).free
    room = f"{free // MEGABYTE} MB are free for {folder}"
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Examined(name, "wrong", f"{folder} cannot be written.", "Change its owner or mode.")
    elif free < FULL_BYTES:
        yield Examined(name, "wrong", f"Only {room}.", "Free some space; notes cannot be written to a full disk.")
    elif free < SHORT_BYTES:
        yield Examined(name, "warning", f"Only {room}.", "Free some space.")
    else:
        yield Examined(name, "ok", f"{room}.")
