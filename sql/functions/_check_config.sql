-- _check_config: refuse a configuration that an algorithm could not follow.
--
-- Called by: set_algorithm, and extract_blocks for a configuration given in the call.
-- An unknown key is an error too: a misspelt one would silently do nothing.

create or replace function cto._check_config(kind text, config jsonb)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_roles constant text[] := array['user', 'assistant', 'system', 'tool'];
    v_types constant text[] := array['fact', 'instruction', 'preference', 'context'];
    v_known constant jsonb := cto._default_config(kind);
    v_key text;
    v_nested text;
begin
    if config is null or jsonb_typeof(config) <> 'object' then
        raise exception 'the configuration of % is % but must be a JSON object', kind, coalesce(config::text, 'null')
            using errcode = 'invalid_parameter_value',
                  hint = format('For example: %s', v_known);
    end if;

    for v_key in select k.key from jsonb_object_keys(config) as k (key)
    loop
        if not v_known ? v_key then
            raise exception 'the configuration of % has no key %', kind, quote_literal(v_key)
                using errcode = 'invalid_parameter_value',
                      hint = format('Known keys: %s.', (
                          select string_agg(k.key, ', ' order by k.key) from jsonb_object_keys(v_known) as k (key)));
        end if;

        if jsonb_typeof(v_known -> v_key) = 'object' then
            if jsonb_typeof(config -> v_key) <> 'object' then
                raise exception '% is % but must be a JSON object', v_key, config -> v_key
                    using errcode = 'invalid_parameter_value',
                          hint = format('For example: %s', v_known -> v_key);
            end if;

            for v_nested in select k.key from jsonb_object_keys(config -> v_key) as k (key)
            loop
                if not (v_known -> v_key) ? v_nested then
                    raise exception '% has no key %', v_key, quote_literal(v_nested)
                        using errcode = 'invalid_parameter_value',
                              hint = format('Known keys: %s.', (
                                  select string_agg(k.key, ', ' order by k.key)
                                  from jsonb_object_keys(v_known -> v_key) as k (key)));
                end if;

                perform cto._check_number(
                    v_key || '.' || v_nested, config -> v_key -> v_nested,
                    case when v_key = 'crowd' and v_nested <> 'blocks' then 1 else 0 end,
                    case
                        when v_key = 'bm25' and v_nested = 'k1' then 10
                        when v_key = 'crowd' then case v_nested when 'blocks' then 1000000000 else 1000 end
                        else 1
                    end,
                    v_key = 'crowd');
            end loop;
        end if;
    end loop;

    case kind
        when 'extractor' then
            perform cto._check_number('min_content_length', config -> 'min_content_length', 0, 100000, true);
            perform cto._check_number('max_block_size', config -> 'max_block_size', 1, 100000, true);
            perform cto._check_choice('extraction_mode', config -> 'extraction_mode', array['heuristic', 'message']);
            perform cto._check_choices('patterns', config -> 'patterns', v_types);
            perform cto._check_choices('extract_roles', config -> 'extract_roles', v_roles);
        when 'scorer' then
            perform cto._check_number('decay_factor', config -> 'decay_factor', 0, 1);
            perform cto._check_number('exhaustive_blocks', config -> 'exhaustive_blocks', 0, 1000000000, true);
            perform cto._check_choice('decay_unit', config -> 'decay_unit', array['minute', 'hour', 'day', 'week']);

            if not exists (
                select from jsonb_each_text(cto._merge_config('scorer', config) -> 'weights') as x (name, weight)
                where x.weight::double precision > 0
            ) then
                raise exception 'every weight of the scorer is 0'
                    using errcode = 'invalid_parameter_value',
                          hint = 'Give at least one component a weight above 0.';
            end if;
        when 'selector' then
            perform cto._check_number('budget_tokens', config -> 'budget_tokens', 1, 10000000, true);
            perform cto._check_number('min_score', config -> 'min_score', 0, 1);
            perform cto._check_number('max_blocks', config -> 'max_blocks', 1, 100000, true);
            perform cto._check_number('diversity', config -> 'diversity', 0, 1);
            perform cto._check_choice('strategy', config -> 'strategy', array['greedy', 'knapsack', 'diverse']);
        when 'consolidator' then
            perform cto._check_number('similarity_threshold', config -> 'similarity_threshold', 0, 1);
            perform cto._check_number('compression_ratio', config -> 'compression_ratio', 0.01, 1);
            perform cto._check_choice('merge_strategy', config -> 'merge_strategy',
                array['newest', 'oldest', 'longest', 'most_important', 'combine']);
    end case;
end;
$function$;

comment on function cto._check_config(text, jsonb) is
'Raises invalid_parameter_value, naming the key, when an algorithm of this kind could not follow config.';

revoke all on function cto._check_config(text, jsonb) from public;
grant execute on function cto._check_config(text, jsonb) to cto_agent;
