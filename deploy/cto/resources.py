"""Where the SQL, PL/Python and migration files of this release are."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def database_files() -> Path:
    """Return the folder that holds sql/, plpython/ and migrations/.

    A wheel carries them inside the package; in a checkout they stand at its top.
    """
    installed = _PACKAGE / "database"
    return installed if installed.is_dir() else _PACKAGE.parents[1]
