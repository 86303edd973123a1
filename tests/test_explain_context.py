"""cto.explain_context: the reason for every candidate of the last recorded selection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from conftest import Connection, _janitor, one

from cto.local import LocalServer

LONG = "Esta frase es tan larga que no cabe en un presupuesto pequeño. " * 10


@pytest.fixture(scope="module")
def database(server: LocalServer, template: str) -> Iterator[Connection]:
    with (
        _janitor(server, "test_explain_context", template),
        psycopg.connect(server.dsn("test_explain_context"), autocommit=True) as connection,
    ):
        yield connection


@pytest.fixture
def db(database: Connection) -> Iterator[Connection]:
    """The file's database, in a transaction that is rolled back after the test."""
    with database.transaction(force_rollback=True):
        yield database


def say(db: Connection, content: str, importance: float = 0.5) -> str:
    return str(
        one(
            db,
            "select cto.remember('ana', %s, importance => %s)",
            content,
            importance,
        )
    )


def select(db: Connection, **arguments: Any) -> None:
    given = {"owner": "ana", "session": "s", **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given)
    db.execute(f"select * from cto.select_context({names})".encode(), given)


def reasons(db: Connection) -> list[tuple[str, str, int | None, bool]]:
    return db.execute(
        "select content, reason, position, included from cto.explain_context('ana', 's')"
    ).fetchall()  # type: ignore[return-value]


def test_every_reason_is_told(db: Connection) -> None:
    pinned = say(db, "la fijada", 0)
    db.execute("select cto.pin('ana', 's', %s)", (pinned,))
    say(db, "Vivo en Logroño", 0.9)
    say(db, LONG, 0.8)
    say(db, "VIVO en logrono.", 0.7)
    say(db, "la segunda", 0.6)
    say(db, "la tercera", 0.5)
    say(db, "la peor", 0)
    select(db, budget_tokens=70, max_blocks=3, min_score=0.6)
    assert reasons(db) == [
        ("la fijada", "pinned", 1, True),
        ("Vivo en Logroño", "included", 2, True),
        ("la segunda", "included", 3, True),
        (LONG, "over_budget", None, False),
        ("VIVO en logrono.", "duplicate", None, False),
        ("la tercera", "over_max_blocks", None, False),
        ("la peor", "below_min_score", None, False),
    ]


def test_the_components_are_those_of_score_blocks(db: Connection) -> None:
    say(db, "Vivo en Logroño", 0.9)
    say(db, "Prefiero el té", 0.3)
    query = (
        "select block_hash, score, recency, frequency, importance, similarity from {} order by 1"
    )
    scored = db.execute(
        query.format("cto.score_blocks('ana', query => 'Logroño')").encode()
    ).fetchall()
    select(db, query="Logroño")
    explained = db.execute(query.format("cto.explain_context('ana', 's')").encode()).fetchall()
    assert explained == scored


def test_a_component_that_did_not_apply_is_null(db: Connection) -> None:
    say(db, "x")
    select(db)
    assert db.execute(
        "select frequency, similarity from cto.explain_context('ana', 's')"
    ).fetchone() == (None, None)


def test_type_cost_and_moment_are_told(db: Connection) -> None:
    block_hash = say(db, "x")
    select(db)
    assert db.execute(
        """
        select block_hash, block_type, token_count > 0, selected_at = now()
        from cto.explain_context('ana', 's')
        """
    ).fetchall() == [(block_hash, "fact", True, True)]


def test_the_cost_is_the_one_that_the_selection_returned(db: Connection) -> None:
    say(db, "Vivo en Logroño")
    spent = one(db, "select token_count from cto.select_context('ana', 's')")
    assert one(db, "select token_count from cto.explain_context('ana', 's')") == spent


def test_a_rendered_context_is_explained_as_well(db: Connection) -> None:
    say(db, "x")
    db.execute("select cto.render_context('ana', 's')")
    assert reasons(db) == [("x", "included", 1, True)]


def test_only_the_last_recorded_selection_is_explained(db: Connection) -> None:
    say(db, "una", 0.9)
    say(db, "otra", 0.1)
    select(db)
    select(db, max_blocks=1)
    select(db, record=False)
    assert reasons(db) == [
        ("una", "included", 1, True),
        ("otra", "over_max_blocks", None, False),
    ]


def test_rows_of_v1_without_a_reason_are_explained_by_their_flag(db: Connection) -> None:
    for content, included in (("una", True), ("otra", False)):
        db.execute(
            """
            insert into cto.memory (session_hash, owner_id, block_hash, position, score, included)
            values (cto.key('s'), cto.key('ana'), %s, 1, 0.5, %s)
            """,
            (say(db, content), included),
        )
    assert {(row[0], row[1]) for row in reasons(db)} == {("una", "included"), ("otra", None)}


def test_where_nothing_was_recorded_there_is_nothing_to_explain(db: Connection) -> None:
    say(db, "x")
    select(db, record=False)
    assert reasons(db) == []


def test_another_session_and_owner_are_not_explained(db: Connection) -> None:
    say(db, "x")
    select(db)
    assert db.execute("select * from cto.explain_context('ana', 't')").fetchall() == []
    assert db.execute("select * from cto.explain_context('bea', 's')").fetchall() == []


@pytest.mark.parametrize("arguments", [("ana", None), (None, "s")])
def test_a_null_is_refused(db: Connection, arguments: tuple[str | None, str | None]) -> None:
    with pytest.raises(psycopg.errors.NullValueNotAllowed) as caught:
        db.execute("select * from cto.explain_context(%s, %s)", arguments)
    assert caught.value.diag.message_hint


def test_explaining_works_in_a_read_only_transaction(db: Connection) -> None:
    say(db, "x")
    select(db)
    with db.transaction(force_rollback=True):
        db.execute("set transaction read only")
        assert len(reasons(db)) == 1
