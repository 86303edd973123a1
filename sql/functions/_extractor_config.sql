-- _extractor_config: the extractor's configuration for one call: the one given, or the one in force.
--
-- Called by: extract_blocks.

create or replace function cto._extractor_config(config jsonb)
returns jsonb
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $function$
begin
    if config is null then
        return cto._config('extractor', 'extractor');
    end if;

    perform cto._check_config('extractor', config);
    return cto._merge_config('extractor', config);
end;
$function$;

comment on function cto._extractor_config(jsonb) is
'config checked and completed, or the configuration in force when it is null.';

revoke all on function cto._extractor_config(jsonb) from public;
grant execute on function cto._extractor_config(jsonb) to cto_agent;
