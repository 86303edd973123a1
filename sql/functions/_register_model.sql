-- _register_model: make an embedding model known; the first one becomes the current one.
--
-- Called by: store_embeddings, and the trigger on blocks that came with a vector.
-- Locking:   only for a model that is new, and then one registration at a time: two first models at once
--            would both be the current one.

create or replace function cto._register_model(name text, dimensions integer)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
begin
    if exists (select from cto.embedding_models as m where m.name = _register_model.name) then
        return;
    end if;

    perform pg_advisory_xact_lock(hashtextextended('cto.embedding_models', 0));

    -- A statement of its own after the lock: it sees what the holder before us committed.
    insert into cto.embedding_models as m (name, dimensions, is_current)
    values (
        _register_model.name, _register_model.dimensions,
        not exists (select from cto.embedding_models as c where c.is_current)
    )
    on conflict on constraint embedding_models_pkey do nothing;
end;
$function$;

comment on function cto._register_model(text, integer) is
'Adds a model to cto.embedding_models unless it is known; the first becomes the current one.';

revoke all on function cto._register_model(text, integer) from public;
