"""cto.score_blocks: each component by hand, BM25 against another implementation, the candidates."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from conftest import Connection, _janitor, one
from psycopg.types.json import Jsonb

from cto.local import LocalServer

EXACT = 1e-9
NO_SMOOTHING = {"nearest": 0, "second": 0, "session_best": 0}


@pytest.fixture(scope="module")
def database(server: LocalServer, template: str) -> Iterator[Connection]:
    with (
        _janitor(server, "test_score_blocks", template),
        psycopg.connect(server.dsn("test_score_blocks"), autocommit=True) as connection,
    ):
        yield connection


@pytest.fixture
def db(database: Connection) -> Iterator[Connection]:
    """The file's database, in a transaction (so now() stands still) that is rolled back."""
    with database.transaction(force_rollback=True):
        yield database


@dataclass(frozen=True)
class Scored:
    content: str
    score: float
    recency: float
    frequency: float | None
    importance: float
    similarity: float | None


def say(db: Connection, content: str, ago: str = "0 hours", **arguments: Any) -> str:
    given = {"owner": "ana", "content": content, **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given)
    row = db.execute(
        f"select cto.remember({names}, at => now() - %(ago)s::interval)".encode(),
        {**given, "ago": ago},
    ).fetchone()
    assert row is not None
    return str(row[0])


def give_vector(db: Connection, content: str, vector: list[float], model: str = "m1") -> None:
    db.execute(
        "insert into cto.embedding_models (name, dimensions, is_current) values (%s, 3, %s)"
        " on conflict do nothing",
        (model, model == "m1"),
    )
    db.execute(
        "update cto.blocks set embedding = cto._pad_vector(%s::vector), embedding_model = %s"
        " where content = %s",
        (str(vector), model, content),
    )


def scores(db: Connection, owner: str = "ana", **arguments: Any) -> dict[str, Scored]:
    """Return the scored blocks by content, best first."""
    given = {"owner": owner, **arguments}
    if "query_embedding" in given:
        given["query_embedding"] = str(given["query_embedding"])
    names = ", ".join(
        f"{name} => %({name})s" + ("::vector" if name == "query_embedding" else "")
        for name in given
    )
    rows = db.execute(
        "select content, score, recency, frequency, importance, similarity"
        f" from cto.score_blocks({names})".encode(),
        given,
    )
    return {row[0]: Scored(*row) for row in rows}


def set_scorer(db: Connection, **config: Any) -> None:
    db.execute("select cto.set_algorithm('scorer', %s)", (Jsonb(config),))


# --- recency -----------------------------------------------------------------------------------


@pytest.mark.parametrize("hours", [0, 1, 10, 100, 1000])
def test_recency_is_095_to_the_hours_since_it_was_said(db: Connection, hours: int) -> None:
    say(db, "x", f"{hours} hours")
    assert scores(db)["x"].recency == pytest.approx(0.95**hours, abs=EXACT)


@pytest.mark.parametrize(
    ("unit", "seconds"), [("minute", 60), ("hour", 3600), ("day", 86_400), ("week", 604_800)]
)
def test_the_age_is_counted_in_decay_units(db: Connection, unit: str, seconds: int) -> None:
    set_scorer(db, decay_factor=0.5, decay_unit=unit)
    say(db, "x", "90 minutes")
    expected = 0.5 ** (5400 / seconds)
    assert scores(db)["x"].recency == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("factor", "now", "later"), [(0, 1, 0), (1, 1, 1)])
def test_decay_factors_of_0_and_1_mean_what_they_say(
    db: Connection, factor: int, now: float, later: float
) -> None:
    set_scorer(db, decay_factor=factor)
    say(db, "now")
    say(db, "later", "1 hour")
    assert scores(db)["now"].recency == now
    assert scores(db)["later"].recency == later


@pytest.mark.parametrize("unit", ["minute", "hour"])
def test_a_block_of_three_years_ago_is_no_underflow(db: Connection, unit: str) -> None:
    set_scorer(db, decay_unit=unit)
    say(db, "x", "3 years")
    assert scores(db)["x"].recency == pytest.approx(0, abs=EXACT)


