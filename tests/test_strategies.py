"""The strategies knapsack and diverse, end to end: within the budget, and every reason told."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from conftest import Connection, _janitor, one
from psycopg.types.json import Jsonb

from cto.local import LocalServer
from cto.tokens import count_tokens

STRATEGIES = ["greedy", "knapsack", "diverse"]
FORMATS = ["markdown", "plain", "xml", "json"]
TYPES = ["fact", "instruction", "preference", "context"]
FRAME, HEADING = 17, 3  # tokens of a markdown context beside its blocks
LONG = "Esta frase es tan larga que no cabe en un presupuesto pequeño. " * 10


@pytest.fixture(scope="module")
def database(server: LocalServer, template: str) -> Iterator[Connection]:
    with (
        _janitor(server, "test_strategies", template),
        psycopg.connect(server.dsn("test_strategies"), autocommit=True) as connection,
    ):
        yield connection


@pytest.fixture
def db(database: Connection) -> Iterator[Connection]:
    """The file's database, in a transaction that is rolled back after the test."""
    with database.transaction(force_rollback=True):
        yield database


def say(db: Connection, content: str, importance: float = 0.5, **arguments: Any) -> str:
    given = {"owner": "ana", "content": content, "importance": importance, **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given)
    row = db.execute(f"select cto.remember({names})".encode(), given).fetchone()
    assert row is not None
    return str(row[0])


def rows(db: Connection, strategy: str, **arguments: Any) -> list[tuple[Any, ...]]:
    """Return position, content, cost, score and type of what is selected."""
    given = {"owner": "ana", "session": "s", "strategy": strategy, "min_score": 0, **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given)
    found = db.execute(
        "select position, content, token_count, score, block_type"
        f" from cto.select_context({names})".encode(),
        given,
    ).fetchall()
    assert [row[0] for row in found] == list(range(1, len(found) + 1))
    return found


def select(db: Connection, strategy: str, **arguments: Any) -> list[str]:
    return [row[1] for row in rows(db, strategy, **arguments)]


def total_score(db: Connection, strategy: str, **arguments: Any) -> float:
    return float(sum(row[3] for row in rows(db, strategy, **arguments)))


def reasons(db: Connection) -> dict[str, str]:
    found = db.execute("select content, reason from cto.explain_context('ana', 's')").fetchall()
    return {row[0]: row[1] for row in found}


def pin(db: Connection, block_hash: str) -> None:
    db.execute("select cto.pin('ana', 's', %s)", (block_hash,))


def set_selector(db: Connection, **config: Any) -> None:
    db.execute("select cto.set_algorithm('selector', %s)", (Jsonb(config),))


def by_importance_alone(db: Connection) -> None:
    weights = {"recency": 0, "frequency": 0, "importance": 1, "similarity": 0}
    db.execute("select cto.set_algorithm('scorer', %s)", (Jsonb({"weights": weights}),))


def give_vectors(db: Connection, vectors: dict[str, list[float]]) -> None:
    db.execute(
        "insert into cto.embedding_models (name, dimensions, is_current) values ('m', 3, true)"
    )
    for content, vector in vectors.items():
        db.execute(
            "update cto.blocks set embedding = cto._pad_vector(%s::vector), embedding_model = 'm'"
            " where content = %s",
            (str(vector), content),
        )


def cost(db: Connection, content: str) -> int:
    """Return what a block costs beside its heading."""
    return int(
        one(
            db,
            "select token_count from cto.select_context('ana', 'x', min_score => 0,"
            " record => false) where content = %s",
            content,
        )
    )


def make_owner(db: Connection, seed: int) -> random.Random:
    """Give ana some 30 random blocks, and pin up to two of them."""
    rng = random.Random(seed)
    words = ["casa", "perro", "calle", "té", "pan", "libro", "tren", "sol", "mesa", "Lima"]
    hashes = []
    for _ in range(30):
        content = " ".join(rng.choices(words, k=rng.choice([1, 3, 8, 30])))
        ago = f"{rng.randint(0, 500)} hours"
        at = one(db, "select now() - %s::interval", ago)
        hashes.append(say(db, content, rng.random(), block_type=rng.choice(TYPES), at=at))
        if rng.random() < 0.2:
            hashes.append(say(db, content.upper() + "!", rng.random(), at=at))
    for block_hash in rng.sample(hashes, rng.choice([0, 1, 2])):
        pin(db, block_hash)
    return rng


