-- _closeness: how close blocks are to a query: by their vectors, by their words, and by what is said around them.
--
-- Called by: _score_blocks. Touches no table.
--
-- In loops: the window functions that would say the same sort and copy all rows a dozen times, which takes ten times
-- as long.

create or replace function cto._closeness(
    sessions integer[],
    follows boolean[],
    is_alone boolean[],
    is_crowd boolean,
    nearness double precision[],
    holders integer[],
    terms integer[],
    times double precision[],
    rarities double precision[],
    config jsonb
)
returns double precision[]
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_size constant integer := cardinality(sessions);
    v_vector_share constant float8 := case when rarities is null then 1 else (config #>> '{hybrid,vector}')::float8 end;
    v_text_share constant float8 := case when nearness is null then 1 else (config #>> '{hybrid,text}')::float8 end;
    v_k1 constant float8 := config #>> '{bm25,k1}';
    v_nearest constant float8 := config #>> '{smoothing,nearest}';
    v_second constant float8 := config #>> '{smoothing,second}';
    v_session_best constant float8 := config #>> '{smoothing,session_best}';
    v_whole constant float8 := 1 + 2 * (v_nearest + v_second);
    -- Beyond the ends of a session a block counts for itself. In a crowd, nobody knows whether there is an end.
    v_edge constant float8 := (not is_crowd)::integer;
    v_number integer[] := '{}';
    v_used float8[] := '{}';
    v_terms integer := 0;
    v_spread float8[];
    v_has_words boolean[];
    v_wording float8[];
    v_closeness float8[] := array_fill(0::float8, array[v_size]);
    v_most float8 := 0;
    v_cell integer;
    v_times float8;
    v_sum float8;
    v_from integer := 1;
    v_first float8;
    v_second_best float8;
    v_third float8;
begin
    -- Numbers for the terms that occur: of each word in three languages, mostly one does.
    for i in 1 .. coalesce(cardinality(terms), 0) loop
        if v_number[terms[i]] is null then
            v_terms := v_terms + 1;
            v_number[terms[i]] := v_terms;
            v_used[v_terms] := rarities[terms[i]];
        end if;
    end loop;

    if v_terms > 0 then
        v_spread := array_fill(0::float8, array[v_size * v_terms]);
        v_has_words := array_fill(false, array[v_size]);
        v_wording := array_fill(0::float8, array[v_size]);

        -- What is said next to the evidence is evidence: each word counts for the two blocks on either side as well.
        for k in 1 .. cardinality(terms) loop
            v_from := holders[k];
            v_cell := (v_from - 1) * v_terms + v_number[terms[k]];
            v_times := times[k];
            v_sum := 1;
            v_has_words[v_from] := true;

            if follows[v_from] then
                v_spread[v_cell - v_terms] := v_spread[v_cell - v_terms] + v_nearest * v_times;
                v_has_words[v_from - 1] := true;
            else
                v_sum := v_sum + v_edge * v_nearest;
            end if;

            if follows[v_from] and follows[v_from - 1] then
                v_spread[v_cell - 2 * v_terms] := v_spread[v_cell - 2 * v_terms] + v_second * v_times;
                v_has_words[v_from - 2] := true;
            else
                v_sum := v_sum + v_edge * v_second;
            end if;

            if follows[v_from + 1] then
                v_spread[v_cell + v_terms] := v_spread[v_cell + v_terms] + v_nearest * v_times;
                v_has_words[v_from + 1] := true;
            else
                v_sum := v_sum + v_edge * v_nearest;
            end if;

            if follows[v_from + 1] and follows[v_from + 2] then
                v_spread[v_cell + 2 * v_terms] := v_spread[v_cell + 2 * v_terms] + v_second * v_times;
                v_has_words[v_from + 2] := true;
            else
                v_sum := v_sum + v_edge * v_second;
            end if;

            v_spread[v_cell] := v_spread[v_cell] + v_sum * v_times;
        end loop;

        -- BM25, its saturation over a block and its neighbours together.
        for i in 1 .. v_size loop
            if v_has_words[i] then
                v_sum := 0;

                for t in 1 .. v_terms loop
                    v_times := v_spread[(i - 1) * v_terms + t];

                    if v_times > 0 then
                        v_sum := v_sum + v_used[t] * v_times * (v_k1 + 1) / (v_times + v_k1);
                    end if;
                end loop;

                v_wording[i] := v_sum;
                v_most := greatest(v_most, v_sum);
            end if;
        end loop;
    end if;

    for i in 1 .. v_size loop
        if nearness is not null then
            v_closeness[i] := v_vector_share / v_whole * (
                nearness[i]
                + v_nearest * (
                    case when follows[i] then nearness[i - 1] else v_edge * nearness[i] end
                    + case when follows[i + 1] then nearness[i + 1] else v_edge * nearness[i] end)
                + v_second * (
                    case when follows[i] and follows[i - 1] then nearness[i - 2] else v_edge * nearness[i] end
                    + case when follows[i + 1] and follows[i + 2] then nearness[i + 2]
                        else v_edge * nearness[i] end));
        end if;

        if v_most > 0 then
            v_closeness[i] := v_closeness[i] + v_text_share * v_wording[i] / v_most;
        end if;
    end loop;

    -- A session about the subject is evidence as well: the mean of its three best.
    v_from := 1;
    v_first := 0;
    v_second_best := 0;
    v_third := 0;

    for i in 1 .. v_size loop
        v_sum := v_closeness[i];

        if v_sum > v_first then
            v_third := v_second_best;
            v_second_best := v_first;
            v_first := v_sum;
        elsif v_sum > v_second_best then
            v_third := v_second_best;
            v_second_best := v_sum;
        elsif v_sum > v_third then
            v_third := v_sum;
        end if;

        if sessions[i + 1] is distinct from sessions[i] then
            -- Of a crowd only a part of the session is here; what is missing counts nothing.
            v_sum := v_session_best * (v_first + v_second_best + v_third) / case
                when is_alone[i] then 1
                when is_crowd then 3
                else least(i - v_from + 1, 3)
            end;

            for j in v_from .. i loop
                if v_closeness[j] > 0 or not is_crowd then
                    v_closeness[j] := v_closeness[j] + v_sum;
                end if;
            end loop;

            v_from := i + 1;
            v_first := 0;
            v_second_best := 0;
            v_third := 0;
        end if;
    end loop;

    return v_closeness;
end;
$function$;

comment on function cto._closeness(
    integer[], boolean[], boolean[], boolean, double precision[], integer[], integer[], double precision[],
    double precision[], jsonb
) is
'Closeness of blocks, at least 0, in the order in which they were said in their sessions. sessions: the number of each
one''s session; follows: whether the one before was said right before it; is_alone: without a session; nearness: null without a
vector; holders, terms, times: which block holds which term how often (length-normalised); rarities: by term, null
without a text. In a crowd, what is not here counts nothing, and what does not stand out gains nothing by its session.';

revoke all on function cto._closeness(
    integer[], boolean[], boolean[], boolean, double precision[], integer[], integer[], double precision[],
    double precision[], jsonb
) from public;
grant execute on function cto._closeness(
    integer[], boolean[], boolean[], boolean, double precision[], integer[], integer[], double precision[],
    double precision[], jsonb
) to cto_agent;
