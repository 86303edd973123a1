-- Triggers of cto.blocks. No WHEN that compares vectors: its operator is not found on pg_restore.

create or replace trigger blocks_prepare
before insert or update of
    owner_id, hash, session_hash, block_type, importance, content, embedding, language, token_count, lexemes
on cto.blocks
for each row execute function cto._prepare_block();

create or replace trigger blocks_queue
after insert on cto.blocks
referencing new table as new_blocks
for each statement execute function cto._queue_blocks();

create or replace trigger blocks_follow_edit
after update of content, hash, superseded_at on cto.blocks
for each row execute function cto._follow_block();

create or replace trigger blocks_follow_delete
after delete on cto.blocks
for each row execute function cto._follow_block();

create or replace trigger blocks_keep_change
after update on cto.blocks
for each row
when (
    old.last_said_at is distinct from new.last_said_at
    or old.importance is distinct from new.importance
    or old.block_type is distinct from new.block_type
    or old.superseded_at is distinct from new.superseded_at
)
execute function cto._keep_change();

create or replace trigger blocks_note_knowledge
before update of embedding, token_count_is_exact on cto.blocks
for each row execute function cto._note_knowledge();
