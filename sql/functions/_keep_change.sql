-- _keep_change: write down what a block was like, when it is said again, superseded or otherwise changed.
--
-- Called by: the trigger blocks_keep_change; not when accesses are folded or a vector is stored.

create or replace function cto._keep_change()
returns trigger
language plpgsql
security definer  -- on purpose: nobody need be let into the history to be recorded in it
set search_path = pg_catalog, pg_temp
as $function$
begin
    insert into cto.block_changes (
        owner_id, block_hash, changed_at, last_said_at, importance, block_type, superseded_at
    )
    select
        new.owner_id, new.hash, least(old.created_at, new.created_at), old.last_said_at, old.importance,
        old.block_type, old.superseded_at
    where not exists (
        select from cto.block_changes as c
        where c.owner_id = new.owner_id and c.block_hash = new.hash
    );

    -- Said again, it is so from then on; superseded, from then on; anything else, from now on.
    insert into cto.block_changes (
        owner_id, block_hash, changed_at, last_said_at, importance, block_type, superseded_at
    )
    values (
        new.owner_id, new.hash,
        case
            when new.last_said_at > old.last_said_at then new.last_said_at
            when new.superseded_at is distinct from old.superseded_at then coalesce(new.superseded_at, now())
            else now()
        end,
        new.last_said_at, new.importance, new.block_type, new.superseded_at
    );

    return null;
end;
$function$;

comment on function cto._keep_change() is
'Trigger: appends the state of a block, and its first one, to cto.block_changes.';

revoke all on function cto._keep_change() from public;
