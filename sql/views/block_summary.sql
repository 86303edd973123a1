-- cto.block_summary: how many blocks of which kind each owner has, for reports.

create or replace view cto.block_summary as
select
    b.owner_id,
    b.block_type,
    count(*) filter (where b.superseded_at is null) as live_blocks,
    count(*) filter (where b.superseded_at is not null) as superseded_blocks,
    coalesce(sum(b.token_count) filter (where b.superseded_at is null), 0) as live_tokens,
    count(*) filter (where b.superseded_at is null and b.embedding is null) as without_vector,
    max(b.last_said_at) as last_said_at
from cto.blocks as b
group by b.owner_id, b.block_type;

comment on view cto.block_summary is 'Blocks by owner and type';
comment on column cto.block_summary.owner_id is 'Key of the owner';
comment on column cto.block_summary.block_type is 'fact, instruction, preference or context';
comment on column cto.block_summary.live_blocks is 'Blocks that can be selected';
comment on column cto.block_summary.superseded_blocks is 'Blocks that another one took the place of';
comment on column cto.block_summary.live_tokens is 'Tokens of the live blocks';
comment on column cto.block_summary.without_vector is 'Live blocks that wait for their vector';
comment on column cto.block_summary.last_said_at is 'When the latest of them was said';

grant select on cto.block_summary to cto_report;
