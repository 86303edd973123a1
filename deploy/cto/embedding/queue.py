"""The worker's side of the SQL contract: every call is one short transaction of its own.

No method leaves a transaction open, so none is open while an embeddings API is called. Each bears
being done twice: jobs claimed twice come back when their lease ends, and vectors are stored only
for jobs that are held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from psycopg import sql

from cto.connection import Connection
from cto.embedding.batches import Row
from cto.embedding.session import NotDeployedError, Session


@dataclass(frozen=True)
class Backlog:
    """How many jobs there are: `open` wait or are leased, `dead` were given up."""

    open: int
    dead: int


@dataclass
class Queue:
    """The embedding jobs of one database, as the worker of this name sees them.

    `worker` holds the leases and must be unique.
    """

    session: Session
    worker: str
    _vector: sql.Identifier | None = None

    def enqueue_missing(self) -> int:
        """Queue every live block without a vector; return how many were new."""
        return int(self._first("select cto.enqueue_missing()"))

    def claim(self, max_items: int, lease: timedelta) -> list[Row]:
        """Lease up to so many jobs for so long."""

        def work(connection: Connection) -> list[Row]:
            rows = connection.execute(
                """
                select c.owner_id, c.block_hash, c.content, c.attempts
                from cto.claim_embeddings(worker => %s, max_items => %s, lease => %s) as c
                """,
                (self.worker, max_items, lease),
            )
            return [Row(*row) for row in rows]

        return self.session.transaction(work)

    def store(
        self,
        model: str,
        rows: Sequence[Row],
        vectors: Sequence[Sequence[float]],
        token_counts: Sequence[int],
    ) -> int:
        """Store one vector and one exact token count a row; return how many rows we still held."""
        query = sql.SQL(
            """
            select cto.store_embeddings(
                worker => %s, model => %s, dimensions => %s, owner_ids => %s, block_hashes => %s,
                embeddings => %s::text[]::{vector}[], token_counts => %s::integer[]
            )
            """
        ).format(vector=self._vector_type())
        texts = ["[" + ",".join(map(repr, vector)) + "]" for vector in vectors]
        owners = [row.owner_id for row in rows]
        hashes = [row.block_hash for row in rows]
        return int(
            self._first(
                query,
                self.worker,
                model,
                len(vectors[0]),
                owners,
                hashes,
                texts,
                list(token_counts),
            )
        )

    def give_back(
        self,
        rows: Sequence[Row],
        error: str,
        *,
        is_final: bool = False,
        retry_after: float = 0.0,
        counts: bool = True,
    ) -> int:
        """Give jobs back with the reason; return how many of them we still held.

        is_final: never try again. retry_after: in seconds. counts: whether the attempt counts.
        """
        return int(
            self._first(
                """
                select cto.fail_embeddings(
                    worker => %s, owner_ids => %s, block_hashes => %s, error => %s,
                    is_final => %s, retry_after => %s, counts => %s
                )
                """,
                self.worker,
                [row.owner_id for row in rows],
                [row.block_hash for row in rows],
                error,
                is_final,
                timedelta(seconds=retry_after),
                counts,
            )
        )

    def backlog(self) -> Backlog:
        """Count the jobs."""

        def work(connection: Connection) -> Backlog:
            row = connection.execute(
                """
                select
                    count(*) filter (where j.state <> 'dead'),
                    count(*) filter (where j.state = 'dead')
                from cto.embedding_jobs as j
                """
            ).fetchone()
            return Backlog(*(row or (0, 0)))

        return self.session.transaction(work)

    def dimensions_of(self, model: str) -> int | None:
        """Return the dimensions of the vectors that are stored under this name, if there are."""
        found: int | None = self._first(
            "select m.dimensions from cto.embedding_models as m where m.name = %s", model
        )
        return found

    def current_model(self) -> str | None:
        """Return the model whose vectors queries are compared with, if one was chosen yet."""
        found: str | None = self._first(
            "select m.name from cto.embedding_models as m where m.is_current"
        )
        return found

    def _vector_type(self) -> sql.Identifier:
        """Return the vector type with the schema it lives in here, which no search path may hide.

        A table or view called vector has a type of that name too: only the base type counts.
        """
        if self._vector is None:
            schema = self._first(
                """
                select n.nspname
                from pg_catalog.pg_type as t
                inner join pg_catalog.pg_namespace as n on n.oid = t.typnamespace
                where t.typname = 'vector' and t.typtype = 'b'
                    and exists (
                        select from pg_catalog.pg_depend as d
                        inner join pg_catalog.pg_extension as e on e.oid = d.refobjid
                        where d.objid = t.oid and d.deptype = 'e' and e.extname = 'vector'
                    )
                """
            )
            if schema is None:
                raise NotDeployedError(
                    "The extension vector is not installed in this database.",
                    "Run cto deploy first.",
                )
            self._vector = sql.Identifier(schema, "vector")
        return self._vector

    def _first(self, query: str | sql.Composed, *arguments: object) -> Any:
        """Run one statement in a transaction of its own and return the first value, if any."""

        def work(connection: Connection) -> Any:
            row = connection.execute(query, arguments).fetchone()
            return None if row is None else row[0]

        return self.session.transaction(work)
