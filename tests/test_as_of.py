"""as_of: an earlier selection can be made again exactly, whatever became known afterwards."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from conftest import Connection, one
from psycopg.types.json import Jsonb

from cto.local import LocalServer
from cto.tokens import count_tokens

Row = tuple[int, str, int, float]

DIMENSIONS = 5
QUERY = "¿Dónde vivo y qué bebo?"
VECTOR = [0.9, 0.1, 0.3, 0.2, 0.4]
TIGHT = 45


@pytest.fixture
def db(dsn: str) -> Iterator[Connection]:
    """A database of its own in autocommit: every statement has a moment of its own."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


@dataclass(frozen=True)
class Logged:
    """A recorded selection: what was asked, what came back, and as of when."""

    arguments: dict[str, Any]
    as_of: Any
    rows: list[Row]


def say(db: Connection, content: str, **arguments: Any) -> str:
    given = {"owner": "ana", "content": content, **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given)
    row = db.execute(f"select cto.remember({names})".encode(), given).fetchone()
    assert row is not None
    return str(row[0])


def ask(db: Connection, **arguments: Any) -> list[Row]:
    """Return position, hash, cost and score of each selected block."""
    given = {"owner": "ana", "session": "s", **arguments}
    if given.get("query_embedding") is not None:
        given["query_embedding"] = str(given["query_embedding"])
    names = ", ".join(
        f"{name} => %({name})s" + ("::vector" if name == "query_embedding" else "")
        for name in given
    )
    return db.execute(
        "select position, block_hash, token_count, score"
        f" from cto.select_context({names})".encode(),
        given,
    ).fetchall()


def select(db: Connection, **arguments: Any) -> Logged:
    """Select, record, and keep what the log says of it."""
    rows = ask(db, **arguments)
    as_of = one(db, "select as_of from cto.selections order by selection_id desc limit 1")
    return Logged(arguments, as_of, rows)


def assert_replays(db: Connection, *logged: Logged) -> None:
    for number, selection in enumerate(logged):
        rows = ask(db, **selection.arguments, as_of=selection.as_of, record=False)
        where = f"selection {number}: {selection.arguments}"
        assert [row[:3] for row in rows] == [row[:3] for row in selection.rows], where
        scores = [row[3] for row in selection.rows]
        assert [row[3] for row in rows] == pytest.approx(scores, abs=1e-9), where


def embed(db: Connection, vector_of: Callable[[str], list[float]], max_items: int = 100) -> int:
    """Do what the embedding worker does with the waiting blocks, and say how many there were."""
    claimed = db.execute(
        "select owner_id, block_hash, content from cto.claim_embeddings('w', %s)", (max_items,)
    ).fetchall()
    if not claimed:
        return 0
    return int(
        one(
            db,
            "select cto.store_embeddings('w', 'by hand', %s, %s::text[], %s::text[],"
            " %s::text[]::vector[], %s::integer[])",
            DIMENSIONS,
            [row[0] for row in claimed],
            [row[1] for row in claimed],
            [str(vector_of(row[2])) for row in claimed],
            [count_tokens(row[2]) for row in claimed],
        )
    )


def vector_for(content: str) -> list[float]:
    rng = random.Random(content)
    return [rng.uniform(-1, 1) for _ in range(DIMENSIONS)]


def supersede(db: Connection, old: str, new: str) -> None:
    db.execute(
        "update cto.blocks set superseded_by = %s, superseded_at = now() where hash = %s",
        (new, old),
    )


def three(db: Connection) -> list[str]:
    """Remember three blocks of a session, of which each could be first."""
    return [
        say(db, "Vivo en una calle de Logroño", importance=0.5, session="talk"),
        say(db, "Bebo té por la tarde, nunca café", importance=0.6, session="talk"),
        say(db, "Mi perra se llama Luna y come mucho pan", importance=0.4, session="talk"),
    ]


# --- a whole log ----------------------------------------------------------------------------------

