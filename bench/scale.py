"""How fast cto selects from many blocks, and what it misses: beside plain pgvector on its table.

    python bench/scale.py [--sizes 1000,10000,100000] [--json FILE]
    python bench/scale.py --parts tenants --tenants 1000x1000 --dimensions 384

Each size is one made-up owner (corpus.py) in a database of its own, all on one private server.
Blocks are copied with the trigger blocks_prepare at work; the HNSW index is built afterwards.

agreement    share of what scoring every block would select that the default selects.
speed        p50 and p90 of the methods, taken in turns question by question, so that noise hits all
             alike. Plain pgvector gets the settings that cto sets for itself; cto's own session has
             the server's.
sessions     calls 1 to 12 of new sessions, in which PostgreSQL may change to a generic plan.
concurrency  selections per second that are recorded for one owner, and whether all accesses count.
tenants      many owners in one database against one owner in another; only when asked for.

Timings are worth their ratios only, unless the machine does nothing else.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, LiteralString

import numpy as np
import psycopg
from corpus import MODEL, Corpus, Query
from numpy.typing import NDArray
from pgvector import HalfVector, Vector
from pgvector.psycopg import register_vector
from psycopg import errors, sql
from rich.console import Console
from rich.table import Table

from cto import engine, local
from cto.connection import connect

STORED_DIMENSIONS = 1536
PARTS = ("agreement", "speed", "sessions", "concurrency", "tenants")
# What cto sets for itself; a session of plain pgvector gets the same.
PLAIN_SETTINGS = {
    "hnsw.ef_search": "200",
    "hnsw.iterative_scan": "relaxed_order",
    "random_page_cost": "1.1",
    "jit": "off",
}
WARM_UP = 5
NEW_SESSIONS = 9
CALLS = 12
TENANT_QUERIES = 3  # kept of each of many owners
COPY = """
copy cto.blocks (
    owner_id, hash, session_hash, block_type, content, importance, created_at, last_said_at,
    ordinal, language, embedding, embedding_model)
from stdin with (format binary)
"""
COPY_TYPES = (
    *("text", "text", "text", "text", "text", "float8", "timestamptz", "timestamptz", "int4"),
    *("text", "vector", "text"),
)
# Columns of that table, and their decimal places.
AGREEMENT = {"mean": 3, "minimum": 3, "blocks": 1, "exhaustive ms": 0}
Connection = psycopg.Connection[tuple[Any, ...]]
Rows = list[tuple[Any, ...]]
Figures = dict[str, Any]
console = Console(width=110)


@dataclass(frozen=True)
class Owner:
    """A loaded owner, and how to ask for it."""

    dsn: str
    name: str
    key: str
    queries: Sequence[Query]
    last_at: datetime


@dataclass(frozen=True)
class Method:
    """A way to get at blocks: `plain` ones run with PLAIN_SETTINGS."""

    name: str
    call: Callable[[Connection, Owner, Query], Rows]
    plain: bool = False


@dataclass
class Work:
    """What one of several concurrent sessions did; times in seconds."""

    started: float = 0.0
    ended: float = 0.0
    times: list[float] = field(default_factory=list)
    included: int = 0
    failures: list[str] = field(default_factory=list)


# --- loading -----------------------------------------------------------------------------------


def create_database(server: local.LocalServer, name: str) -> str:
    """Create an empty database, deploy cto into it, and return its connection string."""
    with connect(server.dsn("postgres"), application="cto bench") as connection:
        connection.execute(
            sql.SQL("create database {} template template0").format(sql.Identifier(name))
        )
    with connect(server.dsn(name), application="cto bench") as connection:
        engine.deploy(connection)
    return server.dsn(name)


def load(
    dsn: str, corpora: Iterable[tuple[str, Corpus]], blocks: int, kept_queries: int
) -> tuple[list[Owner], Figures]:
    """Copy the owners' blocks, build the vector index over them, and vacuum.

    blocks: about how many there are altogether, for the memory that the index gets.
    Returns the owners, each with its first kept_queries questions, and the seconds of each step.
    """
    seconds: Figures = {}
    with session(dsn) as connection:
        index = first_row(
            connection, "select pg_get_indexdef('cto.blocks_embedding_idx'::regclass)"
        )
        connection.execute("drop index cto.blocks_embedding_idx")
        with timed(seconds, "copy"):
            owners = [
                copy_owner(connection, dsn, name, corpus, kept_queries) for name, corpus in corpora
            ]
        # The graph of the index is built in memory: two bytes a dimension, and its links.
        connection.execute(
            sql.SQL("set maintenance_work_mem = {}").format(f"{256 + blocks * 4500 // 2**20}MB")
        )
        with timed(seconds, "index"):
            connection.execute(sql.SQL(index[0]))
        with timed(seconds, "vacuum"):
            connection.execute("vacuum analyze cto.blocks")
    return owners, seconds


def copy_owner(
    connection: Connection, dsn: str, name: str, corpus: Corpus, kept_queries: int
) -> Owner:
    """Copy one owner's blocks, without queueing them for vectors that they bring along."""
    (key,) = first_row(connection, "select cto.key(%s)", name)
    seen: set[str] = set()
    connection.execute("alter table cto.blocks disable trigger blocks_queue")
    connection.execute("select cto._register_model(%s, %s)", (MODEL, corpus.dimensions))
    with connection.cursor().copy(COPY) as copy:
        copy.set_types(COPY_TYPES)
        for block in corpus:
            if block.hash in seen:
                continue
            seen.add(block.hash)
            last_at = block.at
            copy.write_row(
                (
                    *(key, block.hash, hashlib.sha256(block.session.encode()).hexdigest()),
                    *(block.block_type, block.content, block.importance, block.at, block.at),
                    *(block.ordinal, "simple", padded(block.vector), MODEL),
                )
            )
    connection.execute("alter table cto.blocks enable trigger blocks_queue")
    return Owner(dsn, name, key, corpus.queries[:kept_queries], last_at)


