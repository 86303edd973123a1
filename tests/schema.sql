-- The tables, indexes, constraints, triggers and views of a deployed database, as pg_dump of
-- PostgreSQL 18 writes them. Made by `python tests/schema_dump.py`; never edited by hand.

CREATE SCHEMA cto;

CREATE TABLE cto.blocks (
    hash character(64) NOT NULL COLLATE pg_catalog."C",
    session_hash character(64) COLLATE pg_catalog."C",
    owner_id character(64) NOT NULL COLLATE pg_catalog."C",
    block_type text NOT NULL,
    content text NOT NULL,
    embedding public.vector(1536),
    importance double precision DEFAULT 0.5 NOT NULL,
    access_count integer DEFAULT 0 NOT NULL,
    source_hash character(64) COLLATE pg_catalog."C",
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_said_at timestamp with time zone DEFAULT now() NOT NULL,
    ordinal integer DEFAULT 0 NOT NULL,
    language text,
    lexemes tsvector,
    word_count integer,
    token_count integer,
    token_count_is_exact boolean DEFAULT false NOT NULL,
    embedding_model text,
    superseded_by character(64) COLLATE pg_catalog."C",
    superseded_at timestamp with time zone,
    lexemes_version smallint DEFAULT 1 NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    embedded_at timestamp with time zone,
    counted_at timestamp with time zone,
    CONSTRAINT embedding_names_its_model CHECK (((embedding IS NULL) OR (embedding_model IS NOT NULL))),
    CONSTRAINT language_is_known CHECK ((language = ANY (ARRAY['es'::text, 'en'::text, 'simple'::text]))),
    CONSTRAINT superseded_blocks_name_their_successor CHECK (((superseded_by IS NULL) = (superseded_at IS NULL))),
    CONSTRAINT token_count_is_not_negative CHECK ((token_count >= 0)),
    CONSTRAINT word_count_is_not_negative CHECK ((word_count >= 0))
)
WITH (fillfactor='80');

CREATE TABLE public.ia_contexts (
    id bigint NOT NULL,
    context_id character varying(255) NOT NULL,
    agent_name character varying(100) NOT NULL,
    user_id character varying(100),
    session_id character varying(255),
    created_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP,
    metadata jsonb DEFAULT '{}'::jsonb,
    status character varying(50) DEFAULT 'active'::character varying,
    CONSTRAINT check_status CHECK (((status)::text = ANY ((ARRAY['active'::character varying, 'archived'::character varying, 'deleted'::character varying])::text[])))
);

CREATE TABLE cto.memory (
    session_hash character(64) NOT NULL COLLATE pg_catalog."C",
    owner_id character(64) NOT NULL COLLATE pg_catalog."C",
    block_hash character(64) NOT NULL COLLATE pg_catalog."C",
    "position" integer,
    score double precision,
    token_count integer,
    included boolean DEFAULT true,
    recency double precision,
    frequency double precision,
    importance double precision,
    similarity double precision,
    reason text,
    selected_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT reason_is_known CHECK ((reason = ANY (ARRAY['included'::text, 'over_budget'::text, 'below_min_score'::text, 'over_max_blocks'::text, 'duplicate'::text, 'pinned'::text])))
);

CREATE TEXT SEARCH DICTIONARY cto.spanish_stem (
    TEMPLATE = pg_catalog.snowball,
    language = 'spanish' );

CREATE TEXT SEARCH DICTIONARY cto.spanish_stop (
    TEMPLATE = pg_catalog.simple,
    stopwords = 'spanish', accept = 'false' );

