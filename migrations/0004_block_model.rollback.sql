drop index cto.blocks_session_idx;
drop index cto.blocks_owner_id_lexemes_idx;
alter table cto.blocks reset (fillfactor);
alter table cto.blocks
    drop constraint superseded_blocks_name_their_successor,
    drop constraint embedding_names_its_model,
    drop constraint word_count_is_not_negative,
    drop constraint token_count_is_not_negative,
    drop constraint language_is_known;
alter table cto.blocks
    alter column importance drop not null,
    alter column access_count drop not null,
    alter column metadata drop not null;
alter table cto.blocks
    drop column superseded_at,
    drop column superseded_by,
    drop column embedding_model,
    drop column token_count_is_exact,
    drop column token_count,
    drop column word_count,
    drop column lexemes,
    drop column language,
    drop column ordinal,
    drop column last_said_at,
    drop column created_at;
comment on column cto.blocks.hash is null;
comment on column cto.blocks.session_hash is null;
comment on column cto.blocks.owner_id is null;
comment on column cto.blocks.block_type is null;
comment on column cto.blocks.content is null;
comment on column cto.blocks.embedding is null;
comment on column cto.blocks.importance is null;
comment on column cto.blocks.access_count is null;
comment on column cto.blocks.source_hash is null;
comment on column cto.blocks.metadata is null;
