-- _queue_blocks: queue the new blocks that came without a vector.
--
-- Called by: the trigger blocks_queue, once a statement after insert.

create or replace function cto._queue_blocks()
returns trigger
language plpgsql
security definer  -- on purpose: whoever may write a block need not be let into the queue
set search_path = pg_catalog, pg_temp
as $function$
begin
    insert into cto.embedding_jobs (owner_id, block_hash)
    select n.owner_id, n.hash
    from new_blocks as n
    where n.embedding is null and n.superseded_at is null
    on conflict on constraint embedding_jobs_pkey do nothing;

    -- Blocks that came with a vector may be the first of their model.
    perform cto._register_model(name => d.embedding_model, dimensions => 1536)
    from (select distinct n.embedding_model from new_blocks as n where n.embedding_model is not null) as d;

    return null;
end;
$function$;

comment on function cto._queue_blocks() is
'Trigger: one embedding job for each new block without a vector.';

revoke all on function cto._queue_blocks() from public;
