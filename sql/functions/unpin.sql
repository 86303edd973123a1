-- unpin: let a block compete by its score again.
--
-- Called by: agents. Idempotent.

create or replace function cto.unpin(owner text, session text, block_hash text)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_owner constant character(64) := cto._owner_key(owner);
    v_session constant character(64) := cto._session_key(session);
    v_block constant character(64) := cto._block_key(block_hash);
begin
    with gone as (
        delete from cto.pins as p
        where p.owner_id = v_owner and p.session_hash = v_session and p.block_hash = v_block
        returning p.pinned_at
    )

    insert into cto.past_pins (owner_id, session_hash, block_hash, pinned_at, unpinned_at)
    select v_owner, v_session, v_block, g.pinned_at, now()
    from gone as g;
end;
$function$;

comment on function cto.unpin(text, text, text) is
'Takes a pin away; a block that is not pinned is no error.
Raises invalid_parameter_value for anything but a block hash.';

revoke all on function cto.unpin(text, text, text) from public;
grant execute on function cto.unpin(text, text, text) to cto_agent;
