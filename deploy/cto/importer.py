"""Import conversations through cto.log_message, so that blocks and metrics come with them.

The format is JSONL, one message a line, as chat APIs write it: `role` and `content`, and optionally
`at` (ISO 8601), `context_id`, `agent_name`, `user_id`, `session_id`, `model` and `token_count`.
What a line leaves out is taken from the command line; agent, user and session also from the first
line of the same conversation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from cto.connection import Connection
from cto.errors import CtoError, UsageError

_KEYS = {
    "role",
    "content",
    "at",
    "timestamp",
    "context_id",
    "agent_name",
    "user_id",
    "session_id",
    "model",
    "token_count",
    "metadata",
}
_TEXTS = {"role", "context_id", "agent_name", "user_id", "session_id", "model"}
_MESSAGES_A_TRANSACTION = 200


@dataclass(frozen=True)
class Defaults:
    """What a line that says nothing else belongs to."""

    context_id: str | None = None
    agent_name: str | None = None
    user_id: str | None = None
    session_id: str | None = None


@dataclass
class Report:
    """What an import did: messages added, already there, and skipped with their reasons."""

    added: int = 0
    known: int = 0
    skipped: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Line:
    number: int
    text: str
    end: int


def import_file(
    connection: Connection,
    path: Path,
    defaults: Defaults | None = None,
    *,
    strict: bool = False,
    on_progress: Callable[[int], None] = lambda _: None,
) -> Report:
    """Import a JSONL file; a second run adds nothing.

    A malformed line is skipped and reported with its number, or with `strict` ends the import.
    Committed every few hundred messages, so that an interrupted import goes on where it was.
    `on_progress` is called with the bytes read so far.
    """
    defaults = defaults or Defaults()
    report = Report()
    known: dict[str, set[str]] = {}
    if not path.is_file():
        raise UsageError(f"There is no file {path}.", "Name a JSONL file, one message a line.")
    with path.open("rb") as file:
        lines = _read_lines(file)
        done = False
        while not done:
            with connection.transaction():
                done = True
                for count, line in enumerate(lines, start=1):
                    problem = _import_line(connection, line, defaults, known, report)
                    if problem:
                        if strict:
                            raise CtoError(
                                f"{path}, line {line.number}: {problem}",
                                "Mend the line, or import without --strict to skip it.",
                            )
                        report.skipped.append(f"line {line.number}: {problem}")
                    on_progress(line.end)
                    if count == _MESSAGES_A_TRANSACTION:
                        done = False
                        break
    return report


def _read_lines(file: Any) -> Iterator[_Line]:
    end = 0
    for number, raw in enumerate(file, start=1):
        end += len(raw)
        # Some editors begin a file with a byte order mark.
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8", errors="surrogateescape")
        if text.strip():
            yield _Line(number, text, end)


def _import_line(
    connection: Connection,
    line: _Line,
    defaults: Defaults,
    known: dict[str, set[str]],
    report: Report,
) -> str | None:
    """Import one line and count it; return what is wrong with it, or None."""
    try:
        message = _parse(line.text)
        context_id = message.get("context_id") or defaults.context_id
        if not context_id:
            return "no context_id, and none was given with --context"
        key = _message_key(context_id, line.number, message)
        if context_id not in known:
            known[context_id] = _read_known(connection, context_id)
        if key in known[context_id]:
            report.known += 1
            return None
        with connection.transaction():
            _log(connection, context_id, key, message, defaults)
    except ValueError as error:
        return str(error)
    except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedFunction) as error:
        raise CtoError(
            f"The database has no cto: {error.diag.message_primary}", "Run cto deploy first."
        ) from error
    except (psycopg.DataError, psycopg.IntegrityError) as error:
        return error.diag.message_primary or str(error)
    known[context_id].add(key)
    report.added += 1
    return None


def _parse(text: str) -> dict[str, Any]:
    """Read one line; raise ValueError, in words for its author, when it is no message."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("not UTF-8; convert the file first") from None
    try:
        message = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("not JSON that can be read: nested too deeply") from None
    if not isinstance(message, dict):
        raise ValueError("not a JSON object")
    if unknown := sorted(message.keys() - _KEYS):
        raise ValueError(f"unknown key {unknown[0]!r}; known: {', '.join(sorted(_KEYS))}")
    if not isinstance(message.get("content"), str):
        raise ValueError("content is missing or no text")
    for key in _TEXTS & message.keys():
        if not isinstance(message[key], str | None):
            raise ValueError(f"{key} is {message[key]!r} but must be a text")
    tokens = message.get("token_count")
    if isinstance(tokens, bool) or not isinstance(tokens, int | None):
        raise ValueError(f"token_count is {tokens!r} but must be a whole number")
    if tokens is not None and not 0 <= tokens < 2**31:
        raise ValueError(f"token_count is {tokens} but must lie between 0 and {2**31 - 1}")
    if not isinstance(message.get("metadata"), dict | None):
        raise ValueError("metadata is no JSON object")
    for key, value in message.items():
        _check_text(key, value)
    return message


