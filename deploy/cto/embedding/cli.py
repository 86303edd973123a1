"""What `cto embed` does."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from cto.embedding.estimate import estimate_backlog, price
from cto.embedding.progress import show_progress
from cto.embedding.providers import HashingProvider, OpenAIProvider, open_provider
from cto.embedding.queue import Backlog, Queue
from cto.embedding.report import Report
from cto.embedding.session import Session
from cto.embedding.worker import run
from cto.errors import CtoError

EXIT_DONE = 0
EXIT_INCOMPLETE = 1
EXIT_STOPPED = 2

WATCH_SECONDS = 2.0


def cli_embed(
    dsn: str,
    *,
    provider: str,
    model: str | None,
    base_url: str | None,
    dimensions: int | None,
    batch_size: int,
    limit: int | None,
    estimate: bool,
    watch: bool,
) -> int:
    """Embed what waits, or say what it would cost; return the exit code.

    0: all is embedded (with a limit: as many as asked; watching: until somebody stopped it).
    1: some jobs failed, are dead or still wait.
    2: stopped because of quota, key, setup or a server that cannot be reached.
    """
    try:
        if estimate:
            name = model or ("hashing-1536" if provider == "hashing" else "text-embedding-3-small")
            print(estimate_backlog(dsn, name))
            return EXIT_DONE
        with contextlib.closing(
            open_provider(provider, model=model, base_url=base_url, dimensions=dimensions)
        ) as opened:
            return _embed(dsn, opened, batch_size=batch_size, limit=limit, watch=watch)
    except CtoError as error:
        print(error.message, error.remedy, sep="\n", file=sys.stderr)
        return EXIT_STOPPED


def _embed(
    dsn: str,
    provider: HashingProvider | OpenAIProvider,
    *,
    batch_size: int,
    limit: int | None,
    watch: bool,
) -> int:
    if isinstance(provider, HashingProvider):
        print(f"{provider.model}: {provider.description}.")
    with stop_on_signals() as stop, show_progress() as on_progress:
        report = run(
            dsn,
            provider,
            batch_size=batch_size,
            limit=limit,
            on_progress=on_progress,
            stop=stop,
            poll=WATCH_SECONDS if watch else None,
        )
    backlog, current = _look(dsn)
    for line in summary(report, backlog, provider.model, current):
        print(line)
    if current is not None and current != provider.model:  # nothing is compared with what we stored
        return EXIT_INCOMPLETE
    return exit_code(report, backlog, limited=limit is not None, watched=watch)


def exit_code(report: Report, backlog: Backlog, *, limited: bool, watched: bool) -> int:
    """Return the exit code that a run deserves."""
    if report.stopped_reason is not None and not report.was_asked_to_stop:
        return EXIT_STOPPED
    if report.failed or report.dead or backlog.dead:
        return EXIT_INCOMPLETE
    if report.remaining and not watched and (report.was_asked_to_stop or not limited):
        return EXIT_INCOMPLETE
    return EXIT_DONE


def summary(report: Report, backlog: Backlog, model: str, current: str | None) -> Iterator[str]:
    """Yield the lines that end a run."""
    cost = price(model, report.tokens)
    yield (
        f"{report.embedded:,} embedded, {report.remaining:,} to go, {report.tokens:,} tokens"
        + (f" ({cost:.4f} USD)" if cost else "")
        + f", {report.requests:,} requests, {report.seconds:.1f} s"
    )
    if report.was_asked_to_stop:
        yield "Stopped as asked; the request under way was finished."
    elif report.stopped_reason:
        yield f"Stopped: {report.stopped_reason}"
    elif report.remaining:
        yield "What is to go waits for later, or another worker has it."
    if report.failed:
        yield f"{report.failed:,} failed and will be tried again."
    if backlog.dead:
        yield (
            f"{backlog.dead:,} are dead: see last_error in cto.embedding_jobs, mend the cause, and"
            " call cto.requeue_embeddings()."
        )
    if current is not None and current != model:
        yield (
            f"Queries are compared with the vectors of {current!r}, not of {model!r}:"
            f" select cto.use_model({model!r}); makes it the one that is compared."
        )


@contextlib.contextmanager
def stop_on_signals() -> Iterator[Callable[[], bool]]:
    """Yield a function that tells whether SIGTERM or SIGINT came.

    The first one asks to finish what is under way; a second one ends the process as usual. Outside
    the main thread Python allows no handlers, and the function always says no.
    """
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def ask(number: int, _frame: FrameType | None) -> None:
        asked.set()
        signal.signal(number, before[signal.Signals(number)] or signal.SIG_DFL)

    for number in before:
        signal.signal(number, ask)
    try:
        yield asked.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)


def _look(dsn: str) -> tuple[Backlog, str | None]:
    with contextlib.closing(Session(dsn)) as session:
        queue = Queue(session, "cto embed")
        return queue.backlog(), queue.current_model()
