"""Fixtures: one real server a session, and a database of its own for every test.

The database is a copy of a template that the deployer itself made. CTO_TEST_SERVER chooses the
server (tests/servers.py).
"""

from __future__ import annotations

import itertools
import signal
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from pytest_postgresql.janitor import DatabaseJanitor
from servers import chosen_kind, start_test_server

from cto import engine, local
from cto.connection import connect

Connection = psycopg.Connection[tuple[Any, ...]]

_numbers = itertools.count()

# A shell ignores interrupts for what it starts in the background; what is tested would do so, too.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[local.LocalServer]:
    """The server that all tests share."""
    directory = tmp_path_factory.mktemp("server")
    yield start_test_server(
        chosen_kind(),
        directory,
        # Trace what is slow or waits; the defaults are too large for a shared machine.
        settings={"max_connections": "60", "shared_buffers": "128MB", "log_lock_waits": "on"},
    )
    local.destroy(directory)


def _janitor(server: local.LocalServer, name: str, template: str | None) -> DatabaseJanitor:
    return DatabaseJanitor(
        user=local.SUPERUSER,
        host=str(server.socket_directory),
        port=server.port,
        dbname=name,
        template_dbname=template,
    )


@pytest.fixture(scope="session")
def template(server: local.LocalServer) -> Iterator[str]:
    """A deployed database, copied for each test."""
    with _janitor(server, "cto_template", None):
        with connect(server.dsn("cto_template")) as connection:
            engine.deploy(connection)
        yield "cto_template"


@pytest.fixture
def new_database(server: local.LocalServer) -> Iterator[Callable[..., str]]:
    """A function that makes one more database (a copy of a template where named): its DSN."""
    janitors = []

    def make(template: str | None = None) -> str:
        janitor = _janitor(server, f"test_{next(_numbers)}", template)
        janitor.init()
        janitors.append(janitor)
        return server.dsn(janitor.dbname)

    yield make
    for janitor in janitors:
        janitor.drop()


@pytest.fixture
def empty_dsn(new_database: Callable[..., str]) -> str:
    """The DSN of an empty database."""
    return new_database()


@pytest.fixture
def dsn(new_database: Callable[..., str], template: str) -> str:
    """The DSN of a deployed database without data."""
    return new_database(template)


@pytest.fixture
def db(dsn: str) -> Iterator[Connection]:
    """A connection, in autocommit, to a deployed database without data."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


@pytest.fixture
def full_tier(server: local.LocalServer) -> None:
    """Skip where the server has no PL/Python."""
    if server.tier != "full":
        pytest.skip(f"needs PL/Python: {server.tier_reason}")


def one(connection: Connection, query: str, *arguments: object) -> Any:
    """Return the first column of the first row."""
    row = connection.execute(query.encode(), arguments or None).fetchone()
    assert row is not None
    return row[0]
