-- _note_knowledge: note when a block's vector and its exact token count came to be known.
--
-- Called by: the trigger blocks_note_knowledge, before an update of either. As of an earlier moment they do
-- not count (_raw_blocks, _score_blocks).

create or replace function cto._note_knowledge()
returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
begin
    if old.embedding is null and new.embedding is not null then
        new.embedded_at := now();
    end if;

    if new.token_count_is_exact and not old.token_count_is_exact then
        new.counted_at := now();
    end if;

    return new;
end;
$function$;

comment on function cto._note_knowledge() is
'Trigger: sets embedded_at when a block gets its first vector, and counted_at when it gets its exact token count.';

revoke all on function cto._note_knowledge() from public;
