-- _extract_heuristic: find what a message holds that is worth remembering, by rule.
--
-- Called by: cto.extract_blocks, when extraction_mode is heuristic.
-- Locking:   none; it reads nothing but its arguments.

create or replace function cto._extract_heuristic(
    content text,
    min_content_length integer,
    max_block_size integer,
    patterns text[]
)
returns table (
    block_type text,
    block_content text,
    importance double precision,
    language text
)
language plpython3u
immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $python$
if "extract_heuristic" not in SD:
    :module
    SD["extract_heuristic"] = module["extract_heuristic"]
return SD["extract_heuristic"](content, min_content_length, max_block_size, patterns)
$python$;

comment on function cto._extract_heuristic(text, integer, integer, text[]) is
'Facts, instructions, preferences and context in a Spanish or English message, in text order.
Each block is an exact part of the message, min_content_length to max_block_size characters long.';

revoke all on function cto._extract_heuristic(text, integer, integer, text[]) from public;
grant execute on function cto._extract_heuristic(text, integer, integer, text[]) to cto_agent;
