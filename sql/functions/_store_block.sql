-- _store_block: remember one text for one owner; the only place where blocks are written.
--
-- Called by: remember and log_message, which have checked their arguments.
-- Locking:   the row of the block, when the same content was said before.

create or replace function cto._store_block(
    owner_key character(64),
    content text,
    block_type text,
    importance double precision,
    session_key character(64),
    source_key character(64),
    metadata jsonb,
    language text,
    at timestamptz,
    ordinal integer
)
returns character(64)
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_hash character(64);
begin
    -- Said again: recent again, the higher importance, alive again if it had been superseded before. What
    -- is known of its origin stays; only new keys of the metadata are added.
    insert into cto.blocks as b (
        owner_id, hash, session_hash, block_type, content, importance, source_hash, metadata, language,
        created_at, last_said_at, ordinal
    )
    values (
        owner_key, encode(sha256(convert_to(content, 'UTF8')), 'hex'), session_key, block_type, content,
        coalesce(importance, cto._default_importance(block_type)), source_key, coalesce(metadata, '{}'), language,
        at, at, ordinal
    )
    on conflict on constraint blocks_pkey do update
    set last_said_at = greatest(b.last_said_at, excluded.last_said_at),
        created_at = least(b.created_at, excluded.created_at),
        importance = greatest(b.importance, excluded.importance),
        metadata = excluded.metadata || b.metadata,
        -- A rule stays a rule when it is mentioned again; what was context may be remembered as one.
        block_type = case
            when cto._default_importance(excluded.block_type) > cto._default_importance(b.block_type)
                then excluded.block_type
            else b.block_type
        end,
        superseded_by = case when excluded.last_said_at < b.superseded_at then b.superseded_by end,
        superseded_at = case when excluded.last_said_at < b.superseded_at then b.superseded_at end
    returning b.hash into v_hash;

    return v_hash;
end;
$function$;

comment on function cto._store_block(
    character, text, text, double precision, character, character, jsonb, text, timestamptz, integer
) is
'Stores one block, or makes the one with the same owner and content recent again. Returns its hash.';

revoke all on function cto._store_block(
    character, text, text, double precision, character, character, jsonb, text, timestamptz, integer
) from public;
grant execute on function cto._store_block(
    character, text, text, double precision, character, character, jsonb, text, timestamptz, integer
) to cto_agent;
