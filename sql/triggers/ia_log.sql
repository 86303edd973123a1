-- Triggers of the conversation log. The names of v1.0 stay; once a statement, not once a row, so that a
-- bulk load is counted once. One trigger an event: transition tables allow no more.

create or replace trigger trigger_update_ia_contexts_updated_at
before update on public.ia_contexts
for each row execute function public.update_ia_contexts_updated_at();

-- v1.0's trigger of this name runs for each row: "or replace" would keep that where it is not dropped.
drop trigger if exists trigger_update_ia_context_metrics on public.ia_messages;

create trigger trigger_update_ia_context_metrics
after insert on public.ia_messages
referencing new table as new_rows
for each statement execute function public.update_ia_context_metrics();

create or replace trigger ia_messages_metrics_on_update
after update on public.ia_messages
referencing old table as old_rows new table as new_rows
for each statement execute function public.update_ia_context_metrics();

create or replace trigger ia_messages_metrics_on_delete
after delete on public.ia_messages
referencing old table as old_rows
for each statement execute function public.update_ia_context_metrics();

create or replace trigger ia_messages_metrics_on_truncate
after truncate on public.ia_messages
for each statement execute function public.update_ia_context_metrics();

create or replace trigger ia_tool_calls_metrics_on_insert
after insert on public.ia_tool_calls
referencing new table as new_rows
for each statement execute function public.update_ia_context_metrics();

create or replace trigger ia_tool_calls_metrics_on_update
after update on public.ia_tool_calls
referencing old table as old_rows new table as new_rows
for each statement execute function public.update_ia_context_metrics();

create or replace trigger ia_tool_calls_metrics_on_delete
after delete on public.ia_tool_calls
referencing old table as old_rows
for each statement execute function public.update_ia_context_metrics();

create or replace trigger ia_tool_calls_metrics_on_truncate
after truncate on public.ia_tool_calls
for each statement execute function public.update_ia_context_metrics();
