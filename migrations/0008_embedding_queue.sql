-- depends: 0007_algorithm_history
-- The queue that the embedding worker empties, and the models whose vectors are stored.

create table cto.embedding_models (
    name text not null,
    dimensions integer not null,
    is_current boolean not null default false,
    first_used_at timestamptz not null default now(),
    constraint embedding_models_pkey primary key (name),
    constraint dimensions_lie_between_1_and_1536 check (dimensions between 1 and 1536)
);

create unique index embedding_models_one_is_current_idx on cto.embedding_models (is_current) where is_current;

insert into cto.embedding_models (name, dimensions, is_current)
select distinct
    b.embedding_model,
    1536 as dimensions,
    true as is_current
from cto.blocks as b
where b.embedding_model = 'v1.0' and b.embedding is not null;

create table cto.embedding_jobs (
    owner_id char(64) collate "C" not null,
    block_hash char(64) collate "C" not null,
    state text not null default 'waiting',
    not_before timestamptz not null default now(),
    attempts integer not null default 0,
    leased_by text,
    leased_until timestamptz,
    last_error text,
    created_at timestamptz not null default now(),
    constraint embedding_jobs_pkey primary key (owner_id, block_hash),
    constraint embedding_jobs_block_fkey foreign key (owner_id, block_hash)
    references cto.blocks (owner_id, hash) on update cascade on delete cascade,
    constraint state_is_known check (state in ('waiting', 'leased', 'dead')),
    constraint leases_name_their_holder
    check ((state = 'leased') = (leased_by is not null) and (state = 'leased') = (leased_until is not null)),
    constraint dead_jobs_say_why check (state <> 'dead' or last_error is not null)
);

create index embedding_jobs_waiting_idx on cto.embedding_jobs (not_before) where state = 'waiting';

create index embedding_jobs_leased_idx on cto.embedding_jobs (leased_until) where state = 'leased';

comment on table cto.embedding_models is
'Embedding models whose vectors are stored; queries are compared with those of the current one';

comment on column cto.embedding_models.name is 'Name of the model, as its provider calls it';

comment on column cto.embedding_models.dimensions is 'Dimensions of its vectors before padding';

comment on column cto.embedding_models.is_current is
'Whether queries are compared with its vectors; true for one model at most';

comment on column cto.embedding_models.first_used_at is 'When its first vector was stored';

comment on table cto.embedding_jobs is 'Blocks that wait for their vector; a row goes when the vector is stored';

comment on column cto.embedding_jobs.owner_id is 'Key of the owner';

comment on column cto.embedding_jobs.block_hash is 'Hash of the block, which guards against an edit in flight';

comment on column cto.embedding_jobs.state is
'waiting, leased (a worker has it) or dead (see last_error; cto.requeue_embeddings)';

comment on column cto.embedding_jobs.not_before is 'Not handed out before this moment';

comment on column cto.embedding_jobs.attempts is 'How often it was handed out';

comment on column cto.embedding_jobs.leased_by is 'The worker that has it';

comment on column cto.embedding_jobs.leased_until is 'From then on another worker may take it';

comment on column cto.embedding_jobs.last_error is 'Why the last attempt failed';

comment on column cto.embedding_jobs.created_at is 'When the block began to wait';
