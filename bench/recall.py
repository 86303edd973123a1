"""How much of the evidence is inside the context: cto beside plain pgvector and vector + ts_rank.

    python bench/recall.py --data ../shared/bench/locomo

The data (turns.json, questions.json, embeddings.npz) are conversations whose questions name the
turns that hold the answer. Each conversation becomes one owner, through cto.log_message with the
extraction mode `message` and sizes that keep one turn one block. Asked a week after its last turn,
with the default scorer and selector; only max_blocks is raised; and once more right after the last
turn, at 2,000 tokens. A question counts with the share of its evidence turns that are inside the
selected context; the figure is the mean over the questions of categories 1 to 4. With --one-owner
all conversations belong to one owner, who has so many blocks that only what stands out counts; all
are asked after the last turn of all. Every method fills the same budget of cl100k_base tokens, best
first, what does not fit is skipped; cto alone also pays for its headings and list marks.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from rich.console import Console
from rich.progress import track
from rich.table import Table

from cto import engine, local
from cto.connection import connect
from cto.tokens import count_tokens

BUDGETS = (500, 1000, 2000, 4000)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}
METHODS = ("cto", "vector + ts_rank (RRF)", "vector")
RIGHT_AFTER = "cto, right after the last turn"
Connection = psycopg.Connection[tuple[Any, ...]]
console = Console(width=110)


@dataclass(frozen=True)
class Turn:
    """One turn of a conversation, and its vector."""

    owner: str
    sample: str
    session: str
    dia_id: str
    speaker: str
    at: datetime
    text: str
    tokens: int
    vector: str


@dataclass(frozen=True)
class Question:
    """A question, the turns that hold its answer, and its vector."""

    owner: str
    sample: str
    text: str
    category: int
    evidence: frozenset[str]
    vector: str


def read_data(folder: Path, owner: str | None) -> tuple[list[Turn], list[Question]]:
    """Read the conversations and the questions of categories 1 to 4.

    owner: of all conversations; without one, each is an owner of its own.
    """
    vectors = np.load(folder / "embeddings.npz")
    turns = [
        Turn(
            owner=owner or row["sample"],
            sample=row["sample"],
            session=row["session"],
            dia_id=row["dia_id"],
            speaker=row["speaker"],
            at=datetime.fromisoformat(row["at"] + "+00:00"),
            text=row["text"].strip(),  # as it is stored: without the space around it
            tokens=count_tokens(row["text"].strip()),
            vector=as_vector(vector),
        )
        for row, vector in zip(
            json.loads((folder / "turns.json").read_text()), vectors["turns"], strict=True
        )
    ]
    known = defaultdict(set)
    for turn in turns:
        known[turn.sample].add(turn.dia_id)
    questions = [
        Question(
            owner=owner or row["sample"],
            sample=row["sample"],
            text=row["question"],
            category=row["category"],
            evidence=frozenset(evidence_ids(row["evidence"])) & known[row["sample"]],
            vector=as_vector(vector),
        )
        for row, vector in zip(
            json.loads((folder / "questions.json").read_text()), vectors["questions"], strict=True
        )
    ]
    return turns, [q for q in questions if q.category in CATEGORIES and q.evidence]


def evidence_ids(noted: Iterable[str]) -> Iterator[str]:
    """Read ids as the annotators wrote them: some fields hold several, some are 0-padded."""
    for field in noted:
        for session, turn in re.findall(r"D(\d+):(\d+)", field):
            yield f"D{int(session)}:{int(turn)}"


def as_vector(values: Iterable[float]) -> str:
    """Write a vector as pgvector reads it."""
    return "[" + ",".join(f"{value:.6g}" for value in np.asarray(values, dtype=np.float32)) + "]"


def load(connection: Connection, turns: Sequence[Turn]) -> None:
    """Log every turn, then store its vector and exact token count as the worker would."""
    one_turn_one_block = {
        "extraction_mode": "message",
        "min_content_length": 1,
        "max_block_size": 5000,
    }
    for name, change in (("extractor", one_turn_one_block), ("selector", {"max_blocks": 100000})):
        connection.execute(
            "select cto.set_algorithm(name, config || %s) from cto.algorithms where name = %s",
            (json.dumps(change), name),
        )
    first_speaker = {}
    for turn in turns:
        first_speaker.setdefault(turn.sample, turn.speaker)
    with connection.transaction():
        for turn in track(turns, description="logging turns", console=console):
            connection.execute(
                """
                select cto.log_message(
                    context_id => %(context)s, role => %(role)s, content => %(text)s,
                    agent_name => 'bench', user_id => %(owner)s, session_id => %(context)s,
                    token_count => %(tokens)s, at => %(at)s)
                """,
                {
                    "context": f"{turn.sample}/{turn.session}",
                    "role": "user" if turn.speaker == first_speaker[turn.sample] else "assistant",
                    "text": turn.text,
                    "owner": turn.owner,
                    "tokens": turn.tokens,
                    "at": turn.at,
                },
            )
    by_text = {(turn.owner, turn.text): turn for turn in turns}
    keys = {
        row[1]: row[0]
        for row in connection.execute(
            "select s, cto.key(s) from unnest(%s::text[]) as s", ([t.owner for t in turns],)
        )
    }
    while True:
        jobs = connection.execute(
            "select owner_id, block_hash, content from cto.claim_embeddings('bench', 500)"
        ).fetchall()
        if not jobs:
            break
        found = [by_text[keys[owner], content] for owner, _, content in jobs]
        connection.execute(
            """
            select cto.store_embeddings(
                'bench', 'all-MiniLM-L6-v2', 384, %s::text[], %s::text[], %s::text[]::vector[], %s)
            """,
            (
                [owner for owner, _, _ in jobs],
                [block for _, block, _ in jobs],
                [turn.vector for turn in found],
                [turn.tokens for turn in found],
            ),
        )
    connection.execute("vacuum analyze cto.blocks")


def fill(ranked: Iterable[tuple[str, int]], budget: int) -> set[str]:
    """Take texts, best first, as long as they fit; what does not fit is skipped."""
    chosen = set()
    for text, tokens in ranked:
        if tokens <= budget:
            budget -= tokens
            chosen.add(text)
    return chosen


def select_cto(
    connection: Connection, question: Question, as_of: datetime, budget: int
) -> set[str]:
    rows = connection.execute(
        """
        select content
        from cto.select_context(
            owner => %s, session => 'bench', query => %s, query_embedding => %s::vector,
            budget_tokens => %s, as_of => %s, record => false)
        """,
        (question.owner, question.text, question.vector, budget, as_of),
    )
    return {row[0] for row in rows}


def rank_vector(connection: Connection, question: Question) -> list[tuple[str, int]]:
    return connection.execute(
        """
        select content, token_count
        from cto.blocks
        where owner_id = cto.key(%s)
        order by embedding <=> cto._pad_vector(%s::vector)
        limit 400
        """,
        (question.owner, question.vector),
    ).fetchall()


def rank_fused(connection: Connection, question: Question) -> list[tuple[str, int]]:
    """Reciprocal rank fusion, k = 60, of the 200 nearest and the 200 best by ts_rank."""
    return connection.execute(
        """
        with question as (
            select
                cto._pad_vector(%(vector)s::vector) as vector,
                replace(plainto_tsquery('cto.english', %(text)s)::text, '&', '|')::tsquery as words
        ),
        near as (
            select b.hash, row_number() over (order by b.embedding <=> q.vector, b.hash) as place
            from cto.blocks as b, question as q
            where b.owner_id = cto.key(%(owner)s)
            order by place
            limit 200
        ),
        worded as (
            select
                b.hash,
                row_number() over (
                    order by
                        ts_rank(to_tsvector('cto.english', b.content), q.words) desc,
                        b.hash
                ) as place
            from cto.blocks as b, question as q
            where b.owner_id = cto.key(%(owner)s)
                and to_tsvector('cto.english', b.content) @@ q.words
            order by place
            limit 200
        )
        select b.content, b.token_count
        from near
        full join worded on worded.hash = near.hash
        inner join cto.blocks as b
            on b.owner_id = cto.key(%(owner)s) and b.hash = coalesce(near.hash, worded.hash)
        order by
            coalesce(1.0 / (60 + near.place), 0) + coalesce(1.0 / (60 + worded.place), 0) desc,
            b.hash
        """,
        {"vector": question.vector, "text": question.text, "owner": question.owner},
    ).fetchall()


def measure(
    connection: Connection, turns: Sequence[Turn], questions: Sequence[Question]
) -> list[dict[str, Any]]:
    """Ask every question of every method at every budget; one row each with the share found."""
    text_of = {(turn.sample, turn.dia_id): turn.text for turn in turns}
    last: dict[str, datetime] = {}
    for turn in turns:
        last[turn.owner] = max(turn.at, last.get(turn.owner, turn.at))
    rows = []
    for question in track(questions, description="asking questions", console=console):
        evidence = {text_of[question.sample, dia_id] for dia_id in question.evidence}
        as_of = last[question.owner] + timedelta(days=7)
        ranked = {
            "vector": rank_vector(connection, question),
            "vector + ts_rank (RRF)": rank_fused(connection, question),
        }
        for budget in BUDGETS:
            started = time.perf_counter()
            chosen = {"cto": select_cto(connection, question, as_of, budget)}
            seconds = time.perf_counter() - started
            chosen |= {method: fill(ranking, budget) for method, ranking in ranked.items()}
            rows += [
                {
                    "sample": question.sample,
                    "category": question.category,
                    "method": method,
                    "budget": budget,
                    "found": len(evidence & texts) / len(evidence),
                    "milliseconds": seconds * 1000 if method == "cto" else None,
                }
                for method, texts in chosen.items()
            ]
        texts = select_cto(connection, question, last[question.owner], 2000)
        rows.append(
            {
                "sample": question.sample,
                "category": question.category,
                "method": RIGHT_AFTER,
                "budget": 2000,
                "found": len(evidence & texts) / len(evidence),
                "milliseconds": None,
            }
        )
    return rows


def mean(rows: Iterable[dict[str, Any]], **only: object) -> float:
    values = [row["found"] for row in rows if all(row[k] == value for k, value in only.items())]
    return sum(values) / len(values) if values else float("nan")


def print_tables(rows: Sequence[dict[str, Any]]) -> None:
    table = Table(title="share of the evidence inside the context, categories 1-4")
    table.add_column("method", no_wrap=True)
    for budget in BUDGETS:
        table.add_column(f"{budget:,} tokens", justify="right")
    for method in METHODS:
        table.add_row(method, *(f"{mean(rows, method=method, budget=b):.3f}" for b in BUDGETS))
    console.print(table)

    samples = sorted({row["sample"] for row in rows})
    for title, key, parts in (
        ("by category", "category", CATEGORIES),
        ("by conversation", "sample", {sample: sample for sample in samples}),
    ):
        part_table = Table(title=f"at 2,000 tokens, {title}")
        part_table.add_column("method", no_wrap=True)
        for name in parts.values():
            part_table.add_column(name, justify="right")
        for method in (METHODS[0], RIGHT_AFTER, *METHODS[1:]):
            figures = [mean(rows, method=method, budget=2000, **{key: part}) for part in parts]
            part_table.add_row(method, *(f"{figure:.3f}" for figure in figures))
        console.print(part_table)

    console.print(f"{RIGHT_AFTER}: {mean(rows, method=RIGHT_AFTER, budget=2000):.3f}")
    times = sorted(row["milliseconds"] for row in rows if row["milliseconds"] is not None)
    console.print(
        f"select_context: median {times[len(times) // 2]:.1f} ms over {len(times):,} calls"
    )


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    figures = {
        method: {b: round(mean(rows, method=method, budget=b), 4) for b in BUDGETS}
        for method in METHODS
    }
    after = round(mean(rows, method=RIGHT_AFTER, budget=2000), 4)
    questions = sum(row["method"] == RIGHT_AFTER for row in rows)
    return {"questions": questions, **figures, RIGHT_AFTER: {2000: after}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with the conversations")
    parser.add_argument("--one-owner", action="store_true", help="of all conversations")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    missing = [
        name
        for name in ("turns.json", "questions.json", "embeddings.npz")
        if not (arguments.data / name).is_file()
    ]
    if missing:
        print(
            f"{arguments.data} has no {', '.join(missing)}: this benchmark needs the labelled"
            " conversations, which are not part of the project. Name their folder with --data.",
            file=sys.stderr,
        )
        return 2

    turns, questions = read_data(arguments.data, "everyone" if arguments.one_owner else None)
    console.print(
        f"{len({t.sample for t in turns})} conversations, {len(turns):,} turns,"
        f" {len(questions)} questions with evidence"
    )
    with tempfile.TemporaryDirectory(prefix="cto-bench-") as folder:
        directory = Path(folder) / "server"
        server = local.start(directory, fast=True, settings={"shared_buffers": "256MB"})
        try:
            with connect(server.dsn(), application="cto bench") as connection:
                engine.deploy(connection)
                load(connection, turns)
                rows = measure(connection, turns, questions)
        finally:
            local.destroy(directory)
    print_tables(rows)
    if arguments.json:
        arguments.json.write_text(json.dumps(summary(rows), indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
