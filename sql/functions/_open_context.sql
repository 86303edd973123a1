-- _open_context: the conversation that a message or tool call belongs to, made on its first use.
--
-- Called by: log_message and log_tool_call. Names that are not given are left as they are, and a missing
-- one is filled in; a name that contradicts the stored one is an error, because the owner of the memory hangs on it.
-- Locking:   none on a known context whose names are known, so that two sessions can write to it at once.

create or replace function cto._open_context(
    context_id text,
    agent_name text,
    user_id text,
    session_id text,
    at timestamptz
)
returns public.ia_contexts
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_context public.ia_contexts;
begin
    if context_id is null then
        raise exception 'context_id is null'
            using errcode = 'null_value_not_allowed',
                  hint = 'Name the conversation, for example with the identifier that your agent uses for it.';
    end if;

    perform cto._check_length(context_id, 'context_id', 255);
    perform cto._check_length(agent_name, 'agent_name', 100);
    perform cto._check_length(user_id, 'user_id', 100);
    perform cto._check_length(session_id, 'session_id', 255);

    if at is null or not isfinite(at) then
        raise exception 'at is % but must be a moment', coalesce(at::text, 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it out for now().';
    end if;

    select c.* into v_context from public.ia_contexts as c where c.context_id = _open_context.context_id;

    if not found then
        if agent_name is null then
            raise exception 'the context % is new and agent_name is null', quote_literal(context_id)
                using errcode = 'null_value_not_allowed',
                      hint = 'Name the agent with the first message of a context: agent_name => ''...''.';
        end if;

        insert into public.ia_contexts as c (context_id, agent_name, user_id, session_id, created_at, updated_at)
        values (
            _open_context.context_id, _open_context.agent_name, _open_context.user_id, _open_context.session_id,
            _open_context.at, _open_context.at
        )
        on conflict on constraint ia_contexts_context_id_key do nothing;

        select c.* into v_context from public.ia_contexts as c where c.context_id = _open_context.context_id;
    end if;

    if agent_name <> v_context.agent_name
        or user_id <> v_context.user_id
        or session_id <> v_context.session_id then
        raise exception 'the context % belongs to another agent, user or session', quote_literal(context_id)
            using errcode = 'invalid_parameter_value',
                  detail = format('It was opened with agent_name %L, user_id %L, session_id %L.',
                      v_context.agent_name, v_context.user_id, v_context.session_id),
                  hint = 'Leave the names out after the first message, or use another context_id.';
    end if;

    -- A context that a system message opened may learn only later whose it is.
    if user_id is not null and v_context.user_id is null
        or session_id is not null and v_context.session_id is null then
        update public.ia_contexts as c
        set user_id = coalesce(c.user_id, _open_context.user_id),
            session_id = coalesce(c.session_id, _open_context.session_id)
        where c.context_id = _open_context.context_id
        returning c.* into v_context;
    end if;

    return v_context;
end;
$function$;

comment on function cto._open_context(text, text, text, text, timestamptz) is
'The row of public.ia_contexts for context_id, inserted on first use.
Raises null_value_not_allowed for a new context without an agent, invalid_parameter_value when a name contradicts it.';

revoke all on function cto._open_context(text, text, text, text, timestamptz) from public;
grant execute on function cto._open_context(text, text, text, text, timestamptz) to cto_agent;
