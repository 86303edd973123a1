-- _without_rendered: the parts of a text that render_context did not write.
--
-- Called by: _extract, in every mode and on every tier: recalled text that is remembered again would
-- fill the store with copies of itself. A region without its end reaches to the end of the text.
--
-- One expression a format: an alternation is always greedy in PostgreSQL and would swallow what stands
-- between two regions.

create or replace function cto._without_rendered(content text)
returns setof text
language plpgsql
immutable
strict
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_cut constant text := chr(1);
    v_text text := content;
    v_region text;
begin
    if content !~ 'cto[:_]context' then
        return query select content where content ~ '\S';
        return;
    end if;

    foreach v_region in array array[
        '<!-- cto:context.*?<!-- /cto:context -->',
        '<cto_context.*?</cto_context>',
        '\{"cto_context":.*?"cto_end": ?true\}',
        '\[cto:context.*?\[/cto:context\]',
        -- what was cut off
        '(?:<!-- cto:context|<cto_context|\{"cto_context":|\[cto:context).*$'
    ]
    loop
        v_text := regexp_replace(v_text, v_region, v_cut, 'g');
    end loop;

    return query
    select p.part
    from string_to_table(v_text, v_cut) as p (part)
    where p.part ~ '\S';
end;
$function$;

comment on function cto._without_rendered(text) is
'The parts of a text outside the markers of render_context, in order, blank ones left out.';

revoke all on function cto._without_rendered(text) from public;
grant execute on function cto._without_rendered(text) to cto_agent;
