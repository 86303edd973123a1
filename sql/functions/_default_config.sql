-- _default_config: what an algorithm does where its configuration says nothing.
--
-- Called by: _merge_config and _check_config. The documented keys stand in cto.algorithms; the others are
-- optional there and have their defaults here, so that v1.0 rows keep working.

create or replace function cto._default_config(name text)
returns jsonb
language sql
immutable
strict
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select case name
    when 'extractor' then '{
        "min_content_length": 10,
        "max_block_size": 500,
        "extraction_mode": "heuristic",
        "patterns": ["fact", "instruction", "preference", "context"],
        "extract_roles": ["user", "assistant"]
    }'::jsonb
    when 'scorer' then '{
        "weights": {"recency": 0.3, "frequency": 0.2, "importance": 0.3, "similarity": 0.2},
        "decay_factor": 0.95,
        "decay_unit": "hour",
        "hybrid": {"vector": 0.6, "text": 0.4},
        "bm25": {"k1": 0.8, "b": 0.75},
        "smoothing": {"nearest": 0.3, "second": 0.15, "session_best": 0.3},
        "signals": {"date": 0.3, "lead": 0.4, "question": 0.1},
        "crowd": {"blocks": 2000, "nearest": 200, "worded": 100},
        "exhaustive_blocks": 2000
    }'::jsonb
    when 'selector' then '{
        "budget_tokens": 8000,
        "min_score": 0.1,
        "max_blocks": 50,
        "strategy": "greedy",
        "diversity": 0.3
    }'::jsonb
    when 'consolidator' then '{
        "similarity_threshold": 0.85,
        "merge_strategy": "newest",
        "compression_ratio": 0.7
    }'::jsonb
end;
$function$;

comment on function cto._default_config(text) is
'The defaults of an algorithm kind (extractor, scorer, selector, consolidator); null for any other name.';

revoke all on function cto._default_config(text) from public;
grant execute on function cto._default_config(text) to cto_agent;
