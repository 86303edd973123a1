-- rollback_algorithm: put an earlier configuration of an algorithm in force again.
--
-- Called by: administrators. What was in force stays in cto.algorithm_history, as ever.
-- Locking:   as set_algorithm.

create or replace function cto.rollback_algorithm(name text, version text default null)
returns text
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_current text;
    v_current_config jsonb;
    v_config jsonb;
begin
    select a.version, a.config
    into v_current, v_current_config
    from cto.algorithms as a
    where a.name = rollback_algorithm.name
    for update;

    if not found then
        raise exception 'there is no algorithm named %', coalesce(quote_literal(name), 'null')
            using errcode = 'undefined_object',
                  hint = 'See cto.algorithms for the names.';
    end if;

    select h.config
    into v_config
    from cto.algorithm_history as h
    where h.name = rollback_algorithm.name
        and case
            when rollback_algorithm.version is null then (h.version, h.config) <> (v_current, v_current_config)
            else h.version = rollback_algorithm.version
        end
    order by h.history_id desc
    limit 1;

    if not found then
        raise exception 'the algorithm % has no %', quote_literal(name),
            coalesce('version ' || quote_literal(version), 'earlier version')
            using errcode = 'no_data_found',
                  hint = format('See: select version, config, set_at from cto.algorithm_history where name = %L;', name);
    end if;

    return cto.set_algorithm(name => name, config => v_config);
end;
$function$;

comment on function cto.rollback_algorithm(text, text) is
'Puts the configuration of a version in force again, or without a version the one before the present one, and returns
the new version that it was given. Raises undefined_object for an unknown algorithm, no_data_found for an unknown version.';

revoke all on function cto.rollback_algorithm(text, text) from public;
grant execute on function cto.rollback_algorithm(text, text) to cto_admin;
