"""What was deployed to a database: yoyo's own tables, and what they cannot say beside them.

yoyo's ledger knows names only. `_cto_migration` adds the checksum of the contents; `_cto_object`
the hashes of the repeatable files and of the live definitions that they led to (drift).
"""

from __future__ import annotations

import getpass
import socket
import uuid
from dataclasses import dataclass
from typing import Any

import psycopg

from cto import __version__
from cto.migrations import Migration

Connection = psycopg.Connection[tuple[Any, ...]]

# The definitions of yoyo 9, so that its own tools can read and write the same ledger.
_TABLES = (
    """
    create table if not exists public._yoyo_migration (
        migration_hash varchar(64) primary key, migration_id varchar(255), applied_at_utc timestamp)
    """,
    """
    create table if not exists public._yoyo_log (
        id varchar(36) primary key, migration_hash varchar(64), migration_id varchar(255),
        operation varchar(10), username varchar(255), hostname varchar(255), comment varchar(255),
        created_at_utc timestamp)
    """,
    """
    create table if not exists public._yoyo_version (
        version int not null primary key, installed_at_utc timestamp)
    """,
    """
    create table if not exists public.yoyo_lock (
        locked int default 1, ctime timestamp, pid int not null, primary key (locked))
    """,
    """
    insert into public._yoyo_version
    select 2, now() at time zone 'utc'
    where not exists (select from public._yoyo_version)
    """,
    """
    create table if not exists public._cto_migration (
        migration_id text primary key, sha256 text not null, cto_version text not null,
        applied_at timestamptz not null default now(),
        applied_by text not null default session_user)
    """,
    """
    create table if not exists public._cto_object (
        kind text not null check (kind in ('file', 'live')), name text not null,
        sha256 text not null,
        deployed_at timestamptz not null default now(), primary key (kind, name))
    """,
)


@dataclass(frozen=True)
class Applied:
    """One row of the ledger. sha256 is None for a migration that yoyo itself applied."""

    migration_id: str
    sha256: str | None
    applied_at: str


def ensure(connection: Connection) -> None:
    """Make the ledger's tables where they are missing."""
    if exists(connection):
        return
    with connection.transaction():
        for statement in _TABLES:
            connection.execute(statement)


def exists(connection: Connection) -> bool:
    """Say whether the database has a ledger at all."""
    row = connection.execute(
        "select to_regclass('public._yoyo_migration') is not null"
        " and to_regclass('public._cto_object') is not null"
    ).fetchone()
    return bool(row and row[0])


def read_applied(connection: Connection) -> dict[str, Applied]:
    """Return the applied migrations by id; empty where there is no ledger yet."""
    row = connection.execute(
        "select to_regclass('public._yoyo_migration') is not null,"
        " to_regclass('public._cto_migration') is not null"
    ).fetchone()
    by_yoyo, by_us = row or (False, False)
    if not by_yoyo:
        return {}
    if not by_us:  # yoyo itself began, and knows no checksums
        rows = connection.execute(
            "select migration_id, null, coalesce(applied_at_utc::text, '')"
            " from public._yoyo_migration order by applied_at_utc, migration_id"
        ).fetchall()
    else:
        rows = connection.execute(
            """
            select y.migration_id, c.sha256, coalesce(y.applied_at_utc::text, '')
            from public._yoyo_migration as y
            left join public._cto_migration as c on c.migration_id = y.migration_id
            order by y.applied_at_utc, y.migration_id
            """
        ).fetchall()
    return {row[0]: Applied(*row) for row in rows}


def mark_applied(connection: Connection, migration: Migration) -> None:
    """Write the ledger's rows; the caller's transaction also holds the migration itself."""
    connection.execute(
        """
        insert into public._yoyo_migration (migration_hash, migration_id, applied_at_utc)
        values (%s, %s, now() at time zone 'utc')
        """,
        (migration.yoyo_hash, migration.id),
    )
    connection.execute(
        "insert into public._cto_migration (migration_id, sha256, cto_version) values (%s, %s, %s)",
        (migration.id, migration.sha256, __version__),
    )
    _log(connection, migration, "apply")


def mark_rolled_back(connection: Connection, migration: Migration) -> None:
    """Take the ledger's rows away, in the transaction that undid the migration."""
    connection.execute(
        "delete from public._yoyo_migration where migration_hash = %s", (migration.yoyo_hash,)
    )
    connection.execute("delete from public._cto_migration where migration_id = %s", (migration.id,))
    _log(connection, migration, "rollback")


def read_objects(connection: Connection, kind: str) -> dict[str, str]:
    """Return name -> SHA-256 of what was deployed last: kind `file` or `live`."""
    if not exists(connection):
        return {}
    rows = connection.execute(
        "select name, sha256 from public._cto_object where kind = %s", (kind,)
    ).fetchall()
    return {row[0]: row[1] for row in rows}


def write_objects(connection: Connection, kind: str, hashes: dict[str, str]) -> None:
    """Replace what is known of the deployed objects of one kind."""
    connection.execute("delete from public._cto_object where kind = %s", (kind,))
    with connection.cursor() as cursor:
        cursor.executemany(
            "insert into public._cto_object (kind, name, sha256) values (%s, %s, %s)",
            [(kind, name, sha256) for name, sha256 in sorted(hashes.items())],
        )


def _log(connection: Connection, migration: Migration, operation: str) -> None:
    connection.execute(
        """
        insert into public._yoyo_log (
            id, migration_hash, migration_id, operation, username, hostname, created_at_utc)
        values (%s, %s, %s, %s, %s, %s, now() at time zone 'utc')
        """,
        (
            str(uuid.uuid1()),
            migration.yoyo_hash,
            migration.id,
            operation,
            _user_name(),
            socket.gethostname(),
        ),
    )


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return "unknown"
