-- _prepare_block: fill in what a writer of cto.blocks need not know.
--
-- Called by: the trigger blocks_prepare, before each insert and update of text or vector. Writers that
-- know only the columns of v1.0 get language, lexemes, counts and model as well.

create or replace function cto._prepare_block()
returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_is_new_vector boolean := new.embedding is not null;
begin
    perform cto._check_block(new, case when tg_op = 'UPDATE' then old end);

    if tg_op = 'UPDATE' and old.embedding is not null and new.embedding is not null then
        v_is_new_vector := extensions.vector_ne(new.embedding, old.embedding);
    end if;

    if new.hash is null or (tg_op = 'UPDATE' and new.content <> old.content and new.hash = old.hash) then
        new.hash := encode(sha256(convert_to(new.content, 'UTF8')), 'hex');
    end if;

    if tg_op = 'UPDATE' and new.content <> old.content then
        -- What was known of the old text says nothing of the new one.
        if not v_is_new_vector then
            new.embedding := null;
        end if;

        if new.language is not distinct from old.language then
            new.language := null;
        end if;

        new.token_count := null;
        new.token_count_is_exact := false;
        new.lexemes := null;
    end if;

    if new.language is null then
        new.language := cto.detect_language(new.content);
    end if;

    if new.lexemes is null
        or new.lexemes_version < 2
        or (tg_op = 'UPDATE' and new.language is distinct from old.language)
    then
        -- A tsvector holds at most 1 MB, and hyphened words stand in it twice.
        new.lexemes := cto._block_lexemes(left(new.content, 100000), new.language);
        new.lexemes_version := 2;
        new.word_count := (select coalesce(sum(cardinality(w.positions)), 0) from unnest(new.lexemes) as w);
    end if;

    if new.token_count is null then
        new.token_count := cto.estimate_tokens(new.content);
        new.token_count_is_exact := false;
    end if;

    if new.embedding is null then
        new.embedding_model := null;
    else
        if v_is_new_vector then
            new.embedding := cto._pad_vector(new.embedding);
        end if;

        -- Nobody knows which model a writer of v1.0 means; it is compared with its like only.
        if new.embedding_model is null then
            new.embedding_model := 'v1.0';
        end if;
    end if;

    return new;
end;
$function$;

comment on function cto._prepare_block() is
'Trigger: fills hash, language, lexemes, counts and embedding_model; an edited text loses its vector.';

revoke all on function cto._prepare_block() from public;
