"""The views beside ia_context_summary: days, agents, models and tools."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from conftest import Connection, one

MORNING = datetime(2026, 3, 1, 9, tzinfo=UTC)
LATE = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
NEXT = datetime(2026, 3, 2, 8, tzinfo=UTC)


def say(
    db: Connection,
    context: str,
    role: str,
    at: datetime | None,
    *,
    agent: str = "bot",
    tokens: int | None = None,
    model: str | None = None,
    user: str | None = None,
) -> None:
    db.execute(
        "insert into ia_contexts (context_id, agent_name, user_id) values (%s, %s, %s)"
        " on conflict do nothing",
        (context, agent, user),
    )
    db.execute(
        "insert into ia_messages (context_id, role, content, timestamp, token_count, model)"
        " values (%s, %s, 'x', %s, %s, %s)",
        (context, role, at, tokens, model),
    )


def call(
    db: Connection,
    context: str,
    tool: str,
    at: datetime | None = MORNING,
    *,
    ms: int | None = None,
    success: bool | None = True,
) -> None:
    db.execute(
        "insert into ia_tool_calls (context_id, tool_name, timestamp, execution_time_ms, success)"
        " values (%s, %s, %s, %s, %s)",
        (context, tool, at, ms, success),
    )


def rows(db: Connection, view: str, columns: str) -> list[tuple[Any, ...]]:
    return db.execute(f"select {columns} from {view} order by 1 nulls last, 2".encode()).fetchall()


@pytest.fixture
def log(db: Connection) -> Connection:
    """Two conversations of one agent, one of another, and one without a message."""
    db.execute("set timezone = 'UTC'")
    say(db, "a", "user", MORNING, tokens=10, user="ana")
    say(db, "a", "assistant", MORNING.replace(second=2), tokens=20, model="m1")
    call(db, "a", "search", ms=100)
    call(db, "a", "search", LATE, ms=300, success=False)
    say(db, "a", "user", NEXT, user="ana")
    say(db, "b", "user", LATE, tokens=5, user="luis")
    say(db, "b", "assistant", LATE.replace(second=4), tokens=7, model="m2")
    say(db, "c", "assistant", None, agent="other", tokens=1, model="m1")
    call(db, "c", "calc", None, success=None)
    db.execute("insert into ia_contexts (context_id, agent_name) values ('d', 'silent')")
    db.execute("update ia_contexts set status = 'archived' where context_id = 'b'")
    return db


def test_a_day_of_an_agent(log: Connection) -> None:
    assert rows(
        log,
        "ia_context_summary_daily",
        "day, agent_name, context_count, message_count, user_messages, assistant_messages,"
        " total_tokens, tool_calls, failed_tool_calls",
    ) == [
        (date(2026, 3, 1), "bot", 2, 4, 2, 2, 42, 2, 1),
        (date(2026, 3, 2), "bot", 1, 1, 1, 0, 0, 0, 0),
        (None, "other", 1, 1, 0, 1, 1, 1, 0),
    ]


def test_a_day_is_one_of_the_zone_of_the_session(log: Connection) -> None:
    log.execute("set timezone = 'Europe/Madrid'")
    days = rows(log, "ia_context_summary_daily", "day, agent_name, message_count")
    assert days[:2] == [(date(2026, 3, 1), "bot", 2), (date(2026, 3, 2), "bot", 3)]


def test_an_agent(log: Connection) -> None:
    assert rows(
        log,
        "ia_context_summary_by_agent",
        "agent_name, context_count, active_contexts, user_count, message_count, total_tokens,"
        " tool_calls, avg_response_time_ms, last_activity",
    ) == [
        ("bot", 2, 1, 2, 5, 42, 2, 3000, NEXT),
        ("other", 1, 1, 0, 1, 1, 1, None, None),
        ("silent", 1, 1, 0, 0, 0, 0, None, None),
    ]
    opened = one(log, "select min(created_at) from ia_contexts where agent_name = 'bot'")
    assert rows(log, "ia_context_summary_by_agent", "first_created_at, 1")[0][0] == opened


def test_a_model(log: Connection) -> None:
    assert rows(
        log,
        "ia_context_summary_by_model",
        "model, context_count, message_count, total_tokens, first_used_at, last_used_at",
    ) == [
        ("m1", 2, 2, 21, MORNING.replace(second=2), MORNING.replace(second=2)),
        ("m2", 1, 1, 7, LATE.replace(second=4), LATE.replace(second=4)),
        (None, 2, 3, 15, MORNING, NEXT),
    ]


def test_a_tool(log: Connection) -> None:
    found = rows(
        log,
        "ia_context_summary_tools",
        "tool_name, calls, failures, failure_share::float8, p50_ms, p95_ms, max_ms,"
        " context_count, last_called_at",
    )
    assert found[0] == ("calc", 1, 0, 0, None, None, None, 1, None)
    assert found[1] == ("search", 2, 1, 0.5, 200, pytest.approx(290), 300, 1, LATE)


def test_the_views_agree_with_each_other_and_with_the_tables(log: Connection) -> None:
    counts = [
        one(log, f"select sum({column}) from {view}")
        for view, column in (
            ("ia_context_summary", "message_count"),
            ("ia_context_summary_daily", "message_count"),
            ("ia_context_summary_by_agent", "message_count"),
            ("ia_context_summary_by_model", "message_count"),
        )
    ]
    assert set(counts) == {one(log, "select count(*) from ia_messages")}
    calls = [
        one(log, f"select sum({column}) from {view}")
        for view, column in (
            ("ia_context_summary", "tool_calls"),
            ("ia_context_summary_daily", "tool_calls"),
            ("ia_context_summary_by_agent", "tool_calls"),
            ("ia_context_summary_tools", "calls"),
        )
    ]
    assert set(calls) == {one(log, "select count(*) from ia_tool_calls")}


def test_an_empty_log_has_no_rows(db: Connection) -> None:
    for view in ("daily", "by_agent", "by_model", "tools"):
        assert one(db, f"select count(*) from ia_context_summary_{view}") == 0
