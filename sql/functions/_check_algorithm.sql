-- _check_algorithm: refuse a configuration that could not be followed, however it is written.
--
-- Called by: the trigger algorithms_check, before each insert and update: v1.0 servers are configured by
-- plain UPDATE.

create or replace function cto._check_algorithm()
returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_kind constant text := cto._algorithm_kind(new.name);
begin
    if v_kind is null then
        raise exception '% names no kind of algorithm', quote_literal(new.name)
            using errcode = 'invalid_parameter_value',
                  hint = 'Use extractor, scorer, selector or consolidator, or such a name with an underscore and a suffix: '
                      || 'scorer_trial.';
    end if;

    perform cto._check_config(v_kind, new.config);
    return new;
end;
$function$;

comment on function cto._check_algorithm() is
'Trigger: raises invalid_parameter_value, naming the key, for a configuration that could not be followed.';

revoke all on function cto._check_algorithm() from public;