CREATE TEXT SEARCH CONFIGURATION cto.english (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR asciiword WITH english_stem;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR word WITH public.unaccent, english_stem;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR hword_part WITH public.unaccent, english_stem;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR hword_asciipart WITH english_stem;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR asciihword WITH english_stem;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR hword WITH public.unaccent, english_stem;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.english
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION cto.simple (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR asciiword WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR word WITH public.unaccent, simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR hword_part WITH public.unaccent, simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR hword_asciipart WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR asciihword WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR hword WITH public.unaccent, simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.simple
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION cto.spanish (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR asciiword WITH cto.spanish_stop, cto.spanish_stem;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR word WITH cto.spanish_stop, public.unaccent, cto.spanish_stem;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR hword_part WITH cto.spanish_stop, public.unaccent, cto.spanish_stem;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR hword_asciipart WITH cto.spanish_stop, cto.spanish_stem;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR asciihword WITH cto.spanish_stop, cto.spanish_stem;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR hword WITH cto.spanish_stop, public.unaccent, cto.spanish_stem;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION cto.spanish
    ADD MAPPING FOR uint WITH simple;

CREATE TABLE cto.accesses (
    owner_id character(64) NOT NULL COLLATE pg_catalog."C",
    access_id bigint NOT NULL,
    block_hash character(64) NOT NULL COLLATE pg_catalog."C",
    session_hash character(64) NOT NULL COLLATE pg_catalog."C",
    accessed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT block_hash_is_a_key CHECK ((block_hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT owner_id_is_a_key CHECK ((owner_id ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT session_hash_is_a_key CHECK ((session_hash ~ '^[0-9a-f]{64}$'::text))
);

ALTER TABLE cto.accesses ALTER COLUMN access_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME cto.accesses_access_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE cto.algorithm_history (
    history_id bigint NOT NULL,
    name text NOT NULL,
    version text NOT NULL,
    config jsonb NOT NULL,
    enabled boolean NOT NULL,
    set_at timestamp with time zone DEFAULT now() NOT NULL,
    set_by text DEFAULT SESSION_USER NOT NULL
);

ALTER TABLE cto.algorithm_history ALTER COLUMN history_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME cto.algorithm_history_history_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE cto.algorithms (
    name text NOT NULL,
    version text DEFAULT '1.0'::text NOT NULL,
    config jsonb NOT NULL,
    enabled boolean DEFAULT true NOT NULL
);

CREATE TABLE cto.block_changes (
    owner_id character(64) NOT NULL COLLATE pg_catalog."C",
    change_id bigint NOT NULL,
    block_hash character(64) NOT NULL COLLATE pg_catalog."C",
    changed_at timestamp with time zone NOT NULL,
    last_said_at timestamp with time zone NOT NULL,
    importance double precision NOT NULL,
    block_type text NOT NULL,
    superseded_at timestamp with time zone
);

ALTER TABLE cto.block_changes ALTER COLUMN change_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME cto.block_changes_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW cto.block_summary AS
 SELECT owner_id,
    block_type,
    count(*) FILTER (WHERE (superseded_at IS NULL)) AS live_blocks,
    count(*) FILTER (WHERE (superseded_at IS NOT NULL)) AS superseded_blocks,
    COALESCE(sum(token_count) FILTER (WHERE (superseded_at IS NULL)), (0)::bigint) AS live_tokens,
    count(*) FILTER (WHERE ((superseded_at IS NULL) AND (embedding IS NULL))) AS without_vector,
    max(last_said_at) AS last_said_at
   FROM cto.blocks b
  GROUP BY owner_id, block_type;

CREATE TABLE cto.embedding_jobs (
    owner_id character(64) NOT NULL COLLATE pg_catalog."C",
    block_hash character(64) NOT NULL COLLATE pg_catalog."C",
    state text DEFAULT 'waiting'::text NOT NULL,
    not_before timestamp with time zone DEFAULT now() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    leased_by text,
    leased_until timestamp with time zone,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT dead_jobs_say_why CHECK (((state <> 'dead'::text) OR (last_error IS NOT NULL))),
    CONSTRAINT leases_name_their_holder CHECK ((((state = 'leased'::text) = (leased_by IS NOT NULL)) AND ((state = 'leased'::text) = (leased_until IS NOT NULL)))),
    CONSTRAINT state_is_known CHECK ((state = ANY (ARRAY['waiting'::text, 'leased'::text, 'dead'::text])))
);

CREATE TABLE cto.embedding_models (
    name text NOT NULL,
    dimensions integer NOT NULL,
    is_current boolean DEFAULT false NOT NULL,
    first_used_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT dimensions_lie_between_1_and_1536 CHECK (((dimensions >= 1) AND (dimensions <= 1536)))
);

CREATE VIEW cto.embedding_status AS
 SELECT j.state,
    count(*) AS jobs,
    min(j.created_at) AS oldest_at,
    COALESCE(sum(b.token_count), (0)::bigint) AS tokens
   FROM (cto.embedding_jobs j
     JOIN cto.blocks b ON (((j.owner_id = b.owner_id) AND (j.block_hash = b.hash))))
  GROUP BY j.state;

CREATE TABLE cto.lexeme_statistics (
    owner_id character(64) NOT NULL COLLATE pg_catalog."C",
    language text NOT NULL,
    lexeme text NOT NULL COLLATE pg_catalog."C",
    blocks bigint NOT NULL,
    CONSTRAINT blocks_is_positive CHECK ((blocks > 0))
);

CREATE TABLE cto.most_accessed (
    owner_id character(64) NOT NULL COLLATE pg_catalog."C",
    block_hash character(64) NOT NULL COLLATE pg_catalog."C",
    access_count integer NOT NULL
);

CREATE TABLE cto.owner_algorithms (
    owner_id character(64) NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    revision integer NOT NULL,
    config jsonb,
    set_at timestamp with time zone DEFAULT now() NOT NULL,
    set_by text DEFAULT SESSION_USER NOT NULL,
    CONSTRAINT owner_id_is_a_key CHECK ((owner_id ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT revision_is_positive CHECK ((revision > 0))
);

CREATE TABLE cto.owner_statistics (
    owner_id character(64) NOT NULL COLLATE pg_catalog."C",
    blocks bigint NOT NULL,
    mean_words double precision NOT NULL,
    counted_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT blocks_is_not_negative CHECK ((blocks >= 0)),
    CONSTRAINT mean_words_is_at_least_one CHECK ((mean_words >= (1)::double precision)),
    CONSTRAINT owner_id_is_a_key CHECK ((owner_id ~ '^[0-9a-f]{64}$'::text))
);

CREATE TABLE cto.past_pins (
    owner_id character(64) NOT NULL COLLATE pg_catalog."C",
    pin_id bigint NOT NULL,
    session_hash character(64) NOT NULL COLLATE pg_catalog."C",
    block_hash character(64) NOT NULL COLLATE pg_catalog."C",
    pinned_at timestamp with time zone NOT NULL,
    unpinned_at timestamp with time zone NOT NULL
);

ALTER TABLE cto.past_pins ALTER COLUMN pin_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME cto.past_pins_pin_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE cto.pins (
    owner_id character(64) NOT NULL COLLATE pg_catalog."C",
    session_hash character(64) NOT NULL COLLATE pg_catalog."C",
    block_hash character(64) NOT NULL COLLATE pg_catalog."C",
    pinned_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT session_hash_is_a_key CHECK ((session_hash ~ '^[0-9a-f]{64}$'::text))
);

CREATE TABLE cto.selections (
    owner_id character(64) NOT NULL COLLATE pg_catalog."C",
    selection_id bigint NOT NULL,
    session_hash character(64) NOT NULL COLLATE pg_catalog."C",
    selected_at timestamp with time zone NOT NULL,
    as_of timestamp with time zone NOT NULL,
    query text,
    query_embedding public.vector(1536),
    embedding_model text,
    scorer text NOT NULL,
    scorer_config jsonb NOT NULL,
    selector text NOT NULL,
    selector_config jsonb NOT NULL,
    format text NOT NULL,
    block_hashes character(64)[] NOT NULL COLLATE pg_catalog."C",
    token_count integer NOT NULL,
    CONSTRAINT owner_id_is_a_key CHECK ((owner_id ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT session_hash_is_a_key CHECK ((session_hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT token_count_is_not_negative CHECK ((token_count >= 0))
);

ALTER TABLE cto.selections ALTER COLUMN selection_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME cto.selections_selection_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.ia_context_metrics (
    id bigint NOT NULL,
    context_id character varying(255) NOT NULL,
    total_messages bigint DEFAULT 0,
    total_tokens bigint DEFAULT 0,
    total_tool_calls bigint DEFAULT 0,
    avg_response_time_ms bigint,
    last_activity timestamp with time zone,
    metadata jsonb DEFAULT '{}'::jsonb
);

CREATE SEQUENCE public.ia_context_metrics_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.ia_context_metrics_id_seq OWNED BY public.ia_context_metrics.id;

CREATE VIEW public.ia_context_summary AS
 SELECT c.context_id,
    c.agent_name,
    c.session_id,
    c.created_at,
    c.updated_at,
    c.status,
    COALESCE(m.total_messages, (0)::bigint) AS message_count,
    COALESCE(m.total_tokens, (0)::bigint) AS total_tokens,
    COALESCE(m.total_tool_calls, (0)::bigint) AS tool_calls,
    m.last_activity
   FROM (public.ia_contexts c
     LEFT JOIN public.ia_context_metrics m ON (((c.context_id)::text = (m.context_id)::text)));

CREATE VIEW public.ia_context_summary_by_agent AS
 SELECT c.agent_name,
    count(*) AS context_count,
    count(*) FILTER (WHERE ((c.status)::text = 'active'::text)) AS active_contexts,
    count(DISTINCT c.user_id) AS user_count,
    (COALESCE(sum(m.total_messages), (0)::numeric))::bigint AS message_count,
    (COALESCE(sum(m.total_tokens), (0)::numeric))::bigint AS total_tokens,
    (COALESCE(sum(m.total_tool_calls), (0)::numeric))::bigint AS tool_calls,
    (round(avg(m.avg_response_time_ms)))::bigint AS avg_response_time_ms,
    min(c.created_at) AS first_created_at,
    max(m.last_activity) AS last_activity
   FROM (public.ia_contexts c
     LEFT JOIN public.ia_context_metrics m ON (((c.context_id)::text = (m.context_id)::text)))
  GROUP BY c.agent_name;

CREATE TABLE public.ia_messages (
    id bigint NOT NULL,
    context_id character varying(255) NOT NULL,
    role character varying(50) NOT NULL,
    content text NOT NULL,
    "timestamp" timestamp with time zone DEFAULT CURRENT_TIMESTAMP,
    token_count integer,
    model character varying(100),
    metadata jsonb DEFAULT '{}'::jsonb,
    CONSTRAINT check_role CHECK (((role)::text = ANY ((ARRAY['user'::character varying, 'assistant'::character varying, 'system'::character varying, 'tool'::character varying])::text[])))
);

CREATE VIEW public.ia_context_summary_by_model AS
 SELECT model,
    count(DISTINCT context_id) AS context_count,
    count(*) AS message_count,
    COALESCE(sum(token_count), (0)::bigint) AS total_tokens,
    min("timestamp") AS first_used_at,
    max("timestamp") AS last_used_at
   FROM public.ia_messages m
  GROUP BY model;

CREATE TABLE public.ia_tool_calls (
    id bigint NOT NULL,
    context_id character varying(255) NOT NULL,
    message_id bigint,
    tool_name character varying(100) NOT NULL,
    tool_input jsonb,
    tool_output text,
    execution_time_ms integer,
    success boolean DEFAULT true,
    error_message text,
    "timestamp" timestamp with time zone DEFAULT CURRENT_TIMESTAMP
);

CREATE VIEW public.ia_context_summary_daily AS
 SELECT (e."timestamp")::date AS day,
    c.agent_name,
    count(DISTINCT e.context_id) AS context_count,
    count(*) FILTER (WHERE e.is_message) AS message_count,
    count(*) FILTER (WHERE ((e.role)::text = 'user'::text)) AS user_messages,
    count(*) FILTER (WHERE ((e.role)::text = 'assistant'::text)) AS assistant_messages,
    COALESCE(sum(e.token_count), (0)::bigint) AS total_tokens,
    count(*) FILTER (WHERE (NOT e.is_message)) AS tool_calls,
    count(*) FILTER (WHERE e.is_failure) AS failed_tool_calls
   FROM (( SELECT m.context_id,
            m."timestamp",
            true AS is_message,
            m.role,
            m.token_count,
            false AS is_failure
           FROM public.ia_messages m
        UNION ALL
         SELECT t.context_id,
            t."timestamp",
            false AS is_message,
            NULL::character varying AS role,
            NULL::integer AS token_count,
            (NOT t.success) AS is_failure
           FROM public.ia_tool_calls t) e
     JOIN public.ia_contexts c ON (((e.context_id)::text = (c.context_id)::text)))
  GROUP BY ((e."timestamp")::date), c.agent_name;

CREATE VIEW public.ia_context_summary_tools AS
 SELECT tool_name,
    count(*) AS calls,
    count(*) FILTER (WHERE (NOT success)) AS failures,
    round(((count(*) FILTER (WHERE (NOT success)))::numeric / (count(*))::numeric), 4) AS failure_share,
    percentile_cont((0.5)::double precision) WITHIN GROUP (ORDER BY ((execution_time_ms)::double precision)) AS p50_ms,
    percentile_cont((0.95)::double precision) WITHIN GROUP (ORDER BY ((execution_time_ms)::double precision)) AS p95_ms,
    max(execution_time_ms) AS max_ms,
    count(DISTINCT context_id) AS context_count,
    max("timestamp") AS last_called_at
   FROM public.ia_tool_calls t
  GROUP BY tool_name;

CREATE SEQUENCE public.ia_contexts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.ia_contexts_id_seq OWNED BY public.ia_contexts.id;

CREATE TABLE public.ia_embeddings (
    id bigint NOT NULL,
    context_id character varying(255) NOT NULL,
    message_id bigint,
    embedding_vector double precision[],
    content_hash character varying(64),
    created_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP,
    metadata jsonb DEFAULT '{}'::jsonb
);

CREATE SEQUENCE public.ia_embeddings_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.ia_embeddings_id_seq OWNED BY public.ia_embeddings.id;

CREATE SEQUENCE public.ia_messages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.ia_messages_id_seq OWNED BY public.ia_messages.id;

CREATE SEQUENCE public.ia_tool_calls_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.ia_tool_calls_id_seq OWNED BY public.ia_tool_calls.id;

ALTER TABLE ONLY public.ia_context_metrics ALTER COLUMN id SET DEFAULT nextval('public.ia_context_metrics_id_seq'::regclass);

ALTER TABLE ONLY public.ia_contexts ALTER COLUMN id SET DEFAULT nextval('public.ia_contexts_id_seq'::regclass);

ALTER TABLE ONLY public.ia_embeddings ALTER COLUMN id SET DEFAULT nextval('public.ia_embeddings_id_seq'::regclass);

ALTER TABLE ONLY public.ia_messages ALTER COLUMN id SET DEFAULT nextval('public.ia_messages_id_seq'::regclass);

ALTER TABLE ONLY public.ia_tool_calls ALTER COLUMN id SET DEFAULT nextval('public.ia_tool_calls_id_seq'::regclass);

ALTER TABLE ONLY cto.accesses
    ADD CONSTRAINT accesses_pkey PRIMARY KEY (owner_id, access_id);

ALTER TABLE ONLY cto.algorithm_history
    ADD CONSTRAINT algorithm_history_pkey PRIMARY KEY (history_id);

ALTER TABLE ONLY cto.algorithms
    ADD CONSTRAINT algorithms_pkey PRIMARY KEY (name);

ALTER TABLE ONLY cto.block_changes
    ADD CONSTRAINT block_changes_pkey PRIMARY KEY (owner_id, change_id);

ALTER TABLE ONLY cto.blocks
    ADD CONSTRAINT blocks_pkey PRIMARY KEY (owner_id, hash);

ALTER TABLE ONLY cto.embedding_jobs
    ADD CONSTRAINT embedding_jobs_pkey PRIMARY KEY (owner_id, block_hash);

ALTER TABLE ONLY cto.embedding_models
    ADD CONSTRAINT embedding_models_pkey PRIMARY KEY (name);

ALTER TABLE ONLY cto.lexeme_statistics
    ADD CONSTRAINT lexeme_statistics_pkey PRIMARY KEY (owner_id, language, lexeme);

ALTER TABLE ONLY cto.memory
    ADD CONSTRAINT memory_pkey PRIMARY KEY (owner_id, session_hash, block_hash);

ALTER TABLE ONLY cto.most_accessed
    ADD CONSTRAINT most_accessed_pkey PRIMARY KEY (owner_id, block_hash);

ALTER TABLE ONLY cto.owner_algorithms
    ADD CONSTRAINT owner_algorithms_pkey PRIMARY KEY (owner_id, name, revision);

ALTER TABLE ONLY cto.owner_statistics
    ADD CONSTRAINT owner_statistics_pkey PRIMARY KEY (owner_id);

ALTER TABLE ONLY cto.past_pins
    ADD CONSTRAINT past_pins_pkey PRIMARY KEY (owner_id, pin_id);

ALTER TABLE ONLY cto.pins
    ADD CONSTRAINT pins_pkey PRIMARY KEY (owner_id, session_hash, block_hash);

ALTER TABLE ONLY cto.selections
    ADD CONSTRAINT selections_pkey PRIMARY KEY (owner_id, selection_id);

ALTER TABLE ONLY public.ia_context_metrics
    ADD CONSTRAINT ia_context_metrics_context_id_key UNIQUE (context_id);

ALTER TABLE ONLY public.ia_context_metrics
    ADD CONSTRAINT ia_context_metrics_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.ia_contexts
    ADD CONSTRAINT ia_contexts_context_id_key UNIQUE (context_id);

ALTER TABLE ONLY public.ia_contexts
    ADD CONSTRAINT ia_contexts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.ia_embeddings
    ADD CONSTRAINT ia_embeddings_content_hash_key UNIQUE (content_hash);

ALTER TABLE ONLY public.ia_embeddings
    ADD CONSTRAINT ia_embeddings_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.ia_messages
    ADD CONSTRAINT ia_messages_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.ia_tool_calls
    ADD CONSTRAINT ia_tool_calls_pkey PRIMARY KEY (id);

CREATE INDEX accesses_block_idx ON cto.accesses USING btree (owner_id, block_hash);

CREATE INDEX algorithm_history_name_set_at_idx ON cto.algorithm_history USING btree (name, set_at);

CREATE INDEX block_changes_block_idx ON cto.block_changes USING btree (owner_id, block_hash, changed_at);

CREATE INDEX block_changes_changed_at_idx ON cto.block_changes USING btree (owner_id, changed_at);

CREATE INDEX blocks_created_at_idx ON cto.blocks USING btree (owner_id, created_at);

CREATE INDEX blocks_embedding_idx ON cto.blocks USING hnsw (((embedding)::public.halfvec(1536)) public.halfvec_cosine_ops);

CREATE INDEX blocks_importance_idx ON cto.blocks USING btree (owner_id, importance, created_at);

CREATE INDEX blocks_owner_id_lexemes_idx ON cto.blocks USING gin (owner_id, lexemes);

CREATE INDEX blocks_session_idx ON cto.blocks USING btree (owner_id, session_hash, created_at, ordinal);

CREATE INDEX blocks_unfinished_idx ON cto.blocks USING btree (owner_id) WHERE ((language IS NULL) OR (lexemes IS NULL) OR ((language = 'es'::text) AND (lexemes_version < 2)));

CREATE INDEX embedding_jobs_leased_idx ON cto.embedding_jobs USING btree (leased_until) WHERE (state = 'leased'::text);

CREATE INDEX embedding_jobs_waiting_idx ON cto.embedding_jobs USING btree (not_before) WHERE (state = 'waiting'::text);

CREATE UNIQUE INDEX embedding_models_one_is_current_idx ON cto.embedding_models USING btree (is_current) WHERE is_current;

CREATE INDEX memory_block_idx ON cto.memory USING btree (owner_id, block_hash);

CREATE INDEX most_accessed_access_count_idx ON cto.most_accessed USING btree (owner_id, access_count DESC);

CREATE INDEX past_pins_block_idx ON cto.past_pins USING btree (owner_id, block_hash);

CREATE INDEX past_pins_session_idx ON cto.past_pins USING btree (owner_id, session_hash, unpinned_at);

CREATE INDEX pins_block_idx ON cto.pins USING btree (owner_id, block_hash);

CREATE INDEX selections_selected_at_idx ON cto.selections USING btree (owner_id, selected_at);

CREATE INDEX ia_messages_context_id_timestamp_id_idx ON public.ia_messages USING btree (context_id, "timestamp", id);

CREATE INDEX idx_ia_contexts_agent ON public.ia_contexts USING btree (agent_name);

CREATE INDEX idx_ia_contexts_created ON public.ia_contexts USING btree (created_at);

CREATE INDEX idx_ia_contexts_session ON public.ia_contexts USING btree (session_id);

CREATE INDEX idx_ia_contexts_status ON public.ia_contexts USING btree (status);

CREATE INDEX idx_ia_embeddings_context ON public.ia_embeddings USING btree (context_id);

CREATE INDEX idx_ia_messages_role ON public.ia_messages USING btree (role);

CREATE INDEX idx_ia_messages_timestamp ON public.ia_messages USING btree ("timestamp");

CREATE INDEX idx_ia_tool_calls_context ON public.ia_tool_calls USING btree (context_id);

CREATE INDEX idx_ia_tool_calls_timestamp ON public.ia_tool_calls USING btree ("timestamp");

CREATE INDEX idx_ia_tool_calls_tool ON public.ia_tool_calls USING btree (tool_name);

CREATE TRIGGER algorithms_check BEFORE INSERT OR UPDATE OF name, config ON cto.algorithms FOR EACH ROW EXECUTE FUNCTION cto._check_algorithm();

CREATE TRIGGER algorithms_history AFTER INSERT OR UPDATE ON cto.algorithms FOR EACH ROW EXECUTE FUNCTION cto._keep_algorithm();

CREATE TRIGGER blocks_follow_delete AFTER DELETE ON cto.blocks FOR EACH ROW EXECUTE FUNCTION cto._follow_block();

CREATE TRIGGER blocks_follow_edit AFTER UPDATE OF content, hash, superseded_at ON cto.blocks FOR EACH ROW EXECUTE FUNCTION cto._follow_block();

CREATE TRIGGER blocks_keep_change AFTER UPDATE ON cto.blocks FOR EACH ROW WHEN (((old.last_said_at IS DISTINCT FROM new.last_said_at) OR (old.importance IS DISTINCT FROM new.importance) OR (old.block_type IS DISTINCT FROM new.block_type) OR (old.superseded_at IS DISTINCT FROM new.superseded_at))) EXECUTE FUNCTION cto._keep_change();

CREATE TRIGGER blocks_note_knowledge BEFORE UPDATE OF embedding, token_count_is_exact ON cto.blocks FOR EACH ROW EXECUTE FUNCTION cto._note_knowledge();

CREATE TRIGGER blocks_prepare BEFORE INSERT OR UPDATE OF owner_id, hash, session_hash, block_type, importance, content, embedding, language, token_count, lexemes ON cto.blocks FOR EACH ROW EXECUTE FUNCTION cto._prepare_block();

CREATE TRIGGER blocks_queue AFTER INSERT ON cto.blocks REFERENCING NEW TABLE AS new_blocks FOR EACH STATEMENT EXECUTE FUNCTION cto._queue_blocks();

CREATE TRIGGER ia_messages_metrics_on_delete AFTER DELETE ON public.ia_messages REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.update_ia_context_metrics();

CREATE TRIGGER ia_messages_metrics_on_truncate AFTER TRUNCATE ON public.ia_messages FOR EACH STATEMENT EXECUTE FUNCTION public.update_ia_context_metrics();

CREATE TRIGGER ia_messages_metrics_on_update AFTER UPDATE ON public.ia_messages REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.update_ia_context_metrics();

CREATE TRIGGER ia_tool_calls_metrics_on_delete AFTER DELETE ON public.ia_tool_calls REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.update_ia_context_metrics();

CREATE TRIGGER ia_tool_calls_metrics_on_insert AFTER INSERT ON public.ia_tool_calls REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.update_ia_context_metrics();

CREATE TRIGGER ia_tool_calls_metrics_on_truncate AFTER TRUNCATE ON public.ia_tool_calls FOR EACH STATEMENT EXECUTE FUNCTION public.update_ia_context_metrics();

CREATE TRIGGER ia_tool_calls_metrics_on_update AFTER UPDATE ON public.ia_tool_calls REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.update_ia_context_metrics();

CREATE TRIGGER trigger_update_ia_context_metrics AFTER INSERT ON public.ia_messages REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.update_ia_context_metrics();

CREATE TRIGGER trigger_update_ia_contexts_updated_at BEFORE UPDATE ON public.ia_contexts FOR EACH ROW EXECUTE FUNCTION public.update_ia_contexts_updated_at();

ALTER TABLE ONLY cto.block_changes
    ADD CONSTRAINT block_changes_block_fkey FOREIGN KEY (owner_id, block_hash) REFERENCES cto.blocks(owner_id, hash) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY cto.embedding_jobs
    ADD CONSTRAINT embedding_jobs_block_fkey FOREIGN KEY (owner_id, block_hash) REFERENCES cto.blocks(owner_id, hash) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY cto.lexeme_statistics
    ADD CONSTRAINT lexeme_statistics_owner_fkey FOREIGN KEY (owner_id) REFERENCES cto.owner_statistics(owner_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY cto.most_accessed
    ADD CONSTRAINT most_accessed_block_fkey FOREIGN KEY (owner_id, block_hash) REFERENCES cto.blocks(owner_id, hash) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY cto.past_pins
    ADD CONSTRAINT past_pins_block_fkey FOREIGN KEY (owner_id, block_hash) REFERENCES cto.blocks(owner_id, hash) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY cto.pins
    ADD CONSTRAINT pins_block_fkey FOREIGN KEY (owner_id, block_hash) REFERENCES cto.blocks(owner_id, hash) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY public.ia_context_metrics
    ADD CONSTRAINT ia_context_metrics_context_id_fkey FOREIGN KEY (context_id) REFERENCES public.ia_contexts(context_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.ia_embeddings
    ADD CONSTRAINT ia_embeddings_context_id_fkey FOREIGN KEY (context_id) REFERENCES public.ia_contexts(context_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.ia_embeddings
    ADD CONSTRAINT ia_embeddings_message_id_fkey FOREIGN KEY (message_id) REFERENCES public.ia_messages(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.ia_messages
    ADD CONSTRAINT ia_messages_context_id_fkey FOREIGN KEY (context_id) REFERENCES public.ia_contexts(context_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.ia_tool_calls
    ADD CONSTRAINT ia_tool_calls_context_id_fkey FOREIGN KEY (context_id) REFERENCES public.ia_contexts(context_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.ia_tool_calls
    ADD CONSTRAINT ia_tool_calls_message_id_fkey FOREIGN KEY (message_id) REFERENCES public.ia_messages(id) ON DELETE CASCADE;
