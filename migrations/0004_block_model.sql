-- depends: 0003_owner_keys
-- What scoring and selection need to know of a block. Nothing here rewrites the table, however large it
-- is: rows of v1.0 get their language, lexemes and counts from cto.backfill_blocks, some at a time, after
-- the functions are deployed. Null means "not worked out yet".

alter table cto.blocks
    add column created_at timestamptz not null default now(),
    add column last_said_at timestamptz not null default now(),
    add column ordinal integer not null default 0,
    add column language text,
    add column lexemes tsvector,
    add column word_count integer,
    add column token_count integer,
    add column token_count_is_exact boolean not null default false,
    add column embedding_model text default 'v1.0',
    add column superseded_by char(64) collate "C",
    add column superseded_at timestamptz;

-- The vectors of v1.0 do not say which model made them. They are one model of their own, so that they
-- are never compared with those of another. As a default that goes at once, it touches no row.
alter table cto.blocks alter column embedding_model drop default;

update cto.blocks
set importance = coalesce(importance, 0.5),
    access_count = coalesce(access_count, 0),
    metadata = coalesce(metadata, '{}')
where importance is null or access_count is null or metadata is null;

alter table cto.blocks
    alter column importance set not null,
    alter column access_count set not null,
    alter column metadata set not null;

-- What v1.0 let in (another type, a key in upper case) stays and can still be embedded and counted: a
-- CHECK would refuse every update of such a row. cto._check_block refuses new ones.
alter table cto.blocks
    add constraint language_is_known
    check (language in ('es', 'en', 'simple')),
    add constraint token_count_is_not_negative
    check (token_count >= 0),
    add constraint word_count_is_not_negative
    check (word_count >= 0),
    add constraint embedding_names_its_model
    check (embedding is null or embedding_model is not null),
    add constraint superseded_blocks_name_their_successor
    check ((superseded_by is null) = (superseded_at is null));

-- Room on each page for updates that touch no indexed column, so that they stay within it (HOT).
alter table cto.blocks set (fillfactor = 80);

create index blocks_owner_id_lexemes_idx on cto.blocks using gin (owner_id, lexemes);

create index blocks_session_idx on cto.blocks (owner_id, session_hash, created_at, ordinal);

comment on column cto.blocks.hash is 'SHA-256 of the content as UTF-8, lower-case hexadecimal';

comment on column cto.blocks.session_hash is 'Key of the session in which the content was first said';

comment on column cto.blocks.owner_id is 'Key of the owner: cto.key(owner)';

comment on column cto.blocks.block_type is 'fact, instruction, preference or context';

comment on column cto.blocks.content is 'The text itself, exactly as it was said';

comment on column cto.blocks.embedding is
'Vector of the content, zero-padded to 1,536 dimensions; null while it waits in cto.embedding_jobs';

comment on column cto.blocks.importance is 'Importance from 0 to 1';

comment on column cto.blocks.access_count is
'How often the block was part of a selected context; newer accesses stand in cto.accesses';

comment on column cto.blocks.source_hash is
'SHA-256 of the message that the block was extracted from, or cto.key of the source given to cto.remember';

comment on column cto.blocks.metadata is 'Anything else; message_id names the row of public.ia_messages';

comment on column cto.blocks.created_at is 'When the content was first said';

comment on column cto.blocks.last_said_at is 'When the content was last said; recency counts from here';

comment on column cto.blocks.ordinal is 'Position among the blocks of one message, from 0';

comment on column cto.blocks.language is
'es, en or simple: the text search configuration of lexemes; null on rows not worked out yet';

comment on column cto.blocks.word_count is
'Words in lexemes, each as often as it occurs: the length for BM25; null on rows not worked out yet';

comment on column cto.blocks.token_count is
'Tokens of the content in cl100k_base: cto.estimate_tokens until token_count_is_exact';

comment on column cto.blocks.token_count_is_exact is 'True once a tokenizer counted token_count';

comment on column cto.blocks.embedding_model is
'Name of the model that made embedding; vectors of two models are never compared';

comment on column cto.blocks.superseded_by is 'Hash of the block that took this one''s place, in the same owner';

comment on column cto.blocks.superseded_at is 'When that happened; a block is live as of any earlier moment';

comment on column cto.blocks.lexemes is 'The content for text search, in the configuration of language';
