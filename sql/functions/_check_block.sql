-- _check_block: refuse a block that the API could not find or score, with a remedy.
--
-- Called by: the trigger that prepares every block. Looks only at what the statement sets: a row that v1.0
-- let in can still be counted and embedded.

create or replace function cto._check_block(new_block cto.blocks, old_block cto.blocks)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_key record;
begin
    for v_key in
        select k.name, k.value
        from (values
            ('owner_id', new_block.owner_id, old_block.owner_id),
            ('hash', new_block.hash, old_block.hash),
            ('session_hash', new_block.session_hash, old_block.session_hash)
        ) as k (name, value, before)
        where k.value is distinct from k.before and k.value !~ '^[0-9a-f]{64}$'
    loop
        raise exception '% is % but must be 64 lower-case hexadecimal digits', v_key.name, quote_literal(v_key.value)
            using errcode = 'check_violation',
                  hint = 'Use cto.key(text), or cto.remember, which hashes by itself.';
    end loop;

    if new_block.block_type is distinct from old_block.block_type
        and new_block.block_type not in ('fact', 'instruction', 'preference', 'context') then
        raise exception 'block_type is % but must be one of fact, instruction, preference, context',
            quote_literal(new_block.block_type)
            using errcode = 'check_violation',
                  hint = 'Use context for anything that fits none of the other three.';
    end if;

    -- Not "between": NaN lies above every number.
    if new_block.importance is distinct from old_block.importance
        and not (new_block.importance >= 0 and new_block.importance <= 1) then
        raise exception 'importance is % but must lie between 0 and 1', new_block.importance
            using errcode = 'check_violation',
                  hint = 'Leave it out for 0.5.';
    end if;

    if new_block.content is distinct from old_block.content and new_block.content !~ '\S' then
        raise exception 'the content is empty or blank'
            using errcode = 'check_violation',
                  hint = 'Give a text with at least one visible character.';
    end if;
end;
$function$;

comment on function cto._check_block(cto.blocks, cto.blocks) is
'Raises check_violation, naming the column, for what a statement sets wrongly; old_block is null for an insert.';

revoke all on function cto._check_block(cto.blocks, cto.blocks) from public;
grant execute on function cto._check_block(cto.blocks, cto.blocks) to cto_agent;
