-- fold_accesses: add the logged accesses to the counts of their blocks.
--
-- Called by: maintenance (cto deploy, a nightly job), never while selecting.
-- Locking:   the access rows it takes (others skip them) and the rows of their blocks, in hash order.

create or replace function cto.fold_accesses(max_accesses integer default 100000)
returns bigint
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_folded bigint;
begin
    with taken as (
        delete from cto.accesses as a
        using (
            select x.owner_id, x.access_id
            from cto.accesses as x
            order by x.owner_id, x.access_id
            limit max_accesses
            for update skip locked
        ) as oldest
        where a.owner_id = oldest.owner_id and a.access_id = oldest.access_id
        returning a.owner_id, a.block_hash
    ),

    counted as (
        select t.owner_id, t.block_hash, count(*)::integer as accesses
        from taken as t
        group by t.owner_id, t.block_hash
    ),

    -- In one order, so that two folds never wait for each other in a circle.
    locked as (
        select b.owner_id, b.hash, c.accesses
        from cto.blocks as b
        inner join counted as c on b.owner_id = c.owner_id and b.hash = c.block_hash
        order by b.owner_id, b.hash
        for no key update of b
    ),

    folded as (
        update cto.blocks as b
        set access_count = b.access_count + l.accesses
        from locked as l
        where b.owner_id = l.owner_id and b.hash = l.hash
    )

    select coalesce(sum(c.accesses), 0)
    into v_folded
    from counted as c;

    return v_folded;
end;
$function$;

comment on function cto.fold_accesses(integer) is
'Adds up to max_accesses rows of cto.accesses to cto.blocks.access_count, deletes them, and returns how many it took.';

revoke all on function cto.fold_accesses(integer) from public;
grant execute on function cto.fold_accesses(integer) to cto_admin;
