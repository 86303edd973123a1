-- score_blocks: how much each block of an owner matters, now and for this question.
--
-- Called by: people and agents who want to see the components; select_context does the same. Reads only.

create or replace function cto.score_blocks(
    owner text,
    query text default null,
    query_embedding extensions.vector default null,
    session text default null,
    scorer text default 'scorer',
    as_of timestamptz default pg_catalog.now(),
    max_candidates integer default 400
)
returns table (
    block_hash character(64),
    block_type text,
    content text,
    token_count integer,
    score double precision,
    recency double precision,
    frequency double precision,
    importance double precision,
    similarity double precision
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $function$
#variable_conflict use_column
declare
    v_owner constant character(64) := cto._owner_key(owner);
begin
    return query
    select
        s.block_hash, s.block_type, s.content, s.token_count, s.score, s.recency, s.frequency, s.importance, s.similarity
    from cto._score_blocks(
        owner_key => v_owner, session_key => cto.key(session), query => query, query_embedding => query_embedding,
        config => cto._config('scorer', scorer, v_owner), as_of => as_of, max_candidates => max_candidates) as s;
end;
$function$;

comment on function cto.score_blocks(text, text, extensions.vector, text, text, timestamptz, integer) is
'The best max_candidates live blocks of an owner, best first: score = sum of weight x component over the sum of the
weights that apply, each component from 0 to 1. recency = decay_factor ^ age since last said; frequency = ln(1 + accesses)
/ ln(1 + most accesses), null when there are none; similarity = 0.6 cosine + 0.4 BM25 along the session, with what docs/
scoring.md describes, null without a query. query_embedding: of the current embedding model, up to 1,536 dimensions.
Raises invalid_parameter_value for a vector that does not fit, undefined_object for an unknown scorer.';

revoke all on function cto.score_blocks(text, text, extensions.vector, text, text, timestamptz, integer)
from public;
grant execute on function cto.score_blocks(text, text, extensions.vector, text, text, timestamptz, integer)
to cto_agent;
