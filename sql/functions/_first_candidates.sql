-- _first_candidates: the blocks of a large owner that could be among the best.
--
-- Called by: _score_blocks, where scoring every block would cost more. Reads only.
--
-- Blocks are named by their place in the table (ctid): the caller reads them in the same snapshot, where a place
-- stands still, and to look 600 blocks up by their keys again would take as long as to compare their vectors.

create or replace function cto._first_candidates(
    owner_key character(64),
    pins character(64)[],
    model text,
    query_vector extensions.vector,
    lexemes text[],
    frequencies bigint[],
    mean_words double precision,
    config jsonb,
    newest_from timestamptz,
    as_of timestamptz,
    max_candidates integer
)
returns tid[]
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set random_page_cost = 1.1
set enable_nestloop = on
set jit = off
as $function$
declare
    v_has_query constant boolean := query_vector is not null or cardinality(lexemes) > 0;
    v_nearest constant integer := (config #>> '{crowd,nearest}')::numeric;
    -- Without a vector the words alone decide, and there is time for more of them.
    v_worded constant integer := (config #>> '{crowd,worded}')::numeric * case when query_vector is null then 10 else 1 end;
    v_important constant integer := case
        when v_has_query then greatest(50, max_candidates / 2)
        else greatest(300, max_candidates)
    end;
    v_read constant integer := greatest(25, max_candidates / 4);
    v_candidates tid[];
begin
    select array_agg(distinct c.place)
    into v_candidates
    from (
        select n.place
        from cto._nearest_blocks(
            owner_key => owner_key, model => model, query_vector => query_vector, as_of => as_of,
            max_blocks => v_nearest) as n (place)
        where query_vector is not null

        union all

        select w.place
        from cto._worded_blocks(
            owner_key => owner_key, lexemes => lexemes, frequencies => frequencies, mean_words => mean_words,
            k1 => (config #>> '{bm25,k1}')::float8, b => (config #>> '{bm25,b}')::float8, as_of => as_of,
            max_read => 3 * greatest(v_worded, 20), max_blocks => 20 + v_worded * 11 / 10) as w (place)
        where cardinality(lexemes) > 0

        union all

        (
            select b.ctid
            from cto.blocks as b
            where b.owner_id = owner_key and b.created_at > newest_from and b.created_at <= as_of
        )

        union all

        (
            select b.ctid
            from cto.blocks as b
            where b.owner_id = owner_key and b.created_at <= as_of
            order by b.importance desc, b.created_at desc
            limit v_important
        )

        union all

        select b.ctid
        from (
            select m.block_hash
            from cto.most_accessed as m
            where m.owner_id = owner_key
            order by m.access_count desc
            limit v_read
        ) as m
        inner join cto.blocks as b on b.owner_id = owner_key and b.hash = m.block_hash

        union all

        select b.ctid
        from cto.blocks as b
        where b.owner_id = owner_key and b.hash = any (pins)
    ) as c;

    return coalesce(v_candidates, '{}');
end;
$function$;

comment on function cto._first_candidates(
    character, character[], text, extensions.vector, text[], bigint[], double precision, jsonb, timestamptz,
    timestamptz, integer
) is
'Places (ctid) of the blocks that are nearest by vector, hold the words best, are newest, most important, most read or
pinned.';

revoke all on function cto._first_candidates(
    character, character[], text, extensions.vector, text[], bigint[], double precision, jsonb, timestamptz,
    timestamptz, integer
) from public;
grant execute on function cto._first_candidates(
    character, character[], text, extensions.vector, text[], bigint[], double precision, jsonb, timestamptz,
    timestamptz, integer
) to cto_agent;
