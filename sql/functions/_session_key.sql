-- _session_key: the key of the session that a caller named, or an error when none was named.
--
-- Called by: API functions that cannot do without a session.

create or replace function cto._session_key(session text)
returns character(64)
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if session is null then
        raise exception 'session is null'
            using errcode = 'null_value_not_allowed',
                  hint = 'Name the session whose context is meant.';
    end if;

    return cto.key(session);
end;
$function$;

comment on function cto._session_key(text) is
'cto.key of a session. Raises null_value_not_allowed when it is null.';

revoke all on function cto._session_key(text) from public;
grant execute on function cto._session_key(text) to cto_agent;