def load_one(
    server: local.LocalServer, blocks: int, dimensions: int, database: str
) -> tuple[Owner, Figures]:
    """Load one owner into a database of its own; its first selection counts its words."""
    corpus = Corpus(blocks, dimensions)
    dsn = create_database(server, database)
    (owner,), seconds = load(dsn, [("big", corpus)], blocks, blocks)
    with session(dsn) as connection:
        with timed(seconds, "first selection"):
            select(connection, owner, owner.queries[-1])
        with timed(seconds, "refresh_statistics"):
            connection.execute("select cto.refresh_statistics(%s)", (owner.name,))
        sizes = first_row(
            connection,
            """
            select
                pg_table_size('cto.blocks') / 1048576 as table,
                pg_relation_size('cto.blocks_embedding_idx') / 1048576 as vectors,
                pg_indexes_size('cto.blocks') / 1048576 as indexes
            """,
        )
    megabytes = dict(zip(("table", "vector index", "all indexes"), sizes, strict=True))
    print_loading(f"{blocks:,} blocks, {dimensions:,} dimensions", seconds)
    console.print(", ".join(f"{name} {size:,} MB" for name, size in megabytes.items()))
    return owner, {"seconds": rounded(seconds), "megabytes": megabytes}


# --- asking ------------------------------------------------------------------------------------


@contextmanager
def session(dsn: str, *, plain: bool = False, prepare: bool = False) -> Iterator[Connection]:
    """Open a session as an agent's client would; with `prepare`, every statement is prepared."""
    options: Figures = {"prepare_threshold": 0} if prepare else {}
    with psycopg.connect(dsn, autocommit=True, application_name="cto bench", **options) as new:
        register_vector(new)
        for name, value in PLAIN_SETTINGS.items() if plain else ():
            # Settings of an extension are there once its library is loaded.
            new.execute("select '[1]'::vector")
            new.execute("select set_config(%s, %s, false)", (name, value))
        yield new


