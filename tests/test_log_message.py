"""cto.log_message: one turn, one transaction: context, message, blocks, jobs and metrics."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from conftest import Connection, _janitor, one
from psycopg.types.json import Jsonb

from cto.local import LocalServer

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SENTENCE = "Vivo en Logroño con mi hermana Begoña desde 2019."
FORMATS = ["markdown", "plain", "xml", "json"]

EVERYTHING_WRITTEN = """
select
    (select count(*) from public.ia_contexts), (select count(*) from public.ia_messages),
    (select count(*) from public.ia_context_metrics), (select count(*) from cto.blocks),
    (select count(*) from cto.embedding_jobs)
"""

METRICS = """
select m.total_messages, m.total_tokens, m.total_tool_calls, m.last_activity
from public.ia_context_metrics as m where m.context_id = %s
"""

COUNTED = """
select
    (select count(*) from public.ia_messages as m where m.context_id = c.context_id),
    (select coalesce(sum(m.token_count), 0) from public.ia_messages as m
     where m.context_id = c.context_id),
    (select count(*) from public.ia_tool_calls as t where t.context_id = c.context_id),
    greatest(
        (select max(m.timestamp) from public.ia_messages as m where m.context_id = c.context_id),
        (select max(t.timestamp) from public.ia_tool_calls as t where t.context_id = c.context_id))
from public.ia_contexts as c where c.context_id = %s
"""


@pytest.fixture(scope="module")
def database(server: LocalServer, template: str) -> Iterator[Connection]:
    with (
        _janitor(server, "test_log_message", template),
        psycopg.connect(server.dsn("test_log_message"), autocommit=True) as connection,
    ):
        # One block a message, on every tier.
        set_extractor(connection, extraction_mode="message")
        yield connection


@pytest.fixture
def db(database: Connection) -> Iterator[Connection]:
    """The file's database, in a transaction that is rolled back after the test."""
    with database.transaction(force_rollback=True):
        yield database


def set_extractor(db: Connection, **keys: Any) -> None:
    db.execute("select cto.set_algorithm('extractor', %s)", (Jsonb(keys),))


def log(db: Connection, context_id: str | None = "chat", **arguments: Any) -> int:
    given: dict[str, Any] = {
        "context_id": context_id,
        "role": "user",
        "content": SENTENCE,
        "agent_name": "helper",
        **arguments,
    }
    names = ", ".join(f"{name} => %({name})s" for name in given)
    row = db.execute(f"select cto.log_message({names})".encode(), given).fetchone()
    assert row is not None
    return int(row[0])


def log_at(db: Connection, role: str, at: datetime, **arguments: Any) -> int:
    return log(db, role=role, at=at, **arguments)


def assert_metrics_are_what_counting_gives(db: Connection, *context_ids: str) -> None:
    for context_id in context_ids:
        stored = db.execute(METRICS, (context_id,)).fetchone()
        assert stored == db.execute(COUNTED, (context_id,)).fetchone(), context_id


# --- what a message leaves ----------------------------------------------------------------


def test_opens_the_context_on_the_first_message(db: Connection) -> None:
    log(db, user_id="ana", session_id="tuesday", at=MONDAY)
    assert db.execute(
        """
        select context_id, agent_name, user_id, session_id, created_at, status
        from public.ia_contexts
        """
    ).fetchall() == [("chat", "helper", "ana", "tuesday", MONDAY, "active")]


def test_returns_the_id_of_the_message(db: Connection) -> None:
    ids = [log(db, content=f"El mensaje {number}") for number in range(3)]
    assert [row[0] for row in db.execute("select id from public.ia_messages order by id")] == ids


def test_the_message_is_stored_as_given(db: Connection) -> None:
    log(db, role="assistant", token_count=7, model="m-1", metadata=Jsonb({"a": 1}), at=MONDAY)
    assert db.execute(
        "select role, content, token_count, model, metadata, timestamp from public.ia_messages"
    ).fetchone() == ("assistant", SENTENCE, 7, "m-1", {"a": 1}, MONDAY)


