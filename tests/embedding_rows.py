"""What the tests of the embedding worker share: blocks to embed, and what became of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest
from fault_server import DIMENSIONS, vector_of

from cto.embedding import Backoff
from cto.tokens import count_tokens

Connection = psycopg.Connection[tuple[Any, ...]]

MODEL = "test-model"
NO_JITTER = Backoff(uniform=lambda _low, high: high)


@dataclass
class Time:
    """A clock that only sleeping moves."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    @property
    def total(self) -> float:
        return sum(self.slept)


def texts(count: int) -> list[str]:
    return [f"texto número {number}" for number in range(count)]


def remember(db: Connection, contents: list[str], owner: str = "ana") -> None:
    """Write blocks without vectors; the triggers queue them."""
    db.execute(
        "select cto.remember(owner => %s, content => c) from unnest(%s::text[]) as c",
        (owner, contents),
    )


def vectors(db: Connection) -> dict[str, list[list[float]]]:
    """Return the stored vectors of every text, one for each owner who has it."""
    found: dict[str, list[list[float]]] = {}
    rows = db.execute("select content, embedding::text from cto.blocks where embedding is not null")
    for content, vector in rows:
        found.setdefault(content, []).append(json.loads(vector))
    return found


def assert_embedded(db: Connection, contents: list[str], *, model: str = MODEL) -> None:
    """Check that these blocks and no others have a vector: their own, and the exact token count."""
    found = vectors(db)
    assert sorted(found) == sorted(contents)
    for content, stored in found.items():
        for vector in stored:
            assert vector[:DIMENSIONS] == pytest.approx(vector_of(content), abs=1e-6)
            assert not any(vector[DIMENSIONS:])
    rows = db.execute(
        """
        select content, embedding_model, token_count, token_count_is_exact from cto.blocks
        where embedding is not null
        """
    )
    for content, stored_model, tokens, is_exact in rows:
        assert (stored_model, tokens, is_exact) == (model, count_tokens(content), True)


def jobs(db: Connection) -> dict[str, tuple[str, int, str | None]]:
    """Return state, attempts and last error of every job, by text."""
    rows = db.execute(
        """
        select b.content, j.state, j.attempts, j.last_error
        from cto.embedding_jobs as j
        join cto.blocks as b on b.owner_id = j.owner_id and b.hash = j.block_hash
        """
    )
    return {content: (state, attempts, error) for content, state, attempts, error in rows}
