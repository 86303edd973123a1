"""What a login that is a member of one group role can do, and what nobody may make it do."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from conftest import one
from psycopg import sql
from test_catalog import VIEWS

Connection = psycopg.Connection[tuple[Any, ...]]
As = Callable[[str], Any]

_numbers = itertools.count()


@pytest.fixture
def as_member(db: Connection) -> As:
    """Work as a role that is a member of one group role and nothing else."""

    @contextmanager
    def work(group: str) -> Iterator[Connection]:
        name = sql.Identifier(f"test_member_{next(_numbers)}")
        with db.transaction(force_rollback=True):
            db.execute(sql.SQL("create role {} in role {}").format(name, sql.Identifier(group)))
            db.execute(sql.SQL("set local role {}").format(name))
            yield db

    return work


def test_an_agent_can_log_remember_select_and_explain(as_member: As) -> None:
    with as_member("cto_agent") as db:
        db.execute("select cto.log_message('c', 'user', 'Vivo en Lima.', 'bot', 'ana')")
        db.execute("select cto.log_message('c', 'assistant', 'Bien.', session_id => 's')")
        db.execute("select cto.log_tool_call('c', 'search', '{}', 'out', 5)")
        block = one(db, "select cto.remember('ana', 'Prefiero el té', 'preference')")
        db.execute("select cto.pin('ana', 's', %s)", (block,))
        assert "Prefiero el té" in one(db, "select cto.render_context('ana', 's', 'té')")
        assert one(db, "select count(*) from cto.select_context('ana', 's', 'Lima')") >= 1
        assert one(db, "select count(*) from cto.explain_context('ana', 's')") >= 1
        assert one(db, "select count(*) from cto.extract_blocks('Vivo en Lima con Eva.')") == 1
        db.execute("select cto.unpin('ana', 's', %s)", (block,))
        assert one(db, "select message_count from public.ia_context_summary") == 2


@pytest.mark.parametrize(
    "statement",
    [
        "select cto.set_algorithm('selector', '{}')",
        "select cto.use_model('x', 3)",
        "select * from cto.claim_embeddings('w')",
        "delete from cto.blocks",
        "update cto.algorithms set enabled = false",
        "select * from cto.algorithm_history",
    ],
)
def test_an_agent_can_do_no_more(as_member: As, statement: str) -> None:
    with (
        pytest.raises(psycopg.errors.InsufficientPrivilege),
        as_member("cto_agent") as db,
    ):
        db.execute(statement.encode())


def test_an_administrator_can_configure_and_maintain(as_member: As) -> None:
    with as_member("cto_admin") as db:
        db.execute("select cto.set_algorithm('selector', '{\"budget_tokens\": 100}')")
        db.execute("select cto.remember('ana', 'Vivo en Lima')")
        db.execute("select cto.log_message('c', 'user', 'Hola a todos.', 'bot')")
        db.execute("update public.ia_messages set token_count = 5")
        db.execute("delete from public.ia_contexts")
        for call in ("backfill_blocks()", "fold_accesses()", "enqueue_missing()"):
            db.execute(f"select cto.{call}".encode())
        db.execute("select cto.requeue_embeddings()")
        db.execute("select cto.use_model('m', 3)")
        db.execute("select * from cto.block_summary, cto.embedding_status")
        db.execute("select * from public._yoyo_migration, public._cto_object")


def test_a_reporter_reads_and_writes_nothing(as_member: As) -> None:
    with as_member("cto_report") as db:
        for view in VIEWS:
            db.execute(f"select * from {view}".encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("select cto.remember('ana', 'x')")


def test_a_better_matching_function_elsewhere_is_never_called(db: Connection) -> None:
    """Whoever may create in public, where pgvector is, must not run code as the deployer."""
    db.execute(
        """
        create table public.trapped (who text);
        create function public.cardinality(text[]) returns integer language plpgsql as $$
            begin insert into public.trapped values ('text[]'); return 1; end $$;
        create function public.cardinality(smallint[]) returns integer language plpgsql as $$
            begin insert into public.trapped values ('smallint[]'); return 1; end $$;
        """
    )
    db.execute("select cto.remember('ana', 'Vivo en Lima')")
    ((owner, block, *_),) = db.execute("select * from cto.claim_embeddings('w')").fetchall()
    db.execute(
        "select cto.store_embeddings('w', 'm', 3, %s::text[], %s::text[],"
        " array['[1,2,3]']::public.vector[])",
        ([owner], [block]),
    )
    db.execute("select * from cto.select_context('ana', 's', 'Lima', '[1,2,3]')")
    assert one(db, "select count(*) from public.trapped") == 0


def test_no_function_has_a_schema_on_its_path_that_others_may_create_in(db: Connection) -> None:
    paths = db.execute(
        """
        select distinct s.setting
        from pg_proc as p
        cross join unnest(p.proconfig) as s (setting)
        where p.pronamespace = 'cto'::regnamespace and s.setting like 'search_path=%%'
        """
    ).fetchall()
    assert paths == [("search_path=pg_catalog, pg_temp",)]


def test_a_plain_update_of_a_configuration_is_checked_and_kept(db: Connection) -> None:
    config = json.dumps({"max_block_size": 0})
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="max_block_size"):
        db.execute("update cto.algorithms set config = %s where name = 'extractor'", (config,))
    before = one(db, "select count(*) from cto.algorithm_history")
    db.execute("update cto.algorithms set enabled = false where name = 'extractor'")
    assert one(db, "select count(*) from cto.algorithm_history") == before + 1


def test_another_model_can_be_chosen_and_its_vectors_are_queued(db: Connection) -> None:
    db.execute(
        "insert into cto.blocks (hash, owner_id, block_type, content, embedding, embedding_model)"
        " values (encode(sha256('x y'), 'hex'), cto.key('ana'), 'fact', 'x y',"
        " array_fill(0.1, array[1536])::vector, 'first')"
    )
    assert one(db, "select name from cto.embedding_models where is_current") == "first"
    assert one(db, "select cto.use_model('second', 3)") == 1
    assert one(db, "select name from cto.embedding_models where is_current") == "second"
    assert one(db, "select count(*) from cto.embedding_jobs") == 1
    with pytest.raises(psycopg.errors.UndefinedObject, match="third"):
        db.execute("select cto.use_model('third')")


def test_a_query_vector_of_other_dimensions_is_refused(db: Connection) -> None:
    db.execute("select cto.use_model('m', 3)")
    db.execute("select cto.remember('ana', 'Vivo en Lima')")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="dimensions"):
        db.execute("select * from cto.score_blocks('ana', 'x', '[1,2]')")


def test_the_end_of_a_long_message_is_kept(db: Connection) -> None:
    db.execute(
        "select cto.set_algorithm('extractor', config || '{\"extraction_mode\": \"message\"}')"
        " from cto.algorithms where name = 'extractor'"
    )
    content = "x" * 499 + " PIN 4711"
    rows = db.execute("select content from cto.extract_blocks(%s)", (content,)).fetchall()
    assert "4711" in rows[-1][0]


@pytest.mark.parametrize(("one_text", "other"), [("Uses C++", "Uses C#"), ("It is $5", "It is 5%")])
def test_marks_that_tell_things_apart_are_not_folded(
    db: Connection, one_text: str, other: str
) -> None:
    assert not one(db, "select cto.fold_text(%s) = cto.fold_text(%s)", one_text, other)


def _store(connection: Connection, worker: str, model: str) -> int:
    jobs = connection.execute("select * from cto.claim_embeddings(%s, 1)", (worker,)).fetchall()
    stored: int = one(
        connection,
        "select cto.store_embeddings(%s, %s, 2, %s::text[], %s::text[], array['[1,2]']::vector[])",
        worker,
        model,
        [job[0] for job in jobs],
        [job[1] for job in jobs],
    )
    return stored


@pytest.mark.parametrize("models", [("a", "a"), ("a", "b")], ids=["the same", "two"])
def test_two_workers_may_store_the_first_vectors_at_once(dsn: str, models: tuple[str, str]) -> None:
    with (
        psycopg.connect(dsn) as first,
        psycopg.connect(dsn, autocommit=True) as second,
        ThreadPoolExecutor(1) as threads,
    ):
        second.execute("select cto.remember('ana', 'uno')")
        second.execute("select cto.remember('ana', 'dos')")
        assert _store(first, "w1", models[0]) == 1
        other = threads.submit(_store, second, "w2", models[1])
        with psycopg.connect(dsn, autocommit=True) as watch:
            while not other.done() and not one(
                watch, "select count(*) from pg_locks where not granted"
            ):
                pass
        first.commit()
        assert other.result(timeout=30) == 1
        assert one(second, "select name from cto.embedding_models where is_current") == "a"


def test_one_statement_may_bring_the_vectors_of_two_models(db: Connection) -> None:
    db.execute(
        "insert into cto.blocks (hash, owner_id, block_type, content, embedding, embedding_model)"
        " select encode(sha256(m::bytea), 'hex'), cto.key('ana'), 'fact', m,"
        " array_fill(0.1, array[1536])::vector, m from unnest(array['a', 'b']) as m"
    )
    assert one(db, "select count(*) from cto.embedding_models where is_current") == 1
    assert one(db, "select count(*) from cto.embedding_models") == 2