# --- without PL/Python ----------------------------------------------------------------------------


@pytest.mark.parametrize("configured", [False, True])
@pytest.mark.parametrize("count", [0, 2])
@pytest.mark.parametrize("strategy", ["knapsack", "diverse"])
def test_a_strategy_that_needs_pl_python_says_so_without_it(
    db: Connection, strategy: str, count: int, configured: bool
) -> None:
    db.execute(
        "drop function if exists cto._choose_knapsack("
        "integer[], double precision[], integer[], integer, integer, integer)"
    )
    for number in range(count):
        say(db, f"frase {number}")
    if configured:
        set_selector(db, strategy=strategy)
    with pytest.raises(psycopg.errors.FeatureNotSupported, match=f"'{strategy}'") as caught:
        db.execute(
            "select * from cto.select_context('ana', 's', strategy => %s)",
            (None if configured else strategy,),
        )
    assert "plpython3u" in (caught.value.diag.message_hint or "")


def test_greedy_needs_no_pl_python(db: Connection) -> None:
    db.execute(
        "drop function if exists cto._choose_knapsack("
        "integer[], double precision[], integer[], integer, integer, integer)"
    )
    say(db, "x")
    assert select(db, "greedy") == ["x"]


# --- random owners --------------------------------------------------------------------------------


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("seed", range(6))
def test_random_owners_keep_to_every_rule(db: Connection, seed: int, strategy: str) -> None:
    rng = make_owner(db, seed)
    for _ in range(4):
        budget = rng.choice([20, 40, 80, 200, 1000])
        max_blocks = rng.choice([1, 5, 50])
        given = {
            "budget_tokens": budget,
            "max_blocks": max_blocks,
            "min_score": rng.choice([0, 0.4]),
            "query": rng.choice([None, "el tren de Lima"]),
        }
        found = rows(db, strategy, **given)
        headings = len({row[4] for row in found})
        assert sum(row[2] for row in found) + headings * HEADING + FRAME <= budget or not found
        assert len(found) <= max_blocks
        explained = db.execute(
            "select content, reason, position, included, score from cto.explain_context('ana', 's')"
        ).fetchall()
        assert {row[0] for row in explained if row[3]} == {row[1] for row in found}
        for _content, reason, position, included, score in explained:
            assert included == (reason in {"included", "pinned"}) == (position is not None)
            assert included or reason in {
                "over_budget", "below_min_score", "over_max_blocks", "duplicate"
            }  # fmt: skip
            assert (reason == "below_min_score") <= (score < given["min_score"])
            assert not (reason == "included" and score < given["min_score"])


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("seed", range(3))
def test_the_rendered_text_keeps_to_the_budget(
    db: Connection, seed: int, format_: str, strategy: str
) -> None:
    make_owner(db, seed)
    for budget in (30, 60, 150, 400):
        text = one(
            db,
            "select cto.render_context('ana', 's', budget_tokens => %s, strategy => %s,"
            " format => %s, min_score => 0)",
            budget,
            strategy,
            format_,
        )
        assert count_tokens(text) <= budget
        assert text or budget == 30


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("seed", range(10))
def test_knapsack_never_scores_less_in_total_than_greedy(db: Connection, seed: int) -> None:
    make_owner(db, seed)
    db.execute("delete from cto.pins")
    for budget in (25, 50, 100, 250):
        given: dict[str, Any] = {"budget_tokens": budget, "record": False}
        assert total_score(db, "knapsack", **given) >= total_score(db, "greedy", **given) - 1e-9


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("seed", range(10))
def test_diverse_without_diversity_selects_what_greedy_does(db: Connection, seed: int) -> None:
    make_owner(db, seed)
    db.execute("delete from cto.pins")
    set_selector(db, diversity=0)
    for budget in (25, 50, 100, 250):
        given: dict[str, Any] = {"budget_tokens": budget, "record": False}
        assert select(db, "diverse", **given) == select(db, "greedy", **given)


@pytest.mark.usefixtures("full_tier")
def test_of_equal_scores_diverse_without_diversity_takes_the_newest_as_greedy_does(
    db: Connection,
) -> None:
    by_importance_alone(db)
    set_selector(db, diversity=0)
    for day in range(1, 9):
        say(db, f"frase {day}", at=f"2026-03-0{day}T09:00:00Z")
    assert select(db, "diverse", max_blocks=3) == select(db, "greedy", max_blocks=3)


