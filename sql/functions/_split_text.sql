-- _split_text: cut a text into pieces of at most max_size characters, at spaces where there are any.
--
-- Called by: _extract in the mode message. No character is lost but the space around a cut.

create or replace function cto._split_text(content text, max_size integer)
returns setof text
language plpgsql
immutable
strict
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    -- Read a window at a time: cutting pieces off a long text would copy all of it for each.
    v_window constant integer := greatest(8192, 2 * max_size);
    v_length constant integer := length(content);
    v_next integer := 1;
    v_rest text := '';
    v_piece text;
begin
    loop
        if length(v_rest) <= max_size and v_next <= v_length then
            v_rest := regexp_replace(v_rest || substr(content, v_next, v_window), '^\s+', '');
            v_next := v_next + v_window;
            continue;
        end if;

        exit when length(v_rest) <= max_size;

        -- As far as the last sentence end, else the last space, that lies in the second half.
        v_piece := left(v_rest, max_size + 1);
        v_piece := coalesce(
            substring(v_piece from format('^(.{%s,}[.!?\u2026\u3002])\s', least(max_size / 2, 250))),
            substring(v_piece from format('^(.{%s,})\s', least(max_size / 2, 250))),
            left(v_rest, max_size));
        v_piece := left(v_piece, max_size);
        v_rest := regexp_replace(substr(v_rest, length(v_piece) + 1), '^\s+', '');
        v_piece := regexp_replace(v_piece, '\s+$', '');
        return next v_piece;
    end loop;

    v_rest := regexp_replace(v_rest, '\s+$', '');

    if v_rest <> '' then
        return next v_rest;
    end if;
end;
$function$;

comment on function cto._split_text(text, integer) is
'The text in pieces of at most max_size characters, each an exact part of it, cut at sentence ends or spaces.';

revoke all on function cto._split_text(text, integer) from public;
grant execute on function cto._split_text(text, integer) to cto_agent;
