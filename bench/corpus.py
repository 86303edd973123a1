"""A made-up memory of any size: sessions with subjects, words and vectors as in a language.

Used by the benchmarks of scale, and deterministic: the same seed gives the same blocks. Words are
drawn by Zipf's law from a vocabulary that grows with the number of blocks; each session has a few
subjects whose words it uses more often. A block's vector is the mean of the vectors of its words,
the rarer the heavier, mixed with its subject's and with noise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

MODEL = "bench"
SESSION_SIZE = 20
START = datetime(2025, 1, 1, tzinfo=UTC)
SYLLABLES = [a + b for a in "bcdfgjklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "ol")]
TYPES = ("fact", "instruction", "preference", "context")
TYPE_SHARES = (0.467, 0.003, 0.15, 0.38)
IMPORTANCE = {"fact": 0.6, "instruction": 0.9, "preference": 0.7, "context": 0.4}
Vector = NDArray[np.float32]


@dataclass(frozen=True)
class Block:
    """One made-up block, ready to be stored."""

    content: str
    hash: str
    session: str
    block_type: str
    importance: float
    at: datetime
    ordinal: int
    vector: Vector


@dataclass(frozen=True)
class Query:
    """A question about one block: some of its words, and a vector near its own."""

    text: str
    vector: Vector
    target: str


class Corpus:
    """`blocks` blocks of one owner, and questions about them.

    Owners with the vocabulary of another corpus speak as it does, and of other things.
    """

    def __init__(
        self,
        blocks: int,
        dimensions: int = 1536,
        seed: int = 7,
        vocabulary: Corpus | None = None,
    ) -> None:
        self.blocks = blocks
        self.dimensions = dimensions
        self.queries: list[Query] = []
        self._random = np.random.default_rng(seed)
        if vocabulary is not None:
            self.words: list[str] = vocabulary.words
            self._cumulated: NDArray[Any] = vocabulary._cumulated
            self._idf: NDArray[Any] = vocabulary._idf
            self._word_vectors: Vector = vocabulary._word_vectors
            return
        words = int(min(60000, 4000 + 6 * blocks**0.75))
        self.words = [_word(i) for i in range(words)]
        ranks = np.arange(1, words + 1)
        frequency = 1.0 / (ranks + 2.7)
        frequency /= frequency.sum()
        self._cumulated = np.cumsum(frequency)
        self._idf = -np.log(frequency)
        self._word_vectors = self._random.standard_normal((words, dimensions), dtype=np.float32)
        self._word_vectors /= np.sqrt(dimensions)

    def __iter__(self) -> Iterator[Block]:
        """Make the blocks in time order; every few hundred leave a question behind."""
        every = max(1, self.blocks // 400)
        gap = timedelta(days=365) / max(1, self.blocks)
        for number in range(self.blocks):
            if number % SESSION_SIZE == 0:
                subject_words = self._draw(24, from_rank=200)
                subject = _unit(self._word_vectors[subject_words].sum(axis=0))
            chosen = np.concatenate(
                [
                    self._draw(int(self._random.integers(6, 18))),
                    self._random.choice(subject_words, int(self._random.integers(2, 6))),
                ]
            )
            self._random.shuffle(chosen)
            vector = self._vector(chosen, subject)
            content = " ".join(self.words[i] for i in chosen) + "."
            block_type = str(self._random.choice(TYPES, p=TYPE_SHARES))
            digest = hashlib.sha256(content.encode()).hexdigest()
            if number % every == every // 2:
                self.queries.append(self._query(chosen, subject, digest))
            yield Block(
                content=content,
                hash=digest,
                session=f"session {number // SESSION_SIZE}",
                block_type=block_type,
                importance=IMPORTANCE[block_type],
                at=START + number * gap,
                ordinal=number % SESSION_SIZE,
                vector=vector,
            )

    def _draw(self, count: int, from_rank: int = 0) -> NDArray[Any]:
        low = self._cumulated[from_rank - 1] if from_rank else 0.0
        places = np.searchsorted(self._cumulated, self._random.uniform(low, 1.0, count))
        return np.minimum(places, len(self.words) - 1)

    def _vector(self, words: NDArray[Any], subject: Vector) -> Vector:
        weights = self._idf[words][:, None].astype(np.float32)
        meaning = _unit((self._word_vectors[words] * weights).sum(axis=0))
        noise = _unit(self._random.standard_normal(self.dimensions, dtype=np.float32))
        return _unit(0.6 * meaning + 0.6 * subject + 0.5 * noise)

    def _query(self, words: NDArray[Any], subject: Vector, target: str) -> Query:
        kept = self._random.choice(words, int(self._random.integers(4, 9)))
        text = " ".join(self.words[i] for i in dict.fromkeys(kept.tolist())) + "?"
        return Query(text, self._vector(kept, subject), target)


def _word(number: int) -> str:
    """A pronounceable word of its own for each number; frequent ones are short."""
    syllables = []
    number += len(SYLLABLES)
    while number:
        number, place = divmod(number, len(SYLLABLES))
        syllables.append(SYLLABLES[place])
    return "".join(syllables)


def _unit(vector: Vector) -> Vector:
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)
