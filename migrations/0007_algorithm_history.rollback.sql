drop table cto.algorithm_history;
alter table cto.algorithms alter column enabled drop not null;
