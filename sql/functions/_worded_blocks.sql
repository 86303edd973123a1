-- _worded_blocks: the blocks of a large owner that hold a query's words best.
--
-- Called by: _first_candidates. Reads only.
--
-- Looked at are the blocks with the rarest stems, as long as all of them together are at most max_read; of the
-- commoner stems, only blocks that hold two at once. A block that holds one common word is not among the best.

create or replace function cto._worded_blocks(
    owner_key character(64),
    lexemes text[],
    frequencies bigint[],
    mean_words double precision,
    k1 double precision,
    b double precision,
    as_of timestamptz,
    max_read integer,
    max_blocks integer
)
returns setof tid
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set random_page_cost = 1.1
set enable_seqscan = off
set enable_nestloop = on
set jit = off
as $function$
declare
    v_most_pairs constant integer := 10;
    v_blocks constant float8 := (select s.blocks from cto.owner_statistics as s where s.owner_id = owner_key);
    v_room float8 := max_read;
    v_query tsquery;
    v_words tsquery[] := '{}';
    v_rarities float8[] := '{}';
    v_common tsquery[] := '{}';
    v_common_frequencies float8[] := '{}';
    v_pair_room float8;
    v_term record;
begin
    for v_term in
        -- What the statistics do not know occurs in some 20 blocks at most, mostly in none.
        select
            cto._word_query(t.lexeme) as word, coalesce(max(t.frequency), 10)::float8 as frequency,
            max(t.frequency) is null as is_rare
        from unnest(lexemes, frequencies) as t (lexeme, frequency)
        group by t.lexeme
        order by is_rare desc, frequency, t.lexeme
    loop
        v_words := v_words || v_term.word;
        v_rarities := v_rarities || cto._rarity(v_blocks, v_term.frequency);

        if v_term.is_rare or v_term.frequency <= v_room then
            v_query := coalesce(v_query || v_term.word, v_term.word);
            v_room := v_room - v_term.frequency;
        elsif cardinality(v_common) < 5 then
            v_common := v_common || v_term.word;
            v_common_frequencies := v_common_frequencies || v_term.frequency;
        end if;
    end loop;

    -- Words of one subject keep company: some three times as many pairs as chance would have.
    v_pair_room := max_read;

    for v_term in
        select x.word && y.word as words, 3 * x.frequency * y.frequency / greatest(v_blocks, 1) as frequency
        from unnest(v_common, v_common_frequencies) with ordinality as x (word, frequency, place)
        inner join unnest(v_common, v_common_frequencies) with ordinality as y (word, frequency, place)
            on x.place < y.place
        order by frequency
        limit v_most_pairs
    loop
        exit when v_term.frequency > v_pair_room;
        v_query := coalesce(v_query || v_term.words, v_term.words);
        v_pair_room := v_pair_room - v_term.frequency;
    end loop;

    -- One word, and a common one: any of its blocks.
    if v_query is null then
        v_query := v_common[1];
    end if;

    -- By BM25, but every word as if it were said once: to take 300 tsvectors apart would cost more than all the rest.
    return query
    select a.place
    from (
        select
            x.ctid as place, x.lexemes,
            1 - _worded_blocks.b + _worded_blocks.b
            * coalesce(x.word_count, length(x.lexemes)) / _worded_blocks.mean_words as length
        from cto.blocks as x
        where x.owner_id = owner_key
            and x.lexemes @@ v_query
            and x.created_at <= as_of
            and (x.superseded_at is null or x.superseded_at > as_of)
        limit 3 * max_read
    ) as a
    order by (
        select sum(w.rarity)
        from unnest(v_words, v_rarities) as w (word, rarity)
        where a.lexemes @@ w.word
    ) / (1 + k1 * a.length) desc, a.place
    limit max_blocks;
end;
$function$;

comment on function cto._worded_blocks(
    character, text[], bigint[], double precision, double precision, double precision, timestamptz, integer, integer
) is
'Places (ctid) of the max_blocks best live blocks, about as BM25 ranks them, among about max_read that hold the rarest
of lexemes (frequencies: how many blocks hold each, null: a few).';

revoke all on function cto._worded_blocks(
    character, text[], bigint[], double precision, double precision, double precision, timestamptz, integer, integer
) from public;
grant execute on function cto._worded_blocks(
    character, text[], bigint[], double precision, double precision, double precision, timestamptz, integer, integer
) to cto_agent;
