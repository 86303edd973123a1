"""cto.compare_algorithms: logged selections made again under two configurations, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from conftest import Connection, _janitor, one
from psycopg.types.json import Jsonb

from cto.local import LocalServer

RECENT, IMPORTANT = "Bebo té", "Vivo en Logroño"


@pytest.fixture(scope="module")
def database(server: LocalServer, template: str) -> Iterator[Connection]:
    with (
        _janitor(server, "test_compare_algorithms", template),
        psycopg.connect(server.dsn("test_compare_algorithms"), autocommit=True) as connection,
    ):
        yield connection


@pytest.fixture
def db(database: Connection) -> Iterator[Connection]:
    """The file's database with two blocks and a scorer that looks at importance alone."""
    with database.transaction(force_rollback=True):
        say(database, IMPORTANT, importance=0.9, at="2026-03-02T09:00:00Z")
        say(database, RECENT, importance=0.1)
        weights = {"recency": 0, "frequency": 0, "importance": 1, "similarity": 0}
        set_algorithm(database, "scorer_trial", weights=weights)
        yield database


def say(db: Connection, content: str, **arguments: Any) -> str:
    given = {"owner": "ana", "content": content, **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given)
    row = db.execute(f"select cto.remember({names})".encode(), given).fetchone()
    assert row is not None
    return str(row[0])


def set_algorithm(db: Connection, name: str, **config: Any) -> None:
    db.execute("select cto.set_algorithm(%s, %s)", (name, Jsonb(config)))


def select(db: Connection, **arguments: Any) -> list[tuple[str, float]]:
    given = {"owner": "ana", "session": "s", **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given)
    return db.execute(
        f"select content, score from cto.select_context({names})".encode(), given
    ).fetchall()


def compare(
    db: Connection, scorer: str = "scorer", other_scorer: str = "scorer_trial", **arguments: Any
) -> list[tuple[Any, ...]]:
    """Return content, both places and both scores."""
    given = {"owner": "ana", "scorer": scorer, "other_scorer": other_scorer, **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given)
    return db.execute(
        "select content, place, other_place, score, other_score"
        f" from cto.compare_algorithms({names})".encode(),
        given,
    ).fetchall()


def places(rows: list[tuple[Any, ...]]) -> list[tuple[str, int | None, int | None]]:
    return [row[:3] for row in rows]


def test_the_same_scorer_gives_the_same_places_and_scores(db: Connection) -> None:
    selected = select(db, query="Logroño")
    rows = compare(db, "scorer", "scorer")
    assert [(row[0], row[1], row[3]) for row in rows] == [
        (content, place, pytest.approx(score)) for place, (content, score) in enumerate(selected, 1)
    ]
    assert [row[1] for row in rows] == [row[2] for row in rows]
    assert [row[3] for row in rows] == [row[4] for row in rows]


def test_another_scorer_gives_other_places(db: Connection) -> None:
    select(db)
    assert places(compare(db)) == [(RECENT, 1, 2), (IMPORTANT, 2, 1)]
    assert [row[4] for row in compare(db)] == [0.1, 0.9]


def test_what_only_one_of_them_selects_has_no_place_in_the_other(db: Connection) -> None:
    select(db)
    set_algorithm(db, "selector", max_blocks=1)
    rows = compare(db)
    assert places(rows) == [(RECENT, 1, None), (IMPORTANT, None, 1)]
    assert all(row[3] is not None and row[4] is not None for row in rows)


def test_another_selector_can_be_compared(db: Connection) -> None:
    select(db)
    set_algorithm(db, "selector_short", max_blocks=1)
    same = {"scorer": "scorer", "other_scorer": "scorer"}
    assert places(compare(db, **same, other_selector="selector_short")) == [
        (RECENT, 1, 1),
        (IMPORTANT, 2, None),
    ]
    assert places(compare(db, **same, selector="selector_short")) == [(RECENT, 1, 1)]


@pytest.mark.usefixtures("full_tier")
def test_another_strategy_can_be_compared(db: Connection) -> None:
    select(db, budget_tokens=60)
    set_algorithm(db, "selector_knapsack", strategy="knapsack")
    same = {"scorer": "scorer", "other_scorer": "scorer"}
    assert places(compare(db, **same, other_selector="selector_knapsack")) == [
        (RECENT, 1, 1),
        (IMPORTANT, 2, 2),
    ]


