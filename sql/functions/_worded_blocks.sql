-- _worded_blocks: the blocks of a large owner that share the rarest words with a query.
--
-- Called by: _first_candidates. Reads only.
--
-- The rarest stems first, as long as all their blocks together are at most max_blocks; of the commoner ones,
-- only blocks that hold two at once. A block that holds one common word and is not near by its vector
-- cannot be among the best.

create or replace function cto._worded_blocks(
    owner_key character(64),
    lexemes text[],
    frequencies bigint[],
    as_of timestamptz,
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
    v_room float8 := max_blocks;
    v_query tsquery;
    v_common tsquery[] := '{}';
    v_common_frequencies float8[] := '{}';
    v_pair_room float8;
    v_term record;
begin
    for v_term in
        -- What the statistics do not know occurs in some 20 blocks at most.
        select cto._word_query(t.lexeme) as word, coalesce(max(t.frequency), 10)::float8 as frequency
        from unnest(lexemes, frequencies) as t (lexeme, frequency)
        group by t.lexeme
        order by frequency, t.lexeme
    loop
        if v_term.frequency <= v_room then
            v_query := coalesce(v_query || v_term.word, v_term.word);
            v_room := v_room - v_term.frequency;
        elsif cardinality(v_common) < 5 then
            v_common := v_common || v_term.word;
            v_common_frequencies := v_common_frequencies || v_term.frequency;
        end if;
    end loop;

    -- Words of one subject keep company: some three times as many pairs as chance would have.
    v_pair_room := max_blocks;

    for v_term in
        select a.word && b.word as words, 3 * a.frequency * b.frequency / greatest(v_blocks, 1) as frequency
        from unnest(v_common, v_common_frequencies) with ordinality as a (word, frequency, place)
        inner join unnest(v_common, v_common_frequencies) with ordinality as b (word, frequency, place)
            on a.place < b.place
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

    return query
    select b.ctid
    from cto.blocks as b
    where b.owner_id = owner_key
        and b.lexemes @@ v_query
        and b.created_at <= as_of
        and (b.superseded_at is null or b.superseded_at > as_of)
    limit 3 * max_blocks;
end;
$function$;

comment on function cto._worded_blocks(character, text[], bigint[], timestamptz, integer) is
'Places (ctid) of live blocks that hold the rarest of lexemes (frequencies: how many blocks hold each), about max_blocks
of them.';

revoke all on function cto._worded_blocks(character, text[], bigint[], timestamptz, integer) from public;
grant execute on function cto._worded_blocks(character, text[], bigint[], timestamptz, integer) to cto_agent;
