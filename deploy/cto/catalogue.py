"""Questions to a database's catalogue, and the few things that are made before the migrations."""

from __future__ import annotations

from collections.abc import Sequence

import psycopg
from psycopg import errors, sql

from cto.connection import Connection
from cto.errors import DeployError
from cto.migrations import Migration
from cto.repeatables import Extensions, quote

_OLDEST_SERVER = 140000
_EXTENSIONS = ("vector", "unaccent", "btree_gin")
_FIRST_MIGRATION = "0001_v1_0"

# Our routines: all of schema cto but the one that a migration owns, and those of v1.0 in public.
_OUR_ROUTINES = """
    select p.oid
    from pg_catalog.pg_proc as p
    where (
            p.pronamespace = to_regnamespace('cto')
            or p.pronamespace = to_regnamespace('public')
            and (p.proname like 'ia\\_%' or p.proname like 'update\\_ia\\_%')
        )
        and p.proname <> 'text_search_config'
        and p.prokind <> 'a'
        and not exists (
            select from pg_catalog.pg_depend as d where d.objid = p.oid and d.deptype = 'e')
"""


def check_server(connection: Connection) -> None:
    """Refuse servers that cannot hold the schema."""
    if connection.info.server_version < _OLDEST_SERVER:
        raise DeployError(
            f"The server is PostgreSQL {server_version(connection)}, but 14 or newer is needed.",
            "Upgrade it first.",
        )
    row = connection.execute("select current_setting('server_encoding')").fetchone()
    if row and row[0] not in {"UTF8", "SQL_ASCII"}:
        raise DeployError(
            f"The database is encoded in {row[0]}, which cannot hold every text.",
            "Deploy to a database in UTF8: create database ... template template0 encoding 'UTF8';",
        )


def server_version(connection: Connection) -> str:
    """Return the server's version, as in 18.1."""
    row = connection.execute("select current_setting('server_version')").fetchone()
    return str(row[0]).split()[0] if row else ""


def extension_version(connection: Connection, name: str) -> str | None:
    """Return the version of an installed extension, or None."""
    row = connection.execute(
        "select extversion from pg_catalog.pg_extension where extname = %s", (name,)
    ).fetchone()
    return str(row[0]) if row else None


def find_extensions(connection: Connection) -> Extensions | None:
    """Return the schemas of the installed extensions, or None without vector."""
    rows = connection.execute(
        """
        select e.extname, n.nspname
        from pg_catalog.pg_extension as e
        inner join pg_catalog.pg_namespace as n on n.oid = e.extnamespace
        where e.extname = any (%s)
        """,
        (list(_EXTENSIONS),),
    ).fetchall()
    schemas = {row[0]: row[1] for row in rows}
    if "vector" not in schemas:
        return None
    others = sorted(set(schemas.values()) - {schemas["vector"]})
    return Extensions(schemas["vector"], tuple(others))


def ensure_extensions(connection: Connection, schema: str) -> Extensions:
    """Create the extensions that are missing, beside vector where that exists, else in `schema`."""
    found = find_extensions(connection)
    where = found.vector if found else schema
    # Whoever calls a function needs the type vector, and so the right to look into its schema.
    open_schema = f"create schema if not exists {quote(where)};" + (
        f" grant usage on schema {quote(where)} to public;" if where != "public" else ""
    )
    create = {
        name: f"create extension if not exists {name} schema {quote(where)};"
        for name in _EXTENSIONS
        if extension_version(connection, name) is None
    }
    for name, command in create.items():
        try:
            with connection.transaction():
                connection.execute(f"{open_schema} {command}".encode())
        except errors.InsufficientPrivilege as error:
            raise DeployError(
                f"This role may not create the extension {name}.",
                "Have a superuser run in this database:"
                f" {' '.join([open_schema, *create.values()])}",
            ) from error
        except (errors.UndefinedFile, errors.FeatureNotSupported) as error:
            raise DeployError(
                f"The extension {name} is not installed on the server's machine.",
                "Install pgvector (Debian: postgresql-NN-pgvector) and PostgreSQL's contrib.",
            ) from error
    extensions = find_extensions(connection)
    if extensions is None:
        raise DeployError("The extension vector is gone.", "Run the deployment again.")
    return extensions


