"""cto.select_context: what fits, in which order, what is recorded, and many callers at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from conftest import Connection, _janitor, one
from psycopg.types.json import Jsonb

from cto.local import LocalServer

TEA = "Prefiero el té al café"
LONG = "Esta frase es tan larga que no cabe en un presupuesto pequeño. " * 10


@pytest.fixture(scope="module")
def database(server: LocalServer, template: str) -> Iterator[Connection]:
    with (
        _janitor(server, "test_select_context", template),
        psycopg.connect(server.dsn("test_select_context"), autocommit=True) as connection,
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


def select(db: Connection, session: str | None = "s", **arguments: Any) -> list[str]:
    """Return the selected contents in order, after checking their positions."""
    given: dict[str, Any] = {"owner": "ana", "session": session, **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given)
    rows = db.execute(
        f"select position, content from cto.select_context({names})".encode(), given
    ).fetchall()
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
    return [row[1] for row in rows]


def set_selector(db: Connection, **config: Any) -> None:
    db.execute("select cto.set_algorithm('selector', %s)", (Jsonb(config),))


def recorded(db: Connection) -> list[tuple[Any, ...]]:
    return db.execute("select * from cto.memory order by session_hash, block_hash").fetchall()


# --- what is selected -------------------------------------------------------------------------


def test_the_best_come_first(db: Connection) -> None:
    for importance in (0.3, 0.9, 0.6):
        say(db, f"importancia {importance}", importance)
    assert select(db) == ["importancia 0.9", "importancia 0.6", "importancia 0.3"]


def test_the_query_moves_what_matches_to_the_front(db: Connection) -> None:
    say(db, TEA)
    say(db, "Vivo en Logroño")
    for query, best in (("¿Dónde está Logroño?", "Vivo en Logroño"), ("café", TEA)):
        assert select(db, query=query, record=False)[0] == best


def test_the_spanish_word_for_tea_is_not_taken_for_a_stop_word(db: Connection) -> None:
    # Without its accent it is a pronoun, and pronouns are not searched for.
    say(db, TEA)
    say(db, "Vivo en Logroño")
    assert select(db, query="¿Qué té?")[0] == TEA


def test_what_does_not_fit_is_skipped_and_the_next_one_tried(db: Connection) -> None:
    say(db, "la mejor", 0.9)
    say(db, LONG, 0.8)
    say(db, "la tercera", 0.7)
    assert select(db, budget_tokens=60, record=False) == ["la mejor", "la tercera"]
    assert select(db, budget_tokens=1000, record=False) == ["la mejor", LONG, "la tercera"]


@pytest.mark.parametrize("budget", range(1, 120, 7))
def test_the_token_counts_stay_within_the_budget(db: Connection, budget: int) -> None:
    for number in range(20):
        say(db, f"Frase corta número {number}", number / 20)
    spent = one(
        db,
        "select coalesce(sum(token_count), 0) from cto.select_context('ana', 's',"
        " budget_tokens => %s)",
        budget,
    )
    assert spent <= budget


def test_a_budget_of_one_token_selects_nothing(db: Connection) -> None:
    say(db, "x")
    assert select(db, budget_tokens=1) == []


def test_nobody_knows_anything_yet(db: Connection) -> None:
    assert select(db, query="hola") == []


def test_below_min_score_nothing_is_selected(db: Connection) -> None:
    # Nothing was read and there is no query: the mean of recency and importance.
    for content, importance in (("in", 0.61), ("out", 0.59)):
        say(db, content, importance)
    assert select(db, min_score=0.8) == ["in"]


def test_a_score_of_exactly_min_score_is_selected(db: Connection) -> None:
    say(db, "x", 0.5)
    assert select(db, min_score=0.75) == ["x"]


@pytest.mark.parametrize("max_blocks", [1, 3, 10])
def test_no_more_than_max_blocks_are_selected(db: Connection, max_blocks: int) -> None:
    for number in range(6):
        say(db, f"frase {number}", number / 10)
    assert (
        select(db, max_blocks=max_blocks)
        == [f"frase {number}" for number in (5, 4, 3, 2, 1, 0)][:max_blocks]
    )


def test_pinned_blocks_come_first_whatever_their_score(db: Connection) -> None:
    say(db, "la mejor", 0.9)
    pinned = say(db, "la fijada", 0)
    db.execute("select cto.pin('ana', 's', %s)", (pinned,))
    for session, selected in (("s", ["la fijada", "la mejor"]), ("another", ["la mejor"])):
        assert select(db, session=session, min_score=0.6, record=False) == selected


def test_an_unpinned_block_competes_again(db: Connection) -> None:
    say(db, "la mejor", 0.9)
    pinned = say(db, "la fijada", 0)
    for verb in ("pin", "pin", "unpin", "unpin"):
        db.execute(f"select cto.{verb}('ana', 's', %s)".encode(), (pinned,))
    assert select(db) == ["la mejor", "la fijada"]


def test_a_pinned_block_needs_room_in_the_budget(db: Connection) -> None:
    pinned = say(db, LONG)
    say(db, "cabe")
    db.execute("select cto.pin('ana', 's', %s)", (pinned,))
    assert select(db, budget_tokens=60) == ["cabe"]


@pytest.mark.parametrize(
    ("block_hash", "error"),
    [
        ("x", psycopg.errors.InvalidParameterValue),
        (None, psycopg.errors.InvalidParameterValue),
        ("A" * 64, psycopg.errors.InvalidParameterValue),
        ("a" * 64, psycopg.errors.NoDataFound),
    ],
)
def test_what_is_no_block_of_the_owner_cannot_be_pinned(
    db: Connection, block_hash: str | None, error: type[psycopg.Error]
) -> None:
    with pytest.raises(error) as caught:
        db.execute("select cto.pin('ana', 's', %s)", (block_hash,))
    assert caught.value.diag.message_hint


def test_the_block_of_another_owner_cannot_be_pinned(db: Connection) -> None:
    block_hash = say(db, "x", owner="bea")
    with pytest.raises(psycopg.errors.NoDataFound):
        db.execute("select cto.pin('ana', 's', %s)", (block_hash,))


@pytest.mark.parametrize(
    "again", ["VIVO EN LOGROÑO", "vivo en logrono.", "¡Vivo  en\nLogroño!", "«Vivo» en (Logroño)…"]
)
def test_what_is_said_already_is_left_out(db: Connection, again: str) -> None:
    say(db, "Vivo en Logroño", 0.9)
    say(db, again, 0.8)
    say(db, "Vivo en Logroño también", 0.7)
    assert select(db) == ["Vivo en Logroño", "Vivo en Logroño también"]


def test_texts_of_marks_alone_are_not_duplicates(db: Connection) -> None:
    say(db, "!!!", 0.9)
    say(db, "...", 0.8)
    assert select(db) == ["!!!", "..."]


def test_source_and_moment_of_each_block_come_back(db: Connection) -> None:
    block_hash = say(db, "x", source="mail", at="2026-03-02T09:00:00Z", block_type="preference")
    assert db.execute(
        """
        select s.block_hash, s.block_type, s.source_hash = cto.key('mail'),
            s.created_at = '2026-03-02T09:00:00Z', s.score between 0 and 1, s.token_count > 0
        from cto.select_context('ana', 's') as s
        """
    ).fetchone() == (block_hash, "preference", True, True, True, True)


def test_as_of_selects_what_was_known_then(db: Connection) -> None:
    say(db, "old", at="2026-03-02T09:00:00Z")
    say(db, "new", at="2026-03-03T09:00:00Z")
    assert select(db, as_of="2026-03-02T10:00:00Z") == ["old"]


# --- configuration ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "selected"),
    [
        ({"budget_tokens": 60}, ["la mejor", "la tercera"]),
        ({"min_score": 0.88}, ["la mejor", LONG]),
        ({"max_blocks": 1}, ["la mejor"]),
    ],
    ids=str,
)
def test_every_key_has_an_effect_and_a_null_means_as_configured(
    db: Connection, config: dict[str, Any], selected: list[str]
) -> None:
    say(db, "la mejor", 0.9)
    say(db, LONG, 0.8)
    say(db, "la tercera", 0.7)
    set_selector(db, **config)
    nulls: dict[str, Any] = dict.fromkeys(
        ["budget_tokens", "min_score", "max_blocks", "strategy", "query", "query_embedding"]
    )
    assert select(db, **nulls) == select(db) == selected


@pytest.mark.parametrize(
    ("config", "argument"),
    [
        ({"budget_tokens": 1}, {"budget_tokens": 100}),
        ({"min_score": 1}, {"min_score": 0}),
        ({"max_blocks": 1}, {"max_blocks": 2}),
        ({"strategy": "knapsack"}, {"strategy": "greedy"}),
    ],
    ids=str,
)
def test_an_argument_takes_the_place_of_the_configured_value(
    db: Connection, config: dict[str, Any], argument: dict[str, Any]
) -> None:
    say(db, "una", 0.5)
    say(db, "otra", 0.4)
    set_selector(db, **config)
    assert select(db, **argument) == ["una", "otra"]


def test_a_second_selector_and_a_second_scorer_can_be_named(db: Connection) -> None:
    say(db, "important", 0.9, at="2026-03-02T09:00:00Z")
    say(db, "recent", 0.1)
    db.execute("""select cto.set_algorithm('selector_short', '{"max_blocks": 1}')""")
    only = {"recency": 0, "frequency": 0, "importance": 1, "similarity": 0}
    db.execute("select cto.set_algorithm('scorer_calm', %s)", (Jsonb({"weights": only}),))
    assert select(db, selector="selector_short") == ["recent"]
    assert select(db, selector="selector_short", scorer="scorer_calm") == ["important"]


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("strategy", ["knapsack", "diverse"])
def test_every_strategy_selects_all_where_all_fits(db: Connection, strategy: str) -> None:
    say(db, "una", 0.9)
    say(db, "otra", 0.4)
    set_selector(db, strategy=strategy)
    assert select(db) == select(db, strategy="greedy") == ["una", "otra"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budget_tokens": 0}, "budget_tokens is 0"),
        ({"budget_tokens": -5}, "budget_tokens is -5"),
        ({"min_score": 1.5}, "min_score is 1.5"),
        ({"min_score": -0.5}, "min_score is -0.5"),
        ({"min_score": float("nan")}, "min_score"),
        ({"max_blocks": 0}, "max_blocks is 0"),
        ({"strategy": "magic"}, "strategy is .*magic"),
        ({"owner": " "}, "blank"),
        ({"session": ""}, "blank"),
    ],
    ids=str,
)
def test_an_argument_that_could_not_be_followed_is_refused_and_nothing_recorded(
    db: Connection, arguments: dict[str, Any], message: str
) -> None:
    say(db, "x")
    with (
        pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught,
        db.transaction(),
    ):
        select(db, **arguments)
    assert caught.value.diag.message_hint
    assert recorded(db) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"owner": None}, "owner"), ({"session": None}, "session"), ({"as_of": None}, "as_of")],
)
def test_a_null_that_means_nothing_is_refused(
    db: Connection, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(psycopg.errors.NullValueNotAllowed, match=message) as caught:
        select(db, **arguments)
    assert caught.value.diag.message_hint


def test_without_a_record_no_session_is_needed(db: Connection) -> None:
    say(db, "x")
    assert select(db, session=None, record=False) == ["x"]


# --- what is recorded -----------------------------------------------------------------------------


def accesses(db: Connection) -> dict[str, int]:
    rows = db.execute(
        "select b.content, count(*) from cto.accesses as a"
        " join cto.blocks as b on b.owner_id = a.owner_id and b.hash = a.block_hash"
        " group by b.content"
    )
    return {row[0]: row[1] for row in rows}


def counts(db: Connection) -> dict[str, int]:
    return {r[0]: r[1] for r in db.execute("select content, access_count from cto.blocks")}


def test_without_a_record_nothing_is_written(db: Connection) -> None:
    say(db, "x")
    assert select(db, record=False) == ["x"]
    assert recorded(db) == []
    assert accesses(db) == {}


def test_a_record_has_one_row_a_candidate_and_one_access_a_selected_block(db: Connection) -> None:
    say(db, "la mejor", 0.9)
    say(db, LONG, 0.8)
    select(db, budget_tokens=60)
    rows = db.execute(
        "select b.content, m.position, m.included from cto.memory as m"
        " join cto.blocks as b on b.hash = m.block_hash order by m.position"
    ).fetchall()
    assert rows == [("la mejor", 1, True), (LONG, None, False)]
    assert accesses(db) == {"la mejor": 1}


def test_a_second_record_takes_the_place_of_the_first_and_adds_accesses(db: Connection) -> None:
    say(db, "una", 0.9)
    say(db, "otra", 0.1)
    assert len(select(db)) == 2
    db.execute("delete from cto.blocks where content = 'otra'")
    say(db, "tercera", 0.05)
    select(db, max_blocks=1)
    rows = db.execute(
        "select b.content, m.included from cto.memory as m"
        " join cto.blocks as b on b.hash = m.block_hash order by m.included desc"
    ).fetchall()
    assert rows == [("una", True), ("tercera", False)]
    assert accesses(db) == {"una": 2}


def test_the_record_of_another_session_and_owner_stays(db: Connection) -> None:
    say(db, "x")
    say(db, "x", owner="bea")
    select(db, session="s")
    select(db, session="t")
    select(db, owner="bea")
    assert len(recorded(db)) == 3
    select(db, session="s")
    assert len(recorded(db)) == 3


def test_selecting_does_not_touch_the_blocks(db: Connection) -> None:
    say(db, "x")
    before = db.execute("select ctid, xmin::text from cto.blocks").fetchall()
    select(db)
    assert db.execute("select ctid, xmin::text from cto.blocks").fetchall() == before


def test_folding_adds_every_access_once(db: Connection) -> None:
    say(db, "una", 0.9)
    say(db, "otra", 0.1)
    for _ in range(3):
        select(db)
    select(db, max_blocks=1)
    assert one(db, "select cto.fold_accesses()") == 7
    assert counts(db) == {"una": 4, "otra": 3}
    assert one(db, "select cto.fold_accesses()") == 0
    assert counts(db) == {"una": 4, "otra": 3}


def test_folding_takes_no_more_than_it_is_told(db: Connection) -> None:
    say(db, "una")
    for _ in range(5):
        select(db)
    assert [one(db, "select cto.fold_accesses(2)") for _ in range(4)] == [2, 2, 1, 0]
    assert counts(db) == {"una": 5}


def test_folding_does_not_change_the_scores(db: Connection) -> None:
    say(db, "una", 0.9)
    say(db, "otra", 0.1)
    select(db, max_blocks=1)
    select(db)
    query = "select content, score from cto.score_blocks('ana')"
    before = db.execute(query).fetchall()
    db.execute("select cto.fold_accesses()")
    assert db.execute(query).fetchall() == before


def test_a_deleted_block_takes_its_record_and_accesses_with_it(db: Connection) -> None:
    say(db, "x")
    select(db)
    db.execute("delete from cto.blocks")
    assert recorded(db) == []
    assert one(db, "select count(*) from cto.accesses") == 0


def test_in_a_read_only_transaction_a_record_is_refused_and_no_record_is_fine(
    db: Connection,
) -> None:
    say(db, "x")
    with db.transaction(force_rollback=True):
        db.execute("set transaction read only")
        assert select(db, record=False) == ["x"]
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction, match="read-only") as caught:
            select(db)
    assert "record => false" in (caught.value.diag.message_hint or "")


# --- many callers at once -----------------------------------------------------------------------


def run_threads(dsn: str, queries: list[list[str]]) -> None:
    """Run each list of queries on a connection and thread of its own."""

    def run(own: list[str]) -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            for query in own:
                connection.execute(query.encode())

    with ThreadPoolExecutor(len(queries)) as threads:
        for done in [threads.submit(run, own) for own in queries]:
            done.result(timeout=60)


def test_eight_sessions_of_one_owner_at_once_do_not_deadlock_and_count_exactly(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        for number in range(15):
            say(connection, f"frase {number}", number / 20)
        select_in = "select count(*) from cto.select_context('ana', 's{}', query => 'frase 3')"
        run_threads(
            dsn,
            [[select_in.format(thread)] * 12 for thread in range(8)]
            + [["select cto.fold_accesses(50)"] * 10] * 2,
        )
        connection.execute("select cto.fold_accesses()")
        assert set(counts(connection).values()) == {8 * 12}
        assert one(connection, "select count(*) from cto.accesses") == 0
        assert one(connection, "select count(*) from cto.memory") == 8 * 15


def test_one_session_selected_at_once_by_several_callers_is_no_error(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        for number in range(10):
            say(connection, f"frase {number}", number / 20)
        run_threads(dsn, [["select count(*) from cto.select_context('ana', 's')"] * 12] * 4)
        assert one(connection, "select count(*) from cto.memory") == 10
        assert one(connection, "select count(*) from cto.accesses") == 4 * 12 * 10


def test_blocks_that_are_said_again_while_others_select_do_not_deadlock(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        for number in range(10):
            say(connection, f"frase {number}", number / 20)
    run_threads(
        dsn,
        [
            ["select count(*) from cto.select_context('ana', 's')"] * 15,
            ["select cto.fold_accesses()"] * 15,
            ["select cto.remember('ana', 'frase ' || n) from generate_series(0, 9) as n"] * 15,
            ["select cto.remember('ana', 'frase ' || n) from generate_series(0, 9) as n"] * 15,
        ],
    )


def test_what_was_selected_before_counts_as_read(dsn: str) -> None:
    """In transactions of their own: within one, now() stands still."""
    with psycopg.connect(dsn, autocommit=True) as db:
        for number in range(3):
            say(db, f"frase {number}", number / 4)
        for turn in (1, 2, 3):
            db.execute("select * from cto.select_context('ana', 's', max_blocks => %s)", (turn,))
            if turn == 2:
                db.execute("select cto.fold_accesses()")
        frequencies = db.execute(
            "select frequency from cto.score_blocks('ana') order by content"
        ).fetchall()
        # Read once, twice and three times.
        expected = [math.log(1 + times) / math.log(4) for times in (1, 2, 3)]
        assert [frequency for (frequency,) in frequencies] == pytest.approx(expected, abs=1e-9)


def test_folding_waits_for_nobody(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as db, psycopg.connect(dsn) as agent:
        for number in range(40):
            say(db, f"frase {number}", number / 40)
        select(db)
        agent.execute("select from cto.blocks order by hash limit 1 for update")

        assert one(db, "select cto.fold_accesses()") == 39

        agent.rollback()
        assert one(db, "select cto.fold_accesses()") == 1
        assert one(db, "select sum(access_count) from cto.blocks") == 40


def test_sixteen_sessions_of_one_owner_at_once_lose_no_access_and_write_no_block(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as db:
        for number in range(15):
            say(db, f"frase {number}", number / 20)
        updated = "select n_tup_upd from pg_stat_user_tables where relid = 'cto.blocks'::regclass"
        db.execute("select pg_stat_force_next_flush()")
        before = one(db, updated)
        run_threads(
            dsn,
            [
                [
                    "select count(*) from cto.select_context("
                    f"'ana', 's{thread}', query => 'frase {turn}', max_blocks => {turn + 1})"
                    for turn in range(10)
                ]
                for thread in range(16)
            ],
        )
        # A connection hands its figures in when it ends.
        assert one(db, updated) == before
        selected = one(db, "select sum(cardinality(block_hashes)) from cto.selections")
        assert one(db, "select count(*) from cto.selections") == 16 * 10
        assert selected == 16 * sum(range(1, 11))
        assert one(db, "select count(*) from cto.accesses") == selected

        assert one(db, "select cto.fold_accesses()") == selected

        assert one(db, "select sum(access_count) from cto.blocks") == selected
        db.execute("select pg_stat_force_next_flush()")
        assert one(db, updated) - before == len([n for n in counts(db).values() if n])
