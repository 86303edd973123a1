-- select_context: the blocks that belong into an agent's context now, within its token budget.
--
-- Called by: agents, before they ask their model. render_context does the same and gives the text.
-- Locking:   selections of the same owner and session wait for each other while they are recorded.

create or replace function cto.select_context(
    owner text,
    session text,
    query text default null,
    query_embedding extensions.vector default null,
    budget_tokens integer default null,
    min_score double precision default null,
    max_blocks integer default null,
    strategy text default null,
    scorer text default 'scorer',
    selector text default 'selector',
    as_of timestamptz default pg_catalog.now(),
    record boolean default true
)
returns table (
    "position" integer,
    block_hash character(64),
    block_type text,
    content text,
    token_count integer,
    score double precision,
    source_hash character(64),
    created_at timestamptz
)
language sql
volatile
set search_path = pg_catalog, pg_temp
as $function$
select c.place, c.block_hash, c.block_type, c.content, c.cost, c.score, c.source_hash, c.created_at
from cto._choose_context(
    owner => owner, session => session, query => query, query_embedding => query_embedding,
    budget_tokens => budget_tokens, min_score => min_score, max_blocks => max_blocks, strategy => strategy,
    scorer => scorer, selector => selector, as_of => as_of, record => record, format => 'markdown') as c;
$function$;

comment on function cto.select_context(
    text, text, text, extensions.vector, integer, double precision, integer, text, text, text, timestamptz, boolean
) is
'The blocks of the context in their order: pinned ones first, then by score, as many as fit. token_count is what a block
costs in the text of render_context(format => markdown), whose whole text keeps to budget_tokens. Null arguments: as
configured. With record, the decisions can be read with cto.explain_context(owner, session).
Raises invalid_parameter_value for a value that could not be followed, feature_not_supported for another strategy.';

revoke all on function cto.select_context(
    text, text, text, extensions.vector, integer, double precision, integer, text, text, text, timestamptz, boolean
) from public;
grant execute on function cto.select_context(
    text, text, text, extensions.vector, integer, double precision, integer, text, text, text, timestamptz, boolean
) to cto_agent;