def select(
    connection: Connection,
    owner: Owner,
    query: Query,
    *,
    text: bool = True,
    vector: bool = True,
    record: bool = False,
    session: str = "bench",
    **options: object,
) -> Rows:
    """Return (hash, content, score) of the context; options: as_of, scorer, budget, max_blocks."""
    return connection.execute(
        """
        select block_hash, content, score
        from cto.select_context(
            owner => %(owner)s, session => %(session)s, query => %(text)s::text,
            query_embedding => %(vector)s::vector, budget_tokens => %(budget)s::integer,
            max_blocks => %(max_blocks)s::integer, scorer => %(scorer)s,
            as_of => coalesce(%(as_of)s::timestamptz, now()), record => %(record)s)
        """,
        {
            "owner": owner.name,
            "session": session,
            "text": query.text if text else None,
            "vector": Vector(query.vector) if vector else None,
            "record": record,
            "budget": None,
            "max_blocks": None,
            "scorer": "scorer",
            "as_of": None,
            **options,
        },
    ).fetchall()


def score(connection: Connection, owner: Owner, query: Query) -> Rows:
    return connection.execute(
        """
        select block_hash, content, score
        from cto.score_blocks(owner => %s, query => %s, query_embedding => %s::vector)
        """,
        (owner.name, query.text, Vector(query.vector)),
    ).fetchall()


def rank_vector(connection: Connection, owner: Owner, query: Query) -> Rows:
    return connection.execute(
        """
        select content
        from cto.blocks
        where owner_id = %s
        order by embedding::halfvec(1536) <=> %s::halfvec(1536)
        limit 200
        """,
        (owner.key, HalfVector(padded(query.vector))),
    ).fetchall()


def rank_fused(connection: Connection, owner: Owner, query: Query) -> Rows:
    """Reciprocal rank fusion, k = 60, of the 200 nearest and the 200 best by ts_rank."""
    return connection.execute(
        """
        with near as materialized (
            select n.hash, row_number() over (order by n.distance, n.hash) as place
            from (
                select b.hash, b.embedding::halfvec(1536) <=> %(vector)s::halfvec(1536) as distance
                from cto.blocks as b
                where b.owner_id = %(owner)s
                order by b.embedding::halfvec(1536) <=> %(vector)s::halfvec(1536)
                limit 200
            ) as n
        ),
        worded as materialized (
            select w.hash, row_number() over (order by w.rank desc, w.hash) as place
            from (
                select b.hash, ts_rank(b.lexemes, %(words)s::tsquery) as rank
                from cto.blocks as b
                where b.owner_id = %(owner)s and b.lexemes @@ %(words)s::tsquery
                order by rank desc, b.hash
                limit 200
            ) as w
        )
        select b.content
        from near
        full join worded on worded.hash = near.hash
        inner join cto.blocks as b
            on b.owner_id = %(owner)s and b.hash = coalesce(near.hash, worded.hash)
        order by
            coalesce(1.0 / (60 + near.place), 0) + coalesce(1.0 / (60 + worded.place), 0) desc,
            b.hash
        """,
        {
            "vector": HalfVector(padded(query.vector)),
            "owner": owner.key,
            "words": " | ".join(query.text.rstrip("?").split()),
        },
    ).fetchall()


METHODS = (
    Method("pgvector, 200 nearest", rank_vector, plain=True),
    Method("pgvector + ts_rank (RRF)", rank_fused, plain=True),
    Method("select_context", select),
    Method("select_context, recorded", partial(select, record=True)),
    Method("select_context, words only", partial(select, vector=False)),
    Method("select_context, vector only", partial(select, text=False)),
    Method("select_context, no query", partial(select, text=False, vector=False)),
    Method("score_blocks", score),
)


# --- the parts ---------------------------------------------------------------------------------


