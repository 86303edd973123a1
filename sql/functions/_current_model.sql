-- _current_model: the embedding model that queries are compared with; null before the first vector.
--
-- Called by: _score_blocks and the triggers of cto.blocks.

create or replace function cto._current_model()
returns text
language sql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select m.name from cto.embedding_models as m where m.is_current;
$function$;

comment on function cto._current_model() is
'Name of the current embedding model, or null when no vector was stored yet.';

revoke all on function cto._current_model() from public;
grant execute on function cto._current_model() to cto_agent, cto_embedder, cto_report;
