-- _choose_blocks: which of some candidates to take, by the strategies that only PL/Python has.
--
-- Called by: _select_blocks for knapsack and diverse, with what is left after the pinned blocks. Reads only.

create or replace function cto._choose_blocks(
    owner_key character(64),
    hashes character(64)[],
    costs integer[],
    scores double precision[],
    block_types text[],
    heading_cost integer,
    budget integer,
    selector_config jsonb,
    max_blocks integer,
    as_of timestamptz
)
returns character(64)[]
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_strategy constant text := selector_config ->> 'strategy';
    v_most_compared constant integer := 200;
    v_headings constant integer[] := array(
        select array_position(array['instruction', 'preference', 'fact', 'context'], t.block_type)
        from unnest(block_types) with ordinality as t (block_type, place)
        order by t.place);
    v_chosen integer[];
begin
    if to_regprocedure(
        'cto._choose_knapsack(integer[],double precision[],integer[],integer,integer,integer)') is null
    then
        raise exception 'the strategy % needs PL/Python, which this database does not have', quote_literal(v_strategy)
            using errcode = 'feature_not_supported',
                  hint = 'Use greedy, or have an administrator install plpython3u and deploy again.';
    end if;

    if coalesce(cardinality(hashes), 0) = 0 or budget <= 0 or max_blocks <= 0 then
        return '{}';
    end if;

    if v_strategy = 'knapsack' then
        v_chosen := cto._choose_knapsack(
            costs => costs, scores => scores, headings => v_headings, heading_cost => heading_cost, budget => budget,
            max_blocks => max_blocks);
    else
        v_chosen := cto._choose_diverse(
            costs => costs[:v_most_compared], scores => scores[:v_most_compared],
            headings => v_headings[:v_most_compared], heading_cost => heading_cost, budget => budget,
            max_blocks => max_blocks,
            similarities => cto._similarities(
                owner_key => owner_key, hashes => hashes[:v_most_compared], as_of => as_of),
            diversity => (selector_config ->> 'diversity')::double precision);
    end if;

    return array(
        select hashes[c.place]
        from unnest(v_chosen) with ordinality as c (place, turn)
        order by c.turn);
end;
$function$;

comment on function cto._choose_blocks(
    character, character[], integer[], double precision[], text[], integer, integer, jsonb, integer, timestamptz
) is
'The hashes to take, in their order, so that costs and a heading for each type keep to budget. The arrays belong
together, best first. Raises feature_not_supported where PL/Python is not installed.';

revoke all on function cto._choose_blocks(
    character, character[], integer[], double precision[], text[], integer, integer, jsonb, integer, timestamptz
) from public;
grant execute on function cto._choose_blocks(
    character, character[], integer[], double precision[], text[], integer, integer, jsonb, integer, timestamptz
) to cto_agent;
