-- requeue_embeddings: try the dead jobs again.
--
-- Called by: administrators, after the cause in last_error is mended.

create or replace function cto.requeue_embeddings(owner text default null)
returns integer
language plpgsql
volatile
security definer  -- on purpose: the worker may revive jobs, and touch the queue in no other way
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_owner constant character(64) := cto.key(owner);
    v_requeued integer;
begin
    update cto.embedding_jobs as j
    set state = 'waiting',
        attempts = 0,
        not_before = now()
    where j.state = 'dead' and (v_owner is null or j.owner_id = v_owner);

    get diagnostics v_requeued = row_count;
    return v_requeued;
end;
$function$;

comment on function cto.requeue_embeddings(text) is
'Makes the dead jobs of an owner (null: of all) wait again and returns how many.';

revoke all on function cto.requeue_embeddings(text) from public;
grant execute on function cto.requeue_embeddings(text) to cto_admin, cto_embedder;