def test_the_budget_of_the_selection_is_kept(db: Connection) -> None:
    budget = 17 + 3 + one(db, "select max(token_count) from cto.select_context('ana', 'x')")
    db.execute("delete from cto.selections")
    selected = select(db, budget_tokens=budget)
    assert [content for content, _ in selected] == [RECENT]
    assert places(compare(db)) == [(RECENT, 1, None), (IMPORTANT, None, 1)]


def test_it_is_as_of_the_moment_of_the_selection(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as db:
        set_algorithm(db, "scorer_trial", decay_factor=0.5)
        say(db, RECENT)
        select(db)
        say(db, "Dicho después", importance=1)
        select(db, session="t", query="té")
        rows = db.execute(
            "select query, content, place from cto.compare_algorithms('ana', 'scorer',"
            " 'scorer_trial')"
        ).fetchall()
        assert rows[-1] == (None, RECENT, 1)
        assert {row[:2] for row in rows[:-1]} == {("té", RECENT), ("té", "Dicho después")}


def test_the_pins_of_the_session_count(db: Connection) -> None:
    db.execute("select cto.pin('ana', 's', hash) from cto.blocks where content = %s", (IMPORTANT,))
    select(db)
    select(db, session="t")
    assert places(compare(db, max_selections=2)) == [
        (RECENT, 1, 2),
        (IMPORTANT, 2, 1),
        (IMPORTANT, 1, 1),
        (RECENT, 2, 2),
    ]


def test_the_last_selections_come_first_and_no_more_than_asked_for(db: Connection) -> None:
    for query in ("uno", "dos", "tres"):
        select(db, query=query)
    rows = db.execute(
        "select distinct on (selection_id) query, selected_at <= clock_timestamp()"
        " from cto.compare_algorithms('ana', 'scorer', 'scorer', max_selections => 2)"
        " order by selection_id desc"
    ).fetchall()
    assert rows == [("tres", True), ("dos", True)]


def test_the_selections_of_another_owner_are_not_looked_at(db: Connection) -> None:
    say(db, "x", owner="bea")
    select(db, owner="bea")
    assert compare(db) == []
    assert compare(db, owner="nobody") == []


def test_comparing_writes_nothing(db: Connection) -> None:
    select(db)
    with db.transaction(force_rollback=True):
        db.execute("set transaction read only")
        assert len(compare(db)) == 2


def test_a_vector_of_another_model_is_left_out(db: Connection) -> None:
    db.execute(
        "insert into cto.embedding_models (name, dimensions, is_current) values ('m', 3, true)"
    )
    db.execute(
        "select * from cto.select_context('ana', 's', query_embedding => '[1, 0, 0]'::vector)"
    )
    db.execute("update cto.embedding_models set is_current = false")
    db.execute(
        "insert into cto.embedding_models (name, dimensions, is_current) values ('n', 2, true)"
    )
    assert len(compare(db)) == 2


def test_what_an_owner_has_of_their_own_counts(db: Connection) -> None:
    select(db)
    own = Jsonb({"weights": {"recency": 0, "importance": 1}})
    db.execute("select cto.override_algorithm('ana', 'scorer', %s)", (own,))
    assert places(compare(db)) == [(IMPORTANT, 1, 1), (RECENT, 2, 2)]


@pytest.mark.parametrize(
    "arguments",
    [
        {"scorer": "scorer_missing"},
        {"other_scorer": "scorer_missing"},
        {"selector": "selector_missing"},
        {"other_selector": "selector_missing"},
        {"scorer": None},
    ],
    ids=str,
)
def test_an_unknown_algorithm_is_an_error_even_where_nothing_was_selected(
    db: Connection, arguments: dict[str, Any]
) -> None:
    with pytest.raises(psycopg.errors.UndefinedObject) as caught:
        compare(db, **arguments)
    assert caught.value.diag.message_hint


@pytest.mark.parametrize("value", [0, -1, None])
def test_a_number_of_selections_below_one_is_refused(db: Connection, value: int | None) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="max_selections") as caught:
        compare(db, max_selections=value)
    assert caught.value.diag.message_hint


def test_a_null_owner_is_refused(db: Connection) -> None:
    with pytest.raises(psycopg.errors.NullValueNotAllowed, match="owner"):
        compare(db, owner=None)
