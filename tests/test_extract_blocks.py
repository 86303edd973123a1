"""cto.extract_blocks: both modes, the checks of a configuration, the tier without PL/Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from conftest import Connection, _janitor, one
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from cto.local import LocalServer

SENTENCES = "Vivo en Logroño. Trabajo de noche en una panadería. Tengo dos hijas, Lola y Vera."


@pytest.fixture(scope="module")
def database(server: LocalServer, template: str) -> Iterator[Connection]:
    with (
        _janitor(server, "test_extract_blocks", template),
        psycopg.connect(server.dsn("test_extract_blocks"), autocommit=True) as connection,
    ):
        yield connection


@pytest.fixture
def db(database: Connection) -> Iterator[Connection]:
    """The file's database, in a transaction that is rolled back after the test."""
    with database.transaction(force_rollback=True):
        yield database


def extract(db: Connection, content: str, **config: Any) -> list[tuple[str, str, float, str]]:
    return db.execute(
        "select block_type, content, importance, language from cto.extract_blocks(%s, %s)",
        (content, Jsonb(config)),
    ).fetchall()  # type: ignore[return-value]


def pieces(db: Connection, content: str, **config: Any) -> list[str]:
    return [
        row[1]
        for row in extract(
            db, content, **{"extraction_mode": "message", "min_content_length": 0, **config}
        )
    ]


# --- mode message -------------------------------------------------------------------------


def test_the_whole_message_is_one_context_block(db: Connection) -> None:
    assert extract(db, SENTENCES, extraction_mode="message") == [("context", SENTENCES, 0.4, "es")]


def test_a_long_message_is_split_at_sentence_ends(db: Connection) -> None:
    assert pieces(db, SENTENCES, max_block_size=60) == [
        "Vivo en Logroño. Trabajo de noche en una panadería.",
        "Tengo dos hijas, Lola y Vera.",
    ]


def test_without_a_sentence_end_it_is_split_at_a_space(db: Connection) -> None:
    assert pieces(db, "uno dos tres cuatro cinco seis", max_block_size=15) == [
        "uno dos tres",
        "cuatro cinco",
        "seis",
    ]


def test_without_a_space_it_is_split_at_the_size(db: Connection) -> None:
    assert pieces(db, "x" * 25, max_block_size=10) == ["x" * 10, "x" * 10, "x" * 5]


def test_a_message_of_exactly_the_size_is_not_split(db: Connection) -> None:
    assert pieces(db, "vivo aquí ", max_block_size=9) == ["vivo aquí"]


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    content=st.one_of(
        st.text(
            st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
            min_size=1,
            max_size=300,
        ),
        st.text("ab .!\n。…\tñ👩", min_size=1, max_size=300),
    ),
    size=st.integers(1, 80),
)
def test_pieces_are_exact_parts_in_order_and_lose_only_white_space(
    db: Connection, content: str, size: int
) -> None:
    rest = content
    for piece in pieces(db, content, max_block_size=size):
        assert 1 <= len(piece) <= size
        gap, found, rest = rest.partition(piece)
        assert found
        assert not one(db, r"select %s ~ '\S'", gap)
    assert not one(db, r"select %s ~ '\S'", rest)


@pytest.mark.parametrize(
    ("content", "kept"), [("123456789", False), ("1234567890", True), (" 12345678 ", False)]
)
def test_below_min_content_length_nothing_is_kept(db: Connection, content: str, kept: bool) -> None:
    assert bool(pieces(db, content, min_content_length=10)) is kept


def test_without_the_pattern_context_the_mode_message_keeps_nothing(db: Connection) -> None:
    config = {"extraction_mode": "message", "patterns": ["fact", "instruction", "preference"]}
    assert extract(db, SENTENCES, **config) == []


@pytest.mark.parametrize("content", ["", "   \n ", None])
def test_a_blank_message_gives_no_blocks(db: Connection, content: str | None) -> None:
    assert db.execute("select * from cto.extract_blocks(%s)", (content,)).fetchall() == []


def test_a_text_of_250_000_characters_without_a_space_is_split(db: Connection) -> None:
    assert "".join(pieces(db, "x" * 250_000)) == "x" * 250_000


