"""The apply engine: bring one database to this release, and say how far it is from it.

Each migration and its ledger row commit together, so a deployer that is killed at any moment leaves
either all of a migration or nothing of it, and the next one goes on from there. The one exception,
CREATE INDEX CONCURRENTLY, may leave an invalid index: it is dropped before the next try.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import psycopg
from psycopg import errors

from cto import catalogue, ledger
from cto.connection import Connection
from cto.errors import DeployError
from cto.migrations import Migration, read_migrations
from cto.repeatables import Extensions, Repeatable, quote, read_repeatables

logger = logging.getLogger(__name__)

# Any number will do, as long as every deployer uses the same; the lock is the database's own.
_LOCK_KEY = 0x63746F_6465706C
_LOCK_POLL_SECONDS = 0.2
_BUSY_TRIES = 5
# Somebody uses the table; or waits for us while we wait for them, as a vacuum may.
_BUSY = (errors.LockNotAvailable, errors.DeadlockDetected)

OnStep = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """How to deploy: where new extensions go, what to do without PL/Python, how long to wait."""

    extensions_schema: str = "public"
    tier: str | None = None
    timezone: str | None = None
    lock_seconds: float = 60.0
    lock_timeout: str = "5s"
    statement_timeout: str = "0"


@dataclass
class Report:
    """What a deployment did."""

    tier: str
    tier_reason: str
    migrations: list[str] = field(default_factory=list)
    repeatables: int = 0
    backfilled: int = 0
    queued: int = 0

    @property
    def changed(self) -> bool:
        """Whether anything was different before."""
        return bool(self.migrations or self.repeatables or self.backfilled or self.queued)


@dataclass(frozen=True)
class State:
    """How a database compares with this release."""

    server_version: str
    vector_version: str | None
    tier: str | None
    applied: tuple[str, ...]
    pending: tuple[str, ...]
    unknown: tuple[str, ...]
    edited: tuple[str, ...]
    stale: tuple[str, ...]
    drifted: tuple[str, ...]
    waiting: int
    dead: int

    @property
    def in_order(self) -> bool:
        """Whether a deployment would change nothing and nobody changed anything by hand."""
        return not (self.pending or self.unknown or self.edited or self.stale or self.drifted)


def deploy(
    connection: Connection, options: Options | None = None, on_step: OnStep = lambda _: None
) -> Report:
    """Bring the database to this release.

    Raises DeployError, with nothing of the failed step kept, when it cannot.
    """
    options = options or Options()
    migrations = read_migrations()
    with _deployment_lock(connection, options.lock_seconds):
        _set_session(connection, options)
        catalogue.check_server(connection)
        pending = _pending(connection, migrations)
        catalogue.refuse_legacy(connection, pending)
        extensions = catalogue.ensure_extensions(connection, options.extensions_schema)
        tier, reason = catalogue.choose_tier(connection, options.tier)
        report = Report(tier, reason)
        _ensure_ledger(connection)
        for migration in pending:
            on_step(f"migration {migration.id}")
            _apply(connection, migration, extensions, options)
            report.migrations.append(migration.id)
        report.repeatables = _apply_repeatables(
            connection,
            read_repeatables(extensions, tier),
            extensions,
            on_step,
            leave_python=options.tier == "sql",
            anew=bool(report.migrations),
        )
        on_step("blocks of v1.0")
        report.backfilled = _backfill(connection)
        connection.execute("select cto.fold_accesses()")
        row = connection.execute("select cto.enqueue_missing()").fetchone()
        report.queued = int(row[0]) if row else 0
    return report


def read_state(connection: Connection, tier: str | None = None) -> State:
    """Compare a database with this release; reads only."""
    migrations = read_migrations()
    applied = ledger.read_applied(connection)
    known = {migration.id: migration for migration in migrations}
    extensions = catalogue.find_extensions(connection)
    deployed = ledger.read_objects(connection, "file")
    live_tier = _deployed_tier(deployed)
    stale: set[str] = set()
    drifted: set[str] = set()
    if applied and extensions is not None:
        wanted = {
            r.name: r.sha256 for r in read_repeatables(extensions, tier or live_tier or "sql")
        }
        stale = {
            name for name in wanted.keys() | deployed if wanted.get(name) != deployed.get(name)
        }
        drifted = _drifted(connection)
    waiting, dead = catalogue.backlog(connection)
    return State(
        server_version=catalogue.server_version(connection),
        vector_version=catalogue.extension_version(connection, "vector"),
        tier=live_tier if applied else None,
        applied=tuple(applied),
        pending=tuple(m.id for m in migrations if m.id not in applied),
        unknown=tuple(name for name in applied if name not in known),
        edited=tuple(
            name
            for name, row in applied.items()
            if name in known and row.sha256 not in {None, known[name].sha256}
        ),
        stale=tuple(sorted(stale)),
        drifted=tuple(sorted(drifted)),
        waiting=waiting,
        dead=dead,
    )


def apply_migration(connection: Connection, migration: Migration, extensions: Extensions) -> None:
    """Apply one migration and write its ledger row: in one transaction, where it allows one."""
    if migration.transactional:
        with connection.transaction():
            _set_search_path(connection, extensions)
            _execute_all(connection, migration, migration.statements)
            ledger.mark_applied(connection, migration)
        return
    # Outside a transaction, waiting for older transactions is part of the work, not a busy table,
    # and the index of a large table takes its time.
    with (
        _session_setting(connection, "lock_timeout", "0"),
        _session_setting(connection, "statement_timeout", "0"),
    ):
        with _session_setting(connection, "search_path", f"public, {extensions.search_path}"):
            catalogue.drop_invalid_indexes(connection, " ".join(migration.statements))
            _execute_all(connection, migration, migration.statements)
        with connection.transaction():
            ledger.mark_applied(connection, migration)


def undo_migration(connection: Connection, migration: Migration, extensions: Extensions) -> None:
    """Undo one migration and take its ledger row away."""
    if migration.transactional:
        with connection.transaction():
            _set_search_path(connection, extensions)
            _execute_all(connection, migration, migration.rollback_statements)
            ledger.mark_rolled_back(connection, migration)
        return
    _execute_all(connection, migration, migration.rollback_statements)
    with connection.transaction():
        ledger.mark_rolled_back(connection, migration)


def _pending(connection: Connection, migrations: Sequence[Migration]) -> list[Migration]:
    """Return what is to be applied; refuse a newer database and edited migrations."""
    applied = ledger.read_applied(connection)
    known = {migration.id: migration for migration in migrations}
    unknown = [name for name in applied if name not in known]
    if unknown:
        raise DeployError(
            f"The database is newer than this release: it has {', '.join(unknown)}.",
            "Install the release of cto that deployed it, or a later one.",
        )
    for name, row in applied.items():
        if row.sha256 is not None and row.sha256 != known[name].sha256:
            raise DeployError(
                f"The migration {name} is not the one that was applied to this database.",
                "Restore the released file; a change of it belongs in a new migration.",
            )
    return [migration for migration in migrations if migration.id not in applied]


def _apply(
    connection: Connection, migration: Migration, extensions: Extensions, options: Options
) -> None:
    """Apply a migration; where a table is busy, let its users go first and try again."""
    for attempt in range(1, _BUSY_TRIES + 1):
        try:
            apply_migration(connection, migration, extensions)
        except _BUSY:
            if attempt == _BUSY_TRIES:
                raise DeployError(
                    f"A table that {migration.id} changes was busy {_BUSY_TRIES} times"
                    f" for {options.lock_timeout}.",
                    "Deploy at a quieter hour, or with a longer lock_timeout.",
                ) from None
            logger.warning("%s: a table is busy, trying again", migration.id)
            time.sleep(attempt)
        else:
            return


def _execute_all(connection: Connection, migration: Migration, statements: Sequence[str]) -> None:
    for statement in statements:
        try:
            connection.execute(statement.encode())
        except _BUSY:
            raise
        except errors.InsufficientPrivilege as error:
            raise DeployError(
                f"{migration.path.name}: {_describe(error)}", _grants(connection)
            ) from error
        except psycopg.Error as error:
            raise DeployError(
                f"{migration.path.name}: {_describe(error)}\n{statement.strip()}",
                "Nothing of this migration was kept. Mend the cause and deploy again."
                if migration.transactional
                else "Mend the cause and deploy again; an invalid index is dropped then.",
            ) from error


def _apply_repeatables(
    connection: Connection,
    objects: Sequence[Repeatable],
    extensions: Extensions,
    on_step: OnStep,
    *,
    leave_python: bool,
    anew: bool,
) -> int:
    """Replace all routines, triggers and views in one transaction, if any of them changed.

    `anew` replaces them in any case: a migration ran, and its tables need the grants of roles.sql.
    `leave_python` drops the PL/Python routines: somebody asked for the tier `sql`. Where it is only
    this role that cannot make them, those that an administrator made stay.
    """
    wanted = {each.name: each.sha256 for each in objects}
    unchanged = wanted == ledger.read_objects(connection, "file") and not _drifted(connection)
    if unchanged and not anew:
        return 0
    on_step(f"{len(objects)} repeatable files")
    for attempt in range(1, _BUSY_TRIES + 1):
        try:
            with connection.transaction():
                if leave_python:
                    catalogue.drop_python_routines(connection)
                _replace_objects(connection, objects, extensions)
                ledger.write_objects(connection, "file", wanted)
                ledger.write_objects(connection, "live", catalogue.live_definitions(connection))
        except _BUSY:
            if attempt == _BUSY_TRIES:
                raise DeployError(
                    f"A table whose triggers are replaced was busy {_BUSY_TRIES} times.",
                    "Deploy at a quieter hour, or with a longer lock_timeout.",
                ) from None
            time.sleep(attempt)
        else:
            break
    return len(objects)


def _drifted(connection: Connection) -> set[str]:
    """Return the routines, triggers and views that are no longer as the last deployment left them.

    What somebody else made beside them is none of our business.
    """
    recorded = ledger.read_objects(connection, "live")
    live = catalogue.live_definitions(connection)
    return {name for name in recorded if live.get(name) != recorded[name]}


def _deployed_tier(files: dict[str, str]) -> str | None:
    """Return the tier that was deployed last, or None where nothing was."""
    if not files:
        return None
    return "full" if any(name.startswith("plpython/") for name in files) else "sql"


def _ensure_ledger(connection: Connection) -> None:
    try:
        ledger.ensure(connection)
    except errors.InsufficientPrivilege as error:
        raise DeployError(
            f"This role may not make the ledger's tables: {_describe(error)}",
            _grants(connection),
        ) from error


def _grants(connection: Connection) -> str:
    """Return the rights that a role needs to deploy into a database of somebody else's."""
    role, database = quote(connection.info.user), quote(connection.info.dbname)
    return (
        "Have the owner of the database run:"
        f" grant create on database {database} to {role};"
        f" grant create on schema public to {role};"
    )