def take_turns(
    calls: dict[str, Callable[[int], object]],
    count: int,
    after_turn: Callable[[], object] = lambda: None,
) -> dict[str, list[float]]:
    """Call each with the number of the turn, in each turn in another order; milliseconds by name.

    The first WARM_UP turns do not count; after_turn is called outside the times.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    for turn in range(WARM_UP + count):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            started = time.perf_counter()
            calls[name](turn)
            times[name].append(1000 * (time.perf_counter() - started))
        after_turn()
    return {name: taken[WARM_UP:] for name, taken in times.items()}


def measure_speed(owner: Owner, count: int) -> Figures:
    """Time every method on `count` questions; milliseconds, and the ratio to the first.

    Accesses are folded after each question, as somebody who schedules it would do now and then.
    """
    with session(owner.dsn) as ours, session(owner.dsn, plain=True) as plain:
        calls: dict[str, Callable[[int], object]] = {
            method.name: partial(ask, method, plain if method.plain else ours, owner)
            for method in METHODS
        }
        times = take_turns(calls, count, lambda: ours.execute("select cto.fold_accesses()"))
    return with_ratios(times)


def ask(method: Method, connection: Connection, owner: Owner, turn: int) -> Rows:
    return method.call(connection, owner, owner.queries[turn % len(owner.queries)])


def measure_agreement(owner: Owner, count: int) -> Figures:
    """Compare what is selected with what scoring every block selects: shares found, 0 to 1."""
    week, at_once = owner.last_at + timedelta(days=7), owner.last_at + timedelta(minutes=1)
    cases: dict[str, Figures] = {
        "a week later, 2,000 tokens": {"as_of": week, "budget": 2000},
        "at once, 2,000 tokens": {"as_of": at_once, "budget": 2000},
        "a week later, words only, 2,000 tokens": {"as_of": week, "budget": 2000, "vector": False},
        "a week later, 500 tokens": {"as_of": week, "budget": 500},
        # The default of 50 blocks would end it before the budget does.
        "a week later, 8,000 tokens, 250 blocks": {
            "as_of": week,
            "budget": 8000,
            "max_blocks": 250,
        },
    }
    queries = list(owner.queries)
    queries = queries[:: max(1, len(queries) // count)][:count]
    with session(owner.dsn) as connection:
        connection.execute(
            """
            select cto.set_algorithm('scorer_all', config || '{"exhaustive_blocks": 1000000000}')
            from cto.algorithms
            where name = 'scorer'
            """
        )
        return {
            case: compare_selections(connection, owner, queries, options)
            for case, options in cases.items()
        }


def compare_selections(
    connection: Connection, owner: Owner, queries: Sequence[Query], options: Figures
) -> Figures:
    """Return mean and least share found, blocks selected (mean), exhaustive median (ms)."""
    shares, sizes, times = [], [], []
    every_block = {**options, "scorer": "scorer_all"}
    for query in queries:
        found = {row[0] for row in select(connection, owner, query, **options)}
        started = time.perf_counter()
        wanted = {row[0] for row in select(connection, owner, query, **every_block)}
        times.append(1000 * (time.perf_counter() - started))
        shares.append(len(found & wanted) / len(wanted) if wanted else 1.0)
        sizes.append(len(wanted))
    return {
        "mean": round(statistics.mean(shares), 4),
        "minimum": round(min(shares), 4),
        "blocks": round(statistics.mean(sizes), 1),
        "exhaustive ms": round(statistics.median(times), 1),
    }


def measure_sessions(owner: Owner) -> Figures:
    """Time the first calls of new sessions: medians over NEW_SESSIONS sessions, milliseconds."""
    select_recorded = partial(select, record=True)
    kinds: dict[str, tuple[Method, bool]] = {
        "pgvector, prepared": (METHODS[0], True),
        "select_context": (Method("", select), False),
        "select_context, prepared": (Method("", select), True),
        "recorded, prepared": (Method("", select_recorded), True),
    }
    calls: dict[str, list[list[float]]] = {kind: [] for kind in kinds}
    for number in range(NEW_SESSIONS):
        for kind, (method, prepare) in kinds.items():
            queries = islice(owner.queries, number * CALLS, (number + 1) * CALLS)
            calls[kind].append(time_session(owner, method, prepare, queries))
    with session(owner.dsn) as connection:
        fold_all(connection)
    return {
        kind: {
            "calls": [round(statistics.median(call), 2) for call in zip(*taken, strict=True)],
            "first_to_later": round(
                statistics.median(call[0] / statistics.median(call[1:]) for call in taken), 2
            ),
        }
        for kind, taken in calls.items()
    }


def time_session(
    owner: Owner, method: Method, prepare: bool, queries: Iterable[Query]
) -> list[float]:
    """Ask the queries in a session of their own; milliseconds of each."""
    times = []
    with session(owner.dsn, plain=method.plain, prepare=prepare) as connection:
        for query in queries:
            started = time.perf_counter()
            method.call(connection, owner, query)
            times.append(1000 * (time.perf_counter() - started))
    return times


def measure_concurrency(owner: Owner, counts: Sequence[int], seconds: float) -> list[Figures]:
    """Let 1, 2, ... sessions record selections of one owner at once; a row of figures for each."""
    rows = []
    for count in counts:
        with session(owner.dsn) as connection:
            fold_all(connection)
            before = access_count(connection, owner)
            works, elapsed = work_together(owner, count, seconds)
            started = time.perf_counter()
            folded = fold_all(connection)
            folding = time.perf_counter() - started
            counted = access_count(connection, owner) - before
        times = [1000 * taken for work in works for taken in work.times]
        included = sum(work.included for work in works)
        rows.append(
            {
                "sessions": count,
                "per_second": round(len(times) / elapsed, 1),
                **spread(times),
                "failures": sorted(state for work in works for state in work.failures),
                "included": included,
                "counted": counted,
                "exact": included == counted == folded,
                "fold_seconds": round(folding, 2),
            }
        )
    return rows


def work_together(owner: Owner, count: int, seconds: float) -> tuple[list[Work], float]:
    """Run `count` sessions at once for `seconds`; return their work and how long it took."""
    barrier = threading.Barrier(count)
    with ThreadPoolExecutor(count) as pool:
        works = list(
            pool.map(lambda number: work_alone(owner, number, barrier, seconds), range(count))
        )
    return works, max(work.ended for work in works) - min(work.started for work in works)


def work_alone(owner: Owner, number: int, barrier: threading.Barrier, seconds: float) -> Work:
    """Record selections in a session of its own name, until the time is over."""
    work = Work()
    order = [
        owner.queries[i] for i in np.random.default_rng(number).permutation(len(owner.queries))
    ]
    with session(owner.dsn) as connection:
        select(connection, owner, order[0])
        barrier.wait()
        work.started = work.ended = time.perf_counter()
        while (started := work.ended) < work.started + seconds:
            query = order[len(work.times) % len(order)]
            try:
                work.included += len(
                    select(connection, owner, query, record=True, session=f"session {number}")
                )
            except (errors.DeadlockDetected, errors.SerializationFailure) as error:
                work.failures.append(error.sqlstate or "")
            work.ended = time.perf_counter()
            work.times.append(work.ended - started)
    return work


def measure_tenants(
    server: local.LocalServer, owners: int, blocks: int, dimensions: int, count: int
) -> Figures:
    """Ask for random ones of many owners, and for a single one in another database, in turns."""
    single, _ = load_one(server, blocks, dimensions, database="tenant")
    words = Corpus(blocks, dimensions)
    corpora = (
        (f"owner {number}", Corpus(blocks, dimensions, seed=number, vocabulary=words))
        for number in range(owners)
    )
    dsn = create_database(server, "tenants")
    tenants, seconds = load(dsn, corpora, owners * blocks, TENANT_QUERIES)
    print_loading(f"{owners:,} x {blocks:,} blocks", seconds)
    with session(dsn) as connection:  # large ones are counted by their first selection
        for owner in tenants:
            select(connection, owner, owner.queries[0])
    groups = {"one owner": [single], f"{owners:,} owners": tenants}
    with ExitStack() as stack:
        calls: dict[str, Callable[[int], object]] = {}
        for group, members in groups.items():
            for method in (METHODS[0], Method("select_context", select)):
                connection = stack.enter_context(session(members[0].dsn, plain=method.plain))
                calls[f"{method.name}: {group}"] = partial(
                    ask_anyone, method, connection, members, np.random.default_rng(1)
                )
        times = take_turns(calls, count)
    return {"seconds": rounded(seconds), "methods": with_ratios(times)}


def ask_anyone(
    method: Method,
    connection: Connection,
    owners: Sequence[Owner],
    chance: np.random.Generator,
    turn: int,
) -> Rows:
    """Ask a random owner, the same ones with the same chance; each turn another question."""
    return ask(method, connection, owners[int(chance.integers(len(owners)))], turn)


# --- figures -----------------------------------------------------------------------------------


@contextmanager
def timed(seconds: Figures, name: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - started


def rounded(figures: Figures) -> Figures:
    return {name: round(value, 3) for name, value in figures.items()}


def spread(times: Sequence[float]) -> Figures:
    """Return p50 and p90, in the unit of the times."""
    return {
        "p50": round(statistics.median(times), 2),
        "p90": round(statistics.quantiles(times, n=10)[8], 2),
    }


def with_ratios(times: dict[str, list[float]]) -> Figures:
    """Return p50, p90 and the ratio of the median to the first one's, by name."""
    base = statistics.median(next(iter(times.values())))
    return {
        name: {**spread(taken), "ratio": round(statistics.median(taken) / base, 2)}
        for name, taken in times.items()
    }