NOUNS = ["perra", "casa", "calle", "guitarra", "bicicleta", "abuela", "oficina", "té", "pan"]
VERBS = ["vive en", "trabaja en", "compra en", "bebe té en", "toca en", "busca"]
PLACES = ["Logroño", "Cuenca", "Bilbao", "el mercado", "la estación", "el parque nuevo"]
TYPES = ["fact", "instruction", "preference", "context"]


class Agent:
    """Someone who talks, changes their mind, and asks; all of it by a seed."""

    def __init__(self, db: Connection, seed: int, *, retypes: bool, strategies: list[str]) -> None:
        self.db = db
        self.rng = random.Random(seed)
        self.retypes = retypes
        self.strategies = strategies
        self.said: dict[str, str] = {}
        self.log: list[Logged] = []

    def sentence(self) -> str:
        rng = self.rng
        text = f"Mi {rng.choice(NOUNS)} {rng.choice(VERBS)} {rng.choice(PLACES)}"
        return text + rng.choice(["", ".", ", y eso no cambia " * rng.randint(1, 4)])

    def any_hash(self) -> str:
        return self.said[self.rng.choice(sorted(self.said))]

    def remember(self) -> None:
        content = self.sentence()
        self.said[content] = say(
            self.db,
            content,
            block_type=self.rng.choice(TYPES)
            if content not in self.said or self.retypes
            else None
            or one(self.db, "select block_type from cto.blocks where content = %s", content),
            importance=round(self.rng.random(), 2),
            session=self.rng.choice([None, "talk", "chat"]),
        )

    def remember_again(self) -> None:
        content = self.rng.choice(sorted(self.said))
        kind = one(self.db, "select block_type from cto.blocks where content = %s", content)
        say(
            self.db,
            content,
            block_type=self.rng.choice(TYPES) if self.retypes else kind,
            importance=round(self.rng.random(), 2),
        )

    def log_message(self) -> None:
        self.db.execute(
            "select cto.log_message('talk', 'user', %s, agent_name => 'agent', user_id => 'ana')",
            (self.sentence() + ". " + self.sentence(),),
        )

    def pin(self) -> None:
        verb = self.rng.choice(["pin", "unpin"])
        self.db.execute(f"select cto.{verb}('ana', 's', %s)".encode(), (self.any_hash(),))

    def supersede(self) -> None:
        old, new = self.any_hash(), self.any_hash()
        if old != new:
            supersede(self.db, old, new)

    def embed(self) -> None:
        embed(self.db, vector_for, self.rng.randint(1, 6))

    def fold(self) -> None:
        self.db.execute("select cto.fold_accesses(%s)", (self.rng.choice([3, 1000]),))

    def select(self) -> None:
        rng = self.rng
        has_model = one(self.db, "select count(*) from cto.embedding_models") > 0
        given = {
            "query": rng.choice([None, self.sentence(), QUERY]),
            "query_embedding": rng.choice([None, VECTOR]) if has_model else None,
            "budget_tokens": rng.choice([None, 40, 70, 120, 300]),
            "min_score": rng.choice([None, 0.0, 0.5]),
            "max_blocks": rng.choice([None, 4]),
            "strategy": rng.choice(self.strategies),
        }
        self.log.append(select(self.db, **given))

    def act(self, steps: int) -> None:
        for _ in range(5):
            self.remember()
        acts = [
            *[self.remember] * 3,
            *[self.remember_again] * 3,
            *[self.select] * 6,
            *[self.pin] * 2,
            *[self.embed] * 2,
            self.log_message,
            self.supersede,
            self.fold,
        ]
        for _ in range(steps):
            self.rng.choice(acts)()


def logs() -> Iterator[tuple[int, str, bool]]:
    for strategy in ("greedy", "knapsack", "diverse"):
        for retypes in (False, True):
            for seed in (0, 1, 2, 3, 8):
                if seed == 8 and strategy != "greedy":
                    continue
                yield seed, strategy, retypes


