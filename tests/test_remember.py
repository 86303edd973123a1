"""cto.remember: what is stored, what saying it again changes, and what is refused."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from conftest import Connection, _janitor, one
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from cto.local import LocalServer

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
TUESDAY = MONDAY + timedelta(days=1)

EVERYTHING_WRITTEN = """
select
    (select count(*) from cto.blocks), (select count(*) from cto.embedding_jobs),
    (select count(*) from cto.embedding_models), (select count(*) from cto.accesses)
"""


@pytest.fixture(scope="module")
def database(server: LocalServer, template: str) -> Iterator[Connection]:
    with (
        _janitor(server, "test_remember", template),
        psycopg.connect(server.dsn("test_remember"), autocommit=True) as connection,
    ):
        yield connection


@pytest.fixture
def db(database: Connection) -> Iterator[Connection]:
    """The file's database, in a transaction that is rolled back after the test."""
    with database.transaction(force_rollback=True):
        yield database


def remember(db: Connection, owner: str | None, content: str | None, **arguments: Any) -> str:
    given = {"owner": owner, "content": content, **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given)
    given = {
        name: Jsonb(value) if isinstance(value, dict | list) else value
        for name, value in given.items()
    }
    row = db.execute(f"select cto.remember({names})".encode(), given).fetchone()
    assert row is not None
    return str(row[0])


def block(db: Connection, block_hash: str, owner: str = "ana") -> dict[str, Any]:
    with db.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(
            "select * from cto.blocks where owner_id = cto.key(%s) and hash = %s",
            (owner, block_hash),
        ).fetchone()
    assert row is not None
    return row


def test_returns_the_sha_256_of_the_content(db: Connection) -> None:
    assert (
        remember(db, "ana", "vivo en Logroño")
        == hashlib.sha256("vivo en Logroño".encode()).hexdigest()
    )


def test_the_content_is_kept_to_the_character(db: Connection) -> None:
    content = "  two spaces, a tab\t, CRLF\r\nand 👩\u200d🚀 <|endoftext|> 'quotes' \\ %s  \n"
    assert block(db, remember(db, "ana", content))["content"] == content


def test_a_block_waits_for_its_vector(db: Connection) -> None:
    block_hash = remember(db, "ana", "vivo en Logroño")
    stored = block(db, block_hash)
    assert (stored["embedding"], stored["embedding_model"]) == (None, None)
    assert one(db, "select state from cto.embedding_jobs where block_hash = %s", block_hash) == (
        "waiting"
    )


def test_a_block_has_a_token_count_that_is_not_called_exact(db: Connection) -> None:
    stored = block(db, remember(db, "ana", "vivo en Logroño"))
    assert stored["token_count"] == one(db, "select cto.estimate_tokens('vivo en Logroño')")
    assert not stored["token_count_is_exact"]


def test_session_and_source_are_stored_as_keys(db: Connection) -> None:
    stored = block(db, remember(db, "ana", "x", session="chat 1", source="mail 7"))
    assert stored["session_hash"] == one(db, "select cto.key('chat 1')")
    assert stored["source_hash"] == one(db, "select cto.key('mail 7')")


def test_session_and_source_may_be_left_out(db: Connection) -> None:
    stored = block(db, remember(db, "ana", "x"))
    assert (stored["session_hash"], stored["source_hash"]) == (None, None)


def test_at_is_when_it_was_created_and_said(db: Connection) -> None:
    stored = block(db, remember(db, "ana", "x", at=MONDAY))
    assert (stored["created_at"], stored["last_said_at"]) == (MONDAY, MONDAY)


def test_metadata_null_is_an_empty_object(db: Connection) -> None:
    assert block(db, remember(db, "ana", "x", metadata=None))["metadata"] == {}


@pytest.mark.parametrize(
    ("block_type", "importance"),
    [("instruction", 0.8), ("preference", 0.7), ("fact", 0.6), ("context", 0.4)],
)
def test_importance_goes_by_type_when_it_is_not_given(
    db: Connection, block_type: str, importance: float
) -> None:
    stored = block(db, remember(db, "ana", "x", block_type=block_type))
    assert (stored["block_type"], stored["importance"]) == (block_type, importance)


@pytest.mark.parametrize("importance", [0, 0.25, 1])
def test_importance_is_stored_as_given(db: Connection, importance: float) -> None:
    assert block(db, remember(db, "ana", "x", importance=importance))["importance"] == importance


def test_the_type_is_fact_unless_given(db: Connection) -> None:
    assert block(db, remember(db, "ana", "x"))["block_type"] == "fact"


