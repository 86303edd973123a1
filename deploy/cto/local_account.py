"""Whom a local server runs as: the caller, or an unprivileged user when the caller is root."""

from __future__ import annotations

import contextlib
import os
import pwd
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cto.errors import CtoError

WAIT_SECONDS = 60


class LocalServerError(CtoError):
    """A local server could not be started, stopped or found; `remedy` says what to do about it."""

    def __str__(self) -> str:
        """Return the message, and the remedy on a line of its own."""
        return f"{self.message}\n{self.remedy}"


@dataclass(frozen=True)
class Account:
    """The operating-system user that the server runs as; `drop` when root has to become it."""

    name: str
    uid: int
    gid: int
    drop: bool


def server_account() -> Account:
    """Return whom the server runs as: the caller, or for root an unprivileged user."""
    names = ["postgres", "nobody"] if os.geteuid() == 0 else [caller_name()]
    for name in names:
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return Account(name, entry.pw_uid, entry.pw_gid, drop=os.geteuid() == 0)
    raise LocalServerError(
        "PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody.",
        "Create an unprivileged user named postgres, or call as an ordinary user.",
    )


def caller_name() -> str:
    """Return the caller's name, as peer authentication will see it."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError as error:
        raise LocalServerError(
            f"User {os.geteuid()} has no name on this system, and PostgreSQL insists on one.",
            "Add the user to /etc/passwd.",
        ) from error


def run(
    command: list[str], account: Account, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a program of the server as its user, with nothing of the caller's environment."""
    return subprocess.run(
        command,
        user=account.uid if account.drop else None,
        group=account.gid if account.drop else None,
        extra_groups=[] if account.drop else None,
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **environment},
        umask=0o077,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=WAIT_SECONDS * 3,
        check=False,
    )


def reaches(account: Account, path: Path, *, flag: str = "-x") -> bool:
    """Tell whether the account may enter the directory, or with flag -r read the file."""
    return run(["/bin/sh", "-c", f'test {flag} "$1"', "sh", str(path)], account, {}).returncode == 0


def give(path: Path, account: Account) -> None:
    """Make the directory private to the server's user."""
    if account.drop:
        os.chown(path, account.uid, account.gid)
    path.chmod(0o700)
