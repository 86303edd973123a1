"""The candidates that score high and repeat each other little: maximal marginal relevance.

Carbonell and Goldstein, "The use of MMR, diversity-based reranking for reordering documents and
producing summaries", SIGIR 1998. Their lambda is 1 - diversity here.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["choose_diverse"]


def choose_diverse(  # noqa: PLR0917 - the SQL function's arguments
    costs: Sequence[int],
    scores: Sequence[float],
    headings: Sequence[int],
    heading_cost: int,
    budget: int,
    max_blocks: int,
    similarities: Sequence[float],
    diversity: float,
) -> list[int]:
    """Return the chosen in the order of choice, as indices that count from 1.

    costs:        tokens of each of n candidates, at least 0.
    scores:       of each candidate, 0 to 1.
    headings:     the number of each candidate's type. Each type among the chosen costs
                  heading_cost tokens once, at least 0.
    budget:       tokens that the chosen and their headings may cost together.
    max_blocks:   how many may be chosen.
    similarities: of each pair of candidates, -1 to 1: a symmetric n by n matrix, row after row.
                  Below 0 counts as 0.
    diversity:    0 is greedy by score; 1 looks at similarity alone.

    Each choice is the fitting candidate with the greatest
    (1 - diversity) * score / greatest score - diversity * greatest similarity to one chosen before;
    of equal ones the first. Takes time n * chosen. Raises ValueError where the arrays do not belong
    together.
    """
    _check_lengths(costs, scores, headings, similarities)
    count = len(costs)
    top = max(scores, default=0.0)
    relevance = [(1 - diversity) * score / top if top > 0 else 0.0 for score in scores]
    penalties = [0.0] * count
    chosen: list[int] = []
    types: set[int] = set()
    left = budget
    remaining = list(range(count))
    while len(chosen) < max_blocks:
        # What only lacks its heading's tokens may fit later, when another has paid for it.
        remaining = [item for item in remaining if costs[item] <= left]
        affordable = left - heading_cost
        fitting = [
            item for item in remaining if costs[item] <= affordable or headings[item] in types
        ]
        if not fitting:
            break
        best = max(
            fitting, key=[r - p for r, p in zip(relevance, penalties, strict=True)].__getitem__
        )
        chosen.append(best)
        remaining.remove(best)
        left -= costs[best] + (0 if headings[best] in types else heading_cost)
        types.add(headings[best])
        if diversity > 0:
            row = similarities[best * count : (best + 1) * count]
            penalties = [
                new if (new := diversity * similarity) > old else old
                for similarity, old in zip(row, penalties, strict=True)
            ]
    return [item + 1 for item in chosen]


def _check_lengths(
    costs: Sequence[int],
    scores: Sequence[float],
    headings: Sequence[int],
    similarities: Sequence[float],
) -> None:
    if not len(costs) == len(scores) == len(headings):
        raise ValueError(
            f"costs, scores and headings have {len(costs)}, {len(scores)} and {len(headings)}"
            " elements but must have equally many"
        )
    if len(similarities) != len(costs) ** 2:
        raise ValueError(
            f"similarities has {len(similarities)} elements but {len(costs)} candidates need"
            f" {len(costs) ** 2}"
        )
