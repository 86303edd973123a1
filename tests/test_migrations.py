"""The migrations: each can be undone, none can be edited, and yoyo's own tools agree with us."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import psycopg
import pytest
import yoyo
from conftest import Connection, one
from psycopg.conninfo import conninfo_to_dict
from schema_dump import dump_schema, without_extensions
from yoyo.backends.base import DatabaseBackend

from cto import catalogue, engine, ledger, local
from cto.connection import connect
from cto.errors import DeployError
from cto.migrations import checksum, read_checksums, read_migrations
from cto.repeatables import Extensions
from cto.resources import database_files

FOLDER = database_files() / "migrations"
MIGRATIONS = read_migrations()
IDS = [migration.id for migration in MIGRATIONS]

# Rows as v1.0 wrote them, on every server that it was deployed to.
V1_ROWS = """
insert into cto.blocks (hash, session_hash, owner_id, block_type, content, embedding, importance, metadata)
select encode(sha256(convert_to(c.content, 'UTF8')), 'hex'), repeat('b', 64), repeat('a', 64), c.kind, c.content,
    case when c.kind = 'fact' then array_fill(0.5, array[1536])::vector end, 0.7, '{"source": "v1.0"}'
from (values ('fact', 'Ana vive en Medellín'), ('preference', 'Prefiere el té verde')) as c (kind, content);

insert into cto.memory (session_hash, owner_id, block_hash, position, score, token_count)
select b.session_hash, b.owner_id, b.hash, 1, 0.9, 7 from cto.blocks as b;

insert into ia_contexts (context_id, agent_name, user_id) values ('lunes', 'asistente', 'ana');

insert into ia_messages (context_id, role, content, timestamp, token_count)
values ('lunes', 'user', 'hola', '2024-12-23 10:00', 2), ('lunes', 'assistant', 'buenas', '2024-12-23 10:01', 3);

insert into ia_embeddings (context_id, message_id, embedding_vector, content_hash)
select m.context_id, m.id, '{1, 2}', md5(m.content) from ia_messages as m;