def test_recency_counts_from_the_last_time_it_was_said(db: Connection) -> None:
    say(db, "x", "100 hours")
    say(db, "x", "2 hours")
    assert scores(db)["x"].recency == pytest.approx(0.95**2, abs=EXACT)


# --- frequency and importance ------------------------------------------------------------------


def test_frequency_is_relative_to_the_most_read_candidate(db: Connection) -> None:
    for content, count in (("never", 0), ("once", 1), ("often", 20)):
        say(db, content)
        db.execute("update cto.blocks set access_count = %s where content = %s", (count, content))
    found = scores(db)
    assert found["never"].frequency == 0
    assert found["once"].frequency == pytest.approx(math.log(2) / math.log(21), abs=EXACT)
    assert found["often"].frequency == 1


def test_accesses_that_are_not_folded_yet_count(db: Connection) -> None:
    read = say(db, "read")
    say(db, "other")
    db.execute("update cto.blocks set access_count = 3 where content = 'other'")
    db.execute(
        "insert into cto.accesses (owner_id, block_hash, session_hash)"
        " select cto.key('ana'), %s, cto.key('s') from generate_series(1, 7)",
        (read,),
    )
    found = scores(db)
    assert found["read"].frequency == 1
    assert found["other"].frequency == pytest.approx(math.log(4) / math.log(8), abs=EXACT)


def test_where_nothing_was_read_the_weight_of_frequency_is_left_out(db: Connection) -> None:
    say(db, "x", importance=0.5)
    found = scores(db)["x"]
    assert found.frequency is None
    assert found.score == pytest.approx((0.3 * 1 + 0.3 * 0.5) / 0.6, abs=EXACT)


@pytest.mark.parametrize("importance", [0, 0.3, 1])
def test_importance_is_as_stored(db: Connection, importance: float) -> None:
    say(db, "x", importance=importance)
    assert scores(db)["x"].importance == importance


def test_the_score_is_the_weighted_mean_of_all_components(db: Connection) -> None:
    say(db, "Vivo en Logroño", "10 hours", importance=0.2)
    say(db, "Me gusta el té", "1 hour", importance=0.9)
    db.execute("update cto.blocks set access_count = 2 where content = 'Vivo en Logroño'")
    found = scores(db, query="Logroño")
    assert found["Vivo en Logroño"].score == pytest.approx(
        0.3 * 0.95**10 + 0.2 * 1 + 0.3 * 0.2 + 0.2 * 1, abs=EXACT
    )
    assert found["Me gusta el té"].score == pytest.approx(0.3 * 0.95 + 0.3 * 0.9, abs=EXACT)


def test_the_best_comes_first(db: Connection) -> None:
    for importance in (0.2, 0.9, 0.5):
        say(db, f"importance {importance}", importance=importance)
    assert list(scores(db)) == ["importance 0.9", "importance 0.5", "importance 0.2"]


def test_an_owner_sees_no_block_of_another(db: Connection) -> None:
    say(db, "x")
    say(db, "y", owner="bea")
    assert list(scores(db, "ana")) == ["x"]
    assert list(scores(db, "nobody")) == []


# --- similarity: no query, words ---------------------------------------------------------------


@pytest.mark.parametrize("query", [None, "", "  \n"])
def test_without_a_query_the_weight_of_similarity_is_left_out(
    db: Connection, query: str | None
) -> None:
    say(db, "x", importance=0.5)
    found = scores(db, query=query)["x"]
    assert found.similarity is None
    assert found.score == pytest.approx(0.75, abs=EXACT)


@pytest.mark.parametrize("query", ["campaña", "campana", "CAMPAÑA", "Campañas", "¿campaña?"])
def test_spanish_words_are_found_whatever_accent_case_and_number(
    db: Connection, query: str
) -> None:
    say(db, "La campaña de otoño empieza el lunes")
    say(db, "El perro de mi hermana come pienso")
    found = scores(db, query=query)
    assert found["La campaña de otoño empieza el lunes"].similarity == 1
    assert found["El perro de mi hermana come pienso"].similarity == 0


@pytest.mark.parametrize("query", ["CAMPANAS", "campaña"])
def test_a_block_without_accents_is_found_by_a_query_with_them(db: Connection, query: str) -> None:
    say(db, "las campanas de la iglesia suenan en la plaza")
    say(db, "el perro de mi hermana come pienso")
    found = scores(db, query=query)
    assert found["las campanas de la iglesia suenan en la plaza"].similarity == 1


