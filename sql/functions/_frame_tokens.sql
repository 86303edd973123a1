-- _frame_tokens: tokens of what a rendered context has beside its blocks.
--
-- Called by: _select_blocks. Counted with cl100k_base (tests/test_render_context.py counts them again); the
-- reserve of 4 covers the rare line whose mark does not melt into the word that follows.

create or replace function cto._frame_tokens(format text, heading boolean)
returns integer
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select case
    when heading then case format when 'markdown' then 3 else 0 end
    else 4 + case format
        when 'markdown' then 13
        when 'plain' then 12
        when 'xml' then 10
        when 'json' then 20
    end
end;
$function$;

comment on function cto._frame_tokens(text, boolean) is
'Tokens of the markers around a context (heading false, with a reserve of 4) or of one heading in it.';

revoke all on function cto._frame_tokens(text, boolean) from public;
grant execute on function cto._frame_tokens(text, boolean) to cto_agent;
