-- _nearest_blocks: the blocks of one owner whose vectors are nearest to a query.
--
-- Called by: _first_candidates. Reads only.
--
-- Two ways, and the planner cannot choose between them, for it does not see what reading a vector out of line
-- costs: the HNSW index, which knows no owners and so has to go through the others' blocks as well (about 80 us
-- for each), or all of the owner's vectors (about 13 us each). enable_sort off leaves it only the index.
--
-- Through the index, the order is asked for by an aggregate: ORDER BY works every distance out a second time for its
-- output, from the vectors out of line, which takes as long as the search itself. An aggregate has no LIMIT, so it is
-- given as many as the index returns at once; where these are mostly others' blocks, the search goes on with LIMIT.

create or replace function cto._nearest_blocks(
    owner_key character(64),
    model text,
    query_vector extensions.vector,
    as_of timestamptz,
    max_blocks integer
)
returns setof tid
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set random_page_cost = 1.1
set enable_sort = on
set enable_seqscan = on
set enable_nestloop = on
set jit = off
as $function$
declare
    v_query constant extensions.halfvec := query_vector::extensions.halfvec;
    v_blocks constant float8 := (select s.blocks from cto.owner_statistics as s where s.owner_id = owner_key);
    v_all constant float8 := (select c.reltuples from pg_class as c where c.oid = 'cto.blocks'::regclass);
    v_scanned constant float8 := max_blocks * greatest(v_all / greatest(v_blocks, 1), 1);
    v_ef_search constant text := current_setting('hnsw.ef_search', true);
    v_iterative_scan constant text := current_setting('hnsw.iterative_scan', true);
    v_places tid[];
begin
    if v_blocks is null or 13 * v_blocks < 80 * v_scanned then
        return query
        select b.ctid
        from cto.blocks as b
        where b.owner_id = owner_key
            and b.embedding_model = model
            and b.created_at <= as_of
            and (b.superseded_at is null or b.superseded_at > as_of)
        order by b.embedding operator(extensions.<=>) query_vector
        limit max_blocks;
        return;
    end if;

    perform
        set_config('enable_sort', 'off', true),
        set_config('enable_seqscan', 'off', true);

    -- PostgreSQL before 16 sorts for an aggregate by itself. pgvector before 0.8 has no iterative scan, and returns fewer
    -- where others' blocks are in the way.
    if current_setting('server_version_num')::integer >= 160000 and v_scanned <= 900 then
        if v_iterative_scan is not null then
            perform set_config('hnsw.iterative_scan', 'off', true);
        end if;

        perform set_config('hnsw.ef_search', ceil(greatest(
            v_scanned * case when v_scanned > 1.05 * max_blocks then 1.1 else 1 end, 40))::text, true);

        select array_agg(b.ctid order by b.embedding::extensions.halfvec(1536) operator(extensions.<=>) v_query)
        into v_places
        from cto.blocks as b
        where b.owner_id = owner_key
            and b.embedding_model = model
            and b.created_at <= as_of
            and (b.superseded_at is null or b.superseded_at > as_of);
    end if;

    if v_places is null or cardinality(v_places) < 0.9 * least(max_blocks, v_blocks) then
        if v_iterative_scan is not null then
            perform set_config('hnsw.iterative_scan', 'relaxed_order', true);
        end if;

        perform set_config('hnsw.ef_search', least(greatest(max_blocks, 40), 1000)::text, true);

        v_places := array(
            select b.ctid
            from cto.blocks as b
            where b.owner_id = owner_key
                and b.embedding_model = model
                and b.created_at <= as_of
                and (b.superseded_at is null or b.superseded_at > as_of)
            order by b.embedding::extensions.halfvec(1536) operator(extensions.<=>) v_query
            limit max_blocks);
    end if;

    return query
    select n.place
    from unnest(v_places[:max_blocks]) as n (place);

    perform set_config('hnsw.ef_search', v_ef_search, true);

    if v_iterative_scan is not null then
        perform set_config('hnsw.iterative_scan', v_iterative_scan, true);
    end if;
end;
$function$;

comment on function cto._nearest_blocks(character, text, extensions.vector, timestamptz, integer) is
'Places (ctid) of up to max_blocks live blocks whose vectors of the model are nearest to query_vector (1,536
dimensions), almost exactly: through the HNSW index, or through all of the owner''s vectors where that costs less.';

revoke all on function cto._nearest_blocks(character, text, extensions.vector, timestamptz, integer) from public;
grant execute on function cto._nearest_blocks(character, text, extensions.vector, timestamptz, integer)
to cto_agent;
