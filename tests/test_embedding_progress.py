"""What the worker shows: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import io

import pytest

from cto.embedding.progress import Lines, line, rate, seconds_left, show_progress
from cto.embedding.report import Progress


def progress(embedded: int = 0, remaining: int = 10, message: str | None = None) -> Progress:
    return Progress(
        embedded=embedded,
        failed=0,
        dead=0,
        remaining=remaining,
        tokens=embedded * 10,
        requests=1,
        seconds=2.0,
        message=message,
    )


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_pipe_gets_plain_lines() -> None:
    stream = io.StringIO()
    with show_progress(stream) as step:
        step(progress(4, 6))
        step(progress(5, 5))
        step(progress(5, 5, "the server asks us to slow down; waiting 7.0 s"))
    assert stream.getvalue().splitlines() == [
        "4 embedded, 6 to go, 2.0/s, about 3 s left, 40 tokens",
        "the server asks us to slow down; waiting 7.0 s",
    ]


def test_lines_come_every_five_seconds() -> None:
    stream = io.StringIO()
    now = 0.0
    lines = Lines(stream, clock=lambda: now)
    for second in range(12):
        now = float(second)
        lines(progress(second, 12 - second))
    assert len(stream.getvalue().splitlines()) == 3


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    stream = Terminal()
    with show_progress(stream) as step:
        step(progress(4, 6))
        step(progress(10, 0, "[red]done[/red]"))
    shown = stream.getvalue()
    assert "10/10" in shown
    assert "100 tokens" in shown
    assert "[red]done[/red]" in shown
    assert "━" in shown


def test_rate_and_time_left() -> None:
    assert rate(progress(4)) == "2.0/s"
    assert seconds_left(progress(4, 6)) == pytest.approx(3.0)
    assert seconds_left(progress(0, 6)) is None
    assert seconds_left(progress(4, 0)) is None


def test_what_failed_and_died_is_in_the_line() -> None:
    text = line(Progress(1, 2, 3, 4, 5, 6, 1.0))
    assert "2 failed" in text
    assert "3 dead" in text
