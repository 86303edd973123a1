-- _disarm: break up the markers of a rendered context inside a block's own text.
--
-- Called by: _render_block. Without it a block could pretend that the remembered text ends before it.

create or replace function cto._disarm(content text)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select regexp_replace(content, '(cto)(:context|_context|_end)', '\1 \2', 'g');
$function$;

comment on function cto._disarm(text) is
'The text with a space inside cto:context, cto_context and cto_end.';

revoke all on function cto._disarm(text) from public;
grant execute on function cto._disarm(text) to cto_agent;
