-- _block_key: a block hash as the caller gave it, or an error that says what one looks like.
--
-- Called by: API functions that take a block_hash (pin, unpin).

create or replace function cto._block_key(block_hash text)
returns character(64)
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if block_hash is null or block_hash !~ '^[0-9a-f]{64}$' then
        raise exception '% is not the hash of a block', coalesce(quote_literal(block_hash), 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'Give the 64 lower-case hexadecimal digits that cto.remember or cto.select_context returned.';
    end if;

    return block_hash;
end;
$function$;

comment on function cto._block_key(text) is
'A block hash, checked. Raises invalid_parameter_value for anything but 64 lower-case hexadecimal digits.';

revoke all on function cto._block_key(text) from public;
grant execute on function cto._block_key(text) to cto_agent;