def test_the_token_count_is_estimated_unless_given(db: Connection) -> None:
    log(db)
    assert one(db, "select token_count = cto.estimate_tokens(content) from public.ia_messages")


def test_a_block_knows_the_message_that_it_comes_from(db: Connection) -> None:
    message_id = log(db, at=MONDAY)
    assert db.execute(
        "select content, source_hash, metadata, created_at, last_said_at from cto.blocks"
    ).fetchall() == [
        (
            SENTENCE,
            hashlib.sha256(SENTENCE.encode()).hexdigest(),
            {"message_id": message_id},
            MONDAY,
            MONDAY,
        )
    ]


def test_blocks_wait_for_their_vectors(db: Connection) -> None:
    log(db)
    assert one(db, "select count(*) from cto.embedding_jobs where state = 'waiting'") == 1


def test_the_pieces_of_a_message_keep_their_order(db: Connection) -> None:
    set_extractor(db, extraction_mode="message", max_block_size=60)
    log(db, content=" ".join(f"Esta es la frase número {number}." for number in range(20)))
    pieces = [
        row[0] for row in db.execute("select content from cto.blocks order by created_at, ordinal")
    ]
    assert len(pieces) > 5
    assert " ".join(pieces) == one(db, "select content from public.ia_messages")


@pytest.mark.parametrize(
    ("names", "owner"),
    [({"user_id": "ana"}, "ana"), ({}, "helper")],
    ids=["user_id", "agent_name where there is no user_id"],
)
def test_the_owner_is_the_user_or_else_the_agent(
    db: Connection, names: dict[str, str], owner: str
) -> None:
    log(db, **names)
    assert one(db, "select owner_id = cto.key(%s) from cto.blocks", owner)


@pytest.mark.parametrize(
    ("names", "session"),
    [({"session_id": "tuesday"}, "tuesday"), ({}, "chat")],
    ids=["session_id", "context_id where there is no session_id"],
)
def test_the_session_is_the_session_or_else_the_context(
    db: Connection, names: dict[str, str], session: str
) -> None:
    log(db, **names)
    assert one(db, "select session_hash = cto.key(%s) from cto.blocks", session)


def test_later_messages_need_no_names_and_keep_the_owner(db: Connection) -> None:
    log(db, user_id="ana", session_id="tuesday")
    log(db, agent_name=None, content="Trabajo en una panadería de noche.")
    assert one(db, "select count(*) from cto.blocks where owner_id = cto.key('ana')") == 2
    assert one(db, "select count(distinct session_hash) from cto.blocks") == 1


def test_the_same_message_again_is_a_second_message_and_no_second_block(db: Connection) -> None:
    log(db, at=MONDAY)
    log(db, at=MONDAY + timedelta(hours=1))
    assert one(db, "select count(*) from public.ia_messages") == 2
    assert db.execute("select created_at, last_said_at from cto.blocks").fetchall() == [
        (MONDAY, MONDAY + timedelta(hours=1))
    ]


@pytest.mark.parametrize("role", ["user", "assistant", "system", "tool"])
def test_users_and_assistants_are_remembered_unless_told_otherwise(
    db: Connection, role: str
) -> None:
    log(db, role=role)
    assert one(db, "select count(*) from public.ia_messages") == 1
    assert one(db, "select count(*) from cto.blocks") == (role in {"user", "assistant"})


@pytest.mark.parametrize("role", ["user", "assistant", "system", "tool"])
def test_extract_roles_says_whose_messages_are_remembered(db: Connection, role: str) -> None:
    set_extractor(db, extraction_mode="message", extract_roles=["system", "tool"])
    log(db, role=role)
    assert one(db, "select count(*) from cto.blocks") == (role in {"system", "tool"})