def choose_tier(connection: Connection, wanted: str | None) -> tuple[str, str]:
    """Decide between `full` (with PL/Python) and `sql`, and say why.

    Raises DeployError when `full` was asked for and cannot be had.
    """
    if wanted == "sql":
        return "sql", "asked for"
    row = connection.execute(
        """
        select
            exists (select from pg_catalog.pg_extension where extname = 'plpython3u'),
            exists (select from pg_catalog.pg_available_extensions where name = 'plpython3u'),
            (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
        """
    ).fetchone()
    installed, available, superuser = row or (False, False, False)
    reason = ""
    if not (installed or available):
        reason = "plpython3u is not on the server's machine (Debian: postgresql-plpython3-NN)"
    elif not superuser:
        reason = "only a superuser can create functions in plpython3u"
    elif not installed:
        try:
            with connection.transaction():
                connection.execute("create extension if not exists plpython3u")
        except psycopg.Error as error:
            reason = f"plpython3u cannot be loaded: {error.diag.message_primary}"
    if not reason:
        return "full", "plpython3u is installed"
    if wanted == "full":
        raise DeployError(
            f"The tier full cannot be had: {reason}.", "Mend that, or ask for tier sql."
        )
    return "sql", reason


def drop_python_routines(connection: Connection) -> None:
    """Drop our PL/Python routines, for a database that leaves the tier `full`."""
    rows = connection.execute(
        """
        select p.oid::regprocedure::text
        from pg_catalog.pg_proc as p
        inner join pg_catalog.pg_language as l on l.oid = p.prolang
        where p.pronamespace = to_regnamespace('cto') and l.lanname = 'plpython3u'
        """
    ).fetchall()
    for (routine,) in rows:
        connection.execute(f"drop function {routine}".encode())


def refuse_legacy(connection: Connection, pending: Sequence[Migration]) -> None:
    """Refuse to run 0001 over tables that somebody made by hand: IF NOT EXISTS would hide them."""
    if all(migration.id != _FIRST_MIGRATION for migration in pending):
        return
    row = connection.execute(
        """
        select c.oid::regclass::text
        from pg_catalog.pg_class as c
        where c.relkind in ('r', 'p', 'v', 'f')
            and (
                c.relnamespace = to_regnamespace('cto')
                and c.relname in ('blocks', 'memory', 'algorithms')
                or c.relnamespace = to_regnamespace('public')
                and c.relname in (
                    'ia_contexts', 'ia_messages', 'ia_embeddings', 'ia_tool_calls',
                    'ia_context_metrics', 'ia_context_summary'))
        order by 1
        limit 1
        """
    ).fetchone()
    if row:
        raise DeployError(
            f"{row[0]} is there, but was not deployed by cto.",
            "Nothing was changed. Adopting a hand-deployed v1.0 server is not part of this release;"
            " deploy to an empty database until it is.",
        )


def lock_trigger_tables(connection: Connection) -> None:
    """Lock the tables whose triggers are about to be replaced, before anything else of theirs.

    A GRANT changes their catalogue rows, which a vacuum of the table then waits for; asking for the
    table only after that would be a deadlock with the vacuum.
    """
    for table in (
        "cto.algorithms",
        "cto.blocks",
        "public.ia_contexts",
        "public.ia_messages",
        "public.ia_tool_calls",
    ):
        connection.execute(f"lock table {table} in share row exclusive mode".encode())


def drop_invalid_indexes(connection: Connection, statements: str) -> list[str]:
    """Drop what an interrupted CREATE INDEX CONCURRENTLY left; return the names.

    Only of the indexes that these statements name: another may be under way by hand.
    """
    rows = connection.execute(
        """
        select n.nspname, c.relname
        from pg_catalog.pg_index as i
        inner join pg_catalog.pg_class as c on c.oid = i.indexrelid
        inner join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        inner join pg_catalog.pg_class as t on t.oid = i.indrelid
        where not i.indisvalid
            and (n.nspname = 'cto' or n.nspname = 'public' and t.relname like 'ia\\_%')
        """
    ).fetchall()
    ours = [(schema, name) for schema, name in rows if name in statements]
    for schema, name in ours:
        connection.execute(
            sql.SQL("drop index concurrently if exists {}").format(sql.Identifier(schema, name))
        )
    return [name for _, name in ours]