def _check_text(key: str, value: object) -> None:
    """Refuse what PostgreSQL cannot store, however deep in metadata it stands."""
    if isinstance(value, dict):
        for name, each in value.items():
            _check_text(key, name)
            _check_text(key, each)
    if isinstance(value, list):
        for each in value:
            _check_text(key, each)
    if not isinstance(value, str):
        return
    if "\0" in value:
        raise ValueError(f"{key} holds a NUL character, which PostgreSQL cannot store; remove it")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(
            f"{key} holds half of a surrogate pair; write the character itself"
        ) from None


def _moment(message: dict[str, Any]) -> datetime:
    value = message.get("at", message.get("timestamp"))
    if value is None:
        return datetime.now(UTC)
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        moment = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"at is {value!r} but must be a moment in ISO 8601") from None
    if moment.tzinfo is None:
        raise ValueError(f"at is {value}, without a zone; write 2026-11-02T09:00:00-05:00")
    return moment


def _message_key(context_id: str, number: int, message: dict[str, Any]) -> str:
    """Return what makes a message the same one in a second run: its place and its text."""
    parts = (context_id, str(number), str(message.get("role")), message["content"])
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _read_known(connection: Connection, context_id: str) -> set[str]:
    rows = connection.execute(
        """
        select m.metadata ->> 'import_key'
        from public.ia_messages as m
        where m.context_id = %s and m.metadata ? 'import_key'
        """,
        (context_id,),
    ).fetchall()
    return {row[0] for row in rows}


def _log(
    connection: Connection,
    context_id: str,
    key: str,
    message: dict[str, Any],
    defaults: Defaults,
) -> None:
    opened = connection.execute(
        "select true from public.ia_contexts as c where c.context_id = %s", (context_id,)
    ).fetchone()
    metadata = message.get("metadata") or {}
    connection.execute(
        """
        select cto.log_message(
            context_id => %(context_id)s, role => %(role)s, content => %(content)s,
            agent_name => %(agent_name)s, user_id => %(user_id)s, session_id => %(session_id)s,
            token_count => %(token_count)s::integer, model => %(model)s, metadata => %(metadata)s,
            at => %(at)s)
        """,
        {
            "context_id": context_id,
            "role": message.get("role"),
            "content": message["content"],
            # After its first message a conversation knows whose it is.
            "agent_name": message.get("agent_name") or (None if opened else defaults.agent_name),
            "user_id": message.get("user_id") or (None if opened else defaults.user_id),
            "session_id": message.get("session_id") or (None if opened else defaults.session_id),
            "token_count": message.get("token_count"),
            "model": message.get("model"),
            "metadata": Jsonb({**metadata, "import_key": key}),
            "at": _moment(message),
        },
    )
