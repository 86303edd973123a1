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
    v_decision cto.memory;
    v_decisions cto.memory[] := '{}';
    v_row record;
begin
    v_decision.owner_id := cto._owner_key(owner);
    v_decision.session_hash := cto.key(session);
    v_decision.selected_at := now();

    for v_row in
        select *
        from cto._select_blocks(
            owner => owner, session => session, query => query, query_embedding => query_embedding,
            budget_tokens => budget_tokens, min_score => min_score, max_blocks => max_blocks,
            strategy => strategy, scorer => scorer, selector => selector, as_of => as_of, format => format)
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
            owner_key => v_decision.owner_id,
            session_key => v_decision.session_hash,
            decisions => v_decisions);
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
