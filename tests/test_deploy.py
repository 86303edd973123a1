"""What a deployment does to a database, whatever state and whoever's hands it was in."""

from __future__ import annotations

import hashlib
import itertools
import shutil
import time
import types
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from conftest import Connection, one
from psycopg import sql
from psycopg.conninfo import make_conninfo
from schema_dump import dump_schema, without_extensions

from cto import catalogue, engine, ledger, local, migrations, repeatables
from cto.connection import connect
from cto.engine import Options, Report
from cto.errors import DeployError
from cto.resources import database_files

MIGRATIONS = migrations.read_migrations()
IDS = [migration.id for migration in MIGRATIONS]

# Everything that a deployment could touch, with the transaction that touched it last.
SNAPSHOT = """
select 'class ' || c.oid::regclass, c.oid, c.xmin::text from pg_class as c
where c.oid >= 16384 and c.relnamespace <> 'pg_toast'::regnamespace
union all
select 'routine ' || p.oid::regprocedure, p.oid, p.xmin::text from pg_proc as p where p.oid >= 16384
union all
select 'trigger ' || t.tgname, t.oid, t.xmin::text from pg_trigger as t
union all
select 'constraint ' || c.conname, c.oid, c.xmin::text from pg_constraint as c where c.oid >= 16384
union all
select 'schema ' || n.nspname, n.oid, n.xmin::text from pg_namespace as n
union all
select 'extension ' || e.extname, e.oid, e.xmin::text from pg_extension as e
union all
select 'comment ' || d.description, d.objoid, d.xmin::text from pg_description as d where d.objoid >= 16384
union all
select 'algorithm ' || a.name, 0, a.xmin::text from cto.algorithms as a
union all
select 'object ' || o.kind || o.name, 0, o.xmin::text from public._cto_object as o
union all
select 'migration ' || m.migration_id, 0, m.xmin::text from public._yoyo_migration as m
order by 1, 2, 3
"""  # noqa: E501

_numbers = itertools.count()


def deploy(dsn: str, options: Options | None = None) -> Report:
    with connect(dsn) as connection:
        return engine.deploy(connection, options)


def refusal(dsn: str, options: Options | None = None) -> DeployError:
    """Deploy, and return the error that it must end with."""
    with pytest.raises(DeployError) as refused:
        deploy(dsn, options)
    return refused.value


def apply_until(connection: Connection, last: str) -> None:
    """Bring an empty database as far as that migration."""
    extensions = catalogue.ensure_extensions(connection, "public")
    ledger.ensure(connection)
    for migration in MIGRATIONS:
        engine.apply_migration(connection, migration, extensions)
        if migration.id == last:
            return


def assert_it_works(dsn: str) -> None:
    """Go through what an agent does: log, remember, select with and without a vector."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            "select cto.log_message('lunes', 'user',"
            " 'Me llamo Ana y trabajo en la campaña de otoño.', 'asistente', 'ana')"
        )
        connection.execute("select cto.remember('ana', 'La campaña empieza en Medellín', 'fact')")
        found = connection.execute(
            "select content from cto.select_context('ana', 'lunes', query => 'campana medellin')"
        ).fetchall()
        assert ("La campaña empieza en Medellín",) in found
        vector = "[" + ",".join(["0.1"] * 1536) + "]"
        assert connection.execute(
            "select * from cto.select_context('ana', 'lunes', query_embedding => %s)", (vector,)
        ).fetchall()
        assert one(connection, "select message_count from public.ia_context_summary") == 1


def assert_in_order(dsn: str) -> None:
    with connect(dsn) as connection:
        assert engine.read_state(connection).in_order


@pytest.fixture(autouse=True)
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parsing the migrations takes half of a deployment's time; they do not change here."""
    monkeypatch.setattr(engine, "read_migrations", lambda: MIGRATIONS)


