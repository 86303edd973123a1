-- render_context: the context as one text to put before a model, within its token budget.
--
-- Called by: agents. The text stands between markers by which the extractor knows it again.
-- Locking:   selections of the same owner and session wait for each other while they are recorded.

create or replace function cto.render_context(
    owner text,
    session text,
    query text default null,
    query_embedding extensions.vector default null,
    budget_tokens integer default null,
    min_score double precision default null,
    max_blocks integer default null,
    strategy text default null,
    scorer text default 'scorer',
    selector text default 'selector',
    as_of timestamptz default pg_catalog.now(),
    record boolean default true,
    format text default 'markdown'
)
returns text
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_text text;
begin
    if format is null or format not in ('markdown', 'plain', 'xml', 'json') then
        raise exception 'format is % but must be one of markdown, plain, xml, json',
            coalesce(quote_literal(format), 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'Leave it out for markdown.';
    end if;

    -- Rules before tastes, tastes before facts, facts before the state of the day; each by its place.
    with chosen as (
        select
            c.place, c.block_type,
            cto._render_block(c.block_type, c.content, render_context.format) as line,
            array_position(array['instruction', 'preference', 'fact', 'context'], c.block_type) as rank
        from cto._choose_context(
            owner => owner, session => session, query => query, query_embedding => query_embedding,
            budget_tokens => budget_tokens, min_score => min_score, max_blocks => max_blocks, strategy => strategy,
            scorer => scorer, selector => selector, as_of => as_of, record => record,
            format => render_context.format) as c
    ),

    grouped as (
        select
            g.rank,
            case render_context.format
                when 'markdown' then format('## %s%s', max(case g.block_type
                    when 'instruction' then 'Instructions'
                    when 'preference' then 'Preferences'
                    when 'fact' then 'Facts'
                    else 'Context'
                end), E'\n')
                else ''
            end
            || string_agg(
                g.line,
                case render_context.format when 'json' then E',\n' else E'\n' end
                order by g.place) as text
        from chosen as g
        group by g.rank
    )

    select string_agg(
        g.text,
        case render_context.format when 'json' then E',\n' else E'\n' end
        order by g.rank)
    into v_text
    from grouped as g;

    if v_text is null then
        return '';
    end if;

    return case format
        when 'markdown' then E'<!-- cto:context -->\n' || v_text || E'\n<!-- /cto:context -->'
        when 'plain' then E'[cto:context]\n' || v_text || E'\n[/cto:context]'
        when 'xml' then E'<cto_context>\n' || v_text || E'\n</cto_context>'
        when 'json' then E'{"cto_context": [\n' || v_text || E'\n], "cto_end": true}'
    end;
end;
$function$;

comment on function cto.render_context(
    text, text, text, extensions.vector, integer, double precision, integer, text, text, text, timestamptz,
    boolean, text
) is
'The text of the selected context, markers and headings included, of at most budget_tokens tokens in cl100k_base; empty
where nothing was selected. format: markdown, plain, xml or json. The other arguments are those of cto.select_context.
Raises invalid_parameter_value for an unknown format.';

revoke all on function cto.render_context(
    text, text, text, extensions.vector, integer, double precision, integer, text, text, text, timestamptz,
    boolean, text
) from public;
grant execute on function cto.render_context(
    text, text, text, extensions.vector, integer, double precision, integer, text, text, text, timestamptz,
    boolean, text
) to cto_agent;
