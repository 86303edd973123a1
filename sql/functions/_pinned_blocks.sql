-- _pinned_blocks: what a session had pinned as of a moment.
--
-- Called by: _score_blocks and _select_blocks. Reads only.

create or replace function cto._pinned_blocks(
    owner_key character(64),
    session_key character(64),
    as_of timestamptz
)
returns character(64)[]
language sql
stable
set search_path = pg_catalog, pg_temp
as $function$
select coalesce(array_agg(p.block_hash), '{}')
from (
    select p.block_hash
    from cto.pins as p
    inner join cto.blocks as b on b.owner_id = p.owner_id and b.hash = p.block_hash
    where p.owner_id = owner_key
        and p.session_hash = session_key
        -- As of a moment before the block itself was stored, the past is imported and its pins are those of now.
        and (p.pinned_at <= _pinned_blocks.as_of or b.recorded_at > _pinned_blocks.as_of)

    union

    select p.block_hash
    from cto.past_pins as p
    where p.owner_id = owner_key
        and p.session_hash = session_key
        and p.pinned_at <= _pinned_blocks.as_of
        and p.unpinned_at > _pinned_blocks.as_of
) as p;
$function$;

comment on function cto._pinned_blocks(character, character, timestamptz) is
'Hashes of the blocks that the session had pinned as of a moment; an empty array when there are none.';

revoke all on function cto._pinned_blocks(character, character, timestamptz) from public;
grant execute on function cto._pinned_blocks(character, character, timestamptz) to cto_agent;