@pytest.fixture
def files(read_once: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of sql/, plpython/ and migrations/ that the deployer reads instead."""
    for name in ("sql", "plpython", "migrations"):
        shutil.copytree(database_files() / name, tmp_path / name)
    monkeypatch.setattr(repeatables, "database_files", lambda: tmp_path)
    monkeypatch.setattr(migrations, "database_files", lambda: tmp_path)
    monkeypatch.setattr(engine, "read_migrations", migrations.read_migrations)
    return tmp_path


@pytest.fixture
def make_database(server: local.LocalServer) -> Iterator[Callable[..., str]]:
    """A function that makes a database with any options of CREATE DATABASE: its DSN."""
    names = []

    def make(options: str = "") -> str:
        name = f"deploy_{next(_numbers)}"
        with psycopg.connect(server.dsn("postgres"), autocommit=True) as connection:
            connection.execute(f"create database {name} {options}".encode())
        names.append(name)
        return server.dsn(name)

    yield make
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as connection:
        for name in names:
            connection.execute(f"drop database {name} with (force)".encode())


@pytest.fixture
def role(server: local.LocalServer, make_database: Callable[..., str]) -> Iterator[str]:
    """A login that may create roles and databases, but is no superuser; its databases go first."""
    name = f"deployer_{next(_numbers)}"
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as connection:
        connection.execute(f"create role {name} login createrole createdb".encode())
    yield name
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as connection:
        databases = connection.execute(
            "select datname from pg_database where datallowconn and datname <> 'template0'"
        ).fetchall()
    for (database,) in databases:
        with psycopg.connect(server.dsn(database), autocommit=True) as connection:
            connection.execute(f"reassign owned by {name} to {local.SUPERUSER}".encode())
            connection.execute(f"drop owned by {name}".encode())
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as connection:
        connection.execute(f"drop role {name}".encode())


def as_role(dsn: str, role: str) -> str:
    return make_conninfo(dsn, user=role)


def install_extensions(dsn: str) -> None:
    """Do what the administrator does beforehand."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        for name in ("vector", "unaccent", "btree_gin"):
            connection.execute(f"create extension {name}".encode())


# --- the plain cases ---------------------------------------------------------------------------


def test_an_empty_database_gets_everything(server: local.LocalServer, empty_dsn: str) -> None:
    report = deploy(empty_dsn)

    assert report.changed
    assert report.migrations == IDS
    assert report.tier == server.tier
    assert report.repeatables > 0
    assert_in_order(empty_dsn)
    assert_it_works(empty_dsn)


def test_each_step_is_announced(empty_dsn: str) -> None:
    steps: list[str] = []
    with connect(empty_dsn) as connection:
        engine.deploy(connection, on_step=steps.append)

    assert steps[: len(IDS)] == [f"migration {name}" for name in IDS]


def test_a_second_deployment_changes_nothing(empty_dsn: str) -> None:
    deploy(empty_dsn)
    with psycopg.connect(empty_dsn, autocommit=True) as connection:
        before = connection.execute(SNAPSHOT.encode()).fetchall()
        report = deploy(empty_dsn)
        after = connection.execute(SNAPSHOT.encode()).fetchall()

    assert not report.changed
    assert after == before


def test_the_state_of_an_empty_database_is_all_pending(empty_dsn: str) -> None:
    with connect(empty_dsn) as connection:
        state = engine.read_state(connection)

    assert not state.in_order
    assert state.pending == tuple(IDS)
    assert state.applied == ()
    assert state.tier is None


def test_reading_the_state_writes_nothing(server: local.LocalServer, empty_dsn: str) -> None:
    before = dump_schema(server, empty_dsn, ledger=True)
    with connect(empty_dsn) as connection:
        connection.execute("set default_transaction_read_only = on")
        engine.read_state(connection)

    assert dump_schema(server, empty_dsn, ledger=True) == before


# --- repeatable files --------------------------------------------------------------------------


def test_a_changed_file_is_applied_again(files: Path, dsn: str) -> None:
    path = files / "sql" / "functions" / "key.sql"
    path.write_text(path.read_text() + "\ncomment on function cto.key(text) is 'changed';\n")

    with connect(dsn) as connection:
        assert engine.read_state(connection).stale == ("sql/functions/key.sql",)
        assert engine.deploy(connection).repeatables > 0
        assert one(connection, "select obj_description('cto.key(text)'::regprocedure)") == "changed"
        assert engine.read_state(connection).in_order


def test_a_broken_body_leaves_the_old_routines(files: Path, dsn: str) -> None:
    (files / "sql" / "functions" / "aaa.sql").write_text(
        "create function cto.aaa() returns integer language sql return 1;"
    )
    (files / "sql" / "functions" / "broken.sql").write_text(
        "create function cto.broken() returns integer language plpgsql set search_path = pg_catalog"
        " as $$begin retrun 1; end$$;"
    )
    with psycopg.connect(dsn, autocommit=True) as connection:
        before = connection.execute(SNAPSHOT.encode()).fetchall()
        error = refusal(dsn)
        after = connection.execute(SNAPSHOT.encode()).fetchall()

    assert "cto.broken()" in error.message
    assert "Nothing of the repeatable files was kept" in error.remedy
    assert after == before
    assert_it_works(dsn)


def test_a_body_that_names_a_missing_table_is_refused(files: Path, dsn: str) -> None:
    (files / "sql" / "functions" / "broken.sql").write_text(
        "create function cto.broken() returns bigint language sql set search_path = pg_catalog"
        " as $$select count(*) from cto.no_such_table$$;"
    )

    assert "no_such_table" in refusal(dsn).message


def test_a_broken_statement_names_its_file(files: Path, dsn: str) -> None:
    (files / "sql" / "views" / "broken.sql").write_text("create view cto.broken as selekt 1;")

    error = refusal(dsn)

    assert "sql/views/broken.sql" in error.message
    assert "selekt" in error.message


def test_routines_may_call_ones_that_come_later_in_the_alphabet(
    files: Path, empty_dsn: str
) -> None:
    (files / "sql" / "functions" / "aaa.sql").write_text(
        "create function cto.aaa() returns integer language sql set search_path = pg_catalog"
        " as $$select cto.zzz()$$;"
    )
    (files / "sql" / "functions" / "zzz.sql").write_text(
        "create function cto.zzz() returns integer language sql set search_path = pg_catalog"
        " as $$select 1$$;"
    )

    assert deploy(empty_dsn).migrations == IDS


# --- drift -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by_hand", "name"),
    [
        ("alter function cto.key cost 77", "cto.key("),
        ("drop function cto.unpin", "cto.unpin("),
        ("grant execute on function cto.fold_accesses to public", "cto.fold_accesses("),
        ("drop view cto.block_summary", "view cto.block_summary"),
        ("revoke select on public.ia_context_summary from cto_report", "view public.ia_context"),
        ("alter table cto.blocks disable trigger blocks_queue", "trigger blocks_queue on"),
        ("drop trigger blocks_prepare on cto.blocks", "trigger blocks_prepare on"),
    ],
)
def test_what_was_changed_by_hand_shows_and_is_restored(
    dsn: str, db: Connection, by_hand: str, name: str
) -> None:
    db.execute(by_hand.encode())

    with connect(dsn) as connection:
        (drifted,) = engine.read_state(connection).drifted
        assert drifted.startswith(name)
        assert engine.deploy(connection).changed
        assert engine.read_state(connection).in_order


