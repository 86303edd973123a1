-- compare_algorithms: what logged selections would be under two scorers and selectors, side by side.
--
-- Called by: administrators, before they switch a change on: cto.set_algorithm('scorer_trial', …), compare, then
-- cto.set_algorithm('scorer', …). Reads only; records nothing.

create or replace function cto.compare_algorithms(
    owner text,
    scorer text,
    other_scorer text,
    selector text default 'selector',
    other_selector text default null,
    max_selections integer default 100
)
returns table (
    selection_id bigint,
    selected_at timestamptz,
    query text,
    block_hash character(64),
    content text,
    place integer,
    other_place integer,
    score double precision,
    other_score double precision
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $function$
#variable_conflict use_column
declare
    v_owner constant character(64) := cto._owner_key(owner);
    v_scorer constant jsonb := cto._config('scorer', scorer, v_owner);
    v_other_scorer constant jsonb := cto._config('scorer', other_scorer, v_owner);
    v_selector constant jsonb := cto._config('selector', selector, v_owner);
    v_other_selector constant jsonb := cto._config('selector', coalesce(other_selector, selector), v_owner);
begin
    if max_selections is null or max_selections < 1 then
        raise exception 'max_selections is % but must be at least 1', coalesce(max_selections::text, 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it out for 100.';
    end if;

    return query
    with logged as materialized (
        select
            s.selection_id, s.selected_at, s.session_hash, s.as_of, s.query, s.format,
            -- A vector of another model cannot be compared any more.
            case when s.embedding_model = cto._current_model() then s.query_embedding end as query_embedding,
            s.selector_config -> 'budget_tokens' as budget_tokens
        from cto.selections as s
        where s.owner_id = v_owner
        order by s.selected_at desc, s.selection_id desc
        limit max_selections
    ),

    one as (
        select l.selection_id, b.block_hash, b.content, b.place, b.score
        from logged as l
        cross join lateral cto._select_blocks(
            owner_key => v_owner, session_key => l.session_hash, query => l.query,
            query_embedding => l.query_embedding, scorer_config => v_scorer,
            selector_config => v_selector || jsonb_build_object('budget_tokens', l.budget_tokens),
            as_of => l.as_of, format => l.format) as b
    ),

    other as (
        select l.selection_id, b.block_hash, b.content, b.place, b.score
        from logged as l
        cross join lateral cto._select_blocks(
            owner_key => v_owner, session_key => l.session_hash, query => l.query,
            query_embedding => l.query_embedding, scorer_config => v_other_scorer,
            selector_config => v_other_selector || jsonb_build_object('budget_tokens', l.budget_tokens),
            as_of => l.as_of, format => l.format) as b
    )

    select
        l.selection_id, l.selected_at, l.query, b.block_hash, b.content, b.place, b.other_place, b.score, b.other_score
    from (
        select
            coalesce(o.selection_id, t.selection_id) as selection_id,
            coalesce(o.block_hash, t.block_hash) as block_hash,
            coalesce(o.content, t.content) as content,
            o.place, t.place as other_place, o.score, t.score as other_score
        from one as o
        full join other as t on t.selection_id = o.selection_id and t.block_hash = o.block_hash
    ) as b
    inner join logged as l on l.selection_id = b.selection_id
    where b.place is not null or b.other_place is not null
    order by l.selected_at desc, l.selection_id desc, b.place nulls last, b.other_place, b.block_hash;
end;
$function$;

comment on function cto.compare_algorithms(text, text, text, text, text, integer) is
'Makes the last max_selections recorded selections of an owner again, as of their moment and with their budget, under
two configurations: one row for each block that either selects, with its place (null: not selected) and its score under
both (null: no candidate). other_selector null: the same selector. Raises undefined_object for an unknown algorithm.';

revoke all on function cto.compare_algorithms(text, text, text, text, text, integer) from public;
grant execute on function cto.compare_algorithms(text, text, text, text, text, integer) to cto_admin;
