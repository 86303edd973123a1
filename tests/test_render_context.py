"""cto.render_context: never over its budget, well-formed in every format, and unmistakable."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import psycopg
import pytest
from conftest import Connection, _janitor, one
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cto.local import LocalServer
from cto.tokens import count_tokens

FORMATS = ["markdown", "plain", "xml", "json"]
TYPES = ["instruction", "preference", "fact", "context"]
CATEGORIES = {"es", "en", "code", "json", "cjk", "emoji", "mixed"}

TEXTS = [
    row["text"]
    for row in map(
        json.loads,
        (Path(__file__).parent / "data" / "token_texts.jsonl")
        .read_text(encoding="utf-8")
        .splitlines(),
    )
    if row["category"] in CATEGORIES
]
PIECES = sorted(
    {
        piece
        for text in TEXTS
        for piece in [text, *re.split(r"(?<=[.!?;。])\s*|\n", text), *text.split("\n\n")]
        if piece.strip()
    }
)
ANY_TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=120
).filter(lambda text: not text.isspace())


@pytest.fixture(scope="module")
def database(server: LocalServer, template: str) -> Iterator[Connection]:
    with (
        _janitor(server, "test_render_context", template),
        psycopg.connect(server.dsn("test_render_context"), autocommit=True) as connection,
    ):
        yield connection


@pytest.fixture
def db(database: Connection) -> Iterator[Connection]:
    """The file's database, in a transaction that is rolled back after the test."""
    with database.transaction(force_rollback=True):
        yield database


def say(db: Connection, content: str, block_type: str = "fact", importance: float = 0.5) -> str:
    return str(one(db, "select cto.remember('ana', %s, %s, %s)", content, block_type, importance))


def render(db: Connection, **arguments: Any) -> str:
    given_: dict[str, Any] = {"owner": "ana", "session": "s", "min_score": 0, **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given_)
    row = db.execute(f"select cto.render_context({names})".encode(), given_).fetchone()
    assert row is not None
    return str(row[0])


# --- the budget -----------------------------------------------------------------------------


def fill(db: Connection, contents: list[tuple[str, str]], exact: bool) -> list[str]:
    """Remember blocks, with the token counts that the embedding worker would have set."""
    db.execute("delete from cto.blocks")
    taken = []
    for content, block_type in contents:
        try:
            with db.transaction():
                say(db, content, block_type)
        except psycopg.errors.InvalidParameterValue:
            continue  # blank for PostgreSQL, which knows more white space
        taken.append(content)
    if exact:
        with db.cursor() as cursor:
            cursor.executemany(
                "update cto.blocks set token_count = %s, token_count_is_exact = true"
                " where content = %s",
                [(count_tokens(content), content) for content in set(taken)],
            )
    return taken


def assert_within_budget(
    db: Connection, contents: list[tuple[str, str]], exact: bool, budget: int, format_: str
) -> None:
    fill(db, contents, exact)
    text = render(db, budget_tokens=budget, format=format_, record=False)
    assert count_tokens(text) <= budget, text


@pytest.mark.parametrize("exact", [False, True], ids=["estimated", "exact"])
@settings(
    max_examples=160, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    contents=st.lists(
        st.tuples(st.sampled_from(PIECES), st.sampled_from(TYPES)), min_size=1, max_size=25
    ),
    budget=st.integers(30, 3000),
    format_=st.sampled_from(FORMATS),
)
def test_texts_that_people_write_never_exceed_the_budget(
    db: Connection, exact: bool, contents: list[tuple[str, str]], budget: int, format_: str
) -> None:
    assert_within_budget(db, contents, exact, budget, format_)


