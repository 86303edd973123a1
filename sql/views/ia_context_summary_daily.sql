-- ia_context_summary_daily: what each agent did on each day, for reports.
--
-- One pass over the messages and the tool calls.

create or replace view public.ia_context_summary_daily as
select
    e.timestamp::date as day,
    c.agent_name,
    count(distinct e.context_id) as context_count,
    count(*) filter (where e.is_message) as message_count,
    count(*) filter (where e.role = 'user') as user_messages,
    count(*) filter (where e.role = 'assistant') as assistant_messages,
    coalesce(sum(e.token_count), 0) as total_tokens,
    count(*) filter (where not e.is_message) as tool_calls,
    count(*) filter (where e.is_failure) as failed_tool_calls
from (
    select
        m.context_id,
        m.timestamp,
        true as is_message,
        m.role,
        m.token_count,
        false as is_failure
    from public.ia_messages as m

    union all

    select
        t.context_id,
        t.timestamp,
        false as is_message,
        null as role,
        null as token_count,
        not t.success as is_failure
    from public.ia_tool_calls as t
) as e
inner join public.ia_contexts as c on e.context_id = c.context_id
group by e.timestamp::date, c.agent_name;

comment on view public.ia_context_summary_daily is
'What each agent did on each day, in the time zone of the session that asks';
comment on column public.ia_context_summary_daily.day is 'The day, by the time of what happened; null for none';
comment on column public.ia_context_summary_daily.agent_name is 'The agent that leads the conversations';
comment on column public.ia_context_summary_daily.context_count is 'Conversations in which something happened';
comment on column public.ia_context_summary_daily.message_count is 'Messages of all roles';
comment on column public.ia_context_summary_daily.user_messages is 'Messages of users';
comment on column public.ia_context_summary_daily.assistant_messages is 'Messages of the assistant';
comment on column public.ia_context_summary_daily.total_tokens is 'Tokens of the messages; those without a count as 0';
comment on column public.ia_context_summary_daily.tool_calls is 'Tool calls';
comment on column public.ia_context_summary_daily.failed_tool_calls is 'Tool calls that failed';

grant select on public.ia_context_summary_daily to cto_report, cto_agent;
