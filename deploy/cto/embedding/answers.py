"""Checks of what an embeddings API answers, before anything of it is stored."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from cto.embedding.errors import BadAnswer

MAX_DIMENSIONS = 1536

# The vector index holds half-precision numbers: beyond this they overflow, below they are zero.
_LARGEST = 65504.0
_SMALLEST = 6e-8


def vectors_by_index(
    answer: Any, asked: int, *, dimensions: int | None = None
) -> list[Sequence[float]]:
    """Return the vectors of an answer in the order of the texts that were sent.

    `answer` is the decoded JSON, whose `data` holds objects with `index` and `embedding` in any
    order. `asked` texts were sent, and each vector must have `dimensions` elements (None: any
    number up to 1536, the same for all). Raises BadAnswer, naming the first fault.
    """
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list):
        raise _bad("it holds no list of vectors")
    if len(items) != asked:
        raise _bad(f"{len(items)} vectors came for {asked} texts")
    placed: list[Sequence[float] | None] = [None] * asked
    for item in items:
        index = item.get("index") if isinstance(item, dict) else None
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < asked:
            raise _bad(f"a vector came without an index between 0 and {asked - 1}")
        if placed[index] is not None:
            raise _bad(f"two vectors came with the index {index}")
        placed[index] = _checked(item.get("embedding"), index)
    vectors = [vector for vector in placed if vector is not None]
    expected = dimensions if dimensions is not None or not vectors else len(vectors[0])
    for index, vector in enumerate(vectors):
        if len(vector) != expected:
            raise _bad(f"vector {index} has {len(vector)} dimensions, not {expected}")
        if len(vector) > MAX_DIMENSIONS:
            raise _bad(
                f"vector {index} has {len(vector)} dimensions, but at most {MAX_DIMENSIONS} are"
                " stored (ask for fewer: dimensions=1536)"
            )
    return vectors


def _checked(embedding: Any, index: int) -> Sequence[float]:
    try:
        vector = array("d", embedding)
    except (TypeError, ValueError, OverflowError) as error:
        raise _bad(f"vector {index} is not a list of numbers") from error
    if not vector:
        raise _bad(f"vector {index} is empty")
    # A comparison with NaN is false, so this finds NaN, infinity and overflow alike.
    if not all(-_LARGEST <= value <= _LARGEST for value in vector):
        raise _bad(f"vector {index} holds a number that is not finite, or beyond {_LARGEST:g}")
    if max(map(abs, vector)) < _SMALLEST:
        raise _bad(f"vector {index} is zero in every dimension")
    return vector


def _bad(fault: str) -> BadAnswer:
    return BadAnswer(
        f"The embeddings server's answer is unusable: {fault}",
        "Check that model and dimensions suit the server.",
    )
