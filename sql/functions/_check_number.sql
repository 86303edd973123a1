-- _check_number: one numeric key of a configuration, or a clear error.
--
-- Called by: _check_config.

create or replace function cto._check_number(
    path text,
    value jsonb,
    at_least double precision,
    at_most double precision,
    whole boolean default false
)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if value is null then
        return;
    end if;

    if jsonb_typeof(value) <> 'number' then
        raise exception '% is % but must be a number', path, value
            using errcode = 'invalid_parameter_value',
                  hint = format('Give a number from %s to %s, without quotes.', at_least, at_most);
    end if;

    -- As numeric: what lies beyond floating point is refused by its name, too.
    if value::text::numeric not between at_least::numeric and at_most::numeric
        or (value::text::numeric <> 0 and abs(value::text::numeric) < 1e-300) then
        raise exception '% is % but must lie between % and %', path, value, at_least, at_most
            using errcode = 'invalid_parameter_value',
                  hint = format('Give a number from %s to %s.', at_least, at_most);
    end if;

    if whole and value::text::numeric <> trunc(value::text::numeric) then
        raise exception '% is % but must be a whole number', path, value
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave the fraction out.';
    end if;
end;
$function$;

comment on function cto._check_number(text, jsonb, double precision, double precision, boolean) is
'Raises invalid_parameter_value unless value is a number from at_least to at_most (whole where asked); null passes.';

revoke all on function cto._check_number(text, jsonb, double precision, double precision, boolean) from public;
grant execute on function cto._check_number(text, jsonb, double precision, double precision, boolean) to cto_agent;