def live_definitions(connection: Connection) -> dict[str, str]:
    """Return identity -> SHA-256 of the definition for each of our routines, triggers and views."""
    with connection.transaction():
        # Without a search path every name is written in full, whatever the session is set to.
        connection.execute("set local search_path = ''")
        rows = connection.execute(
            f"""
        select x.name, encode(sha256(convert_to(x.definition, 'UTF8')), 'hex')
        from (
            select p.oid::regprocedure::text as name,
                pg_get_functiondef(p.oid) || coalesce(p.proacl::text, '') as definition
            from pg_catalog.pg_proc as p
            where p.oid in ({_OUR_ROUTINES})
            union all
            select 'trigger ' || t.tgname || ' on ' || t.tgrelid::regclass::text,
                pg_get_triggerdef(t.oid) || t.tgenabled::text
            from pg_catalog.pg_trigger as t
            where not t.tgisinternal and t.tgfoid in ({_OUR_ROUTINES})
            union all
            select 'view ' || c.oid::regclass::text,
                pg_get_viewdef(c.oid) || coalesce(c.relacl::text, '')
            from pg_catalog.pg_class as c
            where c.relkind = 'v'
                and (
                    c.relnamespace = to_regnamespace('cto')
                    or c.oid = to_regclass('public.ia_context_summary'))
        ) as x
        """
        ).fetchall()
        connection.execute("set local search_path = public")
    return {row[0]: row[1] for row in rows}


def invalid_routines(connection: Connection) -> list[tuple[str, str]]:
    """Run each language's validator over our routines; return those that fail with the reason."""
    rows = connection.execute(
        f"""
        select p.oid, p.oid::regprocedure::text, l.lanvalidator::regproc::text,
            coalesce((
                select substr(s.setting, length('search_path=') + 1)
                from unnest(p.proconfig) as s (setting)
                where s.setting like 'search_path=%'), '')
        from pg_catalog.pg_proc as p
        inner join pg_catalog.pg_language as l on l.oid = p.prolang
        where p.oid in ({_OUR_ROUTINES}) and l.lanvalidator <> 0
        """
    ).fetchall()
    failed = []
    for oid, routine, validator, search_path in rows:
        try:
            with connection.transaction():
                # A validator parses the body under the caller's path, not under the routine's own.
                if search_path:
                    connection.execute("select set_config('search_path', %s, true)", (search_path,))
                connection.execute(f"select {validator}({oid}::oid)".encode())
        except psycopg.Error as error:
            failed.append((routine, str(error.diag.message_primary)))
    return failed


def advisory_lock_holder(connection: Connection, key: int) -> str:
    """Describe the session that holds our advisory lock."""
    row = connection.execute(
        """
        select format('pid %%s, %%s, since %%s', a.pid, a.application_name, a.backend_start)
        from pg_catalog.pg_locks as l
        inner join pg_catalog.pg_stat_activity as a on a.pid = l.pid
        where l.locktype = 'advisory' and l.granted
            and (l.classid::bigint << 32) + l.objid::bigint = %s
            and l.database = (
                select d.oid from pg_catalog.pg_database as d where d.datname = current_database())
        """,
        (key,),
    ).fetchone()
    return str(row[0]) if row else "it has just ended"


def backlog(connection: Connection) -> tuple[int, int]:
    """Return how many embedding jobs wait (leased ones included) and how many are dead."""
    row = connection.execute("select to_regclass('cto.embedding_jobs') is not null").fetchone()
    if row is None or not row[0]:
        return 0, 0
    row = connection.execute(
        "select count(*) filter (where state <> 'dead'), count(*) filter (where state = 'dead')"
        " from cto.embedding_jobs"
    ).fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)
