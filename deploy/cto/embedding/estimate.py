"""What embedding the backlog would cost. Calls no provider."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from cto.embedding.session import Connect, Session

# US dollars for a million tokens, as OpenAI lists them.
USD_PER_MILLION = {
    "text-embedding-3-small": 0.02,
    "text-embedding-3-large": 0.13,
    "text-embedding-ada-002": 0.10,
    "hashing-1536": 0.0,
}


@dataclass(frozen=True)
class Estimate:
    """The backlog and its price.

    `tokens` is an upper bound: it is estimated for texts that were never embedded, long texts are
    cut to 8,192, and equal texts are paid for once. `usd` is None where no price is known.
    """

    model: str
    jobs: int
    dead: int
    tokens: int
    usd: float | None

    def __str__(self) -> str:
        """Return it as one line for people."""
        cost = "unknown" if self.usd is None else f"{self.usd:.4f} USD"
        line = f"{self.jobs:,} jobs, at most {self.tokens:,} tokens; {self.model}: {cost}"
        return f"{line}; {self.dead:,} dead jobs are left out" if self.dead else line


def estimate_backlog(connect_to: str | Connect, model: str) -> Estimate:
    """Count the jobs that wait, blocks that were never queued included, and their tokens.

    Raises UnreachableError and NotDeployedError.
    """
    with contextlib.closing(Session(connect_to)) as session:
        session.transaction(
            lambda connection: connection.execute("select cto.enqueue_missing()").fetchone()
        )
        rows = session.transaction(
            lambda connection: connection.execute(
                "select s.state, s.jobs, s.tokens from cto.embedding_status as s"
            ).fetchall()
        )
    open_rows = [(int(jobs), int(tokens)) for state, jobs, tokens in rows if state != "dead"]
    tokens = sum(tokens for _, tokens in open_rows)
    return Estimate(
        model=model,
        jobs=sum(jobs for jobs, _ in open_rows),
        dead=sum(int(jobs) for state, jobs, _ in rows if state == "dead"),
        tokens=tokens,
        usd=price(model, tokens),
    )


def price(model: str, tokens: int) -> float | None:
    """Return what so many tokens cost, in US dollars; None for a model without a known price."""
    per_million = USD_PER_MILLION.get(model)
    return None if per_million is None else tokens * per_million / 1_000_000
