-- update_ia_context_metrics: make the metrics of the touched contexts equal to what counting gives.
--
-- Called by: the triggers on ia_messages and ia_tool_calls, once a statement.
-- Locking:   the metrics rows of the touched contexts, in the order of context_id so that two statements
--            never deadlock. They are locked before the counting: the count is a statement of its own and
--            sees what the holder before us committed.

create or replace function public.update_ia_context_metrics()
returns trigger
language plpgsql
security definer  -- on purpose: whoever may log need not be let into the metrics
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_touched text[];
begin
    if tg_op = 'TRUNCATE' then
        select array_agg(m.context_id order by m.context_id) into v_touched from public.ia_context_metrics as m;
    elsif tg_op = 'INSERT' then
        select array_agg(distinct n.context_id) into v_touched from new_rows as n;
    elsif tg_op = 'DELETE' then
        select array_agg(distinct o.context_id) into v_touched from old_rows as o;
    else
        select array_agg(distinct x.context_id)
        into v_touched
        from (select n.context_id from new_rows as n union all select o.context_id from old_rows as o) as x;
    end if;

    perform public.ia_count_metrics(v_touched);
    return null;
end;
$function$;

comment on function public.update_ia_context_metrics() is
'Trigger: counts the metrics of the contexts that a statement touched.';

revoke all on function public.update_ia_context_metrics() from public;