@pytest.mark.parametrize(
    "by_hand",
    [
        "create function cto.stranger() returns integer language sql return 1",
        "create view cto.strange_view as select 1 as one",
        "create function public.theirs() returns integer language sql return 1",
        "create view public.their_view as select 1 as one",
    ],
)
def test_state_and_deployment_agree_on_what_others_made(
    dsn: str, db: Connection, by_hand: str
) -> None:
    db.execute(by_hand.encode())

    with connect(dsn) as connection:
        in_order = engine.read_state(connection).in_order
        assert engine.deploy(connection).changed is not in_order


def test_a_migration_undone_and_applied_again_costs_no_grant(
    server: local.LocalServer, dsn: str
) -> None:
    """It replaces a view, whose rights and comments stand in the view's own file."""
    before = dump_schema(server, dsn)
    with connect(dsn) as connection:
        extensions = catalogue.find_extensions(connection)
        assert extensions is not None
        last = MIGRATIONS[-1]
        engine.undo_migration(connection, last, extensions)
        assert engine.deploy(connection).migrations == [last.id]

    assert dump_schema(server, dsn) == before


# --- refusals ----------------------------------------------------------------------------------


def test_a_migration_edited_after_it_was_applied_is_refused(files: Path, dsn: str) -> None:
    path = files / "migrations" / f"{IDS[3]}.sql"
    path.write_text(path.read_text() + "\n-- a word too many\n")
    lines = (files / "migrations" / "released.sha256").read_text().splitlines()
    kept = [line for line in lines if not line.endswith(f"  {path.name}")]
    (files / "migrations" / "released.sha256").write_text("\n".join(kept) + "\n")

    with connect(dsn) as connection:
        assert engine.read_state(connection).edited == (IDS[3],)
    assert IDS[3] in refusal(dsn).message