def test_a_query_in_one_language_finds_blocks_of_every_language(db: Connection) -> None:
    for language in ("es", "en", "simple"):
        say(db, f"{language} kubernetes cluster", language=language)
    say(db, "nothing of the kind")
    found = scores(db, query="kubernetes")
    assert {c for c, block in found.items() if block.similarity} == {
        "es kubernetes cluster",
        "en kubernetes cluster",
        "simple kubernetes cluster",
    }


def test_a_query_that_matches_nothing_makes_nothing_similar(db: Connection) -> None:
    say(db, "x")
    say(db, "y")
    assert {block.similarity for block in scores(db, query="zebra").values()} == {0}


@pytest.mark.parametrize(
    "query", ["it's", "a & b | !c", "'); drop", "100%", "<->", "x:*", "👩\u200d🚀"]
)
def test_marks_in_a_query_are_only_text(db: Connection, query: str) -> None:
    say(db, "x")
    assert len(scores(db, query=query)) == 1


def test_a_rare_word_beats_a_common_one(db: Connection) -> None:
    set_scorer(db, smoothing=NO_SMOOTHING)
    for number in range(8):
        say(db, f"informe mensual {number}")
    say(db, "subrogación hipoteca x")
    found = scores(db, query="informe subrogación")
    assert found["subrogación hipoteca x"].similarity == 1
    assert found["informe mensual 3"].similarity == 0


def test_of_two_blocks_with_the_word_the_shorter_is_nearer(db: Connection) -> None:
    set_scorer(db, smoothing=NO_SMOOTHING)
    short, long = "hipoteca fija", "hipoteca fija " + " ".join(f"palabra{n}" for n in range(40))
    say(db, short, language="es")
    say(db, long, language="es")
    say(db, "otra cosa", language="es")
    found = scores(db, query="hipoteca")
    assert found[short].similarity == 1
    assert (found[long].similarity or 1) < 1


CORPUS = [
    ("es", "La hipoteca variable sube con el euríbor cada año"),
    ("es", "Quiere cambiar de hipoteca variable a fija"),
    ("es", "Los seguros vinculados encarecen la hipoteca"),
    ("es", "Mi hermana vive en Logroño y trabaja como enfermera"),
    ("es", "El banco pide comisiones de subrogación"),
    ("en", "The mortgage has a variable rate"),
    ("en", "My sister lives in Logroño and works nights as a nurse"),
    ("en", "Rates went up again"),
    ("simple", "EURIBOR 12M 2.4"),
    ("simple", "banco santander hipoteca"),
]
REPEATS = [
    ("es", "hipoteca hipoteca hipoteca"),
    ("es", "hipoteca del banco y otra hipoteca del banco y el banco"),
    ("en", "rate rate variable rate nurse nurse nurse nurse nurse nurse nurse nurse"),
]


def bm25(db: Connection, query: str, k1: float = 1.2, b: float = 0.75) -> dict[str, float]:
    """Robertson and Zaragoza 2009, on the lexemes that PostgreSQL made, scaled to the best."""
    terms = {
        language: set(
            one(
                db,
                "select tsvector_to_array(to_tsvector(cto.text_search_config(%s), %s))",
                language,
                query,
            )
        )
        for language in ("es", "en", "simple")
    }
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    languages = {}
    for content, language, lexeme, times in db.execute(
        "select b.content, b.language, x.lexeme, cardinality(x.positions)"
        " from cto.blocks as b, unnest(b.lexemes) as x"
    ):
        counts[content][lexeme] = times
        languages[content] = language
    mean = sum(sum(words.values()) for words in counts.values()) / len(counts)
    holders: dict[str, int] = defaultdict(int)
    for content, words in counts.items():
        for lexeme in words.keys() & terms[languages[content]]:
            holders[lexeme] += 1
    result = {}
    for content, words in counts.items():
        length = 1 - b + b * sum(words.values()) / mean
        result[content] = sum(
            math.log(1 + (len(counts) - holders[lexeme] + 0.5) / (holders[lexeme] + 0.5))
            * words[lexeme]
            * (k1 + 1)
            / (words[lexeme] + k1 * length)
            for lexeme in words.keys() & terms[languages[content]]
        )
    return {content: value / max(result.values()) for content, value in result.items()}


