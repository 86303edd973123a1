-- log_tool_call: write down that a tool was called, and how it went.
--
-- Called by: agents, once a call. Tool output is never remembered.
-- Locking:   the metrics row of the context, to the end of the caller's transaction.

create or replace function cto.log_tool_call(
    context_id text,
    tool_name text,
    tool_input jsonb default null,
    tool_output text default null,
    execution_time_ms integer default null,
    success boolean default true,
    error_message text default null,
    message_id bigint default null,
    at timestamptz default pg_catalog.now()
)
returns bigint
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_tool_call_id bigint;
begin
    if tool_name is null then
        raise exception 'tool_name is null'
            using errcode = 'null_value_not_allowed',
                  hint = 'Name the tool that was called.';
    end if;

    perform cto._check_length(tool_name, 'tool_name', 100);

    if execution_time_ms < 0 then
        raise exception 'execution_time_ms is % but cannot be negative', execution_time_ms
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it null where it is not known.';
    end if;

    if at is null or not isfinite(at) then
        raise exception 'at is % but must be a moment', coalesce(at::text, 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it out for now().';
    end if;

    if not exists (select from public.ia_contexts as c where c.context_id = log_tool_call.context_id) then
        raise exception 'there is no context %', coalesce(quote_literal(context_id), 'null')
            using errcode = 'foreign_key_violation',
                  hint = 'Log a message of the conversation first: cto.log_message opens its context.';
    end if;

    if message_id is not null and not exists (
        select from public.ia_messages as m
        where m.id = log_tool_call.message_id and m.context_id = log_tool_call.context_id
    ) then
        raise exception 'the context % has no message %', quote_literal(context_id), message_id
            using errcode = 'foreign_key_violation',
                  hint = 'Give the id that cto.log_message returned for the same context, or leave it null.';
    end if;

    insert into public.ia_tool_calls as t (
        context_id, message_id, tool_name, tool_input, tool_output, execution_time_ms, success, error_message, timestamp
    )
    values (
        log_tool_call.context_id, log_tool_call.message_id, log_tool_call.tool_name, log_tool_call.tool_input,
        log_tool_call.tool_output, log_tool_call.execution_time_ms, coalesce(log_tool_call.success, true),
        log_tool_call.error_message, log_tool_call.at
    )
    returning t.id into v_tool_call_id;

    return v_tool_call_id;
end;
$function$;

comment on function cto.log_tool_call(text, text, jsonb, text, integer, boolean, text, bigint, timestamptz) is
'Logs one tool call and returns its id in public.ia_tool_calls; execution_time_ms in milliseconds.
Raises foreign_key_violation for an unknown context, or a message of another one.';

revoke all on function cto.log_tool_call(text, text, jsonb, text, integer, boolean, text, bigint, timestamptz)
from public;
grant execute on function cto.log_tool_call(text, text, jsonb, text, integer, boolean, text, bigint, timestamptz)
to cto_agent;
