"""cto.search_blocks: what is nearest to a question, whatever its age and importance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from conftest import Connection, _janitor, one

from cto.local import LocalServer


@pytest.fixture(scope="module")
def database(server: LocalServer, template: str) -> Iterator[Connection]:
    with (
        _janitor(server, "test_search_blocks", template),
        psycopg.connect(server.dsn("test_search_blocks"), autocommit=True) as connection,
    ):
        yield connection


@pytest.fixture
def db(database: Connection) -> Iterator[Connection]:
    """The file's database, in a transaction that is rolled back after the test."""
    with database.transaction(force_rollback=True):
        yield database


def say(db: Connection, content: str, **arguments: Any) -> str:
    given = {"owner": "ana", "content": content, **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given)
    row = db.execute(f"select cto.remember({names})".encode(), given).fetchone()
    assert row is not None
    return str(row[0])


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


def search(db: Connection, owner: str | None = "ana", **arguments: Any) -> list[str]:
    given = {"owner": owner, **arguments}
    if given.get("query_embedding") is not None:
        given["query_embedding"] = str(given["query_embedding"])
    names = ", ".join(
        f"{name} => %({name})s" + ("::vector" if name == "query_embedding" else "")
        for name in given
    )
    rows = db.execute(
        f"select content, similarity from cto.search_blocks({names})".encode(), given
    ).fetchall()
    similarities = [row[1] for row in rows]
    assert similarities == sorted(similarities, reverse=True)
    assert all(0 <= similarity <= 1 for similarity in similarities)
    return [row[0] for row in rows]


@pytest.fixture
def three(db: Connection) -> None:
    say(db, "Vivo en Logroño", importance=0.1, at="2023-01-01T00:00:00Z", session="talk")
    say(db, "Bebo té", importance=0.9, session="talk")
    say(db, "Mi perra se llama Luna", importance=0.5, session="other")
    give_vectors(
        db,
        {
            "Vivo en Logroño": [1, 0, 0],
            "Bebo té": [0, 1, 0],
            "Mi perra se llama Luna": [0, 0.6, 0.8],
        },
    )


@pytest.mark.usefixtures("three")
def test_the_words_alone_find_what_is_old_and_unimportant(db: Connection) -> None:
    assert search(db, query="¿Dónde está Logroño?")[0] == "Vivo en Logroño"


@pytest.mark.usefixtures("three")
def test_the_vector_alone_orders_by_its_nearness(db: Connection) -> None:
    assert search(db, query_embedding=[0, 0, 1])[0] == "Mi perra se llama Luna"
    assert search(db, query_embedding=[1, 0.1, 0])[0] == "Vivo en Logroño"


@pytest.mark.usefixtures("three")
def test_words_and_vector_count_together(db: Connection) -> None:
    assert search(db, query="té", query_embedding=[0, 1, 0])[0] == "Bebo té"


@pytest.mark.usefixtures("three")
def test_pins_accesses_and_importance_do_not_matter(db: Connection) -> None:
    before = db.execute("select * from cto.search_blocks('ana', 'perra')").fetchall()
    block_hash = one(db, "select hash from cto.blocks where content = 'Bebo té'")
    db.execute("select cto.pin('ana', 's', %s)", (block_hash,))
    for _ in range(3):
        db.execute("select * from cto.select_context('ana', 's', max_blocks => 1)")
    db.execute("update cto.blocks set importance = 1 - importance")
    assert db.execute("select * from cto.search_blocks('ana', 'perra')").fetchall() == before


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("max_results", [1, 2, 20])
def test_no_more_than_max_results_come_back(db: Connection, max_results: int) -> None:
    assert len(search(db, query="Logroño", max_results=max_results)) == min(max_results, 3)
    assert search(db, query="Logroño", max_results=max_results)[0] == "Vivo en Logroño"


def test_twenty_come_back_where_nothing_is_said(db: Connection) -> None:
    for number in range(25):
        say(db, f"frase {number}")
    assert len(search(db, query="frase")) == 20


@pytest.mark.usefixtures("three")
def test_where_each_block_comes_from_is_told(db: Connection) -> None:
    say(db, "Toco la guitarra", session="talk", source="mail", block_type="preference")
    row = db.execute(
        """
        select block_type, session_hash = cto.key('talk'), source_hash = cto.key('mail'),
            created_at = now(), block_hash = encode(sha256(convert_to(content, 'UTF8')), 'hex')
        from cto.search_blocks('ana', 'guitarra', max_results => 1)
        """
    ).fetchone()
    assert row == ("preference", True, True, True, True)


def test_a_block_without_a_session_has_no_session(db: Connection) -> None:
    say(db, "Vivo en Logroño")
    assert one(db, "select session_hash is null from cto.search_blocks('ana', 'Logroño')")


@pytest.mark.usefixtures("three")
def test_the_blocks_of_another_owner_are_never_found(db: Connection) -> None:
    say(db, "Vivo en Logroño y me gusta", owner="bea")
    assert "Vivo en Logroño y me gusta" not in search(db, query="Logroño")
    assert search(db, owner="bea", query="Logroño") == ["Vivo en Logroño y me gusta"]
    assert search(db, owner="nobody", query="Logroño") == []


@pytest.mark.usefixtures("three")
def test_a_superseded_block_is_not_found(db: Connection) -> None:
    new = say(db, "Vivo en Cuenca")
    db.execute(
        "update cto.blocks set superseded_by = %s, superseded_at = now()"
        " where content = 'Vivo en Logroño'",
        (new,),
    )
    assert "Vivo en Logroño" not in search(db, query="Logroño")


@pytest.mark.usefixtures("three")
def test_searching_records_nothing(db: Connection) -> None:
    with db.transaction(force_rollback=True):
        db.execute("set transaction read only")
        search(db, query="Logroño", query_embedding=[1, 0, 0])
    for table in ("memory", "accesses", "selections"):
        assert one(db, f"select count(*) from cto.{table}") == 0


@pytest.mark.usefixtures("three")
def test_an_owner_can_have_a_scorer_of_their_own(db: Connection) -> None:
    both = {"query": "té", "query_embedding": [1, 0, 0], "max_results": 1}
    assert search(db, **both) == ["Vivo en Logroño"]
    own = """{"hybrid": {"vector": 0.01, "text": 1}}"""
    db.execute("select cto.override_algorithm('ana', 'scorer', %s)", (own,))
    assert search(db, **both) == ["Bebo té"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "nothing to search for"),
        ({"query": None}, "nothing to search for"),
        ({"query": " \n"}, "nothing to search for"),
        ({"query": "té", "max_results": 0}, "max_results is 0"),
        ({"query": "té", "max_results": -1}, "max_results is -1"),
        ({"query": "té", "max_results": None}, "max_results is null"),
        ({"query_embedding": [1, 0]}, "2 dimensions"),
        ({"query": "té", "owner": " "}, "blank"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("three")
def test_what_could_not_be_followed_is_refused(
    db: Connection, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
        search(db, **arguments)
    assert caught.value.diag.message_hint


def test_a_null_owner_is_refused(db: Connection) -> None:
    with pytest.raises(psycopg.errors.NullValueNotAllowed, match="owner") as caught:
        search(db, owner=None, query="té")
    assert caught.value.diag.message_hint


def test_a_vector_before_there_is_any_model_is_told_to_be_of_no_use(db: Connection) -> None:
    say(db, "Vivo en Logroño")
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        search(db, query_embedding=[1, 0, 0])
