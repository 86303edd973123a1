-- _block_cost: at most how many tokens one block adds to a rendered context.
--
-- Called by: _select_blocks, once a candidate; without a pinned path, so that it is inlined.
-- A count by the tokenizer is taken as it is; an estimate gets a margin of 10 %
-- and 2 tokens, because it may be under by that much. The estimate stands in the row already: to make it again
-- for every candidate took longer than all the rest.

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
as $function$
select case
    -- What looks like one of our own markers is written otherwise, so that it has to be counted as written.
    when content ~ 'cto(:context|_context|_end)' then
        ceil(1.1 * cto.estimate_tokens(cto._render_block(block_type, content, format)))::integer + 2
        + 2 * length(regexp_replace(content, '[^\u0370-\u1dff\u2c00-\u2dff\ua000-\uabff]+', '', 'g'))
    else
        case
            when is_exact then token_count
            -- The estimate is calibrated for Latin letters, CJK, code and emoji. Letters of other scripts may be
            -- two or three tokens each.
            else ceil(1.1 * (token_count + 1))::integer + 2
                + case
                    when octet_length(content) = length(content) then 0
                    else 2 * length(regexp_replace(content, '[^\u0370-\u1dff\u2c00-\u2dff\ua000-\uabff]+', '', 'g'))
                end
        end
        + case
            when format in ('markdown', 'plain') then
                -- The list mark melts into a Latin letter that follows, and into nothing else.
                case
                    when format = 'plain' then 0
                    when content ~ '^[A-Za-z]' then 1
                    else 2
                end
                -- The line break melts into a punctuation mark that ends a word.
                + case when content ~ '[A-Za-z0-9][!-/:-@\[-`{-~]$' then 0 else 1 end
                + 2 * (length(content) - length(translate(content, E'\n\r', '')))
            else
                -- The tags or keys around it, and a token for each character that escaping adds.
                case format when 'xml' then 10 else 14 end
                + length(cto._render_block(block_type, content, format))
                - length(cto._render_block(block_type, '', format))
                - length(content)
        end
end;
$function$;

comment on function cto._block_cost(text, text, integer, boolean, text) is
'Tokens, in cl100k_base, that a block adds to a context rendered in format; rarely too few.';

revoke all on function cto._block_cost(text, text, integer, boolean, text) from public;
grant execute on function cto._block_cost(text, text, integer, boolean, text) to cto_agent;
