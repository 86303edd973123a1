-- score_blocks: how much each block of an owner matters, now and for this question.
--
-- Called by: select_context, and people who want to see the components.
-- Scores every live block of the owner. Reads only.
--
-- Measured traps behind the settings: a generic plan and random_page_cost 4 both turn index scans into
-- sequential ones; numeric arithmetic is seven times slower than float8.

create or replace function cto.score_blocks(
    owner text,
    query text default null,
    query_embedding extensions.vector default null,
    session text default null,
    scorer text default 'scorer',
    as_of timestamptz default pg_catalog.now(),
    max_candidates integer default 400
)
returns table (
    block_hash character(64),
    block_type text,
    content text,
    token_count integer,
    score double precision,
    recency double precision,
    frequency double precision,
    importance double precision,
    similarity double precision
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set random_page_cost = 1.1
set jit = off
as $function$
#variable_conflict use_column
declare
    v_owner constant character(64) := cto._owner_key(owner);
    v_session constant character(64) := cto.key(session);
    v_config constant jsonb := cto._config('scorer', scorer);
    v_model constant text := cto._current_model();
    v_dimensions constant integer := (
        select m.dimensions from cto.embedding_models as m where m.name = v_model);
    v_query constant text := case when query ~ '\S' then query end;
    v_vector extensions.vector := cto._pad_vector(query_embedding);
    -- The query's stems under each language: a block is matched with those of its own.
    v_spanish constant text[] := tsvector_to_array(to_tsvector(cto.text_search_config('es'), v_query));
    v_english constant text[] := tsvector_to_array(to_tsvector(cto.text_search_config('en'), v_query));
    v_simple constant text[] := tsvector_to_array(to_tsvector(cto.text_search_config('simple'), v_query));

    v_pins constant bigint := (
        select count(*) from cto.pins as p where p.owner_id = v_owner and p.session_hash = v_session);

    v_recency_weight constant float8 := v_config #>> '{weights,recency}';
    v_frequency_weight constant float8 := v_config #>> '{weights,frequency}';
    v_importance_weight constant float8 := v_config #>> '{weights,importance}';
    v_similarity_weight constant float8 := v_config #>> '{weights,similarity}';
    v_decay constant float8 := v_config ->> 'decay_factor';
    v_decay_seconds constant float8 := extract(
        epoch from ('1 ' || (v_config ->> 'decay_unit'))::interval)::float8;
    -- decay_factor ^ age as exp(slope * seconds): power() and exp() raise where the result underflows,
    -- and a year-old block is there with the default of 0.95 an hour.
    v_slope constant float8 := case when v_decay > 0 then ln(v_decay) else -1e9 end / v_decay_seconds;
    v_vector_share constant float8 := v_config #>> '{hybrid,vector}';
    v_text_share constant float8 := v_config #>> '{hybrid,text}';
    v_k1 constant float8 := v_config #>> '{bm25,k1}';
    v_b constant float8 := v_config #>> '{bm25,b}';
    v_nearest constant float8 := v_config #>> '{smoothing,nearest}';
    v_second constant float8 := v_config #>> '{smoothing,second}';
    v_session_best constant float8 := v_config #>> '{smoothing,session_best}';
begin
    if max_candidates is null or max_candidates < 1 then
        raise exception 'max_candidates is % but must be at least 1', coalesce(max_candidates::text, 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it out for 400.';
    end if;

    if as_of is null then
        raise exception 'as_of is null'
            using errcode = 'null_value_not_allowed',
                  hint = 'Leave it out for now().';
    end if;

    if not isfinite(as_of) then
        raise exception 'as_of is % but must be a moment', as_of
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it out for now().';
    end if;

    -- A vector says nothing where no block has one of the same model.
    if v_model is null then
        v_vector := null;
    elsif extensions.vector_dims(query_embedding) not in (v_dimensions, 1536) then
        raise exception 'query_embedding has % dimensions, but those of the current model % have %',
            extensions.vector_dims(query_embedding), quote_literal(v_model), v_dimensions
            using errcode = 'invalid_parameter_value',
                  hint = 'Embed the query with the current model, see cto.embedding_models.';
    end if;

    return query
    with live as materialized (
        select
            b.hash, b.session_hash, b.created_at, b.ordinal, b.importance, b.access_count, b.lexemes,
            coalesce(b.language, 'simple') as language,
            coalesce(b.word_count, length(b.lexemes))::float8 as words,
            -- Said again after as_of: as of then it had been said when it was created.
            extract(
                epoch from as_of - case when b.last_said_at <= as_of then b.last_said_at else b.created_at end
            )::float8 as age,
            case
                when b.embedding_model = v_model then 1 - (b.embedding operator(extensions.<=>) v_vector)
            end as cosine
        from cto.blocks as b
        where b.owner_id = v_owner
            and b.created_at <= as_of
            and (b.superseded_at is null or b.superseded_at > as_of)
    ),

    corpus as (
        select count(*)::float8 as blocks, greatest(avg(l.words), 1)::float8 as mean_words
        from live as l
    ),

    matches as (
        select l.hash, l.words, x.lexeme, cardinality(x.positions)::float8 as times
        from live as l
        cross join lateral unnest(l.lexemes) as x
        where x.lexeme = any (
            case l.language when 'es' then v_spanish when 'en' then v_english else v_simple end)
    ),

    -- BM25 (Robertson and Zaragoza 2009), its document frequencies counted in this owner's live blocks.
    rarity as (
        select m.lexeme, ln(1 + (max(c.blocks) - count(*) + 0.5::float8) / (count(*) + 0.5::float8)) as idf
        from matches as m
        cross join corpus as c
        group by m.lexeme
    ),

    lexical as (
        select
            m.hash,
            sum(
                r.idf * m.times * (v_k1 + 1)
                / (m.times + v_k1 * (1 - v_b + v_b * m.words / c.mean_words))
            )::float8 as bm25
        from matches as m
        inner join rarity as r on r.lexeme = m.lexeme
        cross join corpus as c
        group by m.hash
    ),

    scaled as (
        select
            l.hash, l.session_hash, l.created_at, l.ordinal,
            cto._min_max(l.cosine, min(l.cosine) over (), max(l.cosine) over ()) as nearness,
            coalesce(x.bm25 / nullif(max(x.bm25) over (), 0), 0) as wording
        from live as l
        left join lexical as x on x.hash = l.hash
    ),

    -- A block that still waits for its vector counts as averagely near, not as far away.
    hybrid as (
        select
            s.hash, s.created_at, s.ordinal,
            coalesce(s.session_hash, s.hash) as session_hash,
            case
                when max(s.nearness) over () is null then s.wording
                else v_vector_share * coalesce(s.nearness, avg(s.nearness) over ()) + v_text_share * s.wording
            end as closeness
        from scaled as s
    ),

    -- What is said next to the evidence is evidence, and a session about the subject is too.
    smoothed as (
        select
            h.hash,
            h.closeness
            + v_nearest * (coalesce(lag(h.closeness, 1) over said, 0) + coalesce(lead(h.closeness, 1) over said, 0))
            + v_second * (coalesce(lag(h.closeness, 2) over said, 0) + coalesce(lead(h.closeness, 2) over said, 0))
            + v_session_best * max(h.closeness) over (partition by h.session_hash) as closeness
        from hybrid as h
        window said as (partition by h.session_hash order by h.created_at, h.ordinal, h.hash)
    ),

    unfolded as (
        select a.block_hash, count(*) as accesses
        from cto.accesses as a
        where a.owner_id = v_owner and a.accessed_at <= as_of
        group by a.block_hash
    ),

    components as (
        select
            l.hash, l.importance,
            case
                when v_slope * l.age > -700 then exp(v_slope * l.age)
                else 0
            end as recency,
            ln(1 + l.access_count + coalesce(u.accesses, 0))
            / nullif(ln(1 + max(l.access_count + coalesce(u.accesses, 0)) over ()), 0) as frequency,
            case
                when v_query is not null or v_vector is not null
                    then cto._min_max(s.closeness, min(s.closeness) over (), max(s.closeness) over ())
            end as similarity,
            l.age
        from live as l
        inner join smoothed as s on s.hash = l.hash
        left join unfolded as u on u.block_hash = l.hash
    ),

    weighed as (
        select
            c.*,
            (
                v_recency_weight * c.recency
                + v_frequency_weight * coalesce(c.frequency, 0)
                + v_importance_weight * c.importance
                + v_similarity_weight * coalesce(c.similarity, 0)
            ) / nullif(
                v_recency_weight
                + case when c.frequency is null then 0 else v_frequency_weight end
                + v_importance_weight
                + case when c.similarity is null then 0 else v_similarity_weight end, 0
            ) as score
        from components as c
        -- The session's pins are candidates whatever their score.
        order by
            exists (
                select from cto.pins as p
                where p.owner_id = v_owner and p.session_hash = v_session and p.block_hash = c.hash
            ) desc,
            score desc nulls last, c.age, c.hash
        limit greatest(max_candidates, v_pins)
    )

    select
        w.hash, b.block_type, b.content,
        coalesce(b.token_count, cto.estimate_tokens(b.content)),
        coalesce(w.score, 0)::float8, w.recency::float8, w.frequency::float8, w.importance, w.similarity::float8
    from weighed as w
    inner join cto.blocks as b on b.owner_id = v_owner and b.hash = w.hash
    order by w.score desc nulls last, w.age, w.hash;
end;
$function$;

comment on function cto.score_blocks(text, text, extensions.vector, text, text, timestamptz, integer) is
'The best max_candidates live blocks of an owner, best first: score = sum of weight x component over the sum of the
weights that apply, each component from 0 to 1. recency = decay_factor ^ age since last said; frequency = ln(1 + accesses)
/ ln(1 + most accesses), null when there are none; similarity = 0.6 cosine + 0.4 BM25, smoothed along the session, null
without a query. query_embedding: of the current embedding model, up to 1,536 dimensions.
Raises invalid_parameter_value for a vector that does not fit, undefined_object for an unknown scorer.';

revoke all on function cto.score_blocks(text, text, extensions.vector, text, text, timestamptz, integer)
from public;
grant execute on function cto.score_blocks(text, text, extensions.vector, text, text, timestamptz, integer)
to cto_agent;
