"""What the worker does when all is well and when the provider goes wrong: each row once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from email.utils import formatdate
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

from cto.embedding import Embedded, OpenAIProvider, Progress, Report, run
from cto.errors import UnreachableError


@pytest.fixture
def api() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


@pytest.fixture
def provider(api: FaultServer) -> Iterator[OpenAIProvider]:
    opened = OpenAIProvider(MODEL, api.url, api_key="sk-test-0123456789", timeout=5)
    yield opened
    opened.close()


@pytest.fixture
def timer() -> Time:
    return Time()


@pytest.fixture
def embed(dsn: str, provider: OpenAIProvider, timer: Time) -> Callable[..., Report]:
    """Run the worker without waiting."""

    def call(**options: Any) -> Report:
        settings: dict[str, Any] = {
            "batch_size": 100,
            "sleep": timer.sleep,
            "clock": timer.clock,
            "backoff": NO_JITTER,
        }
        return run(dsn, provider, **{**settings, **options})

    return call


Embed = Callable[..., Report]


# -- all is well ------------------------------------------------------------------------------


def test_every_row_gets_its_own_vector_once(db: Connection, api: FaultServer, embed: Embed) -> None:
    remember(db, texts(25))
    report = embed(batch_size=10)
    assert_embedded(db, texts(25))
    assert jobs(db) == {}
    assert api.sizes() == [10, 10, 5]
    assert Counter(api.texts) == Counter(texts(25))
    assert (report.embedded, report.failed, report.dead, report.remaining) == (25, 0, 0, 0)
    assert (report.tokens, report.requests, report.stopped_reason) == (250, 3, None)


def test_an_empty_queue_needs_no_request(db: Connection, api: FaultServer, embed: Embed) -> None:
    assert embed().embedded == 0
    assert api.requests == []


def test_equal_texts_of_two_owners_are_paid_for_once(
    db: Connection, api: FaultServer, embed: Embed
) -> None:
    remember(db, texts(3), owner="ana")
    remember(db, texts(3), owner="luis")
    report = embed()
    assert_embedded(db, texts(3))
    assert report.embedded == 6
    assert api.sizes() == [3]


def test_a_block_that_lost_its_job_is_found(db: Connection, api: FaultServer, embed: Embed) -> None:
    remember(db, texts(2))
    db.execute("delete from cto.embedding_jobs")
    assert embed().embedded == 2
    assert_embedded(db, texts(2))
    assert api.sizes() == [2]


def test_a_limit_is_kept(db: Connection, api: FaultServer, embed: Embed) -> None:
    remember(db, texts(7))
    report = embed(batch_size=2, limit=5)
    assert (report.embedded, report.remaining) == (5, 2)
    assert report.stopped_reason is None
    assert api.sizes() == [2, 2, 1]


def test_a_connection_factory_serves_as_well_as_a_dsn(
    db: Connection, dsn: str, provider: OpenAIProvider
) -> None:
    remember(db, texts(2))
    opened: list[Connection] = []

    def factory() -> Connection:
        opened.append(psycopg.connect(dsn))
        return opened[-1]

    assert run(factory, provider).embedded == 2
    assert [connection.closed for connection in opened] == [True]
    assert_embedded(db, texts(2))


def test_progress_is_told(db: Connection, api: FaultServer, embed: Embed) -> None:
    remember(db, texts(4))
    steps: list[Progress] = []
    embed(batch_size=2, on_progress=steps.append)
    assert [(step.embedded, step.remaining) for step in steps] == [(0, 4), (2, 2), (4, 0)]
    assert steps[-1].tokens == 40


def test_a_vector_type_outside_the_search_path_is_found(
    db: Connection, dsn: str, provider: OpenAIProvider
) -> None:
    remember(db, texts(2))
    db.execute("create schema decoy create table vector (oops integer)")

    def factory() -> Connection:
        return psycopg.connect(dsn, options="-c search_path=decoy")

    assert run(factory, provider).embedded == 2
    assert_embedded(db, texts(2))


def test_a_long_text_is_cut_for_the_api_and_counted_whole(
    db: Connection, api: FaultServer, embed: Embed
) -> None:
    content = "palabra " * 9000
    remember(db, [content])
    assert embed().embedded == 1
    (sent,) = api.texts
    assert content.startswith(sent)
    assert len(sent) < len(content)
    row = db.execute("select token_count, token_count_is_exact from cto.blocks").fetchone()
    assert row is not None
    assert row[0] > 9000
    assert row[1] is True


def test_a_database_that_is_not_there_is_said(provider: OpenAIProvider) -> None:
    with pytest.raises(UnreachableError):
        run("host=127.0.0.1 port=9 user=nobody", provider)


# -- rate limits ------------------------------------------------------------------------------


def test_a_rate_limit_waits_as_long_as_told(
    db: Connection, api: FaultServer, embed: Embed, timer: Time
) -> None:
    remember(db, texts(4))
    api.plan(faults.rate_limit({"Retry-After": "7"}))
    report = embed()
    assert timer.total == pytest.approx(7)
    assert api.sizes() == [4, 4]
    assert report.requests == 2
    assert (report.embedded, report.failed) == (4, 0)
    assert_embedded(db, texts(4))


def test_a_rate_limit_until_a_date_waits_until_then(
    db: Connection, api: FaultServer, embed: Embed, timer: Time
) -> None:
    remember(db, texts(4))
    api.plan(faults.rate_limit({"Retry-After": formatdate(time.time() + 20, usegmt=True)}))
    assert embed().embedded == 4
    assert 18 <= timer.total <= 20
    assert len(api.requests) == 2
    assert_embedded(db, texts(4))


def test_a_rate_limit_without_a_time_backs_off(
    db: Connection, api: FaultServer, embed: Embed, timer: Time
) -> None:
    remember(db, texts(4))
    api.plan(*[faults.rate_limit()] * 4)
    assert embed().embedded == 4
    assert timer.total == pytest.approx(1 + 2 + 4 + 8)
    assert len(api.requests) == 5
    assert_embedded(db, texts(4))


def test_rate_limits_beyond_the_lease_give_the_jobs_back_without_counting(
    db: Connection, api: FaultServer, embed: Embed, timer: Time
) -> None:
    remember(db, texts(4))
    api.plan(faults.rate_limit({"Retry-After": "900"}))
    seen: list[dict[str, Any]] = []

    def sleep(seconds: float) -> None:
        if not seen:
            seen.append(jobs(db))
            db.execute("update cto.embedding_jobs set not_before = now()")  # 900 seconds later
        timer.sleep(seconds)

    report = embed(sleep=sleep)
    assert {(state, attempts) for state, attempts, _ in seen[0].values()} == {("waiting", 0)}
    assert timer.total == pytest.approx(909)  # a little longer than the database
    assert len(api.requests) == 2
    assert (report.embedded, report.failed) == (4, 0)
    assert_embedded(db, texts(4))


def test_endless_rate_limits_stop_the_run(
    db: Connection, api: FaultServer, embed: Embed, timer: Time
) -> None:
    remember(db, texts(4))
    api.rule = lambda _: faults.rate_limit({"Retry-After": "200"})
    report = embed(lease=timedelta(hours=2))
    assert "slow down" in (report.stopped_reason or "")
    assert 3000 <= timer.total <= 3600
    assert len(api.requests) == 19
    assert {(state, attempts) for state, attempts, _ in jobs(db).values()} == {("waiting", 0)}


# -- the server fails -------------------------------------------------------------------------


def test_a_server_that_fails_for_a_while_is_asked_again(
    db: Connection, api: FaultServer, embed: Embed, timer: Time
) -> None:
    remember(db, texts(4))
    api.plan(
        faults.error(500),
        faults.error(503),
        faults.reset_in_mid_body,
        faults.raw(502, b"<html>", "text/html"),
        faults.error(503, headers={"Retry-After": "40"}),
    )
    report = embed()
    assert api.sizes() == [4] * 6
    assert timer.total == pytest.approx(1 + 2 + 4 + 8 + 40)
    assert (report.embedded, report.failed, report.dead) == (4, 0, 0)
    assert_embedded(db, texts(4))


def test_a_timeout_is_asked_again(dsn: str, db: Connection, api: FaultServer, timer: Time) -> None:
    remember(db, texts(4))
    api.plan(faults.slow(5))
    hasty = OpenAIProvider(MODEL, api.url, timeout=0.2)
    report = run(dsn, hasty, sleep=timer.sleep, clock=timer.clock)
    hasty.close()
    assert (report.embedded, report.requests, len(api.requests)) == (4, 2, 2)
    assert_embedded(db, texts(4))


def test_a_server_that_stays_away_stops_the_run_and_the_attempt_counts(
    db: Connection, api: FaultServer, embed: Embed
) -> None:
    remember(db, texts(6))
    api.rule = lambda _: faults.error(503, message="overloaded")
    report = embed(batch_size=4)
    assert api.sizes() == [4] * 6
    assert "overloaded" in (report.stopped_reason or "")
    assert (report.embedded, report.failed, report.dead, report.remaining) == (0, 4, 0, 6)
    assert sorted(attempts for _, attempts, _ in jobs(db).values()) == [0, 0, 1, 1, 1, 1]
    api.rule = lambda _: None
    assert embed().embedded == 6
    assert_embedded(db, texts(6))


def test_the_fifth_failed_attempt_is_the_last(
    db: Connection, api: FaultServer, embed: Embed
) -> None:
    remember(db, texts(2))
    api.rule = lambda _: faults.error(500)
    reports = [embed() for _ in range(5)]
    assert [(report.failed, report.dead) for report in reports] == [(2, 0)] * 4 + [(0, 2)]
    assert {(state, attempts) for state, attempts, _ in jobs(db).values()} == {("dead", 5)}
    assert embed().requests == 0
    db.execute("select cto.requeue_embeddings()")
    api.rule = lambda _: None
    assert embed().embedded == 2
    assert_embedded(db, texts(2))


def test_a_row_that_no_worker_survives_is_given_up(
    db: Connection, api: FaultServer, embed: Embed
) -> None:
    remember(db, texts(3))
    db.execute(
        """
        update cto.embedding_jobs as j
        set state = 'leased', leased_by = 'gone', attempts = 5,
            leased_until = now() - interval '1 s'
        from cto.blocks as b where b.hash = j.block_hash and b.content = %s
        """,
        [texts(1)[0]],
    )
    report = embed()
    assert (report.embedded, report.dead) == (2, 1)
    assert jobs(db)[texts(1)[0]][0] == "dead"
    assert_embedded(db, texts(3)[1:])
    assert api.sizes() == [2]


# -- nothing helps: stop at once --------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        (faults.no_quota(), "quota"),
        (faults.error(401), "API key"),
        (faults.error(403), "API key"),
        (faults.error(404, message="no such model"), "no such model"),
    ],
)
def test_quota_key_and_setup_stop_at_once_and_nothing_counts(
    db: Connection, api: FaultServer, embed: Embed, timer: Time, fault: tuple[faults.Reply, str]
) -> None:
    reply, word = fault
    remember(db, texts(10))
    api.plan(faults.right, reply)
    report = embed(batch_size=5)
    assert len(api.requests) == 2
    assert timer.slept == []
    assert word in (report.stopped_reason or "")
    assert (report.embedded, report.failed, report.dead, report.remaining) == (5, 0, 0, 5)
    assert {(state, attempts) for state, attempts, _ in jobs(db).values()} == {("waiting", 0)}
    assert embed().embedded == 5
    assert_embedded(db, texts(10))


def test_a_setup_that_refuses_every_text_kills_no_row(
    db: Connection, api: FaultServer, embed: Embed
) -> None:
    remember(db, texts(8))
    api.rule = lambda _: faults.error(400, message="this model takes no dimensions")
    report = embed()
    assert api.sizes() == [8, 1], "one batch, and one harmless text to tell the reason"
    assert "this model takes no dimensions" in (report.stopped_reason or "")
    assert (report.dead, report.failed, report.remaining) == (0, 0, 8)


def test_a_server_with_other_dimensions_than_stored_kills_no_row(
    db: Connection, api: FaultServer, embed: Embed
) -> None:
    remember(db, texts(4))
    assert embed(limit=1).embedded == 1
    api.dimensions = 16
    report = embed()
    assert "16 dimensions" in (report.stopped_reason or "")
    assert api.sizes() == [1, 3, 3, 3, 1, 1, 1]
    assert (report.embedded, report.dead, report.remaining) == (0, 0, 3)


def test_other_dimensions_than_stored_are_not_even_asked_for(
    dsn: str, db: Connection, api: FaultServer, embed: Embed
) -> None:
    remember(db, texts(4))
    assert embed(limit=1).embedded == 1
    other = OpenAIProvider(MODEL, api.url, dimensions=16)
    report = run(dsn, other)
    other.close()
    assert "have 8 dimensions, not 16" in (report.stopped_reason or "")
    assert len(api.requests) == 1


# -- a poisonous text -------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_poisonous_text_is_found_and_the_others_are_embedded(
    db: Connection, api: FaultServer, embed: Embed, status: int
) -> None:
    remember(db, texts(8))
    bad = texts(8)[5]
    api.rule = faults.poison(bad, faults.error(status, message="I will not read this"))
    report = embed()
    good = [text for text in texts(8) if text != bad]
    assert_embedded(db, good)
    # Four sizes with the bad text, three without; and where nothing was known to be well, a probe.
    assert Counter(api.sizes()) - Counter({1: 1}) == Counter([8, 4, 4, 2, 2, 1, 1])
    assert api.texts.count("hello") == 1
    assert (report.embedded, report.dead, report.remaining) == (7, 1, 0)
    assert len(jobs(db)) == 1
    state, _, error = jobs(db)[bad]
    assert state == "dead"
    assert "I will not read this" in (error or "")


def test_a_batch_too_large_for_the_server_is_halved(
    db: Connection, api: FaultServer, embed: Embed
) -> None:
    remember(db, texts(8))
    api.rule = lambda sent: faults.error(413) if len(sent) > 2 else None
    report = embed()
    assert api.sizes() == [8, 1, 4, 2, 2, 4, 2, 2]
    assert (report.embedded, report.dead) == (8, 0)
    assert_embedded(db, texts(8))


def test_two_poisonous_texts_die_alone(db: Connection, api: FaultServer, embed: Embed) -> None:
    remember(db, texts(16))
    bad = {texts(16)[2], texts(16)[11]}
    api.rule = lambda sent: faults.error(400) if bad & set(sent) else None
    report = embed()
    assert (report.embedded, report.dead) == (14, 2)
    assert_embedded(db, [text for text in texts(16) if text not in bad])
    assert set(jobs(db)) == bad


def test_a_poisonous_text_of_two_owners_dies_for_both(
    db: Connection, api: FaultServer, embed: Embed
) -> None:
    remember(db, texts(4), owner="ana")
    remember(db, texts(4), owner="luis")
    api.rule = faults.poison(texts(4)[0], faults.error(400))
    report = embed()
    assert (report.embedded, report.dead, report.remaining) == (6, 2, 0)
    assert_embedded(db, texts(4)[1:])


# -- unusable answers -------------------------------------------------------------------------


def test_an_unusable_answer_is_asked_for_again(
    db: Connection, api: FaultServer, embed: Embed
) -> None:
    unusable = [
        faults.short,
        faults.long,
        faults.no_index,
        faults.one_dimension_off,
        faults.not_a_number,
        faults.zeros,
        faults.empty,
        faults.wrong_dimension,
    ]
    remember(db, ["sabe cuántas dimensiones hay"])
    assert embed().embedded == 1
    for number, reply in enumerate(unusable):
        db.execute("delete from cto.blocks")
        api.requests.clear()
        contents = [f"{text}, vez {number}" for text in texts(4)]
        remember(db, contents)
        api.plan(reply, reply)
        report = embed()
        assert api.sizes() == [4, 4, 4]
        assert (report.embedded, report.failed, report.dead) == (4, 0, 0)
        assert_embedded(db, contents)


@pytest.mark.parametrize("reply", [faults.not_a_number, faults.zeros, faults.empty])
def test_a_text_that_only_gets_unusable_answers_dies_alone(
    db: Connection, api: FaultServer, embed: Embed, reply: faults.Reply
) -> None:
    remember(db, texts(4))
    bad = texts(4)[1]
    api.rule = faults.poison(bad, reply)
    report = embed()
    assert_embedded(db, [text for text in texts(4) if text != bad])
    assert Counter(api.sizes()) == Counter({4: 3, 2: 4, 1: 5})  # a probe among those of one
    assert (report.embedded, report.dead, report.remaining) == (3, 1, 0)
    assert "unusable" in (jobs(db)[bad][2] or "")


def test_a_shuffled_answer_is_right_at_once(db: Connection, api: FaultServer, embed: Embed) -> None:
    remember(db, texts(9))
    api.plan(faults.shuffled)
    assert embed().embedded == 9
    assert_embedded(db, texts(9))
    assert len(api.requests) == 1


class Forgetful:
    """A provider of somebody else's that loses vectors and breaks."""

    model = "forgetful"
    dimensions = None

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def embed(self, contents: Sequence[str]) -> Embedded:
        if self.error is not None:
            raise self.error
        return Embedded([[1.0] for _ in contents[1:]], 0)


def test_a_provider_that_loses_vectors_stores_none(db: Connection, dsn: str, timer: Time) -> None:
    remember(db, texts(3))
    report = run(dsn, Forgetful(), sleep=timer.sleep, clock=timer.clock)
    assert (report.embedded, report.dead, report.remaining) == (0, 0, 3)
    assert "vectors came for" in (report.stopped_reason or "")


def test_a_provider_that_breaks_leaves_nothing_leased(db: Connection, dsn: str) -> None:
    remember(db, texts(3))
    with pytest.raises(ZeroDivisionError):
        run(dsn, Forgetful(ZeroDivisionError("sk-secret-in-here")))
    assert {job[:2] for job in jobs(db).values()} == {("waiting", 1)}
    assert not any("secret" in (error or "") for _, _, error in jobs(db).values())
