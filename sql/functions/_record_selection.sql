-- _record_selection: keep what a selection decided, and log which blocks were read.
--
-- Called by: _choose_context.
-- Locking:   selections of the same owner and session wait for each other; no row of cto.blocks is
--            touched, so that selecting never costs a write on the hot rows.

create or replace function cto._record_selection(
    owner_key character(64),
    session_key character(64),
    decisions cto.memory[]
)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
begin
    if session_key is null then
        raise exception 'session is null'
            using errcode = 'null_value_not_allowed',
                  hint = 'Name the session, or select with record => false.';
    end if;

    if current_setting('transaction_read_only')::boolean then
        raise exception 'a selection cannot be recorded in a read-only transaction'
            using errcode = 'read_only_sql_transaction',
                  hint = 'Select with record => false, for example on a standby.';
    end if;

    perform pg_advisory_xact_lock(hashtextextended(owner_key || session_key, 0));

    delete from cto.memory as m
    where m.owner_id = owner_key and m.session_hash = session_key;

    begin
        insert into cto.memory
        select d.*
        from unnest(decisions) as d;
    exception
        when unique_violation then
            -- Another selection of this session committed after our snapshot was taken.
            raise exception 'another selection of this session was recorded at the same time'
                using errcode = 'serialization_failure',
                      hint = 'Begin the transaction again, or select in read committed.';
    end;

    insert into cto.accesses (owner_id, block_hash, session_hash, accessed_at)
    select d.owner_id, d.block_hash, d.session_hash, d.selected_at
    from unnest(decisions) as d
    where d.included;
end;
$function$;

comment on function cto._record_selection(character, character, cto.memory[]) is
'Replaces the rows of cto.memory for (owner, session) and appends the included blocks to cto.accesses.
Raises null_value_not_allowed without a session, read_only_sql_transaction where nothing can be written.';

revoke all on function cto._record_selection(character, character, cto.memory[]) from public;
grant execute on function cto._record_selection(character, character, cto.memory[]) to cto_agent;
