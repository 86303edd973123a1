"""What cto.score_blocks should answer of all blocks: docs/scoring.md in plain Python.

Only what is not part of the formula is read from the database: the blocks with the lexemes that
PostgreSQL made of them, the stems of the query in each language, and the cosines.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby, pairwise
from statistics import fmean
from typing import Any

from conftest import Connection

Config = Mapping[str, Any]
SECONDS = {"minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
BLANK = " \n\r\t"
# Of a crowd: what the nearest are worth, which share of the best rank the best worded have at
# least, and around how many something is said.
NEARNESS, LEAST_WORDED, SEEDS = 0.8, 0.15, 66
STEPS = (-2, -1, 1, 2)

# fmt: off
ENGLISH = [
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
]
SPANISH = [
    "enero", "febrero", "marzo", "abril", "mayo", "junio",
    "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
]
# fmt: on


@dataclass(frozen=True)
class Block:
    """One live block: positions by lexeme, cosine to the query (None: no vector of the model)."""

    hash: str
    session: str | None
    created_at: datetime
    ordinal: int
    content: str
    language: str
    word_count: int
    lexemes: Mapping[str, Sequence[int]]
    cosine: float | None
    importance: float
    accesses: int
    seconds: float  # since it was last said

    @property
    def place(self) -> tuple[str, datetime, int, str]:
        """Where it stands: by session, then in the order in which it was said."""
        return (self.session or self.hash, self.created_at, self.ordinal, self.hash)


@dataclass(frozen=True)
class Question:
    """A query: its text, and its stems in each language."""

    text: str | None = None
    stems: Mapping[str, frozenset[str]] | None = None
    has_vector: bool = False

    @property
    def has_text(self) -> bool:
        """Whether there is anything to read in it."""
        return self.text is not None and self.text.strip() != ""


@dataclass(frozen=True)
class Words:
    """What the blocks hold of a query, by lexeme: how rare it is, how often each says it."""

    rarity: Mapping[str, float]
    times: Sequence[Mapping[str, float]]  # divided by the length of the block


@dataclass(frozen=True)
class Expected:
    """The components of one block and its score."""

    score: float
    recency: float
    frequency: float | None
    importance: float
    similarity: float | None


@dataclass(frozen=True)
class Dates:
    """Months, years and days of the month that a question names."""

    months: frozenset[int]
    years: frozenset[int]
    days: frozenset[int]


def read_blocks(
    db: Connection, owner: str, vector: str | None = None, model: str | None = None
) -> list[Block]:
    """Read the live blocks of an owner; cosines to the vector where the block's is of the model."""
    rows = db.execute(
        "select b.hash, b.session_hash, b.created_at, b.ordinal, b.content,"
        " coalesce(b.language, 'simple'), b.word_count,"
        " (select coalesce(jsonb_object_agg(x.lexeme, x.positions), '{}')"
        "  from unnest(b.lexemes) as x),"
        " case when b.embedding_model = %s"
        "  then 1 - (b.embedding <=> cto._pad_vector(%s::vector)) end,"
        " b.importance, b.access_count, extract(epoch from now() - b.last_said_at)::float8"
        " from cto.blocks as b"
        " where b.owner_id = cto.key(%s) and b.created_at <= now()"
        " and (b.superseded_at is null or b.superseded_at > now())",
        (model, vector, owner),
    )
    return [Block(*row) for row in rows]


def read_question(db: Connection, text: str | None, has_vector: bool) -> Question:
    """Read the stems of a query."""
    stems = {}
    for language in ("es", "en", "simple"):
        row = db.execute(
            "select tsvector_to_array(cto._block_lexemes(%s, %s))", (text, language)
        ).fetchone()
        assert row is not None
        stems[language] = frozenset(row[0] or ())
    return Question(text, stems, has_vector)


