"""Commit what changed in memory, by path, and nothing else; nothing of the repository's own runs by that."""

from daybook.git.committing import commit
from daybook.git.outcome import Committed, Left, Outcome, problems
from daybook.git.wording import message

__all__ = ["Committed", "Left", "Outcome", "commit", "message", "problems"]