def _replace_objects(
    connection: Connection, objects: Sequence[Repeatable], extensions: Extensions
) -> None:
    _set_search_path(connection, extensions)
    catalogue.lock_trigger_tables(connection)
    # Routines call each other in both directions: load all of them first, then check all of them.
    connection.execute("set local check_function_bodies = off")
    for each in objects:
        try:
            connection.execute(each.sql.encode())
        except _BUSY:
            raise
        except errors.InsufficientPrivilege as error:
            raise DeployError(
                f"{each.name}: {_describe(error)}",
                "Have a superuser create the roles that are missing:"
                " create role cto_agent nologin; create role cto_embedder nologin;"
                " create role cto_report nologin; create role cto_admin nologin;"
                if each.name == "sql/roles.sql"
                else "Deploy as the role that owns the objects, or as a superuser.",
            ) from error
        except psycopg.Error as error:
            raise DeployError(
                f"{each.name}: {_describe(error)}", "Nothing of the repeatable files was kept."
            ) from error
    connection.execute("set local check_function_bodies = on")
    for routine, message in catalogue.invalid_routines(connection):
        raise DeployError(
            f"{routine} does not compile: {message}", "Nothing of the repeatable files was kept."
        )


def _backfill(connection: Connection) -> int:
    """Work out language, lexemes and counts of v1.0's blocks, a thousand a transaction."""
    total = 0
    while True:
        row = connection.execute("select cto.backfill_blocks()").fetchone()
        if row is None or row[0] == 0:
            return total
        total += int(row[0])


