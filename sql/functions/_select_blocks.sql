-- _select_blocks: decide for every candidate whether it is part of the context, and why.
--
-- Called by: _choose_context. Reads only.

create or replace function cto._select_blocks(
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
    format text
)
returns table (
    place integer,
    block_hash character(64),
    block_type text,
    content text,
    cost integer,
    score double precision,
    recency double precision,
    frequency double precision,
    importance double precision,
    similarity double precision,
    reason text,
    source_hash character(64),
    created_at timestamptz
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set random_page_cost = 1.1
as $function$
#variable_conflict use_column
declare
    v_owner constant character(64) := cto._owner_key(owner);
    v_session constant character(64) := cto.key(session);
    v_config constant jsonb := cto._selector_config(
        selector, budget_tokens, min_score, max_blocks, strategy);
    v_min_score constant double precision := v_config ->> 'min_score';
    v_max_blocks constant integer := (v_config ->> 'max_blocks')::numeric;
    v_left integer := (v_config ->> 'budget_tokens')::numeric::integer - cto._frame_tokens(format, heading => false);
    v_count integer := 0;
    v_headings text[] := '{}';
    v_heading_cost constant integer := cto._frame_tokens(format, heading => true);
    v_is_new_heading boolean;
    v_cost integer;
    v_folded text;
    v_said text[] := '{}';
    v_candidate record;
begin
    if v_config ->> 'strategy' <> 'greedy' then
        raise exception 'the strategy % is not available yet', quote_literal(v_config ->> 'strategy')
            using errcode = 'feature_not_supported',
                  hint = 'Use greedy.';
    end if;

    for v_candidate in
        select
            s.*, b.source_hash, b.created_at,
            p.block_hash is not null as is_pinned,
            cto._block_cost(s.block_type, s.content, s.token_count, b.token_count_is_exact, format) as cost
        from cto.score_blocks(
            owner => owner, query => query, query_embedding => query_embedding, session => session,
            scorer => scorer, as_of => as_of, max_candidates => greatest(400, v_max_blocks)) as s
        inner join cto.blocks as b on b.owner_id = v_owner and b.hash = s.block_hash
        left join cto.pins as p
            on p.owner_id = v_owner and p.session_hash = v_session and p.block_hash = s.block_hash
        order by p.block_hash is null, s.score desc, b.created_at desc, s.block_hash
    loop
        v_is_new_heading := v_candidate.block_type <> all (v_headings);
        v_cost := v_candidate.cost + case when v_is_new_heading then v_heading_cost else 0 end;
        place := null;
        reason := case
            when v_candidate.score < v_min_score and not v_candidate.is_pinned then 'below_min_score'
            when v_count >= v_max_blocks then 'over_max_blocks'
            when v_cost > v_left then 'over_budget'
            when v_candidate.is_pinned then 'pinned'
            else 'included'
        end;

        -- Folding costs more than all the rest, so only what would be included is folded.
        if reason in ('pinned', 'included') then
            v_folded := cto.fold_text(v_candidate.content);

            if v_folded <> '' and v_folded = any (v_said) then
                reason := 'duplicate';
            end if;
        end if;

        if reason in ('pinned', 'included') then
            v_count := v_count + 1;
            v_left := v_left - v_cost;
            v_said := v_said || v_folded;
            place := v_count;

            if v_is_new_heading then
                v_headings := v_headings || v_candidate.block_type;
            end if;
        end if;

        block_hash := v_candidate.block_hash;
        block_type := v_candidate.block_type;
        content := v_candidate.content;
        cost := v_candidate.cost;
        score := v_candidate.score;
        recency := v_candidate.recency;
        frequency := v_candidate.frequency;
        importance := v_candidate.importance;
        similarity := v_candidate.similarity;
        source_hash := v_candidate.source_hash;
        created_at := v_candidate.created_at;
        return next;
    end loop;
end;
$function$;

comment on function cto._select_blocks(
    text, text, text, extensions.vector, integer, double precision, integer, text, text, text, timestamptz, text
) is
'Every candidate with its cost in tokens, its place in the context (null when left out) and the reason.';

revoke all on function cto._select_blocks(
    text, text, text, extensions.vector, integer, double precision, integer, text, text, text, timestamptz, text
) from public;
grant execute on function cto._select_blocks(
    text, text, text, extensions.vector, integer, double precision, integer, text, text, text, timestamptz, text
) to cto_agent;
