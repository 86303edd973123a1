-- _selector_config: the selector's configuration with what one call says otherwise, checked.
--
-- Called by: _select_blocks.

create or replace function cto._selector_config(
    selector text,
    budget_tokens integer,
    min_score double precision,
    max_blocks integer,
    strategy text
)
returns jsonb
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_config constant jsonb := cto._config('selector', selector) || jsonb_strip_nulls(jsonb_build_object(
        'budget_tokens', budget_tokens,
        'min_score', min_score,
        'max_blocks', max_blocks,
        'strategy', strategy));
begin
    perform cto._check_config('selector', v_config);
    return v_config;
end;
$function$;

comment on function cto._selector_config(text, integer, double precision, integer, text) is
'The configuration of selector; arguments that are not null take the place of its keys.
Raises invalid_parameter_value, naming the key, for a value that could not be followed.';

revoke all on function cto._selector_config(text, integer, double precision, integer, text) from public;
grant execute on function cto._selector_config(text, integer, double precision, integer, text) to cto_agent;
