-- _choose_knapsack: the candidates with the greatest total score that fit the budget.
--
-- Called by: cto._select_blocks, when the strategy is knapsack.
-- Locking:   none; it reads nothing but its arguments.

create or replace function cto._choose_knapsack(
    costs integer[],
    scores double precision[],
    headings integer[],
    heading_cost integer,
    budget integer,
    max_blocks integer
)
returns integer[]
language plpython3u
immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $python$
if "choose_knapsack" not in SD:
    :module
    SD["choose_knapsack"] = module["choose_knapsack"]
return SD["choose_knapsack"](costs, scores, headings, heading_cost, budget, max_blocks)
$python$;

comment on function cto._choose_knapsack(
    integer[], double precision[], integer[], integer, integer, integer
) is
'Indices, ascending from 1, of the at most max_blocks candidates with the greatest total score whose costs
and heading_cost for each different heading fit the budget: the optimum or close to it.';

revoke all on function cto._choose_knapsack(
    integer[], double precision[], integer[], integer, integer, integer
) from public;
grant execute on function cto._choose_knapsack(
    integer[], double precision[], integer[], integer, integer, integer
) to cto_agent;
