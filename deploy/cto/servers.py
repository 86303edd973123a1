"""Which databases a command means: names from servers.toml, the local server, or a DSN."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from psycopg.conninfo import conninfo_to_dict

from cto import local
from cto.engine import Options
from cto.errors import UsageError

_KEYS = {
    "dsn",
    "service",
    "extensions_schema",
    "tier",
    "timezone",
    "lock_timeout",
    "statement_timeout",
}
_TIERS = {"full", "sql"}


@dataclass(frozen=True)
class Server:
    """One database to work on: how to reach it and how to deploy to it."""

    name: str
    dsn: str
    options: Options = field(default_factory=Options)


def default_config() -> Path:
    """Return where servers.toml is looked for: CTO_SERVERS, else the current folder."""
    return Path(os.environ.get("CTO_SERVERS") or "servers.toml")


def resolve(
    names: Sequence[str], *, every: bool = False, dsn: str | None = None, config: Path | None = None
) -> list[Server]:
    """Return the servers that a command line names, in its order.

    Raises UsageError when it names none, or one that does not exist.
    """
    if dsn is not None:
        if names or every:
            raise UsageError("--dsn goes without server names.", "Give one or the other.")
        return [Server("--dsn", dsn)]
    known = read_servers(config or default_config(), required=config is not None or every)
    if every:
        return list(known.values())
    if not names:
        raise UsageError(
            "No server is named.",
            f"Name one of {', '.join([*known, 'local'])}, or give --all or --dsn.",
        )
    return [_find(name, known) for name in names]


def read_servers(path: Path, *, required: bool) -> dict[str, Server]:
    """Read servers.toml; without the file, no servers, unless it is required.

    Raises UsageError, naming the server and the key, for anything that cannot be followed.
    """
    if not path.is_file():
        if required:
            raise UsageError(
                f"There is no file {path}.", "Write one, see examples/servers.toml, or name it."
            )
        return {}
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}", "See examples/servers.toml.") from error
    entries = content.get("servers", {})
    if not isinstance(entries, dict) or content.keys() - {"servers"}:
        raise UsageError(
            f"{path} may only hold tables [servers.NAME].", "See examples/servers.toml."
        )
    return {name: _server(path, name, entry) for name, entry in entries.items()}


def _find(name: str, known: dict[str, Server]) -> Server:
    if name in known:
        return known[name]
    if "=" in name or "://" in name:  # not shown again: it may hold a password
        return Server("the database given", name)
    if name == "local":
        running = local.status(local.default_directory())
        if running is None:
            raise UsageError("The local server does not run.", "Start it: cto local start")
        return Server("local", running.dsn())
    raise UsageError(f"There is no server {name}.", f"Known: {', '.join([*known, 'local'])}.")


def _server(path: Path, name: str, entry: Any) -> Server:
    where = f"{path}: [servers.{name}]"
    if not isinstance(entry, dict):
        raise UsageError(f"{where} must be a table.", "See examples/servers.toml.")
    if unknown := sorted(entry.keys() - _KEYS):
        raise UsageError(
            f"{where} has no key {unknown[0]}.", f"Known keys: {', '.join(sorted(_KEYS))}."
        )
    for key, value in entry.items():
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f"{where}: {key} must be a text.", f'Write {key} = "...".')
    if ("dsn" in entry) == ("service" in entry):
        raise UsageError(
            f"{where} needs either dsn or service.",
            'For example dsn = "host=db1 dbname=agents user=deployer".',
        )
    if entry.get("tier", "sql") not in _TIERS:
        raise UsageError(f"{where}: tier is {entry['tier']}.", "Use full or sql, or leave it out.")
    options = replace(
        Options(), **{key: value for key, value in entry.items() if key not in {"dsn", "service"}}
    )
    return Server(name, _checked_dsn(where, entry), options)


def _checked_dsn(where: str, entry: dict[str, str]) -> str:
    if "service" in entry:
        return f"service={entry['service']}"
    try:
        parts = conninfo_to_dict(entry["dsn"])
    except Exception as error:
        raise UsageError(
            f"{where}: dsn cannot be read.",
            "Write it as key=value pairs or as a postgresql:// URI.",
        ) from error
    if parts.get("password"):
        raise UsageError(
            f"{where}: dsn holds a password.",
            "Take it out, and put it into ~/.pgpass, PGPASSWORD or the service file.",
        )
    return entry["dsn"]
