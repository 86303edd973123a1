"""`cto demo`: the whole pipeline on a private server, shown as a person would want to see it."""

from __future__ import annotations

import contextlib
import shlex
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg import errors, sql
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from cto import embedding, engine, importer, local
from cto.connection import Connection, connect
from cto.resources import database_files
from cto.tokens import count_tokens

DATABASE = "cto_demo"
SAMPLE = "conversation.jsonl"
OWNER = "ana"
SESSION = "demo-session"
QUESTION = "¿Qué postre puedo llevar a la boda de mi hermana?"
BUDGET = 150

_REASONS = {
    "over_budget": "does not fit the budget",
    "below_min_score": "score below min_score",
    "over_max_blocks": "max_blocks reached",
    "duplicate": "already said above",
}


def run_demo(directory: Path, console: Console) -> None:
    """Start, deploy, import, embed, select, render and report; each step prints its outcome."""
    started = time.monotonic()
    steps = _Steps(console)
    server = local.start(directory)
    steps.done(
        f"PostgreSQL {server.version} runs on a Unix socket of its own, tier {server.tier}"
        f" ({server.tier_reason.rstrip('.')})"
    )
    _create_database(server)
    dsn = server.dsn(DATABASE)
    with connect(dsn, application="cto demo") as connection:
        _deploy(connection, steps)
        _import(connection, steps)
        _show_blocks(connection, steps)
        _embed(dsn, console, steps)
        _select(connection, console, steps)
        _show_summary(connection, console, steps)
    _show_how_to_go_on(directory, dsn, console)
    console.print(f"Done in {time.monotonic() - started:.1f} s.", highlight=False)


class _Steps:
    """Numbers the steps."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._number = 0

    def done(self, text: str) -> None:
        self._number += 1
        self._console.print(f"[bold green]{self._number}.[/] {escape(text)}", highlight=False)


def _create_database(server: local.LocalServer) -> None:
    with (
        connect(server.dsn("postgres"), application="cto demo") as connection,
        contextlib.suppress(errors.DuplicateDatabase),
    ):
        connection.execute(
            sql.SQL("create database {} template template0 encoding 'UTF8'").format(
                sql.Identifier(DATABASE)
            )
        )


def _deploy(connection: Connection, steps: _Steps) -> None:
    report = engine.deploy(connection)
    if report.changed:
        steps.done(
            f"Deployed: {len(report.migrations)} migrations,"
            f" {report.repeatables} files with routines, triggers and views"
        )
    else:
        steps.done("Deployed before: nothing to do")


def _import(connection: Connection, steps: _Steps) -> None:
    path = sample_conversation()
    report = importer.import_file(connection, path)
    steps.done(
        f"Imported {path.name}: {report.added} messages through cto.log_message,"
        f" {report.known} already there"
    )


def sample_conversation() -> Path:
    """Return the sample: beside the database files in a wheel, in examples/ of a checkout."""
    return database_files() / "examples" / SAMPLE


def _show_blocks(connection: Connection, steps: _Steps) -> None:
    rows = connection.execute(
        """
        select b.block_type, count(*)
        from cto.blocks as b
        where b.owner_id = cto.key(%s)
        group by b.block_type
        order by b.block_type
        """,
        (OWNER,),
    ).fetchall()
    counts = ", ".join(f"{count} {block_type}" for block_type, count in rows)
    steps.done(f"Extracted memory blocks of {OWNER}: {counts}")


def _embed(dsn: str, console: Console, steps: _Steps) -> None:
    provider = embedding.HashingProvider()
    with Progress(
        TextColumn("   embedding"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
    ) as progress:
        task = progress.add_task("embedding", total=None)
        report = embedding.run(
            dsn,
            provider,
            batch_size=8,
            on_progress=lambda p: progress.update(
                task, completed=p.embedded, total=p.embedded + p.remaining
            ),
        )
        progress.update(task, completed=report.embedded, total=report.embedded)
    steps.done(f"Embedded {report.embedded} blocks with {provider.model}: {provider.description}")


def _select(connection: Connection, console: Console, steps: _Steps) -> None:
    """Ask a question, and show what was chosen, what was not, and the text."""
    (vector,) = embedding.HashingProvider().embed([QUESTION]).vectors
    as_of = _a_day_after(connection)
    arguments = {
        "owner": OWNER,
        "session": SESSION,
        "query": QUESTION,
        "vector": str(list(vector)),
        "budget": BUDGET,
        "as_of": as_of,
    }
    row = connection.execute(
        """
        select cto.render_context(
            owner => %(owner)s, session => %(session)s, query => %(query)s,
            query_embedding => %(vector)s, budget_tokens => %(budget)s, as_of => %(as_of)s)
        """,
        arguments,
    ).fetchone()
    text = row[0] if row else ""
    rows = connection.execute(
        "select * from cto.explain_context(%s, %s)", (OWNER, SESSION)
    ).fetchall()
    included = [each for each in rows if each[10]]
    steps.done(
        f"Selected {len(included)} of {len(rows)} blocks for {BUDGET} tokens. Asked: {QUESTION}"
    )
    console.print(_chosen_table(included))
    console.print(_left_out_table([each for each in rows if not each[10]]))
    steps.done(f"Rendered: {count_tokens(text)} of {BUDGET} tokens, counted with cl100k_base")
    console.print(Panel(escape(text), title="cto.render_context", title_align="left"))


def _a_day_after(connection: Connection) -> datetime:
    """Return a day after the sample's last message, so that the demo shows the same on any day."""
    row = connection.execute(
        "select max(b.last_said_at) + interval '1 day' from cto.blocks as b"
        " where b.owner_id = cto.key(%s)",
        (OWNER,),
    ).fetchone()
    if row is None or row[0] is None:
        raise psycopg.DataError("the sample conversation left no block")
    moment: datetime = row[0]
    return moment


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)


