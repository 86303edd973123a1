-- fail_embeddings: give jobs back with the reason, to be tried later or never.
--
-- Called by: the embedding worker, in a transaction of its own.
-- A row that cannot be embedded is dead: it keeps its reason and waits for cto.requeue_embeddings.

create or replace function cto.fail_embeddings(
    worker text,
    owner_ids text[],
    block_hashes text[],
    error text,
    is_final boolean default false,
    retry_after interval default '1 minute',
    counts boolean default true
)
returns integer
language plpgsql
volatile
security definer  -- on purpose: the worker may give back what it holds, and nothing else
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_failed integer;
begin
    update cto.embedding_jobs as j
    set state = case when is_final then 'dead' else 'waiting' end,
        leased_by = null,
        leased_until = null,
        not_before = now() + case when is_final then interval '0' else retry_after end,
        attempts = case when counts then j.attempts else greatest(j.attempts - 1, 0) end,
        last_error = left(coalesce(error, 'no reason given'), 2000)
    from unnest(owner_ids, block_hashes) as f (owner_id, block_hash)
    where j.owner_id = f.owner_id::character(64)
        and j.block_hash = f.block_hash::character(64)
        and j.state = 'leased'
        and j.leased_by = worker;

    get diagnostics v_failed = row_count;
    return v_failed;
end;
$function$;

comment on function cto.fail_embeddings(text, text[], text[], text, boolean, interval, boolean) is
'Gives the jobs that worker holds back with an error: dead when is_final, else waiting until retry_after has passed.
counts false: the attempt does not count (a rate limit is no fault of the row). Returns how many were given back.';

revoke all on function cto.fail_embeddings(text, text[], text[], text, boolean, interval, boolean) from public;
grant execute on function cto.fail_embeddings(text, text[], text[], text, boolean, interval, boolean) to cto_embedder;
