"""One connection for one worker, with short transactions that survive a deadlock or a restart."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable
from typing import TypeVar

import psycopg

from cto.connection import Connection, connect
from cto.errors import CtoError, UnreachableError

logger = logging.getLogger(__name__)

Connect = Callable[[], Connection]
_Result = TypeVar("_Result")

_TRIES = 6
# An agent said a block again while its vector was written: one of the two has to begin again.
_COLLISIONS = (
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
    psycopg.errors.LockNotAvailable,
)


class NotDeployedError(CtoError):
    """The database lacks what the worker calls, or does not let this login call it."""

    exit_code = 2


class Session:
    """A connection in autocommit that is opened again when the server went away."""

    def __init__(
        self, connect_to: str | Connect, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Connect, with a DSN or by a function that opens a connection.

        Close the session when done. Raises UnreachableError.
        """
        self._connect_to = connect_to
        self._sleep = sleep
        self._stack = contextlib.ExitStack()
        self._connection: Connection | None = None
        self._connected()

    def close(self) -> None:
        """Close the connection."""
        self._connection = None
        self._stack.close()

    def transaction(self, work: Callable[[Connection], _Result]) -> _Result:
        """Do the work in a transaction of its own, and again when that was nobody's fault.

        When the answer to a commit was lost the work is done twice: it must bear that.
        Raises NotDeployedError when the database lacks the queue or does not let us use it.
        """
        for attempt in range(1, _TRIES + 1):
            try:
                connection = self._connected()
                with connection.transaction():
                    return work(connection)
            except (psycopg.errors.UndefinedFunction, psycopg.errors.UndefinedTable) as error:
                raise NotDeployedError(
                    f"The database has no embedding queue: {_first_line(error)}",
                    "Run cto deploy first.",
                ) from error
            except psycopg.errors.InvalidSchemaName as error:
                raise NotDeployedError(
                    f"The database has no cto: {_first_line(error)}", "Run cto deploy first."
                ) from error
            except psycopg.errors.InsufficientPrivilege as error:
                raise NotDeployedError(
                    f"This login may not embed: {_first_line(error)}",
                    "Make it a member of cto_embedder.",
                ) from error
            except (psycopg.OperationalError, psycopg.InterfaceError, UnreachableError) as error:
                if attempt == _TRIES or not self._worth_another_try(error):
                    raise
                logger.info("trying again after %s", type(error).__name__)
            self._sleep(0.05 * 2.0**attempt)
        raise AssertionError("the loop returns or raises")

    def _worth_another_try(self, error: Exception) -> bool:
        if isinstance(error, _COLLISIONS) or self._connection is None:
            return True
        if self._connection.closed:
            self.close()
            return True
        return False

    def _connected(self) -> Connection:
        if self._connection is None:
            if callable(self._connect_to):
                connection = self._stack.enter_context(contextlib.closing(self._connect_to()))
                connection.autocommit = True
            else:
                connection = self._stack.enter_context(
                    connect(self._connect_to, application="cto embed")
                )
            self._connection = connection
        return self._connection


def _first_line(error: psycopg.Error) -> str:
    return error.diag.message_primary or str(error)