def padded(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Add zeros up to the dimensions that are stored."""
    return np.pad(vector, (0, STORED_DIMENSIONS - len(vector)))


def first_row(connection: Connection, query: LiteralString, *values: object) -> tuple[Any, ...]:
    row = connection.execute(query, values).fetchone()
    if row is None:
        raise LookupError(f"no row: {query}")
    return row


def fold_all(connection: Connection) -> int:
    """Fold the accesses until none is left, and return how many there were."""
    folded = 0
    while more := first_row(connection, "select cto.fold_accesses()")[0]:
        folded += more
    return folded


def access_count(connection: Connection, owner: Owner) -> int:
    query: LiteralString = "select sum(access_count) from cto.blocks where owner_id = %s"
    return int(first_row(connection, query, owner.key)[0])


# --- printing ----------------------------------------------------------------------------------


def print_loading(title: str, seconds: Figures) -> None:
    steps = ", ".join(f"{name} {value:.2f} s" for name, value in seconds.items())
    console.print(f"[bold]{title}[/bold]: {steps}", highlight=False)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table whose first column is text and whose others are figures."""
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=number == 0)
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    console.print(table)


def print_speed(title: str, methods: Figures) -> None:
    print_table(
        title,
        ("method", "p50 ms", "p90 ms", "ratio"),
        (
            (name, f"{f['p50']:.2f}", f"{f['p90']:.2f}", f"{f['ratio']:.2f}")
            for name, f in methods.items()
        ),
    )


