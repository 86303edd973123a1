"""The catalogue of a freshly deployed database holds the house rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from conftest import Connection
from psycopg.conninfo import conninfo_to_dict

from cto import local
from cto.resources import database_files

ROOT = database_files()

# Tiny pure helpers that are inlined into their callers; a pinned path would prevent that.
INLINED = {"cto._block_cost", "cto._min_max", "cto._rarity"}
# Made by a migration, because what is stored was computed with it.
FROM_A_MIGRATION = {"cto.text_search_config"}
# Each says in its file why it is one; tests/test_roles.py tries what an attacker would.
SECURITY_DEFINERS = {
    "cto._follow_block",
    "cto._keep_algorithm",
    "cto._keep_change",
    "cto._queue_blocks",
    "cto.claim_embeddings",
    "cto.enqueue_missing",
    "cto.fail_embeddings",
    "cto.requeue_embeddings",
    "cto.store_embeddings",
    "cto.use_model",
    "public.update_ia_context_metrics",
}
VIEWS = {
    "cto.block_summary",
    "cto.embedding_status",
    "public.ia_context_summary",
    "public.ia_context_summary_by_agent",
    "public.ia_context_summary_by_model",
    "public.ia_context_summary_daily",
    "public.ia_context_summary_tools",
}
OWNER_TABLES = {
    "cto.accesses",
    "cto.blocks",
    "cto.block_changes",
    "cto.embedding_jobs",
    "cto.lexeme_statistics",
    "cto.memory",
    "cto.most_accessed",
    "cto.owner_algorithms",
    "cto.owner_statistics",
    "cto.past_pins",
    "cto.pins",
    "cto.selections",
}

ROUTINES = """
    select p.pronamespace::regnamespace || '.' || p.proname as name, p.*
    from pg_proc as p
    where (
            p.pronamespace = 'cto'::regnamespace
            or p.pronamespace = 'public'::regnamespace
            and (p.proname like 'ia\\_%' or p.proname like 'update\\_ia\\_%')
        )
        and not exists (select from pg_depend as d where d.objid = p.oid and d.deptype = 'e')
"""
TABLES = """
    select c.relnamespace::regnamespace || '.' || c.relname as name, c.*
    from pg_class as c
    where c.relkind in ('r', 'p')
        and (c.relnamespace = 'cto'::regnamespace
            or c.relnamespace = 'public'::regnamespace and c.relname like 'ia\\_%')
"""


@pytest.fixture(scope="module")
def db(server: local.LocalServer, template: str) -> Iterator[Connection]:
    """One copy for all: these tests only read."""
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as admin:
        admin.execute(f"create database catalog template {template}".encode())
        with psycopg.connect(server.dsn("catalog"), autocommit=True) as connection:
            assert conninfo_to_dict(connection.info.dsn)["dbname"] == "catalog"
            connection.execute("set default_transaction_read_only = on")
            yield connection
        admin.execute("drop database catalog with (force)")


def column(db: Connection, query: str) -> list[Any]:
    return [row[0] for row in db.execute(query.encode())]


def files(folder: str) -> set[str]:
    return {path.stem for path in (ROOT / folder).glob("*.sql")}


def names(found: set[str]) -> set[str]:
    """Leave the schemas out."""
    return {name.partition(".")[2] for name in found}


# --- routines ----------------------------------------------------------------------------------


def test_every_routine_has_a_comment(db: Connection) -> None:
    query = f"select r.name from ({ROUTINES}) as r where obj_description(r.oid, 'pg_proc') is null"

    assert column(db, query) == []


def test_every_routine_pins_its_search_path(db: Connection) -> None:
    query = f"""
        select r.name from ({ROUTINES}) as r
        where not exists (select from unnest(r.proconfig) as s where s like 'search_path=%')
    """

    assert set(column(db, query)) == INLINED | FROM_A_MIGRATION


def test_every_pinned_path_begins_with_the_catalogue_and_ends_with_pg_temp(db: Connection) -> None:
    query = f"""
        select r.name || ': ' || s.setting from ({ROUTINES}) as r, unnest(r.proconfig) as s (setting)
        where s.setting like 'search_path=%' and s.setting !~ '^search_path=pg_catalog, (.*, )?pg_temp$'
    """  # noqa: E501

    assert column(db, query) == []


def test_helpers_without_a_path_are_written_in_sql(db: Connection) -> None:
    query = f"""
        select r.name from ({ROUTINES}) as r
        inner join pg_language as l on l.oid = r.prolang
        where r.proconfig is null and (l.lanname <> 'sql' or r.provolatile <> 'i')
    """

    assert column(db, query) == []


def test_public_may_execute_nothing(db: Connection) -> None:
    """But the one that names the text search configurations, which gives nothing away."""
    query = f"""
        select r.name from ({ROUTINES}) as r
        where exists (
            select from aclexplode(coalesce(r.proacl, acldefault('f', r.proowner))) as a
            where a.grantee = 0 and a.privilege_type = 'EXECUTE')
    """

    assert set(column(db, query)) <= FROM_A_MIGRATION


def test_security_definers_are_the_listed_ones(db: Connection) -> None:
    query = f"select r.name from ({ROUTINES}) as r where r.prosecdef"

    assert set(column(db, query)) == SECURITY_DEFINERS


def test_every_file_has_its_routine_and_the_reverse(
    db: Connection, server: local.LocalServer
) -> None:
    expected = files("sql/functions") | names(FROM_A_MIGRATION)
    if server.tier == "full":
        expected |= {
            routine_of(path.read_text("utf-8")) for path in (ROOT / "plpython").glob("*.sql")
        }
    found = set(column(db, f"select r.proname::text from ({ROUTINES}) as r"))

    assert found == expected


def test_no_routine_is_overloaded(db: Connection) -> None:
    """An added default argument would make a call ambiguous."""
    query = f"select r.name from ({ROUTINES}) as r group by r.name having count(*) > 1"

    assert column(db, query) == []


def routine_of(text: str) -> str:
    """Return the name of the routine that a file defines."""
    return text.partition("create or replace function cto.")[2].partition("(")[0]


def test_each_file_is_named_like_its_routine() -> None:
    for path in (ROOT / "sql" / "functions").glob("*.sql"):
        text = path.read_text("utf-8")
        assert text.count("create or replace function ") == 1, path.name
        schema = "public" if path.stem.startswith(("ia_", "update_ia_")) else "cto"
        assert f"create or replace function {schema}.{path.stem}(" in text, path.name


def test_each_plpython_file_is_named_like_its_routine() -> None:
    """An internal routine's underscore aside: its module is an ordinary one."""
    for path in (ROOT / "plpython").glob("*.sql"):
        text = path.read_text("utf-8")
        assert text.count("create or replace function ") == 1, path.name
        assert routine_of(text).removeprefix("_") == path.stem, path.name


