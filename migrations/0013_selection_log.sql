-- depends: 0012_spanish_stems
-- What an earlier selection knew, so that it can be made again: when each block, vector and count was stored,
-- what a block was like before it was said again, which pins there were; the log of the selections
-- themselves; and configurations of single owners.

-- As defaults that are no volatile functions, these touch no row. Blocks that are there already count as
-- stored now: as of an earlier moment, everything that is known of them counts.
alter table cto.blocks
    add column recorded_at timestamptz not null default now(),
    add column embedded_at timestamptz,
    add column counted_at timestamptz;

create table cto.block_changes (
    owner_id char(64) collate "C" not null,
    change_id bigint generated always as identity,
    block_hash char(64) collate "C" not null,
    changed_at timestamptz not null,
    last_said_at timestamptz not null,
    importance double precision not null,
    block_type text not null,
    superseded_at timestamptz,
    constraint block_changes_pkey primary key (owner_id, change_id),
    constraint block_changes_block_fkey foreign key (owner_id, block_hash)
    references cto.blocks (owner_id, hash) on update cascade on delete cascade
);

create index block_changes_block_idx on cto.block_changes (owner_id, block_hash, changed_at);

create index block_changes_changed_at_idx on cto.block_changes (owner_id, changed_at);

create table cto.past_pins (
    owner_id char(64) collate "C" not null,
    pin_id bigint generated always as identity,
    session_hash char(64) collate "C" not null,
    block_hash char(64) collate "C" not null,
    pinned_at timestamptz not null,
    unpinned_at timestamptz not null,
    constraint past_pins_pkey primary key (owner_id, pin_id),
    constraint past_pins_block_fkey foreign key (owner_id, block_hash)
    references cto.blocks (owner_id, hash) on update cascade on delete cascade
);

create index past_pins_session_idx on cto.past_pins (owner_id, session_hash, unpinned_at);

create index past_pins_block_idx on cto.past_pins (owner_id, block_hash);

create table cto.selections (
    owner_id char(64) collate "C" not null,
    selection_id bigint generated always as identity,
    session_hash char(64) collate "C" not null,
    selected_at timestamptz not null,
    as_of timestamptz not null,
    query text,
    query_embedding vector(1536),
    embedding_model text,
    scorer text not null,
    scorer_config jsonb not null,
    selector text not null,
    selector_config jsonb not null,
    format text not null,
    block_hashes char(64)[] collate "C" not null,
    token_count integer not null,
    constraint selections_pkey primary key (owner_id, selection_id),
    constraint owner_id_is_a_key check (owner_id ~ '^[0-9a-f]{64}$'),
    constraint session_hash_is_a_key check (session_hash ~ '^[0-9a-f]{64}$'),
    constraint token_count_is_not_negative check (token_count >= 0)
);

create index selections_selected_at_idx on cto.selections (owner_id, selected_at);

create table cto.owner_algorithms (
    owner_id char(64) collate "C" not null,
    name text not null,
    revision integer not null,
    config jsonb,
    set_at timestamptz not null default now(),
    set_by text not null default session_user,
    constraint owner_algorithms_pkey primary key (owner_id, name, revision),
    constraint owner_id_is_a_key check (owner_id ~ '^[0-9a-f]{64}$'),
    constraint revision_is_positive check (revision > 0)
);

comment on column cto.blocks.recorded_at is 'When the row was stored, whatever moment it tells of';

comment on column cto.blocks.embedded_at is 'When its vector was stored; null where that was not noted';

comment on column cto.blocks.counted_at is 'When its exact token count was stored; null where that was not noted';

comment on table cto.block_changes is
'What a block was like from changed_at on: a row for the first state and for each change, none where nothing changed';

comment on column cto.block_changes.owner_id is 'Key of the owner';

comment on column cto.block_changes.change_id is 'Identity; says nothing about time';

comment on column cto.block_changes.block_hash is 'Hash of the block';

comment on column cto.block_changes.changed_at is 'From when on the block was so';

comment on column cto.block_changes.last_said_at is 'cto.blocks.last_said_at from then on';

comment on column cto.block_changes.importance is 'cto.blocks.importance from then on';

comment on column cto.block_changes.block_type is 'cto.blocks.block_type from then on';

comment on column cto.block_changes.superseded_at is 'cto.blocks.superseded_at from then on';

comment on table cto.past_pins is 'Pins that were taken away; the present ones stand in cto.pins';

comment on column cto.past_pins.owner_id is 'Key of the owner';

comment on column cto.past_pins.pin_id is 'Identity; says nothing about time';

comment on column cto.past_pins.session_hash is 'Key of the session';

comment on column cto.past_pins.block_hash is 'Hash of the block that was pinned';

comment on column cto.past_pins.pinned_at is 'When it was pinned';

comment on column cto.past_pins.unpinned_at is 'When the pin was taken away';

comment on table cto.selections is
'Append-only log of recorded selections: what was asked, under which configuration, and what was selected';

comment on column cto.selections.owner_id is 'Key of the owner';

comment on column cto.selections.selection_id is 'Identity; says nothing about time';

comment on column cto.selections.session_hash is 'Key of the session';

comment on column cto.selections.selected_at is 'When it was selected, by the clock';

comment on column cto.selections.as_of is 'The moment as of which it was selected';

comment on column cto.selections.query is 'The question, null without one';

comment on column cto.selections.query_embedding is
'Vector of the question, padded to 1,536 dimensions, null without one';

comment on column cto.selections.embedding_model is 'Model of that vector: the current one then';

comment on column cto.selections.scorer is 'Name of the scorer';

comment on column cto.selections.scorer_config is 'Its configuration, defaults filled in';

comment on column cto.selections.selector is 'Name of the selector';

comment on column cto.selections.selector_config is 'Its configuration, defaults and arguments filled in';

comment on column cto.selections.format is 'Format whose tokens were counted: markdown, plain, xml or json';

comment on column cto.selections.block_hashes is 'Hashes of the selected blocks, in their order';

comment on column cto.selections.token_count is 'Tokens that the selected blocks cost, without headings and markers';

comment on table cto.owner_algorithms is
'Configurations of single owners, laid over cto.algorithms; the highest revision counts, and null ends it';

comment on column cto.owner_algorithms.owner_id is 'Key of the owner';

comment on column cto.owner_algorithms.name is 'Name of the algorithm in cto.algorithms';

comment on column cto.owner_algorithms.revision is 'Counts up from 1 for each owner and name';

comment on column cto.owner_algorithms.config is 'The keys that are different for this owner; null: none any more';

comment on column cto.owner_algorithms.set_at is 'Since when it is in force';

comment on column cto.owner_algorithms.set_by is 'The login that set it';
