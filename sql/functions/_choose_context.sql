-- _choose_context: the blocks of a context in their order, recorded when asked.
--
-- Called by: select_context and render_context.
-- Locking:   with record, as _record_selection says.

create or replace function cto._choose_context(
    owner text,
    session text,
    query text,
    query_embedding extensions.vector,
    budget_tokens integer,
    min_score double precision,
    max_blocks integer,
    strategy text,
    scorer text,
    selector text,
    as_of timestamptz,
    record boolean,
    format text
)
returns table (
    place integer,
    block_hash character(64),
    block_type text,
    content text,
    cost integer,
    score double precision,
    source_hash character(64),
    created_at timestamptz
)
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
#variable_conflict use_column
declare
    v_owner constant character(64) := cto._owner_key(owner);
    v_session constant character(64) := cto.key(session);
    v_scorer constant jsonb := cto._config('scorer', scorer, v_owner);
    v_selector constant jsonb := cto._selector_config(
        selector => selector, budget_tokens => budget_tokens, min_score => min_score, max_blocks => max_blocks,
        strategy => strategy, owner_key => v_owner);
    v_decision cto.memory;
    v_decisions cto.memory[] := '{}';
    v_row record;
begin
    if record and v_session is null then
        raise exception 'session is null'
            using errcode = 'null_value_not_allowed',
                  hint = 'Name the session, or select with record => false.';
    end if;

    if record and current_setting('transaction_read_only')::boolean then
        raise exception 'a selection cannot be recorded in a read-only transaction'
            using errcode = 'read_only_sql_transaction',
                  hint = 'Select with record => false, for example on a standby.';
    end if;

    perform cto._ensure_statistics(
        owner_key => v_owner, exhaustive_blocks => (v_scorer ->> 'exhaustive_blocks')::numeric::integer);

    v_decision.owner_id := v_owner;
    v_decision.session_hash := v_session;
    v_decision.selected_at := now();

    for v_row in
        select *
        from cto._select_blocks(
            owner_key => v_owner, session_key => v_session, query => query, query_embedding => query_embedding,
            scorer_config => v_scorer, selector_config => v_selector, as_of => as_of, format => format)
    loop
        if record then
            v_decision.block_hash := v_row.block_hash;
            v_decision.position := v_row.place;
            v_decision.score := v_row.score;
            v_decision.token_count := v_row.cost;
            v_decision.included := v_row.place is not null;
            v_decision.recency := v_row.recency;
            v_decision.frequency := v_row.frequency;
            v_decision.importance := v_row.importance;
            v_decision.similarity := v_row.similarity;
            v_decision.reason := v_row.reason;
            v_decisions := v_decisions || v_decision;
        end if;

        if v_row.place is not null then
            place := v_row.place;
            block_hash := v_row.block_hash;
            block_type := v_row.block_type;
            content := v_row.content;
            cost := v_row.cost;
            score := v_row.score;
            source_hash := v_row.source_hash;
            created_at := v_row.created_at;
            return next;
        end if;
    end loop;

    if record then
        perform cto._record_selection(
            owner_key => v_owner, session_key => v_session, decisions => v_decisions, query => query,
            query_embedding => query_embedding, as_of => as_of, scorer => scorer, scorer_config => v_scorer,
            selector => selector, selector_config => v_selector, format => format);
    end if;
end;
$function$;

comment on function cto._choose_context(
    text, text, text, extensions.vector, integer, double precision, integer, text, text, text, timestamptz,
    boolean, text
) is
'The included blocks in their order, for the given format; with record, the decisions go to cto.memory.';

revoke all on function cto._choose_context(
    text, text, text, extensions.vector, integer, double precision, integer, text, text, text, timestamptz,
    boolean, text
) from public;
grant execute on function cto._choose_context(
    text, text, text, extensions.vector, integer, double precision, integer, text, text, text, timestamptz,
    boolean, text
) to cto_agent;
