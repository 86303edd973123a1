-- pin: have a session's context start with a block, whatever its score.
--
-- Called by: agents. Idempotent.

create or replace function cto.pin(owner text, session text, block_hash text)
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
    if not exists (select from cto.blocks as b where b.owner_id = v_owner and b.hash = v_block) then
        raise exception 'the owner has no block %', v_block
            using errcode = 'no_data_found',
                  hint = 'Give a block_hash that cto.remember or cto.select_context returned for the same owner.';
    end if;

    insert into cto.pins (owner_id, session_hash, block_hash)
    values (v_owner, v_session, v_block)
    on conflict on constraint pins_pkey do nothing;
end;
$function$;

comment on function cto.pin(text, text, text) is
'Pins a block to a session: it comes first in the context and needs no minimum score, only room in the budget.
Raises invalid_parameter_value for anything but a block hash, no_data_found for a block that the owner does not have.';

revoke all on function cto.pin(text, text, text) from public;
grant execute on function cto.pin(text, text, text) to cto_agent;
