"""Errors that a person reads: what is wrong, and what to do about it."""

from __future__ import annotations


class CtoError(Exception):
    """Something the user can mend.

    `message` says what is wrong, with the value; `remedy` says what to do. `exit_code` is the
    status of the command that fails with it.
    """

    exit_code = 1

    def __init__(self, message: str, remedy: str = "") -> None:
        """Keep both halves, so that the command line can set them apart."""
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class DeployError(CtoError):
    """A database cannot be brought to this release; nothing of the failed step was kept."""


class UnreachableError(CtoError):
    """A server did not answer, or did not let us in."""

    exit_code = 3


class UsageError(CtoError):
    """The command line or servers.toml asks for something that does not exist."""

    exit_code = 2
