"""The faults of v1.0 that this release mends: each check fails on v1.0 and holds after the upgrade.

The upgraded database has lived as v1.0 before, with rows in it, and took the path that an adopted
server takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from conftest import one

from cto import catalogue, engine, ledger
from cto.connection import connect
from cto.migrations import read_migrations

Connection = psycopg.Connection[tuple[Any, ...]]
Check = Callable[[Connection], None]


def _say(  # noqa: PLR0917 - the columns of a message in their order
    db: Connection, context: str, role: str, content: str, at: str, tokens: int
) -> None:
    db.execute(
        "insert into ia_contexts (context_id, agent_name) values (%s, 'bot')"
        " on conflict (context_id) do nothing",
        (context,),
    )
    db.execute(
        "insert into ia_messages (context_id, role, content, timestamp, token_count)"
        " values (%s, %s, %s, %s, %s)",
        (context, role, content, at, tokens),
    )


def _metrics(db: Connection, context: str) -> tuple[Any, ...]:
    row = db.execute(
        "select total_messages, total_tokens, total_tool_calls, avg_response_time_ms"
        " from ia_context_metrics where context_id = %s",
        (context,),
    ).fetchone()
    assert row is not None
    return row


def first_message_counts_its_tokens(db: Connection) -> None:
    _say(db, "c1", "user", "hola", "2026-01-01 10:00", 7)
    assert _metrics(db, "c1")[:2] == (1, 7)


def tool_calls_are_counted(db: Connection) -> None:
    _say(db, "c1", "user", "hola", "2026-01-01 10:00", 7)
    db.execute("insert into ia_tool_calls (context_id, tool_name) values ('c1', 'search')")
    assert _metrics(db, "c1")[2] == 1


def response_times_are_measured(db: Connection) -> None:
    _say(db, "c1", "user", "hola", "2026-01-01 10:00:00", 1)
    _say(db, "c1", "assistant", "dime", "2026-01-01 10:00:02", 1)
    _say(db, "c1", "user", "otra", "2026-01-01 10:01:00", 1)
    _say(db, "c1", "assistant", "bien", "2026-01-01 10:01:04", 1)
    assert _metrics(db, "c1")[3] == 3000


def deleted_messages_no_longer_count(db: Connection) -> None:
    _say(db, "c1", "user", "hola", "2026-01-01 10:00", 7)
    _say(db, "c1", "user", "adiós", "2026-01-01 10:01", 5)
    db.execute("delete from ia_messages where content = 'adiós'")
    assert _metrics(db, "c1")[:2] == (1, 7)


def edited_messages_count_as_they_are(db: Connection) -> None:
    _say(db, "c1", "user", "hola", "2026-01-01 10:00", 7)
    _say(db, "c1", "user", "adiós", "2026-01-01 10:01", 5)
    db.execute("update ia_messages set token_count = 50 where content = 'adiós'")
    assert _metrics(db, "c1")[1] == 57


def last_activity_never_goes_back(db: Connection) -> None:
    _say(db, "c1", "user", "hola", "2026-01-02 10:00", 1)
    _say(db, "c1", "user", "antes", "2026-01-01 10:00", 1)
    assert one(
        db, "select last_activity::date::text from ia_context_metrics where context_id = 'c1'"
    ) == ("2026-01-02")


def moments_keep_their_zone(db: Connection) -> None:
    _say(db, "c1", "user", "hola", "2026-01-01 10:00-05:00", 1)
    assert one(
        db,
        "select timestamp = timestamptz '2026-01-01 15:00+00'"
        " from ia_messages where context_id = 'c1'",
    )


def two_owners_may_hold_the_same_content(db: Connection) -> None:
    for owner in ("a" * 64, "b" * 64):
        db.execute(
            "insert into cto.blocks (hash, owner_id, block_type, content)"
            " values (encode(sha256('vivo en Lima'), 'hex'), %s, 'fact', 'vivo en Lima')",
            (owner,),
        )
    assert one(db, "select count(*) from cto.blocks where content = 'vivo en Lima'") == 2


def unique_columns_are_indexed_once(db: Connection) -> None:
    twice = db.execute(
        """
        select u.indexrelid::regclass, i.indexrelid::regclass
        from pg_index as u
        inner join pg_index as i
            on i.indrelid = u.indrelid and i.indkey::text = u.indkey::text and not i.indisunique
        where u.indisunique and u.indrelid::regclass::text like 'ia\\_%'
        """
    ).fetchall()
    # idx_ia_... on context_id of ia_contexts never existed: the two known ones are gone.
    assert not twice


def a_statement_counts_once_not_each_row(db: Connection) -> None:
    per_row = one(
        db,
        "select count(*) from pg_trigger"
        " where tgrelid = 'ia_messages'::regclass and not tgisinternal and tgtype & 1 = 1",
    )
    assert per_row == 0


FAULTS: list[Check] = [
    first_message_counts_its_tokens,
    tool_calls_are_counted,
    response_times_are_measured,
    deleted_messages_no_longer_count,
    edited_messages_count_as_they_are,
    last_activity_never_goes_back,
    moments_keep_their_zone,
    two_owners_may_hold_the_same_content,
    unique_columns_are_indexed_once,
    a_statement_counts_once_not_each_row,
]


def make_v1(connection: Connection) -> None:
    """Apply migration 0001 alone: a server of v1.0."""
    extensions = catalogue.ensure_extensions(connection, "public")
    ledger.ensure(connection)
    engine.apply_migration(connection, read_migrations()[0], extensions)


@contextmanager
def _rolled_back(connection: Connection) -> Iterator[None]:
    with connection.transaction(force_rollback=True):
        yield


@pytest.fixture
def v1_dsn(empty_dsn: str) -> str:
    """A server of v1.0 with a block, a memory row and a conversation of its own."""
    with connect(empty_dsn) as connection:
        make_v1(connection)
        connection.execute(
            """
            insert into cto.blocks (hash, session_hash, owner_id, block_type, content, embedding)
            select
                encode(sha256(convert_to(c.content, 'UTF8')), 'hex'), repeat('5', 64),
                repeat('0', 64),
                'fact', c.content, c.embedding
            from (values
                ('Vivo en Medellín con mi hermana', null::vector),
                ('I work on the billing system', array_fill(0.5, array[1536])::vector)
            ) as c (content, embedding)
            """
        )
        connection.execute(
            """
            insert into cto.memory (session_hash, owner_id, block_hash, position, score)
            select repeat('5', 64), owner_id, hash, 1, 0.5 from cto.blocks limit 1
            """
        )
        _say(connection, "old", "user", "un mensaje de antes", "2025-06-01 09:30", 12)
    return empty_dsn


@pytest.mark.parametrize("check", FAULTS, ids=lambda check: check.__name__)
def test_v1_has_the_fault(check: Check, v1_dsn: str) -> None:
    with (
        psycopg.connect(v1_dsn, autocommit=True) as db,
        _rolled_back(db),
        pytest.raises((AssertionError, psycopg.errors.UniqueViolation)),
    ):
        check(db)


def test_the_upgrade_mends_every_fault(v1_dsn: str) -> None:
    with connect(v1_dsn) as connection:
        engine.deploy(connection)
    with psycopg.connect(v1_dsn, autocommit=True) as db:
        for check in FAULTS:
            with _rolled_back(db):
                check(db)


def test_the_upgrade_keeps_and_completes_the_rows(v1_dsn: str) -> None:
    with connect(v1_dsn) as connection:
        before = connection.execute(
            "select content, embedding::text from cto.blocks order by content"
        ).fetchall()
        report = engine.deploy(connection)
        assert report.backfilled == 2
        assert report.queued == 1  # the one without a vector
        after = connection.execute(
            "select content, embedding::text, language, token_count > 0, embedding_model"
            " from cto.blocks order by content"
        ).fetchall()
        assert [row[:2] for row in after] == before
        assert [row[2:] for row in after] == [("en", True, "v1.0"), ("es", True, None)]
        assert one(connection, "select count(*) from cto.memory") == 1
        assert one(connection, "select total_messages from ia_context_metrics") == 1
        assert one(connection, "select name from cto.embedding_models where is_current") == "v1.0"


def test_moments_of_v1_are_read_in_the_zone_that_is_named(v1_dsn: str) -> None:
    with connect(v1_dsn) as connection:
        engine.deploy(connection, engine.Options(timezone="America/Bogota"))
        assert one(
            connection, "select timestamp = timestamptz '2025-06-01 14:30+00' from ia_messages"
        )


def test_statements_of_v1_still_work(db: Connection) -> None:
    """What a client of v1.0 sends: nothing but the columns it knows."""
    db.execute("insert into ia_contexts (context_id, agent_name) values ('c1', 'bot')")
    db.execute("insert into ia_messages (context_id, role, content) values ('c1', 'user', 'hola')")
    db.execute(
        "insert into ia_embeddings (context_id, embedding_vector, content_hash)"
        " values ('c1', array[0.1, 0.2, 0.3]::float8[], 'abc')"
    )
    db.execute(
        "insert into ia_tool_calls (context_id, tool_name, tool_input) values ('c1', 't', '{}')"
    )
    db.execute(
        """
        insert into cto.blocks (hash, session_hash, owner_id, block_type, content, importance)
        values (encode(sha256('me gusta el té'), 'hex'), repeat('1', 64), repeat('2', 64),
            'preference', 'me gusta el té', 0.9)
        """
    )
    db.execute(
        """
        insert into cto.memory (session_hash, owner_id, block_hash, position, score, token_count)
        select session_hash, owner_id, hash, 1, 0.7, 5 from cto.blocks
        """
    )
    assert one(db, "select embedding_vector from ia_embeddings") == [0.1, 0.2, 0.3]
    row = db.execute("select * from ia_context_summary").fetchone()
    assert row is not None
    assert row[0] == "c1"
    assert row[6:9] == (1, 0, 1)
    assert one(db, "select language from cto.blocks") == "es"
    assert one(db, "select count(*) from cto.embedding_jobs") == 1
    assert one(db, "select reason from cto.explain_context(repeat('2', 64), repeat('1', 64))") == (
        "included"
    )


def test_the_summary_view_has_the_columns_of_v1_in_their_order(db: Connection) -> None:
    cursor = db.execute("select * from ia_context_summary")
    assert [column.name for column in cursor.description or ()] == [
        "context_id",
        "agent_name",
        "session_id",
        "created_at",
        "updated_at",
        "status",
        "message_count",
        "total_tokens",
        "tool_calls",
        "last_activity",
    ]


def test_rows_that_break_todays_rules_upgrade_and_go_on_working(empty_dsn: str) -> None:
    """v1.0 checked nothing: another type, keys in upper case, no importance."""
    with connect(empty_dsn) as connection:
        make_v1(connection)
        connection.execute(
            """
            insert into cto.blocks (hash, owner_id, block_type, content, importance)
            values
                (upper(repeat('a', 64)), upper(repeat('b', 64)), 'summary', 'un resumen', null),
                (repeat('c', 64), repeat('d', 64), 'fact', 'vivo en Lima', 7)
            """
        )
        report = engine.deploy(connection)
        assert report.backfilled == 2
        assert one(connection, "select count(*) from cto.blocks where lexemes is not null") == 2
        jobs = connection.execute("select * from cto.claim_embeddings('w')").fetchall()
        stored = one(
            connection,
            "select cto.store_embeddings("
            "'w', 'm', 2, %s::text[], %s::text[], %s::text[]::vector[])",
            [job[0] for job in jobs],
            [job[1] for job in jobs],
            ["[1,2]"] * len(jobs),
        )
        assert stored == 2
        connection.execute(
            "insert into cto.accesses (owner_id, block_hash, session_hash)"
            " values (repeat('d', 64), repeat('c', 64), repeat('e', 64))"
        )
        assert one(connection, "select cto.fold_accesses()") == 1
        with pytest.raises(psycopg.errors.CheckViolation, match="'summary'"):
            connection.execute(
                "insert into cto.blocks (hash, owner_id, block_type, content)"
                " values (repeat('f', 64), repeat('d', 64), 'summary', 'otro')"
            )
