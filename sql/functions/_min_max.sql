-- _min_max: where a value lies between the least and the most, from 0 to 1.
--
-- Called by: _score_blocks. Without a pinned path, so that it is inlined; the SQL-standard body is
-- resolved now, under the deployer's path.

create or replace function cto._min_max(value double precision, least_value double precision, most double precision)
returns double precision
language sql
immutable
parallel safe
return case
    when most > least_value then (value - least_value) / (most - least_value)
    when most > 0 then 1
    else 0
end::double precision;

comment on function cto._min_max(double precision, double precision, double precision) is
'(value - least_value) / (most - least_value). Where all are equal: 1 if they are above 0, else 0.';

revoke all on function cto._min_max(double precision, double precision, double precision) from public;
grant execute on function cto._min_max(double precision, double precision, double precision) to cto_agent;
