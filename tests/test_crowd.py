"""cto.score_blocks in a crowd: of more than `crowd.blocks` blocks, only what stands out counts.

By hand, against scoring_model, and by candidates against every block.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
import scoring_model
from conftest import Connection, _janitor, one
from psycopg.types.json import Jsonb
from scoring_model import expected_scores, read_blocks, read_question
from test_score_blocks import EXACT, NO_SIGNALS, NO_SMOOTHING, Scored, saturated

from cto.local import LocalServer

EVERYTHING = 1_000_000_000
START = datetime(2023, 1, 3, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def database(server: LocalServer, template: str) -> Iterator[Connection]:
    with (
        _janitor(server, "test_crowd", template),
        psycopg.connect(server.dsn("test_crowd"), autocommit=True) as connection,
    ):
        connection.execute(
            "insert into cto.embedding_models (name, dimensions, is_current)"
            " values ('m1', 3, true), ('m2', 3, false)"
        )
        yield connection


@pytest.fixture
def db(database: Connection) -> Iterator[Connection]:
    """The file's database, in a transaction (so now() stands still) that is rolled back."""
    with database.transaction(force_rollback=True):
        yield database


@dataclass(frozen=True)
class Row:
    """A block to store."""

    content: str
    session: str | None = None
    at: datetime = START
    said_at: datetime | None = None
    ordinal: int = 0
    language: str = "simple"
    importance: float = 0.5
    accesses: int = 0
    vector: Sequence[float] | None = None
    model: str = "m1"
    superseded_at: datetime | None = None


NUMBERS = ("score", "recency", "frequency", "importance", "similarity")


def store(db: Connection, *rows: Row) -> None:
    with db.cursor() as cursor:
        cursor.executemany(
            "insert into cto.blocks (owner_id, session_hash, block_type, content, importance,"
            " created_at, last_said_at, ordinal, language, access_count, embedding,"
            " embedding_model, superseded_by, superseded_at)"
            " values (cto.key('ana'), cto.key(%s), 'fact', %s, %s, %s, %s, %s, %s, %s,"
            " cto._pad_vector(%s::vector), %s, %s, %s)",
            [
                (
                    *(row.session, row.content, row.importance, row.at, row.said_at or row.at),
                    *(row.ordinal, row.language, row.accesses),
                    *((str(row.vector), row.model) if row.vector is not None else (None, None)),
                    *(("f" * 64, row.superseded_at) if row.superseded_at else (None, None)),
                )
                for row in rows
            ],
        )


def in_order(words: Sequence[str], session: str | None = "s", **given: Any) -> list[Row]:
    return [
        Row(word, session, START + timedelta(minutes=number), **given)
        for number, word in enumerate(words)
    ]


def set_scorer(db: Connection, name: str = "scorer", **config: Any) -> None:
    """Set a scorer for which every owner is a crowd, if nothing else is said."""
    config["crowd"] = {"blocks": 0} | config.get("crowd", {})
    db.execute("select cto.set_algorithm(%s, %s)", (name, Jsonb(config)))


def only(db: Connection, **config: Any) -> None:
    """Switch everything off that belongs to similarity, but for what is given."""
    set_scorer(
        db,
        smoothing=NO_SMOOTHING | config.pop("smoothing", {}),
        signals=NO_SIGNALS | config.pop("signals", {}),
        **config,
    )


def scores(db: Connection, **given: Any) -> dict[str, Scored]:
    """Return the scored blocks by hash, best first."""
    given = {"max_candidates": 1000, **given}
    if given.get("query_embedding") is not None:
        given["query_embedding"] = str(given["query_embedding"])
    names = ", ".join(
        f"{name} => %({name})s" + ("::vector" if name == "query_embedding" else "")
        for name in given
    )
    rows = db.execute(
        "select block_hash, content, score, recency, frequency, importance, similarity"
        f" from cto.score_blocks('ana', {names})".encode(),
        given,
    )
    return {row[0]: Scored(*row[1:]) for row in rows}


def similarities(db: Connection, **given: Any) -> dict[str, float | None]:
    return {block.content: block.similarity for block in scores(db, **given).values()}