@contextmanager
def _deployment_lock(connection: Connection, seconds: float) -> Iterator[None]:
    """Hold the database's deployment lock.

    Polled: a session that waits inside pg_advisory_lock holds a snapshot, and CREATE INDEX
    CONCURRENTLY of the session that has the lock would wait for that for ever.
    """
    deadline = time.monotonic() + seconds
    while True:
        row = connection.execute("select pg_try_advisory_lock(%s)", (_LOCK_KEY,)).fetchone()
        if row and row[0]:
            break
        if time.monotonic() >= deadline:
            holder = catalogue.advisory_lock_holder(connection, _LOCK_KEY)
            raise DeployError(
                f"Another deployment has been running for {seconds:.0f} s: {holder}.",
                "Wait for it, or end it with select pg_terminate_backend(pid).",
            )
        time.sleep(_LOCK_POLL_SECONDS)
    try:
        yield
    finally:
        if not connection.closed and connection.info.transaction_status == 0:
            connection.execute("select pg_advisory_unlock(%s)", (_LOCK_KEY,))


def _set_session(connection: Connection, options: Options) -> None:
    settings = {
        "lock_timeout": options.lock_timeout,
        "statement_timeout": options.statement_timeout,
        # Whatever the database or role is set to, names resolve as the files mean them.
        "search_path": "public",
    }
    if options.timezone:
        settings["TimeZone"] = options.timezone
    for name, value in settings.items():
        try:
            connection.execute("select set_config(%s, %s, false)", (name, value))
        except errors.InvalidParameterValue as error:
            raise DeployError(
                f"{name} cannot be set to {value}.", "Mend that option of the server."
            ) from error


def _set_search_path(connection: Connection, extensions: Extensions) -> None:
    connection.execute(
        "select set_config('search_path', %s, true)", (f"public, {extensions.search_path}",)
    )


@contextmanager
def _session_setting(connection: Connection, name: str, value: str) -> Iterator[None]:
    row = connection.execute("select current_setting(%s)", (name,)).fetchone()
    connection.execute("select set_config(%s, %s, false)", (name, value))
    try:
        yield
    finally:
        if not connection.closed:
            before = row[0] if row else ""
            connection.execute("select set_config(%s, %s, false)", (name, before))


def _describe(error: psycopg.Error) -> str:
    """Return the server's message with its detail and hint."""
    diagnostic = error.diag
    parts = [diagnostic.message_primary or str(error).strip()]
    parts += [part for part in (diagnostic.message_detail, diagnostic.message_hint) if part]
    return " ".join(parts)
