"""Vectors by hashing: the same everywhere, never zero, and near for texts that share words."""

from __future__ import annotations

import hashlib
import struct
import subprocess
import sys

import pytest

from cto.embedding import HashingProvider
from cto.embedding.hashing import hash_text

TEXT = "La campaña de Navidad empieza el 3 de diciembre; the budget is 5,000 €."


def digest(text: str) -> str:
    vector = hash_text(text, 1536)
    return hashlib.sha256(struct.pack(f"<{len(vector)}f", *vector)).hexdigest()


def cosine(one: str, two: str) -> float:
    return sum(a * b for a, b in zip(hash_text(one, 1536), hash_text(two, 1536), strict=True))


def test_a_vector_is_what_it_always_was() -> None:
    assert digest(TEXT) == "c043ddbbd772e7537a1f6c1db9fdfc295d5b16928f7d037eed7e88ff92458c5d"


def test_another_process_with_another_hash_seed_gives_the_same_vector() -> None:
    code = "import test_embedding_hashing as t; "
    code += "print(t.digest(t.TEXT))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "12345", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == digest(TEXT)


@pytest.mark.parametrize("text", ["!!!", "", " \n\t", "🙂", "—", "́", "a", "0", "...", "¿?"])
def test_every_text_has_a_vector_of_length_one(text: str) -> None:
    vector = hash_text(text, 1536)
    assert len(vector) == 1536
    assert sum(value * value for value in vector) == pytest.approx(1.0)


def test_texts_without_letters_are_told_apart() -> None:
    assert cosine("!!!", "???") == pytest.approx(0.0)
    assert cosine("!!!", "! ! !") == pytest.approx(1.0)


def test_case_and_accents_make_no_difference() -> None:
    assert cosine("La campaña de reactivación", "la CAMPANA de reactivacion") == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        (
            "La reunión es el martes a las nueve",
            "reunion el martes, nueve en punto",
            "El presupuesto subió un doce por ciento",
        ),
        (
            "The customer prefers invoices by e-mail",
            "Invoices go to the customer by email",
            "Deploy the service on Friday night",
        ),
        ("reactivar campañas", "reactivación de la campaña", "precio del servidor"),
    ],
)
def test_texts_that_share_words_are_nearer(text: str, near: str, far: str) -> None:
    assert cosine(text, near) > cosine(text, far) + 0.15


def test_a_word_said_often_does_not_drown_the_rest() -> None:
    assert cosine("ancla " * 50 + "barco", "barco") > 0.1


def test_the_provider_says_what_it_is() -> None:
    provider = HashingProvider()
    answer = provider.embed(["uno", "dos"])
    assert (provider.model, provider.dimensions) == ("hashing-1536", 1536)
    assert "not semantic" in provider.description
    assert "not semantic" in (HashingProvider.__doc__ or "")
    assert [len(vector) for vector in answer.vectors] == [1536, 1536]
    assert answer.tokens == 0
