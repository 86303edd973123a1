"""Spanish words that must be found by each other's forms, and words that must not."""

from __future__ import annotations

import re
from collections.abc import Iterator

import psycopg
import pytest
from conftest import Connection, one
from hypothesis import given
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict

from cto import engine, local
from cto.connection import connect

# Forms of one word, which must have one stem: with accents, and without.
FORMS = [
    "come comía comías comíamos comíais comían comí comió comieron coméis comería comerían comerá",
    "vender vende vendía vendió vendéis venderíamos venderé",
    "vivir vive vivía viviría viviré vivís vivió",
    "devolver devolvió devolvieron devuelve devolvería",
    "cobrar cobra cobraría cobrarían cobraríais cobró cobraré cobraréis",
    "entrenar entrenáis entrenabais entrenaba entrenamos entrenaríais",
    "viajar viajábamos viajaba viajo viajaremos",
    "cambiar cambia cambiáis cambió cambiaría",
    "poder podía podría podrá pueden",
    "venir viene venía vendría vendrá",
    "hacer hace hacía hizo hicieron",
    "decir dice decía",
    "pedir pide pidió pedía pidieron",
    "repetir repite repetían repitió",
    "dormir duerme durmió dormía",
    "preferir prefiero prefirió prefería",
    "empezar empieza empecé empezaba",
    "jugar juega jugaba",
    "buscar busqué busca",
    "publicar publiqué publicó",
    "abrir abre abría abrieron abrió abren",
    "usar usa usaba usó usaría",
    "leer lee leía leerá",
    "año años",
    "día días",
    "ojo ojos",
    "luz luces",
    "voz voces",
    "vez veces",
    "lápiz lápices",
    "raíz raíces",
    "feliz felices",
    "lugar lugares",
    "mujer mujeres",
    "ciudad ciudades",
    "dólar dólares",
]

# Words that have nothing to do with each other.
STRANGERS = [
    "salario sal",
    "secretaria secreto",
    "funcionario función",
    "inventario inventar",
    "primaria primo",
    "notario notar",
    "batería bate",
    "librería libre",
    "galería gala",
    "María mar",
    "Lucía luz",
    "Sofía sofá",
    "Valeria vale",
    "Andrés Andrea",
    "precio preciso",
    "patio pato",
    "copia copa",
    "radio rada",
    "marzo marca",
    "taza taco",
    "plaza placa",
    "pozo poco",
    "paz Paco",
    "esperar esposa",
    "comparar comprar",
    "separar sepa",
    "jarabe jara",
    "medio medir",
    "dios dio",
    "té te",
    "abril abrir",
    "queso que",
    "casa caza",
    "correo correr",
    "hueso hue",
    "paraíso parar",
]

STOP_WORDS = """
    cómo como CÓMO Cómo cuándo cuando dónde donde adónde quién quiénes quien cuál cuáles cual cuales
    qué que cuánto cuánta cuántos cuántas cuanto cuantas más mas MAS también tambien sí si él el tú
    tu mí mi sé se dé de aún aun éste ése aquél había habia tenía tenia está estan
"""


@pytest.fixture(scope="module")
def database(server: local.LocalServer, template: str) -> Iterator[Connection]:
    """One copy for all tests that only ask."""
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as admin:
        admin.execute(f"create database spanish_stems template {template}".encode())
        with psycopg.connect(server.dsn("spanish_stems"), autocommit=True) as connection:
            assert conninfo_to_dict(connection.info.dsn)["dbname"] == "spanish_stems"
            yield connection
        admin.execute("drop database spanish_stems with (force)")


def stems(db: Connection, text: str, language: str | None = "es") -> list[str]:
    found: list[str] = one(
        db, "select tsvector_to_array(cto._block_lexemes(%s, %s))", text, language
    )
    return found


def without_accents(text: str) -> str:
    return text.translate(str.maketrans("áéíóúüñ", "aeiouun"))


# --- words --------------------------------------------------------------------------------------


@pytest.mark.parametrize("forms", FORMS, ids=lambda forms: forms.split()[0])
def test_the_forms_of_a_word_have_one_stem(database: Connection, forms: str) -> None:
    found = {form: stems(database, form) for form in (f"{forms} {without_accents(forms)}").split()}

    assert len({tuple(stem) for stem in found.values()}) == 1, found
    assert all(len(stem) == 1 for stem in found.values()), found


