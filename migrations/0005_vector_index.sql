-- depends: 0004_block_model
-- transactional: false
-- Nearest vectors, in half precision: half the size and half the build time of the full one, and
-- faster; exact distances are computed on the column itself. Concurrently, because a hand-deployed
-- server has rows and readers. The deployer drops an invalid left-over of this index before it tries.

create index concurrently if not exists blocks_embedding_idx
on cto.blocks using hnsw ((embedding::halfvec(1536)) halfvec_cosine_ops);
