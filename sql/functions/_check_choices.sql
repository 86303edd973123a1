-- _check_choices: one key of a configuration that lists names, or a clear error.
--
-- Called by: _check_config.

create or replace function cto._check_choices(path text, value jsonb, choices text[])
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_item jsonb;
begin
    if value is null then
        return;
    end if;

    if jsonb_typeof(value) <> 'array' then
        raise exception '% is % but must be a list', path, value
            using errcode = 'invalid_parameter_value',
                  hint = format('Give a list with some of %s.', array_to_string(choices, ', '));
    end if;

    for v_item in select i.item from jsonb_array_elements(value) as i (item)
    loop
        perform cto._check_choice('an item of ' || path, v_item, choices);
    end loop;
end;
$function$;

comment on function cto._check_choices(text, jsonb, text[]) is
'Raises invalid_parameter_value unless value is a list of strings, each one of choices; null passes.';

revoke all on function cto._check_choices(text, jsonb, text[]) from public;
grant execute on function cto._check_choices(text, jsonb, text[]) to cto_agent;
