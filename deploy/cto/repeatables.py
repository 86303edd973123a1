"""The repeatable objects: routines, triggers and views that every deployment may replace."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from cto.errors import DeployError
from cto.resources import database_files

# In sql/ and plpython/*.sql the word `extensions` is the schema of pgvector, wherever that is.
# Names are qualified with it and it stands in no search path: whoever may create in it could put
# something better-matching before what PostgreSQL brings.
_QUALIFIER = re.compile(r"\bextensions\.(?=vector|halfvec|l2_normalize|<|=)")
_MODULE = re.compile(r"^(?P<indent>[ \t]*):module[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Extensions:
    """The schemas that hold the extensions: the one of vector first, then any others."""

    vector: str
    others: tuple[str, ...] = ()

    @property
    def search_path(self) -> str:
        """The schemas as a part of a search path, quoted."""
        return ", ".join(quote(schema) for schema in (self.vector, *self.others))


@dataclass(frozen=True)
class Repeatable:
    """One file, ready to be sent: `sql` has the server's schemas and the Python source in it."""

    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """The hash of what is sent, so that another schema or tier counts as a change."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def read_repeatables(
    extensions: Extensions, tier: str, folder: Path | None = None
) -> list[Repeatable]:
    """Read the files in the order in which they are applied.

    roles.sql first (the grants name its roles), then drops.sql, plpython/ (tier `full` only),
    functions/, triggers/ and views/.
    """
    folder = folder or database_files()
    paths = [folder / "sql" / "roles.sql", folder / "sql" / "drops.sql"]
    if tier == "full":
        paths += sorted((folder / "plpython").glob("*.sql"))
    for kind in ("functions", "triggers", "views"):
        paths += sorted((folder / "sql" / kind).glob("*.sql"))
    return [
        Repeatable(path.relative_to(folder).as_posix(), _render(path, extensions)) for path in paths
    ]


def quote(identifier: str) -> str:
    """Quote an SQL identifier."""
    return '"' + identifier.replace('"', '""') + '"'


def _render(path: Path, extensions: Extensions) -> str:
    text = path.read_text("utf-8")
    if path.parent.name == "plpython":
        text = _embed_module(text, path.with_suffix(".py"))
    return _QUALIFIER.sub(lambda _: quote(extensions.vector) + ".", text)


def _embed_module(text: str, module: Path) -> str:
    """Put the module's source in the place of `:module`.

    The function compiles it under the file's own name, so a traceback names the real file and line.
    The source is a string literal inside the dollar quotes, which therefore must not occur in it.
    """
    match = _MODULE.search(text)
    if match is None:
        raise DeployError(
            f"plpython/{module.stem}.sql has no line `:module`.",
            "Put it where the module's names are needed first.",
        )
    source = module.read_text("utf-8")
    if "$python$" in source:
        raise DeployError(
            f"plpython/{module.name} contains $python$, which ends the function's body.",
            "Write it in two parts.",
        )
    indent = match["indent"]
    # PL/Python indents every line of a body by a tab; inside a literal that would change the
    # source. repr() keeps it on one line, so the line numbers stay the file's own.
    # A real module, because dataclasses look theirs up by name.
    name = f"cto_plpython_{module.stem}"
    code = "\n".join(
        indent + line
        for line in (
            "import sys, types",
            f'sys.modules["{name}"] = types.ModuleType("{name}")',
            f'module = vars(sys.modules["{name}"])',
            f'exec(compile({source!r}, "plpython/{module.name}", "exec"), module)',
        )
    )
    return text[: match.start()] + code + text[match.end() :]
