-- search_blocks: the blocks of an owner that are nearest to a question, whatever their age and importance.
--
-- Called by: agents and people who look something up. Reads only; no budget, nothing is recorded.

create or replace function cto.search_blocks(
    owner text,
    query text default null,
    query_embedding extensions.vector default null,
    max_results integer default 20
)
returns table (
    block_hash character(64),
    block_type text,
    content text,
    similarity double precision,
    session_hash character(64),
    source_hash character(64),
    created_at timestamptz
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $function$
#variable_conflict use_column
declare
    v_owner constant character(64) := cto._owner_key(owner);
begin
    if coalesce(query, '') !~ '\S' and query_embedding is null then
        raise exception 'there is nothing to search for'
            using errcode = 'invalid_parameter_value',
                  hint = 'Give a query, a query_embedding of the current model, or both.';
    end if;

    if coalesce(query, '') !~ '\S' and cto._current_model() is null then
        raise exception 'no block has a vector yet, so that a query_embedding finds nothing'
            using errcode = 'invalid_parameter_value',
                  hint = 'Give a query in words, or run cto embed first.';
    end if;

    if max_results is null or max_results < 1 then
        raise exception 'max_results is % but must be at least 1', coalesce(max_results::text, 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it out for 20.';
    end if;

    return query
    select s.block_hash, s.block_type, s.content, s.similarity, b.session_hash, b.source_hash, b.created_at
    from cto._score_blocks(
        owner_key => v_owner, session_key => null, query => query, query_embedding => query_embedding,
        config => cto._overlay_config(
            base => cto._config('scorer', 'scorer', v_owner),
            config => '{"weights": {"recency": 0, "frequency": 0, "importance": 0, "similarity": 1}}'),
        as_of => now(), max_candidates => max_results) as s
    inner join cto.blocks as b on b.owner_id = v_owner and b.hash = s.block_hash
    order by s.similarity desc nulls last, b.created_at desc, s.block_hash;
end;
$function$;

comment on function cto.search_blocks(text, text, extensions.vector, integer) is
'The max_results live blocks of an owner that are most similar to the question, best first: the similarity of
cto.score_blocks, 0 to 1, relative to the owner''s other blocks. query_embedding: of the current embedding model.
Raises invalid_parameter_value without a question, and for a vector that does not fit.';

revoke all on function cto.search_blocks(text, text, extensions.vector, integer) from public;
grant execute on function cto.search_blocks(text, text, extensions.vector, integer) to cto_agent;
