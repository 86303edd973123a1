-- _keep_algorithm: write every configuration that comes into force into the history.
--
-- Called by: the trigger algorithms_history, after each insert and update.

create or replace function cto._keep_algorithm()
returns trigger
language plpgsql
security definer  -- on purpose: nobody need be let into the history to be recorded in it
set search_path = pg_catalog, pg_temp
as $function$
begin
    insert into cto.algorithm_history (name, version, config, enabled)
    values (new.name, new.version, new.config, new.enabled);
    return null;
end;
$function$;

comment on function cto._keep_algorithm() is
'Trigger: appends the configuration to cto.algorithm_history.';

revoke all on function cto._keep_algorithm() from public;
