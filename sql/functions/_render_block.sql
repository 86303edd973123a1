-- _render_block: one block as a line of the rendered context.
--
-- Called by: render_context, and _block_cost to price what stands around the text.
-- The markers of a rendered context are broken up inside a block's text, so that no block can end the
-- region early.

create or replace function cto._render_block(block_type text, content text, format text)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select case format
    -- Continuation lines are indented, so that they stay part of their list item.
    when 'markdown' then '- ' || regexp_replace(cto._disarm(content), '\r\n|\r|\n', E'\n  ', 'g')
    when 'plain' then cto._disarm(content)
    when 'xml' then format('<block type="%s">%s</block>', block_type,
        -- XML 1.0 has no way to write most control characters.
        regexp_replace(
            replace(replace(replace(content, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'),
            '[\u0001-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]', ' ', 'g'))
    when 'json' then json_build_object('type', block_type, 'content', cto._disarm(content))::text
end;
$function$;

comment on function cto._render_block(text, text, text) is
'One block in the format markdown, plain, xml or json, without the line break after it.';

revoke all on function cto._render_block(text, text, text) from public;
grant execute on function cto._render_block(text, text, text) to cto_agent;
