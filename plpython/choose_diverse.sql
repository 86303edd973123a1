-- _choose_diverse: the candidates that score high and repeat each other little, by marginal relevance.
--
-- Called by: cto._select_blocks, when the strategy is diverse.
-- Locking:   none; it reads nothing but its arguments.

create or replace function cto._choose_diverse(
    costs integer[],
    scores double precision[],
    headings integer[],
    heading_cost integer,
    budget integer,
    max_blocks integer,
    similarities real[],
    diversity double precision
)
returns integer[]
language plpython3u
immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $python$
if "choose_diverse" not in SD:
    :module
    SD["choose_diverse"] = module["choose_diverse"]
return SD["choose_diverse"](
    costs, scores, headings, heading_cost, budget, max_blocks, similarities, diversity
)
$python$;

comment on function cto._choose_diverse(
    integer[], double precision[], integer[], integer, integer, integer, real[], double precision
) is
'Indices from 1, in the order of choice, of at most max_blocks candidates whose costs and heading_cost for each
different heading fit the budget. similarities is their n by n matrix, row after row. Each choice has the greatest
(1 - diversity) * score / greatest score - diversity * greatest similarity to one chosen before.';

revoke all on function cto._choose_diverse(
    integer[], double precision[], integer[], integer, integer, integer, real[], double precision
) from public;
grant execute on function cto._choose_diverse(
    integer[], double precision[], integer[], integer, integer, integer, real[], double precision
) to cto_agent;
