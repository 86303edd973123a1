-- Triggers of cto.algorithms.

create or replace trigger algorithms_check
before insert or update of name, config on cto.algorithms
for each row execute function cto._check_algorithm();

create or replace trigger algorithms_history
after insert or update on cto.algorithms
for each row execute function cto._keep_algorithm();
