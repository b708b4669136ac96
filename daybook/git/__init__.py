"""Commit what changed in memory, by path, and nothing else; nothing of the repository's own runs by that."""

from daybook.git.committing import commit
from daybook.git.memory import memory_paths, message
from daybook.git.outcome import Committed, Left, Outcome, problems

__all__ = ["Committed", "Left", "Outcome", "commit", "memory_paths", "message", "problems"]
