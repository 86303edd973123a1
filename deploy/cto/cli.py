"""The command line: `cto`.

Exit codes: 0 all is well; 1 something is out of order or failed; 2 the command itself is wrong, or
the embedding worker had to stop; 3 a server cannot be reached.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import psycopg
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn
from rich.table import Table

from cto import __version__, engine, importer, local, servers
from cto.connection import connect
from cto.errors import CtoError, UnreachableError, UsageError

app = typer.Typer(
    name="cto",
    help="The context manager for AI agents in PostgreSQL: deployer and embedding worker.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
local_app = typer.Typer(
    help="A private PostgreSQL server for trying things out.", no_args_is_help=True
)
app.add_typer(local_app, name="local")

out = Console()
err = Console(stderr=True)

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[SERVER]...", help="Names from servers.toml, `local`, or libpq DSNs."),
]
OneName = Annotated[
    str, typer.Argument(metavar="SERVER", help="A name from servers.toml, `local`, or a libpq DSN.")
]
Config = Annotated[Path | None, typer.Option("--config", help="Where servers.toml is.")]
Dsn = Annotated[
    str | None, typer.Option("--dsn", help="A libpq connection string instead of a name.")
]
Every = Annotated[bool, typer.Option("--all", help="Every server of servers.toml.")]
AsJson = Annotated[bool, typer.Option("--json", help="For programs: one JSON document.")]
Directory = Annotated[
    Path | None,
    typer.Option(help="Where the server lives.", envvar="CTO_LOCAL_DIR", show_envvar=True),
]


def _version(asked: bool) -> None:
    if asked:
        out.print(f"cto {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _callback(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def deploy(
    names: Names = None,
    every: Every = False,
    dsn: Dsn = None,
    config: Config = None,
    tier: Annotated[
        str | None, typer.Option(help="full (with PL/Python) or sql; default: what can be had.")
    ] = None,
) -> None:
    """Bring servers to this release, one after another; the first failure ends it."""
    if tier not in {None, "full", "sql"}:
        raise UsageError(f"--tier is {tier}.", "Use full or sql, or leave it out.")
    for server in servers.resolve(names or [], every=every, dsn=dsn, config=config):
        options = replace(server.options, tier=tier or server.options.tier)
        with connect(server.dsn, application="cto deploy") as connection:
            out.print(f"[bold]{escape(server.name)}[/]")
            report = engine.deploy(
                connection, options, on_step=lambda step: out.print(f"  {step}", highlight=False)
            )
        out.print(f"  {_deployed(report)}", highlight=False)


@app.command()
def status(
    names: Names = None,
    every: Every = False,
    dsn: Dsn = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show how far servers are from this release. Exit 0: in order, 1: not, 3: unreachable."""
    states: dict[str, engine.State | str] = {}
    for server in servers.resolve(names or [], every=every, dsn=dsn, config=config):
        try:
            with connect(server.dsn, application="cto status") as connection:
                states[server.name] = engine.read_state(connection, server.options.tier)
        except UnreachableError as error:
            states[server.name] = error.message
    if as_json:
        print(json.dumps({name: _state_json(state) for name, state in states.items()}, indent=2))
    else:
        _print_states(states)
    if any(isinstance(state, str) for state in states.values()):
        raise typer.Exit(UnreachableError.exit_code)
    if not all(isinstance(state, engine.State) and state.in_order for state in states.values()):
        raise typer.Exit(1)


