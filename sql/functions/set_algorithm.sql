-- set_algorithm: put a configuration in force, after checking every key of it.
--
-- Called by: administrators. Triggers keep the one before in cto.algorithm_history.
-- Locking:   the row of the algorithm, to the end of the caller's transaction.

create or replace function cto.set_algorithm(name text, config jsonb, version text default null)
returns text
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_kind constant text := cto._algorithm_kind(name);
    v_before text;
    v_version text;
begin
    if v_kind is null then
        raise exception '% names no kind of algorithm', coalesce(quote_literal(name), 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'Use extractor, scorer, selector or consolidator, or such a name with an underscore and a suffix: scorer_trial.';
    end if;

    perform cto._check_config(v_kind, config);

    select a.version
    into v_before
    from cto.algorithms as a
    where a.name = set_algorithm.name
    for update;

    -- 1.0 becomes 1.1; a version that does not end in a number gets one.
    v_version := coalesce(
        version,
        case
            when v_before is null then '1.0'
            when v_before ~ '[0-9]$' then
                regexp_replace(v_before, '[0-9]+$', '') || (substring(v_before from '[0-9]+$')::numeric + 1)
            else v_before || '.1'
        end);

    insert into cto.algorithms (name, version, config, enabled)
    values (set_algorithm.name, v_version, set_algorithm.config, true)
    on conflict on constraint algorithms_pkey do update
    set version = excluded.version,
        config = excluded.config;

    return v_version;
end;
$function$;

comment on function cto.set_algorithm(text, jsonb, text) is
'Puts config in force for the algorithm name and returns its version (the last number counted up unless given).
Raises invalid_parameter_value, naming the key, for a configuration that could not be followed.';

revoke all on function cto.set_algorithm(text, jsonb, text) from public;
grant execute on function cto.set_algorithm(text, jsonb, text) to cto_admin;
