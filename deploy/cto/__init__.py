"""cto: the context manager for AI agents that lives in PostgreSQL.

This package is the deployer and the embedding worker; everything that scores, selects and
consolidates is SQL and PL/Python inside the database.
"""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("cto-context")
except PackageNotFoundError:  # run from a checkout that was never installed
    __version__ = "0+unknown"
