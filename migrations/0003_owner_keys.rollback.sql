-- Fails, and changes nothing, when two owners hold the same content: v1.0 cannot store that.
alter table cto.memory drop constraint memory_pkey;
alter table cto.blocks drop constraint blocks_pkey;
alter table cto.memory
    alter column session_hash type char(64) collate "default",
    alter column owner_id type char(64) collate "default",
    alter column block_hash type char(64) collate "default";
alter table cto.blocks
    alter column hash type char(64) collate "default",
    alter column session_hash type char(64) collate "default",
    alter column owner_id type char(64) collate "default",
    alter column source_hash type char(64) collate "default";
alter table cto.blocks add constraint blocks_pkey primary key (hash);
alter table cto.memory add constraint memory_pkey primary key (session_hash, block_hash);
alter table cto.memory
    add constraint memory_block_hash_fkey foreign key (block_hash) references cto.blocks (hash) on delete cascade;
