-- ia_context_summary_by_model: what each model said, for reports.

create or replace view public.ia_context_summary_by_model as
select
    m.model,
    count(distinct m.context_id) as context_count,
    count(*) as message_count,
    coalesce(sum(m.token_count), 0) as total_tokens,
    min(m.timestamp) as first_used_at,
    max(m.timestamp) as last_used_at
from public.ia_messages as m
group by m.model;

comment on view public.ia_context_summary_by_model is 'One row a model; and one, of null, for messages that name none';
comment on column public.ia_context_summary_by_model.model is 'Name of the model as it was logged; null for none';
comment on column public.ia_context_summary_by_model.context_count is 'Conversations that it takes part in';
comment on column public.ia_context_summary_by_model.message_count is 'Messages that name it';
comment on column public.ia_context_summary_by_model.total_tokens is 'Tokens of these messages, as far as counted';
comment on column public.ia_context_summary_by_model.first_used_at is 'Time of the first of them';
comment on column public.ia_context_summary_by_model.last_used_at is 'Time of the latest of them';

grant select on public.ia_context_summary_by_model to cto_report, cto_agent;
