-- depends: 0009_conversation_log
-- What the search over a large owner needs to know beforehand: how many blocks there are, how rare each
-- word is, and which blocks were read most. Small owners are counted while they are scored.

create table cto.owner_statistics (
    owner_id char(64) collate "C" not null,
    blocks bigint not null,
    mean_words double precision not null,
    counted_at timestamptz not null default now(),
    constraint owner_statistics_pkey primary key (owner_id),
    constraint owner_id_is_a_key check (owner_id ~ '^[0-9a-f]{64}$'),
    constraint blocks_is_not_negative check (blocks >= 0),
    constraint mean_words_is_at_least_one check (mean_words >= 1)
);

create table cto.lexeme_statistics (
    owner_id char(64) collate "C" not null,
    language text not null,
    lexeme text collate "C" not null,
    blocks bigint not null,
    constraint lexeme_statistics_pkey primary key (owner_id, language, lexeme),
    constraint lexeme_statistics_owner_fkey foreign key (owner_id)
    references cto.owner_statistics (owner_id) on update cascade on delete cascade,
    constraint blocks_is_positive check (blocks > 0)
);

create table cto.most_accessed (
    owner_id char(64) collate "C" not null,
    block_hash char(64) collate "C" not null,
    access_count integer not null,
    constraint most_accessed_pkey primary key (owner_id, block_hash),
    constraint most_accessed_block_fkey foreign key (owner_id, block_hash)
    references cto.blocks (owner_id, hash) on update cascade on delete cascade
);

create index most_accessed_access_count_idx on cto.most_accessed (owner_id, access_count desc);

comment on table cto.owner_statistics is
'Size of each large owner, as counted by cto.refresh_statistics; selections refresh it where it has drifted';

comment on column cto.owner_statistics.owner_id is 'Key of the owner';

comment on column cto.owner_statistics.blocks is 'How many blocks the owner had';

comment on column cto.owner_statistics.mean_words is 'Mean number of words of a block, at least 1';

comment on column cto.owner_statistics.counted_at is 'When it was counted';

comment on table cto.lexeme_statistics is
'In how many blocks of a large owner a lexeme occurs; rare ones are left out and counted when they are searched';

comment on column cto.lexeme_statistics.owner_id is 'Key of the owner';

comment on column cto.lexeme_statistics.language is 'Language of the blocks: es, en or simple';

comment on column cto.lexeme_statistics.lexeme is 'The lexeme, as in cto.blocks.lexemes';

comment on column cto.lexeme_statistics.blocks is
'In how many blocks of this language it occurs; from a sample for the largest owners';

comment on table cto.most_accessed is
'The blocks of a large owner that were read most, at most 200 an owner; kept by cto.fold_accesses';

comment on column cto.most_accessed.owner_id is 'Key of the owner';

comment on column cto.most_accessed.block_hash is 'Hash of the block';

comment on column cto.most_accessed.access_count is 'cto.blocks.access_count, as last folded';
