-- _without_rendered: the parts of a text that render_context did not write.
--
-- Called by: _extract, in every mode and on every tier: recalled text that is remembered again would
-- fill the store with copies of itself. A region without its end reaches to the end of the text.

create or replace function cto._without_rendered(content text)
returns setof text
language sql
immutable
strict
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select p.part
from regexp_split_to_table(
    content,
    '<!-- cto:context.*?(?:<!-- /cto:context -->|$)'
    || '|<cto_context.*?(?:</cto_context>|$)'
    || '|\{"cto_context":.*?(?:"cto_end": ?true\}|$)'
    || '|\[cto:context.*?(?:\[/cto:context\]|$)'
) as p (part)
where p.part ~ '\S';
$function$;

comment on function cto._without_rendered(text) is
'The parts of a text outside the markers of render_context, in order, blank ones left out.';

revoke all on function cto._without_rendered(text) from public;
grant execute on function cto._without_rendered(text) to cto_agent;
