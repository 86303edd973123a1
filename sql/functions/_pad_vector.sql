-- _pad_vector: a query vector of any model, made comparable with the stored ones.
--
-- Called by: _score_blocks and store_embeddings. Zeros at the end change neither cosine nor inner product
-- nor L2 distance.

create or replace function cto._pad_vector(embedding extensions.vector)
returns extensions.vector
language plpgsql
immutable
strict
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_dimensions constant integer := extensions.vector_dims(embedding);
begin
    if v_dimensions > 1536 then
        raise exception 'the vector has % dimensions but at most 1536 are stored', v_dimensions
            using errcode = 'invalid_parameter_value',
                  hint = 'Ask the model for 1536 (dimensions=1536), or use a smaller model.';
    end if;

    -- Cosine has no meaning for it, and the HNSW index leaves it out.
    if extensions.vector_norm(embedding) = 0 then
        raise exception 'the vector is zero in every dimension'
            using errcode = 'invalid_parameter_value',
                  hint = 'Embed a text that is not empty; leave the vector null where there is none.';
    end if;

    if v_dimensions = 1536 then
        return embedding;
    end if;

    return (embedding::real[] || array_fill(0::real, array[1536 - v_dimensions]))::extensions.vector;
end;
$function$;

comment on function cto._pad_vector(extensions.vector) is
'The vector with zeros added up to 1,536 dimensions.
Raises invalid_parameter_value for more dimensions and for a zero vector.';

revoke all on function cto._pad_vector(extensions.vector) from public;
grant execute on function cto._pad_vector(extensions.vector) to cto_agent, cto_embedder;
