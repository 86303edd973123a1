-- _merge_config: lay a configuration over the defaults of its kind, one level deep.
--
-- Called by: _config, _extractor_config and _check_config.

create or replace function cto._merge_config(kind text, config jsonb)
returns jsonb
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select cto._overlay_config(base => cto._default_config(kind), config => config);
$function$;

comment on function cto._merge_config(text, jsonb) is
'config over the defaults of its kind; objects are merged one level deep, everything else is replaced.';

revoke all on function cto._merge_config(text, jsonb) from public;
grant execute on function cto._merge_config(text, jsonb) to cto_agent;
