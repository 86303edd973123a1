"""A deployment that is killed at any moment: nothing is half applied, and the next one finishes.

Where it is killed is decided on the server: an event trigger counts the DDL commands and sleeps at
the one that a test names.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
import pytest
from conftest import Connection, one
from schema_dump import dump_schema, without_extensions

from cto import catalogue, engine, ledger, local
from cto.connection import connect
from cto.migrations import read_migrations

MIGRATIONS = read_migrations()
IDS = [migration.id for migration in MIGRATIONS]

# `seen` counts over transactions that are rolled back, because a sequence is in none.
HOOKS = """
create schema test_hooks;

create sequence test_hooks.seen;

create table test_hooks.commands (number bigint, applied bigint, tag text);

create function test_hooks.on_command() returns event_trigger language plpgsql as $function$
declare
    v_number bigint := nextval('test_hooks.seen');
    v_applied bigint := 0;
begin
    if to_regclass('public._yoyo_migration') is not null then
        select count(*) into v_applied from public._yoyo_migration;
    end if;
    insert into test_hooks.commands values (v_number, v_applied, tg_tag);
    if v_number = {stop} then
        perform pg_sleep(60);
    end if;
end;
$function$;

create event trigger test_hooks_on_command on ddl_command_start
execute function test_hooks.on_command();
"""

DEPLOYER = "datname = current_database() and application_name = 'cto deploy'"
ASLEEP = f"select exists (select from pg_stat_activity where {DEPLOYER} and wait_event = 'PgSleep')"
GONE = f"select not exists (select from pg_stat_activity where {DEPLOYER})"


@dataclass(frozen=True)
class Expected:
    """What an undisturbed deployment does."""

    commands: list[tuple[int, int, str]]  # number, migrations applied before it, tag
    prefixes: list[str]  # the schema after so many migrations
    final: str


@dataclass(frozen=True)
class Point:
    """The command of this place (negative: from the end) after so many applied migrations."""

    applied: int
    place: int
    tag: str | None = None

    def number(self, commands: list[tuple[int, int, str]]) -> int:
        found = [
            number
            for number, applied, tag in commands
            if applied == self.applied and self.tag in {None, tag}
        ]
        return found[self.place]


POINTS = {
    "while the ledger is made": Point(0, 2, "CREATE TABLE"),
    "in the first tables of v1.0": Point(0, 0, "CREATE INDEX"),
    "while text search is made": Point(1, 5),
    "while the primary keys are exchanged": Point(2, 3),
    "in the middle of the block model": Point(3, 4),
    "before the vector index": Point(4, 0, "CREATE INDEX"),
    "while the moments get their zone": Point(8, -2),
    "in the middle of the repeatable files": Point(len(IDS), 90),
    "at the last repeatable file": Point(len(IDS), -1),
}


def wait_until(connection: Connection, query: str, what: str) -> None:
    deadline = time.monotonic() + 30
    while not one(connection, query):
        assert time.monotonic() < deadline, f"never came: {what}"
        time.sleep(0.01)


def set_hooks(connection: Connection, stop: int) -> None:
    connection.execute(HOOKS.format(stop=stop).encode())


def drop_hooks(connection: Connection) -> None:
    connection.execute("drop event trigger if exists test_hooks_on_command")
    connection.execute("drop schema if exists test_hooks cascade")


@pytest.fixture(scope="module")
def expected(server: local.LocalServer, template: str) -> Iterator[Expected]:
    """Deploy without disturbance, once to see the commands and once step by step."""
    names = ("killed_commands", "killed_prefixes")
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as admin:
        for name in names:
            admin.execute(f"create database {name}".encode())
        commands_dsn, prefixes_dsn = (server.dsn(name) for name in names)
        with connect(commands_dsn) as connection:
            set_hooks(connection, stop=0)
            engine.deploy(connection)
            commands = connection.execute(
                "select number, applied, tag from test_hooks.commands order by number"
            ).fetchall()
        with connect(prefixes_dsn) as connection:
            extensions = catalogue.ensure_extensions(connection, "public")
            ledger.ensure(connection)
            prefixes = [bare_schema(server, prefixes_dsn)]
            for migration in MIGRATIONS:
                engine.apply_migration(connection, migration, extensions)
                prefixes.append(bare_schema(server, prefixes_dsn))
        final = dump_schema(server, server.dsn(template), ledger=True)
        yield Expected(commands, prefixes, final)
        for name in names:
            admin.execute(f"drop database {name} with (force)".encode())


def bare_schema(server: local.LocalServer, dsn: str) -> str:
    return without_extensions(dump_schema(server, dsn)).strip()


@contextmanager
def deploying(dsn: str) -> Iterator[subprocess.Popen[str]]:
    """Run `cto deploy`; at the end it is killed, as by the kernel."""
    process = subprocess.Popen(
        [sys.executable, "-m", "cto.cli", "deploy", "--dsn", dsn],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()


def assert_whole(server: local.LocalServer, dsn: str, expected: Expected) -> None:
    """The schema is the one of the migrations that the ledger names, with nothing beside it."""
    with connect(dsn) as connection:
        rows = ledger.read_applied(connection)
        files_loaded = bool(ledger.read_objects(connection, "file"))
    applied = list(rows)
    assert applied == IDS[: len(applied)]
    assert all(row.sha256 for row in rows.values())
    if files_loaded:
        assert dump_schema(server, dsn, ledger=True) == expected.final
    else:
        assert bare_schema(server, dsn) == expected.prefixes[len(applied)]


def assert_next_one_finishes(server: local.LocalServer, dsn: str, expected: Expected) -> None:
    with connect(dsn) as connection:
        engine.deploy(connection)
        assert engine.read_state(connection).in_order
    assert dump_schema(server, dsn, ledger=True) == expected.final


@pytest.mark.parametrize("point", POINTS.values(), ids=POINTS.keys())
def test_killed_inside_a_command(
    server: local.LocalServer, empty_dsn: str, expected: Expected, point: Point
) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as watcher:
        set_hooks(watcher, stop=point.number(expected.commands))
        with deploying(empty_dsn):
            wait_until(watcher, ASLEEP, "the deployer at the command")
        wait_until(watcher, GONE, "the end of the killed deployer's session")
        drop_hooks(watcher)

        assert_whole(server, empty_dsn, expected)
        assert len(ledger_of(watcher)) == point.applied
        assert_next_one_finishes(server, empty_dsn, expected)


def ledger_of(connection: Connection) -> list[str]:
    return list(ledger.read_applied(connection))


def test_killed_while_the_vector_index_is_built(
    server: local.LocalServer, empty_dsn: str, expected: Expected
) -> None:
    """It waits for a writer, its index is there but not valid."""
    invalid = "select count(*) from pg_index where not indisvalid"
    with psycopg.connect(empty_dsn, autocommit=True) as watcher, connect(empty_dsn) as connection:
        extensions = catalogue.ensure_extensions(connection, "public")
        ledger.ensure(connection)
        for migration in MIGRATIONS[:4]:
            engine.apply_migration(connection, migration, extensions)
        with psycopg.connect(empty_dsn) as writer:
            writer.execute("lock table cto.blocks in row exclusive mode")
            with deploying(empty_dsn):
                wait_until(watcher, f"select ({invalid}) = 1", "the index that is being built")
                wait_until(
                    watcher,
                    "select exists (select from pg_stat_activity"
                    f" where {DEPLOYER} and wait_event_type = 'Lock')",
                    "the build that waits for the writer",
                )
            wait_until(watcher, GONE, "the end of the killed deployer's session")
        assert one(watcher, invalid) == 1
        assert ledger_of(watcher) == IDS[:4]
        assert bare_schema(server, empty_dsn) == expected.prefixes[4]

        assert_next_one_finishes(server, empty_dsn, expected)
        assert one(watcher, invalid) == 0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_killed_at_any_moment(
    server: local.LocalServer, empty_dsn: str, expected: Expected, seed: int
) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as watcher:
        with deploying(empty_dsn):
            wait_until(watcher, GONE.replace("not exists", "exists"), "the deployer's session")
            time.sleep(random.Random(seed).uniform(0, 0.4))
        wait_until(watcher, GONE, "the end of the killed deployer's session")

        assert_whole(server, empty_dsn, expected)
        assert_next_one_finishes(server, empty_dsn, expected)


def test_killed_twice(server: local.LocalServer, empty_dsn: str, expected: Expected) -> None:
    """The second deployer is killed where it goes on from the first one."""
    first, second = Point(3, 4), Point(len(IDS), 20)
    goes_on_with = Point(first.applied, 0).number(expected.commands)
    stops = (
        first.number(expected.commands),
        second.number(expected.commands) - goes_on_with + 1,
    )
    with psycopg.connect(empty_dsn, autocommit=True) as watcher:
        for stop, point in zip(stops, (first, second), strict=True):
            set_hooks(watcher, stop)
            with deploying(empty_dsn):
                wait_until(watcher, ASLEEP, "the deployer at the command")
            wait_until(watcher, GONE, "the end of the killed deployer's session")
            drop_hooks(watcher)
            assert ledger_of(watcher) == IDS[: point.applied]
            assert_whole(server, empty_dsn, expected)

        assert_next_one_finishes(server, empty_dsn, expected)


def test_a_deployer_waits_for_the_session_of_a_killed_one(
    server: local.LocalServer, empty_dsn: str, expected: Expected
) -> None:
    """The dead one's session holds the lock until the server notices; then the next one goes on."""
    with psycopg.connect(empty_dsn, autocommit=True) as watcher:
        set_hooks(watcher, stop=Point(3, 4).number(expected.commands))
        with deploying(empty_dsn):
            wait_until(watcher, ASLEEP, "the deployer at the command")

        with connect(empty_dsn) as connection:
            assert engine.deploy(connection).migrations == IDS[3:]
            assert engine.read_state(connection).in_order
        drop_hooks(watcher)
    assert dump_schema(server, empty_dsn, ledger=True) == expected.final