def print_agreement(title: str, cases: Figures) -> None:
    print_table(
        title,
        ("asked", *AGREEMENT),
        (
            (case, *(f"{f[key]:.{places}f}" for key, places in AGREEMENT.items()))
            for case, f in cases.items()
        ),
    )


def print_sessions(title: str, kinds: Figures) -> None:
    calls = zip(*(f["calls"] for f in kinds.values()), strict=True)
    print_table(
        title,
        ("call, ms", *kinds),
        (
            *(
                (number, *(f"{taken:.2f}" for taken in call))
                for number, call in enumerate(calls, 1)
            ),
            ("first / median of later", *(f"{f['first_to_later']:.2f}" for f in kinds.values())),
        ),
    )


def print_concurrency(title: str, rows: Sequence[Figures]) -> None:
    print_table(
        title,
        (
            "sessions",
            "per second",
            "p50 ms",
            "p90 ms",
            "failures",
            "accesses",
            "exact",
            "fold s",
        ),
        (
            (
                *(row["sessions"], row["per_second"], row["p50"], row["p90"]),
                *(", ".join(row["failures"]) or "none", f"{row['included']:,}"),
                *("yes" if row["exact"] else f"no: {row['counted']:,}", row["fold_seconds"]),
            )
            for row in rows
        ),
    )


# --- the run -----------------------------------------------------------------------------------


