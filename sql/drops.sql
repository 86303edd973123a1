-- Routines and views of older releases that are gone, or whose signature changed: CREATE OR REPLACE
-- cannot do either. One line each, with "if exists", and the release that dropped it.

-- 2.0.0: another result or other arguments.
drop function if exists cto._config(text, text);
drop function if exists cto._selector_config(text, integer, double precision, integer, text);
drop function if exists cto._record_selection(character, character, cto.memory[]);
drop function if exists cto._select_blocks(
    text, text, text, extensions.vector, integer, double precision, integer, text, text, text, timestamptz, text
);
drop function if exists cto._first_candidates(
    character, character[], text, extensions.vector, text[], bigint[], timestamptz, timestamptz, integer
);
drop function if exists cto._worded_blocks(character, text[], bigint[], timestamptz, integer);

do $block$
begin
    -- The same arguments, one more column: only the old one is dropped.
    if exists (
        select from pg_catalog.pg_proc as p
        where p.oid = pg_catalog.to_regprocedure('cto.explain_context(text,text)')
            and not p.proargnames @> array['contribution']
    ) then
        drop function cto.explain_context(text, text);
        drop function cto._explain_selection(character, character);
    end if;

    if exists (
        select from pg_catalog.pg_proc as p
        where p.pronamespace = pg_catalog.to_regnamespace('cto')
            and p.proname = '_score_blocks'
            and not p.proargnames @> array['source_hash']
    ) then
        drop function cto._score_blocks(character, character, text, extensions.vector, jsonb, timestamptz, integer);
    end if;
end;
$block$;
