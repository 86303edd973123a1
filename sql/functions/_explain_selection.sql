-- _explain_selection: the rows of explain_context for keys that were checked.
--
-- Called by: explain_context, which checks its arguments in the call: in a WHERE they would be looked at
-- only where there are rows.

create or replace function cto._explain_selection(owner_key character(64), session_key character(64))
returns table (
    place integer,
    block_hash character(64),
    block_type text,
    content text,
    token_count integer,
    score double precision,
    recency double precision,
    frequency double precision,
    importance double precision,
    similarity double precision,
    included boolean,
    reason text,
    selected_at timestamptz,
    contribution jsonb
)
language sql
stable
set search_path = pg_catalog, pg_temp
as $function$
select
    m.position, m.block_hash, b.block_type, b.content, m.token_count, m.score,
    m.recency, m.frequency, m.importance, m.similarity, m.included,
    -- Rows of v1.0 have no reason, only the flag.
    coalesce(m.reason, case when m.included then 'included' end),
    m.selected_at,
    -- What each component that applied adds to the score; they add up to it.
    case when w.weights is not null then (
        select coalesce(jsonb_object_agg(p.name, p.weight * p.value / nullif(p.weights, 0)), '{}')
        from (
            select
                c.name, c.value, (w.weights ->> c.name)::double precision as weight,
                sum((w.weights ->> c.name)::double precision) over () as weights
            from (
                values
                ('recency', m.recency), ('frequency', m.frequency), ('importance', m.importance),
                ('similarity', m.similarity)
            ) as c (name, value)
            where c.value is not null
        ) as p
        where p.weights > 0
    ) end
from cto.memory as m
inner join cto.blocks as b on m.owner_id = b.owner_id and m.block_hash = b.hash
left join lateral (
    select s.scorer_config -> 'weights' as weights
    from cto.selections as s
    where s.owner_id = owner_key and s.session_hash = session_key
    order by s.selected_at desc, s.selection_id desc
    limit 1
) as w on true
where m.owner_id = owner_key and m.session_hash = session_key
order by m.position nulls last, m.score desc, m.block_hash;
$function$;

comment on function cto._explain_selection(character, character) is
'Every candidate of the last recorded selection of an owner and session, by their keys.';

revoke all on function cto._explain_selection(character, character) from public;
grant execute on function cto._explain_selection(character, character) to cto_agent;