def _chosen_table(rows: list[tuple[Any, ...]]) -> Table:
    table = _table("in the context: score from recency, frequency, importance and similarity")
    table.add_column("#", justify="right")
    table.add_column("block", ratio=1)
    for name in ("tok", "score", "rec", "freq", "imp", "sim"):
        table.add_column(name, justify="right", no_wrap=True)
    for position, _, block_type, content, tokens, score, *components in rows:
        table.add_row(
            str(position),
            f"[dim]{block_type}[/] {escape(content)}",
            str(tokens),
            f"{score:.2f}",
            *(_figure(value) for value in components[:4]),
        )
    return table


def _left_out_table(rows: list[tuple[Any, ...]]) -> Table:
    table = _table("left out")
    table.add_column("block", ratio=1)
    table.add_column("tok", justify="right")
    table.add_column("score", justify="right")
    table.add_column("why")
    for row in rows:
        table.add_row(
            f"[dim]{row[2]}[/] {escape(row[3])}",
            str(row[4]),
            f"{row[5]:.2f}",
            _REASONS.get(row[11], row[11]),
        )
    return table


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _show_summary(connection: Connection, console: Console, steps: _Steps) -> None:
    cursor = connection.execute(
        """
        select context_id, message_count, total_tokens, tool_calls, last_activity::date
        from public.ia_context_summary
        order by last_activity
        """
    )
    table = Table(box=box.SIMPLE_HEAD)
    for column in cursor.description or ():
        table.add_column(column.name, no_wrap=True)
    for row in cursor:
        table.add_row(*(escape(str(value)) for value in row))
    steps.done("For reports: ia_context_summary")
    console.print(table)


def _show_how_to_go_on(directory: Path, dsn: str, console: Console) -> None:
    server = local.status(directory)
    psql = server.bin_directory / "psql" if server else Path("psql")
    console.print(
        "Connect with psql:\n"  # noqa: S608 - printed, for a person to paste
        f"  {shlex.quote(str(psql))} {shlex.quote(dsn)}\n"
        "and try, for example:\n"
        "  select cto.remember('ana', 'Prefiero el té verde', 'preference');\n"
        "  select * from cto.select_context('ana', 'mi-sesion', '¿qué le gusta beber?');\n"
        "  select * from cto.explain_context('ana', 'mi-sesion');",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
