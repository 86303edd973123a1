-- _default_importance: how important a block is when nobody said so.
--
-- Called by: _store_block. A standing rule outweighs a taste, a taste a fact, and a fact the day's state.

create or replace function cto._default_importance(block_type text)
returns double precision
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select case block_type
    when 'instruction' then 0.8
    when 'preference' then 0.7
    when 'fact' then 0.6
    else 0.4
end::double precision;
$function$;

comment on function cto._default_importance(text) is
'Importance, from 0 to 1, of a block of this type when none is given.';

revoke all on function cto._default_importance(text) from public;
grant execute on function cto._default_importance(text) to cto_agent;
