"""The candidates with the greatest total score that fit the budget: a knapsack with headings.

Tokens are limited (the costs, and a heading for each type among the chosen), and so are places (how
many may be chosen). The steps, each of which improves on the best choice so far:

1. Greedy by score and by score per token: what the answer must not fall short of.
2. A set of types is fixed and its headings are paid for. Lagrange multipliers, a price per token
   and one per place, bound what any choice among these types reaches (Fisher 1981). Sets that
   cannot hold a better choice are passed over. In the bound, no more places count than items could
   ever fit (Martello and Toth 1997), which is what makes scores that follow the costs tractable.
3. The choice that the prices suggest is mended. Taking an item out or putting it in against its
   price loses a known part of the bound, and so does each token and place left over. Only items
   that lose less than the gap between bound and best choice matter (the core, Pisinger 1997). They
   are tried from the least loss up, with one state for each (tokens, places) left over.
4. Where that takes too many states: exchange two for two, from several choices, then mend again
   with the smaller gap; or, where only the tokens bind, keep a row of the best score for each
   number of tokens left over.

Where only the tokens bind and their number is small, such rows over all the types at once give the
optimum once the likeliest set of types has been looked at.

Fisher, "The Lagrangian relaxation method for solving integer programming problems", Management
Science 27 (1981). Martello and Toth, "Upper bounds and algorithms for hard 0-1 knapsack problems",
Operations Research 45 (1997). Pisinger, "A minimal algorithm for the 0-1 knapsack problem",
Operations Research 45 (1997).
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, chain, combinations
from math import fsum, inf
from typing import NamedTuple

__all__ = ["choose_knapsack"]

_NOISE = 1e-9  # scores that differ by less are the same
_CLOSE = 1e-5  # a gap of this part of the bound is not worth closing
_ROUNDS = 60  # of the search for the price of a token; 5 to 15 are usual
_HALVINGS = 15  # of the price of a token, where types are chosen
_SMALL = 420_000  # items times tokens where the optimum is worked out
_HEADING_SETS = 256  # sets of types looked at
_MENDINGS = 3  # of one set of types
_WIDTH = 300  # states kept after each item
_OFF = 0.3  # how much of what is overdrawn or left over counts when states are cut off
_OTHER_PRICES = (0.8, 1.25)  # whose greedy choices are exchanged too, times the price of a token
_EXCHANGES = 12  # one after the other
_OUT, _IN = 24, 32  # how many of the chosen, and of the others, an exchange looks at

# The work of one call is limited, in cells of a row of step 4 (50 to 100 ns each on a slow core).
_WORK = 500_000
_WORK_STATE = 30
_WORK_PRICED_ITEM = 50
_WORK_BOUNDED_ITEM = 12
_WORK_EXCHANGE = 20_000


class _Problem(NamedTuple):
    """The arguments of choose_knapsack; items count from 0."""

    costs: Sequence[int]
    scores: Sequence[float]
    headings: Sequence[int]
    heading_cost: int
    budget: int
    max_blocks: int


class _Part(NamedTuple):
    """The problem within a set of types whose headings are paid for."""

    items: list[int]
    costs: list[int]  # of these items
    scores: list[float]
    budget: int  # tokens for the items alone
    places: int
    is_loose: bool  # what fits the budget always fits max_blocks


class _Tangent(NamedTuple):
    """The bound at a price of a token."""

    token: float
    place: float  # the best price of a place with it
    bound: float
    slope: int  # tokens left over by kept
    kept: list[int]  # the choice that reaches the bound, as places in the part's lists
    order: list[int]  # all such places by falling value


class _Pricing(NamedTuple):
    """Prices for all sets of types at once."""

    bound: float
    token: float
    place: float
    worth: dict[int, float]  # what each type adds to the bound, less the price of its heading

    def suggested(self) -> frozenset[int]:
        """Return the types that are worth their heading."""
        return frozenset(heading for heading, value in self.worth.items() if value > 0)


class _Flip(NamedTuple):
    """Taking an item out of the suggested choice, or putting it in."""

    loss: float
    tokens: int  # that become free, negative where used
    places: int
    item: int


class _Rest(NamedTuple):
    """What the flips still to come lose at the least; inf where there are none."""

    flip: float
    token_freed: float
    token_used: float


class _Draft(NamedTuple):
    """A choice, perhaps not a possible one, what it leaves over, and the flips that may mend it."""

    kept: set[int]
    tokens: int  # left over, negative where overdrawn
    places: int
    flips: list[_Flip]  # by ascending loss


def choose_knapsack(  # noqa: PLR0917 - the SQL function's arguments
    costs: Sequence[int],
    scores: Sequence[float],
    headings: Sequence[int],
    heading_cost: int,
    budget: int,
    max_blocks: int,
) -> list[int]:
    """Return the choice of greatest total score, as ascending indices that count from 1.

    costs:        tokens of each of n candidates, at least 0.
    scores:       of each candidate, 0 to 1.
    headings:     the number of each candidate's type. Each type among the chosen costs
                  heading_cost tokens once, at least 0.
    budget:       tokens that the chosen and their headings may cost together.
    max_blocks:   how many may be chosen.

    Never worse than greedy by score or by score per token; usually the optimum. Of equal candidates
    the first are chosen. What still fits at the end is added by score, even where it scores 0.
    Raises ValueError where the arrays differ in length.
    """
    if not len(costs) == len(scores) == len(headings):
        raise ValueError(
            f"costs, scores and headings have {len(costs)}, {len(scores)} and {len(headings)}"
            " elements but must have equally many"
        )
    problem = _Problem(costs, scores, headings, heading_cost, budget, max_blocks)
    chosen = _first_of_equals(problem, _Search(problem).run())
    return [item + 1 for item in sorted(_fill(problem, _by_score(problem), chosen))]


# --------------------------------------------------------------------------------------
# Greedy choices
# --------------------------------------------------------------------------------------


def _by_score(problem: _Problem) -> list[int]:
    return sorted(range(len(problem.costs)), key=lambda item: -problem.scores[item])


def _by_score_per_token(problem: _Problem) -> list[int]:
    def key(item: int) -> tuple[float, float]:
        cost, score = problem.costs[item], problem.scores[item]
        return (-score / cost if cost else -inf, -score)

    return sorted(range(len(problem.costs)), key=key)


def _fill(problem: _Problem, order: Iterable[int], chosen: Iterable[int] = ()) -> list[int]:
    """Add to the chosen, one after the other, what fits."""
    filled = list(chosen)
    taken = set(filled)
    types = {problem.headings[item] for item in filled}
    left = problem.budget - problem.heading_cost * len(types)
    left -= sum(problem.costs[item] for item in filled)
    for item in order:
        if len(filled) >= problem.max_blocks:
            break
        heading = problem.headings[item]
        cost = problem.costs[item] + (0 if heading in types else problem.heading_cost)
        if cost <= left and item not in taken:
            filled.append(item)
            types.add(heading)
            left -= cost
    return filled


def _first_of_equals(problem: _Problem, chosen: Iterable[int]) -> list[int]:
    """Exchange the chosen for candidates of the same cost, score and type that come first."""
    kinds = list(zip(problem.costs, problem.scores, problem.headings, strict=True))
    wanted: dict[tuple[int, float, int], int] = {}
    for item in chosen:
        wanted[kinds[item]] = wanted.get(kinds[item], 0) + 1
    first = []
    for item, kind in enumerate(kinds):
        if wanted.get(kind):
            wanted[kind] -= 1
            first.append(item)
    return first


# --------------------------------------------------------------------------------------
# Prices and bounds
# --------------------------------------------------------------------------------------


def _part(problem: _Problem, items: Iterable[int], budget: int) -> _Part:
    """Return the part of the problem with these of the items that fit the budget alone."""
    # The cheapest first, so that of items with the same value these are kept.
    items = sorted(
        (item for item in items if problem.costs[item] <= budget), key=problem.costs.__getitem__
    )
    costs = [problem.costs[item] for item in items]
    scores = [problem.scores[item] for item in items]
    fitting = sum(used <= budget for used in accumulate(costs))
    places = min(problem.max_blocks, fitting)
    return _Part(items, costs, scores, budget, places, fitting <= problem.max_blocks)


def _tangent(part: _Part, token: float) -> _Tangent:
    """Return the bound at the price of a token, with the price of a place that makes it least.

    That is the value of the first item that gets no place.
    """
    values = [s - token * c for c, s in zip(part.costs, part.scores, strict=True)]
    order = sorted(range(len(values)), key=values.__getitem__, reverse=True)
    kept = [place for place in order[: part.places] if values[place] > 0]
    place_price = max(0.0, values[order[part.places]]) if part.places < len(order) else 0.0
    bound = token * part.budget + fsum(values[place] for place in kept)
    slope = part.budget - sum(part.costs[place] for place in kept)
    return _Tangent(token, place_price, bound, slope, kept, order)


def _find_prices(part: _Part, guess: float) -> tuple[_Tangent, _Tangent]:
    """Return the least bound, and the bound nearest to it whose choice fits the budget.

    The bound is a convex function of the price of a token, made of straight pieces: the next price
    to try is where the tangents on either side of the minimum meet.
    """
    low = _tangent(part, 0.0)
    if low.slope >= 0:
        return low, low
    dearest = max(s / max(c, 1) for c, s in zip(part.costs, part.scores, strict=True))
    best = high = _tangent(part, dearest)
    token = guess
    for _ in range(_ROUNDS):
        is_guess = low.token < token < high.token
        if not is_guess:
            across = low.slope * low.token - high.slope * high.token
            token = (high.bound - low.bound + across) / (low.slope - high.slope)
        if not low.token < token < high.token:
            break
        least_possible = low.bound + low.slope * (token - low.token)
        middle = _tangent(part, token)
        best = min(best, middle, key=lambda tangent: tangent.bound)
        if middle.slope < 0:
            low = middle
        else:
            high = middle
        if not is_guess and middle.bound <= least_possible * (1 + 1e-12):
            break
        token = low.token
    return best, high


def _price_types(problem: _Problem, part: _Part) -> _Pricing:
    """Return prices with a small bound over all sets of types.

    The price of a token is found by bisection: it is too low where what is worth its price costs
    more than the budget.
    """
    best = _Pricing(inf, 0.0, 0.0, {})
    low, high = 0.0, max(s / max(c, 1) for c, s in zip(part.costs, part.scores, strict=True))
    for _ in range(_HALVINGS):
        token = (low + high) / 2
        tangent = _tangent(part, token)
        worth = dict.fromkeys((problem.headings[item] for item in part.items), 0.0)
        spent = dict.fromkeys(worth, problem.heading_cost)
        for place in tangent.kept:
            heading = problem.headings[part.items[place]]
            worth[heading] += part.scores[place] - token * part.costs[place] - tangent.place
            spent[heading] += part.costs[place]
        for heading in worth:
            worth[heading] -= token * problem.heading_cost
        bound = token * problem.budget + tangent.place * part.places
        bound += fsum(value for value in worth.values() if value > 0)
        if bound < best.bound:
            best = _Pricing(bound, token, tangent.place, worth)
        if sum(spent[heading] for heading, value in worth.items() if value > 0) > problem.budget:
            low = token
        else:
            high = token
    return best


def _draft(part: _Part, prices: _Tangent) -> _Draft:
    """Return the choice that the prices suggest, and what flipping each item loses.

    Items whose value is nil may be kept or not: of these, neighbours by cost are kept that leave
    little over. Among flips that lose the same, those nearest in cost to these come first, taking
    out and putting in by turns.
    """
    values = {
        item: value if abs(value) > _NOISE else 0.0
        for item, cost, score in zip(part.items, part.costs, part.scores, strict=True)
        for value in [score - prices.token * cost - prices.place]
    }
    cost_of = dict(zip(part.items, part.costs, strict=True))
    kept = {item for item in part.items if values[item] > 0}
    tokens = part.budget - sum(cost_of[item] for item in kept)
    even = sorted((cost_of[item], item) for item in part.items if values[item] == 0)
    window = _dearest_neighbours([cost for cost, _ in even], tokens, part.places - len(kept))
    center = even[window[len(window) // 2]][0] if window else 0
    tokens -= sum(even[place][0] for place in window)
    kept.update(even[place][1] for place in window)
    ranked = []
    for is_kept, sign in ((True, 1), (False, -1)):
        flips = sorted(
            (round(abs(values[item]), 9), abs(cost_of[item] - center), item)
            for item in part.items
            if (item in kept) == is_kept
        )
        ranked += [
            (loss, turn, _Flip(loss, sign * cost_of[item], sign, item))
            for turn, (loss, _, item) in enumerate(flips)
        ]
    ranked.sort()
    return _Draft(kept, tokens, part.places - len(kept), [flip for _, _, flip in ranked])


def _dearest_neighbours(costs: Sequence[int], tokens: int, places: int) -> range:
    """Return as many neighbours in the ascending costs as fit, and of these the dearest."""
    count = min(places, sum(used <= tokens for used in accumulate(costs)))
    if count <= 0:
        return range(0)
    start = 0
    used = sum(costs[:count])
    while start + count < len(costs):
        used += costs[start + count] - costs[start]
        if used > tokens:
            break
        start += 1
    return range(start, start + count)


def _rests(flips: Sequence[_Flip]) -> list[_Rest]:
    """Return what the flips from each place on lose at the least, and inf after the last."""
    rests = [_Rest(inf, inf, inf)]
    for flip in reversed(flips):
        freed, used = rests[-1].token_freed, rests[-1].token_used
        if flip.tokens > 0:
            freed = min(freed, flip.loss / flip.tokens)
        elif flip.tokens < 0:
            used = min(used, flip.loss / -flip.tokens)
        rests.append(_Rest(flip.loss, freed, used))
    rests.reverse()
    return rests


# --------------------------------------------------------------------------------------
# The search
# --------------------------------------------------------------------------------------

_States = dict[tuple[int, int], tuple[float, int]]


class _Search:
    """The best choice so far, and the work that may still be done."""

    def __init__(self, problem: _Problem) -> None:
        self.problem = problem
        self.work = _WORK
        self.chosen: list[int] = []
        self.total = 0.0
        self.token_price = 0.0

    def run(self) -> list[int]:
        """Return the best choice found."""
        problem = self.problem
        usable = [
            item
            for item, cost in enumerate(problem.costs)
            if cost + problem.heading_cost <= problem.budget and problem.scores[item] > 0
        ]
        if not usable or problem.max_blocks <= 0:
            return []
        fits = set(usable)
        for order in (_by_score(problem), _by_score_per_token(problem)):
            self._offer(_fill(problem, [item for item in order if item in fits]))
        if len(self.chosen) == len(usable):
            return self.chosen
        if problem.heading_cost <= 0 or len({problem.headings[item] for item in usable}) == 1:
            types = {problem.headings[item] for item in usable}
            self._improve(self._part_of(types, usable))
            return self.chosen
        whole = _part(problem, usable, problem.budget - problem.heading_cost)
        pricing = _price_types(problem, whole)
        self.token_price = pricing.token
        self.work -= _WORK_PRICED_ITEM * len(usable)
        if whole.is_loose and len(usable) * problem.budget <= 2 * _SMALL:
            self.work -= _WORK // 2  # for the rows
            self._improve(self._part_of(pricing.suggested(), usable))
            self.work += _WORK // 2
            core = self._core(pricing, usable)
            if len(core) * problem.budget <= _SMALL:
                self._choose_by_rows(core)
                return self.chosen
        for part in self._parts(pricing, usable):
            if self.work <= 0:
                break
            self._improve(part)
        return self.chosen

    def _core(self, pricing: _Pricing, usable: list[int]) -> list[int]:
        """Return the items that a better choice may hold; none where there can be none."""
        gap = self._gap(pricing.bound)
        costs, scores = self.problem.costs, self.problem.scores
        return [
            item
            for item in usable
            if gap > max(0.0, pricing.token * costs[item] + pricing.place - scores[item])
        ]

    def _part_of(self, types: Collection[int], usable: list[int]) -> _Part:
        problem = self.problem
        items = [item for item in usable if problem.headings[item] in types]
        return _part(problem, items, problem.budget - problem.heading_cost * len(types))

    def _offer(self, chosen: Collection[int]) -> None:
        total = fsum(self.problem.scores[item] for item in chosen)
        if total > self.total:
            self.chosen, self.total = sorted(chosen), total

    def _gap(self, bound: float) -> float:
        """Return by how much a choice must fall short of the bound at most to be worth finding."""
        return bound - self.total - _CLOSE * bound

    def _parts(self, pricing: _Pricing, usable: list[int]) -> list[_Part]:
        """Return the sets of types that may hold a better choice, by falling bound.

        The likeliest are looked at, and each tried by greedy on the way.
        """
        problem = self.problem
        bounded = []
        for types in self._heading_sets(pricing):
            part = self._part_of(types, usable)
            if part.items:
                tangent = _tangent(part, pricing.token)
                self._offer(_fill(problem, [part.items[place] for place in tangent.order]))
                bounded.append((tangent.bound, part))
            self.work -= _WORK_BOUNDED_ITEM * len(part.items)
            if self.work < _WORK // 2:
                break
        bounded.sort(key=lambda pair: -pair[0])
        return [part for bound, part in bounded if self._gap(bound) > 0]

    def _heading_sets(self, pricing: _Pricing) -> Iterator[frozenset[int]]:
        """Yield sets of types, the likeliest first, until no other can hold a better choice.

        At fixed prices, leaving out a type that is worth more than its heading, or paying for one
        that is worth less, loses the difference.
        """
        suggested = pricing.suggested()
        ranked = sorted((abs(value), heading) for heading, value in pricing.worth.items())
        for loss, places in _least_sums([loss for loss, _ in ranked]):
            if self._gap(pricing.bound - loss) <= 0:
                return
            types = suggested.symmetric_difference(ranked[place][1] for place in places)
            if types:
                yield types

    def _improve(self, part: _Part) -> None:
        """Look for a better choice in the part."""
        if not part.items:
            return
        prices, fitting = _find_prices(part, self.token_price)
        self.work -= _WORK_PRICED_ITEM * len(part.items)
        if self._gap(prices.bound) <= 0:
            return
        values = {
            item: score - prices.token * cost
            for item, cost, score in zip(part.items, part.costs, part.scores, strict=True)
        }
        order = sorted(part.items, key=values.__getitem__, reverse=True)
        self._offer(_fill(self.problem, order, [part.items[place] for place in fitting.kept]))
        draft = _draft(part, prices)
        for mending in range(_MENDINGS):
            gap = self._gap(prices.bound)
            draft = draft._replace(flips=[flip for flip in draft.flips if flip.loss < gap])
            if gap <= 0 or (self.work <= 0 and mending > 0):
                return
            if mending > 0 and part.is_loose:
                self._mend_by_rows(draft, prices)
                return
            if self._mend(draft, prices, stop_at_width=part.is_loose):
                return
            self._exchange(part, order, self.chosen)
            if mending == 0 and not part.is_loose:
                for factor in _OTHER_PRICES:
                    if self.work > _WORK // 3:
                        other = _tangent(part, factor * prices.token)
                        start = _fill(self.problem, [part.items[place] for place in other.order])
                        self._exchange(part, order, start)

    def _mend(self, draft: _Draft, prices: _Tangent, *, stop_at_width: bool) -> bool:
        """Look for the flips of least loss; return whether no others can be better.

        A state is what is left over, tokens and places, with the least loss that leads to it and
        the flips as bits. What is left over may be negative on the way: a flip to come must then
        free it. stop_at_width says to give up where states would have to be left out.
        """
        gap = self._gap(prices.bound)
        until = self.work - self.work // 3
        found = None
        if draft.tokens >= 0 and draft.places >= 0:
            loss = prices.token * draft.tokens + prices.place * draft.places
            if loss < gap:
                gap, found = loss, 0
        rests = _rests(draft.flips)
        states: _States = {(draft.tokens, draft.places): (0.0, 0)}
        is_complete = True
        for place, flip in enumerate(draft.flips):
            rest = rests[place + 1]
            self.work -= _WORK_STATE * len(states)
            loss, bits = _flip(states, flip, 1 << place, rest, prices, gap=gap)
            if loss < gap:
                gap, found = loss, bits
            if bits is not None or len(states) > 2 * _WIDTH or place % 4 == 3:
                states, is_cut = _promising(states, rest, prices, gap)
                is_complete &= not is_cut
            if not states:
                break
            if self.work <= until or (stop_at_width and not is_complete):
                is_complete = False
                break
        if found is not None:
            flipped = [flip.item for place, flip in enumerate(draft.flips) if found >> place & 1]
            self._offer(draft.kept.symmetric_difference(flipped))
        return is_complete

    def _choose_by_rows(self, items: list[int]) -> None:
        """Choose the best of the items where only the tokens bind.

        A row holds the best score for each number of tokens left over. One type after the other is
        tried with its heading paid for, and left out where the row before it was better.
        """
        by_type: dict[int, list[int]] = {}
        for item in items:
            by_type.setdefault(self.problem.headings[item], []).append(item)
        problem = self.problem
        row = [-inf] * problem.budget + [0.0]
        layers = []
        for own in by_type.values():
            rows = [[*row[problem.heading_cost :], *[-inf] * problem.heading_cost]]
            for item in own:
                rows.append(_with_item(rows[-1], -problem.costs[item], problem.scores[item]))
            layers.append((row, rows, own))
            row = [max(pair) for pair in zip(row, rows[-1], strict=True)]
        tokens = row.index(max(row))
        chosen: list[int] = []
        for before, rows, own in reversed(layers):
            if before[tokens] >= rows[-1][tokens]:
                continue
            for place in range(len(own) - 1, -1, -1):
                if rows[place + 1][tokens] != rows[place][tokens]:
                    chosen.append(own[place])
                    tokens += problem.costs[own[place]]
            tokens += problem.heading_cost
        self._offer(chosen)

    def _mend_by_rows(self, draft: _Draft, prices: _Tangent) -> None:
        """Look for the flips of greatest score where only the tokens bind.

        A row holds the best score for each number of tokens left over, from low up. All numbers
        from 0 up are covered where that is little work, taking out first. Otherwise as many are as
        there is work for, and flips that lose little come first.
        """
        scores = self.problem.scores
        flips = draft.flips
        taken = sum(flip.tokens for flip in flips if flip.tokens > 0)
        low, high = min(0, draft.tokens), draft.tokens + taken
        if not flips or high < 0:
            return
        width = self.work // 2 // len(flips)
        is_exact = high - low < width
        if is_exact:
            flips = sorted(flips, key=lambda flip: flip.tokens < 0)
        else:
            low -= min(max(abs(flip.tokens) for flip in flips), width // 2)
            high = min(high, max(0, draft.tokens, low + width))
        row = [-inf] * (high - low + 1)
        row[draft.tokens - low] = fsum(scores[item] for item in draft.kept)
        rows = [row]
        best, found = self.total, None
        for place, flip in enumerate(flips):
            score = scores[flip.item]
            row = _with_item(row, flip.tokens, -score if flip.tokens > 0 else score)
            rows.append(row)
            if place % 4 == 3 or place + 1 == len(flips):
                top = max(row[-low:])
                if top > best:
                    best, found = top, (place + 1, row.index(top, -low))
                next_loss = flips[place + 1].loss if place + 1 < len(flips) else inf
                if not is_exact and next_loss >= prices.bound - best:
                    break
        self.work -= len(row) * (len(rows) - 1)
        if found is not None:
            flipped = _read_back(rows, flips, *found)
            self._offer(draft.kept.symmetric_difference(flipped))

    def _exchange(self, part: _Part, order: list[int], chosen: Collection[int]) -> None:
        """Exchange up to two of the chosen for up to two others while the total rises.

        order holds the items of the part by falling value.
        """
        chosen = set(chosen)
        if not chosen <= set(part.items):
            return
        for _ in range(_EXCHANGES):
            self.work -= _WORK_EXCHANGE
            move = self._best_exchange(part, order, chosen)
            if move is None:
                break
            chosen.difference_update(move[0])
            chosen.update(move[1])
        self._offer(chosen)

    def _best_exchange(
        self, part: _Part, order: list[int], chosen: set[int]
    ) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        costs, scores = self.problem.costs, self.problem.scores
        tokens = part.budget - sum(costs[item] for item in chosen)
        places = self.problem.max_blocks - len(chosen)
        out = [item for item in reversed(order) if item in chosen][:_OUT]
        into = [item for item in order if item not in chosen][:_IN]
        tables = [_best_by_cost(costs, scores, combinations(into, size)) for size in range(3)]
        gain, move = _NOISE, None
        for group in chain.from_iterable(combinations(out, size) for size in range(3)):
            room, lost = tokens, 0.0
            for item in group:
                room += costs[item]
                lost += scores[item]
            for table_costs, bests in tables[: places + len(group) + 1]:
                place = bisect_right(table_costs, room) - 1
                if place >= 0 and bests[place][0] - lost > gain:
                    gain, move = bests[place][0] - lost, (group, bests[place][1])
        return move


def _flip(
    states: _States, flip: _Flip, bit: int, rest: _Rest, prices: _Tangent, *, gap: float
) -> tuple[float, int | None]:
    """Add the states that the flip leads to, but those that must lose the gap or more.

    Returns the least loss of a possible choice among them, and its flips; the gap and None where
    none loses less.
    """
    token_price, place_price = prices.token, prices.place
    used = min(token_price, rest.token_used)
    found = None
    for (tokens_before, places_before), (loss_before, bits) in list(states.items()):
        tokens = tokens_before + flip.tokens
        places = places_before + flip.places
        loss = loss_before + flip.loss
        if tokens < 0:
            least = -tokens * rest.token_freed
        else:
            least = tokens * used
            if places >= 0:
                total = loss + token_price * tokens + place_price * places
                if total < gap:
                    gap, found = total, bits | bit
        least_freed = -places * rest.flip if places < 0 else rest.flip
        if loss + least >= gap or loss + least_freed >= gap:
            continue
        known = states.get((tokens, places))
        if known is None or loss < known[0]:
            states[tokens, places] = (loss, bits | bit)
    return gap, found


def _promising(states: _States, rest: _Rest, prices: _Tangent, gap: float) -> tuple[_States, bool]:
    """Return the states that may still lose less than the gap, and whether some were cut off.

    Not more than _WIDTH states are kept: those that lose little and are nearly used up.
    """
    used = min(prices.token, rest.token_used)
    ranked = []
    for key, (loss, _) in states.items():
        tokens = key[0]
        least = tokens * used if tokens >= 0 else -tokens * rest.token_freed
        bound = loss + (least if least > rest.flip else rest.flip)
        if bound < gap:
            off = prices.token * abs(tokens) + prices.place * abs(key[1])
            ranked.append((loss + _OFF * off, abs(tokens), key))
    is_cut = len(ranked) > _WIDTH
    if is_cut:
        ranked.sort()
    return {key: states[key] for _, _, key in ranked[:_WIDTH]}, is_cut


def _with_item(row: list[float], tokens: int, gain: float) -> list[float]:
    """Return the best scores by tokens left over when one more item may free tokens and gain score.

    Negative tokens are used.
    """
    if tokens > 0:
        pairs = zip(row[tokens:], row, strict=False)
    else:
        pairs = zip(row, row[-tokens:], strict=False)
    better = [old if old >= (new := other + gain) else new for old, other in pairs]
    return [*row[:tokens], *better] if tokens > 0 else [*better, *row[len(better) :]]


def _read_back(rows: list[list[float]], flips: list[_Flip], row: int, column: int) -> Iterator[int]:
    """Yield the items whose flips led to the column of the row."""
    for place in range(row - 1, -1, -1):
        if rows[place + 1][column] != rows[place][column]:
            yield flips[place].item
            column -= flips[place].tokens


def _best_by_cost(
    costs: Sequence[int], scores: Sequence[float], groups: Iterable[tuple[int, ...]]
) -> tuple[list[int], list[tuple[float, tuple[int, ...]]]]:
    """Return ascending costs, and for each the group of greatest score that costs no more."""
    table = sorted(
        (sum([costs[item] for item in group]), -sum([scores[item] for item in group]), group)
        for group in groups
    )
    kept_costs: list[int] = []
    bests: list[tuple[float, tuple[int, ...]]] = []
    for cost, negated, group in table:
        if not bests or -negated > bests[-1][0]:
            kept_costs.append(cost)
            bests.append((-negated, group))
    return kept_costs, bests


def _least_sums(losses: Sequence[float]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Yield subsets of the ascending losses as places in them, from the least sum up."""
    yield 0.0, ()
    if not losses:
        return
    heap: list[tuple[float, tuple[int, ...]]] = [(losses[0], (0,))]
    for _ in range(_HEADING_SETS - 1):
        if not heap:
            return
        total, places = heapq.heappop(heap)
        yield total, places
        last = places[-1]
        if last + 1 < len(losses):
            more = losses[last + 1]
            heapq.heappush(heap, (total + more, (*places, last + 1)))
            heapq.heappush(heap, (total + more - losses[last], (*places[:-1], last + 1)))
