-- _nearest_blocks: the blocks of one owner whose vectors are nearest to a query.
--
-- Called by: _first_candidates. Reads only.
--
-- Two ways, and the planner cannot choose between them, for it does not see what reading a vector out of line
-- costs: the HNSW index, which knows no owners and so has to go through the others' blocks as well (about 80 us
-- for each), or all of the owner's vectors (about 13 us each). enable_sort off leaves it only the index.

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

    -- pgvector before 0.8 has no such setting: it returns fewer where others' blocks are in the way.
    if v_iterative_scan is not null then
        perform set_config('hnsw.iterative_scan', 'relaxed_order', true);
    end if;

    perform
        set_config('hnsw.ef_search', least(greatest(max_blocks, 40), 1000)::text, true),
        set_config('enable_sort', 'off', true),
        set_config('enable_seqscan', 'off', true);

    return query
    select b.ctid
    from cto.blocks as b
    where b.owner_id = owner_key
        and b.embedding_model = model
        and b.created_at <= as_of
        and (b.superseded_at is null or b.superseded_at > as_of)
    order by b.embedding::extensions.halfvec(1536) operator(extensions.<=>) v_query
    limit max_blocks;

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
