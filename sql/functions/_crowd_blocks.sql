-- _crowd_blocks: of an owner with many blocks, what stands out for a query, and what was said around the best of it.
--
-- Called by: _score_blocks. Reads only: what is at places, or everything.
--
-- In a crowd, only the nearest blocks are near and only the best worded say what is asked for; the others are about
-- something else, whatever the differences between them. So what was not looked at is known to count nothing, and
-- what comes out does not depend on how many other blocks were looked at.
--
-- Planned once a session: to plan it anew takes longer than to run it. Here only some hundred rows are put together,
-- which a generic plan, knowing nothing of their number, would do in loops.

create or replace function cto._crowd_blocks(
    owner_key character(64),
    places tid[],
    model text,
    query_vector extensions.vector,
    languages text[],
    lexemes text[],
    rarities double precision[],
    blocks double precision,
    mean_words double precision,
    config jsonb,
    as_of timestamptz
)
returns table (
    hash character(64),
    session_hash character(64),
    created_at timestamptz,
    ordinal integer,
    importance double precision,
    access_count integer,
    age double precision,
    nearness double precision,
    terms integer[],
    times double precision[],
    lead double precision,
    asks boolean,
    block_type text,
    is_worded boolean,
    previous_hash character(64)
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
    -- So many of the best have their neighbours looked up.
    v_best constant integer := 66;
    -- The nearest of a crowd lie close together: spread from 0 to 1, they would outweigh the words.
    v_nearest_weight constant float8 := 0.8;
    v_nearest constant integer := (config #>> '{crowd,nearest}')::numeric;
    v_worded constant integer := (config #>> '{crowd,worded}')::numeric * case when query_vector is null then 10 else 1 end;
    -- Beside vectors, a block that holds only the commonest of the words does not hold them best, however few there are.
    v_least constant float8 := case when query_vector is null then 0 else 0.15 end;
    v_vector_share constant float8 := config #>> '{hybrid,vector}';
    v_text_share constant float8 := config #>> '{hybrid,text}';
    v_k1 constant float8 := config #>> '{bm25,k1}';
    v_b constant float8 := config #>> '{bm25,b}';
begin
    return query
    with first as materialized (
        select r.*
        from cto._raw_blocks(
            owner_key => owner_key, places => places, model => model, query_vector => query_vector,
            languages => languages, lexemes => lexemes, mean_words => mean_words, b => v_b, as_of => as_of) as r
    ),

    rarity as (
        select t.term, coalesce(rarities[t.term], cto._rarity(c.blocks, count(*))) as rarity
        from first as f
        cross join (
            select coalesce(_crowd_blocks.blocks, count(*)) as blocks
            from first as f
        ) as c
        cross join lateral unnest(f.terms) as t (term)
        group by t.term, c.blocks
    ),

    worded as (
        select w.hash, w.bm25
        from (
            select w.*, max(w.bm25) over () as best
            from (
                select f.hash, sum(r.rarity * t.times * (v_k1 + 1) / nullif(t.times + v_k1, 0)) as bm25
                from first as f
                cross join lateral unnest(f.terms, f.times) as t (term, times)
                inner join rarity as r on r.term = t.term
                group by f.hash
            ) as w
        ) as w
        where w.bm25 >= v_least * w.best
        order by w.bm25 desc, w.hash
        limit v_worded
    ),

    nearest as materialized (
        select f.hash, f.cosine
        from first as f
        where f.cosine is not null
        order by f.cosine desc, f.hash
        limit v_nearest
    ),

    standing as materialized (
        select
            s.hash, s.nearness, s.is_worded,
            row_number() over (
                order by v_vector_share * s.nearness + v_text_share * s.wording desc, s.hash
            ) as place
        from (
            select
                coalesce(n.hash, w.hash) as hash,
                case
                    when n.hash is null then 0
                    else v_nearest_weight * cto._min_max(n.cosine, min(n.cosine) over (), max(n.cosine) over ())
                end as nearness,
                w.hash is not null as is_worded,
                coalesce(w.bm25 / nullif(max(w.bm25) over (), 0), 0) as wording
            from nearest as n
            full join worded as w on w.hash = n.hash
        ) as s
    ),

    around as materialized (
        select a.*
        from (
            select
                array_agg(f.session_hash) as sessions, array_agg(f.hash) as hashes,
                array_agg(f.created_at) as moments, array_agg(f.ordinal) as ordinals
            from standing as s
            inner join first as f on f.hash = s.hash
            where s.place <= v_best
        ) as s
        cross join lateral cto._around_blocks(
            owner_key => owner_key, sessions => s.sessions, hashes => s.hashes, moments => s.moments,
            ordinals => s.ordinals, as_of => as_of) as a
    ),

    known as (
        select f.*
        from first as f

        union all

        -- What does not stand out itself needs no vector, and of its words only where the first one stands.
        select r.*
        from cto._raw_blocks(
            owner_key => owner_key,
            places => array(select a.place from around as a where a.hash not in (select f.hash from first as f)),
            model => null, query_vector => null, languages => languages, lexemes => lexemes, mean_words => 1,
            b => v_b, as_of => as_of) as r
    )

    select
        k.hash, k.session_hash, k.created_at, k.ordinal, k.importance, k.access_count, k.age,
        -- Where no block has a vector, words are all there is.
        case when exists (select from nearest) then coalesce(s.nearness, 0) end,
        k.terms, k.times, k.lead, k.asks, k.block_type,
        coalesce(s.is_worded, false),
        a.previous_hash
    from known as k
    left join standing as s on s.hash = k.hash
    left join around as a on a.hash = k.hash;
end;
$function$;

comment on function cto._crowd_blocks(
    character, tid[], text, extensions.vector, text[], text[], double precision[], double precision, double precision,
    jsonb, timestamptz
) is
'The owner''s live blocks, or those at places, as cto._raw_blocks gives them, and up to two said before and after each
of the 66 best: nearness, above 0 for the nearest to query_vector only, null where no block has a vector; whether it is
among those that hold the words best (rarities by term, null: counted here); and which block was said before it, for
the best and what is around them.';

revoke all on function cto._crowd_blocks(
    character, tid[], text, extensions.vector, text[], text[], double precision[], double precision, double precision,
    jsonb, timestamptz
) from public;
grant execute on function cto._crowd_blocks(
    character, tid[], text, extensions.vector, text[], text[], double precision[], double precision, double precision,
    jsonb, timestamptz
) to cto_agent;
