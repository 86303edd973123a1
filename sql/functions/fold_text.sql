-- fold_text: a text without case, accents, sentence punctuation and repeated space.
--
-- Called by: _select_blocks, to leave out what is already said in the context. Marks that tell things
-- apart stay: C++ is not C#, and $5 is not 5%.

create or replace function cto.fold_text(content text)
returns text
language sql
immutable
strict
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select btrim(regexp_replace(
    -- To look each character up among the accented ones takes longer than all the rest.
    case
        when octet_length(content) = length(content) then lower(content)
        else translate(lower(content), 'áàâäãåéèêëíìîïóòôöõúùûüýçñÁÀÂÄÉÈÊËÍÌÎÏÓÒÔÖÚÙÛÜÑ',
            'aaaaaaeeeeiiiiooooouuuuycnaaaaeeeeiiiioooouuuun')
    end,
    '[[:space:].,;:!?"''()\[\]\u00bf\u00a1\u00ab\u00bb\u2018\u2019\u201c\u201d\u2026]+', ' ', 'g'
));
$function$;

comment on function cto.fold_text(text) is
'The text in lower case, without accents and sentence punctuation, its words one space apart. Null for null.';

revoke all on function cto.fold_text(text) from public;
grant execute on function cto.fold_text(text) to cto_agent;