@pytest.mark.parametrize(("seed", "strategy", "retypes"), list(logs()))
def test_as_of_reproduces_every_selection_of_a_log(
    db: Connection, server: LocalServer, seed: int, strategy: str, retypes: bool
) -> None:
    if strategy != "greedy" and server.tier != "full":
        pytest.skip("needs PL/Python")
    agent = Agent(db, seed, retypes=retypes, strategies=["greedy", strategy])
    agent.act(60)
    assert len(agent.log) > 5
    assert any(selection.rows for selection in agent.log)
    assert_replays(db, *agent.log)


def test_the_log_holds_what_was_asked_in_order(db: Connection) -> None:
    three(db)
    embed(db, vector_for)
    db.execute("""select cto.set_algorithm('scorer_trial', '{"decay_factor": 0.5}')""")
    select(db, query=QUERY, query_embedding=VECTOR, budget_tokens=70, scorer="scorer_trial")
    select(db, session="t", min_score=0.25, max_blocks=2)
    ask(db, record=False)
    db.execute("select cto.render_context('ana', 's', 'pan', format => 'xml')")
    rows = db.execute(
        """
        select query, session_hash = cto.key('s'), query_embedding = cto._pad_vector(%s::vector),
            embedding_model, scorer, scorer_config -> 'decay_factor', selector,
            selector_config ->> 'budget_tokens', selector_config -> 'min_score',
            selector_config -> 'max_blocks', selector_config ->> 'strategy', format,
            as_of < selected_at, owner_id = cto.key('ana')
        from cto.selections order by selection_id
        """,
        (str(VECTOR),),
    ).fetchall()
    usual = ("selector", "8000", 0.1, 50, "greedy", "markdown", True, True)
    assert rows == [
        (QUERY, True, True, "by hand", "scorer_trial", 0.5, "selector", "70", *usual[2:]),
        (None, False, None, None, "scorer", 0.95, *usual[:2], 0.25, 2, *usual[4:]),
        ("pan", True, None, None, "scorer", 0.95, *usual[:5], "xml", True, True),
    ]


def test_the_log_holds_what_was_selected(db: Connection) -> None:
    three(db)
    for arguments in ({"budget_tokens": TIGHT}, {}, {"min_score": 1.0}):
        rows = select(db, **arguments).rows
        assert db.execute(
            "select block_hashes, token_count from cto.selections"
            " order by selection_id desc limit 1"
        ).fetchone() == ([row[1] for row in rows], sum(row[2] for row in rows))


# --- one change after the selection -----------------------------------------------------------


def changes() -> dict[str, Callable[[Connection, list[str]], object]]:
    def superseded_and_said_again(db: Connection, hashes: list[str]) -> None:
        supersede(db, hashes[0], hashes[1])
        say(db, "Vivo en una calle de Logroño")

    def read_and_folded(db: Connection, _hashes: list[str]) -> None:
        ask(db, max_blocks=1)
        db.execute("select cto.fold_accesses()")

    def partly_folded(db: Connection, _hashes: list[str]) -> None:
        for _ in range(3):
            ask(db, max_blocks=2)
        db.execute("select cto.fold_accesses(4)")

    return {
        "said again": lambda db, _: say(db, "Vivo en una calle de Logroño"),
        "importance raised": lambda db, _: say(
            db, "Mi perra se llama Luna y come mucho pan", importance=1
        ),
        "importance lowered by hand": lambda db, hashes: db.execute(
            "update cto.blocks set importance = 0 where hash = %s", (hashes[1],)
        ),
        "another said": lambda db, _: say(db, "Vivo y bebo en Lima", importance=1, session="talk"),
        "vectors and exact counts came": lambda db, _: embed(db, vector_for),
        "pinned": lambda db, hashes: db.execute("select cto.pin('ana', 's', %s)", (hashes[2],)),
        "superseded": lambda db, hashes: supersede(db, hashes[1], hashes[0]),
        "superseded and said again": superseded_and_said_again,
        "accessed": lambda db, _: ask(db, max_blocks=1),
        "accessed and folded": read_and_folded,
        "accessed and partly folded": partly_folded,
    }


