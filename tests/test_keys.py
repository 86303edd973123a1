"""cto.key: what an identifier becomes, and which ones are refused."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import psycopg
import pytest
from conftest import Connection, _janitor, one

from cto.local import LocalServer

A_KEY = "0123456789abcdef" * 4


@pytest.fixture(scope="module")
def db(server: LocalServer, template: str) -> Iterator[Connection]:
    """One database for this file: nothing here writes."""
    with (
        _janitor(server, "test_keys", template),
        psycopg.connect(server.dsn("test_keys"), autocommit=True) as connection,
    ):
        yield connection


@pytest.mark.parametrize("key", [A_KEY, "0" * 64, "f" * 64])
def test_a_key_is_taken_as_it_is(db: Connection, key: str) -> None:
    assert one(db, "select cto.key(%s)", key) == key


@pytest.mark.parametrize(
    "identifier",
    [
        "ana",
        "ana@example.com",
        "Begoña Núñez",
        "用户一号",
        "👩\u200d🚀",
        " ana ",
        "a" * 64 + "\n",
        "a" * 63,
        "a" * 65,
        "g" * 64,
        "x" * 100_000,
    ],
)
def test_anything_else_becomes_the_sha_256_of_its_utf_8(db: Connection, identifier: str) -> None:
    assert (
        one(db, "select cto.key(%s)", identifier) == hashlib.sha256(identifier.encode()).hexdigest()
    )


def test_the_key_of_a_key_is_itself(db: Connection) -> None:
    assert one(db, "select cto.key(cto.key('ana')) = cto.key('ana')")


def test_composed_and_decomposed_letters_are_two_identifiers(db: Connection) -> None:
    assert one(db, "select cto.key(%s) <> cto.key(%s)", "ma\u00f1ana", "man\u0303ana")


def test_case_and_space_make_another_identifier(db: Connection) -> None:
    keys = "select count(distinct cto.key(i)) from unnest(array['ana', 'Ana', 'ana ']) as i"
    assert one(db, keys) == 3


def test_null_stays_null(db: Connection) -> None:
    assert one(db, "select cto.key(null)") is None


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "   \r\n  "])
def test_a_blank_identifier_is_refused(db: Connection, blank: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="blank") as caught:
        db.execute("select cto.key(%s)", (blank,))
    assert caught.value.diag.message_hint


@pytest.mark.parametrize("key", [A_KEY.upper(), A_KEY[:-1] + "F", "ABCDEF" + "0" * 58])
def test_a_key_with_upper_case_is_refused_and_the_hint_has_it_in_lower_case(
    db: Connection, key: str
) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=key) as caught:
        db.execute("select cto.key(%s)", (key,))
    assert key.lower() in (caught.value.diag.message_hint or "")
