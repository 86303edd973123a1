-- _block_lexemes: what text search knows of a text, or of a question: its lexemes with their positions.
--
-- Called by: the trigger that prepares every block, and _query_terms.
-- What is stored was computed with it: a change of its answers needs a new value of blocks.lexemes_version.
--
-- Planning anew for each text, as plancache would like to, takes twice as long as all the rest.

create or replace function cto._block_lexemes(content text, language text)
returns tsvector
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $function$
begin
    if language is distinct from 'es' then
        return to_tsvector(cto.text_search_config(language), content);
    end if;

    -- cómo has the stem of comer, mas that of masa: they are told as words. A tsvector read from text brings
    -- together, sorted and once each, the positions of a lexeme that stands in the text twice.
    return (
        select coalesce(string_agg(
            '''' || replace(replace(m.lexeme, '\', '\\'), '''', '''''') || ''':' || array_to_string(m.positions, ','),
            ' '), '')::tsvector
        from (
            select
                w.positions,
                case when w.lexeme ~ '^[a-z]+$' then cto._spanish_lexeme(w.lexeme) else w.lexeme end as lexeme
            from unnest(to_tsvector(
                cto.text_search_config(language),
                regexp_replace(content, '\m(?:c[óÓ]mo|mas)\M', 'más', 'gi'))) as w
            -- Stems of stop words in the spelling that PostgreSQL's list lacks: with an accent (quién, dónde) or
            -- without (tambien, habia). Not te: that is tea.
            where w.lexeme <> all (array[
                'adond', 'aquel', 'aquell', 'aun', 'cual', 'cuand', 'cuant', 'de', 'dond', 'esa', 'esas', 'ese', 'eso',
                'esos', 'esta', 'estab', 'estais', 'estan', 'estar', 'estari', 'estas', 'este', 'esten', 'esto',
                'estos', 'habeis', 'habi', 'habr', 'habri', 'mia', 'mias', 'mio', 'mios', 'qui', 'quien', 'se', 'ser',
                'si', 'tambi', 'tendr', 'tendri', 'teneis', 'teni'])
        ) as m
    );
end;
$function$;

comment on function cto._block_lexemes(text, text) is
'The lexemes of content under the text search configuration of language, with their positions; Spanish ones mended by
cto._spanish_lexeme and without stop words in any spelling.';

revoke all on function cto._block_lexemes(text, text) from public;
grant execute on function cto._block_lexemes(text, text) to cto_agent;
