-- _score_blocks: how much each block of an owner matters under one configuration.
--
-- Called by: score_blocks, search_blocks and _select_blocks.
-- Scores every live block of a small owner, and of a large one those that could be among the best. Reads only.
--
-- Planned once a session: to plan this anew takes milliseconds. Whatever depends on the owner's size is asked in
-- functions of their own, with plans of their own; here only some thousand rows are put together, which a generic plan,
-- knowing nothing of their number, would do in loops. Numeric arithmetic is seven times slower than float8.

create or replace function cto._score_blocks(
    owner_key character(64),
    session_key character(64),
    query text,
    query_embedding extensions.vector,
    config jsonb,
    as_of timestamptz,
    max_candidates integer
)
returns table (
    block_hash character(64),
    block_type text,
    content text,
    token_count integer,
    score double precision,
    recency double precision,
    frequency double precision,
    importance double precision,
    similarity double precision,
    is_exact boolean,
    source_hash character(64),
    created_at timestamptz
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set random_page_cost = 1.1
set enable_seqscan = off
set enable_nestloop = off
set jit = off
as $function$
#variable_conflict use_column
declare
    v_model constant text := cto._current_model();
    v_dimensions constant integer := (
        select m.dimensions from cto.embedding_models as m where m.name = v_model);
    v_query constant text := case when query ~ '\S' then query end;
    v_vector extensions.vector := cto._pad_vector(query_embedding);
    v_newest integer := greatest(300, max_candidates);
    v_newest_from timestamptz;
    v_is_crowd boolean;
    v_is_large boolean;
    v_candidates tid[];
    v_languages text[] := '{}';
    v_lexemes text[] := '{}';
    v_frequencies bigint[] := '{}';
    v_rarities float8[];
    v_blocks float8;
    v_mean_words float8;

    v_pins constant character(64)[] := cto._pinned_blocks(owner_key, session_key, as_of);

    v_recency_weight constant float8 := config #>> '{weights,recency}';
    v_frequency_weight constant float8 := config #>> '{weights,frequency}';
    v_importance_weight constant float8 := config #>> '{weights,importance}';
    v_similarity_weight constant float8 := config #>> '{weights,similarity}';
    v_decay constant float8 := config ->> 'decay_factor';
    v_decay_seconds constant float8 := extract(
        epoch from ('1 ' || (config ->> 'decay_unit'))::interval)::float8;
    -- decay_factor ^ age as exp(slope * seconds): power() and exp() raise where the result underflows,
    -- and a year-old block is there with the default of 0.95 an hour.
    v_slope constant float8 := case when v_decay > 0 then ln(v_decay) else -1e9 end / v_decay_seconds;
    v_b constant float8 := config #>> '{bm25,b}';
    v_crowd constant integer := (config #>> '{crowd,blocks}')::numeric;
    v_date constant float8 := config #>> '{signals,date}';
    v_lead constant float8 := config #>> '{signals,lead}';
    v_question constant float8 := config #>> '{signals,question}';
    v_months integer[] := '{}';
    v_years integer[] := '{}';
    v_days integer[] := '{}';

    -- What is known of each block, in the order in which they were said in their sessions.
    v_hashes character(64)[];
    v_types text[];
    v_importances float8[];
    v_accesses integer[];
    v_ages float8[];
    v_moments timestamptz[];
    v_leads float8[];
    v_asks boolean[];
    v_sessions integer[];
    v_follows boolean[];
    v_is_alone boolean[];
    v_nearness float8[];
    v_holders integer[];
    v_terms integer[];
    v_times float8[];
    v_closeness float8[];
begin
    if max_candidates is null or max_candidates < 1 then
        raise exception 'max_candidates is % but must be at least 1', coalesce(max_candidates::text, 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it out for 400.';
    end if;

    if as_of is null then
        raise exception 'as_of is null'
            using errcode = 'null_value_not_allowed',
                  hint = 'Leave it out for now().';
    end if;

    if not isfinite(as_of) then
        raise exception 'as_of is % but must be a moment', as_of
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it out for now().';
    end if;

    -- A vector says nothing where no block has one of the same model.
    if v_model is null then
        v_vector := null;
    elsif extensions.vector_dims(query_embedding) not in (v_dimensions, 1536) then
        raise exception 'query_embedding has % dimensions, but those of the current model % have %',
            extensions.vector_dims(query_embedding), quote_literal(v_model), v_dimensions
            using errcode = 'invalid_parameter_value',
                  hint = 'Embed the query with the current model, see cto.embedding_models.';
    end if;

    select s.blocks, s.mean_words
    into v_blocks, v_mean_words
    from cto.owner_statistics as s
    where s.owner_id = owner_key;

    -- As of then: an earlier selection is made again by the rule that it was made by. The last count does not tell, it
    -- knows nothing of what was superseded.
    v_is_crowd := exists (
        select
        from cto.blocks as b
        where b.owner_id = owner_key
            and b.created_at <= as_of
            and (b.superseded_at is null or b.superseded_at > as_of)
        offset v_crowd
    );

    -- Only what was counted can be searched without looking at every block.
    v_is_large := v_is_crowd and coalesce(v_blocks > (config ->> 'exhaustive_blocks')::numeric::integer, false);

    if not v_is_large then
        v_blocks := null;
        v_mean_words := null;
    end if;

    if v_query is not null then
        select array_agg(t.language), array_agg(t.lexeme), array_agg(t.blocks)
        into v_languages, v_lexemes, v_frequencies
        from cto._query_terms(
            owner_key => owner_key, query => v_query, use_statistics => v_is_large) as t;

        select d.months, d.years, d.days
        into v_months, v_years, v_days
        from cto._query_dates(v_query) as d;

        select array_agg(cto._rarity(v_blocks, f.blocks) order by f.place)
        into v_rarities
        from unnest(v_frequencies) with ordinality as f (blocks, place);
    end if;

    if v_is_large then
        -- The newest blocks matter as long as they are recent at all; with a question, it matters more.
        if v_query is not null or v_vector is not null then
            v_newest := case
                when v_slope * extract(epoch from as_of - (
                    select max(b.created_at) from cto.blocks as b where b.owner_id = owner_key and b.created_at <= as_of
                ))::float8 < ln(0.05) then 20
                else greatest(200, max_candidates)
            end;
        end if;

        -- Everything newer than this is looked at.
        select b.created_at
        into v_newest_from
        from cto.blocks as b
        where b.owner_id = owner_key and b.created_at <= as_of
        order by b.created_at desc
        offset v_newest
        limit 1;

        v_newest_from := coalesce(v_newest_from, '-infinity');
        v_candidates := cto._first_candidates(
            owner_key => owner_key, pins => v_pins, model => v_model, query_vector => v_vector,
            lexemes => v_lexemes, frequencies => v_frequencies, mean_words => v_mean_words, config => config,
            newest_from => v_newest_from, as_of => as_of, max_candidates => max_candidates);
    end if;

    with known as materialized (
        select
            k.*,
            row_number() over said as id,
            dense_rank() over (order by k.session_hash) as session,
            k.session_hash = lag(k.session_hash) over said
            and (not v_is_crowd or k.previous_hash = lag(k.hash) over said) as follows
        from (
            -- A block that still waits for its vector counts as averagely near, not as far away.
            select
                s.hash, s.session_hash, s.created_at, s.ordinal, s.importance, s.access_count, s.age,
                coalesce(s.nearness, avg(s.nearness) over ()) as nearness,
                s.terms, s.times, s.lead, s.asks, s.block_type, true as is_worded, null::character(64) as previous_hash
            from (
                select
                    r.*,
                    case
                        when r.cosine is not null
                            then cto._min_max(r.cosine, min(r.cosine) over (), max(r.cosine) over ())
                    end as nearness
                from cto._raw_blocks(
                    owner_key => owner_key, places => null, model => v_model, query_vector => v_vector,
                    languages => v_languages, lexemes => v_lexemes, mean_words => null, b => v_b, as_of => as_of) as r
                where not v_is_crowd
            ) as s

            union all

            select
                c.hash, c.session_hash, c.created_at, c.ordinal, c.importance, c.access_count, c.age,
                c.nearness, c.terms, c.times, c.lead, c.asks, c.block_type, c.is_worded, c.previous_hash
            from cto._crowd_blocks(
                owner_key => owner_key, places => v_candidates, model => v_model, query_vector => v_vector,
                languages => v_languages, lexemes => v_lexemes, rarities => v_rarities, blocks => v_blocks,
                mean_words => v_mean_words, config => config, as_of => as_of) as c
            where v_is_crowd
        ) as k
        window said as (order by k.session_hash, k.created_at, k.ordinal, k.hash)
    )

    select k.*, h.*, r.*
    into
        v_hashes, v_types, v_importances, v_accesses, v_ages, v_moments, v_leads, v_asks, v_sessions, v_follows,
        v_is_alone, v_nearness, v_holders, v_terms, v_times, v_rarities
    from (
        select
            array_agg(k.hash), array_agg(k.block_type), array_agg(k.importance), array_agg(k.access_count),
            array_agg(k.age), array_agg(k.created_at), array_agg(coalesce(k.lead, 0)), array_agg(k.asks),
            array_agg(k.session::integer), array_agg(coalesce(k.follows, false)),
            array_agg(k.session_hash = k.hash),
            case when count(k.nearness) > 0 then array_agg(k.nearness) end
        from (
            select k.*
            from known as k
            order by k.id
        ) as k
    ) as k
    cross join (
        select array_agg(k.id::integer), array_agg(t.term), array_agg(t.times)
        from known as k
        cross join lateral unnest(k.terms, k.times) as t (term, times)
        where k.is_worded
    ) as h
    -- How much a word tells is counted here where all blocks that hold it are here.
    cross join (
        select
            case
                when v_query is not null then array_agg(
                    coalesce(v_rarities[w.term], cto._rarity(c.blocks, coalesce(t.holders, 0))) order by w.term)
            end
        from generate_series(1, cardinality(v_lexemes)) as w (term)
        left join (
            select t.term, count(*) as holders
            from known as k
            cross join lateral unnest(k.terms) as t (term)
            group by t.term
        ) as t on t.term = w.term
        cross join (
            select coalesce(v_blocks, count(*)) as blocks
            from known as k
        ) as c
    ) as r;

    if v_hashes is null then
        return;
    end if;

    if v_query is not null or v_vector is not null then
        v_closeness := cto._closeness(
            sessions => v_sessions, follows => v_follows, is_alone => v_is_alone, is_crowd => v_is_crowd,
            nearness => v_nearness, holders => v_holders, terms => v_terms, times => v_times,
            rarities => v_rarities, config => config);
    end if;

    return query
    with known as materialized (
        select k.*
        from unnest(
            v_hashes, v_types, v_importances, v_accesses, v_ages, v_moments, v_leads, v_asks, v_closeness
        ) as k (
            hash, block_type, importance, access_count, age, created_at, lead, asks, closeness
        )
    ),

    -- Selections made after as_of have read nothing yet. Of theirs, those that still stand in the access log are not
    -- in access_count.
    later as (
        select h.hash, count(*) as accesses
        from cto.selections as s
        cross join lateral unnest(s.block_hashes) as h (hash)
        where s.owner_id = owner_key and s.selected_at > _score_blocks.as_of
        group by h.hash
    ),

    unfolded as (
        select
            a.block_hash,
            count(*) filter (where a.accessed_at <= as_of) as accesses,
            count(*) filter (where a.accessed_at > as_of) as later
        from cto.accesses as a
        where a.owner_id = owner_key
        group by a.block_hash
    ),

    -- A date that the question names is evidence. What a text begins with is what it is about, and a question is rarely
    -- the answer to one.
    signalled as (
        select
            k.hash, k.block_type, k.importance, k.age, k.access_count,
            case
                when v_is_crowd and k.closeness = 0 then 0
                else (
                    k.closeness
                    + v_date * case
                        when v_months = '{}' and v_years = '{}' then 0
                        -- What happened on a day is often told on the next.
                        when extract(day from k.told_at) = any (v_days)
                            and (v_months = '{}' or extract(month from k.told_at) = any (v_months))
                            and (v_years = '{}' or extract(year from k.told_at) = any (v_years)) then 1
                        when v_months <> '{}' and extract(month from k.said_at) <> all (v_months) then 0
                        when v_years <> '{}' and extract(year from k.said_at) <> all (v_years) then 0
                        when v_days = '{}' then 1
                        when extract(day from k.said_at) = any (v_days) then 1
                        else 0.5
                    end
                )
                * (1 + v_lead * k.lead)
                * case when k.asks then 1 - v_question else 1 end
            end as closeness
        from (
            select
                k.*,
                k.created_at at time zone 'UTC' as said_at,
                k.created_at at time zone 'UTC' - interval '1 day' as told_at
            from known as k
        ) as k
    ),

    components as (
        select
            k.hash, k.block_type, k.importance,
            case
                when v_slope * k.age > -700 then exp(v_slope * k.age)
                else 0
            end as recency,
            ln(1 + k.accesses) / nullif(ln(1 + max(k.accesses) over ()), 0) as frequency,
            case
                when v_closeness is not null then cto._min_max(
                    k.closeness,
                    case when v_is_crowd then 0 else min(k.closeness) over () end,
                    max(k.closeness) over ())
            end as similarity,
            k.age
        from (
            select
                s.hash, s.block_type, s.importance, s.age, s.closeness,
                greatest(
                    s.access_count + coalesce(u.accesses, 0)
                    - greatest(coalesce(x.accesses, 0) - coalesce(u.later, 0), 0), 0) as accesses
            from signalled as s
            left join unfolded as u on u.block_hash = s.hash
            left join later as x on x.hash = s.hash
        ) as k
    ),

    weighed as (
        select
            c.*,
            (
                v_recency_weight * c.recency
                + v_frequency_weight * coalesce(c.frequency, 0)
                + v_importance_weight * c.importance
                + v_similarity_weight * coalesce(c.similarity, 0)
            ) / nullif(
                v_recency_weight
                + case when c.frequency is null then 0 else v_frequency_weight end
                + v_importance_weight
                + case when c.similarity is null then 0 else v_similarity_weight end, 0
            ) as score
        from components as c
        -- The session's pins are candidates whatever their score.
        order by
            c.hash = any (v_pins) desc,
            score desc nulls last, c.age, c.hash
        limit greatest(max_candidates, cardinality(v_pins))
    )

    select
        w.hash, w.block_type, b.content,
        case
            when x.is_counted then b.token_count
            else cto.estimate_tokens(b.content)
        end,
        coalesce(w.score, 0)::float8, w.recency::float8, w.frequency::float8, w.importance, w.similarity::float8,
        b.token_count_is_exact and x.is_counted, b.source_hash, b.created_at
    from weighed as w
    cross join lateral (
        select b.*
        from cto.blocks as b
        where b.owner_id = owner_key and b.hash = w.hash
        offset 0
    ) as b
    -- Counted exactly after as_of: as of then there was the estimate.
    cross join lateral (
        select b.token_count is not null and (b.counted_at is null or b.counted_at <= as_of or b.recorded_at > as_of)
    ) as x (is_counted)
    order by w.score desc nulls last, w.age, w.hash;
end;
$function$;

comment on function cto._score_blocks(character, character, text, extensions.vector, jsonb, timestamptz, integer) is
'The best max_candidates live blocks of an owner under a scorer''s configuration (defaults filled in), as
cto.score_blocks gives them.';

revoke all on function cto._score_blocks(character, character, text, extensions.vector, jsonb, timestamptz, integer)
from public;
grant execute on function cto._score_blocks(character, character, text, extensions.vector, jsonb, timestamptz, integer)
to cto_agent;
