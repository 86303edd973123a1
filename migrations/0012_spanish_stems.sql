-- depends: 0011_search_indexes
-- Spanish lexemes are mended after stemming (comía: com, as come). Which rows hold them as they are made now
-- stands in lexemes_version; cto.backfill_blocks works the others out again, some at a time. English and other
-- lexemes have not changed: their rows may keep version 1.

-- squawk-ignore prefer-bigint-over-smallint
alter table cto.blocks add column lexemes_version smallint not null default 1;

-- Holds only what cto.backfill_blocks has still to do: in the end, nothing.
create index blocks_unfinished_idx on cto.blocks (owner_id)
where language is null or lexemes is null or (language = 'es' and lexemes_version < 2);

comment on column cto.blocks.lexemes_version is
'How lexemes were made: 1 as in the first releases, 2 with Spanish stems mended by cto._spanish_lexeme';
