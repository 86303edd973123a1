"""Conversations as chat APIs write them become messages, blocks and metrics, once."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from conftest import Connection, one

from cto import importer, local
from cto.errors import CtoError, UsageError
from cto.importer import Defaults, Report, import_file
from cto.resources import database_files

SAMPLE = database_files() / "examples" / "conversation.jsonl"
LINES = [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]
DEFAULTS = Defaults(context_id="lunes", agent_name="asistente", user_id="ana")
_numbers = itertools.count()
GOOD = b'{"role": "user", "content": "Me llamo Ana"}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "talk.jsonl"


@pytest.fixture(scope="module")
def shared(server: local.LocalServer, template: str) -> Iterator[Connection]:
    """A database for the many tests that look at one conversation of their own alone."""
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as admin:
        admin.execute(f"create database import_shared template {template}".encode())
        with psycopg.connect(server.dsn("import_shared"), autocommit=True) as connection:
            yield connection
        admin.execute("drop database import_shared with (force)")


@pytest.fixture
def own() -> Defaults:
    """Defaults that name a conversation of the test's own."""
    return replace(DEFAULTS, context_id=f"context {next(_numbers)}")


def write(path: Path, *messages: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in messages), "utf-8")
    return path


def said(count: int) -> list[dict[str, Any]]:
    return [{"role": "user", "content": f"Vivo en la calle {number}"} for number in range(count)]


def counts(db: Connection) -> tuple[int, int]:
    """Return how many messages and blocks there are."""
    return (
        one(db, "select count(*) from public.ia_messages"),
        one(db, "select count(*) from cto.blocks"),
    )


# --- what arrives ------------------------------------------------------------------------------


def test_the_sample_is_imported_whole(db: Connection) -> None:
    report = import_file(db, SAMPLE)

    assert (report.added, report.known, report.skipped) == (len(LINES), 0, [])
    stored = db.execute("select role, content from public.ia_messages order by id").fetchall()
    assert stored == [(line["role"], line["content"]) for line in LINES]


def test_a_second_run_adds_nothing(db: Connection) -> None:
    import_file(db, SAMPLE)
    before = counts(db)

    report = import_file(db, SAMPLE)

    assert (report.added, report.known, report.skipped) == (0, len(LINES), [])
    assert counts(db) == before


def test_blocks_and_metrics_come_with_the_messages(db: Connection) -> None:
    import_file(db, SAMPLE)

    assert one(db, "select count(*) from cto.blocks where owner_id = cto.key('ana')") > 0
    assert one(db, "select count(*) from cto.embedding_jobs") > 0
    summary = db.execute(
        "select message_count, last_activity from public.ia_context_summary order by context_id"
    ).fetchall()
    contexts = sorted({line["context_id"] for line in LINES})
    assert [row[0] for row in summary] == [
        sum(line["context_id"] == context for line in LINES) for context in contexts
    ]
    assert max(row[1] for row in summary) == max(
        datetime.fromisoformat(line["at"]) for line in LINES
    )
    assert one(db, "select min(total_tokens) from public.ia_context_metrics") > 0


@pytest.mark.parametrize(
    ("at", "moment"),
    [
        ("2026-11-02T09:00:00-05:00", datetime(2026, 11, 2, 14, tzinfo=UTC)),
        ("2026-11-02T09:00:00Z", datetime(2026, 11, 2, 9, tzinfo=UTC)),
        ("2026-11-02 09:00:00.25+05:30", datetime(2026, 11, 2, 3, 30, 0, 250000, tzinfo=UTC)),
        (1793610000, datetime.fromtimestamp(1793610000, UTC)),
        (1793610000.5, datetime.fromtimestamp(1793610000.5, UTC)),
    ],
)
def test_moments_keep_their_zone(
    shared: Connection, own: Defaults, path: Path, at: str | float, moment: datetime
) -> None:
    import_file(shared, write(path, {"role": "user", "content": "hola", "at": at}), own)

    query = "select timestamp from public.ia_messages where context_id = %s"
    assert one(shared, query, own.context_id) == moment