@pytest.mark.parametrize("corpus", [CORPUS, CORPUS + REPEATS], ids=["no repeats", "repeats"])
@pytest.mark.parametrize(
    "query",
    ["hipoteca variable", "¿Qué banco sube la hipoteca?", "variable rate", "sister nurse Logroño"],
)
@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (2.0, 0.0), (0.0, 1.0)])
def test_lexical_similarity_is_bm25(
    db: Connection, corpus: list[tuple[str, str]], query: str, k1: float, b: float
) -> None:
    set_scorer(db, smoothing=NO_SMOOTHING, bm25={"k1": k1, "b": b})
    for language, content in corpus:
        say(db, content, language=language)
    found = {content: block.similarity for content, block in scores(db, query=query).items()}
    assert found == pytest.approx(bm25(db, query, k1, b), abs=1e-6)


# --- similarity: vectors -----------------------------------------------------------------------


def vectors_only(db: Connection) -> None:
    set_scorer(db, smoothing=NO_SMOOTHING, hybrid={"vector": 1, "text": 0})
    for content, vector in (("near", [1, 0.1, 0]), ("middle", [1, 1, 0]), ("far", [-1, 0, 0])):
        say(db, content)
        give_vector(db, content, vector)


def test_similarity_is_the_cosine_between_least_and_most(db: Connection) -> None:
    vectors_only(db)
    found = scores(db, query_embedding=[2, 0, 0])
    near, middle = 1 / math.sqrt(1.01), 1 / math.sqrt(2)
    assert found["near"].similarity == pytest.approx(1)
    assert found["middle"].similarity == pytest.approx((middle + 1) / (near + 1), abs=1e-6)
    assert found["far"].similarity == pytest.approx(0)


@pytest.mark.parametrize("dimensions", [3, 384, 1536])
def test_a_shorter_query_vector_is_padded(db: Connection, dimensions: int) -> None:
    vectors_only(db)
    expected = scores(db, query_embedding=[1, 0, 0])
    db.execute("update cto.embedding_models set dimensions = %s", (dimensions,))
    assert scores(db, query_embedding=[1, 0, 0] + [0] * (dimensions - 3)) == expected


def test_vectors_of_384_dimensions_are_compared_as_they_are(db: Connection) -> None:
    set_scorer(db, smoothing=NO_SMOOTHING, hybrid={"vector": 1, "text": 0})
    vectors = {
        name: [math.sin(seed * n) for n in range(1, 385)]
        for name, seed in (("a", 1.0), ("b", 1.003), ("c", 2.7))
    }
    for name, vector in vectors.items():
        say(db, name)
        give_vector(db, name, vector)
    db.execute("update cto.embedding_models set dimensions = 384")
    query = vectors["a"]
    cosines = {
        name: sum(x * y for x, y in zip(query, vector, strict=True))
        / math.hypot(*query)
        / math.hypot(*vector)
        for name, vector in vectors.items()
    }
    least, most = min(cosines.values()), max(cosines.values())
    found = {n: block.similarity for n, block in scores(db, query_embedding=query).items()}
    assert found == pytest.approx(
        {name: (cosine - least) / (most - least) for name, cosine in cosines.items()}, abs=1e-5
    )


def test_vectors_of_another_model_are_not_compared(db: Connection) -> None:
    vectors_only(db)
    say(db, "other model")
    give_vector(db, "other model", [1, 0, 0], model="m2")
    found = scores(db, query_embedding=[1, 0, 0])
    others = [found[name].similarity or 0 for name in ("near", "middle", "far")]
    assert found["other model"].similarity == pytest.approx(sum(others) / 3)


def test_a_block_that_waits_for_its_vector_is_not_buried(db: Connection) -> None:
    vectors_only(db)
    say(db, "waits")
    found = scores(db, query_embedding=[1, 0, 0])
    others = [found[name].similarity or 0 for name in ("near", "middle", "far")]
    assert found["waits"].similarity == pytest.approx(sum(others) / 3)


