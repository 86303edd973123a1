"""Schemas as text: what pg_dump says of a database, brought into a form that can be compared.

Run as a program, it writes tests/schema.sql again, which shows a review what a migration changes.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from servers import start_test_server

from cto import engine, local
from cto.connection import connect

COMMITTED = Path(__file__).with_name("schema.sql")
MAJOR = "18"  # pg_dump's text differs between major versions

_HEADER = """\
-- The tables, indexes, constraints, triggers and views of a deployed database, as pg_dump of
-- PostgreSQL 18 writes them. Made by `python tests/schema_dump.py`; never edited by hand.
"""
_LEDGER = ("_yoyo*", "yoyo_lock", "_cto_*")
_NOISE = re.compile(r"^(?:--|\\(?:un)?restrict |SET |SELECT pg_catalog\.set_config)")
_ROUTINE = re.compile(
    r"^CREATE (?:FUNCTION|PROCEDURE) .*?^(?:    AS (\$\w*\$).*?\1;|    RETURN .*?;)\n", re.M | re.S
)
_COMMENT = re.compile(r"^COMMENT ON .*?';\n", re.M | re.S)
_EXTENSION = re.compile(r"^(?:CREATE EXTENSION |COMMENT ON EXTENSION ).*?;\n", re.M)
_GRANT = re.compile(r"^(?:GRANT|REVOKE|ALTER DEFAULT PRIVILEGES) .*?;\n", re.M)


def dump_schema(server: local.LocalServer, dsn: str, *, ledger: bool = False) -> str:
    """Return the whole schema without owners; without the ledger's tables unless asked for."""
    options = [] if ledger else [f"--exclude-table=public.{pattern}" for pattern in _LEDGER]
    done = subprocess.run(
        [
            server.bin_directory / "pg_dump",
            "--schema-only",
            "--no-owner",
            "--exclude-schema=test_hooks",
            *options,
            f"--dbname={dsn}",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line and not _NOISE.match(line)]
    return "\n".join(lines) + "\n"


def without_extensions(schema: str) -> str:
    """Leave out the extensions, which outlive what was made for them."""
    return _EXTENSION.sub("", schema)


def net_schema(schema: str) -> str:
    """Return what is left without routines, comments, rights and extensions."""
    for part in (_ROUTINE, _COMMENT, _EXTENSION, _GRANT):
        schema = part.sub("", schema)
    return _HEADER + re.sub(r"^(?=CREATE |ALTER )", "\n", schema, flags=re.M)


def main() -> None:
    """Deploy to a server of its own and write tests/schema.sql."""
    with tempfile.TemporaryDirectory() as directory:
        server = start_test_server("embedded", Path(directory) / "server")
        try:
            with connect(server.dsn()) as connection:
                engine.deploy(connection)
            COMMITTED.write_text(net_schema(dump_schema(server, server.dsn())), "utf-8")
        finally:
            local.destroy(server.directory)


if __name__ == "__main__":
    main()
