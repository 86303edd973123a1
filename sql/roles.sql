-- The group roles that logins are made members of, and what they may do with the tables. None can log
-- in. The rights on functions and views stand beside those. Run first on every deployment that changes
-- anything, so that a DROP never costs a grant.

do $block$
declare
    v_role text;
begin
    foreach v_role in array array['cto_agent', 'cto_embedder', 'cto_report', 'cto_admin']
    loop
        if not exists (select from pg_catalog.pg_roles as r where r.rolname = v_role) then
            -- Roles belong to the whole server: another database may be deployed to at the same moment.
            begin
                execute pg_catalog.format('create role %I nologin', v_role);
            exception when duplicate_object or unique_violation then
                null;
            end;
        end if;
    end loop;
end;
$block$;

-- Only what is granted below and beside each function.
revoke all on schema cto from public;

grant usage on schema cto to cto_agent, cto_embedder, cto_report, cto_admin;

grant select, insert, update on cto.blocks to cto_agent;

grant select, insert, update, delete on cto.memory, cto.pins to cto_agent;

grant select, insert on cto.accesses, cto.selections, cto.past_pins to cto_agent;

grant select on cto.block_changes, cto.owner_algorithms to cto_agent;

grant select, insert, update, delete on cto.owner_statistics, cto.lexeme_statistics, cto.most_accessed to cto_agent;

grant select on cto.algorithms, cto.embedding_models to cto_agent;

grant select, insert on public.ia_contexts, public.ia_messages, public.ia_tool_calls to cto_agent;

grant update (user_id, session_id, updated_at) on public.ia_contexts to cto_agent;

grant usage on sequence public.ia_contexts_id_seq, public.ia_messages_id_seq, public.ia_tool_calls_id_seq to cto_agent;

grant select on cto.embedding_models, cto.embedding_jobs to cto_embedder;

grant select on
    public.ia_contexts, public.ia_messages, public.ia_embeddings, public.ia_tool_calls, public.ia_context_metrics,
    cto.blocks, cto.memory, cto.algorithms, cto.algorithm_history, cto.embedding_models, cto.embedding_jobs,
    cto.selections, cto.owner_algorithms, cto.owner_statistics
to cto_report;

do $block$
declare
    v_role text;
begin
    -- An administrator may do what agents, workers and reporters may. Said once: two databases of one
    -- server may be deployed to at the same moment.
    foreach v_role in array array['cto_agent', 'cto_embedder', 'cto_report']
    loop
        if not pg_catalog.pg_has_role('cto_admin', v_role, 'usage') then
            begin
                execute pg_catalog.format('grant %I to cto_admin', v_role);
            exception when unique_violation or internal_error then
                null;
            end;
        end if;
    end loop;
end;
$block$;

grant select on public._yoyo_migration, public._cto_migration, public._cto_object to cto_report;

grant usage on sequence public.ia_embeddings_id_seq, public.ia_context_metrics_id_seq to cto_admin;

grant select, insert, update, delete on
    cto.blocks, cto.memory, cto.pins, cto.accesses, cto.algorithms, cto.algorithm_history, cto.embedding_models,
    cto.embedding_jobs, cto.owner_statistics, cto.lexeme_statistics, cto.most_accessed,
    cto.selections, cto.block_changes, cto.past_pins, cto.owner_algorithms,
    public.ia_contexts, public.ia_messages, public.ia_embeddings, public.ia_tool_calls, public.ia_context_metrics
to cto_admin;
