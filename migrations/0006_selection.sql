-- depends: 0005_vector_index
-- What a selection leaves behind: one row a candidate with its reasons, an append-only log of the
-- accesses, and the blocks that a session wants first.

alter table cto.memory
    add column recency double precision,
    add column frequency double precision,
    add column importance double precision,
    add column similarity double precision,
    add column reason text,
    add column selected_at timestamptz not null default now(),
    add constraint reason_is_known
    check (reason in ('included', 'over_budget', 'below_min_score', 'over_max_blocks', 'duplicate', 'pinned'));

create table cto.accesses (
    owner_id char(64) collate "C" not null,
    access_id bigint generated always as identity,
    block_hash char(64) collate "C" not null,
    session_hash char(64) collate "C" not null,
    accessed_at timestamptz not null default now(),
    constraint accesses_pkey primary key (owner_id, access_id),
    constraint owner_id_is_a_key check (owner_id ~ '^[0-9a-f]{64}$'),
    constraint block_hash_is_a_key check (block_hash ~ '^[0-9a-f]{64}$'),
    constraint session_hash_is_a_key check (session_hash ~ '^[0-9a-f]{64}$')
);

-- What hangs on a block follows it and goes with it.
create index accesses_block_idx on cto.accesses (owner_id, block_hash);

create index memory_block_idx on cto.memory (owner_id, block_hash);

create table cto.pins (
    owner_id char(64) collate "C" not null,
    session_hash char(64) collate "C" not null,
    block_hash char(64) collate "C" not null,
    pinned_at timestamptz not null default now(),
    constraint pins_pkey primary key (owner_id, session_hash, block_hash),
    constraint session_hash_is_a_key check (session_hash ~ '^[0-9a-f]{64}$'),
    constraint pins_block_fkey foreign key (owner_id, block_hash)
    references cto.blocks (owner_id, hash) on update cascade on delete cascade
);

create index pins_block_idx on cto.pins (owner_id, block_hash);

comment on column cto.memory.session_hash is 'Key of the session whose context it is';

comment on column cto.memory.owner_id is 'Key of the owner';

comment on column cto.memory.block_hash is 'Hash of the candidate in cto.blocks';

comment on column cto.memory.score is 'Score of the candidate, 0 to 1';

comment on column cto.memory.position is 'Order in the context, from 1; null when the candidate is not included';

comment on column cto.memory.token_count is 'Tokens that the block costs in the rendered text, its list mark included';

comment on column cto.memory.included is 'Whether the candidate is part of the context';

comment on column cto.memory.recency is 'Component of the score, 0 to 1; null where it did not apply';

comment on column cto.memory.frequency is 'Component of the score, 0 to 1; null where it did not apply';

comment on column cto.memory.importance is 'Component of the score, 0 to 1';

comment on column cto.memory.similarity is 'Component of the score, 0 to 1; null where there was no query';

comment on column cto.memory.reason is
'Why it is in or out: included, pinned, over_budget, below_min_score, over_max_blocks, duplicate';

comment on column cto.memory.selected_at is 'When the selection was made';

comment on table cto.accesses is
'Append-only log of blocks that were part of a context; cto.fold_accesses adds them to cto.blocks.access_count';

comment on column cto.accesses.owner_id is 'Key of the owner';

comment on column cto.accesses.access_id is 'Identity; says nothing about time';

comment on column cto.accesses.block_hash is 'Hash of the block that was selected';

comment on column cto.accesses.session_hash is 'Key of the session that selected it';

comment on column cto.accesses.accessed_at is 'When it was selected';

comment on table cto.pins is 'Blocks that a session''s context always starts with';

comment on column cto.pins.owner_id is 'Key of the owner';

comment on column cto.pins.session_hash is 'Key of the session';

comment on column cto.pins.block_hash is 'Hash of the pinned block';

comment on column cto.pins.pinned_at is 'When it was pinned';
