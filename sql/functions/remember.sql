-- remember: store one memory block for an owner.
--
-- Called by: agents that know what they want to keep. Idempotent per (owner, content).
-- Locking:   the row of the block, when the same content was said before.

create or replace function cto.remember(
    owner text,
    content text,
    block_type text default 'fact',
    importance double precision default null,
    session text default null,
    source text default null,
    metadata jsonb default '{}',
    language text default null,
    at timestamptz default pg_catalog.now()
)
returns character(64)
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_owner constant character(64) := cto._owner_key(owner);
begin
    perform cto._check_content(content, 'content');

    if block_type is null or block_type not in ('fact', 'instruction', 'preference', 'context') then
        raise exception 'block_type is % but must be one of fact, instruction, preference, context',
            coalesce(quote_literal(block_type), 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'Use context for anything that fits none of the other three.';
    end if;

    -- Not "between": NaN lies above every number.
    if not (coalesce(importance, 0) >= 0 and coalesce(importance, 0) <= 1) then
        raise exception 'importance is % but must lie between 0 and 1', importance
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it null for the usual importance of the type.';
    end if;

    if language not in ('es', 'en', 'simple') then
        raise exception 'language is % but must be one of es, en, simple', quote_literal(language)
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it null to have it detected; use simple for any other language.';
    end if;

    if jsonb_typeof(metadata) <> 'object' then
        raise exception 'metadata is % but must be a JSON object', metadata
            using errcode = 'invalid_parameter_value',
                  hint = 'Wrap it: {"value": ...}.';
    end if;

    if at is null or not isfinite(at) then
        raise exception 'at is % but must be a moment', coalesce(at::text, 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it out for now().';
    end if;

    return cto._store_block(
        owner_key => v_owner,
        content => content,
        block_type => block_type,
        importance => importance,
        session_key => cto.key(session),
        source_key => cto.key(source),
        metadata => metadata,
        language => language,
        at => at,
        ordinal => 0);
end;
$function$;

comment on function cto.remember(text, text, text, double precision, text, text, jsonb, text, timestamptz) is
'Stores a block (fact, instruction, preference or context) and returns its hash. Said again, the block becomes recent
again and keeps the higher importance. importance null: by type; language null: detected.
Raises invalid_parameter_value for a blank text, an unknown type or language, or an importance outside 0 to 1.';

revoke all on function cto.remember(text, text, text, double precision, text, text, jsonb, text, timestamptz)
from public;
grant execute on function cto.remember(text, text, text, double precision, text, text, jsonb, text, timestamptz)
to cto_agent;