@app.command("import")
def import_(
    name: OneName,
    file: Annotated[Path, typer.Argument(help="JSONL, one message a line.")],
    context: Annotated[str | None, typer.Option(help="context_id of lines that name none.")] = None,
    agent: Annotated[str | None, typer.Option(help="agent_name of conversations without.")] = None,
    user: Annotated[str | None, typer.Option(help="user_id of conversations without.")] = None,
    session: Annotated[
        str | None, typer.Option(help="session_id of conversations without.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="End at the first bad line.")] = False,
    config: Config = None,
) -> None:
    """Import a conversation; a second run adds nothing."""
    (server,) = servers.resolve([name], config=config)
    defaults = importer.Defaults(context, agent, user, session)
    size = file.stat().st_size if file.is_file() else 0
    with (
        connect(server.dsn, application="cto import") as connection,
        Progress(
            "importing",
            BarColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=err,
            transient=True,
            disable=not err.is_terminal,
        ) as progress,
    ):
        task = progress.add_task("importing", total=size)
        report = importer.import_file(
            connection,
            file,
            defaults,
            strict=strict,
            on_progress=lambda read: progress.update(task, completed=read),
        )
    for reason in report.skipped:
        err.print(f"skipped {escape(reason)}", highlight=False)
    out.print(
        f"{report.added:,} messages added, {report.known:,} already there,"
        f" {len(report.skipped):,} skipped",
        highlight=False,
    )
    if report.skipped:
        raise typer.Exit(1)


@app.command()
def embed(
    name: OneName,
    provider: Annotated[
        str, typer.Option(help="openai (any compatible API), or hashing (offline, lexical only).")
    ] = "openai",
    model: Annotated[str | None, typer.Option(help="The provider's name of the model.")] = None,
    base_url: Annotated[
        str | None,
        typer.Option(help="Address of an OpenAI-compatible API.", envvar="OPENAI_BASE_URL"),
    ] = None,
    dimensions: Annotated[
        int | None, typer.Option(help="Ask the model for so many dimensions.", min=1, max=1536)
    ] = None,
    batch_size: Annotated[int, typer.Option(help="Texts a request.", min=1, max=2048)] = 256,
    limit: Annotated[int | None, typer.Option(help="Stop after so many.", min=1)] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what it would cost, and call nothing.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Go on as new blocks come.")] = False,
    config: Config = None,
) -> None:
    """Fill in the vectors of new blocks. The key comes from OPENAI_API_KEY."""
    from cto.embedding import cli_embed  # noqa: PLC0415 - the openai client takes long to load

    (server,) = servers.resolve([name], config=config)
    raise typer.Exit(
        cli_embed(
            server.dsn,
            provider=provider,
            model=model,
            base_url=base_url,
            dimensions=dimensions,
            batch_size=batch_size,
            limit=limit,
            estimate=estimate,
            watch=watch,
        )
    )


@app.command()
def demo(directory: Directory = None) -> None:
    """Walk through the whole pipeline on a private server, with a sample conversation."""
    from cto.demo import run_demo  # noqa: PLC0415 - it loads the embedding worker as well

    run_demo(directory or local.default_directory(), out)


@local_app.command("start")
def local_start(directory: Directory = None) -> None:
    """Start the private server, making it first if need be."""
    server = local.start(directory or local.default_directory())
    out.print(
        f"PostgreSQL {server.version}, tier {server.tier}: {server.tier_reason}", highlight=False
    )
    out.print(server.dsn(), highlight=False, soft_wrap=True)


@local_app.command("stop")
def local_stop(
    directory: Directory = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Also remove the server and all its data.")
    ] = False,
) -> None:
    """Stop the private server; its data stays unless --remove is given."""
    where = directory or local.default_directory()
    stopped = local.stop(where)
    if remove:
        local.destroy(where)
    out.print("stopped" if stopped else "it was not running", highlight=False)


@local_app.command("dsn")
def local_dsn(
    directory: Directory = None,
    database: Annotated[str | None, typer.Option(help="Another database on the server.")] = None,
) -> None:
    """Print how to connect, for psql "$(cto local dsn)"."""
    server = local.status(directory or local.default_directory())
    if server is None:
        raise UsageError("The local server does not run.", "Start it: cto local start")
    print(server.dsn(database))


def main() -> None:
    """Run the command line; errors become a message, a remedy and an exit code."""
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    try:
        app()
    except CtoError as error:
        err.print(f"[red]error:[/] {escape(error.message)}", highlight=False, soft_wrap=True)
        if error.remedy:
            err.print(f"[cyan]remedy:[/] {escape(error.remedy)}", highlight=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except psycopg.Error as error:
        # A statement failed that no step foresaw, or the connection broke in the middle.
        message = error.diag.message_primary or str(error).strip()
        err.print(f"[red]error:[/] {escape(message)}", highlight=False, soft_wrap=True)
        if hint := error.diag.message_hint:
            err.print(f"[cyan]remedy:[/] {escape(hint)}", highlight=False, soft_wrap=True)
        sys.exit(UnreachableError.exit_code if error.sqlstate is None else 1)
    except KeyboardInterrupt:
        sys.exit(130)


def _deployed(report: engine.Report) -> str:
    if not report.changed:
        return f"nothing to do (tier {report.tier})"
    parts = []
    if report.migrations:
        parts.append(f"{len(report.migrations)} migrations applied")
    if report.repeatables:
        parts.append(f"{report.repeatables} repeatable files loaded and checked")
    if report.backfilled:
        parts.append(f"{report.backfilled:,} blocks completed")
    if report.queued:
        parts.append(f"{report.queued:,} blocks queued for embedding")
    return f"{', '.join(parts)}; tier {report.tier}: {report.tier_reason}"


def _state_json(state: engine.State | str) -> dict[str, object]:
    if isinstance(state, str):
        return {"reachable": False, "error": state}
    return {"reachable": True, "in_order": state.in_order, **asdict(state)}


def _print_states(states: dict[str, engine.State | str]) -> None:
    """Print migrations x servers, and what else tells them apart below."""
    table = Table(title=f"cto {__version__}")
    table.add_column("")
    for name in states:
        table.add_column(escape(name))
    reached = {n: s for n, s in states.items() if isinstance(s, engine.State)}
    migrations = sorted({m for s in reached.values() for m in (*s.applied, *s.pending)})
    for migration in migrations:
        table.add_row(migration, *(_mark(states[name], migration) for name in states))
    table.add_section()
    rows: dict[str, Callable[[engine.State], str]] = {
        "repeatable files": lambda s: (
            f"[yellow]{len(s.stale)} differ[/]" if s.stale else "[green]as released[/]"
        ),
        "drift": lambda s: (
            f"[red]{len(s.drifted)} changed by hand[/]" if s.drifted else "[green]none[/]"
        ),
        "PostgreSQL": lambda s: s.server_version,
        "pgvector": lambda s: s.vector_version or "-",
        "tier": lambda s: s.tier or "-",
        "to embed": lambda s: f"{s.waiting:,}" + (f" [red](+{s.dead:,} dead)[/]" if s.dead else ""),
    }
    for title, show in rows.items():
        table.add_row(
            title, *(show(s) if isinstance(s, engine.State) else "" for s in states.values())
        )
    out.print(table)
    for name, state in states.items():
        if isinstance(state, str):
            out.print(f"[red]{escape(name)}:[/] {escape(state)}", highlight=False)
            continue
        for kind, objects in (
            ("unknown to this release", state.unknown),
            ("edited after it was applied", state.edited),
            ("changed by hand", state.drifted),
        ):
            for each in objects:
                out.print(f"[red]{escape(name)}:[/] {escape(each)} is {kind}", highlight=False)


def _mark(state: engine.State | str, migration: str) -> str:
    if isinstance(state, str):
        return "[red]unreachable[/]"
    if migration in state.edited:
        return "[red]edited[/]"
    if migration in state.unknown:
        return "[red]unknown[/]"
    return "[green]applied[/]" if migration in state.applied else "[yellow]pending[/]"


if __name__ == "__main__":
    main()
