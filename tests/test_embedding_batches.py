"""Rows are packed under the limits of a request, and equal texts share one place."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cto.embedding.batches import Batch, Row, Text, pack
from cto.tokens import count_tokens


def rows(*contents: str) -> list[Row]:
    return [Row("o" * 64, f"{number:064x}", content, 1) for number, content in enumerate(contents)]


def weight(batch: Batch) -> int:
    return sum(text.weight for text in batch.texts)


def test_no_request_has_more_than_2048_inputs() -> None:
    batches = list(pack(rows(*(f"text {number}" for number in range(5000)))))
    assert [len(batch.texts) for batch in batches] == [2048, 2048, 904]


def test_no_request_has_more_than_300_000_tokens() -> None:
    contents = [f"{number} " + "word " * 8000 for number in range(80)]
    batches = list(pack(rows(*contents)))
    assert [row for batch in batches for row in batch.rows] == rows(*contents)
    assert all(weight(batch) <= 300_000 for batch in batches)
    assert [len(batch.texts) for batch in batches] == [
        29,
        29,
        22,
    ]  # 10,001 each: four bytes a token, and more bytes than tokens


def test_bytes_count_where_they_weigh_more_than_tokens() -> None:
    spaces = "x" + " " * 4000  # very few tokens
    text = Text.weigh(spaces)
    assert text.tokens < 100
    assert text.weight == 1001


def test_tokens_count_where_they_weigh_more_than_bytes() -> None:
    text = Text.weigh("1 2 3 4 5 6 7 8 9")
    assert text.tokens == count_tokens("1 2 3 4 5 6 7 8 9") == text.weight
    assert text.weight > 17 / 4


def test_a_text_that_is_cut_weighs_what_is_sent_and_counts_whole() -> None:
    text = Text.weigh("word " * 20_000)
    assert text.tokens == 20_001
    assert 8192 <= text.weight <= 10_241


def test_equal_texts_share_one_place() -> None:
    (batch,) = pack(rows("a", "b", "a", "a"))
    assert batch.contents == ["a", "b"]
    assert [len(text.rows) for text in batch.texts] == [3, 1]
    assert sorted(row.block_hash for row in batch.rows) == [f"{n:064x}" for n in range(4)]


def test_no_rows_make_no_request() -> None:
    assert list(pack([])) == []


def test_halves_lose_nothing() -> None:
    (batch,) = pack(rows("a", "b", "c"))
    one, two = batch.halves()
    assert one.contents + two.contents == ["a", "b", "c"]
    assert one.texts
    assert two.texts


@settings(max_examples=60, deadline=None)
@given(
    contents=st.lists(st.text(max_size=40), max_size=40),
    max_inputs=st.integers(1, 7),
    max_tokens=st.integers(1, 60),
)
def test_any_rows_are_packed_once_each_within_the_limits(
    contents: list[str], max_inputs: int, max_tokens: int
) -> None:
    given_rows = rows(*contents)
    batches = list(pack(given_rows, max_inputs=max_inputs, max_tokens=max_tokens))
    packed = [row for batch in batches for row in batch.rows]
    assert sorted(packed, key=lambda row: row.key) == given_rows
    texts = [text for batch in batches for text in batch.contents]
    assert len(texts) == len(set(texts))
    for batch in batches:
        assert 1 <= len(batch.texts) <= max_inputs
        assert weight(batch) <= max_tokens or len(batch.texts) == 1


def test_special_tokens_in_a_text_are_plain_text() -> None:
    assert Text.weigh("<|endoftext|> y más").tokens > 1
