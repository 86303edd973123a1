"""cto.log_tool_call: what is logged of a tool call, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from conftest import Connection, _janitor, one
from psycopg.types.json import Jsonb

from cto.local import LocalServer

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

CALLS_AND_METRICS = """
select (select count(*) from public.ia_tool_calls),
    (select total_tool_calls from public.ia_context_metrics where context_id = 'chat')
"""


@pytest.fixture(scope="module")
def database(server: LocalServer, template: str) -> Iterator[Connection]:
    with (
        _janitor(server, "test_log_tool_call", template),
        psycopg.connect(server.dsn("test_log_tool_call"), autocommit=True) as connection,
    ):
        yield connection


@pytest.fixture
def db(database: Connection) -> Iterator[Connection]:
    """The file's database with the contexts chat and other, rolled back after the test."""
    with database.transaction(force_rollback=True):
        for context_id in ("chat", "other"):
            database.execute(
                "select cto.log_message(%s, 'user', 'hola', agent_name => 'helper', at => %s)",
                (context_id, MONDAY),
            )
        yield database


def call(db: Connection, **arguments: Any) -> int:
    given: dict[str, Any] = {"context_id": "chat", "tool_name": "search", **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given)
    row = db.execute(f"select cto.log_tool_call({names})".encode(), given).fetchone()
    assert row is not None
    return int(row[0])


def message_of(db: Connection, context_id: str) -> int:
    return int(one(db, "select id from public.ia_messages where context_id = %s", context_id))


def test_the_call_is_stored_as_given(db: Connection) -> None:
    message_id = message_of(db, "chat")
    call_id = call(
        db,
        tool_input=Jsonb({"query": "tiempo"}),
        tool_output="sol",
        execution_time_ms=31,
        success=False,
        error_message="late",
        message_id=message_id,
        at=MONDAY,
    )
    assert db.execute("select * from public.ia_tool_calls").fetchall() == [
        (
            call_id,
            "chat",
            message_id,
            "search",
            {"query": "tiempo"},
            "sol",
            31,
            False,
            "late",
            MONDAY,
        )
    ]


def test_only_context_and_name_are_needed(db: Connection) -> None:
    call(db)
    assert db.execute(
        "select tool_input, tool_output, execution_time_ms, success, message_id, timestamp = now()"
        " from public.ia_tool_calls"
    ).fetchone() == (None, None, None, True, None, True)


def test_success_null_is_a_success(db: Connection) -> None:
    call(db, success=None)
    assert one(db, "select success from public.ia_tool_calls")


@pytest.mark.parametrize("tool_input", [[1, 2], "text", 7, None])
def test_tool_input_may_be_any_json(db: Connection, tool_input: Any) -> None:
    call(db, tool_input=Jsonb(tool_input))
    assert one(db, "select tool_input from public.ia_tool_calls") == tool_input


def test_tool_output_is_never_remembered(db: Connection) -> None:
    before = one(db, "select count(*) from cto.blocks")
    call(db, tool_output="Vivo en Logroño con mi hermana Begoña desde 2019.")
    assert one(db, "select count(*) from cto.blocks") == before


def test_calls_are_counted_and_are_activity(db: Connection) -> None:
    for minutes in (5, 1):
        call(db, at=MONDAY + timedelta(minutes=minutes))
    assert db.execute(
        "select total_messages, total_tool_calls, last_activity from public.ia_context_metrics"
        " where context_id = 'chat'"
    ).fetchone() == (1, 2, MONDAY + timedelta(minutes=5))


def test_calls_show_in_the_summary(db: Connection) -> None:
    call(db)
    assert (
        one(db, "select tool_calls from public.ia_context_summary where context_id = 'chat'") == 1
    )


def test_a_deleted_message_takes_its_calls_out_of_the_metrics(db: Connection) -> None:
    call(db, message_id=message_of(db, "chat"))
    call(db)
    db.execute("delete from public.ia_messages where context_id = 'chat'")
    assert db.execute(CALLS_AND_METRICS).fetchone() == (1, 1)


def test_a_rollback_leaves_nothing(db: Connection) -> None:
    with db.transaction(force_rollback=True):
        call(db)
    assert db.execute(CALLS_AND_METRICS).fetchone() == (0, 0)


def test_when_the_metrics_fail_the_call_is_not_left(db: Connection) -> None:
    db.execute(
        "alter table public.ia_context_metrics add constraint broken check (total_tool_calls < 1)"
    )
    with pytest.raises(psycopg.errors.CheckViolation), db.transaction():
        call(db)
    assert db.execute(CALLS_AND_METRICS).fetchone() == (0, 0)


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("null context", {"context_id": None}, "23503", "null"),
    ("unknown context", {"context_id": "nowhere"}, "23503", "'nowhere'"),
    ("null name", {"tool_name": None}, "22004", "tool_name is null"),
    ("blank name", {"tool_name": " "}, "22023", "tool_name is blank"),
    ("long name", {"tool_name": "x" * 101}, "22001", "tool_name has 101"),
    ("time below 0", {"execution_time_ms": -1}, "22023", "-1"),
    ("null at", {"at": None}, "22023", "at is null"),
    ("at infinity", {"at": "infinity"}, "22023", "infinity"),
    ("unknown message", {"message_id": 987_654}, "23503", "987654"),
]


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "message"),
    [case[1:] for case in REFUSED],
    ids=[case[0] for case in REFUSED],
)
def test_what_cannot_be_logged_is_refused_and_nothing_is_written(
    db: Connection, arguments: dict[str, Any], sqlstate: str, message: str
) -> None:
    with pytest.raises(psycopg.Error, match=message) as caught, db.transaction():
        call(db, **arguments)
    assert caught.value.sqlstate == sqlstate
    assert caught.value.diag.message_hint
    assert db.execute(CALLS_AND_METRICS).fetchone() == (0, 0)


def test_a_message_of_another_context_is_refused(db: Connection) -> None:
    with (
        pytest.raises(psycopg.errors.ForeignKeyViolation, match="'chat' has no message") as caught,
        db.transaction(),
    ):
        call(db, message_id=message_of(db, "other"))
    assert caught.value.diag.message_hint
    assert db.execute(CALLS_AND_METRICS).fetchone() == (0, 0)


@pytest.mark.parametrize(
    "arguments", [{"tool_output": "a\0b"}, {"error_message": "a\0b"}, {"tool_name": "a\0b"}]
)
def test_nul_is_an_error_and_nothing_is_written(db: Connection, arguments: dict[str, str]) -> None:
    with pytest.raises(psycopg.DataError), db.transaction():
        call(db, **arguments)
    assert db.execute(CALLS_AND_METRICS).fetchone() == (0, 0)


def test_calls_and_messages_at_once_give_right_metrics(dsn: str) -> None:
    def run(query: str) -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            for _ in range(40):
                connection.execute(query.encode())

    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("select cto.log_message('chat', 'user', 'a', agent_name => 'helper')")
        with ThreadPoolExecutor(2) as threads:
            for done in [
                threads.submit(run, "select cto.log_tool_call('chat', 'search')"),
                threads.submit(run, "select cto.log_message('chat', 'user', 'b')"),
            ]:
                done.result(timeout=60)
        assert connection.execute(
            "select total_messages, total_tool_calls from public.ia_context_metrics"
        ).fetchone() == (41, 40)