def test_a_moment_may_be_called_timestamp(db: Connection, path: Path) -> None:
    message = {"role": "user", "content": "hola", "timestamp": "2026-11-02T09:00:00Z"}
    import_file(db, write(path, message), DEFAULTS)

    assert one(db, "select timestamp from public.ia_messages") == datetime(
        2026, 11, 2, 9, tzinfo=UTC
    )


def test_names_of_the_line_go_before_those_of_the_command(db: Connection, path: Path) -> None:
    message = {"role": "user", "content": "hola", "user_id": "eva", "context_id": "martes"}
    import_file(db, write(path, message), DEFAULTS)

    assert db.execute("select context_id, agent_name, user_id from ia_contexts").fetchall() == [
        ("martes", "asistente", "eva")
    ]


def test_names_are_taken_from_the_first_line_of_a_conversation(db: Connection, path: Path) -> None:
    first = {"role": "user", "content": "hola", "user_id": "eva", "agent_name": "otro"}
    second = {"role": "assistant", "content": "buenas"}

    assert import_file(db, write(path, first, second), DEFAULTS).added == 2
    assert one(db, "select user_id from public.ia_contexts") == "eva"


def test_model_tokens_and_metadata_are_kept(db: Connection, path: Path) -> None:
    message = {
        "role": "assistant",
        "content": "buenas",
        "model": "gpt-5",
        "token_count": 7,
        "metadata": {"thread": 3},
    }
    import_file(db, write(path, message), DEFAULTS)

    row = db.execute("select model, token_count, metadata ->> 'thread' from ia_messages").fetchone()
    assert row == ("gpt-5", 7, "3")


def test_the_same_words_said_twice_are_two_messages(db: Connection, path: Path) -> None:
    message = {"role": "user", "content": "sí"}

    assert import_file(db, write(path, message, message), DEFAULTS).added == 2


def test_a_file_that_has_grown_adds_its_new_lines(db: Connection, path: Path) -> None:
    import_file(db, write(path, *said(3)), DEFAULTS)

    report = import_file(db, write(path, *said(5)), DEFAULTS)

    assert (report.added, report.known) == (2, 3)


@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\n\n  \n"])
def test_line_ends_and_empty_lines_do_not_matter(db: Connection, path: Path, ends: bytes) -> None:
    path.write_bytes(ends.join([GOOD, GOOD]))

    assert import_file(db, path, DEFAULTS).added == 2


def test_an_empty_file_is_no_error(db: Connection, path: Path) -> None:
    path.write_bytes(b"")

    assert import_file(db, path, DEFAULTS) == Report()


def test_a_byte_order_mark_is_no_error(db: Connection, path: Path) -> None:
    """Windows programs put one before UTF-8."""
    path.write_bytes(b"\xef\xbb\xbf" + GOOD + b"\n")

    assert import_file(db, path, DEFAULTS).added == 1


def test_characters_of_every_kind_arrive_unchanged(db: Connection, path: Path) -> None:
    text = "ñandú, 北京, 👩‍👩‍👧, <|endoftext|>, \u2028, $python$, \\x, 'quoted'"
    import_file(db, write(path, {"role": "user", "content": text}), DEFAULTS)

    assert one(db, "select content from public.ia_messages") == text


def test_progress_ends_at_the_size_of_the_file(db: Connection) -> None:
    seen: list[int] = []
    import_file(db, SAMPLE, on_progress=seen.append)

    assert seen == sorted(seen)
    assert seen[-1] == SAMPLE.stat().st_size


# --- malformed lines ---------------------------------------------------------------------------

