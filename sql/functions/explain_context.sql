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
    selected_at timestamptz,
    contribution jsonb
)
language sql
stable
set search_path = pg_catalog, pg_temp
as $function$
select e.*
from cto._explain_selection(cto._owner_key($1), cto._session_key($2)) as e;
$function$;

comment on function cto.explain_context(text, text) is
'Every candidate of the last recorded selection of (owner, session), the included ones first in their order: the
components of its score, what each of them adds to it (contribution), and the reason: included, pinned, over_budget, below_min_score, over_max_blocks or duplicate.
token_count is what the block costs in the rendered text. No rows where nothing was recorded.';

revoke all on function cto.explain_context(text, text) from public;
grant execute on function cto.explain_context(text, text) to cto_agent;
