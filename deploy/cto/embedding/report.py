"""What a worker tells about its work, while it runs and at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """How far a run has come.

    `remaining` jobs wait or are leased, as counted a few seconds ago at most; `message` says what
    happened when it is not just another batch.
    """

    embedded: int
    failed: int
    dead: int
    remaining: int
    tokens: int
    requests: int
    seconds: float
    message: str | None = None


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True)
class Report:
    """What one run did.

    embedded:  vectors stored
    failed:    jobs given back to be tried again, with an attempt that counts
    dead:      jobs given up in this run (their last_error says why; cto.requeue_embeddings)
    remaining: jobs that wait or are leased now, to whomever
    tokens:    tokens billed for the vectors, as the provider says
    requests:  calls of the provider, also those that failed
    seconds:   how long it took
    stopped_reason: why it stopped before the queue was empty or the limit reached; else None
    was_asked_to_stop: whether that was `stop`, and nothing is wrong
    """

    embedded: int
    failed: int
    dead: int
    remaining: int
    tokens: int
    requests: int
    seconds: float
    stopped_reason: str | None = None
    was_asked_to_stop: bool = False