def expected_scores(
    blocks: Sequence[Block], question: Question, config: Config
) -> dict[str, Expected]:
    """Score the blocks by hash, under a configuration with its defaults filled in."""
    weights = config["weights"]
    blocks = sorted(blocks, key=lambda block: block.place)
    most_read = max((block.accesses for block in blocks), default=0)
    result = {}
    for block, near in zip(blocks, _similarities(blocks, question, config), strict=True):
        recency = config["decay_factor"] ** (block.seconds / SECONDS[config["decay_unit"]])
        frequency = math.log(1 + block.accesses) / math.log(1 + most_read) if most_read else None
        parts = [
            (weights["recency"], recency),
            (weights["frequency"], frequency),
            (weights["importance"], block.importance),
            (weights["similarity"], near),
        ]
        apply = [(weight, value) for weight, value in parts if value is not None]
        total = sum(weight for weight, _ in apply)
        score = sum(weight * value for weight, value in apply) / total if total else 0
        result[block.hash] = Expected(score, recency, frequency, block.importance, near)
    return result


def _similarities(
    blocks: Sequence[Block], question: Question, config: Config
) -> Sequence[float | None]:
    if not question.has_text and not question.has_vector:
        return [None] * len(blocks)
    signals, sessions = config["signals"], _sessions(blocks)
    is_crowd = len(blocks) > config["crowd"]["blocks"]
    closeness = (_crowd_closeness if is_crowd else _closeness)(blocks, question, config)
    dates = named_dates(question.text or "")
    strengths = []
    for i, block in enumerate(blocks):
        near = closeness[i]
        if is_crowd and near == 0:
            strengths.append(0.0)
            continue
        best = sorted((closeness[member] for member in sessions[i]), reverse=True)[:3]
        # Of a crowd, what is missing of a session counts as 0.
        top = sum(best) / (3 if is_crowd and block.session is not None else len(best))
        near += config["smoothing"]["session_best"] * top
        near += signals["date"] * on_date(block, dates)
        near *= 1 + signals["lead"] * _lead(block, question)
        near *= 1 - signals["question"] * block.content.rstrip(BLANK).endswith("?")
        strengths.append(near)
    if not is_crowd:
        return scaled(strengths)
    most = max(strengths)
    return [value / most if most > 0 else 0.0 for value in strengths]


def _closeness(blocks: Sequence[Block], question: Question, config: Config) -> list[float]:
    around = _around(_sessions(blocks))
    wording = _wording(_words(blocks, question, config), around, config)
    known = [block.cosine for block in blocks if block.cosine is not None]
    if not known:
        return wording
    by_cosine = dict(zip(known, scaled(known), strict=True))
    usual = fmean(by_cosine[cosine] for cosine in known)
    near = [usual if block.cosine is None else by_cosine[block.cosine] for block in blocks]
    return _mixed(_vicinity(near, around, config), wording, question, config)


def _crowd_closeness(blocks: Sequence[Block], question: Question, config: Config) -> list[float]:
    words = _words(blocks, question, config)
    near = _nearness(blocks, config)
    worded = _worded(blocks, words, question, config)
    around = _around_seeds(blocks, _seeds(blocks, near, worded, config))
    heard = Words(words.rarity, [t if i in worded else {} for i, t in enumerate(words.times)])
    wording = _wording(heard, around, config)
    if not near:
        return wording
    vicinity = _vicinity([near.get(i, 0.0) for i in range(len(blocks))], around, config)
    return _mixed(vicinity, wording, question, config)


def _mixed(
    vicinity: Sequence[float], wording: Sequence[float], question: Question, config: Config
) -> list[float]:
    if not question.has_text:
        return list(vicinity)
    shares = config["hybrid"]
    return [
        shares["vector"] * near + shares["text"] * said
        for near, said in zip(vicinity, wording, strict=True)
    ]


# --- a crowd --------------------------------------------------------------------------------------


