-- _raw_blocks: what scoring needs to know of each block, before anything is scaled.
--
-- Called by: _score_blocks. Reads only: all of the owner's live blocks, or those at places. Planned once a session,
-- which is safe with sequential scans off.

create or replace function cto._raw_blocks(
    owner_key character(64),
    places tid[],
    model text,
    query_vector extensions.vector,
    languages text[],
    lexemes text[],
    mean_words double precision,
    b double precision,
    as_of timestamptz
)
returns table (
    hash character(64),
    session_hash character(64),
    created_at timestamptz,
    ordinal integer,
    importance double precision,
    access_count integer,
    age double precision,
    cosine double precision,
    terms integer[],
    times double precision[],
    lead double precision,
    asks boolean,
    block_type text
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set random_page_cost = 1.1
set enable_seqscan = off
set enable_nestloop = on
set jit = off
as $function$
#variable_conflict use_column
declare
    v_is_past constant boolean := exists (
        select from cto.block_changes as c
        where c.owner_id = owner_key and c.changed_at > as_of
    );
    -- Most blocks hold none of the words: to ask that first is much cheaper than to take a tsvector apart.
    v_any_word constant tsquery := (
        select string_agg(distinct cto._word_query(w.lexeme)::text, ' | ')
        from unnest(_raw_blocks.lexemes) as w (lexeme)
    )::tsquery;
begin
    return query
    with past as materialized (
        select distinct on (c.block_hash) c.*
        from cto.block_changes as c
        where v_is_past and c.owner_id = owner_key and c.changed_at <= as_of
        order by c.block_hash, c.change_id desc
    ),

    -- What became known of a block after as_of does not count, if the block itself was stored by then. One that
    -- was stored later is an imported past: there, everything that is known counts.
    live as materialized (
        select
            s.hash, s.session_hash, s.created_at, s.ordinal, s.access_count, s.lexemes, s.embedding,
            coalesce(s.language, 'simple') as language,
            coalesce(s.word_count, length(s.lexemes))::float8 as words,
            -- Nearly always seen without counting characters.
            s.content like '%?' or (
                s.content like any (array['% ', E'%\n', E'%\r', E'%\t'])
                and rtrim(s.content, E' \n\r\t') like '%?'
            ) as asks,
            case when s.embedded_at > as_of and s.recorded_at <= as_of then null else s.embedding_model end
            as embedding_model,
            case when p.block_hash is null then s.importance else p.importance end as importance,
            case when p.block_hash is null then s.block_type else p.block_type end as block_type,
            -- Said again after as_of: as of then it had been said when it was created.
            case
                when p.last_said_at <= as_of then p.last_said_at
                when p.block_hash is null and s.last_said_at <= as_of then s.last_said_at
                else s.created_at
            end as last_said_at
        from (
            select
                a.hash, a.session_hash, a.created_at, a.ordinal, a.importance, a.access_count, a.last_said_at,
                a.embedding_model, a.embedding, a.language, a.lexemes, a.word_count, a.content, a.superseded_at,
                a.recorded_at, a.embedded_at, a.block_type
            from cto.blocks as a
            where places is null and a.owner_id = owner_key and a.created_at <= as_of

            union all

            select
                a.hash, a.session_hash, a.created_at, a.ordinal, a.importance, a.access_count, a.last_said_at,
                a.embedding_model, a.embedding, a.language, a.lexemes, a.word_count, a.content, a.superseded_at,
                a.recorded_at, a.embedded_at, a.block_type
            from cto.blocks as a
            where a.ctid = any (places) and a.owner_id = owner_key and a.created_at <= as_of
        ) as s
        left join past as p on p.block_hash = s.hash
        where case when p.block_hash is null then s.superseded_at else p.superseded_at end is null
            or case when p.block_hash is null then s.superseded_at else p.superseded_at end > as_of
    ),

    corpus as materialized (
        select greatest(coalesce(_raw_blocks.mean_words, avg(l.words)), 1) as mean_words
        from live as l
    ),

    -- How often each word is said, made comparable between long and short blocks as BM25 does; a block is matched
    -- with the stems of its own language.
    worded as (
        select
            x.hash,
            array_agg(array_position(_raw_blocks.lexemes, t.lexeme)) as terms,
            array_agg(
                cardinality(x.positions) / (1 - _raw_blocks.b + _raw_blocks.b * x.words / c.mean_words)
            ) as times,
            1 / min(x.positions[1])::float8 as lead
        from (
            -- Apart (offset 0), so that each tsvector is taken apart once and not once for each term.
            select l.hash, l.language, l.words, w.lexeme, w.positions
            from live as l
            cross join lateral unnest(l.lexemes) as w
            where l.lexemes @@ v_any_word and w.lexeme = any (_raw_blocks.lexemes)
            offset 0
        ) as x
        cross join corpus as c
        inner join unnest(languages, _raw_blocks.lexemes) as t (language, lexeme)
            on t.lexeme = x.lexeme and t.language = x.language
        group by x.hash
    )

    select
        l.hash,
        coalesce(l.session_hash, l.hash),
        l.created_at, l.ordinal, l.importance, l.access_count,
        extract(epoch from as_of - l.last_said_at)::float8,
        case when l.embedding_model = model then 1 - (l.embedding operator(extensions.<=>) query_vector) end,
        w.terms, w.times, w.lead,
        l.asks,
        l.block_type
    from live as l
    left join worded as w on w.hash = l.hash;
end;
$function$;

comment on function cto._raw_blocks(
    character, tid[], text, extensions.vector, text[], text[], double precision, double precision, timestamptz
) is
'The owner''s live blocks, or those at places: age in seconds, cosine (null without a vector of the model), the numbers
of the query''s terms (languages and lexemes; mean_words null: of these blocks) that it holds with
their length-normalised frequencies, 1 / the place of the first one in the text, whether it ends in a question mark, and
its type.';

revoke all on function cto._raw_blocks(
    character, tid[], text, extensions.vector, text[], text[], double precision, double precision, timestamptz
) from public;
grant execute on function cto._raw_blocks(
    character, tid[], text, extensions.vector, text[], text[], double precision, double precision, timestamptz
) to cto_agent;