def test_a_newer_database_is_refused(dsn: str, db: Connection) -> None:
    db.execute(
        "insert into public._yoyo_migration values (%s, '9999_of_tomorrow', now())",
        (hashlib.sha256(b"9999_of_tomorrow").hexdigest(),),
    )

    error = refusal(dsn)

    assert "newer" in error.message
    assert "9999_of_tomorrow" in error.message
    with connect(dsn) as connection:
        assert engine.read_state(connection).unknown == ("9999_of_tomorrow",)


@pytest.mark.parametrize("name", ["cto.blocks", "cto.memory", "ia_contexts", "ia_messages"])
def test_tables_made_by_hand_are_refused_and_stay(
    server: local.LocalServer, empty_dsn: str, name: str
) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as connection:
        connection.execute("create schema cto")
        connection.execute("set search_path = public")
        connection.execute(f"create table {name} (id integer)".encode())
    before = without_extensions(dump_schema(server, empty_dsn, ledger=True))

    error = refusal(empty_dsn)

    assert name in error.message
    assert "Nothing was changed" in error.remedy
    assert without_extensions(dump_schema(server, empty_dsn, ledger=True)) == before


def test_a_refused_database_keeps_no_extension(server: local.LocalServer, empty_dsn: str) -> None:
    """The remedy says that nothing was changed."""
    with psycopg.connect(empty_dsn, autocommit=True) as connection:
        connection.execute("create table public.ia_contexts (id integer)")
    before = dump_schema(server, empty_dsn, ledger=True)

    refusal(empty_dsn)

    assert dump_schema(server, empty_dsn, ledger=True) == before


# --- several at once ---------------------------------------------------------------------------


@pytest.mark.parametrize("deployers", [2, 8])
def test_deployers_at_once_apply_everything_once(empty_dsn: str, deployers: int) -> None:
    with ThreadPoolExecutor(deployers) as pool:
        reports = list(pool.map(deploy, [empty_dsn] * deployers))

    assert sorted(len(report.migrations) for report in reports) == [0] * (deployers - 1) + [
        len(IDS)
    ]
    assert sum(report.changed for report in reports) == 1
    with psycopg.connect(empty_dsn) as connection:
        applied = connection.execute(
            "select migration_id, operation from public._yoyo_log order by created_at_utc"
        ).fetchall()
    assert applied == [(name, "apply") for name in IDS]
    assert_in_order(empty_dsn)


def test_databases_of_one_server_are_deployed_at_once(new_database: Callable[..., str]) -> None:
    """The roles belong to all of them."""
    dsns = [new_database() for _ in range(4)]
    with ThreadPoolExecutor(len(dsns)) as pool:
        reports = list(pool.map(deploy, dsns))

    assert [report.migrations for report in reports] == [IDS] * len(dsns)


def test_the_holder_of_the_lock_is_named(empty_dsn: str) -> None:
    with psycopg.connect(empty_dsn, autocommit=True, application_name="the other one") as other:
        other.execute("select pg_advisory_lock(%s)", (engine._LOCK_KEY,))
        error = refusal(empty_dsn, Options(lock_seconds=0.1))
        pid = other.info.backend_pid

    assert "the other one" in error.message
    assert f"pid {pid}" in error.message
    assert "pg_terminate_backend" in error.remedy


def test_a_lock_in_another_database_does_not_matter(new_database: Callable[..., str]) -> None:
    with psycopg.connect(new_database(), autocommit=True) as other:
        other.execute("select pg_advisory_lock(%s)", (engine._LOCK_KEY,))

        assert deploy(new_database(), Options(lock_seconds=0.1)).migrations == IDS


def test_a_failed_deployment_lets_the_lock_go(files: Path, empty_dsn: str) -> None:
    (files / "sql" / "views" / "broken.sql").write_text("create view cto.broken as selekt 1;")
    with connect(empty_dsn) as connection:
        with pytest.raises(DeployError):
            engine.deploy(connection)
        (files / "sql" / "views" / "broken.sql").unlink()

        assert deploy(empty_dsn, Options(lock_seconds=0.1)).repeatables > 0


