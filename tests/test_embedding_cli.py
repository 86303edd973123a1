"""What `cto embed` prints and returns."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import fault_server as faults
import pytest
from embedding_rows import Connection, assert_embedded, jobs, remember, texts
from fault_server import FaultServer

from cto.embedding import cli_embed
from cto.embedding.cli import stop_on_signals

KEY = "sk-test-4f8a91c2d7e6b305"


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with FaultServer() as server:
        yield server


def embed(dsn: str, api: FaultServer | None = None, **options: Any) -> int:
    settings: dict[str, Any] = {
        "provider": "openai" if api else "hashing",
        "model": "test-model" if api else None,
        "base_url": api.url if api else None,
        "dimensions": None,
        "batch_size": 100,
        "limit": None,
        "estimate": False,
        "watch": False,
    }
    return cli_embed(dsn, **{**settings, **options})


def test_0_when_all_is_embedded(
    db: Connection, dsn: str, api: FaultServer, capsys: pytest.CaptureFixture[str]
) -> None:
    remember(db, texts(3))
    assert embed(dsn, api) == 0
    assert_embedded(db, texts(3))
    assert api.sizes() == [3]
    shown = capsys.readouterr().out
    assert "3 embedded, 0 to go, 30 tokens, 1 requests" in shown
    assert KEY not in shown


def test_0_when_nothing_waits(db: Connection, dsn: str, api: FaultServer) -> None:
    assert embed(dsn, api) == 0
    assert api.requests == []


def test_0_when_as_many_as_asked_are_embedded(db: Connection, dsn: str, api: FaultServer) -> None:
    remember(db, texts(3))
    assert embed(dsn, api, limit=2) == 0
    assert api.sizes() == [2]


def test_1_when_a_row_is_dead(
    db: Connection, dsn: str, api: FaultServer, capsys: pytest.CaptureFixture[str]
) -> None:
    remember(db, texts(4))
    api.rule = faults.poison(texts(4)[3], faults.error(400))
    assert embed(dsn, api) == 1
    assert "1 are dead" in capsys.readouterr().out
    assert embed(dsn, api) == 1, "it still has no vector"
    assert_embedded(db, texts(3))


def test_1_when_another_worker_holds_the_rest(db: Connection, dsn: str, api: FaultServer) -> None:
    remember(db, texts(2))
    db.execute("select cto.claim_embeddings('somebody', 1)")
    assert embed(dsn, api) == 1
    assert len(jobs(db)) == 1


@pytest.mark.parametrize("reply", [faults.no_quota(), faults.error(401, message=f"bad {KEY}")])
def test_2_when_quota_or_key_stop_it(
    db: Connection,
    dsn: str,
    api: FaultServer,
    reply: faults.Reply,
    capsys: pytest.CaptureFixture[str],
) -> None:
    remember(db, texts(2))
    api.plan(reply)
    assert embed(dsn, api) == 2
    shown = capsys.readouterr()
    assert "Stopped: The" in shown.out
    assert KEY not in shown.out + shown.err
    assert len(api.requests) == 1
    assert {job[:2] for job in jobs(db).values()} == {("waiting", 0)}


def test_2_without_a_key(
    db: Connection, dsn: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert embed(dsn, provider="openai") == 2
    assert "Set it in the environment" in capsys.readouterr().err


def test_2_for_a_provider_that_does_not_exist(dsn: str) -> None:
    assert embed(dsn, provider="cohere") == 2


def test_2_without_a_database(capsys: pytest.CaptureFixture[str]) -> None:
    assert embed("host=127.0.0.1 port=9 user=nobody password=hidden-word") == 2
    shown = capsys.readouterr()
    assert "cannot be reached" in shown.err
    assert "hidden-word" not in shown.out + shown.err


def test_estimate_calls_nothing(
    db: Connection, dsn: str, api: FaultServer, capsys: pytest.CaptureFixture[str]
) -> None:
    remember(db, texts(3))
    assert embed(dsn, api, model="text-embedding-3-small", estimate=True) == 0
    assert "3 jobs" in capsys.readouterr().out
    assert api.requests == []
    assert len(jobs(db)) == 3


def test_hashing_needs_nothing_and_says_what_it_is(
    db: Connection, dsn: str, capsys: pytest.CaptureFixture[str]
) -> None:
    remember(db, [*texts(3), "!!!"])
    assert embed(dsn) == 0
    assert "not semantic" in capsys.readouterr().out
    rows = db.execute("select embedding_model, vector_norm(embedding) from cto.blocks").fetchall()
    assert rows == [("hashing-1536", pytest.approx(1.0, abs=1e-5))] * 4


def test_vectors_that_queries_are_not_compared_with_are_said(
    db: Connection, dsn: str, api: FaultServer, capsys: pytest.CaptureFixture[str]
) -> None:
    remember(db, texts(1))
    assert embed(dsn) == 0
    remember(db, texts(2))
    assert embed(dsn, api) == 1
    assert "compared with the vectors of 'hashing-1536'" in capsys.readouterr().out


WORKER = """
import sys
from cto.embedding import cli_embed
sys.exit(cli_embed(
    sys.argv[1], provider="openai", model="test-model", base_url=sys.argv[2], dimensions=None,
    batch_size=2, limit=None, estimate=False, watch=sys.argv[3] == "watch",
))
"""


@pytest.mark.parametrize(
    "case", [("once", signal.SIGTERM, 1), ("watch", signal.SIGINT, 0)], ids=["once", "watch"]
)
def test_a_signal_lets_the_batch_finish(
    db: Connection, dsn: str, api: FaultServer, case: tuple[str, signal.Signals, int]
) -> None:
    mode, number, code = case
    remember(db, texts(5))
    arrived, go_on = threading.Event(), threading.Event()
    api.plan(faults.held(arrived, go_on))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, dsn, api.url, mode],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert arrived.wait(20)
        process.send_signal(number)
        go_on.set()
        shown, _ = process.communicate(timeout=20)
    assert process.returncode == code
    assert "Stopped as asked" in shown
    assert api.sizes() == [2]
    assert len(jobs(db)) == 3
    assert {job[:2] for job in jobs(db).values()} == {("waiting", 0)}


def test_the_second_signal_ends_the_process_as_usual() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stop_on_signals() as stop:
        assert not stop()
        signal.raise_signal(signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_outside_the_main_thread_signals_are_left_alone() -> None:
    said: list[bool] = []

    def work() -> None:
        with stop_on_signals() as stop:
            said.append(stop())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert said == [False]