def test_with_the_extractor_switched_off_messages_are_logged_and_nothing_is_remembered(
    db: Connection,
) -> None:
    db.execute("update cto.algorithms set enabled = false where name = 'extractor'")
    log(db)
    assert db.execute(EVERYTHING_WRITTEN).fetchone() == (1, 1, 1, 0, 0)


# --- one transaction ----------------------------------------------------------------------


def test_a_rollback_leaves_nothing(db: Connection) -> None:
    before = db.execute(EVERYTHING_WRITTEN).fetchone()
    with db.transaction(force_rollback=True):
        log(db)
        assert db.execute(EVERYTHING_WRITTEN).fetchone() == (1, 1, 1, 1, 1)
    assert db.execute(EVERYTHING_WRITTEN).fetchone() == before


@pytest.mark.parametrize(
    ("relation", "rule"),
    [
        ("cto.embedding_jobs", "check (false)"),
        ("cto.blocks", "check (false)"),
        ("public.ia_context_metrics", "check (total_messages < 1)"),
    ],
)
def test_when_one_part_fails_nothing_of_the_others_is_left(
    db: Connection, relation: str, rule: str
) -> None:
    db.execute(f"alter table {relation} add constraint broken {rule}".encode())
    with pytest.raises(psycopg.errors.CheckViolation), db.transaction():
        log(db)
    assert db.execute(EVERYTHING_WRITTEN).fetchone() == (0, 0, 0, 0, 0)


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("null context", {"context_id": None}, "22004", "context_id is null"),
    ("blank context", {"context_id": " "}, "22023", "context_id is blank"),
    ("long context", {"context_id": "x" * 256}, "22001", "context_id has 256"),
    ("new context, no agent", {"agent_name": None}, "22004", "agent_name is null"),
    ("blank agent", {"agent_name": ""}, "22023", "agent_name is blank"),
    ("long agent", {"agent_name": "x" * 101}, "22001", "agent_name has 101"),
    ("blank user", {"user_id": ""}, "22023", "user_id is blank"),
    ("long user", {"user_id": "x" * 101}, "22001", "user_id has 101"),
    ("blank session", {"session_id": "\t"}, "22023", "session_id is blank"),
    ("long session", {"session_id": "x" * 256}, "22001", "session_id has 256"),
    ("null content", {"content": None}, "22023", "content is empty or blank"),
    ("blank content", {"content": " \n"}, "22023", "content is empty or blank"),
    ("long content", {"content": "x" * 250_001}, "22001", "250001"),
    ("unknown role", {"role": "developer"}, "22023", "'developer'"),
    ("role in capitals", {"role": "User"}, "22023", "'User'"),
    ("null role", {"role": None}, "22023", "null"),
    ("tokens below 0", {"token_count": -5}, "22023", "-5"),
    ("long model", {"model": "x" * 101}, "22001", "model has 101"),
    ("metadata a list", {"metadata": Jsonb([1])}, "22023", r"\[1\]"),
    ("null at", {"at": None}, "22023", "at is null"),
    ("at infinity", {"at": "infinity"}, "22023", "infinity"),
    ("upper-case key as user", {"user_id": "A" * 64}, "22023", "A" * 64),
]


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "message"),
    [case[1:] for case in REFUSED],
    ids=[case[0] for case in REFUSED],
)
def test_what_cannot_be_logged_is_refused_and_nothing_is_written(
    db: Connection, arguments: dict[str, Any], sqlstate: str, message: str
) -> None:
    with pytest.raises(psycopg.Error, match=message) as caught, db.transaction():
        log(db, **arguments)
    assert caught.value.sqlstate == sqlstate
    assert caught.value.diag.message_hint
    assert db.execute(EVERYTHING_WRITTEN).fetchone() == (0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("text", "error"),
    [("a\0b", psycopg.DataError), ("a\ud800b", UnicodeEncodeError)],
    ids=["NUL", "lone surrogate"],
)
def test_what_postgresql_cannot_hold_is_an_error_and_nothing_is_written(
    db: Connection, text: str, error: type[Exception]
) -> None:
    with pytest.raises(error), db.transaction():
        log(db, content=text)
    assert db.execute(EVERYTHING_WRITTEN).fetchone() == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("name", ["agent_name", "user_id", "session_id"])