@pytest.mark.parametrize("pair", STRANGERS)
def test_strangers_stay_apart(database: Connection, pair: str) -> None:
    one_word, other = (stems(database, word) for word in pair.split())

    assert one_word
    assert not set(one_word) & set(other)


@pytest.mark.parametrize("word", STOP_WORDS.split())
def test_a_stop_word_is_none_in_any_spelling(database: Connection, word: str) -> None:
    assert stems(database, word) == []
    assert stems(database, f"¿{word} es?") == []


def test_words_that_resemble_stop_words_are_found(database: Connection) -> None:
    assert stems(database, "El té") == ["te"]
    assert stems(database, "la masa") == ["mas"]
    assert stems(database, "¿Comemos?") == ["com"]
    assert stems(database, "un cómodo sofá") == ["comod", "sof"]


@given(st.from_regex(r"[a-z]{1,14}", fullmatch=True))
def test_a_stem_is_no_longer_than_an_infinitive_and_never_empty(
    database: Connection, lexeme: str
) -> None:
    stem = one(database, "select cto._spanish_lexeme(%s)", lexeme)

    assert re.fullmatch(r"[a-z]{1,16}", stem)


# --- texts --------------------------------------------------------------------------------------


def test_positions_of_lexemes_that_fall_together_are_merged(database: Connection) -> None:
    lexemes = one(
        database, "select cto._block_lexemes('luces, comía; luz. Come mucho: LUCES', 'es')::text"
    )

    assert lexemes == "'com':2,4 'luc':1,3,6"


def test_stop_words_keep_their_positions(database: Connection) -> None:
    assert one(database, "select cto._block_lexemes('cómo mas también sí luz', 'es')::text") == (
        "'luc':5"
    )


def test_a_lexeme_keeps_as_many_positions_as_a_tsvector_holds(database: Connection) -> None:
    count = one(
        database,
        "select cardinality(l.positions)"
        " from unnest(cto._block_lexemes(repeat('luz luces ', 400), 'es')) as l",
    )

    assert count == 256


@pytest.mark.parametrize(
    "text",
    [
        "it's C:\\temp\\luces 'quoted' \\' \\\\",
        "https://example.com/luces?q=comía&x=a'b ana@example.com -12.5e3 v2.0.1",
        "日本語 ñandú 'a':1 b:2A",
        "",
        "   ",
        "' \\",
    ],
)
def test_what_is_no_word_stays_as_it_is(database: Connection, text: str) -> None:
    """Quotes and backslashes are the marks of a tsvector's text."""
    expected = one(
        database,
        "select coalesce(array_agg(l.lexeme), '{}')"
        " from unnest(to_tsvector(cto.text_search_config('es'), %s)) as l"
        " where l.lexeme !~ '^[a-z]+$'",
        text,
    )

    found = stems(database, text)

    assert [lexeme for lexeme in found if not re.fullmatch("[a-z]+", lexeme)] == expected


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=80))
def test_any_text_has_lexemes(database: Connection, text: str) -> None:
    mended = stems(database, text)

    assert len(mended) <= one(
        database, "select length(to_tsvector(cto.text_search_config('es'), %s))", text
    )


@pytest.mark.parametrize("language", ["en", "simple", None])
def test_other_languages_have_the_lexemes_of_postgresql(
    database: Connection, language: str | None
) -> None:
    text = "Cómo comía luces: the batteries of María's lights, mas années"
    row = database.execute(
        "select cto._block_lexemes(%s, %s)::text,"
        " to_tsvector(cto.text_search_config(%s), %s)::text",
        (text, language, language, text),
    ).fetchone()

    assert row is not None
    assert row[0] == row[1]


def test_null_has_none(database: Connection) -> None:
    assert one(database, "select cto._spanish_lexeme(null)") is None
    assert one(database, "select cto._block_lexemes(null, 'en')") is None


# --- blocks -------------------------------------------------------------------------------------


def remember(db: Connection, content: str) -> str:
    block_hash: str = one(
        db, "select cto.remember(owner => 'ana', content => %s, block_type => 'fact')", content
    )
    return block_hash


