-- fold_text: a text without case, accents, punctuation and repeated space.
--
-- Called by: select_context, to leave out what is already said in the context.

create or replace function cto.fold_text(content text)
returns text
language sql
immutable
strict
parallel safe
set search_path = pg_catalog, extensions, pg_temp
as $function$
select btrim(regexp_replace(
    lower(unaccent(content)),
    '[[:space:][:punct:]\u00bf\u00a1\u2018\u2019\u201c\u201d\u2013\u2014\u2026]+', ' ', 'g'
));
$function$;

comment on function cto.fold_text(text) is
'The text in lower case, without accents and punctuation, its words one space apart. Null for null.';

revoke all on function cto.fold_text(text) from public;
grant execute on function cto.fold_text(text) to cto_agent;