@pytest.mark.parametrize("change", changes())
@pytest.mark.parametrize(
    "arguments", [{}, {"query": QUERY}, {"query": QUERY, "budget_tokens": TIGHT}], ids=str
)
def test_what_changes_later_does_not_change_an_earlier_selection(
    db: Connection, change: str, arguments: dict[str, Any]
) -> None:
    hashes = three(db)
    ask(db, max_blocks=2)
    logged = select(db, **arguments)
    changes()[change](db, hashes)
    assert_replays(db, logged)


def test_a_pin_that_was_taken_away_later_still_counts(db: Connection) -> None:
    hashes = three(db)
    db.execute("select cto.pin('ana', 's', %s)", (hashes[2],))
    pinned = select(db)
    db.execute("select cto.unpin('ana', 's', %s)", (hashes[2],))
    unpinned = select(db)
    db.execute("select cto.pin('ana', 's', %s)", (hashes[2],))
    assert pinned.rows[0][1] == hashes[2] != unpinned.rows[0][1]
    assert_replays(db, pinned, unpinned)


def test_a_block_that_was_superseded_stays_out_though_it_was_said_again_later(
    db: Connection,
) -> None:
    hashes = three(db)
    supersede(db, hashes[0], hashes[1])
    without = select(db, query=QUERY)
    say(db, "Vivo en una calle de Logroño")
    assert hashes[0] not in {row[1] for row in without.rows}
    assert_replays(db, without)


def test_a_selection_with_vectors_is_reproduced_after_more_of_them_came(db: Connection) -> None:
    three(db)
    embed(db, vector_for, max_items=2)
    logged = select(db, query_embedding=VECTOR)
    embed(db, vector_for)
    assert_replays(db, logged)


def test_an_exact_count_that_came_later_does_not_change_the_cost(db: Connection) -> None:
    three(db)
    estimated = select(db)
    embed(db, vector_for)
    counted = select(db)
    assert sum(row[2] for row in counted.rows) < sum(row[2] for row in estimated.rows)
    assert_replays(db, estimated, counted)


def test_another_type_that_came_later_does_not_change_what_fits(db: Connection) -> None:
    say(db, "Vivo en Lima", importance=0.9)
    say(db, "Bebo té", importance=0.1)
    full = select(db)
    exactly = 17 + 3 + sum(row[2] for row in full.rows)
    logged = select(db, budget_tokens=exactly)
    assert len(logged.rows) == 2
    say(db, "Bebo té", block_type="instruction", importance=0.1)
    assert len(ask(db, budget_tokens=exactly, record=False)) == 1
    assert_replays(db, logged)


def test_the_type_that_it_had_then_is_told(db: Connection) -> None:
    say(db, "Bebo té", block_type="context")
    as_of = select(db).as_of
    say(db, "Bebo té", block_type="instruction")
    query = "select block_type from cto.select_context('ana', 's', as_of => %s, record => false)"
    assert one(db, query, as_of) == "context"


@pytest.mark.usefixtures("full_tier")
def test_vectors_that_came_later_do_not_make_a_diverse_selection_another(db: Connection) -> None:
    say(db, "Vivo en Lima", importance=0.9)
    say(db, "Resido en la capital del Perú", importance=0.8)
    say(db, "Bebo té", importance=0.7)
    db.execute("""select cto.set_algorithm('selector', '{"diversity": 0.9}')""")
    logged = select(db, strategy="diverse", max_blocks=2)
    embed(db, lambda content: [0, 1, 0, 0, 0] if content == "Bebo té" else [1, 0, 0, 0, 0])
    assert len(ask(db, strategy="diverse", max_blocks=2, record=False)) == 2
    assert_replays(db, logged)


@pytest.mark.xfail(strict=True, reason="created_at and as_of are both the start of the transaction")
def test_the_answer_that_is_logged_in_the_same_transaction_is_not_selected(db: Connection) -> None:
    three(db)
    with db.transaction():
        logged = select(db)
        say(db, "Dicho después, en la misma transacción")
    assert_replays(db, logged)


