-- refresh_statistics: count the blocks and the words of one owner, for the search over large owners.
--
-- Called by: _ensure_statistics while selecting, cto deploy and cto embed for what has grown, and people.
-- Locking:   one at a time for an owner; a second one leaves the counting to the first and returns null.
--
-- Words are counted with ts_stat over at most about 100,000 blocks (0.4 s); more are sampled by their hash, which
-- is as good as drawn by lot. Lexemes of up to 20 blocks are not kept: they are counted when searched. A name is the
-- same lexeme in every language, so all of its blocks count together.

create or replace function cto.refresh_statistics(owner text)
returns bigint
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_owner constant character(64) := cto._owner_key(owner);
    v_largest_sample constant integer := 100000;
    v_rarest_kept constant integer := 20;
    v_most_accessed constant integer := 200;
    v_blocks bigint;
    v_share float8;
    v_below character(64);
begin
    if not pg_try_advisory_xact_lock(hashtextextended('cto.owner_statistics' || v_owner, 0)) then
        return null;
    end if;

    select count(*)
    into v_blocks
    from cto.blocks as b
    where b.owner_id = v_owner;

    v_share := least(1, v_largest_sample / greatest(v_blocks, 1)::float8);
    v_below := case when v_share = 1 then 'g' else lpad(to_hex((v_share * 1048576)::integer), 5, '0') end;

    insert into cto.owner_statistics as s (owner_id, blocks, mean_words, counted_at)
    select v_owner, v_blocks, greatest(coalesce(avg(b.word_count), 1), 1), clock_timestamp()
    from cto.blocks as b
    where b.owner_id = v_owner and b.hash < v_below
    on conflict on constraint owner_statistics_pkey do update
    set blocks = excluded.blocks, mean_words = excluded.mean_words, counted_at = excluded.counted_at;

    delete from cto.lexeme_statistics as l
    where l.owner_id = v_owner;
    insert into cto.lexeme_statistics (owner_id, language, lexeme, blocks)
    select v_owner, t.language, t.word, round(t.ndoc / v_share)
    from (
        select l.language, w.word, w.ndoc, sum(w.ndoc) over (partition by w.word) as altogether
        from unnest(array['es', 'en', 'simple']) as l (language)
        cross join lateral ts_stat(format(
            'select b.lexemes from cto.blocks as b where b.owner_id = %L and b.hash < %L::character(64) and %s',
            v_owner, v_below,
            case when l.language = 'simple' then 'coalesce(b.language, ''simple'') = ''simple'''
                else format('b.language = %L', l.language)
            end
        )) as w
    ) as t
    where t.altogether / v_share > v_rarest_kept;

    delete from cto.most_accessed as m
    where m.owner_id = v_owner;

    insert into cto.most_accessed (owner_id, block_hash, access_count)
    select b.owner_id, b.hash, b.access_count
    from cto.blocks as b
    where b.owner_id = v_owner and b.access_count > 0
    order by b.access_count desc, b.hash
    limit v_most_accessed;

    return v_blocks;
end;
$function$;

comment on function cto.refresh_statistics(text) is
'Counts the blocks and lexemes of an owner for the search over large owners, and returns how many blocks there are;
null when another session is counting them. Selections do it by themselves when an owner has grown by a quarter.';

revoke all on function cto.refresh_statistics(text) from public;
grant execute on function cto.refresh_statistics(text) to cto_agent;
