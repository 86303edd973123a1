-- The extensions stay: others may use them.
drop function cto.text_search_config(text);
drop text search configuration cto.simple;
drop text search configuration cto.english;
drop text search configuration cto.spanish;
drop text search dictionary cto.spanish_stem;
drop text search dictionary cto.spanish_stop;
