-- _query_dates: the months, years and days that a question names.
--
-- Called by: _score_blocks. Spanish and English; an English month needs its capital, for "may" and "march" are
-- words of their own. A number is a day only beside a month.

create or replace function cto._query_dates(query text)
returns table (months integer[], years integer[], days integer[])
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_names constant text[] := array[
        'january', 'enero', 'february', 'febrero', 'march', 'marzo', 'april', 'abril', 'may', 'mayo', 'june', 'junio',
        'july', 'julio', 'august', 'agosto', 'september', 'septiembre', 'october', 'octubre', 'november', 'noviembre',
        'december', 'diciembre'];
    v_english constant text :=
        'January|February|March|April|May|June|July|August|September|October|November|December'
        || '|JANUARY|FEBRUARY|APRIL|JUNE|JULY|AUGUST|SEPTEMBER|OCTOBER|NOVEMBER|DECEMBER';
    v_spanish constant text :=
        'enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre';
    v_month constant text := '\m(?:' || v_english || '|' || v_spanish || ')\M';
    -- The names of the months in Spanish take any case.
    v_text constant text := (
        select string_agg(case when lower(w.word) ~ ('^(?:' || v_spanish || ')$') then lower(w.word) else w.word end, '')
        from (
            select m.found[1] as word
            from regexp_matches(query, '[[:alpha:]]+|[^[:alpha:]]+', 'g') as m (found)
        ) as w
    );
begin
    return query
    select
        array(
            select (array_position(v_names, replace(lower(m.found[1]), 'setiembre', 'septiembre')) + 1) / 2
            from regexp_matches(v_text, '(' || v_month || ')', 'g') as m (found)
        ),
        array(
            select m.found[1]::integer
            from regexp_matches(v_text, '\m((?:19|20)\d\d)\M', 'g') as m (found)
        ),
        array(
            select coalesce(m.found[1], m.found[2])::integer
            from regexp_matches(
                v_text,
                '\m(\d\d?)(?:st|nd|rd|th)?,?\s+(?:de\s+|of\s+)?' || v_month
                || '|' || v_month || '\s+(\d\d?)(?:st|nd|rd|th)?\M', 'g'
            ) as m (found)
        );
end;
$function$;

comment on function cto._query_dates(text) is
'Months (1 to 12), years (1900 to 2099) and days of the month that a text names in Spanish or English; empty
arrays where it names none.';

revoke all on function cto._query_dates(text) from public;
grant execute on function cto._query_dates(text) to cto_agent;
