-- _config: the configuration in force of one algorithm, its defaults filled in.
--
-- Called by: every function that runs an algorithm. The kind says which defaults and checks apply;
-- the name may be another row of the same kind (a scorer under test, say).

create or replace function cto._config(kind text, name text, owner_key character(64) default null)
returns jsonb
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_algorithm record;
    v_own jsonb;
begin
    select a.config, a.enabled
    into v_algorithm
    from cto.algorithms as a
    where a.name = _config.name;

    if not found then
        raise exception 'there is no algorithm named %', coalesce(quote_literal(name), 'null')
            using errcode = 'undefined_object',
                  hint = 'See cto.algorithms for the names, or add it with cto.set_algorithm(name, config).';
    end if;

    if cto._algorithm_kind(name) is distinct from kind then
        raise exception 'the algorithm % is no %', quote_literal(name), kind
            using errcode = 'invalid_parameter_value',
                  hint = format('Name one whose name is %s or starts with %s_.', kind, kind);
    end if;

    if not v_algorithm.enabled then
        raise exception 'the algorithm % is switched off', quote_literal(name)
            using errcode = 'object_not_in_prerequisite_state',
                  hint = format('Switch it on: update cto.algorithms set enabled = true where name = %L;', name);
    end if;

    -- One owner's own keys lie over the algorithm's, as those lie over the defaults.
    if owner_key is not null then
        select o.config
        into v_own
        from cto.owner_algorithms as o
        where o.owner_id = owner_key and o.name = _config.name
        order by o.revision desc
        limit 1;
    end if;

    return cto._overlay_config(base => cto._merge_config(kind, v_algorithm.config), config => v_own);
end;
$function$;

comment on function cto._config(text, text, character) is
'The configuration of the algorithm name, with the defaults of its kind filled in, and an owner''s own keys over it.
Raises undefined_object when there is none, invalid_parameter_value for another kind and object_not_in_prerequisite_state when it is switched off.';

revoke all on function cto._config(text, text, character) from public;
grant execute on function cto._config(text, text, character) to cto_agent;
