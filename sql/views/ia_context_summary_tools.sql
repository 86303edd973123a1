-- ia_context_summary_tools: how often each tool is called, how often it fails and how long it takes, for reports.

create or replace view public.ia_context_summary_tools as
select
    t.tool_name,
    count(*) as calls,
    count(*) filter (where not t.success) as failures,
    round(count(*) filter (where not t.success) / count(*)::numeric, 4) as failure_share,
    percentile_cont(0.5) within group (order by t.execution_time_ms) as p50_ms,
    percentile_cont(0.95) within group (order by t.execution_time_ms) as p95_ms,
    max(t.execution_time_ms) as max_ms,
    count(distinct t.context_id) as context_count,
    max(t.timestamp) as last_called_at
from public.ia_tool_calls as t
group by t.tool_name;

comment on view public.ia_context_summary_tools is 'One row a tool: calls, failures and execution times';
comment on column public.ia_context_summary_tools.tool_name is 'Name of the tool';
comment on column public.ia_context_summary_tools.calls is 'Calls';
comment on column public.ia_context_summary_tools.failures is 'Calls that failed';
comment on column public.ia_context_summary_tools.failure_share is 'failures / calls, 0 to 1';
comment on column public.ia_context_summary_tools.p50_ms is 'Median of the execution times known, in ms';
comment on column public.ia_context_summary_tools.p95_ms is '95th percentile of the execution time in ms, interpolated';
comment on column public.ia_context_summary_tools.max_ms is 'Longest execution time in ms';
comment on column public.ia_context_summary_tools.context_count is 'Conversations in which it is called';
comment on column public.ia_context_summary_tools.last_called_at is 'Time of the latest call';

grant select on public.ia_context_summary_tools to cto_report, cto_agent;
