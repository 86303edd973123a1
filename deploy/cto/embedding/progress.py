"""Shows how far the worker has come: a bar when a person looks, plain lines otherwise."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar

from cto.embedding.report import OnProgress, Progress

LINE_SECONDS = 5.0


@contextlib.contextmanager
def show_progress(stream: TextIO | None = None) -> Iterator[OnProgress]:
    """Yield the function that shows each step on the stream (default: standard output)."""
    stream = stream or sys.stdout
    if not stream.isatty():
        yield Lines(stream)
        return
    bar = Bar(
        TextColumn("embedding"),
        BarColumn(),
        MofNCompleteColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]} · {task.fields[tokens]} tokens · left"),
        TimeRemainingColumn(),
        console=Console(file=stream),
    )
    with bar:
        task = bar.add_task("embedding", total=None, rate="0/s", tokens="0")

        def step(progress: Progress) -> None:
            done = progress.embedded + progress.dead
            bar.update(
                task,
                completed=done,
                total=done + progress.remaining,
                rate=rate(progress),
                tokens=f"{progress.tokens:,}",
            )
            if progress.message:
                bar.console.print(progress.message, markup=False, highlight=False)

        yield step


class Lines:
    """Writes a line every few seconds, and one for every message."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        """Write to the stream; nothing is written before the first step."""
        self._stream = stream
        self._clock = clock
        self._last: float | None = None

    def __call__(self, progress: Progress) -> None:
        """Show a step, unless one was shown just now."""
        now = self._clock()
        if progress.message:
            print(progress.message, file=self._stream, flush=True)
        elif self._last is None or now - self._last >= LINE_SECONDS:
            print(line(progress), file=self._stream, flush=True)
            self._last = now


def line(progress: Progress) -> str:
    """Return a step as one line of plain text."""
    parts = [f"{progress.embedded} embedded", f"{progress.remaining} to go", rate(progress)]
    if left := seconds_left(progress):
        parts.append(f"about {left:.0f} s left")
    parts.append(f"{progress.tokens} tokens")
    parts += [f"{progress.failed} failed"] if progress.failed else []
    parts += [f"{progress.dead} dead"] if progress.dead else []
    return ", ".join(parts)


def rate(progress: Progress) -> str:
    """Return how many rows are embedded a second."""
    return f"{progress.embedded / progress.seconds:.1f}/s" if progress.seconds > 0 else "0/s"


def seconds_left(progress: Progress) -> float | None:
    """Return how long it will take at the present rate; None when there is no rate yet."""
    if not progress.embedded or not progress.remaining:
        return None
    return progress.remaining * progress.seconds / progress.embedded