def _nearness(blocks: Sequence[Block], config: Config) -> dict[int, float]:
    """Return how near the nearest are, by index."""
    cosines = {i: block.cosine for i, block in enumerate(blocks) if block.cosine is not None}
    nearest = sorted(cosines, key=lambda i: (-cosines[i], blocks[i].hash))
    nearest = nearest[: int(config["crowd"]["nearest"])]
    shares = scaled([cosines[i] for i in nearest])
    return {i: NEARNESS * share for i, share in zip(nearest, shares, strict=True)}


def _worded(
    blocks: Sequence[Block], words: Words, question: Question, config: Config
) -> dict[int, float]:
    """Return the BM25 of the best worded on their own words, by index."""
    own = _bm25(words.rarity, words.times, config)
    count, least = int(config["crowd"]["worded"]), LEAST_WORDED * max(own)
    if not question.has_vector:
        count, least = 10 * count, 0
    holders = [i for i, times in enumerate(words.times) if times and own[i] >= least]
    holders.sort(key=lambda i: (-own[i], blocks[i].hash))
    return {i: own[i] for i in holders[:count]}


def _seeds(
    blocks: Sequence[Block],
    nearness: Mapping[int, float],
    worded: Mapping[int, float],
    config: Config,
) -> list[int]:
    """Return the best by themselves, whatever is said around them."""
    shares, most = config["hybrid"], max(worded.values(), default=1)
    standing = {
        i: shares["vector"] * nearness.get(i, 0) + shares["text"] * (worded.get(i, 0) / most)
        for i in nearness.keys() | worded.keys()
    }
    return sorted(standing, key=lambda i: (-standing[i], blocks[i].hash))[:SEEDS]


def _around_seeds(blocks: Sequence[Block], seeds: Sequence[int]) -> list[dict[int, int]]:
    """Return, as _around does, what is known of the neighbours: they lie with it around a seed."""
    sessions = _sessions(blocks)
    follows = {
        i for seed in seeds for i in range(seed - 1, seed + 3) if {i - 1, i} <= {*sessions[seed]}
    }
    return [
        {
            step: i + step
            for step in STEPS
            if follows.issuperset(
                range(i + 1, i + step + 1) if step > 0 else range(i + step + 1, i + 1)
            )
        }
        for i in range(len(blocks))
    ]


# --- words and vectors ------------------------------------------------------------------------


def _words(blocks: Sequence[Block], question: Question, config: Config) -> Words:
    b = config["bm25"]["b"]
    mean_words = max(fmean(block.word_count for block in blocks), 1) if blocks else 1
    times = [
        {
            lexeme: len(block.lexemes[lexeme]) / (1 - b + b * block.word_count / mean_words)
            for lexeme in sorted(_shared(block, question))
        }
        for block in blocks
    ]
    holders = Counter(lexeme for own in times for lexeme in own)
    rarity = {
        lexeme: math.log(1 + (len(blocks) - count + 0.5) / (count + 0.5))
        for lexeme, count in holders.items()
    }
    return Words(rarity, times)


def _bm25(
    rarity: Mapping[str, float], times: Sequence[Mapping[str, float]], config: Config
) -> list[float]:
    k1 = config["bm25"]["k1"]
    return [
        sum(rarity[lexeme] * y * (k1 + 1) / (y + k1) for lexeme, y in own.items() if y > 0)
        for own in times
    ]


def _wording(words: Words, around: Sequence[Mapping[int, int]], config: Config) -> list[float]:
    spread: list[dict[str, float]] = [{} for _ in words.times]
    for lexeme in words.rarity:
        values = [own.get(lexeme, 0.0) for own in words.times]
        for own, y in zip(spread, window(values, around, config), strict=True):
            own[lexeme] = y
    rank = _bm25(words.rarity, spread, config)
    most = max(rank, default=0)
    return [value / most if most > 0 else 0.0 for value in rank]


