-- depends: 0008_embedding_queue
-- Moments with their zone, wide ids and wide counts in the conversation log. The old moments were written without a
-- zone; they are read in the zone that this session is set to (TimeZone), which the deployer sets to the
-- server's own unless told otherwise. The view depends on the columns, so it is made again at once.

drop view public.ia_context_summary;

alter table public.ia_contexts
    alter column created_at type timestamptz,
    alter column updated_at type timestamptz,
    alter column id type bigint;

alter table public.ia_messages
    alter column timestamp type timestamptz,
    alter column id type bigint;

alter table public.ia_embeddings
    alter column created_at type timestamptz,
    alter column id type bigint,
    alter column message_id type bigint;

alter table public.ia_tool_calls
    alter column timestamp type timestamptz,
    alter column id type bigint,
    alter column message_id type bigint;

alter table public.ia_context_metrics
    alter column last_activity type timestamptz,
    alter column total_messages type bigint,
    alter column total_tokens type bigint,
    alter column total_tool_calls type bigint,
    alter column avg_response_time_ms type bigint,
    alter column id type bigint;

alter sequence public.ia_contexts_id_seq as bigint;

alter sequence public.ia_messages_id_seq as bigint;

alter sequence public.ia_embeddings_id_seq as bigint;

alter sequence public.ia_tool_calls_id_seq as bigint;

alter sequence public.ia_context_metrics_id_seq as bigint;

create view public.ia_context_summary as
select
    c.context_id,
    c.agent_name,
    c.session_id,
    c.created_at,
    c.updated_at,
    c.status,
    coalesce(m.total_messages, 0) as message_count,
    coalesce(m.total_tokens, 0) as total_tokens,
    coalesce(m.total_tool_calls, 0) as tool_calls,
    m.last_activity
from public.ia_contexts as c
left join public.ia_context_metrics as m on c.context_id = m.context_id;

-- The messages of one context in order: the metrics are counted along it, and it serves whatever
-- idx_ia_messages_context served.
create index ia_messages_context_id_timestamp_id_idx on public.ia_messages (context_id, timestamp, id);

drop index if exists public.idx_ia_messages_context;

-- Their columns are unique, and so indexed already.
drop index if exists public.idx_ia_embeddings_hash;

drop index if exists public.idx_ia_context_metrics_context;
