-- _ensure_statistics: count a large owner again where it was never counted or has changed by a quarter.
--
-- Called by: _choose_context before it scores, never in a read-only transaction.
-- Locking:   as refresh_statistics: whoever comes second goes on with what is there.
--
-- How many blocks a counted owner has now is estimated from the share of its hashes in one range: they are
-- uniform, so that 400 index entries tell it within some 5 per cent.

create or replace function cto._ensure_statistics(owner_key character(64), exhaustive_blocks integer)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $function$
declare
    v_sample constant integer := 400;
    v_counted bigint;
    v_share float8;
    v_now float8;
begin
    if current_setting('transaction_read_only')::boolean then
        return;
    end if;

    select s.blocks
    into v_counted
    from cto.owner_statistics as s
    where s.owner_id = owner_key;

    if v_counted is null then
        select count(*)
        into v_now
        from (
            select from cto.blocks as b
            where b.owner_id = owner_key
            limit exhaustive_blocks::bigint + 1
        ) as counted;

        if v_now <= exhaustive_blocks then
            return;
        end if;
    else
        v_share := least(1, v_sample / greatest(v_counted, 1)::float8);

        select count(*) / v_share
        into v_now
        from cto.blocks as b
        where b.owner_id = owner_key
            and b.hash < (
                case when v_share = 1 then 'g' else lpad(to_hex((v_share * 1048576)::integer), 5, '0') end
            )::character(64);

        if abs(v_now - v_counted) <= 0.25 * v_counted then
            return;
        end if;
    end if;

    perform cto.refresh_statistics(owner_key);
end;
$function$;

comment on function cto._ensure_statistics(character, integer) is
'Counts an owner of more than exhaustive_blocks blocks when it was never counted, or when that is off by a quarter.';

revoke all on function cto._ensure_statistics(character, integer) from public;
grant execute on function cto._ensure_statistics(character, integer) to cto_agent;
