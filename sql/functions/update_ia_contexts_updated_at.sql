-- update_ia_contexts_updated_at: stamp a changed context, as v1.0 did.
--
-- Called by: the trigger trigger_update_ia_contexts_updated_at.

create or replace function public.update_ia_contexts_updated_at()
returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
begin
    new.updated_at := current_timestamp;
    return new;
end;
$function$;

comment on function public.update_ia_contexts_updated_at() is
'Trigger: sets updated_at of a changed context.';

revoke all on function public.update_ia_contexts_updated_at() from public;
