-- ia_context_summary: one row a conversation, for reports; columns and order are those of v1.0.

create or replace view public.ia_context_summary as
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

comment on view public.ia_context_summary is 'One row a conversation, with its counts';
comment on column public.ia_context_summary.context_id is 'Name of the conversation';
comment on column public.ia_context_summary.agent_name is 'The agent that leads it';
comment on column public.ia_context_summary.session_id is 'Session that it belongs to, or null';
comment on column public.ia_context_summary.created_at is 'When it was opened';
comment on column public.ia_context_summary.updated_at is 'When its own row was last changed';
comment on column public.ia_context_summary.status is 'active, archived or deleted';
comment on column public.ia_context_summary.message_count is 'Messages in it';
comment on column public.ia_context_summary.total_tokens is 'Tokens of its messages';
comment on column public.ia_context_summary.tool_calls is 'Tool calls in it';
comment on column public.ia_context_summary.last_activity is 'Time of its latest message or tool call';

grant select on public.ia_context_summary to cto_report, cto_agent;
