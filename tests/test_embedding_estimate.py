"""The price of the backlog, before anything is sent."""

from __future__ import annotations

import pytest
from embedding_rows import Connection, remember, texts

from cto.embedding.estimate import estimate_backlog, price


@pytest.mark.parametrize(
    ("model", "usd"),
    [
        ("text-embedding-3-small", 0.02),
        ("text-embedding-3-large", 0.13),
        ("text-embedding-ada-002", 0.10),
        ("hashing-1536", 0.0),
        ("nomic-embed-text", None),
    ],
)
def test_a_million_tokens_cost_what_the_list_says(model: str, usd: float | None) -> None:
    assert price(model, 1_000_000) == usd


def test_the_backlog_is_counted_with_its_tokens(db: Connection, dsn: str) -> None:
    remember(db, texts(5))
    db.execute("delete from cto.embedding_jobs")  # what was never queued counts as well
    row = db.execute("select sum(token_count) from cto.blocks").fetchone()
    assert row is not None
    found = estimate_backlog(dsn, "text-embedding-3-small")
    assert (found.jobs, found.dead, found.tokens) == (5, 0, row[0])
    assert found.usd == pytest.approx(row[0] * 0.02 / 1e6)
    assert str(found).startswith(f"5 jobs, at most {row[0]} tokens; text-embedding-3-small: 0.0000")


def test_dead_jobs_are_left_out(db: Connection, dsn: str) -> None:
    remember(db, texts(3))
    db.execute(
        """
        update cto.embedding_jobs set state = 'dead', last_error = 'no'
        where block_hash = (select min(block_hash) from cto.embedding_jobs)
        """
    )
    found = estimate_backlog(dsn, "some-model")
    assert (found.jobs, found.dead, found.usd) == (2, 1, None)
    assert "unknown" in str(found)
    assert "1 dead" in str(found)


def test_an_empty_backlog_costs_nothing(db: Connection, dsn: str) -> None:
    found = estimate_backlog(dsn, "text-embedding-3-small")
    assert (found.jobs, found.tokens, found.usd) == (0, 0, 0.0)
