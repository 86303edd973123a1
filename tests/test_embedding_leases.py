"""Leases: no transaction during a call, edits in flight, death, and several workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import fault_server as faults
import psycopg
import pytest
from embedding_rows import (
    MODEL,
    NO_JITTER,
    Connection,
    Time,
    assert_embedded,
    jobs,
    remember,
    texts,
)
from fault_server import FaultServer

from cto.embedding import NotDeployedError, OpenAIProvider, Report, run


@pytest.fixture
def api() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


@pytest.fixture
def provider(api: FaultServer) -> Iterator[OpenAIProvider]:
    opened = OpenAIProvider(MODEL, api.url, timeout=10)
    yield opened
    opened.close()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as executor:
        yield executor


def wait_until(condition: Callable[[], bool], seconds: float = 10) -> None:
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "it did not happen in time"
        time.sleep(0.02)


@contextmanager
def in_mid_call(
    api: FaultServer, pool: ThreadPoolExecutor, dsn: str, provider: OpenAIProvider, **options: Any
) -> Iterator[Future[Report]]:
    """Run a worker whose first request waits until the block has ended."""
    arrived, go_on = threading.Event(), threading.Event()
    api.plan(faults.held(arrived, go_on))
    future = pool.submit(run, dsn, provider, **options)
    try:
        assert arrived.wait(10)
        yield future
    finally:
        go_on.set()


def test_no_transaction_is_open_while_the_api_works(
    db: Connection, dsn: str, api: FaultServer, provider: OpenAIProvider, pool: ThreadPoolExecutor
) -> None:
    remember(db, texts(5))
    with in_mid_call(api, pool, dsn, provider) as future:
        sessions = db.execute(
            """
            select a.state, a.xact_start, a.backend_xmin, a.backend_xid
            from pg_stat_activity as a
            where a.application_name = 'cto embed' and a.datname = current_database()
            """
        ).fetchall()
        locks = db.execute(
            """
            select l.relation::regclass from pg_locks as l
            inner join pg_stat_activity as a on a.pid = l.pid
            where a.application_name = 'cto embed' and a.datname = current_database()
            """
        ).fetchall()
        assert {state for state, _, _ in jobs(db).values()} == {"leased"}
        db.execute("set lock_timeout = '200ms'")
        db.execute("update cto.blocks set importance = 0.9")  # nobody holds a row lock
    assert sessions == [("idle", None, None, None)]
    assert locks == []
    assert future.result(10).embedded == 5
    assert_embedded(db, texts(5))
    assert api.sizes() == [5]


def test_a_block_edited_in_flight_gets_the_vector_of_its_new_text(
    db: Connection, dsn: str, api: FaultServer, provider: OpenAIProvider, pool: ThreadPoolExecutor
) -> None:
    remember(db, texts(3))
    with in_mid_call(api, pool, dsn, provider) as future:
        db.execute("update cto.blocks set content = 'otra cosa' where content = %s", [texts(1)[0]])
        assert jobs(db)["otra cosa"][0] == "waiting"
    report = future.result(10)
    assert report.embedded == 3
    assert api.sizes() == [3, 1]
    assert api.requests[1].texts == ["otra cosa"]
    assert_embedded(db, ["otra cosa", *texts(3)[1:]])
    assert jobs(db) == {}


def test_a_block_edited_there_and_back_in_flight_is_embedded_again(
    db: Connection, dsn: str, api: FaultServer, provider: OpenAIProvider, pool: ThreadPoolExecutor
) -> None:
    remember(db, texts(2))
    with in_mid_call(api, pool, dsn, provider) as future:
        for old, new in ((texts(1)[0], "otra cosa"), ("otra cosa", texts(1)[0])):
            db.execute("update cto.blocks set content = %s where content = %s", [new, old])
    assert future.result(10).embedded == 2
    assert api.sizes() == [2, 1]
    assert_embedded(db, texts(2))


def test_a_block_deleted_in_flight_is_no_error(
    db: Connection, dsn: str, api: FaultServer, provider: OpenAIProvider, pool: ThreadPoolExecutor
) -> None:
    remember(db, texts(3))
    with in_mid_call(api, pool, dsn, provider) as future:
        db.execute("delete from cto.blocks where content = %s", [texts(1)[0]])
    report = future.result(10)
    assert (report.embedded, report.failed, report.dead, report.remaining) == (2, 0, 0, 0)
    assert report.stopped_reason is None
    assert api.sizes() == [3]
    assert_embedded(db, texts(3)[1:])


WORKER = """
import sys
from datetime import timedelta
from cto.embedding import OpenAIProvider, run
run(sys.argv[1], OpenAIProvider("test-model", sys.argv[2]), lease=timedelta(seconds=1))
"""


def test_after_a_worker_is_killed_another_one_finishes(
    db: Connection, dsn: str, api: FaultServer, provider: OpenAIProvider
) -> None:
    remember(db, texts(6))
    arrived, go_on = threading.Event(), threading.Event()
    api.plan(faults.held(arrived, go_on))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", WORKER, dsn, api.url], env=environment) as victim:
        assert arrived.wait(20)
        victim.send_signal(signal.SIGKILL)
    go_on.set()
    assert {state for state, _, _ in jobs(db).values()} == {"leased"}
    wait_until(
        lambda: (
            not db.execute(
                "select from cto.embedding_jobs where leased_until > clock_timestamp()"
            ).fetchall()
        )
    )
    run(dsn, provider)
    assert_embedded(db, texts(6))
    assert jobs(db) == {}
    assert api.sizes() == [6, 6], "the killed call, and one more"


def test_two_workers_share_the_work(
    db: Connection, dsn: str, api: FaultServer, pool: ThreadPoolExecutor
) -> None:
    remember(db, texts(60))
    api.rule = lambda _: faults.slow(0.02)
    providers = [OpenAIProvider(MODEL, api.url) for _ in range(2)]
    futures = [pool.submit(run, dsn, each, batch_size=5) for each in providers]
    reports = [future.result(20) for future in futures]
    for each in providers:
        each.close()
    assert sum(report.embedded for report in reports) == 60
    assert all(report.embedded for report in reports)
    assert Counter(api.texts) == Counter(texts(60)), "no text was sent twice"
    assert api.sizes() == [5] * 12
    assert_embedded(db, texts(60))


def test_a_worker_that_outlives_its_lease_does_not_overwrite(
    db: Connection, dsn: str, api: FaultServer, provider: OpenAIProvider, pool: ThreadPoolExecutor
) -> None:
    remember(db, texts(3))
    other = OpenAIProvider(MODEL, api.url)
    with in_mid_call(api, pool, dsn, provider, lease=timedelta(milliseconds=50)) as slow:
        wait_until(
            lambda: bool(
                db.execute(
                    "select from cto.embedding_jobs where leased_until < clock_timestamp()"
                ).fetchall()
            )
        )
        assert run(dsn, other).embedded == 3
        db.execute("update cto.blocks set importance = 0.4")
    other.close()
    report = slow.result(10)
    assert (report.embedded, report.stopped_reason) == (0, None)
    assert_embedded(db, texts(3))
    assert api.sizes() == [3, 3]


def test_asked_to_stop_the_worker_finishes_its_batch(
    db: Connection, dsn: str, api: FaultServer, provider: OpenAIProvider, pool: ThreadPoolExecutor
) -> None:
    remember(db, texts(10))
    asked = threading.Event()
    with in_mid_call(api, pool, dsn, provider, batch_size=4, stop=asked.is_set) as future:
        asked.set()
    report = future.result(10)
    assert (report.embedded, report.remaining) == (4, 6)
    assert report.was_asked_to_stop
    assert api.sizes() == [4]
    assert {job[:2] for job in jobs(db).values()} == {("waiting", 0)}


def test_asked_to_stop_while_it_waits_the_worker_gives_its_jobs_back(
    db: Connection, dsn: str, api: FaultServer, provider: OpenAIProvider
) -> None:
    remember(db, texts(4))
    api.plan(faults.rate_limit({"Retry-After": "100"}))
    timer = Time()
    report = run(dsn, provider, sleep=timer.sleep, clock=timer.clock, stop=lambda: timer.total >= 3)
    assert timer.total == pytest.approx(3)
    assert (report.embedded, report.remaining, report.was_asked_to_stop) == (0, 4, True)
    assert {job[:2] for job in jobs(db).values()} == {("waiting", 0)}
    assert len(api.requests) == 1


def test_a_lease_too_short_for_the_server_is_given_back_and_smaller_bites_are_taken(
    db: Connection, dsn: str, api: FaultServer, provider: OpenAIProvider
) -> None:
    """The server takes a minute for each text and refuses one of them; the lease is two minutes."""
    remember(db, texts(8))
    timer = Time()
    bad = texts(8)[3]

    def rule(sent: list[str]) -> faults.Reply | None:
        timer.now += 60 * len(sent)
        return faults.error(400) if bad in sent else None

    api.rule = rule
    report = run(
        dsn,
        provider,
        sleep=timer.sleep,
        clock=timer.clock,
        lease=timedelta(minutes=2),
        backoff=NO_JITTER,
    )
    assert (report.embedded, report.dead, report.failed) == (7, 1, 0)
    assert_embedded(db, [text for text in texts(8) if text != bad])


def test_a_watching_worker_sees_new_blocks_and_stops_when_asked(
    db: Connection, dsn: str, api: FaultServer, provider: OpenAIProvider, pool: ThreadPoolExecutor
) -> None:
    asked = threading.Event()
    future = pool.submit(run, dsn, provider, poll=0.05, stop=asked.is_set)
    try:
        remember(db, texts(2))
        wait_until(lambda: not jobs(db))
        remember(db, ["más tarde"])
        wait_until(lambda: not jobs(db))
    finally:
        asked.set()
    report = future.result(10)
    assert report.embedded == 3
    assert_embedded(db, [*texts(2), "más tarde"])


def test_a_connection_lost_during_the_call_is_opened_again(
    db: Connection, dsn: str, api: FaultServer, provider: OpenAIProvider, pool: ThreadPoolExecutor
) -> None:
    remember(db, texts(3))
    with in_mid_call(api, pool, dsn, provider) as future:
        (ended,) = db.execute(
            """
            select pg_terminate_backend(a.pid) from pg_stat_activity as a
            where a.application_name = 'cto embed' and a.datname = current_database()
            """
        ).fetchall()
        assert ended == (True,)
    assert future.result(10).embedded == 3
    assert api.sizes() == [3], "the vectors that were paid for are not thrown away"
    assert_embedded(db, texts(3))


def test_a_deadlock_with_an_agent_is_survived(
    db: Connection, dsn: str, api: FaultServer, provider: OpenAIProvider, pool: ThreadPoolExecutor
) -> None:
    """An agent says two blocks again, in one transaction, while their vectors are written."""
    remember(db, texts(40))
    say = "select cto.remember(owner => 'ana', content => %s)"
    with psycopg.connect(dsn) as agent:
        agent.execute("set deadlock_timeout = '10s'")  # the worker shall be the one that gives in
        with in_mid_call(api, pool, dsn, provider) as future:
            agent.execute(say, [texts(40)[20]])
        wait_until(
            lambda: bool(
                db.execute(
                    """
                    select from pg_stat_activity as a
                    where a.application_name = 'cto embed' and a.wait_event_type = 'Lock'
                        and a.datname = current_database()
                    """
                ).fetchall()
            )
        )
        free = db.execute("select content from cto.blocks for update skip locked").fetchall()
        held = set(texts(40)) - {content for (content,) in free} - {texts(40)[20]}
        assert held, "the worker holds rows while it waits for the agent"
        agent.execute(say, [held.pop()])
    assert future.result(20).embedded == 40
    assert_embedded(db, texts(40))
    assert api.sizes() == [40]


def test_a_login_that_may_only_embed_can_embed(
    db: Connection, dsn: str, provider: OpenAIProvider
) -> None:
    remember(db, texts(3))

    def as_role(role: str) -> Callable[[], Connection]:
        return lambda: psycopg.connect(dsn, options=f"-c role={role}")

    assert run(as_role("cto_embedder"), provider).embedded == 3
    assert_embedded(db, texts(3))
    with pytest.raises(NotDeployedError, match="may not embed"):
        run(as_role("cto_report"), provider)


def test_a_database_without_cto_is_said(empty_dsn: str, provider: OpenAIProvider) -> None:
    with pytest.raises(NotDeployedError, match="has no cto") as caught:
        run(empty_dsn, provider)
    assert "cto deploy" in caught.value.remedy
