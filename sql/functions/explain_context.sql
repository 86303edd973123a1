-- explain_context: why each candidate of the last recorded selection is in the context, or not.
--
-- Called by: agents and people, after select_context or render_context. Reads only.

create or replace function cto.explain_context(owner text, session text)
returns table (
    "position" integer,
    block_hash character(64),
    block_type text,
    content text,
    token_count integer,
    score double precision,
    recency double precision,
    frequency double precision,
    importance double precision,
    similarity double precision,
    included boolean,
    reason text,
    selected_at timestamptz
)
language sql
stable
set search_path = pg_catalog, pg_temp
as $function$
select
    m.position, m.block_hash, b.block_type, b.content, m.token_count, m.score,
    m.recency, m.frequency, m.importance, m.similarity, m.included,
    -- Rows of v1.0 have no reason, only the flag.
    coalesce(m.reason, case when m.included then 'included' end),
    m.selected_at
from cto.memory as m
inner join cto.blocks as b on m.owner_id = b.owner_id and m.block_hash = b.hash
where m.owner_id = cto._owner_key($1) and m.session_hash = cto._session_key($2)
order by m.position nulls last, m.score desc, m.block_hash;
$function$;

comment on function cto.explain_context(text, text) is
'Every candidate of the last recorded selection of (owner, session), the included ones first in their order: the
components of its score and the reason: included, pinned, over_budget, below_min_score, over_max_blocks or duplicate.
token_count is what the block costs in the rendered text. No rows where nothing was recorded.';

revoke all on function cto.explain_context(text, text) from public;
grant execute on function cto.explain_context(text, text) to cto_agent;
