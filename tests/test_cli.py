"""The command line: what each command prints, and the exit code that scripts go by."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from conftest import Connection, one
from psycopg.conninfo import conninfo_to_dict

from cto import cli, local
from cto.migrations import read_migrations
from cto.resources import database_files

IDS = [migration.id for migration in read_migrations()]
SECRET = "correct-horse-battery"  # noqa: S105 - must never be shown
NOWHERE = "host=127.0.0.1 port=1 dbname=agents connect_timeout=5"
SAMPLE = database_files() / "examples" / "conversation.jsonl"


def run(
    *arguments: str | Path, folder: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `cto` as a person would; whatever happens, no traceback and no password is shown."""
    done = subprocess.run(
        [sys.executable, "-m", "cto.cli", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in done.stderr + done.stdout
    assert SECRET not in done.stderr + done.stdout
    return done


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Do as run does in this process, in an empty folder: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("CTO_SERVERS", raising=False)

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["cto", *map(str, arguments)])
        try:
            code = cli.main() or 0
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        shown = capsys.readouterr()
        assert SECRET not in shown.out + shown.err
        return code, shown.out, shown.err

    return call


Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def servers_toml(tmp_path: Path, dsn: str) -> Path:
    path = tmp_path / "servers.toml"
    path.write_text(
        f'[servers.deck]\ndsn = "{dsn}"\n\n[servers.corp]\ndsn = "{NOWHERE}"\n', "utf-8"
    )
    return path


# --- as a process ------------------------------------------------------------------------------


def test_deploy_says_what_it_did_and_then_that_there_is_nothing_to_do(
    empty_dsn: str, tmp_path: Path
) -> None:
    first = run("deploy", "--dsn", empty_dsn, folder=tmp_path)
    second = run("deploy", "--dsn", empty_dsn, folder=tmp_path)

    assert (first.returncode, second.returncode) == (0, 0)
    assert (first.stderr, second.stderr) == ("", "")
    for name in IDS:
        assert f"migration {name}" in first.stdout
    assert f"{len(IDS)} migrations applied" in first.stdout
    assert re.search(r"nothing to do \(tier \w+\)", second.stdout)


def test_an_unreachable_server_is_3_and_its_password_a_secret(tmp_path: Path) -> None:
    uri = f"postgresql://deployer:{SECRET}@127.0.0.1:1/agents"

    for arguments in (["deploy"], ["status"], ["status", "--json"]):
        done = run(*arguments, "--dsn", uri, folder=tmp_path, PGPASSWORD=SECRET)
        assert done.returncode == 3, done


def test_a_connection_string_that_cannot_be_read_keeps_its_password(tmp_path: Path) -> None:
    """libpq repeats what it does not understand."""
    for dsn in (
        f"postgresql://deployer:{SECRET}@127.0.0.1:port/agents",
        f"host=127.0.0.1 password={SECRET} pasword=x",
        f"postgresql://deployer:{SECRET}@[::1/agents",
        f"password={SECRET} host",
    ):
        assert run("deploy", "--dsn", dsn, folder=tmp_path).returncode in {2, 3}


def test_a_wrong_option_is_2(tmp_path: Path) -> None:
    done = run("deploy", "--no-such-option", folder=tmp_path)

    assert done.returncode == 2
    assert "--no-such-option" in done.stderr


def test_import_and_embed_fill_a_deployed_server(servers_toml: Path, db: Connection) -> None:
    folder = servers_toml.parent
    imported = run("import", "deck", SAMPLE, folder=folder)
    embedded = run("embed", "deck", "--provider", "hashing", folder=folder)

    assert imported.returncode == 0, imported
    assert "messages added, 0 already there, 0 skipped" in imported.stdout
    assert embedded.returncode == 0, embedded
    assert "lexical" in embedded.stdout
    assert one(db, "select count(*) from cto.blocks") > 0
    assert one(db, "select count(*) from cto.blocks where embedding is null") == 0


def test_embed_says_that_a_server_is_unreachable(servers_toml: Path) -> None:
    done = run("embed", "corp", "--provider", "hashing", folder=servers_toml.parent)

    assert done.returncode in {2, 3}
    assert done.stderr


def test_an_interrupt_leaves_without_a_traceback(tmp_path: Path) -> None:
    code = "import sys, signal; from cto import cli; cli.app = lambda: signal.raise_signal(2)"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; cli.main()"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 130
    assert done.stderr == ""


# --- deploy ------------------------------------------------------------------------------------


def test_version_and_help_are_0(call: Call) -> None:
    assert call("--version")[0] == 0
    code, shown, _ = call("--help")
    assert code == 0
    for command in ("deploy", "status", "import", "embed", "demo", "local"):
        assert command in shown


def test_deploy_without_a_name_lists_the_names(call: Call, servers_toml: Path) -> None:
    code, _, error = call("deploy")

    assert code == 2
    assert "deck, corp, local" in error


def test_deploy_of_an_unknown_name_lists_the_known_ones(call: Call, servers_toml: Path) -> None:
    code, _, error = call("deploy", "architect")

    assert code == 2
    assert "architect" in error
    assert "deck, corp, local" in error


@pytest.mark.parametrize(
    "arguments", [("deploy", "deck"), ("status", "deck"), ("import", "deck", SAMPLE)]
)
def test_without_servers_toml_a_name_is_unknown(call: Call, arguments: tuple[str, ...]) -> None:
    code, _, error = call(*arguments)

    assert code == 2
    assert "deck" in error


def test_all_needs_servers_toml(call: Call) -> None:
    code, _, error = call("deploy", "--all")

    assert code == 2
    assert "servers.toml" in error


def test_a_config_that_is_not_there_is_named(call: Call) -> None:
    code, _, error = call("status", "deck", "--config", "nowhere.toml")

    assert code == 2
    assert "nowhere.toml" in error


def test_a_name_and_a_dsn_at_once_are_refused(call: Call, servers_toml: Path, dsn: str) -> None:
    assert call("deploy", "deck", "--dsn", dsn)[0] == 2


def test_a_tier_that_does_not_exist_is_refused(call: Call, dsn: str) -> None:
    code, _, error = call("deploy", "--tier", "gold", "--dsn", dsn)

    assert code == 2
    assert "gold" in error
    assert "full or sql" in error


def test_servers_are_deployed_one_after_another_up_to_the_first_failure(
    call: Call, servers_toml: Path
) -> None:
    code, shown, error = call("deploy", "--all")

    assert code == 3
    assert "deck" in shown
    assert "nothing to do" in shown
    assert "cannot be reached" in error


def test_a_failed_deployment_is_1_with_its_remedy(call: Call, dsn: str, db: Connection) -> None:
    db.execute("insert into public._yoyo_migration values ('x', '9999_of_tomorrow', now())")

    code, _, error = call("deploy", "--dsn", dsn)

    assert code == 1
    assert "9999_of_tomorrow" in error
    assert "remedy:" in error


# --- status ------------------------------------------------------------------------------------


def test_status_in_order_is_0(call: Call, dsn: str) -> None:
    code, shown, error = call("status", "--dsn", dsn)

    assert (code, error) == (0, "")
    assert IDS[-1] in shown
    assert "applied" in shown
    assert "pending" not in shown


def test_status_of_an_empty_database_is_1(call: Call, empty_dsn: str) -> None:
    code, shown, _ = call("status", "--dsn", empty_dsn)

    assert code == 1
    assert shown.count("pending") == len(IDS)


def test_status_shows_what_was_changed_by_hand(call: Call, dsn: str, db: Connection) -> None:
    db.execute("alter function cto.key cost 77")

    code, shown, _ = call("status", "--dsn", dsn)

    assert code == 1
    assert "cto.key(text) is changed by hand" in shown


def test_status_with_one_server_down_is_3_and_still_shows_the_other(
    call: Call, servers_toml: Path
) -> None:
    code, shown, _ = call("status", "--all")

    assert code == 3
    assert "applied" in shown
    assert "unreachable" in shown


def test_status_as_json_is_one_document(call: Call, servers_toml: Path) -> None:
    code, shown, _ = call("status", "--all", "--json")

    found = json.loads(shown)
    assert code == 3
    assert found["deck"]["in_order"] is True
    assert found["deck"]["applied"] == IDS
    assert found["deck"]["pending"] == []
    assert found["corp"]["reachable"] is False


def test_status_as_json_of_an_empty_database_names_what_is_pending(
    call: Call, empty_dsn: str
) -> None:
    code, shown, _ = call("status", "--json", "--dsn", empty_dsn)

    assert code == 1
    assert json.loads(shown)["--dsn"]["pending"] == IDS


def test_a_database_that_does_not_exist_is_unreachable(call: Call, dsn: str) -> None:
    parts = conninfo_to_dict(dsn)

    code, shown, error = call("status", "--dsn", dsn.replace(str(parts["dbname"]), "no_such_db"))

    assert code == 3
    assert "no_such_db" in shown + error


# --- servers.toml ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[servers.deck", "servers.toml"),
        ('[servers.deck]\ndsn = "x" dsn = "y"', "servers.toml"),
        ('[servers.deck]\nservice = "deck"\npasword = "x"', "pasword"),
        (f'[servers.deck]\ndsn = "host=deck password={SECRET}"', "holds a password"),
        (f'[servers.deck]\ndsn = "postgresql://me:{SECRET}@deck/agents"', "holds a password"),
        (f'[servers.deck]\ndsn = "postgresql://deck/agents?password={SECRET}"', "holds a password"),
        ('[servers.deck]\ndsn = "host=deck"\nservice = "deck"', "either dsn or service"),
        ("[servers.deck]", "either dsn or service"),
        ('[servers.deck]\nservice = "deck"\ntier = "gold"', "gold"),
        ('[servers.deck]\nservice = "deck"\nlock_timeout = 5', "lock_timeout"),
        ('[servers.deck]\nservice = ""', "service"),
        ('[servers.deck]\ndsn = "nonsense"', "cannot be read"),
        ('[servers]\ndeck = "host=deck"', "deck"),
        ('servers = "deck"', "servers.toml"),
        ('[server.deck]\nservice = "deck"', "servers.toml"),
        ('[servers.deck]\nservice = "deck"\n\n[defaults]\ntier = "sql"', "servers.toml"),
    ],
)
def test_a_mistake_in_servers_toml_is_2_and_named(
    call: Call, tmp_path: Path, text: str, named: str
) -> None:
    (tmp_path / "servers.toml").write_text(text, "utf-8")

    code, shown, error = call("status", "deck")

    assert code == 2
    assert shown == ""
    assert named in error
    assert "remedy:" in error


