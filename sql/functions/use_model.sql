-- use_model: compare queries with the vectors of another model, and queue what it has not embedded yet.
--
-- Called by: administrators, after cto embed stored the first vectors of the model, or before it does.
-- Until the worker is done, a block that waits counts as averagely near.
-- Locking:   the rows of cto.embedding_models.

create or replace function cto.use_model(name text, dimensions integer default null)
returns bigint
language plpgsql
volatile
security definer  -- on purpose: an administrator need not be let into the queue
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_queued bigint;
begin
    if not exists (select from cto.embedding_models as m where m.name = use_model.name) then
        if name is null or name !~ '\S' or dimensions is null or dimensions not between 1 and 1536 then
            raise exception 'there is no model %', coalesce(quote_literal(name), 'null')
                using errcode = 'undefined_object',
                      hint = 'See cto.embedding_models, or give its dimensions (1 to 1536) to make it known.';
        end if;

        insert into cto.embedding_models (name, dimensions)
        values (use_model.name, use_model.dimensions);
    end if;

    update cto.embedding_models as m set is_current = false where m.is_current and m.name <> use_model.name;
    update cto.embedding_models as m set is_current = true where m.name = use_model.name and not m.is_current;

    insert into cto.embedding_jobs (owner_id, block_hash)
    select b.owner_id, b.hash
    from cto.blocks as b
    where b.superseded_at is null and b.embedding is not null and b.embedding_model <> use_model.name
    on conflict on constraint embedding_jobs_pkey do nothing;

    get diagnostics v_queued = row_count;
    return v_queued;
end;
$function$;

comment on function cto.use_model(text, integer) is
'Makes a model the current one and queues the live blocks whose vector is of another; returns how many. dimensions:
needed for a model that stored no vector yet. Raises undefined_object for an unknown model without them.';

revoke all on function cto.use_model(text, integer) from public;
grant execute on function cto.use_model(text, integer) to cto_admin;
