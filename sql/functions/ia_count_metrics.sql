-- ia_count_metrics: count the metrics of some contexts and store them.
--
-- Called by: update_ia_context_metrics.
-- Locking:   their metrics rows, in the order of context_id.

create or replace function public.ia_count_metrics(context_ids text[])
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
begin
    insert into public.ia_context_metrics as m (context_id)
    select c.context_id
    from public.ia_contexts as c
    where c.context_id = any (context_ids)
    order by c.context_id
    on conflict on constraint ia_context_metrics_context_id_key do nothing;

    perform
    from public.ia_context_metrics as m
    where m.context_id = any (context_ids)
    order by m.context_id
    for update;

    update public.ia_context_metrics as m
    set total_messages = coalesce(said.messages, 0),
        total_tokens = coalesce(said.tokens, 0),
        total_tool_calls = coalesce(called.calls, 0),
        avg_response_time_ms = said.response_ms,
        last_activity = greatest(said.last_at, called.last_at)
    from public.ia_contexts as c
    left join lateral (
        select
            count(*) as messages,
            sum(s.token_count) as tokens,
            max(s.timestamp) as last_at,
            avg(extract(epoch from s.timestamp - s.previous_at) * 1000)
                filter (where s.role = 'assistant' and s.previous_role = 'user') as response_ms
        from (
            select
                x.role, x.token_count, x.timestamp,
                lag(x.role) over w as previous_role,
                lag(x.timestamp) over w as previous_at
            from public.ia_messages as x
            where x.context_id = c.context_id
            window w as (order by x.timestamp, x.id)
        ) as s
    ) as said on true
    left join lateral (
        select count(*) as calls, max(t.timestamp) as last_at
        from public.ia_tool_calls as t
        where t.context_id = c.context_id
    ) as called on true
    where c.context_id = any (context_ids) and m.context_id = c.context_id;
end;
$function$;

comment on function public.ia_count_metrics(text[]) is
'Counts messages, tokens, tool calls, mean response time (milliseconds from a user message to the assistant message that
follows it) and last activity of the contexts, and stores them in ia_context_metrics.';

revoke all on function public.ia_count_metrics(text[]) from public;
