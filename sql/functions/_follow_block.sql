-- _follow_block: keep what hangs on a block beside it when its text changes, it comes back, or it goes.
--
-- Called by: the triggers blocks_follow_edit and blocks_follow_delete, after each row. cto.memory and
-- cto.accesses have no foreign key on purpose (its checks would lock the hot rows).

create or replace function cto._follow_block()
returns trigger
language plpgsql
security definer  -- on purpose: whoever may edit a block need not be let into the queue and the logs
set search_path = pg_catalog, pg_temp
as $function$
begin
    if tg_op = 'DELETE' then
        delete from cto.memory as m where m.owner_id = old.owner_id and m.block_hash = old.hash;
        delete from cto.accesses as a where a.owner_id = old.owner_id and a.block_hash = old.hash;
        return null;
    end if;

    if new.hash <> old.hash then
        update cto.memory as m set block_hash = new.hash
        where m.owner_id = old.owner_id and m.block_hash = old.hash;

        update cto.accesses as a set block_hash = new.hash
        where a.owner_id = old.owner_id and a.block_hash = old.hash;

        update cto.blocks as b set superseded_by = new.hash
        where b.owner_id = old.owner_id and b.superseded_by = old.hash;
    end if;

    -- The new text waits for its own vector; whoever holds the job of the old one has lost it.
    -- A block that comes back alive may never have got its vector.
    if new.embedding is null
        and new.superseded_at is null
        and (new.content <> old.content or new.hash <> old.hash or old.superseded_at is not null) then
        insert into cto.embedding_jobs as j (owner_id, block_hash)
        values (new.owner_id, new.hash)
        on conflict on constraint embedding_jobs_pkey do update
        set state = 'waiting',
            leased_by = null,
            leased_until = null,
            attempts = 0,
            not_before = excluded.not_before,
            last_error = null;
    end if;

    return null;
end;
$function$;

comment on function cto._follow_block() is
'Trigger: memory, accesses, successors and the embedding job follow an edited block, and go with a deleted one.';

revoke all on function cto._follow_block() from public;
