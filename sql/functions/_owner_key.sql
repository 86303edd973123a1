-- _owner_key: the key of the owner that a caller named, or an error when none was named.
--
-- Called by: every API function that has an owner, as its first statement.

create or replace function cto._owner_key(owner text)
returns character(64)
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if owner is null then
        raise exception 'owner is null'
            using errcode = 'null_value_not_allowed',
                  hint = 'Say whose memory it is: a name, an address, or a key from cto.key(text).';
    end if;

    return cto.key(owner);
end;
$function$;

comment on function cto._owner_key(text) is
'cto.key of an owner. Raises null_value_not_allowed when it is null.';

revoke all on function cto._owner_key(text) from public;
grant execute on function cto._owner_key(text) to cto_agent;