MALFORMED = {
    "bad JSON": (b'{"role": "user", "content": "hola"', "not JSON"),
    "two documents": (GOOD + GOOD, "not JSON"),
    "a list": (b'["user", "hola"]', "not a JSON object"),
    "a number": (b"7", "not a JSON object"),
    "no content": (b'{"role": "user"}', "content"),
    "content is null": (b'{"role": "user", "content": null}', "content"),
    "content is a list": (b'{"role": "user", "content": [{"type": "text"}]}', "content"),
    "no role": (b'{"content": "hola"}', "role"),
    "unknown role": (b'{"role": "robot", "content": "hola"}', "robot"),
    "role is a list": (b'{"role": ["user"], "content": "hola"}', "role"),
    "role is an object": (b'{"role": {"a": 1}, "content": "hola"}', "role"),
    "NUL": (b'{"role": "user", "content": "a\\u0000b"}', "NUL"),
    "NUL in metadata": (
        b'{"role": "user", "content": "hola", "metadata": {"a": "\\u0000"}}',
        "NUL",
    ),
    "lone surrogate": (b'{"role": "user", "content": "a\\ud800b"}', "surrogate"),
    "lone surrogate in metadata": (
        b'{"role": "user", "content": "hola", "metadata": {"a": "\\ud800"}}',
        "surrogate",
    ),
    "not UTF-8": (b'{"role": "user", "content": "a\xffb"}', "UTF-8"),
    "Latin-1": ('{"role": "user", "content": "campaña"}'.encode("latin-1"), "UTF-8"),
    "blank content": (b'{"role": "user", "content": " \\n\\t "}', "blank"),
    "at without zone": (
        b'{"role": "user", "content": "hola", "at": "2026-11-02T09:00:00"}',
        "zone",
    ),
    "at is nonsense": (b'{"role": "user", "content": "hola", "at": "ayer"}', "ayer"),
    "at is true": (b'{"role": "user", "content": "hola", "at": true}', "at"),
    "at is beyond all time": (b'{"role": "user", "content": "hola", "at": 1e300}', "at"),
    "at is not a number": (b'{"role": "user", "content": "hola", "at": NaN}', "at"),
    "unknown key": (b'{"role": "user", "content": "hola", "contnet": "x"}', "contnet"),
    "metadata is a list": (
        b'{"role": "user", "content": "hola", "metadata": [1]}',
        "metadata",
    ),
    "metadata is a text": (
        b'{"role": "user", "content": "hola", "metadata": "x"}',
        "metadata",
    ),
    "token_count is a text": (
        b'{"role": "user", "content": "hola", "token_count": "many"}',
        "token_count",
    ),
    "token_count is a list": (
        b'{"role": "user", "content": "hola", "token_count": [1]}',
        "token_count",
    ),
    "token_count is true": (
        b'{"role": "user", "content": "hola", "token_count": true}',
        "token_count",
    ),
    "token_count is negative": (
        b'{"role": "user", "content": "hola", "token_count": -1}',
        "token_count",
    ),
    "token_count is huge": (
        b'{"role": "user", "content": "hola", "token_count": 99999999999}',
        "token_count",
    ),
    "context_id is a number": (
        b'{"role": "user", "content": "hola", "context_id": 7}',
        "context_id",
    ),
    "context_id is an object": (
        b'{"role": "user", "content": "hola", "context_id": {"a": 1}}',
        "context_id",
    ),
    "context_id is too long": (
        b'{"role": "user", "content": "hola", "context_id": "' + b"x" * 300 + b'"}',
        "context_id",
    ),
    "user_id is a number": (b'{"role": "user", "content": "hola", "user_id": 7}', "user_id"),
    "model is a list": (b'{"role": "user", "content": "hola", "model": ["a"]}', "model"),
    "nested too deeply": (b'{"role": "user", "content": ' + b"[" * 100000, "JSON"),
}


