-- _record_selection: keep what a selection decided, and log which blocks were read.
--
-- Called by: _choose_context.
-- Locking:   selections of the same owner and session wait for each other; no row of cto.blocks is
--            touched, so that selecting never costs a write on the hot rows.

create or replace function cto._record_selection(
    owner_key character(64),
    session_key character(64),
    decisions cto.memory[],
    query text,
    query_embedding extensions.vector,
    as_of timestamptz,
    scorer text,
    scorer_config jsonb,
    selector text,
    selector_config jsonb,
    format text
)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    -- By the clock: as of the moment that a selection began, it has read nothing yet.
    v_now timestamptz;
begin
    perform pg_advisory_xact_lock(hashtextextended(owner_key || session_key, 0));
    v_now := clock_timestamp();

    delete from cto.memory as m
    where m.owner_id = owner_key and m.session_hash = session_key;

    begin
        insert into cto.memory
        select d.*
        from unnest(decisions) as d;
    exception
        when unique_violation then
            -- Another selection of this session committed after our snapshot was taken.
            raise exception 'another selection of this session was recorded at the same time'
                using errcode = 'serialization_failure',
                      hint = 'Begin the transaction again, or select in read committed.';
    end;

    insert into cto.accesses (owner_id, block_hash, session_hash, accessed_at)
    select d.owner_id, d.block_hash, d.session_hash, v_now
    from unnest(decisions) as d
    where d.included;

    insert into cto.selections (
        owner_id, session_hash, selected_at, as_of, query, query_embedding, embedding_model,
        scorer, scorer_config, selector, selector_config, format, block_hashes, token_count
    )
    select
        owner_key, session_key, v_now, _record_selection.as_of, _record_selection.query,
        cto._pad_vector(_record_selection.query_embedding),
        case when _record_selection.query_embedding is not null then cto._current_model() end,
        _record_selection.scorer, _record_selection.scorer_config, _record_selection.selector,
        _record_selection.selector_config, _record_selection.format,
        coalesce(array_agg(d.block_hash order by d.position) filter (where d.included), '{}'),
        coalesce(sum(d.token_count) filter (where d.included), 0)
    from unnest(decisions) as d;
end;
$function$;

comment on function cto._record_selection(
    character, character, cto.memory[], text, extensions.vector, timestamptz, text, jsonb, text, jsonb, text
) is
'Replaces the rows of cto.memory for (owner, session), appends the included blocks to cto.accesses and the selection to
cto.selections.';

revoke all on function cto._record_selection(
    character, character, cto.memory[], text, extensions.vector, timestamptz, text, jsonb, text, jsonb, text
) from public;
grant execute on function cto._record_selection(
    character, character, cto.memory[], text, extensions.vector, timestamptz, text, jsonb, text, jsonb, text
) to cto_agent;
