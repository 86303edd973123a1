"""Feature hashing: a text as a vector of its words and letter groups, without any model.

The hashing trick of Weinberger et al., "Feature Hashing for Large Scale Multitask Learning"
(2009): each feature adds +w or -w at a place that its hash chooses. blake2b makes it the same in
every process and on every machine.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import fsum, log, sqrt

_WORDS = re.compile(r"\w+")
_BLANK = "blank:"
_WORD_WEIGHT = 1.0
_PAIR_WEIGHT = 0.7
_LETTERS_WEIGHT = 0.35


def hash_text(text: str, dimensions: int) -> list[float]:
    """Return the vector of a text: `dimensions` floats of length one, never all zero.

    Texts are folded first: case, accents and compatibility forms make no difference. A text with
    neither letters nor digits is hashed as it stands, so that "!!!" has a vector too.
    """
    vector = [0.0] * dimensions
    for feature, weight in _weights(_fold(text)):
        digest = hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest()
        number = int.from_bytes(digest, "big")
        vector[(number >> 1) % dimensions] += weight if number & 1 else -weight
    length = sqrt(fsum(value * value for value in vector))
    if length == 0.0:
        # Only features that cancel out, or an empty text.
        vector[0] = 1.0
        return vector
    return [value / length for value in vector]


def _fold(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def _weights(folded: str) -> Iterator[tuple[str, float]]:
    words = _WORDS.findall(folded)
    if not words:
        yield _BLANK + "".join(folded.split()), _WORD_WEIGHT
        return
    counts: Counter[tuple[str, float]] = Counter()
    counts.update((f"w:{word}", _WORD_WEIGHT) for word in words)
    counts.update((f"p:{one} {two}", _PAIR_WEIGHT) for one, two in pairwise(words))
    for word in words:
        marked = f"<{word}>"
        counts.update(
            (f"c:{marked[start : start + size]}", _LETTERS_WEIGHT)
            for size in (3, 4, 5)
            for start in range(len(marked) - size + 1)
        )
    # Sublinear: the tenth mention of a word says less than the first. Sorted, because the sum of
    # floats depends on their order; rounded, because the last digit of log depends on the machine.
    for (feature, weight), count in sorted(counts.items()):
        yield feature, weight * round(1.0 + log(count), 6)