def age(db: Connection) -> None:
    """Give the blocks the lexemes that an older release made."""
    db.execute("alter table cto.blocks disable trigger blocks_prepare")
    db.execute(
        "update cto.blocks set lexemes_version = 1, word_count = 99,"
        " lexemes = to_tsvector(cto.text_search_config(language), content)"
    )
    db.execute("alter table cto.blocks enable trigger blocks_prepare")


def rows(db: Connection) -> list[tuple[str, int, str, int]]:
    found = db.execute(
        "select language, lexemes_version, lexemes::text, word_count from cto.blocks"
        " order by content"
    ).fetchall()
    return [(row[0], row[1], row[2], row[3]) for row in found]


TEXTS = ["El gato comía con las luces de la casa", "The cat is in the house with the lights"]


def test_a_new_block_has_the_present_version(db: Connection) -> None:
    for text in TEXTS:
        remember(db, text)

    assert rows(db) == [
        ("es", 2, "'cas':9 'com':3 'gat':2 'luc':6", 4),
        ("en", 2, "'cat':2 'hous':6 'light':9", 3),
    ]


def test_the_deployment_works_out_old_spanish_lexemes_again(dsn: str) -> None:
    with connect(dsn) as db:
        for text in TEXTS:
            remember(db, text)
        age(db)

        report = engine.deploy(db)

        assert report.backfilled == 1
        assert rows(db) == [
            ("es", 2, "'cas':9 'com':3 'gat':2 'luc':6", 4),
            ("en", 1, "'cat':2 'hous':6 'light':9", 99),
        ]
        assert engine.deploy(db).backfilled == 0


def test_the_backfill_goes_on_in_batches(db: Connection) -> None:
    for number in range(5):
        remember(db, f"El perro número {number} comía en la casa")
    age(db)

    counts = [one(db, "select cto.backfill_blocks(2)") for _ in range(4)]

    assert counts == [2, 2, 1, 0]
    assert {row[1] for row in rows(db)} == {2}


def test_the_backfill_looks_only_at_what_is_unfinished(db: Connection) -> None:
    """Its condition is that of an index, which is empty when all is done."""
    condition = one(
        db, "select pg_get_expr(indpred, indrelid) from pg_index"
        " where indexrelid = 'cto.blocks_unfinished_idx'::regclass"
    )  # fmt: skip
    db.execute("set enable_seqscan = off")
    plan = db.execute(f"explain select from cto.blocks where {condition} limit 1").fetchall()

    assert "blocks_unfinished_idx" in str(plan)


def test_the_backfill_forgets_what_was_counted_of_the_old_lexemes(db: Connection) -> None:
    remember(db, TEXTS[0])
    one(db, "select cto.refresh_statistics('ana')")
    age(db)

    assert one(db, "select cto.backfill_blocks()") == 1
    assert one(db, "select count(*) from cto.owner_statistics") == 0


def test_an_update_of_an_old_block_mends_it(db: Connection) -> None:
    remember(db, TEXTS[0])
    age(db)

    db.execute("update cto.blocks set importance = 0.1")

    assert rows(db) == [("es", 2, "'cas':9 'com':3 'gat':2 'luc':6", 4)]


def test_another_language_has_other_lexemes(db: Connection) -> None:
    remember(db, TEXTS[0])

    db.execute("update cto.blocks set language = 'simple'")

    assert "'comia':3" in rows(db)[0][2]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("¿qué comían?", True),
        ("que come", True),
        ("la luz", True),
        ("LUCES", True),
        ("¿Cómo?", False),
        ("mas tambien", False),
        ("la Lucía", False),
    ],
)
def test_a_question_finds_the_block_by_another_form(
    db: Connection, query: str, found: bool
) -> None:
    wanted = remember(db, TEXTS[0])
    for other in ("El perro ladraba mucho", "La abuela cantaba en el coro", "Nos mudamos a Lima"):
        remember(db, other)

    scores = dict(
        db.execute(
            "select block_hash, similarity from cto.score_blocks(owner => 'ana', query => %s)",
            (query,),
        ).fetchall()
    )

    others = [score or 0 for block, score in scores.items() if block != wanted]
    assert ((scores[wanted] or 0) > max(others)) is found


def test_an_agent_may_write_and_ask(db: Connection) -> None:
    db.execute("set role cto_agent")
    remember(db, TEXTS[0])

    assert one(db, "select count(*) from cto.score_blocks(owner => 'ana', query => 'luz')") == 1