@pytest.mark.parametrize(
    ("content", "language"),
    [
        ("Mi hermana vive en Logroño y trabaja de noche", "es"),
        ("My sister lives in Logroño and she works at night", "en"),
        ("Logroño 2026", "es"),
        ("kubectl rollout restart", "simple"),
        ("东京的天气", "simple"),
        ("42", "simple"),
    ],
)
def test_the_language_is_detected(db: Connection, content: str, language: str) -> None:
    assert block(db, remember(db, "ana", content))["language"] == language


@pytest.mark.parametrize("language", ["es", "en", "simple"])
def test_a_language_that_is_given_is_taken(db: Connection, language: str) -> None:
    content = "My sister lives in the north and works at night"
    assert block(db, remember(db, "ana", content, language=language))["language"] == language


def test_the_language_decides_how_words_are_stemmed(db: Connection) -> None:
    spanish = block(db, remember(db, "ana", "las campañas", language="es"))
    plain = block(db, remember(db, "bea", "las campañas", language="simple"), owner="bea")
    assert spanish["lexemes"] == "'campan':2"
    assert plain["lexemes"] == "'campanas':2 'las':1"


def test_the_same_content_of_two_owners_is_two_blocks(db: Connection) -> None:
    hashes = [remember(db, owner, "vivo en Logroño") for owner in ("ana", "bea")]
    assert hashes[0] == hashes[1]
    assert one(db, "select count(*) from cto.blocks where hash = %s", hashes[0]) == 2


def test_an_owner_may_be_named_by_the_key(db: Connection) -> None:
    remember(db, "ana", "x")
    remember(db, one(db, "select cto.key('ana')"), "x")
    assert one(db, "select count(*) from cto.blocks") == 1


# --- said again --------------------------------------------------------------------------


def test_said_again_it_is_still_one_block_with_one_job(db: Connection) -> None:
    assert len({remember(db, "ana", "x") for _ in range(3)}) == 1
    assert one(db, "select count(*) from cto.blocks") == 1
    assert one(db, "select count(*) from cto.embedding_jobs") == 1


def test_said_again_it_becomes_recent_again_and_keeps_its_first_moment(db: Connection) -> None:
    remember(db, "ana", "x", at=MONDAY)
    stored = block(db, remember(db, "ana", "x", at=TUESDAY))
    assert (stored["created_at"], stored["last_said_at"]) == (MONDAY, TUESDAY)


def test_an_older_mention_that_arrives_late_makes_it_no_less_recent(db: Connection) -> None:
    remember(db, "ana", "x", at=TUESDAY)
    stored = block(db, remember(db, "ana", "x", at=MONDAY))
    assert (stored["created_at"], stored["last_said_at"]) == (MONDAY, TUESDAY)


@pytest.mark.parametrize(
    ("first", "again", "kept"), [(0.2, 0.9, 0.9), (0.9, 0.2, 0.9), (0.2, None, 0.6)]
)
def test_said_again_the_higher_importance_stays(
    db: Connection, first: float, again: float | None, kept: float
) -> None:
    remember(db, "ana", "x", importance=first)
    assert block(db, remember(db, "ana", "x", importance=again))["importance"] == kept


def test_said_again_the_metadata_of_its_origin_stays_and_new_keys_are_added(
    db: Connection,
) -> None:
    remember(db, "ana", "x", metadata={"from": "mail", "page": 1})
    again = remember(db, "ana", "x", metadata={"from": "chat", "mood": "good"})
    assert block(db, again)["metadata"] == {"from": "mail", "page": 1, "mood": "good"}


def test_said_again_the_session_and_source_of_its_origin_stay(db: Connection) -> None:
    remember(db, "ana", "x", session="first", source="mail")
    stored = block(db, remember(db, "ana", "x", session="second", source="chat"))
    assert stored["session_hash"] == one(db, "select cto.key('first')")
    assert stored["source_hash"] == one(db, "select cto.key('mail')")


def test_said_again_a_superseded_block_is_alive(db: Connection) -> None:
    block_hash = remember(db, "ana", "x")
    db.execute(
        "update cto.blocks set superseded_by = cto.key('y'), superseded_at = now() where hash = %s",
        (block_hash,),
    )
    stored = block(db, remember(db, "ana", "x"))
    assert (stored["superseded_by"], stored["superseded_at"]) == (None, None)


def test_a_revived_block_without_a_vector_is_queued_again(db: Connection) -> None:
    block_hash = remember(db, "ana", "x")
    db.execute(
        "update cto.blocks set superseded_by = cto.key('y'), superseded_at = now() where hash = %s",
        (block_hash,),
    )
    db.execute("delete from cto.embedding_jobs")
    remember(db, "ana", "x")
    assert one(db, "select count(*) from cto.embedding_jobs") == 1


