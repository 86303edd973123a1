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