def measure_size(server: local.LocalServer, blocks: int, options: argparse.Namespace) -> Figures:
    """Load one owner of `blocks` blocks, then measure and print the parts that were asked for."""
    owner, figures = load_one(server, blocks, options.dimensions, database=f"blocks_{blocks}")
    size = f"{blocks:,} blocks"
    # First of all: what is recorded afterwards counts in the scores.
    if "agreement" in options.parts:
        count = min(20, options.queries)
        figures["agreement"] = measure_agreement(owner, count)
        print_agreement(
            f"{size}: share of the exhaustive selection found, {count} questions",
            figures["agreement"],
        )
    if "speed" in options.parts:
        figures["speed"] = measure_speed(owner, options.queries)
        print_speed(f"{size}: {options.queries} questions", figures["speed"])
    if "sessions" in options.parts:
        figures["sessions"] = measure_sessions(owner)
        print_sessions(f"{size}: medians over {NEW_SESSIONS} new sessions", figures["sessions"])
    if "concurrency" in options.parts:
        figures["concurrency"] = measure_concurrency(owner, options.sessions, options.seconds)
        print_concurrency(
            f"{size}: recorded selections of one owner, {cores()} cores", figures["concurrency"]
        )
    return figures


def measure_all(server: local.LocalServer, options: argparse.Namespace) -> Iterator[Figures]:
    """Yield everything measured so far, after each size."""
    figures: Figures = {
        "cores": cores(),
        "postgresql": server.version,
        "dimensions": options.dimensions,
        "sizes": {},
    }
    if set(options.parts) - {"tenants"}:
        for blocks in options.sizes:
            figures["sizes"][str(blocks)] = measure_size(server, blocks, options)
            yield figures
    if "tenants" in options.parts:
        owners, blocks = options.tenants
        tenants = measure_tenants(server, owners, blocks, options.dimensions, options.queries)
        print_speed(
            f"{owners:,} owners of {blocks:,} blocks, vectors of {options.dimensions} dimensions"
            f" stored as {STORED_DIMENSIONS:,}",
            tenants["methods"],
        )
        figures["tenants"] = {"owners": owners, "blocks": blocks, **tenants}
        yield figures


def cores() -> int:
    return len(os.sched_getaffinity(0))


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", type=numbers, default=(1000, 10000, 100000))
    parser.add_argument("--dimensions", type=int, default=STORED_DIMENSIONS)
    parser.add_argument("--queries", type=int, default=60, help="questions for each time")
    parser.add_argument(
        "--parts", type=parts, default=PARTS[:-1], help=f"of {', '.join(PARTS)}; all but the last"
    )
    parser.add_argument("--sessions", type=numbers, default=(1, 2, 4, 8, 16), help="at once")
    parser.add_argument("--seconds", type=float, default=8, help="for each number of sessions")
    parser.add_argument(
        "--tenants", type=owners_by_blocks, default=(1000, 1000), help="OWNERSxBLOCKS, for tenants"
    )
    parser.add_argument("--shared-buffers", default="3GB", help="of the server")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--keep", type=Path, help="keep the server, in this directory")
    return parser.parse_args()


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(","))


def parts(text: str) -> tuple[str, ...]:
    chosen = tuple(text.split(","))
    if unknown := set(chosen) - set(PARTS):
        raise argparse.ArgumentTypeError(f"no part named {', '.join(sorted(unknown))}")
    return chosen


def owners_by_blocks(text: str) -> tuple[int, int]:
    owners, _, blocks = text.partition("x")
    return int(owners), int(blocks)


@contextmanager
def private_server(keep: Path | None, shared_buffers: str) -> Iterator[local.LocalServer]:
    """Start a server, and remove it with everything that belongs to it unless it is to be kept."""
    settings = {"shared_buffers": shared_buffers, "max_connections": "60"}
    if keep is not None:
        server = local.start(keep, fast=True, settings=settings)
        yield server
        console.print(f"kept: {server.dsn()}; remove it with python -m cto.local destroy {keep}")
        return
    with tempfile.TemporaryDirectory(prefix="cto-bench-") as folder:
        directory = Path(folder) / "server"
        try:
            yield local.start(directory, fast=True, settings=settings)
        finally:
            local.destroy(directory)


def main() -> int:
    options = read_arguments()
    with private_server(options.keep, options.shared_buffers) as server:
        for figures in measure_all(server, options):
            if options.json:
                options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
