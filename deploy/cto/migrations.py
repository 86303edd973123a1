"""The migrations of this release, in yoyo's file format and order."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import yoyo
from yoyo.migrations import Migration as YoyoMigration
from yoyo.migrations import get_migration_hash, read_sql_migration, topological_sort

from cto.errors import DeployError
from cto.resources import database_files

CHECKSUMS = "released.sha256"


@dataclass(frozen=True)
class Migration:
    """One migration: the statements that apply it and those that undo it."""

    id: str
    path: Path
    transactional: bool
    statements: tuple[str, ...]
    rollback_statements: tuple[str, ...]
    sha256: str

    @property
    def rollback_path(self) -> Path:
        """Where yoyo looks for the rollback."""
        return self.path.with_suffix(".rollback.sql")

    @property
    def yoyo_hash(self) -> str:
        """The key of yoyo's ledger: a hash of the name alone."""
        return str(get_migration_hash(self.id))


def read_migrations(folder: Path | None = None) -> list[Migration]:
    """Read the migrations, sorted so that each stands behind those it depends on.

    Raises DeployError when a file that was released has been edited.
    """
    folder = folder or database_files() / "migrations"
    found = yoyo.read_migrations(str(folder))
    migrations = [_read(migration) for migration in topological_sort(found)]
    released = read_checksums(folder)
    for migration in migrations:
        for path in (migration.path, migration.rollback_path):
            if not path.is_file():
                raise DeployError(
                    f"The migration {migration.id} has no rollback.", f"Write {path.name}."
                )
            if released.get(path.name) not in {None, checksum(path)}:
                raise DeployError(
                    f"The released migration {migration.id} was edited: {path.name}.",
                    "Restore the file and mend what it did in a new migration.",
                )
    return migrations


def read_checksums(folder: Path) -> dict[str, str]:
    """Read the SHA-256 of every released file, by file name."""
    lines = (folder / CHECKSUMS).read_text("utf-8").splitlines()
    return {name: checksum for checksum, name in (line.split("  ", 1) for line in lines if line)}


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file's text, whatever its line ends are on this machine."""
    return hashlib.sha256(path.read_text("utf-8").encode()).hexdigest()


def _read(migration: YoyoMigration) -> Migration:
    path = Path(migration.path)
    directives, _, statements = read_sql_migration(str(path))
    _, _, rollback_statements = read_sql_migration(str(path.with_suffix(".rollback.sql")))
    return Migration(
        id=migration.id,
        path=path,
        transactional=directives.get("transactional", "true").lower() == "true",
        statements=tuple(statements),
        rollback_statements=tuple(rollback_statements),
        sha256=checksum(path),
    )
