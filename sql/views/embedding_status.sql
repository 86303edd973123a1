-- cto.embedding_status: the backlog of the embedding worker, for reports and monitoring.

create or replace view cto.embedding_status as
select
    j.state,
    count(*) as jobs,
    min(j.created_at) as oldest_at,
    coalesce(sum(b.token_count), 0) as tokens
from cto.embedding_jobs as j
inner join cto.blocks as b on j.owner_id = b.owner_id and j.block_hash = b.hash
group by j.state;

comment on view cto.embedding_status is 'Embedding jobs by state';
comment on column cto.embedding_status.state is 'waiting, leased or dead';
comment on column cto.embedding_status.jobs is 'Blocks in this state';
comment on column cto.embedding_status.oldest_at is 'Since when the oldest of them waits';
comment on column cto.embedding_status.tokens is 'Tokens of their texts';

grant select on cto.embedding_status to cto_report, cto_embedder;