def test_a_name_that_contradicts_the_context_is_refused(db: Connection, name: str) -> None:
    log(db, user_id="ana", session_id="tuesday")
    before = db.execute(EVERYTHING_WRITTEN).fetchone()
    with (
        pytest.raises(psycopg.errors.InvalidParameterValue, match="'chat'") as caught,
        db.transaction(),
    ):
        log(db, **{"content": "Trabajo en una panadería.", name: "another"})
    assert "ana" in (caught.value.diag.message_detail or "")
    assert caught.value.diag.message_hint
    assert db.execute(EVERYTHING_WRITTEN).fetchone() == before


# --- metrics ------------------------------------------------------------------------------


def fill(db: Connection) -> None:
    """Two contexts with messages and tool calls."""
    for context_id in ("chat", "other"):
        for number in range(4):
            message_id = log(
                db,
                context_id,
                role="user" if number % 2 == 0 else "assistant",
                content=f"Este es el mensaje número {number} de {context_id}.",
                at=MONDAY + timedelta(seconds=number * 10),
            )
            db.execute(
                "select cto.log_tool_call(%s, 'search', message_id => %s, at => %s)",
                (context_id, message_id, MONDAY + timedelta(seconds=number * 10 + 3)),
            )


def test_the_first_message_counts_its_tokens(db: Connection) -> None:
    log(db, token_count=11)
    assert one(db, "select total_tokens from public.ia_context_metrics") == 11


def test_metrics_are_what_counting_gives_after_logging(db: Connection) -> None:
    fill(db)
    assert_metrics_are_what_counting_gives(db, "chat", "other")


@pytest.mark.parametrize(
    "change",
    [
        "insert into ia_messages (context_id, role, content, token_count)"
        " values ('chat', 'user', 'a', 5), ('other', 'user', 'b', 6), ('chat', 'tool', 'c', null)",
        "update ia_messages set token_count = token_count + 100",
        "update ia_messages set token_count = null where role = 'user'",
        "update ia_messages set timestamp = timestamp - interval '1 day'",
        "update ia_messages set context_id = 'other' where context_id = 'chat'",
        "update ia_messages set context_id = 'chat' where id = (select max(id) from ia_messages)",
        "delete from ia_messages where role = 'user'",
        "delete from ia_messages where context_id = 'chat'",
        "delete from ia_messages",
        "update ia_tool_calls set context_id = 'other' where context_id = 'chat'",
        "update ia_tool_calls set timestamp = timestamp + interval '1 day'",
        "delete from ia_tool_calls where context_id = 'chat'",
        "truncate ia_tool_calls",
        "truncate ia_messages cascade",
    ],
)
def test_metrics_are_what_counting_gives_after(db: Connection, change: str) -> None:
    fill(db)
    db.execute("set local search_path = public")
    db.execute(change.encode())
    assert_metrics_are_what_counting_gives(db, "chat", "other")


def test_metrics_are_what_counting_gives_after_a_bulk_load(db: Connection) -> None:
    fill(db)
    columns = "(context_id, role, content, token_count, timestamp)"
    with db.cursor().copy(f"copy public.ia_messages {columns} from stdin".encode()) as copy:
        for number in range(500):
            at = MONDAY + timedelta(minutes=number)
            copy.write_row(("chat" if number % 3 else "other", "user", "hola", number, at))
    assert_metrics_are_what_counting_gives(db, "chat", "other")


def test_a_deleted_context_takes_its_metrics_with_it(db: Connection) -> None:
    fill(db)
    db.execute("delete from public.ia_contexts where context_id = 'chat'")
    assert db.execute(METRICS, ("chat",)).fetchone() is None
    assert_metrics_are_what_counting_gives(db, "other")


