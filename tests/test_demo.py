"""`cto demo` as a newcomer runs it, twice, on a server of its own."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import chosen_kind

from cto import demo, local

pytestmark = pytest.mark.skipif(
    chosen_kind() != "embedded", reason="the demo always runs on the embedded server"
)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("demo")
    yield path
    local.destroy(path)


def _run(directory: Path) -> str:
    finished = subprocess.run(
        [sys.executable, "-m", "cto.cli", "demo"],
        env={**os.environ, "CTO_LOCAL_DIR": str(directory), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def first_run(directory: Path) -> str:
    return _run(directory)


def test_every_step_says_what_came_of_it(first_run: str) -> None:
    for text in (
        "1. PostgreSQL",
        "2. Deployed: 13 migrations",
        "3. Imported conversation.jsonl: 20 messages",
        "4. Extracted memory blocks of ana",
        "embedding",
        "lexical only",
        "in the context",
        "left out",
        "does not fit the budget",
        "cto.render_context",
        "ia_context_summary",
        "Connect with psql",
    ):
        assert text in first_run


def test_the_evidence_is_chosen_and_the_budget_is_kept(first_run: str) -> None:
    chosen = first_run.partition("in the context:")[2].partition("left out")[0]
    assert "Mi hermana Lucía se casa" in chosen
    assert "Soy alérgica a las nueces" in chosen
    used = re.search(r"Rendered: (\d+) of (\d+) tokens", first_run)
    assert used
    assert 0 < int(used[1]) <= int(used[2]) == demo.BUDGET


def test_the_psql_command_that_it_prints_works(first_run: str) -> None:
    command = re.search(r"Connect with psql:\n +(.+)", first_run)
    assert command
    finished = subprocess.run(
        [*shlex.split(command[1]), "-Atc", "select count(*) from cto.blocks"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(finished.stdout) > 10


def test_a_second_run_adds_nothing_and_shows_the_same(first_run: str, directory: Path) -> None:
    second = _run(directory)
    assert "Deployed before: nothing to do" in second
    assert "0 messages through cto.log_message, 20 already there" in second
    rendered = re.compile(r"cto.render_context .*?╰", re.DOTALL)
    shown = [rendered.search(run) for run in (first_run, second)]
    assert shown[0]
    assert shown[1]
    assert shown[0][0] == shown[1][0]