def test_servers_toml_that_is_not_utf8_is_2(call: Call, tmp_path: Path) -> None:
    (tmp_path / "servers.toml").write_bytes(b'[servers.deck]\nservice = "\xff"')

    assert call("status", "deck")[0] == 2


def test_the_environment_names_another_servers_toml(
    call: Call, tmp_path: Path, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other.toml").write_text(f'[servers.other]\ndsn = "{dsn}"')
    monkeypatch.setenv("CTO_SERVERS", str(tmp_path / "other.toml"))

    assert call("status", "other")[0] == 0


def test_a_service_of_the_service_file_is_used(
    call: Call, tmp_path: Path, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = conninfo_to_dict(dsn)
    lines = "\n".join(f"{key}={value}" for key, value in parts.items())
    (tmp_path / "pg_service.conf").write_text(f"[deck]\n{lines}\n")
    (tmp_path / "servers.toml").write_text('[servers.deck]\nservice = "deck"')
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "pg_service.conf"))

    assert call("status", "deck")[0] == 0


def test_the_example_of_servers_toml_can_be_read(call: Call) -> None:
    code, _, error = call(
        "status", "nobody", "--config", database_files() / "examples" / "servers.toml"
    )

    assert code == 2
    assert "architect, deck, corp, local" in error


# --- import and local --------------------------------------------------------------------------


