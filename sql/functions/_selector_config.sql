-- _selector_config: the selector's configuration with what one call says otherwise, checked.
--
-- Called by: _choose_context.

create or replace function cto._selector_config(
    selector text,
    budget_tokens integer,
    min_score double precision,
    max_blocks integer,
    strategy text,
    owner_key character(64)
)
returns jsonb
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_config constant jsonb := cto._config('selector', selector, owner_key) || jsonb_strip_nulls(jsonb_build_object(
        'budget_tokens', budget_tokens,
        'min_score', min_score,
        'max_blocks', max_blocks,
        'strategy', strategy));
begin
    perform cto._check_config('selector', v_config);
    return v_config;
end;
$function$;

comment on function cto._selector_config(text, integer, double precision, integer, text, character) is
'The configuration of selector; arguments that are not null take the place of its keys.
Raises invalid_parameter_value, naming the key, for a value that could not be followed.';

revoke all on function cto._selector_config(text, integer, double precision, integer, text, character) from public;
grant execute on function cto._selector_config(text, integer, double precision, integer, text, character) to cto_agent;
