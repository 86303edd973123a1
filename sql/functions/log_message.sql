-- log_message: write down what was said, and remember what is worth keeping of it.
--
-- Called by: agents, once a turn. One transaction: context, message, blocks, embedding jobs, metrics.
-- Locking:   the metrics row of the context, to the end of the caller's transaction.

create or replace function cto.log_message(
    context_id text,
    role text,
    content text,
    agent_name text default null,
    user_id text default null,
    session_id text default null,
    token_count integer default null,
    model text default null,
    metadata jsonb default '{}',
    at timestamptz default pg_catalog.now()
)
returns bigint
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_context public.ia_contexts;
    v_extractor jsonb;
    v_message_id bigint;
begin
    perform cto._check_content(content, 'content');
    perform cto._check_length(model, 'model', 100);

    if role is null or role not in ('user', 'assistant', 'system', 'tool') then
        raise exception 'role is % but must be one of user, assistant, system, tool',
            coalesce(quote_literal(role), 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'A developer message is system, a function result is tool.';
    end if;

    if token_count < 0 then
        raise exception 'token_count is % but cannot be negative', token_count
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it null to have it estimated.';
    end if;

    if jsonb_typeof(metadata) <> 'object' then
        raise exception 'metadata is % but must be a JSON object', metadata
            using errcode = 'invalid_parameter_value',
                  hint = 'Wrap it: {"value": ...}.';
    end if;

    v_context := cto._open_context(context_id, agent_name, user_id, session_id, at);

    insert into public.ia_messages as m (context_id, role, content, timestamp, token_count, model, metadata)
    values (
        log_message.context_id, log_message.role, log_message.content, log_message.at,
        coalesce(log_message.token_count, cto.estimate_tokens(log_message.content)),
        log_message.model, coalesce(log_message.metadata, '{}')
    )
    returning m.id into v_message_id;

    -- A switched-off extractor keeps the log and remembers nothing.
    if exists (select from cto.algorithms as a where a.name = 'extractor' and not a.enabled) then
        return v_message_id;
    end if;

    v_extractor := cto._config(
        'extractor', 'extractor', cto.key(coalesce(v_context.user_id, v_context.agent_name)));

    if v_extractor -> 'extract_roles' ? role then
        perform cto._store_block(
            owner_key => cto.key(coalesce(v_context.user_id, v_context.agent_name)),
            content => e.block_content,
            block_type => e.block_type,
            importance => e.importance,
            session_key => cto.key(coalesce(v_context.session_id, v_context.context_id)),
            source_key => encode(sha256(convert_to(log_message.content, 'UTF8')), 'hex')::character(64),
            metadata => jsonb_build_object('message_id', v_message_id),
            language => e.language,
            at => log_message.at,
            ordinal => (e.place - 1)::integer)
        from (
            -- In one order for all writers: two messages that say the same never wait for each other
            -- in a circle.
            select x.*
            from cto._extract(log_message.content, v_extractor)
                with ordinality as x (block_type, block_content, importance, language, place)
            order by sha256(convert_to(x.block_content, 'UTF8'))
        ) as e;
    end if;

    return v_message_id;
end;
$function$;

comment on function cto.log_message(
    text, text, text, text, text, text, integer, text, jsonb, timestamptz
) is
'Logs one message and stores the blocks extracted from it; returns the id in public.ia_messages. The first message of a
context names its agent_name; the owner of the blocks is user_id, or agent_name where there is none, and their session
is session_id, or context_id. token_count null: estimated.
Raises invalid_parameter_value for a blank content, an unknown role or names that contradict the context.';

revoke all on function cto.log_message(text, text, text, text, text, text, integer, text, jsonb, timestamptz)
from public;
grant execute on function cto.log_message(text, text, text, text, text, text, integer, text, jsonb, timestamptz)
to cto_agent;
