-- _merge_config: lay a configuration over the defaults of its kind, one level deep.
--
-- Called by: _config, _extractor_config and _check_config. One level deep, so that
-- {"weights": {"recency": 1}} changes one weight and keeps the other three.

create or replace function cto._merge_config(kind text, config jsonb)
returns jsonb
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select cto._default_config(kind) || coalesce(jsonb_object_agg(
    c.key,
    case
        when jsonb_typeof(c.value) = 'object' and jsonb_typeof(cto._default_config(kind) -> c.key) = 'object'
            then (cto._default_config(kind) -> c.key) || c.value
        else c.value
    end
), '{}')
from jsonb_each(coalesce(config, '{}')) as c (key, value);
$function$;

comment on function cto._merge_config(text, jsonb) is
'config over the defaults of its kind; objects are merged one level deep, everything else is replaced.';

revoke all on function cto._merge_config(text, jsonb) from public;
grant execute on function cto._merge_config(text, jsonb) to cto_agent;
