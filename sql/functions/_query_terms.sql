-- _query_terms: the stems of a query in each language, and how rare each one is among an owner's blocks.
--
-- Called by: _score_blocks. Reads only.
--
-- A block is matched with the stems of its own language. How many blocks hold a stem is taken from
-- cto.lexeme_statistics; what is not there is rare, and counted by the caller among the blocks that it looks at.

create or replace function cto._query_terms(
    owner_key character(64),
    query text,
    use_statistics boolean
)
returns table (language text, lexeme text, blocks bigint)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set random_page_cost = 1.1
set enable_nestloop = on
set jit = off
as $function$
#variable_conflict use_column
begin
    return query
    select
        t.language, t.lexeme,
        -- A name is the same stem in every language, and as rare as all its blocks together.
        (sum(s.blocks) over (partition by t.lexeme))::bigint
    from (
        select l.language, unnest(tsvector_to_array(cto._block_lexemes(query, l.language))) as lexeme
        from unnest(array['es', 'en', 'simple']) as l (language)
    ) as t
    left join cto.lexeme_statistics as s
        on use_statistics
            and s.owner_id = owner_key and s.language = t.language and s.lexeme = t.lexeme collate "C";
end;
$function$;

comment on function cto._query_terms(character, text, boolean) is
'The stems of query under es, en and simple, each with the number of the owner''s blocks that hold it, where statistics
are used and know it; else null.';

revoke all on function cto._query_terms(character, text, boolean) from public;
grant execute on function cto._query_terms(character, text, boolean) to cto_agent;
