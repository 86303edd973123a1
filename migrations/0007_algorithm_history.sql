-- depends: 0006_selection
-- Every configuration that was ever in force, so that a change can be looked up and undone.

create table cto.algorithm_history (
    history_id bigint generated always as identity,
    name text not null,
    version text not null,
    config jsonb not null,
    enabled boolean not null,
    set_at timestamptz not null default now(),
    set_by text not null default session_user,
    constraint algorithm_history_pkey primary key (history_id)
);

create index algorithm_history_name_set_at_idx on cto.algorithm_history (name, set_at);

update cto.algorithms
set enabled = coalesce(enabled, true)
where enabled is null;

alter table cto.algorithms alter column enabled set not null;

insert into cto.algorithm_history (name, version, config, enabled)
select
    a.name,
    a.version,
    a.config,
    a.enabled
from cto.algorithms as a;

comment on table cto.algorithm_history is 'Every configuration of cto.algorithms, the one in force included';

comment on column cto.algorithm_history.history_id is 'Identity; says nothing about time';

comment on column cto.algorithm_history.name is 'Name of the algorithm';

comment on column cto.algorithm_history.version is 'Version that the configuration was given';

comment on column cto.algorithm_history.config is 'The configuration';

comment on column cto.algorithm_history.enabled is 'Whether it was switched on';

comment on column cto.algorithm_history.set_at is 'Since when it was in force';

comment on column cto.algorithm_history.set_by is 'The login that set it';

comment on column cto.algorithms.name is 'Name: a kind, or a kind, an underscore and a suffix';

comment on column cto.algorithms.version is 'Version of the configuration; cto.set_algorithm counts it up';

comment on column cto.algorithms.config is 'The configuration; keys that are left out have defaults in code';

comment on column cto.algorithms.enabled is 'Whether it is switched on';