def test_every_plpython_signature_has_its_module() -> None:
    for path in (ROOT / "plpython").glob("*.sql"):
        module = path.with_suffix(".py").read_text("utf-8")
        assert f"def {path.stem}(" in module


# --- tables and views --------------------------------------------------------------------------


def test_every_table_has_a_comment(db: Connection) -> None:
    query = f"select t.name from ({TABLES}) as t where obj_description(t.oid, 'pg_class') is null"

    assert column(db, query) == []


def test_every_column_of_schema_cto_has_a_comment(db: Connection) -> None:
    query = f"""
        select t.name || '.' || a.attname from ({TABLES}) as t
        inner join pg_attribute as a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
        where t.relnamespace = 'cto'::regnamespace and col_description(t.oid, a.attnum) is null
        order by 1
    """

    assert column(db, query) == []


def test_every_view_and_each_of_its_columns_has_a_comment(db: Connection) -> None:
    query = """
        select c.oid::regclass || coalesce('.' || a.attname, '') from pg_class as c
        left join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0
        where c.relkind = 'v' and c.relnamespace in ('cto'::regnamespace, 'public'::regnamespace)
            and (col_description(c.oid, a.attnum) is null or obj_description(c.oid, 'pg_class') is null)
            and not exists (select from pg_depend as d where d.objid = c.oid and d.deptype = 'e')
    """  # noqa: E501

    assert column(db, query) == []


def test_schemas_and_text_search_configurations_have_a_comment(db: Connection) -> None:
    assert column(db, "select obj_description('cto'::regnamespace, 'pg_namespace')") != [None]
    query = """
        select c.cfgname from pg_ts_config as c
        where c.cfgnamespace = 'cto'::regnamespace
            and obj_description(c.oid, 'pg_ts_config') is null
    """

    assert column(db, query) == []


def test_all_views_exist(db: Connection) -> None:
    query = """
        select c.relnamespace::regnamespace || '.' || c.relname from pg_class as c
        where c.relkind = 'v' and c.relnamespace in ('cto'::regnamespace, 'public'::regnamespace)
            and not exists (select from pg_depend as d where d.objid = c.oid and d.deptype = 'e')
    """
    found = set(column(db, query))

    assert found == VIEWS
    assert names(found) == files("sql/views")


def test_the_tables_that_belong_to_an_owner_are_the_listed_ones(db: Connection) -> None:
    query = f"""
        select t.name from ({TABLES}) as t
        inner join pg_attribute as a on a.attrelid = t.oid and a.attname = 'owner_id'
    """

    assert set(column(db, query)) == OWNER_TABLES


