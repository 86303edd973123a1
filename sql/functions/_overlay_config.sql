-- _overlay_config: lay one configuration over another, one level deep.
--
-- Called by: _merge_config and _config. One level deep, so that {"weights": {"recency": 1}} changes one weight and
-- keeps the other three.

create or replace function cto._overlay_config(base jsonb, config jsonb)
returns jsonb
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select base || coalesce(jsonb_object_agg(
    c.key,
    case
        when jsonb_typeof(c.value) = 'object' and jsonb_typeof(base -> c.key) = 'object'
            then (base -> c.key) || c.value
        else c.value
    end
), '{}')
from jsonb_each(coalesce(config, '{}')) as c (key, value);
$function$;

comment on function cto._overlay_config(jsonb, jsonb) is
'config over base; objects are merged one level deep, everything else is replaced. Null config: base.';

revoke all on function cto._overlay_config(jsonb, jsonb) from public;
grant execute on function cto._overlay_config(jsonb, jsonb) to cto_agent;
