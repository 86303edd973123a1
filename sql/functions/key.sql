-- key: turn any text identifier into a key of 64 hexadecimal digits.
--
-- Called by: every API function, for owners and sessions, so that agents need not hash by hand.
-- A key is taken as it is. Upper-case hexadecimal is refused, because it would silently name
-- another owner than the same key in lower case.

create or replace function cto.key(identifier text)
returns character(64)
language plpgsql
immutable
strict
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if identifier ~ '^[0-9a-f]{64}$' then
        return identifier;
    end if;

    if identifier !~ '\S' then
        raise exception 'an identifier is blank'
            using errcode = 'invalid_parameter_value',
                  hint = 'Name the owner, session or context with a text that has at least one visible character.';
    end if;

    if lower(identifier) ~ '^[0-9a-f]{64}$' then
        raise exception 'the key % is not in lower case', identifier
            using errcode = 'invalid_parameter_value',
                  hint = 'Write the key in lower case: ' || lower(identifier);
    end if;

    return encode(sha256(convert_to(identifier, 'UTF8')), 'hex');
end;
$function$;

comment on function cto.key(text) is
'The key of an identifier: a key (64 lower-case hexadecimal digits) as it is, anything else as its SHA-256.
Raises invalid_parameter_value for a blank identifier and for a key in upper case.';

revoke all on function cto.key(text) from public;
grant execute on function cto.key(text) to cto_agent, cto_embedder, cto_report;