def assert_same(found: Mapping[str, Scored], wanted: Mapping[str, Any]) -> None:
    assert found.keys() == wanted.keys()
    for key, block in found.items():
        for name in NUMBERS:
            assert getattr(block, name) == pytest.approx(getattr(wanted[key], name), abs=EXACT), (
                name,
                block,
            )


def model_of(db: Connection, **given: Any) -> dict[str, scoring_model.Expected]:
    text, vector = given.get("query"), given.get("query_embedding")
    blocks = read_blocks(db, "ana", None if vector is None else str(vector), "m1")
    question = read_question(db, text, has_vector=vector is not None)
    return expected_scores(blocks, question, one(db, "select cto._config('scorer', 'scorer')"))


# --- owners of every kind ----------------------------------------------------------------------

WORDS = {
    "es": ["hipoteca", "banco", "enfermera", "noches", "perro", "trabajar", "marzo", "tasas"],
    "en": ["mortgage", "bank", "nurse", "nights", "dog", "working", "March", "fees"],
    "simple": ["aaa", "bbb", "ccc", "ddd", "eee", "fff", "ggg", "hhh"],
}
NAMES = ["euribor", "kubernetes", "zebra", "Logroño", "Ana", "PostgreSQL"]
QUESTIONS = [
    "hipoteca del banco y bank aaa",
    "What did Ana say about the mortgage and the fees in March?",
    "¿Qué comisiones cobra el banco, y qué dijo Ana el 3 de marzo de 2023?",
    "nurse nights Logroño kubernetes zebra enfermera bbb ccc",
    "perros trabajando, dogs worked; PostgreSQL PostgreSQL ddd",
    "in 2023",
    "zebra",
    "nothing of the kind",
    "the of and",
]
VECTORS = ([1, 0, 0], [-0.3, 0.4, 2])


