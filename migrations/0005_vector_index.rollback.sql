-- transactional: false
drop index concurrently if exists cto.blocks_embedding_idx;
