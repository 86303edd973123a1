"""Connections to the servers, with the settings that deploying needs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import psycopg

from cto.errors import UnreachableError, UsageError

Connection = psycopg.Connection[tuple[Any, ...]]

# The server notices within a second that we were killed, ends our session and lets the lock go.
_SESSION_SETTINGS = {
    "client_connection_check_interval": "1s",
    "idle_in_transaction_session_timeout": "10min",
    "client_min_messages": "warning",
}


@contextlib.contextmanager
def connect(dsn: str, *, application: str = "cto") -> Iterator[Connection]:
    """Open a connection in autocommit, in UTF-8, and close it at the end.

    Raises UnreachableError when the server cannot be reached, UsageError when the string is none;
    neither holds the password.
    """
    try:
        with _without_variable("PGTZ"):
            connection: Connection = psycopg.connect(
                dsn,
                autocommit=True,
                application_name=application,
                client_encoding="utf8",
                connect_timeout=10,
                prepare_threshold=None,  # behind a transaction pooler a prepared statement is lost
            )
    except psycopg.ProgrammingError as error:
        # Its message repeats the string, and with it a password.
        raise UsageError(
            "The connection string cannot be read.",
            "Write key=value pairs or a postgresql:// URI.",
        ) from error
    except psycopg.Error as error:
        raise UnreachableError(
            f"The server cannot be reached: {str(error).strip()}",
            "Check the address, that the server runs, and that your password is in ~/.pgpass,"
            " PGPASSWORD or the service file.",
        ) from error
    with connection:
        for name, value in _SESSION_SETTINGS.items():
            connection.execute("select set_config(%s, %s, false)", (name, value))
        yield connection


@contextlib.contextmanager
def _without_variable(name: str) -> Iterator[None]:
    """Hide a variable from libpq: PGTZ would put the caller's time zone over the database's."""
    value = os.environ.pop(name, None)
    try:
        yield
    finally:
        if value is not None:
            os.environ[name] = value