def test_every_key_of_an_owners_table_begins_with_the_owner(db: Connection) -> None:
    """Distribution by owner needs it: primary keys, unique constraints, foreign keys, indexes."""
    query = f"""
        select c.conname from pg_constraint as c
        inner join ({TABLES}) as t on t.oid = c.conrelid
        inner join pg_attribute as o on o.attrelid = t.oid and o.attname = 'owner_id'
        where c.contype in ('p', 'u', 'f', 'x') and c.conkey[1] <> o.attnum
        union all
        select i.indexrelid::regclass::text from pg_index as i
        inner join ({TABLES}) as t on t.oid = i.indrelid
        inner join pg_attribute as o on o.attrelid = t.oid and o.attname = 'owner_id'
        where i.indisunique and i.indkey[0] <> o.attnum
    """

    assert column(db, query) == []


def test_every_owners_table_has_a_primary_key(db: Connection) -> None:
    query = f"""
        select t.name from ({TABLES}) as t
        where not exists (
            select from pg_constraint as c where c.conrelid = t.oid and c.contype = 'p')
    """

    assert column(db, query) == []


def test_foreign_keys_to_an_owners_table_go_by_its_owner(db: Connection) -> None:
    query = f"""
        select c.conname from pg_constraint as c
        inner join ({TABLES}) as t on t.oid = c.confrelid
        inner join pg_attribute as o on o.attrelid = t.oid and o.attname = 'owner_id'
        where c.contype = 'f' and c.confkey[1] <> o.attnum
    """

    assert column(db, query) == []


def test_no_column_has_a_reg_type(db: Connection) -> None:
    """It blocks pg_upgrade."""
    query = f"""
        select t.name || '.' || a.attname from ({TABLES}) as t
        inner join pg_attribute as a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
        where a.atttypid::regtype::text like 'reg%'
    """

    assert column(db, query) == []


def test_check_constraints_of_schema_cto_have_names_that_say_what_holds(db: Connection) -> None:
    query = f"""
        select c.conname from pg_constraint as c
        inner join ({TABLES}) as t on t.oid = c.conrelid
        where c.contype = 'c' and t.relnamespace = 'cto'::regnamespace
            and (c.conname like '%\\_check%' or c.conname !~ '_')
    """

    assert column(db, query) == []


def test_keys_and_indexes_of_schema_cto_have_their_endings(db: Connection) -> None:
    query = f"""
        select i.indexrelid::regclass::text from pg_index as i
        inner join ({TABLES}) as t on t.oid = i.indrelid
        where t.relnamespace = 'cto'::regnamespace
            and i.indexrelid::regclass::text !~ case when i.indisprimary then '_pkey$' else '_(idx|key)$' end
        union all
        select c.conname from pg_constraint as c
        inner join ({TABLES}) as t on t.oid = c.conrelid
        where c.contype = 'f' and t.relnamespace = 'cto'::regnamespace and c.conname !~ '_fkey$'
    """  # noqa: E501

    assert column(db, query) == []


def test_every_index_is_valid_and_none_is_there_twice(db: Connection) -> None:
    assert column(db, "select indexrelid::regclass::text from pg_index where not indisvalid") == []
    query = f"""
        select array_agg(i.indexrelid::regclass)::text from pg_index as i
        inner join ({TABLES}) as t on t.oid = i.indrelid
        group by
            i.indrelid, i.indkey, i.indclass, i.indcollation, i.indoption, i.indpred::text,
            i.indexprs::text
        having count(*) > 1
    """

    assert column(db, query) == []


def test_no_trigger_has_a_condition_that_compares_vectors(db: Connection) -> None:
    """pg_restore does not find the operator."""
    query = """
        select t.tgname from pg_trigger as t
        where not t.tgisinternal and pg_get_triggerdef(t.oid) ~* 'when .*embedding'
    """

    assert column(db, query) == []


def test_moments_of_schema_cto_and_the_log_have_a_zone(db: Connection) -> None:
    query = f"""
        select t.name || '.' || a.attname from ({TABLES}) as t
        inner join pg_attribute as a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
        where a.atttypid = 'timestamp'::regtype
    """

    assert column(db, query) == []


# --- rights ------------------------------------------------------------------------------------


def test_public_has_no_rights_on_our_tables_and_views(db: Connection) -> None:
    query = """
        select c.oid::regclass::text from pg_class as c, aclexplode(c.relacl) as a
        where c.relnamespace in ('cto'::regnamespace, 'public'::regnamespace) and a.grantee = 0
            and not exists (select from pg_depend as d where d.objid = c.oid and d.deptype = 'e')
        union all
        select n.nspname from pg_namespace as n, aclexplode(n.nspacl) as a
        where n.nspname = 'cto' and a.grantee = 0
    """

    assert column(db, query) == []


def test_the_group_roles_cannot_log_in(db: Connection) -> None:
    query = (
        "select rolname from pg_roles where rolname like 'cto\\_%' and (rolcanlogin or rolsuper)"
    )

    assert column(db, query) == []
