-- claim_embeddings: hand the oldest waiting jobs to one worker.
--
-- Called by: the embedding worker, once a batch, in a transaction of its own.
-- Locking:   skip locked, so two workers never wait for each other or share a job. A lease that ran out
--            (its worker died) is handed out again.

create or replace function cto.claim_embeddings(
    worker text,
    max_items integer default 100,
    lease interval default '5 minutes'
)
returns table (
    owner_id character(64),
    block_hash character(64),
    content text,
    token_count integer,
    attempts integer
)
language plpgsql
volatile
security definer  -- on purpose: the worker may read what it embeds, and nothing else
set search_path = pg_catalog, pg_temp
as $function$
#variable_conflict use_column
begin
    if worker is null or worker !~ '\S' then
        raise exception 'worker is null or blank'
            using errcode = 'invalid_parameter_value',
                  hint = 'Name the worker, for example by host and process.';
    end if;

    if max_items is null or max_items not between 1 and 2048 then
        raise exception 'max_items is % but must lie between 1 and 2048', coalesce(max_items::text, 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'Claim several smaller batches.';
    end if;

    return query
    with oldest as (
        select j.owner_id, j.block_hash
        from cto.embedding_jobs as j
        where (j.state = 'waiting' and j.not_before <= now())
            or (j.state = 'leased' and j.leased_until < now())
        order by j.not_before, j.created_at, j.owner_id, j.block_hash
        limit max_items
        for update skip locked
    ),

    claimed as (
        update cto.embedding_jobs as j
        set state = 'leased',
            leased_by = worker,
            leased_until = now() + lease,
            attempts = j.attempts + 1
        from oldest as o
        where j.owner_id = o.owner_id and j.block_hash = o.block_hash
        returning j.owner_id, j.block_hash, j.attempts
    )

    select c.owner_id, c.block_hash, b.content, coalesce(b.token_count, 0), c.attempts
    from claimed as c
    inner join cto.blocks as b on b.owner_id = c.owner_id and b.hash = c.block_hash;
end;
$function$;

comment on function cto.claim_embeddings(text, integer, interval) is
'Leases up to max_items jobs to worker, oldest first, and returns them with the text to embed.
Raises invalid_parameter_value when max_items lies outside 1 to 2048.';

revoke all on function cto.claim_embeddings(text, integer, interval) from public;
grant execute on function cto.claim_embeddings(text, integer, interval) to cto_embedder;