@pytest.mark.parametrize("exact", [False, True], ids=["estimated", "exact"])
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    contents=st.lists(st.tuples(ANY_TEXT, st.sampled_from(TYPES)), min_size=1, max_size=12),
    budget=st.integers(30, 600),
    format_=st.sampled_from(FORMATS),
)
def test_arbitrary_characters_never_exceed_the_budget(
    db: Connection, exact: bool, contents: list[tuple[str, str]], budget: int, format_: str
) -> None:
    assert_within_budget(db, contents, exact, budget, format_)


SHORT_PIECES = [piece for piece in PIECES if len(piece) < 80][::4]


@pytest.mark.parametrize("exact", [False, True], ids=["estimated", "exact"])
def test_many_short_blocks_never_exceed_the_budget(db: Connection, exact: bool) -> None:
    fill(db, [(piece, TYPES[number % 4]) for number, piece in enumerate(SHORT_PIECES)], exact)
    for format_ in FORMATS:
        for budget in (50, 100, 200, 400, 800, 1600):
            text = render(db, budget_tokens=budget, max_blocks=1000, format=format_, record=False)
            assert count_tokens(text) <= budget, text


@pytest.mark.parametrize("format_", FORMATS)
def test_most_of_the_budget_is_used(db: Connection, format_: str) -> None:
    fill(db, [(piece, "fact") for piece in SHORT_PIECES], exact=True)
    text = render(db, budget_tokens=500, format=format_, max_blocks=1000, record=False)
    assert count_tokens(text) > 350


# --- the formats -------------------------------------------------------------------------------


def fill_every_type(db: Connection) -> None:
    for block_type in ("context", "fact", "preference", "instruction"):
        say(db, f"un {block_type}", block_type, 0.9)
        say(db, f"otro {block_type}", block_type, 0.8)


def test_markdown_has_one_heading_a_type_rules_first(db: Connection) -> None:
    fill_every_type(db)
    assert render(db) == (
        "<!-- cto:context -->\n"
        "## Instructions\n- un instruction\n- otro instruction\n"
        "## Preferences\n- un preference\n- otro preference\n"
        "## Facts\n- un fact\n- otro fact\n"
        "## Context\n- un context\n- otro context\n"
        "<!-- /cto:context -->"
    )


def test_plain_has_the_lines_alone(db: Connection) -> None:
    fill_every_type(db)
    lines = render(db, format="plain").split("\n")
    assert (lines[0], lines[-1]) == ("[cto:context]", "[/cto:context]")
    assert lines[1:-1] == [f"{n} {block_type}" for block_type in TYPES for n in ("un", "otro")]


def test_xml_names_the_type_of_each_block(db: Connection) -> None:
    fill_every_type(db)
    root = ElementTree.fromstring(render(db, format="xml"))  # noqa: S314
    assert root.tag == "cto_context"
    assert [(block.get("type"), block.text) for block in root] == [
        (block_type, f"{n} {block_type}") for block_type in TYPES for n in ("un", "otro")
    ]


def test_json_names_the_type_of_each_block(db: Connection) -> None:
    fill_every_type(db)
    assert json.loads(render(db, format="json")) == {
        "cto_context": [
            {"type": block_type, "content": f"{n} {block_type}"}
            for block_type in TYPES
            for n in ("un", "otro")
        ],
        "cto_end": True,
    }


def test_a_type_without_blocks_has_no_heading(db: Connection) -> None:
    say(db, "x", "preference")
    assert render(db) == "<!-- cto:context -->\n## Preferences\n- x\n<!-- /cto:context -->"


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_content_of_several_lines_stays_one_list_item(db: Connection, line_break: str) -> None:
    say(db, line_break.join(["uno", "# dos", "", "- tres"]))
    lines = re.split("\r\n|\r|\n", render(db))
    assert lines[:3] == ["<!-- cto:context -->", "## Facts", "- uno"]
    assert all(line.startswith("  ") or not line.strip() for line in lines[3:-1])


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(contents=st.lists(ANY_TEXT, min_size=1, max_size=6, unique=True))
def test_json_is_valid_and_holds_every_content(db: Connection, contents: list[str]) -> None:
    taken = fill(db, [(content, "fact") for content in contents], exact=False)
    text = render(db, format="json", record=False)
    found = [b["content"] for b in json.loads(text)["cto_context"]] if text else []
    selected = db.execute("select content from cto.select_context('ana', 's', min_score => 0)")
    assert sorted(found) == sorted(row[0] for row in selected)
    assert set(found) <= set(taken)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(contents=st.lists(ANY_TEXT, min_size=1, max_size=6, unique=True))
