-- _check_content: refuse text that cannot be remembered, before anything is written.
--
-- Called by: remember and log_message. NUL bytes and lone surrogates never get this far: PostgreSQL's
-- text cannot hold them.

create or replace function cto._check_content(content text, what text)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_most constant integer := 250000;  -- what a tsvector of 1 MB is sure to hold
begin
    if content is null or content !~ '\S' then
        raise exception 'the % is empty or blank', what
            using errcode = 'invalid_parameter_value',
                  hint = 'Give a text with at least one visible character.';
    end if;

    if length(content) > v_most then
        raise exception 'the % has % characters but at most % are taken', what, length(content), v_most
            using errcode = 'string_data_right_truncation',
                  hint = 'Split it, or store the text elsewhere and remember a summary with its address.';
    end if;
end;
$function$;

comment on function cto._check_content(text, text) is
'Raises invalid_parameter_value for a blank text and string_data_right_truncation for one over 250,000 characters.';

revoke all on function cto._check_content(text, text) from public;
grant execute on function cto._check_content(text, text) to cto_agent;
