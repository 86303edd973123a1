-- _count_words: the length of a text for BM25: its words in text search, each as often as it occurs.
--
-- Called by: the trigger that prepares every block. Cut as the column lexemes is.

create or replace function cto._count_words(language text, content text)
returns integer
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select coalesce(sum(cardinality(w.positions)), 0)::integer
from unnest(to_tsvector(cto.text_search_config(language), left(content, 100000))) as w;
$function$;

comment on function cto._count_words(text, text) is
'How many words of the text are in its tsvector, stop words left out.';

revoke all on function cto._count_words(text, text) from public;
grant execute on function cto._count_words(text, text) to cto_agent;
