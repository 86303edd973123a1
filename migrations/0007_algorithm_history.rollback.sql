drop table cto.algorithm_history;
alter table cto.algorithms alter column enabled drop not null;
comment on column cto.algorithms.name is null;
comment on column cto.algorithms.version is null;
comment on column cto.algorithms.config is null;
comment on column cto.algorithms.enabled is null;