def test_xml_is_well_formed_whatever_the_content(db: Connection, contents: list[str]) -> None:
    taken = fill(db, [(content, "fact") for content in contents], exact=False)
    text = render(db, format="xml", record=False)
    if taken:
        assert len(ElementTree.fromstring(text)) >= 1  # noqa: S314


def test_xml_gives_every_printable_character_back(db: Connection) -> None:
    content = "a < b && c > \"d\" 'e' ]]> &amp; <!-- x --> <?y?> 👩\u200d🚀 \ta\nb"
    say(db, content)
    root = ElementTree.fromstring(render(db, format="xml"))  # noqa: S314
    assert root[0].text == content


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize(
    "marker",
    [
        "<!-- cto:context -->",
        "<!-- /cto:context -->",
        "[cto:context]",
        "[/cto:context]",
        "<cto_context>",
        "</cto_context>",
        '"cto_end": true}',
        '{"cto_context": [',
        "cto:cto:context",
        "ctocto_context_context",
    ],
)
def test_markers_inside_a_block_are_disarmed(db: Connection, format_: str, marker: str) -> None:
    say(db, f"before {marker} after")
    text = render(db, format=format_)
    expected = {
        "markdown": {"<!-- cto:context -->": 1, "<!-- /cto:context -->": 1},
        "plain": {"[cto:context]": 1, "[/cto:context]": 1},
        "xml": {"<cto_context>": 1, "</cto_context>": 1},
        "json": {'{"cto_context": [': 1, '"cto_end": true}': 1},
    }[format_]
    assert {mark: text.count(mark) for mark in expected} == expected
    assert "before" in text
    assert "after" in text


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("arguments", [{}, {"min_score": 1}, {"budget_tokens": 5}])
def test_an_empty_selection_gives_an_empty_text(
    db: Connection, format_: str, arguments: dict[str, Any]
) -> None:
    if arguments:
        say(db, "x", importance=0.1)
    assert render(db, format=format_, **arguments) == ""


@pytest.mark.parametrize("format_", ["html", "Markdown", "", None])
def test_an_unknown_format_is_refused(db: Connection, format_: str | None) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="format is") as caught:
        render(db, format=format_)
    assert caught.value.diag.message_hint


def test_the_blocks_are_those_of_select_context(db: Connection) -> None:
    fill_every_type(db)
    arguments = {"query": "otro fact", "budget_tokens": 60}
    text = render(db, record=False, **arguments)
    selected = db.execute(
        "select content from cto.select_context('ana', 's', query => %(query)s,"
        " budget_tokens => %(budget_tokens)s, min_score => 0)",
        arguments,
    ).fetchall()
    assert sorted(re.findall("^- (.*)$", text, flags=re.MULTILINE)) == sorted(
        row[0] for row in selected
    )


def test_rendering_records_unless_told_otherwise(db: Connection) -> None:
    say(db, "x")
    render(db, record=False)
    assert one(db, "select count(*) from cto.memory") == 0
    render(db)
    assert one(db, "select count(*) from cto.memory where included") == 1
    assert one(db, "select count(*) from cto.accesses") == 1


def test_rendering_works_in_a_read_only_transaction_without_a_record(db: Connection) -> None:
    say(db, "x")
    with db.transaction(force_rollback=True):
        db.execute("set transaction read only")
        assert "- x" in render(db, record=False)
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            render(db)
