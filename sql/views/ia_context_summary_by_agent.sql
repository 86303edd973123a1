-- ia_context_summary_by_agent: one row an agent, for reports. Reads the metrics, not the messages.

create or replace view public.ia_context_summary_by_agent as
select
    c.agent_name,
    count(*) as context_count,
    count(*) filter (where c.status = 'active') as active_contexts,
    count(distinct c.user_id) as user_count,
    coalesce(sum(m.total_messages), 0)::bigint as message_count,
    coalesce(sum(m.total_tokens), 0)::bigint as total_tokens,
    coalesce(sum(m.total_tool_calls), 0)::bigint as tool_calls,
    round(avg(m.avg_response_time_ms))::bigint as avg_response_time_ms,
    min(c.created_at) as first_created_at,
    max(m.last_activity) as last_activity
from public.ia_contexts as c
left join public.ia_context_metrics as m on c.context_id = m.context_id
group by c.agent_name;

comment on view public.ia_context_summary_by_agent is 'One row an agent, with the counts of its conversations';
comment on column public.ia_context_summary_by_agent.agent_name is 'Name of the agent';
comment on column public.ia_context_summary_by_agent.context_count is 'Conversations that it leads or led';
comment on column public.ia_context_summary_by_agent.active_contexts is 'Those whose status is active';
comment on column public.ia_context_summary_by_agent.user_count is 'Different users in them, as far as they are named';
comment on column public.ia_context_summary_by_agent.message_count is 'Messages in them';
comment on column public.ia_context_summary_by_agent.total_tokens is 'Tokens of these messages';
comment on column public.ia_context_summary_by_agent.tool_calls is 'Tool calls in them';
comment on column public.ia_context_summary_by_agent.avg_response_time_ms is
'Mean over the conversations of their mean time from a message of the user to the next one of the assistant, in ms';
comment on column public.ia_context_summary_by_agent.first_created_at is 'When the first of them was opened';
comment on column public.ia_context_summary_by_agent.last_activity is 'Time of the latest message or tool call';

grant select on public.ia_context_summary_by_agent to cto_report, cto_agent;
