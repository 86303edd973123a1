"""Exact counts and cuts in cl100k_base."""

import gzip
import socket
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cto import tokens


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("hello world", 2),
        ("tiktoken is great!", 6),
        ("1234567", 3),
        ("的", 1),
        ("龘", 2),
        ("🎉", 3),
    ],
)
def test_counts_what_tiktoken_counts(text: str, count: int) -> None:
    assert tokens.count_tokens(text) == count


def test_special_tokens_in_a_text_are_ordinary_text() -> None:
    assert tokens.count_tokens("<|endoftext|>") > 1


def test_the_vocabulary_is_complete() -> None:
    assert tokens.encoding().n_vocab == 100277
    assert tokens.encoding().name == "cl100k_base"


def test_counting_never_opens_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    tokens.encoding.cache_clear()
    assert tokens.count_tokens("offline") == 1


@pytest.mark.parametrize(
    "text", ["a👩‍💻b龘c", "日本語のテキスト", "🎉🎂🥳❤️", "plain ascii words here"]
)
def test_a_cut_falls_on_a_character(text: str) -> None:
    whole = tokens.count_tokens(text)
    for limit in range(whole + 2):
        cut = tokens.truncate_to_tokens(text, limit)
        assert text.startswith(cut)
        assert tokens.count_tokens(cut) <= limit
    assert tokens.truncate_to_tokens(text, whole) == text
    assert tokens.truncate_to_tokens(text, 0) == ""


def test_a_cut_before_the_first_whole_character_is_empty() -> None:
    assert tokens.count_tokens("🎉") == 3
    assert tokens.truncate_to_tokens("🎉", 2) == ""


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="limit is -1"):
        tokens.truncate_to_tokens("text", -1)


@settings(deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"])), limit=st.integers(0, 40))
def test_a_cut_is_a_beginning_within_the_limit(text: str, limit: int) -> None:
    cut = tokens.truncate_to_tokens(text, limit)
    assert text.startswith(cut)
    assert tokens.count_tokens(cut) <= limit


@pytest.mark.parametrize(
    ("packed", "message"),
    [(gzip.compress(b"IQ== 0\n"), "SHA-256"), (b"no gzip at all", "cannot be decompressed")],
)
def test_a_changed_vocabulary_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, packed: bytes, message: str
) -> None:
    (tmp_path / tokens.VOCABULARY).write_bytes(packed)
    monkeypatch.setattr(resources, "files", lambda _package: tmp_path)
    tokens.encoding.cache_clear()
    with pytest.raises(tokens.VocabularyError, match=message):
        tokens.encoding()
