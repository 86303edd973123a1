"""Maximal marginal relevance: each choice against a plain reading of the formula."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np
import pytest
from conftest import Connection, one

from choose_diverse import choose_diverse

CALL = """
    select cto._choose_diverse(
        costs => %s::integer[], scores => %s::double precision[], headings => %s::integer[],
        heading_cost => %s, budget => %s, max_blocks => %s,
        similarities => %s::real[], diversity => %s)
"""


class Instance(NamedTuple):
    costs: list[int]
    scores: list[float]
    headings: list[int]
    heading_cost: int
    budget: int
    max_blocks: int
    similarities: list[float]
    diversity: float


def make(seed: int, count: int = 30, diversity: float = 0.3) -> Instance:
    """Return random candidates in a few directions; the similarities are exact as real."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(count, 6)) + 2 * rng.normal(size=(5, 6))[rng.integers(0, 5, count)]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    matrix = np.clip(vectors @ vectors.T, -1, 1).astype(np.float32)
    matrix = np.maximum(matrix, matrix.T)
    return Instance(
        rng.integers(10, 100, count).tolist(),
        rng.random(count).tolist(),
        rng.integers(0, 4, count).tolist(),
        5,
        600,
        12,
        matrix.ravel().tolist(),
        diversity,
    )


def by_the_formula(instance: Instance) -> list[int]:
    count = len(instance.costs)
    similar = np.maximum(0, np.array(instance.similarities, dtype=float).reshape(count, count))
    chosen: list[int] = []

    def tokens(items: list[int]) -> int:
        headings = {instance.headings[item] for item in items}
        return sum(instance.costs[item] for item in items) + instance.heading_cost * len(headings)

    def relevance(item: int) -> float:
        repeated = max((float(similar[item, other]) for other in chosen), default=0.0)
        score = instance.scores[item] / max(instance.scores)
        return (1 - instance.diversity) * score - instance.diversity * repeated

    while len(chosen) < instance.max_blocks:
        fitting = [
            item
            for item in range(count)
            if item not in chosen and tokens([*chosen, item]) <= instance.budget
        ]
        if not fitting:
            break
        chosen.append(max(fitting, key=relevance))
    return [item + 1 for item in chosen]


@pytest.mark.parametrize("diversity", [0.0, 0.1, 0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("max_blocks", [1, 12, 1000])
def test_each_choice_follows_the_formula(diversity: float, max_blocks: int) -> None:
    for seed in range(8):
        instance = make(seed, diversity=diversity)._replace(max_blocks=max_blocks)
        chosen = choose_diverse(*instance)

        assert chosen == by_the_formula(instance)
        assert chosen == choose_diverse(*instance)


def test_without_diversity_it_is_greedy_by_score() -> None:
    rng = random.Random(1)
    scores = [rng.random() for _ in range(20)]
    chosen = choose_diverse([10] * 20, scores, [0] * 20, 0, 150, 100, [1.0] * 400, 0.0)

    assert chosen == sorted(range(1, 21), key=lambda index: -scores[index - 1])[:15]


def test_a_repetition_comes_after_what_is_new() -> None:
    similarities = [1.0, 0.95, 0.1, 0.95, 1.0, 0.1, 0.1, 0.1, 1.0]

    assert choose_diverse([10] * 3, [1.0, 0.9, 0.5], [0] * 3, 0, 100, 10, similarities, 0.5) == [
        1,
        3,
        2,
    ]
    assert choose_diverse([10] * 3, [1.0, 0.9, 0.5], [0] * 3, 0, 20, 10, similarities, 0.5) == [
        1,
        3,
    ]


def test_being_opposed_is_no_more_than_being_unlike() -> None:
    similarities = [1.0, -0.9, 0.0, -0.9, 1.0, 0.0, 0.0, 0.0, 1.0]

    assert choose_diverse([10] * 3, [1.0, 0.5, 0.6], [0] * 3, 0, 100, 2, similarities, 0.9) == [
        1,
        3,
    ]


def test_what_does_not_fit_is_skipped() -> None:
    assert choose_diverse([90, 50, 40], [0.9, 1.0, 0.1], [0] * 3, 5, 95, 10, [0.0] * 9, 0.2) == [
        2,
        3,
    ]


def test_what_lacks_a_heading_fits_once_another_has_paid_for_it() -> None:
    """The second needs its heading, for which the tokens suffice only with the cheaper third."""
    costs, scores, headings = [50, 50, 40], [0.2, 0.9, 0.5], [1, 1, 1]

    assert choose_diverse(costs, scores, headings, 20, 60, 10, [0.0] * 9, 0.0) == [3]
    assert choose_diverse([10, 0, 0], [0.9, 0.5, 0.1], [0, 1, 0], 1, 1, 10, [0.0] * 9, 0.0) == [2]
    assert choose_diverse([3, 0], [0.9, 0.1], [0, 0], 2, 4, 10, [0.0] * 4, 0.0) == [2]
    assert choose_diverse([2, 0, 0], [0.9, 0.5, 0.1], [0, 0, 0], 2, 4, 9, [0.0] * 9, 0.0) == [
        1,
        2,
        3,
    ]
    assert choose_diverse([9, 1], [0.9, 0.1], [0, 0], 5, 13, 10, [0.0] * 4, 0.0) == [2]


def test_scores_of_nought_are_taken_in_order_of_index() -> None:
    assert choose_diverse([10] * 4, [0.0] * 4, [0] * 4, 0, 30, 10, [0.0] * 16, 0.3) == [1, 2, 3]


@pytest.mark.parametrize(
    ("budget", "max_blocks"), [(-5, 10), (0, 10), (14, 10), (100, 0), (100, -1)]
)
def test_it_chooses_nothing_where_nothing_fits(budget: int, max_blocks: int) -> None:
    chosen = choose_diverse([10, 20], [0.5, 1.0], [0, 1], 5, budget, max_blocks, [0.0] * 4, 0.3)

    assert chosen == []


def test_without_candidates_it_chooses_nothing() -> None:
    assert choose_diverse([], [], [], 5, 100, 10, [], 0.3) == []


def test_arrays_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="must have equally many"):
        choose_diverse([1, 2], [0.5], [0, 0], 0, 10, 10, [0.0] * 4, 0.3)
    with pytest.raises(ValueError, match="similarities has 3 elements but 2 candidates need 4"):
        choose_diverse([1, 2], [0.5, 0.5], [0, 0], 0, 10, 10, [0.0] * 3, 0.3)


@pytest.mark.usefixtures("full_tier")
def test_the_database_chooses_as_the_module_does(db: Connection) -> None:
    for seed in range(3):
        instance = make(seed, count=60)
        assert one(db, CALL, *instance) == choose_diverse(*instance)
    assert one(db, CALL, [], [], [], 5, 100, 10, [], 0.3) == []