# --- knapsack ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("full_tier")
def test_knapsack_takes_two_small_ones_where_greedy_takes_a_large_one(db: Connection) -> None:
    by_importance_alone(db)
    large = "una frase bastante larga que lo llena todo hasta el final de su línea"
    for content, importance in ((large, 0.9), ("Vivo en Lima", 0.7), ("Bebo té", 0.6)):
        say(db, content, importance)
    budget = FRAME + HEADING + cost(db, large)
    assert cost(db, "Vivo en Lima") + cost(db, "Bebo té") <= cost(db, large)
    assert select(db, "greedy", budget_tokens=budget) == [large]
    assert select(db, "knapsack", budget_tokens=budget) == ["Vivo en Lima", "Bebo té"]
    assert reasons(db) == {large: "over_budget", "Vivo en Lima": "included", "Bebo té": "included"}


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("strategy", ["knapsack", "diverse"])
def test_of_a_text_said_twice_the_shorter_is_taken_where_only_it_fits(
    db: Connection, strategy: str
) -> None:
    say(db, "Vivo en Lima" + " ¡!" * 60, 0.9)
    say(db, "Vivo en Lima", 0.8)
    assert select(db, "greedy", budget_tokens=50) == ["Vivo en Lima"]
    assert select(db, strategy, budget_tokens=50) == ["Vivo en Lima"]


# --- diverse --------------------------------------------------------------------------------------

HOME, SAME, OTHER = "Vivo en Lima", "Mi casa está en Lima", "Bebo té"


@pytest.mark.usefixtures("full_tier")
def test_diverse_leaves_out_a_near_repetition_by_its_vector(db: Connection) -> None:
    for content, importance in ((HOME, 0.9), (SAME, 0.85), (OTHER, 0.6)):
        say(db, content, importance)
    give_vectors(db, {HOME: [1, 0, 0], SAME: [0.99, 0.1, 0], OTHER: [0, 1, 0]})
    assert select(db, "greedy", max_blocks=2) == [HOME, SAME]
    assert select(db, "diverse", max_blocks=2) == [HOME, OTHER]
    assert reasons(db) == {HOME: "included", OTHER: "included", SAME: "over_max_blocks"}


@pytest.mark.usefixtures("full_tier")
def test_diverse_leaves_out_a_near_repetition_by_its_words(db: Connection) -> None:
    again = "Mi abuela toca la guitarra en Cuenca siempre"
    said = "Mi abuela toca la guitarra en Cuenca"
    for content, importance in ((said, 0.9), (again, 0.85), ("Bebo té verde", 0.6)):
        say(db, content, importance)
    assert select(db, "greedy", max_blocks=2) == [said, again]
    assert select(db, "diverse", max_blocks=2) == [said, "Bebo té verde"]


@pytest.mark.usefixtures("full_tier")
def test_a_block_without_a_vector_is_compared_by_its_words(db: Connection) -> None:
    again = "Mi abuela toca la guitarra en Cuenca siempre"
    said = "Mi abuela toca la guitarra en Cuenca"
    for content, importance in ((said, 0.9), (again, 0.85), ("Bebo té verde", 0.6)):
        say(db, content, importance)
    give_vectors(db, {said: [1, 0, 0], "Bebo té verde": [0, 1, 0]})
    assert select(db, "diverse", max_blocks=2) == [said, "Bebo té verde"]


@pytest.mark.usefixtures("full_tier")
def test_similarities_are_cosines_or_shares_of_words(db: Connection) -> None:
    hashes = [
        say(db, content) for content in ("perro gato", "perro pez", "gato pez", "!!!", "tren")
    ]
    give_vectors(db, {"perro gato": [3, 4, 0], "tren": [4, 3, 0]})
    matrix = one(
        db, "select cto._similarities(cto.key('ana'), %s::text[]::character(64)[], now())", hashes
    )
    third = pytest.approx(1 / 3, abs=1e-6)
    assert matrix[0:5] == [pytest.approx(1), third, third, 0, pytest.approx(0.96)]
    assert matrix[5:10] == [third, 1, third, 0, 0]
    assert matrix[15:20] == [0, 0, 0, 0, 0]
    assert all(matrix[i * 5 + j] == matrix[j * 5 + i] for i in range(5) for j in range(5))