def test_a_moment_told_late_does_not_hide_what_was_said_since(db: Connection) -> None:
    say(db, "Vivo en Lima", at="2023-01-01T00:00:00Z", block_type="context")
    say(db, "Vivo en Lima", at="2023-01-01T00:00:00Z", block_type="fact")
    say(db, "Vivo en Lima", at="2026-01-01T00:00:00Z")
    db.execute("""select cto.set_algorithm('scorer', '{"decay_factor": 0.9999}')""")
    logged = select(db)
    say(db, "Otra cosa")
    say(db, "Otra cosa", importance=1)  # any later change brings the history into play
    assert_replays(db, logged)


# --- an imported past ----------------------------------------------------------------------------

THEN = "2023-06-01T00:00:00Z"


@pytest.fixture
def past(db: Connection) -> list[str]:
    """Three blocks of 2023, stored today."""
    contents = ["Vivo en Logroño", "Bebo té por la tarde", "Mi perra se llama Luna"]
    return [
        say(db, content, at=f"2023-05-0{day}T00:00:00Z", importance=0.5, session="talk")
        for day, content in enumerate(contents, 1)
    ]


def test_an_imported_past_has_its_vectors(db: Connection, past: list[str]) -> None:
    embed(db, lambda content: VECTOR if "perra" in content else [-x for x in VECTOR])
    assert ask(db, query_embedding=VECTOR, as_of=THEN, record=False)[0][1] == past[2]


@pytest.mark.usefixtures("past")
def test_an_imported_past_has_its_exact_counts(db: Connection) -> None:
    estimated = [row[2] for row in ask(db, as_of=THEN, record=False)]
    embed(db, vector_for)
    exact = [row[2] for row in ask(db, as_of=THEN, record=False)]
    assert sum(exact) < sum(estimated)
    assert sorted(exact) == sorted(row[2] for row in ask(db, record=False))


@pytest.mark.parametrize("is_folded", [False, True])
@pytest.mark.usefixtures("past")
def test_todays_accesses_do_not_count_in_an_imported_past(db: Connection, is_folded: bool) -> None:
    before = ask(db, as_of=THEN, record=False)
    for arguments in ({"max_blocks": 1}, {"max_blocks": 2}, {"as_of": THEN}):
        ask(db, **arguments)
    if is_folded:
        db.execute("select cto.fold_accesses()")
    frequencies = db.execute("select frequency from cto.score_blocks('ana', as_of => %s)", (THEN,))
    assert {row[0] for row in frequencies} == {None}
    assert ask(db, as_of=THEN, record=False) == before


def test_an_imported_past_has_its_pins(db: Connection, past: list[str]) -> None:
    db.execute("select cto.pin('ana', 's', %s)", (past[0],))
    assert ask(db, as_of=THEN, record=False)[0][1] == past[0]
    db.execute("select cto.unpin('ana', 's', %s)", (past[0],))
    assert ask(db, as_of=THEN, record=False)[0][1] == past[2]


@pytest.mark.usefixtures("past")
def test_an_imported_past_does_not_know_what_was_said_after_it(db: Connection) -> None:
    before = ask(db, as_of=THEN, record=False)
    say(db, "Vivo en Logroño", at="2024-01-01T00:00:00Z", importance=1)
    say(db, "Nuevo", at="2024-01-01T00:00:00Z")
    assert ask(db, as_of=THEN, record=False) == before


def test_a_block_is_never_more_recent_than_the_moment_itself(db: Connection) -> None:
    say(db, "Vivo en Lima", at="2024-06-01T00:00:00Z", importance=0.2)
    say(db, "Vivo en Lima", at="2023-01-01T00:00:00Z", importance=0.9)
    recency = one(
        db, "select recency from cto.score_blocks('ana', as_of => %s)", "2023-02-01T00:00:00Z"
    )
    assert recency <= 1


def test_the_configuration_in_the_log_is_the_one_that_was_in_force(db: Connection) -> None:
    three(db)
    select(db)
    db.execute("select cto.set_algorithm('scorer', %s)", (Jsonb({"decay_factor": 0.5}),))
    select(db)
    rows = db.execute(
        "select scorer_config -> 'decay_factor' from cto.selections order by selection_id"
    )
    assert [row[0] for row in rows] == [0.95, 0.5]
