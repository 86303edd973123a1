-- depends: 0001_v1_0
-- Text search of our own: stemming and stop words per language, accents folded (campaña = campana).

create extension if not exists unaccent;

create extension if not exists btree_gin;

-- Spanish stop words are looked for before the accents go: "te" is a pronoun, "té" is tea. So the stemmer
-- behind unaccent must not look for them again, which the one that PostgreSQL brings would do.
create text search dictionary cto.spanish_stop (
    template = pg_catalog.simple,
    stopwords = spanish,
    accept = false
);

create text search dictionary cto.spanish_stem (
    template = pg_catalog.snowball,
    language = spanish
);

create text search configuration cto.spanish (copy = pg_catalog.spanish);

alter text search configuration cto.spanish
    alter mapping for hword, hword_part, word with cto.spanish_stop, unaccent, cto.spanish_stem;

alter text search configuration cto.spanish
    alter mapping for asciiword, asciihword, hword_asciipart with cto.spanish_stop, cto.spanish_stem;

create text search configuration cto.english (copy = pg_catalog.english);

alter text search configuration cto.english
    alter mapping for hword, hword_part, word with unaccent, english_stem;

create text search configuration cto.simple (copy = pg_catalog.simple);

alter text search configuration cto.simple
    alter mapping for hword, hword_part, word with unaccent, simple;

-- Not a repeatable function: what is stored was computed with it, so a change of its answers needs a
-- migration that has it computed again. The SQL-standard body is parsed now and depends on the
-- configurations themselves, not on their names.
create function cto.text_search_config(language text)
returns regconfig
language sql
immutable
parallel safe
return case language
    when 'es' then 'cto.spanish'::regconfig
    when 'en' then 'cto.english'::regconfig
    else 'cto.simple'::regconfig
end;

comment on function cto.text_search_config(text) is
'The text search configuration of a block language: es, en, or simple for anything else and null.';

comment on text search configuration cto.spanish is 'Spanish stemming after folding accents';

comment on text search configuration cto.english is 'English stemming after folding accents';

comment on text search configuration cto.simple is 'Whole words, lower case, accents folded';
