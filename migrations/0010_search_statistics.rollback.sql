drop table cto.most_accessed;
drop table cto.lexeme_statistics;
drop table cto.owner_statistics;