def test_words_and_vectors_are_added_by_their_shares(db: Connection) -> None:
    set_scorer(db, smoothing=NO_SMOOTHING)
    for content, vector in (
        ("near zebra", [1, 0, 0]),
        ("near", [1, 0, 0]),
        ("far zebra", [-1, 0, 0]),
        ("far", [-1, 0, 0]),
    ):
        say(db, content, language="simple")
        give_vector(db, content, vector)
    found = scores(db, query="zebra", query_embedding=[1, 0, 0])
    assert {content: block.similarity for content, block in found.items()} == pytest.approx(
        {"near zebra": 1, "near": 0.6, "far zebra": 0.4, "far": 0}, abs=1e-6
    )


def test_a_vector_says_nothing_before_any_block_has_one(db: Connection) -> None:
    say(db, "x")
    assert scores(db, query_embedding=[1, 0, 0])["x"].similarity is None
    assert scores(db, query="x", query_embedding=[1, 0, 0])["x"].similarity == 1


@pytest.mark.parametrize(
    ("vector", "message"), [([0, 0, 0], "zero"), ([1] * 1537, "1537 dimensions")]
)
def test_a_query_vector_that_cannot_be_compared_is_refused(
    db: Connection, vector: list[float], message: str
) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
        scores(db, query_embedding=vector)
    assert caught.value.diag.message_hint


# --- smoothing along the session ---------------------------------------------------------------


def test_what_was_said_around_a_match_is_near_too(db: Connection) -> None:
    smoothing = one(db, "select cto._default_config('scorer') -> 'smoothing'")
    for number, word in enumerate(["a1", "b2", "zebra", "d4", "e5", "f6"]):
        say(db, word, f"{100 - number} minutes", session="s")
    say(db, "elsewhere", "97 minutes", session="t")
    say(db, "alone", "98 minutes")
    best = smoothing["session_best"]
    top = 1 + best
    found = {content: block.similarity for content, block in scores(db, query="zebra").items()}
    assert found == pytest.approx(
        {
            "zebra": 1,
            "b2": (smoothing["nearest"] + best) / top,
            "d4": (smoothing["nearest"] + best) / top,
            "a1": (smoothing["second"] + best) / top,
            "e5": (smoothing["second"] + best) / top,
            "f6": best / top,
            "elsewhere": 0,
            "alone": 0,
        },
        abs=1e-6,
    )


def test_the_neighbours_of_one_message_go_by_their_place_in_it(db: Connection) -> None:
    set_scorer(db, smoothing={"nearest": 0.5, "second": 0, "session_best": 0})
    for ordinal, word in enumerate(["a1", "zebra", "c3", "d4"]):
        say(db, word, session="s")
        db.execute("update cto.blocks set ordinal = %s where content = %s", (ordinal, word))
    found = {content: block.similarity for content, block in scores(db, query="zebra").items()}
    assert found == pytest.approx({"a1": 0.5, "zebra": 1, "c3": 0.5, "d4": 0}, abs=1e-6)


# --- as_of -------------------------------------------------------------------------------------


def test_a_block_is_not_there_before_it_was_created(db: Connection) -> None:
    say(db, "x", "1 hour")
    now = one(db, "select now()")
    before = one(db, "select now() - interval '2 hours'")
    assert list(scores(db, as_of=now)) == ["x"]
    assert list(scores(db, as_of=before)) == []


def test_a_superseded_block_is_there_before_it_was_superseded(db: Connection) -> None:
    say(db, "x", "3 hours")
    db.execute(
        "update cto.blocks set superseded_by = cto.key('y'),"
        " superseded_at = now() - interval '1 hour'"
    )
    assert list(scores(db)) == []
    before = one(db, "select now() - interval '2 hours'")
    found = scores(db, as_of=before)["x"]
    assert found.recency == pytest.approx(0.95, abs=EXACT)


def test_as_of_a_moment_before_it_was_said_again_it_had_its_first_age(db: Connection) -> None:
    say(db, "x", "5 hours")
    say(db, "x", "1 hour")
    before = one(db, "select now() - interval '2 hours'")
    assert scores(db, as_of=before)["x"].recency == pytest.approx(0.95**3, abs=EXACT)