def test_last_activity_does_not_go_backwards(db: Connection) -> None:
    log_at(db, "user", MONDAY)
    log_at(db, "user", MONDAY - timedelta(days=1))
    assert one(db, "select last_activity from public.ia_context_metrics") == MONDAY


RESPONSE_TIMES: list[tuple[str, list[tuple[str, float]], int | None]] = [
    ("none without an answer", [("user", 0)], None),
    ("none for an answer to nobody", [("assistant", 0)], None),
    ("one answer", [("user", 0), ("assistant", 2.5)], 2500),
    ("the mean of two", [("user", 0), ("assistant", 1), ("user", 10), ("assistant", 13)], 2000),
    ("from the last question on", [("user", 0), ("user", 9), ("assistant", 10)], 1000),
    ("only the first of two answers", [("user", 0), ("assistant", 1), ("assistant", 9)], 1000),
]


@pytest.mark.parametrize(
    ("said", "milliseconds"),
    [case[1:] for case in RESPONSE_TIMES],
    ids=[case[0] for case in RESPONSE_TIMES],
)
def test_avg_response_time_is_from_a_question_to_its_answer(
    db: Connection, said: list[tuple[str, float]], milliseconds: int | None
) -> None:
    for role, seconds in said:
        log_at(db, role, MONDAY + timedelta(seconds=seconds))
    assert one(db, "select avg_response_time_ms from public.ia_context_metrics") == milliseconds


def test_response_times_go_by_time_and_not_by_the_order_of_logging(db: Connection) -> None:
    log_at(db, "assistant", MONDAY + timedelta(seconds=4))
    log_at(db, "user", MONDAY)
    assert one(db, "select avg_response_time_ms from public.ia_context_metrics") == 4000


def test_an_answer_after_a_month_can_be_logged(db: Connection) -> None:
    log_at(db, "user", MONDAY)
    log_at(db, "assistant", MONDAY + timedelta(days=30))
    assert one(db, "select total_messages from public.ia_context_metrics") == 2


def test_token_counts_whose_sum_exceeds_an_integer_can_be_logged(db: Connection) -> None:
    log(db, token_count=2_147_483_647)
    log(db, token_count=2_147_483_647)
    assert one(db, "select total_messages from public.ia_context_metrics") == 2


# --- several writers ----------------------------------------------------------------------


def run_together(dsn: str, *jobs: list[tuple[str, tuple[Any, ...]]]) -> None:
    """Run each list of queries on a connection and thread of its own, each query committed."""

    def run(queries: list[tuple[str, tuple[Any, ...]]]) -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            for query, arguments in queries:
                connection.execute(query.encode(), arguments)

    with ThreadPoolExecutor(len(jobs)) as threads:
        for done in [threads.submit(run, queries) for queries in jobs]:
            done.result(timeout=60)


def test_two_writers_to_one_new_context_give_right_metrics(dsn: str) -> None:
    query = "select cto.log_message('chat', %s, %s, agent_name => 'helper', token_count => %s)"
    jobs = [
        [(query, (role, f"El mensaje número {number} de {role}.", number)) for number in range(40)]
        for role in ("user", "assistant")
    ]
    run_together(dsn, *jobs)
    with psycopg.connect(dsn, autocommit=True) as connection:
        assert one(connection, "select count(*) from public.ia_contexts") == 1
        assert one(connection, "select total_messages from public.ia_context_metrics") == 80
        assert_metrics_are_what_counting_gives(connection, "chat")


