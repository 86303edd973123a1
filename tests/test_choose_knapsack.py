"""The knapsack: possible, never below greedy, and next to the optimum on every kind of instance."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import combinations
from math import fsum
from typing import NamedTuple

import numpy as np
import pytest
from conftest import Connection, one
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from choose_knapsack import choose_knapsack

CALL = """
    select cto._choose_knapsack(
        costs => %s::integer[], scores => %s::double precision[], headings => %s::integer[],
        heading_cost => %s, budget => %s, max_blocks => %s)
"""
NO_LIMIT = 100_000


class Instance(NamedTuple):
    costs: list[int]
    scores: list[float]
    headings: list[int]
    heading_cost: int
    budget: int
    max_blocks: int

    def total(self, chosen: Iterable[int]) -> float:
        return fsum(self.scores[index - 1] for index in chosen)

    def tokens(self, chosen: list[int]) -> int:
        types = {self.headings[index - 1] for index in chosen}
        return sum(self.costs[index - 1] for index in chosen) + self.heading_cost * len(types)

    def is_possible(self, chosen: list[int]) -> bool:
        return len(chosen) <= self.max_blocks and (not chosen or self.tokens(chosen) <= self.budget)


# --- what is optimal -------------------------------------------------------------------------


def optimum(instance: Instance) -> float:
    """Return the greatest possible total score, by dynamic programming over places and budget."""
    budget = instance.budget
    if budget < 0:
        return 0.0
    fitting = int(np.sum(np.cumsum(sorted(instance.costs)) <= budget))
    places = min(instance.max_blocks, fitting)
    # One row for all counts where the places cannot bind.
    is_counted = instance.max_blocks < fitting
    best: NDArray[np.float64] = np.zeros((places + 1 if is_counted else 1, budget + 1))
    for heading in sorted(set(instance.headings)):
        paid = np.full_like(best, -np.inf)
        if instance.heading_cost <= budget:
            paid[:, instance.heading_cost :] = best[:, : budget + 1 - instance.heading_cost]
        for cost, score, own in zip(*instance[:3], strict=True):
            if own != heading or cost > budget:
                continue
            if is_counted:
                added = paid[:-1, : budget + 1 - cost] + score
                np.maximum(paid[1:, cost:], added, out=paid[1:, cost:])
            else:
                added = paid[:, : budget + 1 - cost] + score
                np.maximum(paid[:, cost:], added, out=paid[:, cost:])
        best = np.maximum(best, paid)
    return float(best[-1, -1])


def brute_optimum(instance: Instance) -> float:
    everything = range(1, len(instance.costs) + 1)
    return max(
        instance.total(chosen)
        for size in range(len(instance.costs) + 1)
        for chosen in combinations(everything, size)
        if instance.is_possible(list(chosen))
    )


def greedy(instance: Instance, key: Callable[[int], float]) -> float:
    chosen: list[int] = []
    for index in sorted(range(1, len(instance.costs) + 1), key=lambda index: -key(index)):
        if instance.is_possible([*chosen, index]):
            chosen.append(index)
    return instance.total(chosen)


def best_greedy(instance: Instance) -> float:
    def score(index: int) -> float:
        return instance.scores[index - 1]

    def score_per_token(index: int) -> float:
        return score(index) / max(instance.costs[index - 1], 1e-9)

    return max(greedy(instance, score), greedy(instance, score_per_token))


# --- kinds of instances ----------------------------------------------------------------------


def _clipped(score: float) -> float:
    return min(1.0, max(0.0, score))


Maker = Callable[[random.Random], tuple[int, float]]


def _plain(maker: Callable[[int, random.Random], float]) -> Maker:
    def make(rng: random.Random) -> tuple[int, float]:
        cost = rng.randint(10, 500)
        return cost, _clipped(maker(cost, rng))

    return make


def _even(rng: random.Random) -> tuple[int, float]:
    cost = 2 * rng.randint(5, 250)
    return cost, cost / 500


def _few_huge(rng: random.Random) -> tuple[int, float]:
    if rng.random() < 0.3:
        return rng.randint(1500, 6000), _clipped(3 * rng.random())
    return rng.randint(10, 500), 0.3 * rng.random()


KINDS: dict[str, Maker] = {
    "uncorrelated": _plain(lambda cost, rng: rng.random()),
    "weakly correlated": _plain(lambda cost, rng: cost / 500 + rng.uniform(-0.1, 0.1)),
    "strongly correlated": _plain(lambda cost, rng: (cost + 50) / 550),
    "strongly correlated, small constant": _plain(lambda cost, rng: (cost + 5) / 550),
    "almost strongly correlated": _plain(
        lambda cost, rng: (cost + 50) / 600 + rng.uniform(-0.002, 0.002)
    ),
    "inversely strongly correlated": _plain(lambda cost, rng: (cost - 50) / 500),
    "score is cost": _plain(lambda cost, rng: cost / 500),
    "score is cost in steps": _plain(lambda cost, rng: -(-cost // 30) / 20),
    "even costs": _even,
    "equal costs": lambda rng: (100, rng.random()),
    "equal scores": _plain(lambda cost, rng: 0.5),
    "few huge": _few_huge,
    "only huge": lambda rng: (rng.randint(1000, 4000), rng.random()),
    "narrow": lambda rng: (rng.randint(100, 120), rng.uniform(0.5, 0.6)),
    "steps": lambda rng: (rng.choice([50, 100, 200, 400]), round(rng.random(), 1)),
    "like blocks": lambda rng: (
        int(min(2000, max(5, rng.lognormvariate(4, 0.8)))),
        rng.betavariate(2, 5),
    ),
    "some free": lambda rng: (rng.choice([0, 0, 40, 80, 333]), rng.random()),
}

# candidates, tokens, places, tokens of a heading, types, instances
SIZES = {
    "usual": (400, 8000, NO_LIMIT, 5, 4, 3),
    "small budget": (400, 300, NO_LIMIT, 5, 4, 6),
    "tiny budget": (200, 60, NO_LIMIT, 5, 4, 6),
    "dear headings": (200, 1500, NO_LIMIT, 200, 4, 6),
    "eight types": (200, 1500, NO_LIMIT, 60, 8, 4),
    "twelve types": (200, 1500, NO_LIMIT, 60, 12, 4),
    "free headings": (200, 2000, NO_LIMIT, 0, 4, 4),
    "places bind": (150, 3000, 20, 5, 4, 6),
    "few places": (400, 1500, 10, 40, 4, 4),
    "few candidates": (12, 700, 5, 20, 4, 12),
}


def make(kind: str, size: str, seed: int) -> Instance:
    count, budget, places, heading_cost, types, _ = SIZES[size]
    rng = random.Random(f"{kind} {size} {seed}")
    pairs = [KINDS[kind](rng) for _ in range(count)]
    weights = [6, *range(1, types)]
    headings = rng.choices(range(types), weights, k=count)
    return Instance(
        [cost for cost, _ in pairs],
        [score for _, score in pairs],
        headings,
        heading_cost,
        budget,
        places,
    )


def quality(instance: Instance) -> float:
    """Choose, check what must hold of every choice, and return the part of the optimum."""
    chosen = choose_knapsack(*instance)
    assert chosen == sorted(set(chosen))
    assert instance.is_possible(chosen)
    assert choose_knapsack(*instance) == chosen
    assert instance.total(chosen) >= best_greedy(instance) - 1e-9
    best = optimum(instance)
    assert instance.total(chosen) <= best + 1e-9
    return instance.total(chosen) / best if best else 1.0


# --- quality ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_it_comes_within_one_percent_of_the_optimum(size: str) -> None:
    ratios = {
        (kind, seed): quality(make(kind, size, seed))
        for kind in KINDS
        for seed in range(SIZES[size][-1])
    }
    worst = min(ratios, key=ratios.__getitem__)
    within = sum(ratio >= 0.999 for ratio in ratios.values())
    print(
        f"{size}: worst {ratios[worst]:.5f} ({worst[0]}, seed {worst[1]}),"
        f" {within} of {len(ratios)} within 0.1 %"
    )

    assert ratios[worst] >= 0.99
    assert within >= 0.9 * len(ratios)


def test_it_comes_within_one_percent_where_fifty_places_bind() -> None:
    """The full size once for each kind: the optimum takes a second each."""
    for kind in ("uncorrelated", "strongly correlated", "few huge", "like blocks"):
        instance = make(kind, "usual", 0)._replace(max_blocks=50)
        assert quality(instance) >= 0.99, kind


small = st.integers(1, 8).flatmap(
    lambda count: st.builds(
        Instance,
        st.lists(st.integers(0, 60), min_size=count, max_size=count),
        st.lists(st.integers(0, 20).map(lambda n: n / 20), min_size=count, max_size=count),
        st.lists(st.integers(-1, 3), min_size=count, max_size=count),
        st.integers(0, 30),
        st.integers(-5, 200),
        st.integers(0, 9),
    )
)


@settings(deadline=None, max_examples=500)
@given(small)
def test_it_finds_the_optimum_of_small_instances(instance: Instance) -> None:
    chosen = choose_knapsack(*instance)
    best = brute_optimum(instance)

    assert instance.is_possible(chosen)
    assert instance.total(chosen) == pytest.approx(best, rel=2e-5, abs=1e-9)
    assert optimum(instance) == pytest.approx(best)


@settings(deadline=None, max_examples=200)
@given(small)
def test_nothing_that_fits_is_left_out(instance: Instance) -> None:
    chosen = choose_knapsack(*instance)
    left_out = set(range(1, len(instance.costs) + 1)) - set(chosen)

    assert not any(instance.is_possible([*chosen, index]) for index in left_out)


# --- edges -----------------------------------------------------------------------------------


def test_without_candidates_it_chooses_nothing() -> None:
    assert choose_knapsack([], [], [], 5, 100, 10) == []


@pytest.mark.parametrize("budget", [-100, 0, 14])
def test_it_chooses_nothing_where_nothing_fits(budget: int) -> None:
    assert choose_knapsack([10, 20], [0.5, 1.0], [0, 1], 5, budget, 10) == []


@pytest.mark.parametrize("max_blocks", [-1, 0])
def test_it_chooses_nothing_where_no_place_is_left(max_blocks: int) -> None:
    assert choose_knapsack([10, 0], [0.5, 1.0], [0, 1], 0, 100, max_blocks) == []


def test_it_takes_everything_where_all_fits() -> None:
    assert choose_knapsack([10, 20, 30], [0.1, 0.0, 0.3], [0, 1, 0], 5, 70, 3) == [1, 2, 3]


def test_what_costs_nothing_is_taken_even_without_budget() -> None:
    assert choose_knapsack([0, 1, 0], [0.5, 1.0, 0.2], [0, 0, 0], 0, 0, 10) == [1, 3]


def test_scores_of_nought_are_taken_in_order_of_index() -> None:
    assert choose_knapsack([40, 70, 30, 20, 10], [0.0] * 5, [0] * 5, 10, 100, 10) == [1, 3, 4]


def test_of_equal_candidates_it_takes_the_first() -> None:
    assert choose_knapsack([10] * 9, [0.5] * 9, [1] * 9, 5, 48, 10) == [1, 2, 3, 4]
    assert choose_knapsack([10] * 9, [0.5] * 9, [1] * 9, 5, 500, 3) == [1, 2, 3]


def test_one_large_item_can_be_better_than_several_small_ones() -> None:
    assert choose_knapsack([100, 10, 10], [1.0, 0.2, 0.2], [0, 0, 0], 0, 100, 10) == [1]


def test_several_small_items_can_be_better_than_one_large_one() -> None:
    assert choose_knapsack([100, 50, 50], [1.0, 0.6, 0.6], [0, 0, 0], 0, 100, 10) == [2, 3]


def test_a_heading_is_only_paid_for_where_it_is_worth_it() -> None:
    costs, scores = [50, 45, 45], [0.9, 0.5, 0.5]

    assert choose_knapsack(costs, scores, [0, 1, 1], 10, 100, 10) == [2, 3]
    assert choose_knapsack(costs, scores, [0, 0, 1], 10, 110, 10) == [1, 2]
    assert choose_knapsack(costs, scores, [0, 1, 1], 10, 99, 10) == [1]


@pytest.mark.parametrize(
    ("costs", "scores", "headings"),
    [([1], [0.5, 0.5], [0, 0]), ([1, 2], [0.5], [0, 0]), ([1, 2], [0.5, 0.5], [0])],
)
def test_arrays_of_different_length_are_refused(
    costs: list[int], scores: list[float], headings: list[int]
) -> None:
    with pytest.raises(ValueError, match="must have equally many"):
        choose_knapsack(costs, scores, headings, 0, 10, 10)


# --- in the database -------------------------------------------------------------------------


@pytest.mark.usefixtures("full_tier")
def test_the_database_chooses_as_the_module_does(db: Connection) -> None:
    for kind, size in (
        ("like blocks", "usual"),
        ("strongly correlated", "places bind"),
        ("uncorrelated", "dear headings"),
    ):
        instance = make(kind, size, 0)
        assert one(db, CALL, *instance) == choose_knapsack(*instance)
    assert one(db, CALL, [], [], [], 5, 100, 10) == []