@pytest.mark.usefixtures("full_tier")
def test_diversity_can_be_set_for_all_and_for_one_owner(db: Connection) -> None:
    for content, importance in ((HOME, 0.9), (SAME, 0.85), (OTHER, 0.6)):
        say(db, content, importance)
    give_vectors(db, {HOME: [1, 0, 0], SAME: [0.99, 0.1, 0], OTHER: [0, 1, 0]})
    set_selector(db, diversity=0, max_blocks=2, strategy="diverse")
    assert select(db, "diverse") == [HOME, SAME]
    db.execute("""select cto.override_algorithm('ana', 'selector', '{"diversity": 0.8}')""")
    assert select(db, "diverse") == [HOME, OTHER]


@pytest.mark.parametrize("value", [-0.1, 1.1, "0.3", None])
def test_a_diversity_that_could_not_be_followed_is_refused(db: Connection, value: object) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="diversity"):
        set_selector(db, diversity=value)


# --- what every strategy keeps to ---------------------------------------------------------------


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_pinned_blocks_come_first_and_are_paid_for(db: Connection, strategy: str) -> None:
    say(db, "la mejor", 0.9)
    say(db, "la segunda", 0.8)
    pin(db, say(db, "la fijada", 0))
    assert select(db, strategy) == ["la fijada", "la mejor", "la segunda"]
    budget = FRAME + HEADING + cost(db, "la fijada") + cost(db, "la mejor") + HEADING
    assert select(db, strategy, budget_tokens=budget) == ["la fijada", "la mejor"]
    assert select(db, strategy, max_blocks=2) == ["la fijada", "la mejor"]
    assert reasons(db)["la fijada"] == "pinned"


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_pinned_block_that_does_not_fit_leaves_its_room_to_others(
    db: Connection, strategy: str
) -> None:
    say(db, "la mejor", 0.9)
    pin(db, say(db, LONG, 0))
    assert select(db, strategy, budget_tokens=60) == ["la mejor"]


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_pin_of_a_superseded_block_takes_no_place(db: Connection, strategy: str) -> None:
    new = say(db, "la nueva", 0.9)
    old = say(db, "la vieja", 0.8)
    pin(db, old)
    db.execute(
        "update cto.blocks set superseded_by = %s, superseded_at = now() where hash = %s",
        (new, old),
    )
    assert select(db, strategy, max_blocks=1) == ["la nueva"]


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_pinned_repetition_of_a_pinned_block_takes_no_room(db: Connection, strategy: str) -> None:
    pin(db, say(db, "la fijada", 0.3))
    pin(db, say(db, "LA FIJADA", 0.2))
    say(db, "la mejor", 0.9)
    assert select(db, strategy, max_blocks=2) == ["la fijada", "la mejor"]


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_min_score_and_max_blocks_are_kept_to(db: Connection, strategy: str) -> None:
    for number in range(6):
        say(db, f"frase {number}", number / 5)
    assert select(db, strategy, min_score=0.79) == ["frase 5", "frase 4", "frase 3"]
    assert reasons(db)["frase 2"] == "below_min_score"
    assert select(db, strategy, max_blocks=2) == ["frase 5", "frase 4"]
    assert reasons(db)["frase 3"] == "over_max_blocks"


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_repetitions_are_reported(db: Connection, strategy: str) -> None:
    say(db, "Vivo en Logroño", 0.9)
    say(db, "VIVO en logrono.", 0.8)
    say(db, "Bebo té", 0.7)
    assert select(db, strategy) == ["Vivo en Logroño", "Bebo té"]
    assert reasons(db)["VIVO en logrono."] == "duplicate"


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_repetition_of_a_pinned_block_is_left_out(db: Connection, strategy: str) -> None:
    pin(db, say(db, "vivo en logrono", 0))
    say(db, "Vivo en Logroño", 0.9)
    assert select(db, strategy) == ["vivo en logrono"]
    assert reasons(db)["Vivo en Logroño"] == "duplicate"


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_block_of_a_type_of_v1_is_selected_as_well(db: Connection, strategy: str) -> None:
    say(db, "la mejor", 0.9)
    say(db, "un resumen", 0.8)
    db.execute("set local session_replication_role = replica")
    db.execute("update cto.blocks set block_type = 'summary' where content = 'un resumen'")
    db.execute("set local session_replication_role = origin")
    assert select(db, strategy) == ["la mejor", "un resumen"]


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nobody_knows_anything_yet(db: Connection, strategy: str) -> None:
    assert select(db, strategy, query="hola") == []
    say(db, "x")
    assert select(db, strategy, budget_tokens=1) == []
