"""cto.estimate_tokens against the exact count, on committed texts and on random ones."""

import json
import re
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cto.tokens import count_tokens

TEXTS: dict[str, list[str]] = defaultdict(list)
for _line in (
    (Path(__file__).parent / "data" / "token_texts.jsonl").read_text(encoding="utf-8").splitlines()
):
    _row = json.loads(_line)
    TEXTS[_row["category"]].append(_row["text"])

SENTENCES = sorted(
    {
        sentence
        for texts in TEXTS.values()
        for text in texts
        for sentence in re.split(r"(?<=[.!?;。])\s*|\n\n", text)
        if sentence.strip()
    }
)

Database = psycopg.Connection[Any]
SHORT = 20  # tokens; below this one odd word is more than five per cent


def estimate(db: Database, texts: list[str]) -> list[int]:
    rows = db.execute(
        """
        select cto.estimate_tokens(content => t.content)
        from unnest(%s::text[]) with ordinality as t (content, position)
        order by t.position
        """,
        (texts,),
    )
    return [row[0] for row in rows]


@pytest.mark.parametrize("category", sorted(TEXTS))
def test_there_are_a_dozen_texts_of_each_category(category: str) -> None:
    assert len(TEXTS[category]) >= 12


@pytest.mark.parametrize("category", sorted(TEXTS))
def test_never_undercounts_by_more_than_five_per_cent(db: Database, category: str) -> None:
    texts = [text for text in TEXTS[category] if count_tokens(text) > SHORT]
    for text, estimated in zip(texts, estimate(db, texts), strict=True):
        assert estimated >= 0.95 * count_tokens(text), text[:80]


@pytest.mark.parametrize("category", sorted(set(TEXTS) - {"hostile"}))
def test_overcounts_by_at_most_twenty_per_cent_on_average(db: Database, category: str) -> None:
    texts = [text for text in TEXTS[category] if count_tokens(text) > SHORT]
    ratios = [
        estimated / count_tokens(text)
        for text, estimated in zip(texts, estimate(db, texts), strict=True)
    ]
    assert mean(ratios) <= 1.20


@pytest.mark.parametrize("category", sorted(TEXTS))
def test_short_texts_are_off_by_a_few_tokens(db: Database, category: str) -> None:
    texts = [
        text
        for text in SENTENCES
        if count_tokens(text) <= SHORT and text in "".join(TEXTS[category])
    ]
    for text, estimated in zip(texts, estimate(db, texts), strict=True):
        assert estimated >= count_tokens(text) - 3, text


def test_empty_is_zero_and_null_is_null(db: Database) -> None:
    row = db.execute("select cto.estimate_tokens(''), cto.estimate_tokens(null)").fetchone()
    assert row == (0, None)


def test_one_character_is_about_its_tokens(db: Database) -> None:
    characters = [
        *map(chr, range(1, 0x250)),
        *"的龘あ가힣яжاहก—…“€😀🫠👩\u200d\ufe0f\U00020000\U0010ffff",
    ]
    for character, estimated in zip(characters, estimate(db, characters), strict=True):
        tokens = count_tokens(character)
        assert 1 <= estimated <= tokens + 3, repr(character)
        assert estimated >= tokens - 1, repr(character)


@pytest.mark.parametrize("category", sorted(TEXTS))
def test_twice_the_text_is_twice_the_estimate(db: Database, category: str) -> None:
    texts = TEXTS[category]
    once = estimate(db, texts)
    twice = estimate(db, [f"{text}\n{text}" for text in texts])
    for text, single, double in zip(texts, once, twice, strict=True):
        assert single <= double <= 2 * single + 2, text[:80]


def test_is_the_same_whatever_the_collation_of_the_column(db: Database) -> None:
    text = "Íñigo prefiere el café ÁRABE; 12 ΑΒΓ, привет. CamelCase"
    row = db.execute(
        """
        select cto.estimate_tokens(t.content collate "POSIX"), cto.estimate_tokens(t.content)
        from (select %s::text as content) as t
        """,
        (text,),
    ).fetchone()
    assert row is not None
    assert row[0] == row[1]


def test_a_megabyte_of_one_letter_neither_fails_nor_undercounts(db: Database) -> None:
    texts = ["a" * 1_000_000, "x1" * 500_000, "\n" * 1_000_000]
    assert all(estimated > 50_000 for estimated in estimate(db, texts))


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    sentences=st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=20, unique=True),
    glue=st.sampled_from([" ", "\n", "\n\n", " - "]),
)
def test_concatenated_sentences_are_not_undercounted(
    db: Database, sentences: list[str], glue: str
) -> None:
    text = glue.join(sentences)
    tokens = count_tokens(text)
    if tokens > SHORT:
        assert estimate(db, [text])[0] >= 0.95 * tokens


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    text=st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=5, max_size=300
    )
)
def test_arbitrary_characters_are_not_undercounted(db: Database, text: str) -> None:
    tokens = count_tokens(text)
    if tokens > SHORT:
        assert estimate(db, [text])[0] >= 0.95 * tokens
