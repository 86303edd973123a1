-- _check_choice: one textual key of a configuration, or a clear error.
--
-- Called by: _check_config.

create or replace function cto._check_choice(path text, value jsonb, choices text[])
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if value is null then
        return;
    end if;

    if jsonb_typeof(value) <> 'string' or not (value #>> '{}') = any (choices) then
        raise exception '% is % but must be one of %', path, value, array_to_string(choices, ', ')
            using errcode = 'invalid_parameter_value',
                  hint = 'Choose one of the names above.';
    end if;
end;
$function$;

comment on function cto._check_choice(text, jsonb, text[]) is
'Raises invalid_parameter_value unless value is one of the strings in choices; null passes.';

revoke all on function cto._check_choice(text, jsonb, text[]) from public;
grant execute on function cto._check_choice(text, jsonb, text[]) to cto_agent;
