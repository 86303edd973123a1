-- depends: 0010_search_statistics
-- transactional: false
-- The newest and the most important blocks of a large owner are candidates whatever the question. Neither
-- column changes when a block is read, so that folding accesses stays a HOT update.

create index concurrently if not exists blocks_created_at_idx
on cto.blocks (owner_id, created_at);

create index concurrently if not exists blocks_importance_idx
on cto.blocks (owner_id, importance, created_at);