insert into ia_tool_calls (context_id, tool_name, execution_time_ms) values ('lunes', 'buscar', 12);
"""  # noqa: E501

TABLES = (
    "cto.blocks",
    "cto.memory",
    "cto.algorithms",
    "public.ia_contexts",
    "public.ia_messages",
    "public.ia_embeddings",
    "public.ia_tool_calls",
    "public.ia_context_metrics",
)


def prepare(connection: Connection) -> Extensions:
    """Make what stands before the first migration: extensions and ledger."""
    extensions = catalogue.ensure_extensions(connection, "public")
    ledger.ensure(connection)
    return extensions


def apply(connection: Connection, extensions: Extensions, names: list[str]) -> None:
    """Apply those migrations, with rows of v1.0 put in after the first."""
    for migration in MIGRATIONS:
        if migration.id in names:
            engine.apply_migration(connection, migration, extensions)
            if migration.id == IDS[0]:
                connection.execute(V1_ROWS.encode())


def rows(connection: Connection) -> dict[str, list[str]]:
    """Return what the tables that are there hold, as text."""
    found = {}
    for table in TABLES:
        if one(connection, "select to_regclass(%s)", table) is None:
            continue
        cursor = connection.execute(f"select t::text from {table} as t order by 1".encode())
        found[table] = [row[0] for row in cursor]
    return found


def yoyo_backend(dsn: str) -> DatabaseBackend:
    parts = conninfo_to_dict(dsn)
    # The login of the tests is called cto: its search path, "$user", public, would lead there.
    where = urlencode(
        {"host": parts["host"], "port": parts["port"], "user": parts["user"], "schema": "public"}
    )
    return yoyo.get_backend(f"postgresql+psycopg:///{parts['dbname']}?{where}")


@dataclass(frozen=True)
class RoundTrip:
    """What a database held before a migration, after it, and after its rollback."""

    before: str
    applied: str
    undone: str
    rows_before: dict[str, list[str]]
    rows_undone: dict[str, list[str]]


@pytest.fixture(scope="module")
def round_trips(server: local.LocalServer) -> dict[str, RoundTrip]:
    """Go up migration by migration, and each time one step back and up again."""
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as admin:
        admin.execute("create database migrations_round_trips")
        dsn = server.dsn("migrations_round_trips")
        found = {}
        with connect(dsn) as connection:
            extensions = prepare(connection)
            for migration in MIGRATIONS:
                before, rows_before = dump_schema(server, dsn), rows(connection)
                engine.apply_migration(connection, migration, extensions)
                applied = dump_schema(server, dsn)
                engine.undo_migration(connection, migration, extensions)
                undone, rows_undone = dump_schema(server, dsn), rows(connection)
                found[migration.id] = RoundTrip(before, applied, undone, rows_before, rows_undone)
                apply(connection, extensions, [migration.id])
        admin.execute("drop database migrations_round_trips with (force)")
    return found


@pytest.mark.parametrize("name", IDS)
def test_undoing_restores_the_schema_before(round_trips: dict[str, RoundTrip], name: str) -> None:
    trip = round_trips[name]

    assert trip.applied != trip.before
    assert trip.undone == trip.before


@pytest.mark.parametrize("name", IDS[1:])
def test_rows_survive_a_migration_and_its_rollback(
    round_trips: dict[str, RoundTrip], name: str
) -> None:
    trip = round_trips[name]

    assert list(trip.rows_before) == list(TABLES)
    assert all(trip.rows_before.values())
    assert trip.rows_undone == trip.rows_before


def test_all_of_them_can_be_undone_one_after_another(
    server: local.LocalServer, empty_dsn: str
) -> None:
    with connect(empty_dsn) as connection:
        extensions = prepare(connection)
        before = dump_schema(server, empty_dsn)
        apply(connection, extensions, IDS)
        for migration in reversed(MIGRATIONS):
            engine.undo_migration(connection, migration, extensions)

        assert ledger.read_applied(connection) == {}
    assert dump_schema(server, empty_dsn) == before


def test_an_undone_migration_can_be_applied_again(
    server: local.LocalServer, empty_dsn: str
) -> None:
    with connect(empty_dsn) as connection:
        extensions = prepare(connection)
        apply(connection, extensions, IDS)
        once = dump_schema(server, empty_dsn)
        for migration in reversed(MIGRATIONS[1:]):
            engine.undo_migration(connection, migration, extensions)
        for migration in MIGRATIONS[1:]:
            engine.apply_migration(connection, migration, extensions)

    assert dump_schema(server, empty_dsn) == once


def test_the_ledger_rows_come_and_go_with_their_migrations(empty_dsn: str) -> None:
    with connect(empty_dsn) as connection:
        extensions = prepare(connection)
        apply(connection, extensions, IDS)
        applied = ledger.read_applied(connection)
        for migration in reversed(MIGRATIONS):
            engine.undo_migration(connection, migration, extensions)
        log = connection.execute(
            "select operation, migration_id from public._yoyo_log order by created_at_utc"
        ).fetchall()

        assert {name: row.sha256 for name, row in applied.items()} == {
            migration.id: migration.sha256 for migration in MIGRATIONS
        }
        assert ledger.read_applied(connection) == {}
        assert log == [("apply", name) for name in IDS] + [("rollback", n) for n in IDS[::-1]]


def test_each_has_statements_and_a_rollback() -> None:
    for migration in MIGRATIONS:
        assert migration.path.with_suffix(".rollback.sql").is_file(), migration.id
        assert migration.statements, migration.id
        assert migration.rollback_statements, migration.id


def test_yoyo_splits_them_into_whole_statements() -> None:
    """A semicolon in a body or a comment must not cut a statement in two."""
    for migration in MIGRATIONS:
        for statement in (*migration.statements, *migration.rollback_statements):
            lines = [line.partition("--")[0].rstrip() for line in statement.splitlines()]
            text = "\n".join(line for line in lines if line)
            assert not text or text.endswith(";"), f"{migration.id}: {statement}"
            assert text.count("$$") % 2 == 0, f"{migration.id}: {statement}"
            assert text.count("'") % 2 == 0, f"{migration.id}: {statement}"


def test_only_a_migration_that_cannot_be_has_no_transaction() -> None:
    for migration in MIGRATIONS:
        needs_none = any("concurrently" in statement.lower() for statement in migration.statements)
        assert migration.transactional is not needs_none, migration.id


def test_each_names_the_one_before_it() -> None:
    """So yoyo's order is the one of the numbers."""
    assert sorted(IDS) == IDS
    for before, migration in zip(IDS, MIGRATIONS[1:], strict=False):
        assert f"-- depends: {before}\n" in migration.path.read_text("utf-8"), migration.id


def test_they_are_sorted_by_what_they_depend_on(tmp_path: Path) -> None:
    for name, depends in (("a", "-- depends: b\n"), ("b", "-- depends: c\n"), ("c", "")):
        (tmp_path / f"{name}.sql").write_text(f"{depends}select 1")
        (tmp_path / f"{name}.rollback.sql").write_text("select 1")
    (tmp_path / "released.sha256").write_text("")

    assert [migration.id for migration in read_migrations(tmp_path)] == ["c", "b", "a"]


