create index idx_ia_context_metrics_context on public.ia_context_metrics (context_id);
create index idx_ia_embeddings_hash on public.ia_embeddings (content_hash);
create index idx_ia_messages_context on public.ia_messages (context_id);
drop index public.ia_messages_context_id_timestamp_id_idx;
drop view public.ia_context_summary;
alter sequence public.ia_context_metrics_id_seq as integer;
alter sequence public.ia_tool_calls_id_seq as integer;
alter sequence public.ia_embeddings_id_seq as integer;
alter sequence public.ia_messages_id_seq as integer;
alter sequence public.ia_contexts_id_seq as integer;
alter table public.ia_context_metrics
    alter column last_activity type timestamp,
    alter column total_messages type integer,
    alter column total_tokens type integer,
    alter column total_tool_calls type integer,
    alter column avg_response_time_ms type integer,
    alter column id type integer;
alter table public.ia_tool_calls
    alter column timestamp type timestamp,
    alter column id type integer,
    alter column message_id type integer;
alter table public.ia_embeddings
    alter column created_at type timestamp,
    alter column id type integer,
    alter column message_id type integer;
alter table public.ia_messages
    alter column timestamp type timestamp,
    alter column id type integer;
alter table public.ia_contexts
    alter column created_at type timestamp,
    alter column updated_at type timestamp,
    alter column id type integer;
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
