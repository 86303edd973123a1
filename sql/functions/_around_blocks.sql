-- _around_blocks: some blocks and the two said before and after each in its session.
--
-- Called by: _crowd_blocks. Reads only, through blocks_session_idx: no other index has this order, so that the plan
-- need not be made anew for each owner.

create or replace function cto._around_blocks(
    owner_key character(64),
    sessions character(64)[],
    hashes character(64)[],
    moments timestamptz[],
    ordinals integer[],
    as_of timestamptz
)
returns table (place tid, hash character(64), previous_hash character(64), is_first boolean, is_last boolean)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set random_page_cost = 1.1
set enable_seqscan = off
set enable_nestloop = on
set jit = off
as $function$
#variable_conflict use_column
begin
    return query
    with said as (
        select
            n.place, n.hash,
            lag(n.hash) over (partition by s.number order by n.created_at, n.ordinal, n.hash) as previous_hash,
            -- Fewer than asked for: there is nothing before, or after.
            count(*) filter (where n.is_before) over (partition by s.number) < 2
            and lag(n.hash) over (partition by s.number order by n.created_at, n.ordinal, n.hash) is null as is_first,
            count(*) filter (where not n.is_before) over (partition by s.number) < 3
            and lead(n.hash) over (partition by s.number order by n.created_at, n.ordinal, n.hash) is null as is_last
        from unnest(sessions, hashes, moments, ordinals)
            with ordinality as s (session_hash, hash, created_at, ordinal, number)
        cross join lateral (
            (
                select b.ctid as place, b.hash, b.created_at, b.ordinal, false as is_before
                from cto.blocks as b
                where b.owner_id = owner_key
                    and b.session_hash = s.session_hash
                    and (b.created_at, b.ordinal, b.hash) >= (s.created_at, s.ordinal, s.hash)
                    and b.created_at <= as_of
                    and (b.superseded_at is null or b.superseded_at > as_of)
                order by b.created_at, b.ordinal, b.hash
                limit 3
            )

            union all

            (
                select b.ctid as place, b.hash, b.created_at, b.ordinal, true as is_before
                from cto.blocks as b
                where b.owner_id = owner_key
                    and b.session_hash = s.session_hash
                    and (b.created_at, b.ordinal, b.hash) < (s.created_at, s.ordinal, s.hash)
                    and (b.superseded_at is null or b.superseded_at > as_of)
                order by b.created_at desc, b.ordinal desc, b.hash desc
                limit 2
            )
        ) as n
    )

    select s.place, s.hash, max(s.previous_hash), bool_or(s.is_first), bool_or(s.is_last)
    from said as s
    group by s.place, s.hash;
end;
$function$;

comment on function cto._around_blocks(
    character, character[], character[], timestamptz[], integer[], timestamptz
) is
'The blocks of hashes and up to two live ones before and after each: place (ctid), hash, the one said before it where
that is known, and whether it is known to be the first or the last of its session.
sessions, moments (created_at) and ordinals belong to hashes, element by element.';

revoke all on function cto._around_blocks(
    character, character[], character[], timestamptz[], integer[], timestamptz
) from public;
grant execute on function cto._around_blocks(
    character, character[], character[], timestamptz[], integer[], timestamptz
) to cto_agent;
