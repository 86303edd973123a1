-- fold_accesses: add the logged accesses to the counts of their blocks.
--
-- Called by: cto deploy, and whoever schedules maintenance; never while selecting.
-- Locking:   the blocks whose accesses it takes. One that somebody else has is skipped and comes next
--            time: it waits for nobody, so that it never is part of a deadlock.

create or replace function cto.fold_accesses(max_accesses integer default 100000)
returns bigint
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_folded bigint;
begin
    -- Accesses of blocks that are gone count nowhere.
    delete from cto.accesses as a
    where not exists (
        select from cto.blocks as b
        where b.owner_id = a.owner_id and b.hash = a.block_hash
    );

    with oldest as materialized (
        select a.owner_id, a.access_id, a.block_hash
        from cto.accesses as a
        order by a.owner_id, a.access_id
        limit max_accesses
    ),

    free as materialized (
        select b.owner_id, b.hash
        from cto.blocks as b
        where exists (select from oldest as o where o.owner_id = b.owner_id and o.block_hash = b.hash)
        for no key update skip locked
    ),

    taken as (
        delete from cto.accesses as a
        using oldest as o
        inner join free as f on o.owner_id = f.owner_id and o.block_hash = f.hash
        where a.owner_id = o.owner_id and a.access_id = o.access_id
        returning a.owner_id, a.block_hash
    ),

    counted as (
        select t.owner_id, t.block_hash, count(*)::integer as accesses
        from taken as t
        group by t.owner_id, t.block_hash
    ),

    folded as (
        update cto.blocks as b
        set access_count = b.access_count + c.accesses
        from counted as c
        where b.owner_id = c.owner_id and b.hash = c.block_hash
        returning b.owner_id, b.hash, b.access_count
    ),

    -- Of a large owner, the blocks read most are candidates whatever the question.
    most as (
        insert into cto.most_accessed as m (owner_id, block_hash, access_count)
        select f.owner_id, f.hash, f.access_count
        from folded as f
        where exists (select from cto.owner_statistics as s where s.owner_id = f.owner_id)
        on conflict on constraint most_accessed_pkey do update
        set access_count = excluded.access_count
    )

    select coalesce(sum(c.accesses), 0)
    into v_folded
    from counted as c;

    -- 200 an owner are enough.
    delete from cto.most_accessed as m
    using (
        select
            a.owner_id, a.block_hash,
            row_number() over (partition by a.owner_id order by a.access_count desc, a.block_hash) as place
        from cto.most_accessed as a
    ) as r
    where r.owner_id = m.owner_id and r.block_hash = m.block_hash and r.place > 200;

    return v_folded;
end;
$function$;

comment on function cto.fold_accesses(integer) is
'Adds up to max_accesses rows of cto.accesses to cto.blocks.access_count, deletes them, and returns how many it took;
accesses of blocks that are being written at the moment wait for the next call.';

revoke all on function cto.fold_accesses(integer) from public;
grant execute on function cto.fold_accesses(integer) to cto_admin;