def test_import_reports_each_bad_line_and_is_1(
    call: Call, servers_toml: Path, db: Connection
) -> None:
    path = servers_toml.with_name("talk.jsonl")
    path.write_text('{"role": "user", "content": "Me llamo Ana"}\nnonsense\n', "utf-8")

    code, shown, error = call("import", "deck", path, "--context", "lunes", "--agent", "asistente")

    assert code == 1
    assert "skipped line 2: not JSON" in error
    assert "1 messages added" in shown
    assert one(db, "select count(*) from public.ia_messages") == 1


def test_import_strict_ends_at_the_bad_line(call: Call, servers_toml: Path, db: Connection) -> None:
    path = servers_toml.with_name("talk.jsonl")
    path.write_text('{"role": "user", "content": "Me llamo Ana"}\nnonsense\n', "utf-8")

    code, _, error = call(
        "import", "deck", path, "--context", "lunes", "--agent", "asistente", "--strict"
    )

    assert code == 1
    assert "line 2" in error
    assert one(db, "select count(*) from public.ia_messages") == 0


def test_import_of_a_file_that_is_not_there_is_2(call: Call, servers_toml: Path) -> None:
    code, _, error = call("import", "deck", "nowhere.jsonl")

    assert code == 2
    assert "nowhere.jsonl" in error


def test_import_into_an_empty_database_says_to_deploy(
    call: Call, tmp_path: Path, empty_dsn: str
) -> None:
    (tmp_path / "servers.toml").write_text(f'[servers.deck]\ndsn = "{empty_dsn}"')

    code, shown, error = call("import", "deck", SAMPLE)

    assert code != 0
    assert "cto deploy" in error
    assert "0 messages added" not in shown


def test_embed_on_an_empty_database_says_to_deploy(
    call: Call, tmp_path: Path, empty_dsn: str
) -> None:
    (tmp_path / "servers.toml").write_text(f'[servers.deck]\ndsn = "{empty_dsn}"')

    code, _, error = call("embed", "deck", "--provider", "hashing")

    assert code != 0
    assert "deploy" in error


@pytest.mark.parametrize("command", [["local", "dsn"], ["deploy", "local"], ["status", "local"]])
def test_a_local_server_that_does_not_run_is_2(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("CTO_LOCAL_DIR", str(tmp_path / "no-server"))

    code, _, error = call(*command)

    assert code == 2
    assert "cto local start" in error


def test_local_dsn_connects(call: Call, server: local.LocalServer) -> None:
    code, shown, _ = call("local", "dsn", "--directory", server.directory)

    assert code == 0
    with psycopg.connect(shown.strip()) as connection:
        assert one(connection, "select 1") == 1
