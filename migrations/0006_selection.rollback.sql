drop table cto.pins;
drop table cto.accesses;
drop index cto.memory_block_idx;
alter table cto.memory
    drop constraint reason_is_known,
    drop column selected_at,
    drop column reason,
    drop column similarity,
    drop column importance,
    drop column frequency,
    drop column recency;
comment on column cto.memory.position is null;
comment on column cto.memory.token_count is null;
comment on column cto.memory.included is null;
comment on column cto.memory.session_hash is null;
comment on column cto.memory.owner_id is null;
comment on column cto.memory.block_hash is null;
comment on column cto.memory.score is null;
