-- enqueue_missing: queue every live block that has no vector and no job.
--
-- Called by: cto deploy and cto embed before they start, so that nothing is left out whatever wrote it.

create or replace function cto.enqueue_missing()
returns bigint
language plpgsql
volatile
security definer  -- on purpose: the worker may fill the queue, and read no block beside it
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_queued bigint;
begin
    insert into cto.embedding_jobs (owner_id, block_hash)
    select b.owner_id, b.hash
    from cto.blocks as b
    where b.embedding is null
        and b.superseded_at is null
        and not exists (
            select from cto.embedding_jobs as j
            where j.owner_id = b.owner_id and j.block_hash = b.hash
        )
    on conflict on constraint embedding_jobs_pkey do nothing;

    get diagnostics v_queued = row_count;
    return v_queued;
end;
$function$;

comment on function cto.enqueue_missing() is
'Queues every live block without a vector that is not queued yet, and returns how many.';

revoke all on function cto.enqueue_missing() from public;
grant execute on function cto.enqueue_missing() to cto_embedder;
