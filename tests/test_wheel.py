"""The wheel: installed where there is no checkout, it deploys."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from cto.resources import database_files

ROOT = database_files()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT],
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    """What is in it."""
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel; only the dependencies come from the running one."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    place = next((folder / "lib").glob("python*/site-packages"))
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install"),
            *("--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", wheel),
        ],
        check=True,
    )
    # A .pth file of another site-packages is not read, and so neither is that of the checkout.
    (place / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def run(
    environment: Path, folder: Path, program: str, *arguments: str | Path
) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [environment / "bin" / program, *arguments],
        cwd=folder,
        env=variables | {"COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_has_one_top_level_package(names: list[str]) -> None:
    tops = {name.partition("/")[0] for name in names}

    assert {top for top in tops if not top.endswith(".dist-info")} == {"cto"}


@pytest.mark.parametrize("folder", ["sql", "plpython", "migrations", "examples"])
def test_it_holds_every_file_of_the_database(names: list[str], folder: str) -> None:
    expected = {
        f"cto/database/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".sql", ".py", ".sha256", ".jsonl", ".toml"}
    }

    assert expected
    assert expected <= set(names)


def test_it_holds_the_vocabulary(names: list[str]) -> None:
    package = Path(__file__).parents[1] / "deploy"
    expected = {
        path.relative_to(package).as_posix()
        for path in (package / "cto" / "vocabulary").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert expected
    assert expected <= set(names)


def test_it_holds_the_licence(names: list[str]) -> None:
    kept = {name.rpartition("/")[2] for name in names if ".dist-info/licenses/" in name}

    assert kept == {"LICENSE", "NOTICE"}


def test_it_holds_nothing_that_was_made_by_running(names: list[str]) -> None:
    assert [name for name in names if "__pycache__" in name or name.endswith(".pyc")] == []


def test_it_holds_no_tests_and_no_settings(names: list[str]) -> None:
    assert [name for name in names if "tests/" in name or name.endswith("/servers.toml")] in (
        [],
        ["cto/database/examples/servers.toml"],
    )


def test_what_runs_is_the_installed_one(environment: Path, tmp_path: Path) -> None:
    done = run(
        environment,
        tmp_path,
        "python",
        "-c",
        "import cto, cto.resources; print(cto.__file__, cto.resources.database_files())",
    )

    package, files = map(Path, done.stdout.split())
    assert package.is_relative_to(environment)
    assert files.is_relative_to(environment)


def test_it_deploys_from_any_folder(environment: Path, tmp_path: Path, empty_dsn: str) -> None:
    deployed = run(environment, tmp_path, "cto", "deploy", "--dsn", empty_dsn)
    status = run(environment, tmp_path, "cto", "status", "--dsn", empty_dsn)

    assert (deployed.returncode, deployed.stderr) == (0, "")
    assert "migrations applied" in deployed.stdout
    assert (status.returncode, status.stderr) == (0, "")


def test_what_it_deploys_is_what_the_checkout_deploys(
    environment: Path, tmp_path: Path, dsn: str
) -> None:
    """Or an upgrade of the deployer would replace everything."""
    done = run(environment, tmp_path, "cto", "deploy", "--dsn", dsn)

    assert done.returncode == 0
    assert "nothing to do" in done.stdout


def test_it_counts_tokens_with_its_own_vocabulary(environment: Path, tmp_path: Path) -> None:
    done = run(
        environment,
        tmp_path,
        "python",
        "-c",
        "from cto.tokens import count_tokens; print(count_tokens('hello world'))",
    )

    assert (done.stdout, done.stderr) == ("2\n", "")