def test_stores_nothing(db: Connection) -> None:
    pieces(db, SENTENCES)
    assert one(db, "select count(*) from cto.blocks") == 0


# --- configuration --------------------------------------------------------------------------


def test_without_a_configuration_the_one_in_force_is_followed(db: Connection) -> None:
    db.execute(
        "select cto.set_algorithm('extractor', %s)",
        (Jsonb({"extraction_mode": "message", "max_block_size": 20}),),
    )
    assert one(db, "select max(length(content)) from cto.extract_blocks(%s)", SENTENCES) <= 20


def test_a_configuration_that_is_given_is_completed_by_the_defaults(db: Connection) -> None:
    db.execute(
        "select cto.set_algorithm('extractor', %s)",
        (Jsonb({"extraction_mode": "message", "max_block_size": 20}),),
    )
    assert pieces(db, SENTENCES) == [SENTENCES]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"max_size": 5}, "max_size"),
        ({"max_block_size": 0}, "max_block_size is 0"),
        ({"max_block_size": "500"}, 'max_block_size is "500"'),
        ({"max_block_size": 2.5}, "max_block_size is 2.5"),
        ({"min_content_length": -1}, "min_content_length is -1"),
        ({"extraction_mode": "magic"}, "magic"),
        ({"patterns": ["opinion"]}, "opinion"),
        ({"patterns": "fact"}, "patterns"),
        ([], "JSON object"),
        ("message", "JSON object"),
    ],
)
def test_a_configuration_that_could_not_be_followed_is_refused(
    db: Connection, config: Any, message: str
) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
        db.execute("select * from cto.extract_blocks('hola', %s)", (Jsonb(config),))
    assert caught.value.diag.message_hint


def test_a_whole_number_may_be_written_with_a_fraction_of_zero(db: Connection) -> None:
    config = '{"extraction_mode": "message", "max_block_size": 500.0, "min_content_length": 1.0}'
    assert one(db, "select count(*) from cto.extract_blocks(%s, %s)", SENTENCES, config) == 1


# --- mode heuristic -------------------------------------------------------------------------


@pytest.mark.usefixtures("full_tier")
def test_the_heuristic_types_what_it_finds(db: Connection) -> None:
    message = (
        "Me llamo Fermín y soy carpintero en Cuenca. Prefiero el té al café. "
        "A partir de ahora responde siempre en español. ¿Qué tiempo hace?"
    )
    found = extract(db, message)
    assert [row[0] for row in found] == ["fact", "preference", "instruction"]
    assert all(row[1] in message and row[3] == "es" and 0 <= row[2] <= 1 for row in found)


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("pattern", ["fact", "instruction", "preference"])
def test_the_heuristic_keeps_the_types_in_patterns_only(db: Connection, pattern: str) -> None:
    message = (
        "Me llamo Fermín y soy carpintero en Cuenca. Prefiero el té al café. "
        "A partir de ahora responde siempre en español."
    )
    assert [row[0] for row in extract(db, message, patterns=[pattern])] == [pattern]
    assert extract(db, message, patterns=[]) == []


@pytest.mark.usefixtures("full_tier")
def test_the_heuristic_follows_both_lengths(db: Connection) -> None:
    message = "Me llamo Fermín y soy carpintero en Cuenca. Soy alérgica al polen."
    assert len(extract(db, message)) == 2
    assert [row[1] for row in extract(db, message, min_content_length=30)] == [
        "Me llamo Fermín y soy carpintero en Cuenca"
    ]
    assert all(len(row[1]) <= 25 for row in extract(db, message, max_block_size=25))


@pytest.mark.usefixtures("full_tier")
@pytest.mark.parametrize("content", ["¿Qué tiempo hace mañana?", "```\nvivo = 'Logroño'\n```"])
def test_questions_and_code_give_no_blocks(db: Connection, content: str) -> None:
    assert extract(db, content) == []


def test_without_pl_python_the_heuristic_is_carried_out_as_message(db: Connection) -> None:
    db.execute("drop function if exists cto._extract_heuristic(text, integer, integer, text[])")
    assert extract(db, SENTENCES) == [("context", SENTENCES, 0.4, "es")]