def _vicinity(
    near: Sequence[float], around: Sequence[Mapping[int, int]], config: Config
) -> list[float]:
    smoothing = config["smoothing"]
    whole = 1 + 2 * (smoothing["nearest"] + smoothing["second"])
    return [value / whole for value in window(near, around, config)]


def _sessions(blocks: Sequence[Block]) -> list[range]:
    """Return for each block, sorted by place, the indexes of its session."""
    sessions: list[range] = []
    for _, members in groupby(blocks, key=lambda block: block.place[0]):
        size = len(list(members))
        sessions += [range(len(sessions), len(sessions) + size)] * size
    return sessions


def _around(sessions: Sequence[range]) -> list[dict[int, int]]:
    """Return which block counts so many steps from each: itself beyond its session's edges."""
    return [
        {step: i + step if i + step in session else i for step in STEPS}
        for i, session in enumerate(sessions)
    ]


def window(
    values: Sequence[float], around: Sequence[Mapping[int, int]], config: Config
) -> list[float]:
    """Return W(x): each value and the weighted ones of those around it."""
    weights = (0, config["smoothing"]["nearest"], config["smoothing"]["second"])
    return [
        value + sum(weights[abs(step)] * values[other] for step, other in neighbours.items())
        for value, neighbours in zip(values, around, strict=True)
    ]


def scaled(values: Sequence[float]) -> list[float]:
    """Min-max; where all are equal, 1 if they are above 0, else 0."""
    least, most = min(values, default=0), max(values, default=0)
    if most > least:
        return [(value - least) / (most - least) for value in values]
    return [1.0 if most > 0 else 0.0 for _ in values]


def _shared(block: Block, question: Question) -> set[str]:
    stems = (question.stems or {}) if question.has_text else {}
    return set(stems.get(block.language, ())) & block.lexemes.keys()


def _lead(block: Block, question: Question) -> float:
    places = [place for lexeme in _shared(block, question) for place in block.lexemes[lexeme]]
    return 1 / min(places) if places else 0.0


def on_date(block: Block, dates: Dates) -> float:
    """Return 1 for a block said when the question says, 0.5 where only the day differs."""
    said = block.created_at.astimezone(UTC)
    if not dates.months and not dates.years:
        return 0.0
    if dates.months and said.month not in dates.months:
        return 0.0
    if dates.years and said.year not in dates.years:
        return 0.0
    if not dates.days or {said.day, (said - timedelta(days=1)).day} & dates.days:
        return 1.0
    return 0.5


def named_dates(text: str) -> Dates:
    """Read the dates that a question names, word by word."""
    words = list(re.finditer(r"\w+", text))
    gaps = [text[a.end() : b.start()] for a, b in pairwise(words)]
    names = [_month(word[0]) for word in words]
    days = set()
    for i, word in enumerate(words):
        day = re.fullmatch(r"(\d\d?)(?:st|nd|rd|th)?", word[0])
        if day is None:
            continue
        after = i + 1
        if after < len(words) - 1 and words[after][0] in {"de", "of"} and gaps[after].isspace():
            after += 1
        is_before = (
            after < len(words)
            and names[after] is not None
            and re.fullmatch(r",?\s+", gaps[i]) is not None
        )
        if is_before or (i > 0 and names[i - 1] is not None and gaps[i - 1].isspace()):
            days.add(int(day[1]))
    return Dates(
        frozenset(name for name in names if name is not None),
        frozenset(int(w[0]) for w in words if re.fullmatch(r"(?:19|20)\d\d", w[0])),
        frozenset(days),
    )


def _month(word: str) -> int | None:
    spanish = word.lower().replace("setiembre", "septiembre")
    if spanish in SPANISH:
        return SPANISH.index(spanish) + 1
    if word in ENGLISH:
        return ENGLISH.index(word) + 1
    if word.isupper() and word not in {"MARCH", "MAY"} and word.capitalize() in ENGLISH:
        return ENGLISH.index(word.capitalize()) + 1
    return None
