"""
Every error a user can meet, under one base.

DaybookError            exit 1: something was not done
├── UsageError          exit 2: the command or its arguments are wrong
├── WorkspaceError      no workspace, not its home, a copy, another Daybook at work
├── SettingsError       daybook.toml cannot be understood
├── UnsafeFileError     a symlink, FIFO, device or folder stands where a file should
├── UnreadableFileError a file is there and cannot be read or written
├── ChangedFileError    a file changed between our read and our replace
├── NothingToDoError    what was asked for is not there, or is done already
├── NoticeError         an urgent notice could be neither told nor kept
├── PromptError         a prompt cannot be rendered
├── SourceError         a feed, mailbox or command failed; says whether a later try may help
├── ModelError          no model answered usefully
└── ServerError         Prefect's server or its API is not as needed

A message is one sentence: what is wrong, where, and what to do. It holds no secret.
"""

from __future__ import annotations


class DaybookError(Exception):
    """Base of all errors that are told to the user as one sentence."""

    exit_code = 1


class UsageError(DaybookError):
    """The command or its arguments are wrong."""

    exit_code = 2


class WorkspaceError(DaybookError):
    """The workspace is missing, or this process must not act on it."""


class SettingsError(DaybookError):
    """daybook.toml cannot be understood."""


class UnsafeFileError(DaybookError):
    """Something else than a regular file stands in a file's place."""


class UnreadableFileError(DaybookError):
    """A file is there and cannot be read or written."""


class ChangedFileError(DaybookError):
    """A file was changed by someone else between our read and our replace."""


class NothingToDoError(DaybookError):
    """What was asked for is not there, or is done already."""


class NoticeError(DaybookError):
    """An urgent notice could be neither told nor kept."""


class PromptError(DaybookError):
    """A prompt cannot be rendered."""


class SourceError(DaybookError):
    """
    A feed, mailbox or command failed.

    Attributes:
        transient: Whether trying again later may help.
        retry_after_s: Seconds the other side asked us to wait, if it did.
    """

    def __init__(self, message: str, *, transient: bool = False, retry_after_s: float | None = None) -> None:
        """Keep the sentence and whether a later try may help; a pickle calls this with the sentence alone."""
        super().__init__(message)
        self.transient = transient
        self.retry_after_s = retry_after_s


class ModelError(DaybookError):
    """No model answered usefully."""


class ServerError(DaybookError):
    """Prefect's server or its API is not as needed."""
