-- depends: 0002_text_search
-- Keys belong to an owner: the same content of two owners no longer collides, and every key of a
-- table that holds an owner's data starts with owner_id, as distribution needs it.

alter table cto.memory drop constraint memory_block_hash_fkey;

alter table cto.memory drop constraint memory_pkey;

alter table cto.blocks drop constraint blocks_pkey;

alter table cto.blocks
    alter column hash type char(64) collate "C",
    alter column session_hash type char(64) collate "C",
    alter column owner_id type char(64) collate "C",
    alter column source_hash type char(64) collate "C";

alter table cto.memory
    alter column session_hash type char(64) collate "C",
    alter column owner_id type char(64) collate "C",
    alter column block_hash type char(64) collate "C";

alter table cto.blocks add constraint blocks_pkey primary key (owner_id, hash);

-- No foreign key to cto.blocks: its checks would lock every candidate's row at each selection, and
-- that is a write on the hottest rows. Triggers on cto.blocks keep the two together instead.
alter table cto.memory add constraint memory_pkey primary key (owner_id, session_hash, block_hash);
