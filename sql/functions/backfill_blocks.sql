-- backfill_blocks: work out language, lexemes and counts of blocks that v1.0 left without.
--
-- Called by: cto deploy, again and again until it returns 0, each call in a transaction of its own.
-- Locking:   at most max_blocks rows; rows that others hold are skipped and come next time.

create or replace function cto.backfill_blocks(max_blocks integer default 1000)
returns integer
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_blocks integer;
begin
    with missing as (
        select b.owner_id, b.hash
        from cto.blocks as b
        where (b.language is null or b.token_count is null or b.lexemes is null)
        limit max_blocks
        for update skip locked
    )

    update cto.blocks as b
    set language = coalesce(b.language, cto.detect_language(b.content)),
        token_count = coalesce(b.token_count, cto.estimate_tokens(b.content))
    from missing as m
    where b.owner_id = m.owner_id and b.hash = m.hash;

    get diagnostics v_blocks = row_count;
    return v_blocks;
end;
$function$;

comment on function cto.backfill_blocks(integer) is
'Fills language, lexemes and counts of up to max_blocks blocks that lack them.
Returns how many; 0 when all is done.';

revoke all on function cto.backfill_blocks(integer) from public;
grant execute on function cto.backfill_blocks(integer) to cto_admin;
