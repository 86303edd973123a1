-- _algorithm_kind: which of the four kinds an algorithm name belongs to.
--
-- Called by: set_algorithm. 'scorer' is a scorer, and so is 'scorer_trial': a name that starts with its
-- kind and an underscore can stand beside the default one and be named in a call.

create or replace function cto._algorithm_kind(name text)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select k.kind
from unnest(array['extractor', 'scorer', 'selector', 'consolidator']) as k (kind)
where name = k.kind or starts_with(name, k.kind || '_');
$function$;

comment on function cto._algorithm_kind(text) is
'extractor, scorer, selector or consolidator: the kind that an algorithm name starts with; null for none.';

revoke all on function cto._algorithm_kind(text) from public;
grant execute on function cto._algorithm_kind(text) to cto_agent;
