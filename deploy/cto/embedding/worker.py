"""The embedding worker: leases jobs, asks a provider for vectors, writes them back.

No transaction is open while the provider works. What goes wrong is told apart by `errors`:

    RateLimited                 wait as told or with backoff; no attempt counts
    Unavailable                 backoff, six tries, then stop; the attempt of those rows counts
    QuotaExhausted, BadKey,
    BadSetup                    give everything back and stop at once; no attempt counts
    BadRequest                  halve the batch until the refused text stands alone; it is dead
    BadAnswer                   three tries, then the same
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import psycopg

from cto.embedding.backoff import Backoff
from cto.embedding.batches import Batch, Row, pack
from cto.embedding.errors import (
    BadAnswer,
    BadKey,
    BadRequest,
    BadSetup,
    EmbeddingError,
    QuotaExhausted,
    RateLimited,
    Unavailable,
)
from cto.embedding.providers import Embedded, Provider
from cto.embedding.queue import Queue
from cto.embedding.report import OnProgress, Progress, Report
from cto.embedding.session import Connect, Session
from cto.errors import CtoError

DEFAULT_BATCH_SIZE = 256
DEFAULT_LEASE = timedelta(minutes=5)
MAX_ATTEMPTS = 5

_UNAVAILABLE_TRIES = 6
_BAD_ANSWER_TRIES = 3
_LEASE_SHARE = 0.8  # of a lease; no request begins after that
_PATIENCE = 3600.0  # seconds of rate limits without a single vector
_PROBE = "hello"  # a text that no server has a reason to refuse
_RECOUNT_SECONDS = 5.0
_ENQUEUE_SECONDS = 300.0
_ASKED_TO_STOP = "stopped as asked"


def never() -> bool:
    """Return False: nobody asks the worker to stop."""
    return False


def run(
    connect_to: str | Connect,
    provider: Provider,
    *,
    batch_size: int = DEFAULT_BATCH_SIZE,
    limit: int | None = None,
    on_progress: OnProgress | None = None,
    stop: Callable[[], bool] = never,
    poll: float | None = None,
    lease: timedelta = DEFAULT_LEASE,
    backoff: Backoff | None = None,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Report:
    """Embed what waits, and return what was done.

    connect_to:  a DSN, or a function that opens a connection
    batch_size:  how many jobs are leased at a time, 1 to 2048
    limit:       stop after so many jobs; None: when none is left
    on_progress: called after each request and whenever there is something to say
    stop:        asked between requests and while waiting; the request under way is finished first
    poll:        seconds between looks at an empty queue; None: an empty queue ends the run
    lease:       for how long jobs are leased; another worker may take them afterwards
    sleep, clock: in seconds; for tests

    Raises UnreachableError and NotDeployedError; what a provider does wrong is in the report.
    """
    session = Session(connect_to)
    with contextlib.closing(session):
        worker = _Worker(
            queue=Queue(session, worker_name()),
            provider=provider,
            batch_size=batch_size,
            limit=limit,
            on_progress=on_progress,
            stop=stop,
            poll=poll,
            lease=lease,
            backoff=backoff or Backoff(),
            sleep=sleep,
            clock=clock,
        )
        return worker.run()


def worker_name() -> str:
    """Return a name that no other worker has: host, process and a random part."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


class _AskedToStop(Exception):  # noqa: N818
    """Somebody asked the worker to stop."""


class _LeaseEnds(Exception):  # noqa: N818
    """What is left of the lease is too short for another request, or for a wait in seconds."""

    def __init__(self, wait: float) -> None:
        super().__init__(wait)
        self.wait = wait


