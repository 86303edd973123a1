-- _similarities: how much some blocks say the same, each with each.
--
-- Called by: _choose_blocks, when the strategy is diverse. Reads only.
--
-- The cosine of their vectors; where one has none of the current model, the share of lexemes that both have.

create or replace function cto._similarities(owner_key character(64), hashes character(64)[], as_of timestamptz)
returns real[]
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set random_page_cost = 1.1
set jit = off
as $function$
declare
    v_model constant text := cto._current_model();
begin
    return (
        with chosen as materialized (
            select
                h.place, b.lexemes, length(b.lexemes) as words,
                -- Of length 1, so that an inner product is the cosine: it takes a third of the time.
                case
                    when b.embedding_model = v_model and not coalesce(b.embedded_at > as_of and b.recorded_at <= as_of, false)
                        then extensions.l2_normalize(b.embedding)
                end as embedding
            from unnest(hashes) with ordinality as h (hash, place)
            inner join cto.blocks as b on b.owner_id = owner_key and b.hash = h.hash
        ),

        words as materialized (
            select c.place, w.lexeme
            from chosen as c
            cross join lateral unnest(c.lexemes) as w
            where exists (select from chosen as x where x.embedding is null)
        ),

        shared as materialized (
            select a.place, b.place as other, count(*) as words
            from words as a
            inner join words as b on b.lexeme = a.lexeme
            group by a.place, b.place
        )

        select
            array_agg(
                coalesce(
                    -(a.embedding operator(extensions.<#>) b.embedding),
                    s.words::float8 / nullif(a.words + b.words - s.words, 0),
                    0)::real
                order by a.place, b.place)
        from chosen as a
        cross join chosen as b
        left join shared as s on s.place = a.place and s.other = b.place
    );
end;
$function$;

comment on function cto._similarities(character, character[], timestamptz) is
'Similarity of each block with each, row after row, in the order of hashes: cosine, or Jaccard of their lexemes.';

revoke all on function cto._similarities(character, character[], timestamptz) from public;
grant execute on function cto._similarities(character, character[], timestamptz) to cto_agent;