def test_accesses_after_as_of_do_not_count(db: Connection) -> None:
    read = say(db, "x", "5 hours")
    db.execute(
        "insert into cto.accesses (owner_id, block_hash, session_hash)"
        " values (cto.key('ana'), %s, cto.key('s'))",
        (read,),
    )
    assert scores(db)["x"].frequency == 1
    before = one(db, "select now() - interval '2 hours'")
    assert scores(db, as_of=before)["x"].frequency is None


@pytest.mark.parametrize("as_of", [None, "infinity"])
def test_as_of_must_be_a_moment(db: Connection, as_of: str | None) -> None:
    say(db, "x")
    with pytest.raises(psycopg.Error, match="as_of") as caught:
        scores(db, as_of=as_of)
    assert caught.value.diag.message_hint


# --- configuration and candidates --------------------------------------------------------------


def fill(db: Connection) -> None:
    """Blocks in which every component differs."""
    for number, (language, content) in enumerate(CORPUS + REPEATS):
        say(
            db,
            content,
            f"{number * 7} hours",
            language=language,
            session=f"s{number % 2}",
            importance=number / 20,
        )
        give_vector(db, content, [math.cos(number), math.sin(number), 0.2])
        db.execute(
            "update cto.blocks set access_count = %s where content = %s", (number * 3 % 7, content)
        )


@pytest.mark.parametrize(
    "config",
    [
        *[
            {"weights": {name: 0.9}}
            for name in ("recency", "frequency", "importance", "similarity")
        ],
        {"decay_factor": 0.5},
        {"decay_unit": "day"},
        {"hybrid": {"vector": 0.1}},
        {"hybrid": {"text": 0.9}},
        {"bm25": {"k1": 3}},
        {"bm25": {"b": 0.1}},
        {"smoothing": {"nearest": 0.7}},
        {"smoothing": {"second": 0.7}},
        {"smoothing": {"session_best": 0.9}},
    ],
    ids=str,
)
def test_every_key_of_the_configuration_has_an_effect(
    db: Connection, config: dict[str, Any]
) -> None:
    fill(db)
    query: dict[str, Any] = {"query": "hipoteca variable", "query_embedding": [1, 0, 0]}
    before = scores(db, **query)
    set_scorer(db, **config)
    after = scores(db, **query)
    assert before.keys() == after.keys()
    assert any(abs(before[c].score - after[c].score) > 1e-4 for c in before)


def test_every_component_and_score_lies_between_0_and_1(db: Connection) -> None:
    fill(db)
    for block in scores(db, query="hipoteca variable", query_embedding=[1, 0, 0]).values():
        for value in (block.score, block.recency, block.frequency, block.similarity):
            assert value is not None
            assert -EXACT <= value <= 1 + EXACT


def test_at_most_max_candidates_come_back_and_they_are_the_best(db: Connection) -> None:
    fill(db)
    everything = scores(db, query="hipoteca")
    few = scores(db, query="hipoteca", max_candidates=4)
    assert list(few.items()) == list(everything.items())[:4]


@pytest.mark.parametrize("max_candidates", [0, -1, None])
def test_max_candidates_below_one_is_refused(db: Connection, max_candidates: int | None) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="max_candidates") as caught:
        scores(db, max_candidates=max_candidates)
    assert caught.value.diag.message_hint


def test_the_pins_of_the_session_are_candidates_whatever_their_score(db: Connection) -> None:
    fill(db)
    worst = say(db, "pinned", "3 years", importance=0)
    db.execute("select cto.pin('ana', 's', %s)", (worst,))
    assert "pinned" in scores(db, session="s", max_candidates=3)
    assert "pinned" not in scores(db, session="t", max_candidates=3)
    assert "pinned" not in scores(db, max_candidates=3)


def test_more_pins_than_max_candidates_are_candidates_all_the_same(db: Connection) -> None:
    for content in ("una", "otra", "tercera"):
        db.execute("select cto.pin('ana', 's', %s)", (say(db, content),))
    assert set(scores(db, session="s", max_candidates=1)) == {"una", "otra", "tercera"}


def test_a_null_owner_is_refused(db: Connection) -> None:
    with pytest.raises(psycopg.errors.NullValueNotAllowed, match="owner") as caught:
        scores(db, owner=None)  # type: ignore[arg-type]
    assert caught.value.diag.message_hint
