-- _block_cost: at most how many tokens one block adds to a rendered context.
--
-- Called by: _select_blocks. A count by the tokenizer is taken as it is; an estimate gets a margin of 5 %
-- and a token, because it may be under by that much. Text that is escaped is estimated as it will stand.

create or replace function cto._block_cost(
    block_type text,
    content text,
    token_count integer,
    is_exact boolean,
    format text
)
returns integer
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select case
    when is_exact and format in ('markdown', 'plain') and content !~ 'cto(:context|_context|_end)' then
        -- List mark and line break. They mostly melt into the words beside them; where the text starts
        -- with anything but a Latin letter they do not.
        token_count
        + case when content ~ '^[A-Za-z]' then 1 else 3 end
        + 2 * (length(content) - length(replace(content, E'\n', '')))
    else
        ceil(1.05 * cto.estimate_tokens(cto._render_block(block_type, content, format)))::integer + 2
end;
$function$;

comment on function cto._block_cost(text, text, integer, boolean, text) is
'Tokens, in cl100k_base, that a block adds to a context rendered in format; rarely too few.';

revoke all on function cto._block_cost(text, text, integer, boolean, text) from public;
grant execute on function cto._block_cost(text, text, integer, boolean, text) to cto_agent;