@dataclass
class _Worker:
    queue: Queue
    provider: Provider
    batch_size: int
    limit: int | None
    on_progress: OnProgress | None
    stop: Callable[[], bool]
    poll: float | None
    lease: timedelta
    backoff: Backoff
    sleep: Callable[[float], None]
    clock: Callable[[], float]

    embedded: int = 0
    failed: int = 0
    dead: int = 0
    tokens: int = 0
    requests: int = 0
    remaining: int = 0
    stopped_reason: str | None = None

    held: dict[tuple[str, str], Row] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)  # held, in the request under way
    trusted: bool = False  # whether the provider has given a good vector since the last burial
    dimensions: int | None = None
    limited: int = 0  # rate limits in a row
    unavailable: int = 0  # failures of the server in a row
    waited: float = 0.0  # for rate limits, since the last vector
    lease_ends: float = 0.0
    started: float = 0.0
    counted: float = 0.0
    enqueued: float = 0.0

    def run(self) -> Report:
        self.started = self.clock()
        with contextlib.suppress(_AskedToStop):
            self._begin()
            while self.stopped_reason is None and self._round():
                pass
        was_asked = self.stopped_reason is None and self.stop() and not self._is_done()
        return Report(
            embedded=self.embedded,
            failed=self.failed,
            dead=self.dead,
            remaining=self.queue.backlog().open,
            tokens=self.tokens,
            requests=self.requests,
            seconds=self.clock() - self.started,
            stopped_reason=_ASKED_TO_STOP if was_asked else self.stopped_reason,
            was_asked_to_stop=was_asked,
        )

    # -- the queue ------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._enqueue()
        self.dimensions = self.queue.dimensions_of(self.provider.model)
        wanted = self.provider.dimensions
        if None not in {wanted, self.dimensions} and wanted != self.dimensions:
            self.stopped_reason = (
                f"The vectors of {self.provider.model!r} in this database have {self.dimensions}"
                f" dimensions, not {wanted}. Ask for {self.dimensions}, or use another model."
            )
        self._tell()

    def _enqueue(self) -> None:
        self.queue.enqueue_missing()
        self.enqueued = self.clock()

    def _round(self) -> bool:
        """Lease some jobs and embed them; return whether to go on."""
        if self.stop() or self._is_done():
            return False
        size = self.batch_size
        if self.limit is not None:
            size = min(size, self.limit - self._settled())
        self.lease_ends = self.clock() + self.lease.total_seconds() * _LEASE_SHARE
        rows = self.queue.claim(size, self.lease)
        if rows:
            self._work(rows)
            return True
        if self.poll is None:
            return False
        self._pause(self.poll)
        if self.clock() - self.enqueued > _ENQUEUE_SECONDS:
            self._enqueue()
        return True

    def _settled(self) -> int:
        return self.embedded + self.failed + self.dead

    def _is_done(self) -> bool:
        return self.limit is not None and self._settled() >= self.limit

    def _work(self, rows: Sequence[Row]) -> None:
        """Embed leased rows; whatever happens, none of them stays leased to us."""
        self.held = {row.key: row for row in rows}
        self.asked = []
        before = self._settled()
        try:
            self._bury(
                [row for row in rows if row.attempts > MAX_ATTEMPTS],
                f"handed out {MAX_ATTEMPTS} times, and no worker lived to finish it",
            )
            for number, batch in enumerate(pack(list(self.held.values()))):
                self._embed(batch, is_first=number == 0)
        except _AskedToStop:
            self._release(_ASKED_TO_STOP)
            raise
        except _LeaseEnds as end:
            self._release("the lease was too short", retry_after=end.wait)
            if self._settled() == before and not self.limited:
                # Nothing was finished in a whole lease: try smaller bites.
                self.batch_size = max(1, self.batch_size // 2)
            # A little longer than the database waits, for its clock and ours differ.
            self._pause(end.wait * 1.01)
        except Unavailable as error:
            self._give_back([self.held[key] for key in self.asked], error.message)
            self._release(error.message)
            self._stop_for(error)
        except (RateLimited, QuotaExhausted, BadKey, BadSetup) as error:
            self._release(error.message)
            self._stop_for(error)
        except BaseException as error:
            # Leave nothing leased if it can be helped. A fault of ours may lie with a row, so the
            # attempt counts; an interrupt or a fault of the database does not. No details: they
            # may quote anything.
            with contextlib.suppress(Exception):
                if isinstance(error, Exception) and not isinstance(error, psycopg.Error | CtoError):
                    rows = list(self.held.values())
                    self._give_back(rows, f"the worker failed: {type(error).__name__}")
                self._release("the worker was interrupted")
            raise

    def _stop_for(self, error: EmbeddingError) -> None:
        self.stopped_reason = " ".join([error.message.removesuffix(".") + ".", error.remedy])
        self._tell(self.stopped_reason)

    # -- one request ----------------------------------------------------------------------------

    def _embed(self, batch: Batch, *, is_first: bool) -> None:
        """Embed the texts of a batch; halve it as long as the provider chokes on it."""
        if not is_first:
            self._check_time(0.0)
        self.asked = batch.keys
        try:
            answer = self._ask(batch.contents)
        except (BadRequest, BadAnswer) as error:
            self._check_setup(error)
            if len(batch.texts) == 1:
                self._bury(batch.rows, error.message)
                self._tell(f"gave up {batch.rows[0].block_hash}: {error.message}")
            else:
                for half in batch.halves():
                    self._embed(half, is_first=False)
        else:
            self._store(batch, answer)

    def _ask(self, contents: list[str]) -> Embedded:
        """Call the provider until it answers, as patiently as each kind of error deserves."""
        bad = 0
        while True:
            self.requests += 1
            try:
                answer = self.provider.embed(contents)
                self._check_answer(answer, len(contents))
            except RateLimited as error:
                self.limited += 1
                wait = self.backoff.seconds(self.limited, error.retry_after)
                self.waited += wait
                if self.waited > _PATIENCE:
                    raise
                failure: EmbeddingError = error
            except Unavailable as error:
                self.unavailable += 1
                if self.unavailable >= _UNAVAILABLE_TRIES:
                    raise
                wait = self.backoff.seconds(self.unavailable, error.retry_after)
                failure = error
            except BadAnswer as error:
                bad += 1
                if bad == _BAD_ANSWER_TRIES:
                    raise
                wait = self.backoff.seconds(bad)
                failure = error
            else:
                self.tokens += answer.tokens
                self.limited = self.unavailable = 0
                self.waited = 0.0
                self.trusted = True
                return answer
            self._tell(f"{failure.message.removesuffix('.')}; waiting {wait:.1f} s")
            self._check_time(wait)
            self._pause(wait)

    def _check_answer(self, answer: Embedded, asked: int) -> None:
        if len(answer.vectors) != asked:
            raise BadAnswer(f"{len(answer.vectors)} vectors came for {asked} texts.")
        found = len(answer.vectors[0])
        if self.dimensions is not None and found != self.dimensions:
            raise BadAnswer(
                f"The vectors have {found} dimensions, but those of {self.provider.model!r} in"
                f" this database have {self.dimensions}.",
                "Use another model, or the dimensions that are stored.",
            )

    def _check_setup(self, error: EmbeddingError) -> None:
        """Tell a bad text from a bad setup: send a harmless text before any text is blamed.

        Without this a misspelt option, refused for every text alike, would kill the whole queue.
        """
        if self.trusted:
            return
        try:
            self._ask([_PROBE])
        except (BadRequest, BadAnswer):
            raise BadSetup(
                f"Not even a harmless text gets a vector. {error.message}",
                "Check model, dimensions and base_url.",
            ) from None

    def _store(self, batch: Batch, answer: Embedded) -> None:
        rows, vectors, counts = [], [], []
        for text, vector in zip(batch.texts, answer.vectors, strict=True):
            for row in text.rows:
                rows.append(row)
                vectors.append(vector)
                counts.append(text.tokens)
        try:
            stored = self.queue.store(self.provider.model, rows, vectors, counts)
        except psycopg.DataError as error:
            raise BadSetup(
                f"The database refuses the vectors: {error.diag.message_primary or error}",
                error.diag.message_hint or "",
            ) from error
        self.dimensions = len(vectors[0])
        self.embedded += stored
        self._let_go(rows)
        self._tell()

    # -- giving back ----------------------------------------------------------------------------

    def _bury(self, rows: Sequence[Row], reason: str) -> None:
        """Give rows up: they are not tried again until somebody requeues them."""
        if rows:
            self.trusted = False
            self.dead += self.queue.give_back(rows, reason, is_final=True)
            self._let_go(rows)

    def _give_back(self, rows: Sequence[Row], reason: str) -> None:
        """Give rows back after an attempt that counts; the last attempt makes them dead."""
        again = [row for row in rows if row.attempts < MAX_ATTEMPTS]
        self._bury([row for row in rows if row.attempts >= MAX_ATTEMPTS], reason)
        if again:
            self.failed += self.queue.give_back(again, reason)
            self._let_go(again)

    def _release(self, reason: str, *, retry_after: float = 0.0) -> None:
        """Give back all that is held; the attempt does not count."""
        if self.held:
            self.queue.give_back(
                list(self.held.values()), reason, retry_after=retry_after, counts=False
            )
            self.held.clear()

    def _let_go(self, rows: Sequence[Row]) -> None:
        for row in rows:
            self.held.pop(row.key, None)

    # -- time -----------------------------------------------------------------------------------

    def _check_time(self, wait: float) -> None:
        """Make sure that a request may begin after so many seconds."""
        if self.stop():
            raise _AskedToStop
        if self.clock() + wait > self.lease_ends:
            raise _LeaseEnds(wait)

    def _pause(self, seconds: float) -> None:
        """Wait, in short pieces: whoever asks us to stop should not wait for a backoff."""
        ends = self.clock() + seconds
        while (left := ends - self.clock()) > 0:
            if self.stop():
                raise _AskedToStop
            self.sleep(min(left, 0.5))

    def _tell(self, message: str | None = None) -> None:
        if self.on_progress is None:
            return
        now = self.clock()
        if self.counted == 0.0 or now - self.counted > _RECOUNT_SECONDS:
            self.remaining = self.queue.backlog().open + self._settled()
            self.counted = now
        self.on_progress(
            Progress(
                embedded=self.embedded,
                failed=self.failed,
                dead=self.dead,
                remaining=max(0, self.remaining - self._settled()),
                tokens=self.tokens,
                requests=self.requests,
                seconds=now - self.started,
                message=message,
            )
        )