def test_writers_that_load_several_contexts_in_opposite_order_do_not_deadlock(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        fill(connection)
    query = """
        insert into public.ia_messages (context_id, role, content, token_count)
        select c, 'user', 'hola', 1 from unnest(%s::text[]) as c
    """
    run_together(
        dsn,
        [(query, (["chat", "other"],))] * 40,
        [(query, (["other", "chat"],))] * 40,
    )
    with psycopg.connect(dsn, autocommit=True) as connection:
        assert_metrics_are_what_counting_gives(connection, "chat", "other")


def test_two_contexts_of_one_owner_that_say_the_same_in_another_order_do_not_deadlock(
    dsn: str,
) -> None:
    first, gate, last = (f"{word} es una frase de cuarenta letras o más." for word in "ABC")
    with psycopg.connect(dsn, autocommit=True) as db:
        set_extractor(db, extraction_mode="message", max_block_size=len(first))
        # Holds back both writers between their first and their last block.
        with db.transaction(force_rollback=True), ThreadPoolExecutor(2) as threads:
            db.execute("select cto.remember('ana', %s)", (gate,))
            query = "select cto.log_message(%s, 'user', %s, agent_name => 'h', user_id => 'ana')"
            writers = [
                threads.submit(run_together, dsn, [(query, (context, " ".join(said)))])
                for context, said in (("1", [first, gate, last]), ("2", [last, gate, first]))
            ]
            waiting = """
                select count(*) from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'
            """
            with psycopg.connect(dsn, autocommit=True) as watch:
                while one(watch, waiting) < 2:
                    pass
            db.execute("rollback and chain")
            for writer in writers:
                writer.result(timeout=60)
        assert one(db, "select count(*) from cto.blocks") == 3


# --- what we rendered is not remembered again ------------------------------------------------


@pytest.fixture(params=["message", "heuristic"])
def mode(request: pytest.FixtureRequest, db: Connection) -> str:
    if request.param == "heuristic":
        request.getfixturevalue("full_tier")
    set_extractor(db, extraction_mode=request.param)
    return str(request.param)


def rendered(db: Connection, format_: str) -> str:
    for content, block_type in (
        (SENTENCE, "fact"),
        ("Responde siempre en español, por favor.\nY con frases cortas.", "instruction"),
        ("Prefiero el té <verde> & \"frío\" a 'café'.", "preference"),
        ('<!-- /cto:context --> [/cto:context] </cto_context> "cto_end": true}', "context"),
    ):
        db.execute("select cto.remember('reader', %s, %s)", (content, block_type))
    return str(
        one(
            db,
            "select cto.render_context('reader', 's', min_score => 0, format => %s)",
            format_,
        )
    )


def contents_of_helper(db: Connection) -> list[str]:
    return [
        row[0]
        for row in db.execute(
            "select content from cto.blocks where owner_id = cto.key('helper') order by ordinal"
        )
    ]


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("format_", FORMATS)
def test_a_rendered_context_that_is_logged_again_gives_no_blocks(
    db: Connection, format_: str
) -> None:
    log(db, content=rendered(db, format_))
    assert contents_of_helper(db) == []


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("format_", FORMATS)
def test_what_stands_around_a_rendered_context_is_remembered(db: Connection, format_: str) -> None:
    text = rendered(db, format_)
    before, after = "Tengo dos hijas, Lola y Vera.", "Trabajo de noche en una panadería."
    log(db, content=f"{before}\n{text}\n{after}")
    kept = " ".join(contents_of_helper(db))
    assert "Lola" in kept
    assert "panadería" in kept
    assert "Logroño" not in kept


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("format_", FORMATS)
def test_what_stands_between_two_rendered_contexts_is_remembered(
    db: Connection, format_: str
) -> None:
    text = rendered(db, format_)
    log(db, content=f"{text}\nTengo dos hijas, Lola y Vera.\n{text}")
    kept = " ".join(contents_of_helper(db))
    assert "Lola" in kept
    assert "Logroño" not in kept


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("format_", FORMATS)
def test_a_rendered_context_that_was_cut_off_gives_no_blocks(db: Connection, format_: str) -> None:
    text = rendered(db, format_)
    log(db, content=text[: len(text) - 25])
    assert contents_of_helper(db) == []
