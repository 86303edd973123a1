-- _score_blocks: how much each block of an owner matters under one configuration.
--
-- Called by: score_blocks, search_blocks and _select_blocks.
-- Scores every live block of a small owner, and of a large one those that could be among the best. Reads only.
--
-- Planned once a session: to plan this statement anew takes 4 ms. Whatever depends on the owner's size is asked in
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
    is_exact boolean
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
    -- How many of a large owner's best blocks have their neighbours looked up.
    v_best constant integer := greatest(60, max_candidates / 3);
    v_newest integer := greatest(300, max_candidates);
    v_newest_from timestamptz;
    v_is_large boolean := false;
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
    v_vector_share constant float8 := config #>> '{hybrid,vector}';
    v_text_share constant float8 := config #>> '{hybrid,text}';
    v_k1 constant float8 := config #>> '{bm25,k1}';
    v_b constant float8 := config #>> '{bm25,b}';
    v_nearest constant float8 := config #>> '{smoothing,nearest}';
    v_second constant float8 := config #>> '{smoothing,second}';
    v_session_best constant float8 := config #>> '{smoothing,session_best}';
    v_date constant float8 := config #>> '{signals,date}';
    v_lead constant float8 := config #>> '{signals,lead}';
    v_question constant float8 := config #>> '{signals,question}';
    v_months integer[] := '{}';
    v_years integer[] := '{}';
    v_days integer[] := '{}';
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

    -- Only what was counted can be searched without looking at every block.
    select s.blocks, s.mean_words, true
    into v_blocks, v_mean_words, v_is_large
    from cto.owner_statistics as s
    where s.owner_id = owner_key and s.blocks > (config ->> 'exhaustive_blocks')::numeric::integer;

    v_is_large := coalesce(v_is_large, false);

    if v_query is not null then
        select array_agg(t.language), array_agg(t.lexeme), array_agg(t.blocks)
        into v_languages, v_lexemes, v_frequencies
        from cto._query_terms(
            owner_key => owner_key, query => v_query, use_statistics => v_is_large) as t;

        select d.months, d.years, d.days
        into v_months, v_years, v_days
        from cto._query_dates(v_query) as d;

        select array_agg(ln(1 + (greatest(v_blocks - f.blocks, 0) + 0.5) / (f.blocks + 0.5)) order by f.place)
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
            lexemes => v_lexemes, frequencies => v_frequencies, newest_from => v_newest_from, as_of => as_of,
            max_candidates => max_candidates);
    end if;

    return query
    with first as materialized (
        select r.*
        from cto._raw_blocks(
            owner_key => owner_key, places => v_candidates, model => v_model, query_vector => v_vector,
            languages => v_languages, lexemes => v_lexemes, mean_words => v_mean_words, b => v_b, as_of => as_of) as r
    ),

    -- Of a large owner, what was said around the best is looked up; of a small one, everything is here.
    best as materialized (
        select f.hash, f.session_hash, f.created_at, f.ordinal
        from (
            select
                f.*,
                case
                    when f.terms is not null then (
                        select sum(
                            coalesce(v_rarities[t.term], ln(v_blocks / 10)) * t.times * (v_k1 + 1) / (t.times + v_k1))
                        from unnest(f.terms, f.times) as t (term, times)
                    )
                end as bm25
            from first as f
            where v_is_large and f.created_at <= v_newest_from and (v_query is not null or v_vector is not null)
            offset 0
        ) as f
        order by
            v_recency_weight * case when v_slope * f.age > -700 then exp(v_slope * f.age) else 0 end
            + v_importance_weight * f.importance
            + v_similarity_weight / greatest(v_vector_share + v_text_share, 1e-9) * (
                v_vector_share * cto._min_max(f.cosine, min(f.cosine) over (), max(f.cosine) over ())
                + v_text_share * coalesce(f.bm25 / nullif(max(f.bm25) over (), 0), 0)) desc nulls last
        limit v_best
    ),

    around as materialized (
        select a.*
        from (
            select
                array_agg(s.session_hash) as sessions, array_agg(s.hash) as hashes,
                array_agg(s.created_at) as moments, array_agg(s.ordinal) as ordinals
            from best as s
        ) as s
        cross join lateral cto._around_blocks(
            owner_key => owner_key, sessions => s.sessions, hashes => s.hashes, moments => s.moments,
            ordinals => s.ordinals, as_of => as_of) as a
        where v_is_large
    ),

    known as materialized (
        select row_number() over () as id, k.*
        from (
            select f.*
            from first as f

            union all

            select r.*
            from cto._raw_blocks(
                owner_key => owner_key,
                places => array(select a.place from around as a where a.hash not in (select f.hash from first as f)),
                model => v_model, query_vector => v_vector, languages => v_languages, lexemes => v_lexemes,
                mean_words => v_mean_words, b => v_b, as_of => as_of) as r
            where v_is_large
        ) as k
    ),

    -- How much a word tells: idf of BM25 (Robertson and Zaragoza 2009), counted here where its blocks are all here.
    rarity as materialized (
        select r.term, r.idf
        from unnest(v_rarities) with ordinality as r (idf, term)
        where v_is_large and r.idf is not null

        union all

        -- All blocks of a small owner are here, and all that hold a rare word of a large one.
        select t.term, ln(1 + (greatest(c.blocks - count(*), 0) + 0.5) / (count(*) + 0.5))
        from known as k
        cross join (
            select case when v_is_large then v_blocks else count(*) end::float8 as blocks
            from first as f
        ) as c
        cross join lateral unnest(k.terms) as t (term)
        where not v_is_large or v_rarities[t.term] is null
        group by t.term, c.blocks
    ),

    -- Selections made after as_of have read nothing yet. Of theirs, those that still stand in the access log are not
    -- in access_count.
    later as (
        select h.hash, count(*) as accesses
        from cto.selections as s
        cross join lateral unnest(s.block_hashes) as h (hash)
        where s.owner_id = owner_key and s.selected_at > as_of
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

    near as materialized (
        select
            k.id, k.hash, k.session_hash, k.created_at, k.ordinal, a.previous_hash, a.is_first, a.is_last,
            case
                when k.cosine is not null
                    then cto._min_max(k.cosine, min(k.cosine) over (), max(k.cosine) over ())
            end as scaled
        from known as k
        left join around as a on a.hash = k.hash
    ),

    -- A block that still waits for its vector counts as averagely near, not as far away. What stands for a neighbour
    -- of whom nothing is known is there, and about something else.
    usual as materialized (
        select
            avg(n.scaled) as mean,
            coalesce(percentile_cont(0.3) within group (order by n.scaled) filter (where v_is_large), 0) as nearness
        from near as n
    ),

    -- A run is a stretch of a session without gaps: of a small owner, the session itself. From here on, blocks and
    -- sessions are numbers: rows of keys would take as long to copy as all the rest.
    runs as (
        select
            n.id, n.nearness, n.usual, n.is_first, n.is_last,
            sum(n.is_new_run) over said as run,
            sum(n.is_new_session) over said as session,
            row_number() over said as seat
        from (
            select
                n.*,
                (
                    n.is_new_session = 1
                    or (v_is_large and n.before is distinct from n.previous_hash and n.before_at <= v_newest_from)
                )::integer as is_new_run
            from (
                select
                    n.id, n.previous_hash, n.session_hash, n.created_at, n.ordinal, n.hash,
                    coalesce(n.scaled, u.mean) as nearness,
                    u.nearness as usual,
                    lag(n.hash) over said as before,
                    lag(n.created_at) over said as before_at,
                    (lag(n.session_hash) over said is distinct from n.session_hash)::integer as is_new_session,
                    -- Without a session, a block is one of its own.
                    not v_is_large or n.session_hash = n.hash or coalesce(n.is_first, false) as is_first,
                    not v_is_large or n.session_hash = n.hash or coalesce(n.is_last, false)
                    or (n.created_at > v_newest_from and lead(n.session_hash) over said is distinct from n.session_hash)
                    as is_last
                from near as n
                cross join usual as u
                window said as (order by n.session_hash, n.created_at, n.ordinal, n.hash)
            ) as n
        ) as n
        window said as (order by n.session_hash, n.created_at, n.ordinal, n.hash)
    ),

    placed as materialized (
        select
            r.id, r.session, r.run, r.nearness, r.usual,
            row_number() over (partition by r.run order by r.seat) as place,
            count(*) over (partition by r.run) as size,
            bool_or(r.is_first) over (partition by r.run) as starts_session,
            bool_or(r.is_last) over (partition by r.run) as ends_session
        from runs as r
    ),

    -- What is said next to the evidence is evidence: each word counts for the two blocks on either side as well,
    -- and beyond the ends of a session the block counts for itself.
    spread as (
        select
            p.run, p.place + s.step as place, t.term,
            sum(t.times * case
                when s.step <> 0 then s.weight
                else
                    1
                    + case when p.starts_session
                        then v_nearest * (p.place = 1)::integer + v_second * (p.place <= 2)::integer else 0 end
                    + case when p.ends_session
                        then v_nearest * (p.place = p.size)::integer + v_second * (p.place >= p.size - 1)::integer
                        else 0 end
            end) as times
        from placed as p
        inner join known as k on k.id = p.id and k.terms is not null
        cross join lateral unnest(k.terms, k.times) as t (term, times)
        cross join (
            values (-2, v_second), (-1, v_nearest), (0, 1), (1, v_nearest), (2, v_second)
        ) as s (step, weight)
        where p.place + s.step between 1 and p.size
        group by p.run, p.place + s.step, t.term
    ),

    -- BM25, its saturation over a block and its neighbours together.
    lexical as (
        select s.run, s.place, sum(coalesce(r.idf * s.times * (v_k1 + 1) / nullif(s.times + v_k1, 0), 0)) as bm25
        from spread as s
        inner join rarity as r on r.term = s.term
        group by s.run, s.place
    ),

    hybrid as (
        select
            h.*,
            case
                when h.vicinity is null then h.wording
                when v_query is null then h.vicinity
                else v_vector_share * h.vicinity + v_text_share * h.wording
            end as closeness
        from (
            select
                p.id, p.session,
                v_vector_share * p.usual as usual,
                p.starts_session and p.ends_session as is_whole,
                (
                    p.nearness
                    + v_nearest * (
                        coalesce(lag(p.nearness, 1) over said, p.before)
                        + coalesce(lead(p.nearness, 1) over said, p.after))
                    + v_second * (
                        coalesce(lag(p.nearness, 2) over said, p.before)
                        + coalesce(lead(p.nearness, 2) over said, p.after))
                ) / (1 + 2 * (v_nearest + v_second)) as vicinity,
                coalesce(x.bm25 / nullif(max(x.bm25) over (), 0), 0) as wording
            from (
                -- Beyond the ends of a session a block counts for itself; beyond those of a run, nobody knows.
                select
                    r.*,
                    case when r.starts_session then r.nearness else r.usual end as before,
                    case when r.ends_session then r.nearness else r.usual end as after
                from placed as r
            ) as p
            left join lexical as x on x.run = p.run and x.place = p.place
            window said as (partition by p.run order by p.place)
        ) as h
    ),

    ranked as (
        select
            h.*,
            row_number() over (partition by h.session order by h.closeness desc, h.id) as rank,
            case when h.is_whole then 0 else greatest(3 - count(*) over (partition by h.session), 0) end as unknown
        from hybrid as h
    ),

    -- A session about the subject is evidence as well: the mean of its three best. So is a date that the question
    -- names. What a text begins with is what it is about, and a question is rarely the answer to one.
    smoothed as (
        select
            k.hash, k.block_type, k.importance, k.age, k.access_count,
            (
                r.closeness
                + v_session_best * r.session_closeness
                + v_date * case
                    when v_months = '{}' and v_years = '{}' then 0
                    -- What happened on a day is often told on the next.
                    when extract(day from k.told_at) = any (v_days)
                        and (v_months = '{}' or extract(month from k.told_at) = any (v_months))
                        and (v_years = '{}' or extract(year from k.told_at) = any (v_years)) then 1
                    when v_months <> '{}' and extract(month from k.created_at at time zone 'UTC') <> all (v_months) then 0
                    when v_years <> '{}' and extract(year from k.created_at at time zone 'UTC') <> all (v_years) then 0
                    when v_days = '{}' then 1
                    when extract(day from k.created_at at time zone 'UTC') = any (v_days) then 1
                    else 0.5
                end
            )
            * (1 + v_lead * coalesce(k.lead, 0))
            * case when k.asks then 1 - v_question else 1 end as closeness
        from (
            select
                r.id, r.closeness,
                (sum(r.closeness) filter (where r.rank <= 3) over (partition by r.session) + r.unknown * r.usual)
                / (count(*) filter (where r.rank <= 3) over (partition by r.session) + r.unknown) as session_closeness
            from ranked as r
        ) as r
        inner join (
            select n.*, n.created_at at time zone 'UTC' - interval '1 day' as told_at
            from known as n
        ) as k on k.id = r.id
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
                when v_query is not null or v_vector is not null
                    then cto._min_max(k.closeness, min(k.closeness) over (), max(k.closeness) over ())
            end as similarity,
            k.age
        from (
            select
                s.hash, s.block_type, s.importance, s.age, s.closeness,
                greatest(
                    s.access_count + coalesce(u.accesses, 0)
                    - greatest(coalesce(x.accesses, 0) - coalesce(u.later, 0), 0), 0) as accesses
            from smoothed as s
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
        b.token_count_is_exact and x.is_counted
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