def test_every_file_has_its_released_checksum() -> None:
    expected = {path.name: checksum(path) for path in FOLDER.glob("*.sql")}

    assert read_checksums(FOLDER) == expected


@pytest.mark.parametrize("suffix", [".sql", ".rollback.sql"])
@pytest.mark.parametrize("name", [IDS[0], IDS[-1]])
def test_an_edited_released_file_is_refused(tmp_path: Path, name: str, suffix: str) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "migrations")
    with (folder / f"{name}{suffix}").open("a") as file:
        file.write("\n-- a word too many\n")

    with pytest.raises(DeployError, match=f"{name} was edited") as refused:
        read_migrations(folder)

    assert "new migration" in refused.value.remedy


def test_line_ends_of_another_system_are_no_edit(tmp_path: Path) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "migrations")
    for path in folder.glob("*.sql"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert [m.sha256 for m in read_migrations(folder)] == [m.sha256 for m in MIGRATIONS]


def test_a_migration_without_rollback_is_refused(tmp_path: Path) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "migrations")
    (folder / f"{IDS[-1]}.rollback.sql").unlink()

    with pytest.raises(DeployError, match=IDS[-1]):
        read_migrations(folder)


def test_yoyo_sees_nothing_to_apply_after_a_deployment(dsn: str) -> None:
    with yoyo_backend(dsn) as backend:
        migrations = yoyo.read_migrations(str(FOLDER))

        assert list(backend.to_apply(migrations)) == []


def test_yoyo_would_roll_back_in_the_opposite_order(dsn: str) -> None:
    with yoyo_backend(dsn) as backend:
        migrations = yoyo.read_migrations(str(FOLDER))

        assert [each.id for each in backend.to_rollback(migrations)] == IDS[::-1]


def test_yoyo_reading_the_ledger_leaves_the_schema_alone(
    server: local.LocalServer, dsn: str
) -> None:
    before = dump_schema(server, dsn, ledger=True)
    with yoyo_backend(dsn) as backend:
        list(backend.to_apply(yoyo.read_migrations(str(FOLDER))))

    assert dump_schema(server, dsn, ledger=True) == before


def test_yoyo_itself_makes_the_same_schema(
    server: local.LocalServer, new_database: Callable[..., str]
) -> None:
    with_yoyo, with_engine = new_database(), new_database()
    with yoyo_backend(with_yoyo) as backend, backend.lock():
        backend.apply_migrations(backend.to_apply(yoyo.read_migrations(str(FOLDER))))
    with connect(with_engine) as connection:
        extensions = prepare(connection)
        for migration in MIGRATIONS:
            engine.apply_migration(connection, migration, extensions)

    assert without_extensions(dump_schema(server, with_yoyo)) == without_extensions(
        dump_schema(server, with_engine)
    )


def test_a_deployment_completes_what_yoyo_began(
    server: local.LocalServer, new_database: Callable[..., str], template: str
) -> None:
    begun, deployed = new_database(), new_database(template)
    with yoyo_backend(begun) as backend, backend.lock():
        backend.apply_migrations(backend.to_apply(yoyo.read_migrations(str(FOLDER))))
    with connect(begun) as connection:
        report = engine.deploy(connection)
        state = engine.read_state(connection)

    assert report.migrations == []
    assert state.in_order
    assert dump_schema(server, begun) == dump_schema(server, deployed)


def test_a_deployment_goes_on_where_yoyo_stopped(
    server: local.LocalServer, new_database: Callable[..., str], template: str
) -> None:
    begun, deployed = new_database(), new_database(template)
    with yoyo_backend(begun) as backend, backend.lock():
        migrations = backend.to_apply(yoyo.read_migrations(str(FOLDER)))
        backend.apply_migrations(migrations.filter(lambda each: each.id in IDS[:3]))
    with connect(begun) as connection:
        report = engine.deploy(connection)

    assert report.migrations == IDS[3:]
    assert dump_schema(server, begun) == dump_schema(server, deployed)


def test_yoyo_rolls_back_what_the_deployer_applied(
    server: local.LocalServer, empty_dsn: str
) -> None:
    with connect(empty_dsn) as connection:
        extensions = prepare(connection)
        before = dump_schema(server, empty_dsn)
        apply(connection, extensions, IDS)
    with yoyo_backend(empty_dsn) as backend, backend.lock():
        backend.rollback_migrations(backend.to_rollback(yoyo.read_migrations(str(FOLDER))))
    with psycopg.connect(empty_dsn) as connection:
        assert one(connection, "select count(*) from public._yoyo_migration") == 0

    assert dump_schema(server, empty_dsn) == before