def some_rows(
    chance: random.Random,
    count: int,
    *,
    gone: float = 0.1,
    languages: Sequence[str] = tuple(WORDS),
    names: float = 0.1,
    vectors: float | None = None,
) -> list[Row]:
    """Return `count` live blocks, and `gone` times as many that are superseded or yet to come."""
    sessions = [None, *(f"s{n}" for n in range(chance.randint(2, 8)))]
    if vectors is None:
        vectors = chance.choice([0.6, 0.9, 1])
    rows = []
    for number in range(count + round(gone * count)):
        language = chance.choice(languages)
        words = [
            chance.choice(NAMES if chance.random() < names else WORDS[language])
            for _ in range(chance.randint(1, 12))
        ]
        # Several at the same moment, as the blocks of one message are.
        at = START + timedelta(hours=31 * (number // chance.randint(1, 4)))
        is_gone = number >= count
        is_future = is_gone and chance.random() < 0.5
        rows.append(
            Row(
                content=" ".join(words) + f" {number}" + chance.choice(["", ".", "?", "? \n"]),
                session=chance.choice(sessions),
                at=datetime.now(UTC) + timedelta(days=1) if is_future else at,
                said_at=at + timedelta(hours=chance.choice([0, 0, 30])) if not is_future else None,
                ordinal=chance.randint(0, 2),
                language=language,
                importance=round(chance.random(), 3),
                accesses=chance.choice([0, 0, 1, 5]),
                vector=[round(chance.gauss(0, 1), 2) or 0.1 for _ in range(3)]
                if chance.random() < vectors
                else None,
                model=chance.choice(["m1"] * 9 + ["m2"]),
                superseded_at=at if is_gone and not is_future else None,
            )
        )
    return rows


def some_config(chance: random.Random) -> dict[str, Any]:
    """Return a configuration: the default, or any."""
    if chance.random() < 0.3:
        return {"decay_unit": "week"}

    def any_share() -> float:
        return chance.choice([0, 1, round(chance.random(), 3)])

    return {
        "weights": {"recency": 0.5, "frequency": any_share(), "similarity": any_share()},
        "decay_factor": chance.choice([0.5, 0.95, 0.999]),
        "decay_unit": chance.choice(["day", "week"]),
        "hybrid": {"vector": any_share(), "text": any_share() or 0.2},
        "bm25": {"k1": 10 * any_share() or 0.01, "b": any_share()},
        "smoothing": {name: any_share() for name in ("nearest", "second", "session_best")},
        "signals": {name: any_share() for name in ("date", "lead", "question")},
    }


def some_questions(chance: random.Random) -> list[dict[str, Any]]:
    """Return questions with a text, a vector, both and neither."""
    texts, vector = chance.sample(QUESTIONS, 4), chance.choice(VECTORS)
    return [
        {"query": texts[0], "query_embedding": vector},
        {"query": texts[1], "query_embedding": vector},
        {"query": texts[2]},
        {"query": texts[3]},
        {"query_embedding": vector},
        {},
    ]


@pytest.mark.parametrize("seed", range(24))
def test_scores_are_those_of_the_model(db: Connection, seed: int) -> None:
    chance = random.Random(seed)
    store(db, *some_rows(chance, chance.randint(30, 120)))
    crowd = {
        "blocks": chance.choice([0, 10, 29]),
        "nearest": chance.choice([2, 5, 10, 20, 40]),
        "worded": chance.choice([1, 1, 3, 6, 20]),
    }
    set_scorer(db, crowd=crowd, **some_config(chance))
    for question in some_questions(chance):
        found = scores(db, **question)
        assert_same(found, model_of(db, **question))
        similar = [block.similarity for block in found.values()]
        if question:
            assert max(similar) in (0, 1)
        else:
            assert set(similar) == {None}


@pytest.mark.parametrize("seed", range(4))
def test_where_more_than_66_stand_out_scores_are_those_of_the_model(
    db: Connection, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    store(db, *some_rows(chance, 250, vectors=1))
    set_scorer(db, crowd={"nearest": 120, "worded": 80})
    questions = [
        {"query": QUESTIONS[seed], "query_embedding": VECTORS[0]},
        {"query": " ".join(word for words in WORDS.values() for word in words)},
        {"query_embedding": VECTORS[1]},
    ]
    for question in questions:
        found, wanted = scores(db, **question), model_of(db, **question)
        assert_same(found, wanted)
        with monkeypatch.context() as patch:
            patch.setattr(scoring_model, "SEEDS", 1000)
            assert model_of(db, **question) != wanted


# --- when there is a crowd ---------------------------------------------------------------------


def test_there_is_a_crowd_from_one_block_more_on(db: Connection) -> None:
    store(db, *some_rows(random.Random(1), 40))
    question = {"query": QUESTIONS[0], "query_embedding": VECTORS[0]}
    found = {}
    for blocks in (EVERYTHING, 40, 39, 0):
        set_scorer(db, crowd={"blocks": blocks, "nearest": 10, "worded": 6})
        found[blocks] = scores(db, **question)
        assert_same(found[blocks], model_of(db, **question))
    assert found[40] == found[EVERYTHING]
    assert found[39] == found[0]
    similar = {blocks: [b.similarity for b in found[blocks].values()] for blocks in (39, 40)}
    assert similar[40].count(0) == 1
    assert similar[39].count(0) > 1


def test_what_is_superseded_or_yet_to_come_does_not_make_a_crowd(db: Connection) -> None:
    rows = some_rows(random.Random(2), 30, gone=1)
    store(db, *rows)
    question = {"query": QUESTIONS[0], "query_embedding": VECTORS[0]}
    set_scorer(db, crowd={"blocks": EVERYTHING, "nearest": 5, "worded": 2})
    wanted = scores(db, **question)
    assert len(wanted) == 30
    set_scorer(db, crowd={"blocks": 30, "nearest": 5, "worded": 2})
    assert scores(db, **question) == wanted
    set_scorer(db, crowd={"blocks": 29, "nearest": 5, "worded": 2})
    assert scores(db, **question) != wanted


def test_what_is_superseded_does_not_make_a_crowd_after_it_was_counted(db: Connection) -> None:
    store(
        db,
        *in_order(["zebra", "other", "more"]),
        *in_order([f"gone {number}" for number in range(5)], superseded_at=START),
    )
    set_scorer(db, crowd={"blocks": 3})
    before = scores(db, query="zebra")
    db.execute("select cto.refresh_statistics('ana')")
    db.execute("update cto.owner_statistics set counted_at = now() - interval '1 hour'")
    assert scores(db, query="zebra") == before


def test_there_is_a_crowd_as_of_the_moment(db: Connection) -> None:
    store(
        db,
        *in_order(["zebra a", "zebra b", "other c"]),
        Row("gone", at=START, superseded_at=START + timedelta(days=2)),
        Row("later", at=START + timedelta(days=1)),
    )
    moments = [START + timedelta(hours=days) for days in (12, 36, 60)]
    found = {}
    for blocks in (0, 4, EVERYTHING):
        only(db, crowd={"blocks": blocks}, smoothing={"nearest": 0.3})
        found[blocks] = [scores(db, query="zebra", as_of=moment) for moment in moments]
    small, crowd = found[EVERYTHING], found[0]
    assert [len(blocks) for blocks in small] == [4, 5, 4]
    assert all(a != b for a, b in zip(small, crowd, strict=True))
    assert found[4] == [small[0], crowd[1], small[2]]


# --- what stands out, by hand ------------------------------------------------------------------


def turned(cosine: float) -> list[float]:
    """Return a vector with that cosine to [1, 0, 0]."""
    return [cosine, math.sqrt(1 - cosine**2), 0]


def test_the_nearest_are_scaled_among_themselves_and_the_others_are_far(db: Connection) -> None:
    only(db, crowd={"nearest": 3})
    cosines = (0.9, 0.8, 0.5, 0.49, -0.9)
    store(db, *(Row(f"at {cosine}", vector=turned(cosine)) for cosine in cosines))
    assert similarities(db, query_embedding=[1, 0, 0]) == pytest.approx(
        {"at 0.9": 1, "at 0.8": 0.75, "at 0.5": 0, "at 0.49": 0, "at -0.9": 0}, abs=1e-6
    )


def test_the_nearest_count_for_eight_tenths_beside_words(db: Connection) -> None:
    only(db)
    store(
        db,
        Row("zebra", vector=turned(0)),
        Row("near", vector=turned(1)),
        Row("nearer", vector=turned(0.5)),
    )
    assert similarities(db, query="zebra", query_embedding=[1, 0, 0]) == pytest.approx(
        {"near": 1, "zebra": 0.4 / 0.48, "nearer": 0.5}, abs=1e-6
    )


def test_what_waits_for_its_vector_is_not_near(db: Connection) -> None:
    only(db)
    store(
        db,
        Row("near", vector=[1, 0, 0]),
        Row("far", vector=[-1, 0, 0]),
        Row("waits"),
        Row("other model", vector=[1, 0, 0], model="m2"),
    )
    assert similarities(db, query_embedding=[1, 0, 0]) == {
        "near": 1,
        "far": 0,
        "waits": 0,
        "other model": 0,
    }


def hashes(db: Connection, contents: Sequence[str]) -> list[str]:
    """Return these contents in the order of their hashes."""
    rows = db.execute(
        "select content from cto.blocks where content = any (%s) order by hash", (list(contents),)
    )
    return [row[0] for row in rows]


@pytest.mark.parametrize("nearest", [1, 3])
def test_of_equally_near_ones_the_first_by_their_hash_are_near(
    db: Connection, nearest: int
) -> None:
    only(db, crowd={"nearest": nearest})
    contents = [f"block {number}" for number in range(7)]
    store(db, *(Row(content, vector=[2, 1, 0]) for content in contents))
    found = similarities(db, query_embedding=[1, 0, 0])
    ordered = hashes(db, contents)
    assert found == {content: int(content in ordered[:nearest]) for content in contents}


def test_where_nothing_is_near_nothing_is_similar(db: Connection) -> None:
    only(db)
    store(db, *(Row(f"block {number}", vector=[-2, 1, 0]) for number in range(3)))
    assert set(similarities(db, query_embedding=[1, 0, 0]).values()) == {0}


@pytest.mark.parametrize("cosines", [(0.9, 0.5, 0.4), (0.9, 0.9, 0.4), (0.9,)], ids=str)
def test_what_is_not_among_the_nearest_is_not_near_for_its_words(
    db: Connection, cosines: Sequence[float]
) -> None:
    """Equally near: one is asked for, so many have the same vector, or only one has any."""
    only(db, crowd={"nearest": max(1, cosines.count(0.9))})
    store(
        db,
        *(Row(f"block {n}", vector=turned(cosine)) for n, cosine in enumerate(cosines)),
        Row("zebra far", vector=turned(0.1) if len(cosines) > 1 else None),
    )
    found = similarities(db, query="zebra", query_embedding=[1, 0, 0])
    assert found["block 0"] == 1
    assert found["zebra far"] == pytest.approx(0.4 / 0.48, abs=EXACT)


@pytest.mark.parametrize("has_vector", [True, False])
def test_only_the_best_worded_hold_the_words(db: Connection, has_vector: bool) -> None:
    only(db, crowd={"worded": 1}, bm25={"b": 0})
    store(
        db, *(Row("zebra " * number + "x") for number in range(1, 13)), Row("far", vector=[1, 0, 0])
    )
    given = {"query_embedding": [-1, 0, 0]} if has_vector else {}
    found = similarities(db, query="zebra", **given)
    held = [
        saturated(n) / saturated(12) if n > (11 if has_vector else 2) else 0 for n in range(1, 13)
    ]
    assert found.pop("far") == 0
    assert sorted(found.values()) == pytest.approx(held, abs=EXACT)


def test_beside_a_vector_what_comes_to_less_than_15_hundredths_of_the_best_holds_no_words(
    db: Connection,
) -> None:
    only(db, bm25={"k1": 10, "b": 0})
    store(
        db, *(Row("zebra " * number + "x") for number in (1, 2, 30)), Row("far", vector=[1, 0, 0])
    )
    once, twice = (saturated(number, 10) / saturated(30, 10) for number in (1, 2))
    assert once < 0.15 < twice
    found = similarities(db, query="zebra", query_embedding=[-1, 0, 0])
    assert sorted(found.values()) == pytest.approx([0, 0, twice, 1], abs=EXACT)
    found = similarities(db, query="zebra")
    assert sorted(found.values()) == pytest.approx([0, once, twice, 1], abs=EXACT)


def test_of_equally_worded_ones_the_first_by_their_hash_hold_the_words(db: Connection) -> None:
    only(db, crowd={"worded": 1})
    contents = [f"zebra x{number}" for number in range(15)]
    store(db, *(Row(content) for content in contents))
    found = similarities(db, query="zebra")
    ordered = hashes(db, contents)
    assert found == {content: int(content in ordered[:10]) for content in contents}


def test_how_rare_a_word_is_goes_by_all_blocks_that_hold_it(db: Connection) -> None:
    """The nine that hold "yak" only are not among the ten best, and count all the same."""
    only(db, crowd={"worded": 1}, bm25={"b": 0})
    store(
        db,
        *(Row("zebra " * 9 + f"x{number}") for number in range(9)),
        Row("zebra yak yak"),
        *(Row(f"yak y{number}") for number in range(9)),
        Row("other"),
    )
    found = similarities(db, query="zebra yak")
    zebra, yak = (math.log(1 + (20 - n + 0.5) / (n + 0.5)) for n in (10, 10))
    both, often = zebra * saturated(1) + yak * saturated(2), zebra * saturated(9)
    assert found["zebra yak yak"] == 1
    assert found["zebra " * 9 + "x0"] == pytest.approx(often / both, abs=EXACT)
    assert found["yak y0"] == 0


def test_what_was_said_around_the_best_is_near_too_and_beyond_the_ends_nothing_is_added(
    db: Connection,
) -> None:
    only(db, smoothing={"nearest": 0.3, "second": 0.15})
    store(
        db,
        *in_order(["a1", "b2", "zebra", "d4", "e5", "f6"]),
        *in_order(["zebra!", "b"], "t"),
        *in_order(["zebra?", "c"], None),
    )
    assert similarities(db, query="zebra") == pytest.approx(
        {
            **dict.fromkeys(("zebra", "zebra!", "zebra?"), 1),
            **dict.fromkeys(("b2", "d4", "b"), saturated(0.3) / saturated(1)),
            **dict.fromkeys(("a1", "e5"), saturated(0.15) / saturated(1)),
            **dict.fromkeys(("f6", "c"), 0),
        },
        abs=EXACT,
    )


def test_a_superseded_block_stands_between_nobody(db: Connection) -> None:
    only(db, smoothing={"nearest": 0.3})
    zebra, gone, c3, d4 = in_order(["zebra", "gone", "c3", "d4"])
    store(db, zebra, Row(gone.content, "s", gone.at, superseded_at=gone.at), c3, d4)
    near = pytest.approx(saturated(0.3) / saturated(1), abs=EXACT)
    assert similarities(db, query="zebra") == {"zebra": 1, "c3": near, "d4": 0}


def test_vectors_are_smoothed_around_the_best_alone(db: Connection) -> None:
    only(db, smoothing={"nearest": 0.3, "second": 0.15}, crowd={"nearest": 2})
    vectors = [turned(0.4), turned(0.4), [1, 0, 0], turned(0.4), turned(0.4), turned(0.4)]
    store(
        db,
        *(
            Row(row.content, row.session, row.at, vector=vector)
            for row, vector in zip(in_order([f"w{n}" for n in range(6)]), vectors, strict=True)
        ),
        Row("second", vector=turned(0.5)),
    )
    assert similarities(db, query_embedding=[1, 0, 0]) == pytest.approx(
        {"w2": 1, "w1": 0.3, "w3": 0.3, "w0": 0.15, "w4": 0.15, "w5": 0, "second": 0}, abs=1e-6
    )


def test_nothing_is_added_around_the_67th_best(db: Connection) -> None:
    only(db, smoothing={"nearest": 0.3}, bm25={"b": 0})
    for number in range(1, 71):
        store(db, *in_order(["zebra " * number, f"next to {number}"], f"s{number}"))
    found = similarities(db, query="zebra")
    near = [number for number in range(1, 71) if found[f"next to {number}"]]
    assert near == list(range(5, 71))
    assert all(found["zebra " * number] for number in range(1, 71))


def test_between_two_windows_of_the_best_nothing_is_added(db: Connection) -> None:
    """Of 68 that hold the word, two do not count as the best: beside one of them, nothing."""
    only(db, smoothing={"nearest": 1, "second": 0}, bm25={"k1": 10, "b": 0})
    store(
        db,
        *in_order(["a " * 3, "zebra x", "zebra y", "b b b", "c c c", "d d d"], "last"),
        *(Row("zebra " * (number + 2), f"s{number}") for number in range(66)),
    )
    found = similarities(db, query="zebra")
    most = saturated(67, 10)
    assert found["zebra x"] == found["zebra y"] == pytest.approx(saturated(1, 10) / most, abs=EXACT)
    assert found["a " * 3] == found["b b b"] == 0


def test_what_is_missing_of_the_three_best_of_a_session_counts_as_0(db: Connection) -> None:
    only(db, smoothing={"session_best": 0.3})
    store(
        db,
        Row("zebra alone"),
        *in_order(["zebra a"], "one"),
        *in_order(["zebra b", "zebra c", "d d", "e e"], "two of four"),
        *in_order(["zebra f", "zebra g", "zebra h", "zebra i", "j j"], "four of five"),
        *in_order(["m m"], "none"),
    )
    found = similarities(db, query="zebra")
    expected = {"zebra alone": 1.3, "zebra a": 1.1, "zebra b": 1.2, "zebra f": 1.3}
    assert {content: found[content] for content in expected} == pytest.approx(
        {content: value / 1.3 for content, value in expected.items()}, abs=EXACT
    )
    # What does not stand out by itself gains nothing by its session.
    assert {found[content] for content in ("d d", "e e", "j j", "m m")} == {0}


def test_a_date_lifts_only_what_stands_out(db: Connection) -> None:
    only(db, signals={"date": 0.3}, smoothing={"nearest": 0.3}, bm25={"b": 0})
    march, april = (datetime(2023, month, 5, tzinfo=UTC) for month in (3, 4))
    store(
        db,
        Row("zebra march", "s", march),
        Row("next march", "s", march + timedelta(minutes=1)),
        Row("other march", "s", march + timedelta(minutes=2)),
        Row("zebra april", "t", april),
        Row("other april", None, april),
    )
    assert similarities(db, query="zebra in marzo") == pytest.approx(
        {
            "zebra march": 1,
            "zebra april": 1 / 1.3,
            "next march": (saturated(0.3) + 0.3) / 1.3,
            "other march": 0,
            "other april": 0,
        },
        abs=EXACT,
    )


def test_words_are_alone_where_no_block_has_a_vector(db: Connection) -> None:
    only(db, signals={"date": 0.3})
    march, april = (datetime(2023, month, 5, tzinfo=UTC) for month in (3, 4))
    store(db, Row("zebra march", None, march), Row("zebra april", None, april))
    wanted = similarities(db, query="zebra in marzo")
    assert wanted == pytest.approx({"zebra march": 1, "zebra april": 1 / 1.3}, abs=EXACT)
    assert similarities(db, query="zebra in marzo", query_embedding=[1, 0, 0]) == wanted


# --- edges -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_with_one_worded_and_two_near_scores_are_those_of_the_model(
    db: Connection, seed: int
) -> None:
    chance = random.Random(seed)
    store(db, *some_rows(chance, 50))
    set_scorer(db, crowd={"nearest": 2, "worded": 1})
    for question in some_questions(chance):
        assert_same(scores(db, **question), model_of(db, **question))


def test_one_near_is_the_closest_by_its_vector(db: Connection) -> None:
    store(db, *some_rows(random.Random(5), 50))
    set_scorer(db, crowd={"nearest": 1, "worded": 1})
    question = {"query_embedding": VECTORS[0]}
    found = scores(db, **question)
    assert_same(found, model_of(db, **question))
    assert [block.similarity for block in found.values()].count(1) == 1


@pytest.mark.parametrize("query", ["?", "the of and", "nothing of the kind"])
def test_a_text_that_no_block_holds_adds_nothing(db: Connection, query: str) -> None:
    store(db, *some_rows(random.Random(6), 60))
    set_scorer(db, crowd={"nearest": 10, "worded": 6})
    found = scores(db, query=query)
    assert {block.similarity for block in found.values()} == {0}
    assert_same(found, model_of(db, query=query))
    both = {"query": query, "query_embedding": VECTORS[0]}
    found = scores(db, **both)
    assert_same(found, model_of(db, **both))
    assert_same(found, scores(db, query_embedding=VECTORS[0]))


def test_what_does_not_stand_out_goes_by_importance_then_age(db: Connection) -> None:
    set_scorer(db, weights={"recency": 0, "frequency": 0, "importance": 0.5, "similarity": 0.5})
    chance = random.Random(7)
    days = chance.sample(range(1, 200), 40)
    rows = [
        Row(f"block {day}", "s", START + timedelta(days=day), importance=chance.choice([0.2, 0.5]))
        for day in days
    ]
    store(db, *rows, Row("zebra", importance=0))
    found = [block.content for block in scores(db, query="zebra").values()]
    rows.sort(key=lambda row: (-row.importance, -row.at.timestamp()))
    assert found == ["zebra", *(row.content for row in rows)]
    assert set(similarities(db, query="zebra").values()) == {0, 1}


@pytest.mark.parametrize(
    "config",
    [
        {"hybrid": {"vector": 0, "text": 0}},
        {"smoothing": NO_SMOOTHING},
        {"bm25": {"k1": 0, "b": 0}},
        {"bm25": {"k1": 0}, "smoothing": {"nearest": 0}},
        {"signals": {"question": 1, "lead": 1, "date": 1}},
        {"crowd": {"nearest": 1000, "worded": 1000}},
        {"crowd": {"nearest": 10.0, "worded": 6.0, "blocks": 3.0}},
    ],
    ids=str,
)
def test_every_configuration_that_is_taken_can_be_followed(
    db: Connection, config: dict[str, Any]
) -> None:
    store(db, *some_rows(random.Random(8), 40))
    set_scorer(db, **config)
    for question in some_questions(random.Random(9)):
        assert_same(scores(db, **question), model_of(db, **question))


@pytest.mark.parametrize("crowd", [{"blocks": EVERYTHING}, {"nearest": 3}, {"worded": 1}], ids=str)
def test_every_key_has_an_effect(db: Connection, crowd: dict[str, int]) -> None:
    store(db, *some_rows(random.Random(10), 40))
    question = {"query": QUESTIONS[3], "query_embedding": VECTORS[0]}
    set_scorer(db)
    before = scores(db, **question)
    set_scorer(db, crowd=crowd)
    after = scores(db, **question)
    assert before.keys() == after.keys()
    assert any(abs(before[key].score - after[key].score) > 1e-3 for key in before)


# --- candidates --------------------------------------------------------------------------------


def set_both(db: Connection, **config: Any) -> None:
    """Set two scorers: one that looks at candidates, one that looks at every block."""
    set_scorer(db, exhaustive_blocks=0, **config)
    set_scorer(db, "scorer_all", exhaustive_blocks=EVERYTHING, **config)
    db.execute("select cto.refresh_statistics('ana')")


@pytest.mark.parametrize("seed", range(16))
def test_where_every_block_is_a_candidate_the_scores_are_exact(db: Connection, seed: int) -> None:
    chance = random.Random(seed)
    languages = list(WORDS) if seed % 2 else [chance.choice(list(WORDS))]
    store(
        db,
        *some_rows(chance, chance.randint(30, 120), gone=0, languages=languages, names=0.05),
    )
    set_both(
        db,
        crowd={"nearest": chance.choice([2, 10, 80]), "worded": chance.choice([1, 6, 20])},
        **some_config(chance),
    )
    for question in some_questions(chance):
        assert_same(scores(db, **question), scores(db, scorer="scorer_all", **question))


@pytest.mark.parametrize("seed", range(16))
def test_where_what_stands_out_is_a_candidate_the_scores_are_exact(
    db: Connection, seed: int
) -> None:
    chance = random.Random(seed)
    rare = [f"rare{number}" for number in range(8)]
    rows = [
        Row(
            content=row.content
            if chance.random() < 0.7
            else f"{chance.choice(rare)} {row.content}",
            session=row.session,
            at=row.at,
            ordinal=row.ordinal,
            language="simple",
            importance=row.importance,
            vector=row.vector,
        )
        for row in some_rows(chance, 200, gone=0, names=0)
    ]
    store(db, *rows)
    set_both(db, crowd={"nearest": 30, "worded": 100})
    text = " ".join(chance.sample(rare, 3))
    for question in (
        {"query": text, "query_embedding": VECTORS[0]},
        {"query": text},
        {"query_embedding": VECTORS[1]},
        {},
    ):
        wanted = scores(db, scorer="scorer_all", **question)
        found = scores(db, **question | {"max_candidates": 195})
        assert len(wanted) == 200
        if question:
            assert len(found) < 195, "every block was looked at"
            assert found.keys() >= {key for key, block in wanted.items() if block.similarity}
        assert_same(found, {key: wanted[key] for key in found})


def test_what_was_said_around_the_best_has_the_same_score_whether_it_is_a_candidate(
    db: Connection,
) -> None:
    """A block that holds the word, but not among the best, beside one that is."""
    store(
        db,
        *in_order(["zebra", "zebra b c d e f g h"], vector=[-1, 0, 0], importance=0),
        *(
            Row(f"block {n}", at=START + timedelta(days=n), vector=turned(n / 100), importance=1)
            for n in range(1, 99)
        ),
    )
    set_both(db, crowd={"nearest": 20, "worded": 1})
    question = {"query": "zebra", "query_embedding": [1, 0, 0]}
    found = scores(db, **question, max_candidates=99)
    wanted = scores(db, scorer="scorer_all", **question)
    assert len(found) < 99, "every block was looked at"
    assert_same(found, {key: wanted[key] for key in found})


def test_a_name_is_as_rare_as_its_blocks_in_all_languages(db: Connection) -> None:
    rows = [
        Row(f"zebra {language} {number}", language=language)
        for language, count in (("en", 21), ("simple", 20))
        for number in range(count)
    ]
    store(db, *rows, *(Row(f"yak {number}") for number in range(40)))
    set_both(db)
    assert_same(*(scores(db, query="zebra yak", scorer=name) for name in ("scorer", "scorer_all")))
