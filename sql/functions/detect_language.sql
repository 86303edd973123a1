-- detect_language: es, en, or simple when unsure.
--
-- Called by: the trigger that prepares every block, unless the writer named the language.
-- Counts function words that are frequent in one language and absent from the other, after folding
-- accents away; letters that only Spanish uses count as well. A tie is unsure.

create or replace function cto.detect_language(content text)
returns text
language plpgsql
immutable
strict
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    -- The start of a long text is enough to tell.
    v_text constant text := lower(left(content, 4000));
    v_words constant text[] := regexp_split_to_array(
        translate(v_text, 'áéíóúü', 'aeiouu'), '[^a-z\u00f1'']+');
    v_spanish integer;
    v_english integer;
begin
    select
        count(*) filter (where w.word = any (array[
            'el', 'la', 'los', 'las', 'un', 'una', 'unos', 'unas', 'de', 'del', 'al', 'que', 'y', 'en', 'por',
            'para', 'con', 'sin', 'se', 'su', 'sus', 'mi', 'mis', 'tu', 'tus', 'es', 'son', 'soy', 'eres',
            'esta', 'estan', 'estoy', 'este', 'esto', 'ese', 'eso', 'esa', 'muy', 'mas', 'pero', 'como', 'cuando',
            'donde', 'quien', 'cual', 'porque', 'tambien', 'ya', 'lo', 'le', 'les', 'nos', 'hay', 'fue', 'ser',
            'tengo', 'tiene', 'quiero', 'prefiero', 'siempre', 'nunca', 'hoy', 'ayer', 'yo', 'ella', 'nosotros',
            'usted', 'vos', 'si', 'cada', 'todo', 'todos', 'desde', 'hasta', 'sobre', 'entre', 'uno', 'otro',
            'vivo', 'trabajo', 'gusta', 'hola', 'gracias', 'hacer', 'puedo', 'puede', 'he', 'ha', 'han'])),
        count(*) filter (where w.word = any (array[
            'the', 'of', 'and', 'to', 'is', 'are', 'was', 'were', 'be', 'been', 'am', 'i''m', 'it''s', 'that', 'this',
            'these', 'those', 'with', 'for', 'from', 'by', 'on', 'at', 'in', 'an', 'my', 'your', 'our', 'their',
            'his', 'her', 'its', 'you', 'i', 'we', 'they', 'it', 'she', 'he', 'not', 'don''t', 'do', 'does', 'did',
            'have', 'has', 'had', 'will', 'would', 'can', 'could', 'should', 'but', 'or', 'if', 'when', 'where',
            'what', 'who', 'how', 'why', 'which', 'there', 'always', 'never', 'very', 'more', 'just', 'about',
            'like', 'want', 'prefer', 'use', 'please', 'thanks', 'hello', 'hey', 'i''ve', 'i''ll', 'that''s', 'as']))
    into v_spanish, v_english
    from unnest(v_words) as w (word);

    -- ñ, ¿, ¡ and accented vowels are Spanish unless English words say otherwise.
    if v_text ~ '[\u00f1\u00bf\u00a1\u00e1\u00e9\u00ed\u00f3\u00fa]' then
        v_spanish := v_spanish + 1;
    end if;

    return case
        when v_spanish > v_english then 'es'
        when v_english > v_spanish then 'en'
        else 'simple'
    end;
end;
$function$;

comment on function cto.detect_language(text) is
'The language of a text for text search: es, en, or simple when unsure. Null for null.';

revoke all on function cto.detect_language(text) from public;
grant execute on function cto.detect_language(text) to cto_agent, cto_report;
