-- _check_length: refuse a value that its column cannot hold, naming the argument.
--
-- Called by: log_message and log_tool_call, whose columns keep the lengths of v1.0.

create or replace function cto._check_length(value text, argument text, at_most integer)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if length(value) > at_most then
        raise exception '% has % characters but at most % fit', argument, length(value), at_most
            using errcode = 'string_data_right_truncation',
                  hint = 'Shorten it, or put the long form into metadata.';
    end if;

    if value !~ '\S' then
        raise exception '% is blank', argument
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it out (null) or give a text with a visible character.';
    end if;
end;
$function$;

comment on function cto._check_length(text, text, integer) is
'Raises string_data_right_truncation when value is longer than at_most characters, invalid_parameter_value when
it is blank; null passes.';

revoke all on function cto._check_length(text, text, integer) from public;
grant execute on function cto._check_length(text, text, integer) to cto_agent;
