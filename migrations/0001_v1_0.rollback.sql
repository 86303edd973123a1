-- Takes v1.0 away with all its data. The extension stays: others may use it.
drop view if exists public.ia_context_summary;
drop table if exists public.ia_context_metrics;
drop table if exists public.ia_tool_calls;
drop table if exists public.ia_embeddings;
drop table if exists public.ia_messages;
drop table if exists public.ia_contexts;
drop function if exists public.update_ia_context_metrics();
drop function if exists public.update_ia_contexts_updated_at();
drop table if exists cto.algorithms;
drop table if exists cto.memory;
drop table if exists cto.blocks;
drop schema if exists cto;
