-- transactional: false
drop index concurrently if exists cto.blocks_importance_idx;
drop index concurrently if exists cto.blocks_created_at_idx;
