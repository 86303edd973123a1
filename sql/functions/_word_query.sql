-- _word_query: a text search query for one lexeme as it is, whatever marks it holds.
--
-- Called by: _raw_blocks and _worded_blocks.

create or replace function cto._word_query(lexeme text)
returns tsquery
language sql
immutable
strict
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery;
$function$;

comment on function cto._word_query(text) is
'The tsquery that finds exactly this lexeme. It is not parsed: & and | in it are only text.';

revoke all on function cto._word_query(text) from public;
grant execute on function cto._word_query(text) to cto_agent;
