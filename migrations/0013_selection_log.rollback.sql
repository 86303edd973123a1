drop table cto.owner_algorithms;
drop table cto.selections;
drop table cto.past_pins;
drop table cto.block_changes;
alter table cto.blocks
    drop column recorded_at,
    drop column embedded_at,
    drop column counted_at;