# --- busy tables -------------------------------------------------------------------------------


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What happens, one after another, while the engine waits before it tries again."""
    events: list[Callable[[], object]] = []

    def sleep(_: float) -> None:
        if events:
            events.pop(0)()

    fake = types.SimpleNamespace(sleep=sleep, monotonic=time.monotonic)
    monkeypatch.setattr(engine, "time", fake)
    return events


def test_a_busy_table_is_tried_again(
    empty_dsn: str, pauses: list[Callable[[], object]], caplog: pytest.LogCaptureFixture
) -> None:
    with connect(empty_dsn) as connection, psycopg.connect(empty_dsn) as reader:
        apply_until(connection, "0002_text_search")
        reader.execute("select count(*) from cto.blocks")
        pauses += [lambda: None, reader.rollback]

        report = engine.deploy(connection, Options(lock_timeout="50ms"))

    assert report.migrations == IDS[2:]
    assert [record.message for record in caplog.records] == [
        "0003_owner_keys: a table is busy, trying again"
    ] * 2


def test_a_table_that_stays_busy_ends_the_deployment(
    empty_dsn: str, pauses: list[Callable[[], object]]
) -> None:
    with connect(empty_dsn) as connection, psycopg.connect(empty_dsn) as reader:
        apply_until(connection, "0002_text_search")
        reader.execute("select count(*) from cto.blocks")

        error = refusal(empty_dsn, Options(lock_timeout="20ms"))

        assert "0003_owner_keys" in error.message
        assert "busy" in error.message
        assert list(ledger.read_applied(connection)) == IDS[:2]
        reader.rollback()
        assert engine.deploy(connection).migrations == IDS[2:]


def test_triggers_of_a_busy_table_are_tried_again(
    dsn: str, db: Connection, pauses: list[Callable[[], object]]
) -> None:
    db.execute("alter function cto.key(text) cost 77")
    with psycopg.connect(dsn) as writer:
        writer.execute("lock table public.ia_messages in row exclusive mode")
        pauses.append(writer.rollback)

        assert deploy(dsn, Options(lock_timeout="50ms")).repeatables > 0
    assert_in_order(dsn)


def test_an_index_built_concurrently_waits_for_older_transactions(empty_dsn: str) -> None:
    """Longer than lock_timeout: it blocks nobody while it waits."""
    with connect(empty_dsn) as connection, psycopg.connect(empty_dsn) as writer:
        apply_until(connection, "0004_block_model")
        writer.execute("lock table cto.blocks in row exclusive mode")
        with ThreadPoolExecutor(1) as pool:
            deployment = pool.submit(deploy, empty_dsn, Options(lock_timeout="50ms"))
            wait_until(
                connection,
                "select exists (select from pg_stat_activity where wait_event_type = 'Lock'"
                " and query ilike 'create index concurrently%%'"
                " and now() - query_start > interval '200 ms')",
            )
            writer.rollback()

            assert deployment.result().migrations == IDS[4:]


def wait_until(connection: Connection, query: str) -> None:
    deadline = time.monotonic() + 60
    while not one(connection, query.replace("%%", "%")):
        assert time.monotonic() < deadline, query
        time.sleep(0.02)


# --- failures in the middle --------------------------------------------------------------------


def add_migration(files: Path, text: str) -> Path:
    path = files / "migrations" / "9990_injected.sql"
    path.write_text(f"-- depends: {IDS[-1]}\n{text}")
    path.with_suffix(".rollback.sql").write_text("select 1;")
    return path


def test_a_failing_migration_leaves_nothing_of_itself(files: Path, empty_dsn: str) -> None:
    path = add_migration(files, "create table cto.half (id integer);\n\nselect 1 / 0;\n")

    error = refusal(empty_dsn)

    assert "9990_injected.sql" in error.message
    assert "division by zero" in error.message
    assert "select 1 / 0" in error.message
    assert "Nothing of this migration was kept" in error.remedy
    with connect(empty_dsn) as connection:
        assert one(connection, "select to_regclass('cto.half')") is None
        assert list(ledger.read_applied(connection)) == IDS
        path.write_text(path.read_text().replace("1 / 0", "1 / 1"))
        assert engine.deploy(connection).migrations == ["9990_injected"]
        assert engine.read_state(connection).in_order


def test_a_constraint_that_rows_break_is_told_with_its_detail(files: Path, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("insert into public.ia_contexts (context_id, agent_name) values (1, 2)")
    add_migration(files, "create unique index on public.ia_contexts ((true));\nselect 1;")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("insert into public.ia_contexts (context_id, agent_name) values (2, 2)")

    assert "is duplicated" in refusal(dsn).message


def leave_invalid_index(dsn: str) -> None:
    """Interrupt CREATE INDEX CONCURRENTLY while it waits for a writer."""
    with psycopg.connect(dsn) as writer, psycopg.connect(dsn, autocommit=True) as builder:
        writer.execute("lock table cto.blocks in row exclusive mode")
        builder.execute("set statement_timeout = '200ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            builder.execute(
                "create index concurrently blocks_embedding_idx on cto.blocks (importance)"
            )


def test_an_invalid_index_is_dropped_and_built_again(empty_dsn: str) -> None:
    validity = "select indisvalid from pg_index where indexrelid = %s::regclass"
    name = "cto.blocks_embedding_idx"
    with connect(empty_dsn) as connection:
        apply_until(connection, "0004_block_model")
        leave_invalid_index(empty_dsn)
        assert one(connection, validity, name) is False

        engine.deploy(connection)

        assert one(connection, validity, name) is True
        assert "hnsw" in one(connection, "select pg_get_indexdef(%s::regclass)", name)


# --- where the extensions are ------------------------------------------------------------------


@pytest.mark.parametrize("schema", ["extensions", "My Ext", 'a"b'])
def test_extensions_go_into_the_schema_that_was_asked_for(empty_dsn: str, schema: str) -> None:
    deploy(empty_dsn, Options(extensions_schema=schema))

    with psycopg.connect(empty_dsn) as connection:
        found = connection.execute(
            "select distinct n.nspname from pg_extension as e"
            " inner join pg_namespace as n on n.oid = e.extnamespace"
            " where e.extname in ('vector', 'unaccent', 'btree_gin')"
        ).fetchall()
    assert found == [(schema,)]
    assert_it_works(empty_dsn)
    assert_in_order(empty_dsn)
    assert not deploy(empty_dsn, Options(extensions_schema=schema)).changed


def test_extensions_are_found_where_somebody_put_them(empty_dsn: str) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as connection:
        connection.execute("create schema extensions")
        connection.execute("create extension vector schema extensions")
        connection.execute("create extension unaccent schema public")
        connection.execute("create schema elsewhere")
        connection.execute("create extension btree_gin schema elsewhere")

    deploy(empty_dsn)

    assert_it_works(empty_dsn)
    assert_in_order(empty_dsn)


def test_extensions_moved_later_are_followed(empty_dsn: str) -> None:
    deploy(empty_dsn)
    with psycopg.connect(empty_dsn, autocommit=True) as connection:
        connection.execute("create schema extensions")
        connection.execute("alter extension vector set schema extensions")
        connection.execute("alter extension unaccent set schema extensions")

    assert deploy(empty_dsn).repeatables > 0

    assert_it_works(empty_dsn)
    assert_in_order(empty_dsn)


# --- settings of database and role -------------------------------------------------------------


@pytest.mark.parametrize(
    ("whose", "path"),
    [
        ("database {0}", "''"),
        ("role {1} in database {0}", "nowhere"),
        ("role {1} in database {0}", "cto, public"),
        ("database {0}", "pg_temp, pg_catalog"),
    ],
)
def test_any_search_path_leads_to_the_same_schema(
    server: local.LocalServer,
    make_database: Callable[..., str],
    dsn: str,
    whose: str,
    path: str,
) -> None:
    target = make_database()
    with psycopg.connect(target, autocommit=True) as connection:
        database = connection.info.dbname
        setting = f"alter {whose.format(database, local.SUPERUSER)} set search_path = {path}"
        connection.execute(setting.encode())

    deploy(target)

    assert dump_schema(server, target, ledger=True) == dump_schema(server, dsn, ledger=True)
    assert_in_order(target)
    assert not deploy(target).changed


def migrate_v1_moment(dsn: str, options: Options) -> str:
    """Return, in UTC, what becomes of a moment that v1.0 wrote without zone: 10:00."""
    with connect(dsn) as connection:
        apply_until(connection, "0001_v1_0")
        connection.execute(
            "insert into public.ia_contexts (context_id, agent_name, created_at)"
            " values ('lunes', 'asistente', '2024-12-23 10:00')"
        )
    deploy(dsn, options)
    with psycopg.connect(dsn) as connection:
        return str(
            one(
                connection,
                "select (created_at at time zone 'utc')::text from public.ia_contexts",
            )
        )


def test_moments_of_v1_are_read_in_the_zone_that_was_named(empty_dsn: str) -> None:
    zone = Options(timezone="America/Bogota")

    assert migrate_v1_moment(empty_dsn, zone) == "2024-12-23 15:00:00"


@pytest.mark.parametrize("environment", [None, "Asia/Tokyo"])
def test_moments_of_v1_are_read_in_the_databases_zone(
    make_database: Callable[..., str], monkeypatch: pytest.MonkeyPatch, environment: str | None
) -> None:
    """Not in that of whoever deploys: libpq passes PGTZ on."""
    target = make_database()
    with psycopg.connect(target, autocommit=True) as connection:
        setting = f"alter database {connection.info.dbname} set timezone = 'America/Bogota'"
        connection.execute(setting.encode())
    if environment:
        monkeypatch.setenv("PGTZ", environment)

    assert migrate_v1_moment(target, Options()) == "2024-12-23 15:00:00"


def test_the_zone_of_the_database_does_not_show_in_the_schema(
    server: local.LocalServer, make_database: Callable[..., str], dsn: str
) -> None:
    target = make_database()
    with psycopg.connect(target, autocommit=True) as connection:
        setting = f"alter database {connection.info.dbname} set timezone = 'America/Bogota'"
        connection.execute(setting.encode())

    deploy(target)

    assert dump_schema(server, target) == dump_schema(server, dsn)
    assert_in_order(target)


def test_an_unknown_zone_is_refused(empty_dsn: str) -> None:
    assert "Mars" in refusal(empty_dsn, Options(timezone="Mars/Olympus")).message


@pytest.mark.parametrize(
    "options",
    [
        "template template0 locale_provider libc locale 'C' encoding 'SQL_ASCII'",
        "template template0 locale_provider libc locale 'C' encoding 'UTF8'",
    ],
)
def test_another_encoding_or_collation_works(
    make_database: Callable[..., str], options: str
) -> None:
    target = make_database(options)

    assert deploy(target).migrations == IDS

    assert_it_works(make_conninfo(target, client_encoding="utf8"))
    assert_in_order(target)


def test_an_encoding_without_all_characters_is_refused(make_database: Callable[..., str]) -> None:
    target = make_database("template template0 locale_provider libc locale 'C' encoding 'LATIN1'")

    assert "LATIN1" in refusal(target).message


# --- tiers -------------------------------------------------------------------------------------


@pytest.fixture
def sql_tier_dsn(empty_dsn: str) -> str:
    report = deploy(empty_dsn, Options(tier="sql"))
    assert (report.tier, report.tier_reason) == ("sql", "asked for")
    return empty_dsn


def test_tier_sql_deploys_without_plpython(sql_tier_dsn: str) -> None:
    with connect(sql_tier_dsn) as connection:
        assert one(connection, "select count(*) from pg_language where lanname ~ 'python'") == 0
        state = engine.read_state(connection)
    assert state.in_order
    assert state.tier == "sql"
    assert_it_works(sql_tier_dsn)


def test_tier_sql_extracts_whole_messages(sql_tier_dsn: str) -> None:
    text = "Me llamo Ana. Prefiero el té verde."
    with psycopg.connect(sql_tier_dsn) as connection:
        blocks = connection.execute(
            "select block_type, content from cto.extract_blocks(%s)", (text,)
        ).fetchall()

    assert blocks == [("context", text)]


def test_a_second_deployment_in_tier_sql_changes_nothing(sql_tier_dsn: str) -> None:
    assert not deploy(sql_tier_dsn, Options(tier="sql")).changed


@pytest.mark.usefixtures("full_tier")
def test_tier_full_can_come_later(sql_tier_dsn: str) -> None:
    assert deploy(sql_tier_dsn).tier == "full"

    with connect(sql_tier_dsn) as connection:
        state = engine.read_state(connection)
    assert state.in_order
    assert state.tier == "full"


@pytest.mark.usefixtures("full_tier")
def test_tier_full_can_be_left(dsn: str) -> None:
    deploy(dsn, Options(tier="sql"))

    with connect(dsn) as connection:
        state = engine.read_state(connection)
    assert state.in_order
    assert not deploy(dsn, Options(tier="sql")).changed


# --- who deploys -------------------------------------------------------------------------------


def test_an_owner_without_superuser_gets_tier_sql_with_the_reason(
    server: local.LocalServer, make_database: Callable[..., str], role: str
) -> None:
    target = make_database(f"owner {role}")
    install_extensions(target)

    report = deploy(as_role(target, role))

    assert report.migrations == IDS
    assert report.tier == "sql"
    if server.tier == "full":
        assert "superuser" in report.tier_reason
    assert_it_works(as_role(target, role))
    with connect(as_role(target, role)) as connection:
        assert engine.read_state(connection).in_order
    assert not deploy(as_role(target, role)).changed


def test_full_without_superuser_is_refused_with_the_reason(
    make_database: Callable[..., str], role: str
) -> None:
    target = make_database(f"owner {role}")
    install_extensions(target)

    error = refusal(as_role(target, role), Options(tier="full"))

    assert "full" in error.message


@pytest.mark.parametrize("schema", ["public", "extensions"])
def test_the_administrators_commands_help(
    make_database: Callable[..., str], role: str, schema: str
) -> None:
    """What the remedy says can be run as it stands; then the owner goes on alone."""
    target = make_database(f"owner {role}")
    options = Options(extensions_schema=schema)

    commands = refusal(as_role(target, role), options).remedy.partition("this database: ")[2]
    with psycopg.connect(target, autocommit=True) as connection:
        connection.execute(commands.encode())

    assert deploy(as_role(target, role), options).migrations == IDS
    assert_it_works(as_role(target, role))


def test_a_role_without_rights_gets_the_commands_for_the_administrator(
    make_database: Callable[..., str], role: str
) -> None:
    error = refusal(as_role(make_database(), role))

    assert "create extension" in error.remedy
    assert "superuser" in error.remedy


def test_a_role_that_may_not_create_tables_is_told_so(
    make_database: Callable[..., str], role: str
) -> None:
    target = make_database()
    install_extensions(target)

    error = refusal(as_role(target, role))

    assert "permission denied" in error.message
    with psycopg.connect(target, autocommit=True) as connection:
        connection.execute(error.remedy.partition("run: ")[2].encode())
    assert deploy(as_role(target, role)).migrations == IDS


def test_a_role_that_may_not_create_roles_is_told_so(
    server: local.LocalServer, files: Path, make_database: Callable[..., str], role: str
) -> None:
    """With group roles of another name: those of the product are there, other tests need them."""
    target = make_database(f"owner {role}")
    install_extensions(target)
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("alter role {} nocreaterole").format(sql.Identifier(role)))
    for path in [*files.glob("sql/**/*.sql")]:
        path.write_text(path.read_text().replace("cto_report", "cto_unheard_of"))

    error = refusal(as_role(target, role))

    assert "sql/roles.sql" in error.message
    assert "create role" in error.remedy


def test_a_vacuum_at_the_same_time_is_no_deadlock(dsn: str) -> None:
    """A vacuum holds the table, and waits for whoever changed its row in the catalogue."""
    with connect(dsn) as connection:
        connection.execute("drop view cto.block_summary")  # something to mend
    with psycopg.connect(dsn) as vacuum, ThreadPoolExecutor(1) as threads:
        vacuum.execute("lock table cto.blocks in share update exclusive mode")
        deployed = threads.submit(deploy, dsn)
        with psycopg.connect(dsn, autocommit=True) as watch:
            while not one(
                watch,
                "select count(*) from pg_locks where not granted"
                " and relation = 'cto.blocks'::regclass",
            ):
                assert not deployed.done()
        vacuum.execute("grant select on cto.blocks to cto_report")
        vacuum.commit()
        assert deployed.result(timeout=60).repeatables


def test_a_statement_may_take_only_so_long(files: Path, make_database: Callable[..., str]) -> None:
    slow = files / "migrations" / f"{IDS[-1]}.sql"
    slow.write_text(slow.read_text() + "\n\nselect pg_sleep(30);\n")
    (files / "migrations" / "released.sha256").write_text("")

    error = refusal(make_database(), Options(statement_timeout="1s"))

    assert "statement timeout" in error.message
    assert slow.name in error.message
