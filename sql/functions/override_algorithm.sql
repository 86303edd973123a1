-- override_algorithm: let an algorithm be different for one owner.
--
-- Called by: administrators. Earlier revisions stay in cto.owner_algorithms.
-- Locking:   two overrides of the same owner and algorithm at once: the second is a unique_violation.

create or replace function cto.override_algorithm(owner text, name text, config jsonb)
returns integer
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_owner constant character(64) := cto._owner_key(owner);
    v_kind constant text := cto._algorithm_kind(name);
    v_revision integer;
begin
    if not exists (select from cto.algorithms as a where a.name = override_algorithm.name) then
        raise exception 'there is no algorithm named %', coalesce(quote_literal(name), 'null')
            using errcode = 'undefined_object',
                  hint = 'See cto.algorithms for the names, or add it with cto.set_algorithm(name, config).';
    end if;

    if config is not null then
        -- As it will be followed: a weight of 0 may be fine beside the others.
        perform cto._check_config(v_kind, config);
        perform cto._check_config(v_kind, cto._overlay_config(
            base => (select a.config from cto.algorithms as a where a.name = override_algorithm.name),
            config => config));
    end if;

    select coalesce(max(o.revision), 0) + 1
    into v_revision
    from cto.owner_algorithms as o
    where o.owner_id = v_owner and o.name = override_algorithm.name;

    insert into cto.owner_algorithms (owner_id, name, revision, config)
    values (v_owner, override_algorithm.name, v_revision, override_algorithm.config);

    return v_revision;
end;
$function$;

comment on function cto.override_algorithm(text, text, jsonb) is
'Lays config over the algorithm name for one owner and returns the revision; the keys left out stay as configured for
all. Null config: as for all again. Raises undefined_object for an unknown algorithm, invalid_parameter_value, naming the
key, for a configuration that could not be followed.';

revoke all on function cto.override_algorithm(text, text, jsonb) from public;
grant execute on function cto.override_algorithm(text, text, jsonb) to cto_admin;
