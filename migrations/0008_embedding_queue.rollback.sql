drop table cto.embedding_jobs;
drop table cto.embedding_models;
