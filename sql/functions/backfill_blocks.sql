-- backfill_blocks: work out language, lexemes and counts of blocks that v1.0 left without, and Spanish lexemes
-- that were made as they are no longer.
--
-- Called by: cto deploy, again and again until it returns 0, each call in a transaction of its own.
-- Locking:   at most max_blocks rows; rows that others hold are skipped and come next time.

create or replace function cto.backfill_blocks(max_blocks integer default 1000)
returns integer
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $function$
declare
    v_blocks integer;
begin
    -- As blocks_unfinished_idx has it, so that no batch reads the finished blocks again.
    with unfinished as (
        select b.owner_id, b.hash
        from cto.blocks as b
        where (b.language is null or b.lexemes is null or (b.language = 'es' and b.lexemes_version < 2))
        limit max_blocks
        for no key update skip locked
    ),

    -- What was counted of the old lexemes of a large owner says nothing of the new ones.
    stale as (
        delete from cto.owner_statistics as s
        using unfinished as u
        where s.owner_id = u.owner_id
    )

    update cto.blocks as b
    set language = coalesce(b.language, cto.detect_language(b.content)),
        token_count = coalesce(b.token_count, cto.estimate_tokens(b.content))
    from unfinished as u
    where b.owner_id = u.owner_id and b.hash = u.hash;

    get diagnostics v_blocks = row_count;
    return v_blocks;
end;
$function$;

comment on function cto.backfill_blocks(integer) is
'Fills language, lexemes and counts of up to max_blocks blocks that lack them or have Spanish lexemes of an older
version. Returns how many; 0 when all is done.';

revoke all on function cto.backfill_blocks(integer) from public;
grant execute on function cto.backfill_blocks(integer) to cto_admin;