@pytest.mark.parametrize(("line", "named"), MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_line_is_named_and_skipped(
    shared: Connection, own: Defaults, path: Path, line: bytes, named: str
) -> None:
    path.write_bytes(b"\n".join([GOOD, line, GOOD]) + b"\n")
    contexts = one(shared, "select count(*) from public.ia_contexts")

    report = import_file(shared, path, own)

    (reason,) = report.skipped
    assert reason.startswith("line 2: ")
    assert named in reason
    assert report.added == 2
    query = "select count(*) from public.ia_messages where context_id = %s"
    assert one(shared, query, own.context_id) == 2
    assert one(shared, "select count(*) from public.ia_contexts") == contexts + 1


def test_a_line_number_counts_empty_lines_too(db: Connection, path: Path) -> None:
    path.write_bytes(b"\n\n" + GOOD + b"\n\nnonsense\n")

    assert import_file(db, path, DEFAULTS).skipped[0].startswith("line 5: ")


def test_a_line_without_context_says_how_to_give_one(db: Connection, path: Path) -> None:
    (reason,) = import_file(db, write(path, *said(1)), Defaults(agent_name="asistente")).skipped

    assert "--context" in reason


def test_a_conversation_without_agent_says_how_to_give_one(db: Connection, path: Path) -> None:
    (reason,) = import_file(db, write(path, *said(1)), Defaults(context_id="lunes")).skipped

    assert "agent" in reason
    assert counts(db) == (0, 0)


def test_a_file_that_is_not_there_is_named(db: Connection, path: Path) -> None:
    with pytest.raises(UsageError, match=r"talk\.jsonl"):
        import_file(db, path)


# --- strict, and interrupted -------------------------------------------------------------------


def test_strict_ends_with_the_line_and_keeps_nothing_of_its_transaction(
    db: Connection, path: Path
) -> None:
    path.write_bytes(GOOD + b"\nnonsense\n" + GOOD)

    with pytest.raises(CtoError, match="line 2: not JSON"):
        import_file(db, path, DEFAULTS, strict=True)

    assert counts(db) == (0, 0)
    assert one(db, "select count(*) from public.ia_contexts") == 0


def test_strict_keeps_the_transactions_before(
    db: Connection, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importer, "_MESSAGES_A_TRANSACTION", 3)
    path.write_bytes(b"\n".join([GOOD] * 4 + [b"nonsense"]))

    with pytest.raises(CtoError, match="line 5"):
        import_file(db, path, DEFAULTS, strict=True)

    assert one(db, "select count(*) from public.ia_messages") == 3


def test_an_interrupted_import_goes_on_where_it_was(
    db: Connection, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importer, "_MESSAGES_A_TRANSACTION", 3)
    write(path, *said(10))
    seen = 0

    def interrupt(_: int) -> None:
        nonlocal seen
        seen += 1
        if seen == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_file(db, path, DEFAULTS, on_progress=interrupt)
    assert one(db, "select count(*) from public.ia_messages") == 6

    report = import_file(db, path, DEFAULTS)

    assert (report.added, report.known) == (4, 6)
    stored = db.execute("select content from public.ia_messages order by id").fetchall()
    assert stored == [(each["content"],) for each in said(10)]


def test_a_server_that_goes_away_is_not_the_lines_fault(
    db: Connection, dsn: str, path: Path
) -> None:
    write(path, *said(5))
    with psycopg.connect(dsn, autocommit=True) as doomed:
        pid = doomed.info.backend_pid

        def terminate(_: int) -> None:
            db.execute("select pg_terminate_backend(%s, 5000)", (pid,))

        with pytest.raises(psycopg.OperationalError):
            import_file(doomed, path, DEFAULTS, on_progress=terminate)

    assert counts(db) == (0, 0)


def test_an_undeployed_database_ends_the_import(new_database: Any, path: Path) -> None:
    """Not one complaint a line."""
    with (
        psycopg.connect(new_database(), autocommit=True) as connection,
        pytest.raises((psycopg.Error, CtoError)),
    ):
        import_file(connection, write(path, *said(5)), DEFAULTS)