def test_said_again_the_vector_stays(db: Connection) -> None:
    block_hash = remember(db, "ana", "x")
    db.execute("update cto.blocks set embedding = array_fill(1, array[1536])::vector")
    remember(db, "ana", "x")
    assert block(db, block_hash)["embedding"] is not None


def test_one_hundred_and_twenty_five_thousand_different_words_are_taken(db: Connection) -> None:
    content = " ".join(chr(0x20000 + number) for number in range(42_000)) + " x" * 83_000
    assert len(content) == 250_000 - 1
    assert block(db, remember(db, "ana", content))["content"] == content


def test_the_longest_text_is_taken_even_where_every_word_is_a_compound(db: Connection) -> None:
    # The parser indexes a-b three times: the whole and both parts.
    letters = [chr(0x4E00 + number) for number in range(20_000)]
    words = [
        f"{letters[n % 20_000]}{letters[n * 7 % 19_997]}-"
        f"{letters[n * 13 % 19_993]}{letters[n * 17 % 19_991]}"
        for n in range(41_666)
    ]
    content = " ".join(words)
    assert len(content) <= 250_000
    assert block(db, remember(db, "ana", content))["content"] == content


# --- refused -----------------------------------------------------------------------------

REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("null owner", {"owner": None}, "22004", "owner is null"),
    ("blank owner", {"owner": " "}, "22023", "blank"),
    ("null content", {"content": None}, "22023", "content is empty or blank"),
    ("empty content", {"content": ""}, "22023", "content is empty or blank"),
    ("blank content", {"content": " \n\t "}, "22023", "content is empty or blank"),
    ("unknown type", {"block_type": "opinion"}, "22023", "'opinion'"),
    ("type in capitals", {"block_type": "Fact"}, "22023", "'Fact'"),
    ("null type", {"block_type": None}, "22023", "null"),
    ("importance NaN", {"importance": float("nan")}, "22023", "NaN"),
    ("importance below 0", {"importance": -1}, "22023", "-1"),
    ("importance above 1", {"importance": 2}, "22023", "2"),
    ("importance infinite", {"importance": float("inf")}, "22023", "Infinity"),
    ("unknown language", {"language": "fr"}, "22023", "'fr'"),
    ("language in capitals", {"language": "ES"}, "22023", "'ES'"),
    ("metadata a list", {"metadata": [1, 2]}, "22023", r"\[1, 2\]"),
    ("metadata a string", {"metadata": Jsonb("no")}, "22023", '"no"'),
    ("metadata JSON null", {"metadata": Jsonb(None)}, "22023", "null"),
    ("null at", {"at": None}, "22023", "at is null"),
    ("at infinity", {"at": "infinity"}, "22023", "infinity"),
    ("at -infinity", {"at": "-infinity"}, "22023", "-infinity"),
    ("too long", {"content": "x" * 250_001}, "22001", "250001"),
    ("blank session", {"session": " "}, "22023", "blank"),
    ("blank source", {"source": ""}, "22023", "blank"),
]


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "message"),
    [case[1:] for case in REFUSED],
    ids=[case[0] for case in REFUSED],
)
def test_what_cannot_be_remembered_is_refused_and_nothing_is_written(
    db: Connection, arguments: dict[str, Any], sqlstate: str, message: str
) -> None:
    before = db.execute(EVERYTHING_WRITTEN).fetchone()
    with pytest.raises(psycopg.Error, match=message) as caught, db.transaction():
        remember(db, **{"owner": "ana", "content": "vivo en Logroño", **arguments})
    assert caught.value.sqlstate == sqlstate
    assert caught.value.diag.message_hint
    assert db.execute(EVERYTHING_WRITTEN).fetchone() == before


@pytest.mark.parametrize("column", ["owner", "content", "session", "source"])
@pytest.mark.parametrize(
    ("text", "error"),
    [("a\0b", psycopg.DataError), ("a\ud800b", UnicodeEncodeError)],
    ids=["NUL", "lone surrogate"],
)
def test_what_postgresql_cannot_hold_is_an_error_and_nothing_is_written(
    db: Connection, column: str, text: str, error: type[Exception]
) -> None:
    before = db.execute(EVERYTHING_WRITTEN).fetchone()
    with pytest.raises(error), db.transaction():
        remember(db, **{"owner": "ana", "content": "x", column: text})
    assert db.execute(EVERYTHING_WRITTEN).fetchone() == before


def test_a_nul_escape_in_the_metadata_is_an_error_and_nothing_is_written(db: Connection) -> None:
    before = db.execute(EVERYTHING_WRITTEN).fetchone()
    with pytest.raises(psycopg.DataError), db.transaction():
        remember(db, "ana", "x", metadata={"name": "a\0b"})
    assert db.execute(EVERYTHING_WRITTEN).fetchone() == before
