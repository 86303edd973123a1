drop index cto.blocks_unfinished_idx;
alter table cto.blocks drop column lexemes_version;
