-- extract_blocks: which blocks a message would leave, without storing them.
--
-- Called by: agents and people who try a configuration. log_message does the same and stores them.

create or replace function cto.extract_blocks(content text, config jsonb default null)
returns table (block_type text, content text, importance double precision, language text)
language sql
stable
set search_path = pg_catalog, pg_temp
as $function$
select e.block_type, e.block_content, e.importance, e.language
from cto._extract($1, cto._extractor_config($2)) as e;
$function$;

comment on function cto.extract_blocks(text, jsonb) is
'The blocks that a message would leave: type, exact text, importance from 0 to 1, language. config null: as configured.
Raises invalid_parameter_value, naming the key, for a config that could not be followed.';

revoke all on function cto.extract_blocks(text, jsonb) from public;
grant execute on function cto.extract_blocks(text, jsonb) to cto_agent;
