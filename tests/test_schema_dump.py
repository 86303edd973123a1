"""The net schema of a deployed database equals the committed one, so a review shows each change."""

from __future__ import annotations

import os

import pytest
from schema_dump import COMMITTED, MAJOR, dump_schema, net_schema

from cto import local


def test_the_deployed_schema_is_the_committed_one(server: local.LocalServer, dsn: str) -> None:
    if server.version.partition(".")[0] != MAJOR:
        pytest.skip(f"pg_dump of PostgreSQL {server.version} writes another text")

    schema = net_schema(dump_schema(server, dsn))

    if os.environ.get("CTO_UPDATE_SCHEMA"):
        COMMITTED.write_text(schema, "utf-8")
    assert schema == COMMITTED.read_text("utf-8"), "after a change: python tests/schema_dump.py"


def test_the_dump_holds_tables_and_no_routines(server: local.LocalServer, dsn: str) -> None:
    schema = net_schema(dump_schema(server, dsn))

    assert "CREATE TABLE cto.blocks (" in schema
    assert "CREATE INDEX blocks_embedding_idx ON cto.blocks USING hnsw" in schema
    assert "CREATE TRIGGER blocks_prepare " in schema
    assert "CREATE VIEW public.ia_context_summary" in schema
    assert "FUNCTION cto.remember" not in schema
    assert "COMMENT ON" not in schema
