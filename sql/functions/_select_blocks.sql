-- _select_blocks: decide for every candidate whether it is part of the context, and why.
--
-- Called by: _choose_context and compare_algorithms. Reads only.

create or replace function cto._select_blocks(
    owner_key character(64),
    session_key character(64),
    query text,
    query_embedding extensions.vector,
    scorer_config jsonb,
    selector_config jsonb,
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
set plan_cache_mode = force_generic_plan
as $function$
#variable_conflict use_column
declare
    v_min_score constant double precision := selector_config ->> 'min_score';
    v_max_blocks constant integer := (selector_config ->> 'max_blocks')::numeric;
    v_left integer := (selector_config ->> 'budget_tokens')::numeric::integer
        - cto._frame_tokens(format, heading => false);
    v_heading_cost constant integer := cto._frame_tokens(format, heading => true);
    v_pins constant character(64)[] := cto._pinned_blocks(owner_key, session_key, as_of);
    v_candidates cto.memory[];
    v_types text[];
    v_contents text[];
    v_sources character(64)[];
    v_moments timestamptz[];
    v_wanted character(64)[];
    v_count integer := 0;
    v_headings text[] := '{}';
    v_is_new_heading boolean;
    v_cost integer;
    v_folded text;
    v_said text[] := '{}';
    v_candidate record;
begin
    -- As rows of cto.memory, not recorded yet, and what else is needed twice. What is not greedy chooses from more.
    select
        array_agg(s.candidate), array_agg(s.block_type), array_agg(s.content), array_agg(s.source_hash),
        array_agg(s.created_at)
    into v_candidates, v_types, v_contents, v_sources, v_moments
    from (
        select
            (
                session_key, owner_key, s.block_hash, null, s.score,
                cto._block_cost(s.block_type, s.content, s.token_count, s.is_exact, format), null,
                s.recency, s.frequency, s.importance, s.similarity, null, null
            )::cto.memory as candidate,
            s.block_type, s.content, s.source_hash, s.created_at
        from cto._score_blocks(
            owner_key => owner_key, session_key => session_key, query => query, query_embedding => query_embedding,
            config => scorer_config, as_of => as_of,
            max_candidates => greatest(
                case selector_config ->> 'strategy' when 'greedy' then 100 else 200 end, 2 * v_max_blocks)) as s
    ) as s;

    -- The pinned ones first; what is left then is for the others.
    for v_round in 1..2
    loop
        if v_round = 2 and selector_config ->> 'strategy' <> 'greedy' then
            -- A heading that a pinned block pays for is counted again: a few tokens are left over, never too few. Of
            -- repetitions, the best one that fits at all.
            select cto._choose_blocks(
                owner_key => owner_key,
                hashes => array_agg(e.block_hash order by e.score desc, e.created_at desc, e.block_hash),
                costs => array_agg(e.token_count order by e.score desc, e.created_at desc, e.block_hash),
                scores => array_agg(e.score order by e.score desc, e.created_at desc, e.block_hash),
                block_types => array_agg(e.block_type order by e.score desc, e.created_at desc, e.block_hash),
                heading_cost => v_heading_cost,
                budget => v_left,
                selector_config => selector_config,
                max_blocks => v_max_blocks - v_count,
                as_of => as_of)
            into v_wanted
            from (
                select
                    c.block_hash, c.score, c.token_count, c.block_type, c.created_at, x.folded,
                    row_number() over (
                        partition by coalesce(nullif(x.folded, ''), c.block_hash)
                        order by c.token_count + v_heading_cost <= v_left desc, c.score desc, c.created_at desc, c.block_hash
                    ) as repetition
                from unnest(v_candidates, v_types, v_contents, v_sources, v_moments) as c (
                    session_hash, owner_id, block_hash, "position", score, token_count, included, recency, frequency,
                    importance, similarity, reason, selected_at, block_type, content, source_hash, created_at
                )
                cross join lateral (select cto.fold_text(c.content)) as x (folded)
                where c.score >= v_min_score and c.block_hash <> all (v_pins)
            ) as e
            where e.repetition = 1 and (e.folded = '' or e.folded <> all (v_said));

            v_wanted := coalesce(v_wanted, '{}');
        end if;

        for v_candidate in
            select
                c.block_hash, c.score, c.recency, c.frequency, c.importance, c.similarity, c.token_count as cost,
                c.block_type, c.content, c.source_hash, c.created_at,
                c.block_hash = any (v_pins) as is_pinned,
                v_wanted is null or c.block_hash = any (v_wanted) as is_wanted
            from unnest(v_candidates, v_types, v_contents, v_sources, v_moments) as c (
                session_hash, owner_id, block_hash, "position", score, token_count, included, recency, frequency,
                importance, similarity, reason, selected_at, block_type, content, source_hash, created_at
            )
            where (c.block_hash = any (v_pins)) = (v_round = 1)
            order by array_position(v_wanted, c.block_hash), c.score desc, c.created_at desc, c.block_hash
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
                elsif not v_candidate.is_wanted and not v_candidate.is_pinned then
                    -- The strategy spent the budget on others.
                    reason := 'over_budget';
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
    end loop;
end;
$function$;

comment on function cto._select_blocks(
    character, character, text, extensions.vector, jsonb, jsonb, timestamptz, text
) is
'Every candidate with its cost in tokens, its place in the context (null when left out) and the reason.';

revoke all on function cto._select_blocks(
    character, character, text, extensions.vector, jsonb, jsonb, timestamptz, text
) from public;
grant execute on function cto._select_blocks(
    character, character, text, extensions.vector, jsonb, jsonb, timestamptz, text
) to cto_agent;
