"""cto.explain_context: the reason for every candidate of the last recorded selection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from conftest import Connection, _janitor, one
from psycopg.types.json import Jsonb

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


# --- what each component adds ---------------------------------------------------------------------


def contributions(db: Connection) -> list[tuple[float, dict[str, float] | None]]:
    return db.execute("select score, contribution from cto.explain_context('ana', 's')").fetchall()  # type: ignore[return-value]


@pytest.mark.parametrize("query", [None, "Vivo en Logroño"])
@pytest.mark.parametrize("config", [{}, {"weights": {"recency": 0.9, "importance": 0}}], ids=str)
@pytest.mark.parametrize("was_read", [False, True])
def test_the_contributions_add_up_to_the_score(
    db: Connection, was_read: bool, config: dict[str, Any], query: str | None
) -> None:
    db.execute("select cto.set_algorithm('scorer', %s)", (Jsonb(config),))
    for number in range(12):
        say(db, f"Vivo en Logroño desde hace {number} años", number / 12)
    say(db, LONG, 0.8)
    if was_read:
        db.execute("update cto.blocks set access_count = length(content) % 5")
    select(db, query=query, budget_tokens=120, min_score=0.2, max_blocks=3)
    told = contributions(db)
    assert len(told) == 13
    for score, contribution in told:
        assert contribution is not None
        assert sum(contribution.values()) == pytest.approx(score, abs=1e-9)
        assert contribution.keys() == {"recency", "importance"} | (
            {"similarity"} if query else set()
        ) | ({"frequency"} if was_read else set())


def test_a_contribution_is_the_weighed_component(db: Connection) -> None:
    say(db, "x", 0.5)
    select(db)
    assert contributions(db) == [(0.75, {"recency": 0.5, "importance": 0.25})]


def test_the_weights_are_those_of_the_selection(db: Connection) -> None:
    say(db, "x", 0.5)
    trial = {"weights": {"recency": 0.1, "importance": 0.3}}
    db.execute("select cto.set_algorithm('scorer_trial', %s)", (Jsonb(trial),))
    select(db, scorer="scorer_trial")
    db.execute("select cto.set_algorithm('scorer', %s)", (Jsonb({"decay_factor": 0.5}),))
    db.execute("select cto.set_algorithm('scorer_trial', '{}')")
    [(score, contribution)] = contributions(db)
    assert score == pytest.approx(0.625)
    assert contribution == pytest.approx({"recency": 0.25, "importance": 0.375})


def test_the_weights_of_one_owner_are_used_to_explain(db: Connection) -> None:
    say(db, "x", 0.5)
    own = Jsonb({"weights": {"recency": 0}})
    db.execute("select cto.override_algorithm('ana', 'scorer', %s)", (own,))
    select(db)
    assert contributions(db) == [(0.5, {"recency": 0, "importance": 0.5})]


def test_where_no_weighed_component_applies_nothing_is_added(db: Connection) -> None:
    say(db, "x", 0.5)
    only = {"weights": {"recency": 0, "frequency": 1, "importance": 0, "similarity": 0}}
    db.execute("select cto.set_algorithm('scorer', %s)", (Jsonb(only),))
    select(db, min_score=0)
    [(score, contribution)] = contributions(db)
    assert score == 0
    assert contribution is not None
    assert None not in contribution.values()


def test_rows_of_v1_without_a_logged_selection_have_no_contribution(db: Connection) -> None:
    db.execute(
        """
        insert into cto.memory (session_hash, owner_id, block_hash, position, score, included)
        values (cto.key('s'), cto.key('ana'), %s, 1, 0.5, true)
        """,
        (say(db, "una"),),
    )
    assert contributions(db) == [(0.5, None)]


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("strategy", ["knapsack", "diverse"])
def test_a_selection_by_another_strategy_is_explained_as_well(
    db: Connection, strategy: str
) -> None:
    say(db, "Vivo en Logroño", 0.9)
    say(db, "VIVO en logrono.", 0.8)
    say(db, LONG, 0.7)
    select(db, strategy=strategy, budget_tokens=60)
    assert reasons(db) == [
        ("Vivo en Logroño", "included", 1, True),
        ("VIVO en logrono.", "duplicate", None, False),
        (LONG, "over_budget", None, False),
    ]
    assert all(
        contribution is not None and sum(contribution.values()) == pytest.approx(score, abs=1e-9)
        for score, contribution in contributions(db)
    )
