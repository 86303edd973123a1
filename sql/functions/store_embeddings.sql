-- store_embeddings: write vectors back, for the jobs that the worker still holds.
--
-- Called by: the embedding worker, once a batch, in a transaction of its own.
-- Locking:   the blocks of the batch in the order of their keys, then its jobs. It waits half a second for
--            an agent that has one of them, less than deadlock_timeout, so that it is never the agent who
--            has to begin again. A block that was edited or forgotten in the meantime has another hash, or
--            none: its vector is dropped and it is no error.

create or replace function cto.store_embeddings(
    worker text,
    model text,
    dimensions integer,
    owner_ids text[],
    block_hashes text[],
    embeddings extensions.vector[],
    token_counts integer[] default null
)
returns integer
language plpgsql
volatile
security definer  -- on purpose: the worker may write vectors, and nothing else
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $function$
declare
    v_stored integer;
begin
    if model is null or model !~ '\S' then
        raise exception 'model is null or blank'
            using errcode = 'invalid_parameter_value',
                  hint = 'Name the model that made the vectors.';
    end if;

    if cardinality(owner_ids) <> cardinality(block_hashes)
        or cardinality(owner_ids) <> cardinality(embeddings)
        or cardinality(owner_ids) <> cardinality(token_counts) then
        raise exception '% owners, % hashes, % vectors and % token counts do not go together',
            cardinality(owner_ids), cardinality(block_hashes), cardinality(embeddings), cardinality(token_counts)
            using errcode = 'invalid_parameter_value',
                  hint = 'Give arrays of one length: one element a block.';
    end if;

    perform cto._register_model(name => model, dimensions => dimensions);

    if not exists (
        select from cto.embedding_models as m
        where m.name = store_embeddings.model and m.dimensions = store_embeddings.dimensions
    ) then
        raise exception 'the model % has vectors of another dimension than %', quote_literal(model), dimensions
            using errcode = 'invalid_parameter_value',
                  hint = 'See cto.embedding_models; give a model with other dimensions another name.';
    end if;

    perform
    from cto.blocks as b
    inner join unnest(owner_ids, block_hashes) as a (owner_id, block_hash)
        on b.owner_id = a.owner_id::character(64) and b.hash = a.block_hash::character(64)
    order by b.owner_id, b.hash
    for no key update of b;

    with answers as (
        select
            a.owner_id, a.block_hash, cto._pad_vector(a.embedding) as embedding, a.tokens
        from unnest(
            owner_ids, block_hashes, embeddings,
            coalesce(token_counts, array_fill(null::integer, array[cardinality(owner_ids)]))
        ) as a (owner_id, block_hash, embedding, tokens)
    ),

    done as (
        delete from cto.embedding_jobs as j
        using answers as a
        where j.owner_id = a.owner_id::character(64)
            and j.block_hash = a.block_hash::character(64)
            and j.state = 'leased'
            and j.leased_by = worker
        returning j.owner_id, j.block_hash
    )

    update cto.blocks as b
    set embedding = a.embedding,
        embedding_model = store_embeddings.model,
        token_count = coalesce(a.tokens, b.token_count),
        token_count_is_exact = a.tokens is not null or b.token_count_is_exact
    from done as d
    inner join answers as a
        on a.owner_id::character(64) = d.owner_id and a.block_hash::character(64) = d.block_hash
    where b.owner_id = d.owner_id and b.hash = d.block_hash;

    get diagnostics v_stored = row_count;
    return v_stored;
end;
$function$;

comment on function cto.store_embeddings(text, text, integer, text[], text[], extensions.vector[], integer[]) is
'Stores one vector a block, with its exact token count where given, for jobs that worker still holds; returns how many
were stored. The first model ever stored becomes the current one. Vectors are padded to 1,536 dimensions.
Raises invalid_parameter_value for arrays of different lengths, zero vectors and wrong dimensions, lock_not_available
when an agent holds one of the blocks: try again.';

revoke all on function cto.store_embeddings(text, text, integer, text[], text[], extensions.vector[], integer[])
from public;
grant execute on function cto.store_embeddings(text, text, integer, text[], text[], extensions.vector[], integer[])
to cto_embedder;
