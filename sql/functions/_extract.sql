-- _extract: the blocks of one message, in the order of the text.
--
-- Called by: extract_blocks and log_message. Without PL/Python on the server (tier sql) the mode
-- heuristic is carried out as message, whatever the patterns: something is remembered rather than nothing.
-- min_content_length is for what was said, not for the pieces that a long text is cut into.

create or replace function cto._extract(content text, config jsonb)
returns table (block_type text, block_content text, importance double precision, language text)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_least constant integer := (config ->> 'min_content_length')::numeric;
    v_most constant integer := (config ->> 'max_block_size')::numeric;
    v_patterns constant text[] := array(
        select p.pattern from jsonb_array_elements_text(config -> 'patterns') as p (pattern));
    v_part text;
begin
    for v_part in select w.part from cto._without_rendered(content) as w (part)
    loop
        if config ->> 'extraction_mode' = 'heuristic'
            and to_regprocedure('cto._extract_heuristic(text, integer, integer, text[])') is not null then
            return query execute
                'select * from cto._extract_heuristic($1, $2, $3, $4)'
                using v_part, v_least, v_most, v_patterns;
        elsif (config ->> 'extraction_mode' = 'heuristic' or 'context' = any (v_patterns))
            and length(btrim(v_part, E' \n\r\t')) >= v_least then
            return query
            select 'context', s.piece, cto._default_importance('context'), cto.detect_language(s.piece)
            from cto._split_text(v_part, v_most) as s (piece);
        end if;
    end loop;
end;
$function$;

comment on function cto._extract(text, jsonb) is
'The blocks of a text under a complete extractor configuration. Stores nothing.';

revoke all on function cto._extract(text, jsonb) from public;
grant execute on function cto._extract(text, jsonb) to cto_agent;
