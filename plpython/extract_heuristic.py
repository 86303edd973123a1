"""Typed memory blocks from a message, by rule, in Spanish and English.

The stages, each linear in the length of the text:

1. mask what the user did not say: rendered context, code, quotations, mails, logs, pasted text;
2. split the rest into sentences, and sentences into pieces at commas, semicolons and conjunctions;
3. look up cues (word sequences with a weight) in one trie, and weigh them piece by piece;
4. join the pieces that say one thing into spans, which are exact substrings of the message.

Everything works on a folded copy of the message (lower case, no accents) that has the same length,
so that offsets hold for both. Nothing is looked up by regular expressions with nested repeats.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from typing import NamedTuple

__all__ = ["detect_language", "extract_heuristic"]

_TYPES = ("instruction", "preference", "context", "fact")
_BASE_IMPORTANCE = {"instruction": 0.8, "preference": 0.7, "fact": 0.6, "context": 0.4}

_HARD = "\x00"  # text that is not the user's: ends a sentence
_SOFT = "\x01"  # a short quotation inside a sentence: stays in the span, says nothing

# --------------------------------------------------------------------------------------
# Folding and language
# --------------------------------------------------------------------------------------

_FOLD_CACHE = {"’": "'", "‘": "'", "´": "'", "`": "`", "“": '"', "”": '"', "„": '"'}


def _fold_char(char: str) -> str:
    known = _FOLD_CACHE.get(char)
    if known is not None:
        return known
    lowered = char.lower()
    base = unicodedata.normalize("NFD", lowered)[0]
    folded = base if len(lowered) == 1 and base.isalpha() else lowered[0]
    if char in (_HARD, _SOFT):
        folded = " "
    if len(_FOLD_CACHE) < 4096:
        _FOLD_CACHE[char] = folded
    return folded


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower().replace(_HARD, " ").replace(_SOFT, " ")
    return "".join(map(_fold_char, text))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ES_WORDS = _words(
    """
    el la los las un una unos de del que y en es al se lo con por para su sus como pero mas le
    ya este esta estos estas si porque muy sin sobre tambien hasta hay donde cuando mi mis nos
    nuestro nuestra nuestros soy somos estoy estamos eres sos son tengo tenemos tiene quiero
    prefiero gusta gustan encanta odio siempre nunca jamas cada todo toda todos todas ni eso
    esto ahora hoy ayer manana aqui asi entonces desde entre ser fue ha he han me te os usted
    ustedes vos yo tu ella ellos gracias hola favor bien mal mucho poco trabajo uso usa vivo
    llamo tus q nada algo solo otra otro ese esa sigo llevo vamos
    """
)
_EN_WORDS = _words(
    """
    the a an of and to in is it that for on with as are was be at by this have from or had not
    but what all were we when your can there use which their if will each about up out them then
    these so some her would make like him into has look two more go see no way could my than
    been who its now did get our i i'm i've we're don't never always please you he she they his
    me us am do does how hate love prefer dislike any because just should only
    """
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]{1,3}(?![^\W_]))?")
_ES_ENDINGS = ("cion", "ciones", "mente", "ando", "iendo", "idad", "ados", "idas", "amos", "emos")
_EN_ENDINGS = ("ing", "tion", "ness", "ould", "ight", "ally", "ould")


def detect_language(text: str) -> str:
    """Return 'es', 'en', or 'simple' where the evidence is thin or mixed."""
    folded = _fold(text[:4000])
    es = 2.0 * min(4, sum(text.count(char, 0, 4000) for char in "ñ¿¡"))
    es += 0.5 * min(4, sum(text.count(char, 0, 4000) for char in "áíóú"))
    en = 0.0
    for match in _WORD.finditer(folded):
        word = match.group()
        if word in _ES_WORDS:
            es += 1
        elif word in _EN_WORDS or "'" in word:
            en += 1
        elif len(word) > 5:
            es += 0.4 * word.endswith(_ES_ENDINGS)
            en += 0.4 * word.endswith(_EN_ENDINGS)
    if max(es, en) < 1 or max(es, en) < 1.3 * min(es, en):
        return "simple"
    return "es" if es > en else "en"


# --------------------------------------------------------------------------------------
# Cues: sequences of folded words
#
#   a|b  either        a*  begins with        a?  may be missing
#   _    any word      ~   up to three words
# --------------------------------------------------------------------------------------


class _Node:
    __slots__ = ("any", "out", "prefixes", "words")

    def __init__(self) -> None:
        self.words: dict[str, _Node] = {}
        self.prefixes: list[tuple[str, _Node]] = []
        self.any: _Node | None = None
        self.out: dict[str, float] = {}


_TRIE = _Node()


def _step(node: _Node, word: str) -> _Node:
    if word == "_":
        if node.any is None:
            node.any = _Node()
        return node.any
    if word.endswith("*"):
        for prefix, child in node.prefixes:
            if prefix == word[:-1]:
                return child
        child = _Node()
        node.prefixes.append((word[:-1], child))
        return child
    return node.words.setdefault(word, _Node())


def _learn(name: str, weight: float, cues: str) -> None:
    """Add one cue per line under a name; the name says what the cue speaks for."""
    for line in _fold(cues).splitlines():
        nodes = [_TRIE]
        for element in line.split():
            optional = element.endswith("?")
            choices = element.rstrip("?").split("|")
            if element == "~":
                reached = nodes
                for _ in range(3):
                    reached = [_step(node, "_") for node in reached]
                    nodes = nodes + reached
                continue
            reached = [_step(node, choice) for node in nodes for choice in choices]
            nodes = nodes + reached if optional else reached
        for node in nodes:
            if node is not _TRIE:
                node.out[name] = max(weight, node.out.get(name, 0.0))


# --- preferences -----------------------------------------------------------------------

_learn(
    "preference",
    1.6,
    """me|nos ~ gusta|gustan|encanta|encantan|fascina|fascinan|chifla|chiflan|mola|molan
me|nos agrada|agradan|desagrada|desagradan|entusiasma|entusiasman|apasiona|apasionan|flipa|flipan
me|nos late|laten|copa|copan|cuadra|cuadran|tira|tiran mas?
no me|nos gusta|gustan|agrada|agradan|va|van|mola|molan|convence|convencen|interesa|interesan
me|nos gusto|gustaron|gustaba|gustaban siempre|mucho|mas
me|nos gustaria|gustarian|encantaria que|mas|mucho
me|nos molesta|molestan|irrita|irritan|aburre|aburren|cansa|cansan|agobia|agobian|estresa|estresan
me|nos revienta|revientan|repatea|repatean|choca|chocan|horroriza|horrorizan|repugna|repugnan
me|nos fastidia|fastidian|harta|hartan|satura|saturan|marea|marean|incomoda|incomodan
me|nos pone|ponen de? los|las? nervios|nervioso|nerviosa|malo|mala|enfermo|enferma
me|nos saca|sacan de quicio
me|nos pone|ponen de ~ humor
me|nos resulta|resultan mas|muy|bastante
me|nos hace|hacen ~ feliz|ilusion|gracia
me|nos cuesta|cuestan leer|seguir|entender|concentrarme
me|nos tiene|tienen harto|harta|hartos|frito|frita|loco|loca
le|les encanta|encantan|gusta|gustan|fascina|chifla
estoy|estamos harto|harta|hartos|hartas de
ni loco|loca|muerto|muerta|regalado
no me|nos hace|hacen gracia
nada me|nos gusta|relaja|molesta mas|tanto
me|nos sienta|sientan fatal|mal|genial|bien
lo mio|nuestro es|son
no me|nos entra|entran|cabe|llama|llaman|emociona|emocionan|seduce
me|nos relaja|relajan|alegra|alegran|anima|animan|pierde|pierden|puede|pueden
soy|somos muy? ~ goloso|golosa|nocturno|nocturna|madrugador|madrugadora|friolero|friolera
tengo|tenemos ~ debilidad|mania|aversion|fobia|preferencia por|a|al
disfruto|disfrutamos
evito|evitamos
huyo|huimos de
no puedo|podemos con|ver
elijo|elegimos|escojo siempre
antes ~ que
me|nos da|dan asco|pereza|grima|repelus|rabia|flojera|hueva|fiaca|palo|alergia|igual
me|nos cae|caen mal|bien|gordo|gorda|gordos|gordas|pesado|pesados|pesada|pesadas
me|nos resulta|resultan ~ comodo|comoda|incomodo|incomoda|pesado|pesada|pesados|mejor|agradable
me|nos parece|parecen ~ horrible|horribles|insoportable|insoportables|aburrido|aburridos|feo|feos
me|nos va|van mejor|mas|bien
me|nos siento|sentimos ~ comodo|comoda|comodos
me|nos quedo con
me decanto|inclino por
prefiero|preferimos|preferiria|prefeririamos|preferi|prefieren
detesto|detestamos|odio|odiamos|aborrezco|adoro|adoramos|desprecio|amo
las|los|lo|la prefiero|preferimos|odio|detesto
no ~ soporto|soportamos|aguanto|aguantamos|trago|tolero|banco|paso
paso de los|las|el|la
soy|somos mas? ~ de te|cafe|playa|montana|madrugar|noche|ciudad|campo
he sido|fui de|muy siempre?
siempre he sido de|mas|muy
soy|somos ~ fan|fanatico|fanatica|amante|aficionado
soy|somos ~ aficionada|enemigo|enemiga|partidario|partidaria
soy|somos reacio|reacia a las|los?
no soy|somos ~ fan|amigo|amiga|partidario|partidaria|entusiasta
favorito|favorita|favoritos|favoritas
preferido|preferida|preferidos|preferidas
mi|mis ~ ideal|debilidad
donde este|esten un|una|unos|unas|el|la que se quite
no hay nada como
mejor ~ que las|los|la|el
no quiero ver ni
i|we ~ prefer|dislike|hate|loathe|detest|adore|despise|abhor|enjoy
i|we really?|do?|also?|absolutely?|actually?|genuinely? like|love
i|we do not ~ like|love|enjoy|care
i|we am|are liking|loving|enjoying|hating
i|we can not|never stand|bear|stomach|abide|take
i|we can|could not stand|bear|stomach|abide
i|we would ~ rather|prefer|sooner
i would love|like it if|when
i|we would take ~ over
any day of?
in a foul|bad|good|great mood
i|we am|are ~ tired|sick of
give|gives|giving me ~ headache|creeps|anxiety|joy|hives
can not be bothered
i|we never saw|got the point|appeal
i|we could ~ live on
nothing beats|like
beats|beat ~ any day
the ~ the better
i|we always go|pick|choose|order|reach|opt for|with?
i|we live for
do nothing for me
tea|coffee|_ over tea|coffee every time
is|are not ~ for me
not for me
is ~ no from|for me
wear|wears|wearing me|us out|down
infuriate|infuriates|exhaust|exhausts|calm|calms|relax|relaxes|scare|scares|stress|stresses me|us
frustrate|frustrates|distract|distracts|tire|tires|depress|depresses|fascinate|fascinates me|us
delight|delights|excite|excites|overwhelm|overwhelms me|us
upset|upsets|amuse|amuses|soothe|soothes me|us
i|we ~ go|went for ~ whenever|every|always|over
i|we am|are not much of a
i|we have gone off
i|we have lost ~ taste|patience
i|we ~ work|think|sleep|learn|focus|get|read|write ~ best|better
is|are when|where|how i|we ~ best|better
i|we could eat|live|listen|watch|spend
i|we can not do with?
what|that i|we like|love|prefer
me|nos pirra|pirran|agota|agotan|altera|alteran
me|nos tranquiliza|tranquilizan|distrae|distraen|abruma|abruman
me|nos deprime|deprimen|emociona|emocionan|divierte
me|nos divierten|cautiva|cautivan|desespera|desesperan
me|nos ponen|pone|quita|quitan las|el pilas|sueno|hambre
me|nos saca|sacan de mis|nuestras casillas
me|nos siento mas|mejor
para mi|nosotros no|nada
no es|son ~ para mi
no|nunca me|nos ha|han gustado|interesado|convencido|atraido|llamado
soy|somos incapaz|incapaces de
tengo|tenemos ~ predileccion|gusto|preferencia por
valoro|valoramos|aprecio
go to breakfast|drink|snack|lunch|meal|editor|font|colour|color
i|we would ~ pick|choose ~ over
tengo|tenemos|cogido|tomado|cogi|agarre mania|tirria|paquete
cuanto|cuanta|cuantos|cuantas|mientras mas|menos ~ mejor
funciono|funcionamos|rindo|rendimos|pienso|aprendo|duermo|concentro mejor|mas
podria comer|vivir|escuchar|ver|pasarme
lo unico que como|tomo|bebo|leo|escucho|veo
soy|somos muy|mucho|poco|nada de
pocas cosas me
do|does not agree|sit|work|appeal with|well|for|to me|us
i|we am|are not big|sold|wild|crazy|huge on|about|into
tastes|taste|smells|sounds|looks ~ to me|us
is|are our|my ~ thing
is|are ~ hell|torture|bliss|heaven for|to me
i ~ rather have|get|not|see|read|use|be
i am|have ~ fan|lover|fond|keen|partial|averse|enthusiast|aficionado|person
not|big|huge|massive ~ fan|keen|fond of|on?
no fan of
i|we ~ can|could do without
i|we ~ favour|favor|gravitate|lean
i|we ~ avoid|shun|steer
i|we tend to prefer|avoid|like
i find ~ hard|difficult|annoying|distracting|boring
i find ~ tedious|relaxing|overwhelming|frustrating|irritating
i find ~ uncomfortable|comfortable|easier|soothing|exhausting|dull|unappealing|appealing|helpful
i|we ~ could not care less
i|we am|are ~ more of a|an
i am a|an ~ person
my|our ~ favourite|favorite|favourites|favorites|preference|preferences|preferred
favourite|favorite
is|are my ~ thing|jam|style
is|are not my ~ thing|jam|style|cup
suits|suit me|us
bores|bore|annoys|annoy|irritates|irritate|bugs|bug me|us
drives|drive me|us ~ mad|crazy|nuts|insane|wall|bonkers
makes|make me want to?
makes|make me ~ cringe|happy|uncomfortable|nauseous|sick|itch|scream|anxious
gets|get on my|our nerves
puts|put me off
leaves|leave me cold
feels|feel ~ cold|stuffy|wrong|clunky|right|off to me|us
works|work best|better|well for me|us
rather than|over i|we prefer
rub|rubs me the wrong way
i|we have ~ preference|aversion|dislike|weakness|phobia|objection|distaste|fondness
i|we have ~ soft spot
i|we have no|zero|little interest|patience|time|use
i|we only|exclusively|mostly eat|listen|read|watch|use|wear|buy|consume|drink|play|travel
i|we follow|adhere ~ diet
i|we ~ believe in
i|we do not want any|to?
i|we do not consume|eat|drink
i|we have always|never been|liked|loved|hated|enjoyed|preferred ~ into|fan|keen|person?
i|we have never liked|enjoyed|cared|understood|seen
i am ~ into
i|we am|are not ~ into|comfortable|interested
i|we am|are ~ uncomfortable|drawn|passionate|bothered|turned
i|we value|appreciate|cherish|crave|despise
i|we struggle ~ with|to
i refuse to
give|hand me ~ any day|over
like me ~ prefers|prefer|likes|hates|loves|loathes
she|he|they ~ prefer|prefers|dislikes|hates|loves|likes
she|he|they would rather
told me|us she|he|they would ~ rather|prefer
prefers|dislikes|detests|loathes
strongly|really|clearly prefers|dislikes|likes|hates
""",
)
_learn(
    "preference",
    0.9,
    """mejor asi
lo mio es|son
lo nuestro es|son
me|nos importa|importan mucho|poco
me|nos interesa|interesan
no me interesa|interesan
me|nos duele|duelen ver
me siento raro|rara
mi|nuestro ~ estilo
i|we mind|like
i|we would like ~ to be
my take on
honestly i am skeptical
i am skeptical|sceptical
""",
)

# --- standing instructions -------------------------------------------------------------

_learn(
    "standing",
    1.0,
    """siempre
nunca
jamas
nunca mas
a|de partir de hoy|ahora|ya|aqui|este|manana
de aqui|ahora|hoy en adelante|mas
de ahora en mas
en adelante
en lo sucesivo
desde hoy|ahora|ya
desde este momento|instante
cada vez que
siempre que
todas las veces
por defecto
por norma
por regla general
como norma|regla
por sistema
en general
salvo|excepto que
a menos que
en todo|cualquier momento|caso
en todas|todos tus|las|los respuestas|mensajes|correos|textos
en cada respuesta|mensaje|correo|informe|texto
todo|toda|cualquier ~ que
todos|todas los|las|mis
mientras no te
hasta nuevo aviso
hasta que te|yo|no? diga
es una|la norma|regla
sin excepcion|excepciones
always
never
ever
from now on|onwards
from here|today|this on|onwards|forward|onward
from this point|moment on|onwards|onward|forward
going|moving forward
in future
in the future
whenever
every|each|any time
anytime
by default
as a rule|default
as a general rule
at all times
without exception
across the board
no matter what
standing order|orders|rule|instruction|instructions
until further notice
until i say|tell
unless i|we|asked|told|otherwise
in all|every|any of? my|our|your|answer|answers|reply
in all|every|any of? replies|response|responses|email|emails|message|messages
in all|every|any code|documents|reports|texts|letters
in every|each single? answer|reply|response|message
for all|every|any my|our|future|new
the rule is
ground rule|rules
the first time
la primera vez
one ~ at a time
una|un ~ cada|a vez
cada vez
una|un ~ a la vez
unless i ask|say|tell
house rule|rules|style
""",
)
_learn(
    "directive",  # the speaker tells the assistant how to behave
    1.2,
    """quiero|queremos|necesito|necesitamos que siempre|nunca|jamas? me|nos|te|le|lo|la|se|no?
quiero|quisiera|pretendo|espero que no me|nos|te|le?
te pido|ruego|agradezco|agradeceria|agradecere|recuerdo|encargo que
les|os pido|ruego|agradezco que
le pido|ruego|agradezco|agradeceria que
haz|hace el favor de
tus|sus|vuestras respuestas|mensajes|resumenes|contestaciones
las|tus respuestas deben|tienen|que
i want|need|expect|would you to
i|we would? want|need|expect|like|love ~ you to
i would like|love|appreciate|prefer you to
i would like|love|appreciate it? if you
you should|must|can|may|will always|never
you must|should|need
your answers|replies|responses|emails|messages|summaries|output
you are to
make|be sure to|that|you
remember|recall to|that
keep in mind to
""",
)
_learn(
    "condition",
    1.0,
    """cuando|si te|le|os|les ~ pida|pido|pase|paso|mande|mando|pregunte|pregunto|diga|digo
cuando|si te|le|os|les ~ comparta|comparto|envie|envio|hable|hablo|escriba|escribo|consulte
cuando|si yo? ~ pregunte|pregunto|pida|pido|diga|digo|mencione|menciono|escriba|escribo
cuando|si hay|haya|no|algo|un|una|el|la|me|nos|se|tengas|tenes|tienes|dudas|detectes|veas|ves
cuando|si generes|generas|escribas|escribes|respondas|respondes|hagas|haces|des|das|uses|usas
cuando|si propongas|propones|cites|citas|menciones|mencionas|hables|hablas|encuentres|encuentras
cuando|si cites|expliques|explicas|traduzcas|resumas|redactes|necesites|necesitas|falta|falte
cuando|si tenga|tengan|tienen|necesite|detecte|encuentre|pidan|piden|vayas|vas|vaya|sea|es|vea
antes de
despues de
when|if|whenever you|i|we|the|a|an|something|there|anything|someone|my|our|in|it|they
when asked|writing|answering|replying|translating|quoting|coding|summarising|summarizing
when|if unsure
before booking|buying|posting|publishing|moving|replying|committing|merging|installing|ordering
before paying|calling|starting|spending|using|touching|closing|sharing
before you|any|running|writing|sending|deleting|changing|making|answering|doing
after you|every|each
unless
once i|you|we
""",
)

_learn(
    "ruling",  # a rule in so many words
    1.4,
    """no need to|for
when i|we say|write|mention ~ i|we mean
cuando|si diga|digo|hable|escriba|mencione ~ me refiero
tus|sus|your ~ deben|deberian|tienen|must|should ~ ser|estar|pasar|llevar|be
tus|sus|your ~ deben|deberian|tienen|must|should ~ fit|start|end|use|have|include
puedes|podes|puede|pueden tutearme|llamarme|hablarme|tratarme|decirme|vosearme
you can|may skip|drop|omit|spare|leave
you do not need|have to
no hace falta que|nada
no es necesario que
no tienes|tenes|tiene que
puedes|podes|puede|pueden ahorrarte|saltarte|omitir|obviar|saltar|ahorrar|prescindir
ni se te|le|les|os ocurra
te|le|les|os agradezco|agradeceria|agradecere que
que los|las|el|la|tus|todo|todos|todas|cada ~ pase|pasen|sea|sean|vaya|vayan|tenga|tengan
que los|las|el|la|tus|todo|todos|todas|cada ~ lleve|lleven|quede|queden|ocupe|exceda|excedan
i|we would appreciate it? if you
let us keep|stick|use always?
when in doubt
ante la duda
en caso de duda
""",
)
_learn(
    "wants",
    1.0,
    """que sea|sean|vaya|vayan|tenga|tengan|lleve|lleven|quede|queden|este|esten
que no pase|pasen|sea|sean|tenga|tengan|lleve|lleven|haya
quiero|queremos|necesito|necesitamos|espero
i|we want|need|expect
i|we would like
tienen|tiene|han que
deben|debe
must|should
have to
van|va|vayan|ira|iran con|en|sin|entre
goes|go in|at|with
""",
)
_learn(
    "manner",  # a command about how, not about what
    1.0,
    """habla|hablame|hableme|habladme en|con|como|sin|mas|de tu|vos|usted|claro
hablenme|hablanos|hablen|hable en|con|como|sin|mas|de tu|vos|usted|claro
hablame|hableme|habladme|hablenme|hablanos en|con|como|sin|mas|claro|normal|directo
responde|respondeme|respondame en|con|como|sin|mas|solo|breve
respondenos|responda|respondan|respondan en|con|como|sin|mas|solo|breve
contesta|contestame|contesteme en|con|como|sin|mas|solo|breve
contestad|contestanos|conteste|contesten en|con|como|sin|mas|solo|breve
llamame|llameme|llamadme|llamenme|llamanos
tratame|trateme|tratadme|tratenme|tutea|tuteame|tuteenme|tutearme|voseame
dirigete|dirijase|dirigite|dirijanse a
se|sea|sean|sed mas|menos|breve|conciso|directo|directa|claro|sincero|honesto|amable|critico
ve|vaya|anda al grano
dejate|dejese|dejen|dejaos de
deja|deje|dejen|dejad de
call|address|treat me|us
speak|talk|reply|respond|answer|write to|in|with|like|as me|us?
be more|less|brief|concise|direct|blunt|honest|critical|careful|specific|precise|kind|explicit
get to the point
keep it|answers|replies|responses|things|them|everything|sentences|paragraphs|explanations
stick to|with
stop ~
go easy on
cut|skip|drop|spare|lose the|me
no more
assume i|we|that|my
treat ~ as
""",
)

# --- current state ---------------------------------------------------------------------

_learn(
    "context",
    1.3,
    """ahora|ahorita
hoy
anoche
esta|este manana|tarde|noche|semana|mes|trimestre|finde|rato|sprint|momento
estos|estas dias|semanas|meses|horas
en estos momentos
en este momento|instante
de momento
por ahora|lo pronto|el momento
actualmente
hoy por hoy
a estas alturas
estoy|estamos|estan|ando|andamos|anda|andan ~ con|sin|por|a|pendiente|pendientes|atascado|atascada
estoy|estamos ~ esperando|enfermo|enferma|malo|mala|liado|liada|bloqueado|bloqueada|atascados
estoy|estamos a la|las mitad|espera|punto|tope
estoy|estamos|ando|andamos|anda de viaje|vacaciones|baja|guardia|mudanza|reformas|obras|camino
estoy|estamos hasta el|la|las|los
llevo|llevamos|lleva|llevan ~ toda|todo|dias|horas|semanas|rato|semana|dia|tarde|minutos
llevo|llevamos ya|dos|tres|cuatro|cinco|un|una|varios|varias ~ dias|horas|semanas|semana|meses
sigo|seguimos|sigue|siguen sin|con|esperando|peleando|atascado|atascados
sigo|seguimos en
falta|faltan|faltaba|queda|quedan por|un|una|el|la|los|las|solo|dos|tres|verificar|cerrar|que
me|nos falta|faltan|queda|quedan
solo|nomas falta|faltan|queda|quedan
vamos|voy por|en|a|con|retrasados|retrasado|bien|mal|justos|tarde el|la|las|los?
acabo|acabamos|acaban de
ya casi
ya ~ terminamos|termine|acabe|acabamos|esta|estan|quedo|queda
aun|todavia no|falta|faltan|queda|esta|estan|estoy|estamos|sigue
no ~ todavia|aun
se me|nos|le|les ha|han|acaba
se me|nos cayo|rompio|estropeo|fue|perdio|daño|dano|quemo|acabo
se cayo|rompio|estropeo|fue la|el
esta|estan parado|parada|patas|lento|lenta
esta|estan saturado|lleno|congelado|congelada|estropeado|estropeada
tenemos|tengo ~ patas arriba
hay|tenemos|tengo obras|overbooking
esta|estan caido|caida|caidos|caidas|roto|rota|fallando|tardando|pendiente|pendientes|bloqueado
mientras dura|esta|estan|este|siga|no
hasta el|la|que lunes|martes|miercoles|jueves|viernes|sabado|domingo|vuelva|vuelvan|finde
hasta manana|pasado
para manana|hoy|pasado
manana tengo|tenemos|hay|salgo|presento|presentamos|entrego|entregamos|es|empieza|empiezo|viajo
me|nos ~ pillo|pilla|toca hoy|ahora|esta?
la entrega es|vence
right now
at|for the moment
at this point
at present
currently
presently
today
tonight
today|tonight 's
this morning|afternoon|evening|week|month|quarter|sprint|weekend|instant
these days
for now
so far
as we speak
in the middle of
halfway through|there
midway through
i|we am|are ~ stuck|blocked|waiting|swamped|travelling
i|we am|are ~ traveling|behind|down|about|stranded
i|we am|are ~ on|off|in|at the|a? leave|holiday|vacation|call|sick|mobile|train
i|we am|are ~ on|off|in|at the|a? road|way|plane|bus|airport|hospital|meeting|station
i|we have been ~ waiting|trying|fighting|struggling|looking|debugging|chasing|stuck|up
i|we am|are between|almost|nearly|halfway|still|already|done|back
i am ~ sick|ill|exhausted|knackered|hungover|jetlagged
is|are|was|were ~ still|finally|down|failing|stuck|pending
is|are|was|were ~ broken|blocked|queued|late|delayed|stalled
is|are currently|almost|nearly|halfway|due|overdue|underway|running
is|are out|off|down on|by|for|until|since|today|again
still|yet waiting|running|working|need|needs|have|has|no|open|missing|pending|failing|not|on
has|have not|just|already ~ yet|arrived|shown|started|landed|come|replied|shipped
has|have not shown|arrived|replied|started|answered|landed|shipped|come
just got|finished|started|landed|moved|broke|lost
just shipped|merged|deployed|pushed|failed|crashed|sent
will not ~ pair|start|boot|load|connect|open|compile|build|turn|let|work|print
keep|keeps getting|failing|crashing|throwing|dropping|timing
until monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|noon|he|she|they
by tomorrow|tonight|noon|eod|end|monday|tuesday|wednesday|thursday|friday
due ~ tomorrow|today|tonight|monday|tuesday|wednesday|thursday|friday
i|we leave|fly|present|demo|launch|go ~ tomorrow|tonight|today|monday|tuesday|friday
while _ is|are on|away|off|out
step _ of _
waiting on|for
in for repair|service
en reparacion
me|nos duele|duelen
quedan|queda ~ por
left to
since lunch|yesterday|noon|breakfast|dawn|last|early|this
desde el|esta|ayer|temprano|anoche mediodia|manana|tarde|amanecer?
a mitad de
lleva|llevo|llevan|llevamos ~ desde
se|me|nos|le ha|han retrasado|cancelado|adelantado|llamado|avisado|echado
been delayed|cancelled|canceled|postponed|down
is|are leaking|pouring|raining|snowing|flooding
esta|estan lloviendo|nevando
running|waiting|packing|heading|commuting late|for|behind|out|home|to
sala de espera
got a migraine|headache|cold|flu|fever
recien llegue|aterrice|termine|salgo|llego|llegamos|empezamos|vuelvo
nos|me quedamos|quede sin
on|in the bus|train|car|plane|queue|road|metro|tube
en el|la tren|bus|autobus|coche|carro|avion|aeropuerto|hospital|medico|metro|cola
fail|fails|falla|fallan in|en
goals|points down
i|we have ~ left
i|we lost|missed|broke ~ this|morning|today|yesterday
will send|email|share|write|update|draft|finish|deliver|have|schedule
promised|committing|committed to|the|i|myself?
scheduling|updating|drafting|planning|blocking
""",
)
_learn(
    "context",
    0.7,
    """ayer
manana
luego
todavia
aun
recien
por fin
pendiente|pendientes
finally
still
yet
already
just
yesterday
tomorrow
stuck|blocked|pending
deadline
again
otra vez
a medias
esta vez
last night|week
""",
)

# --- durable facts ---------------------------------------------------------------------

_learn(
    "fact",
    1.2,
    """me llamo|dedico|jubilo|mude|case|apellido|gradue|licencie|dicen|llaman
soy|somos
vivo|vivimos|trabajo|trabajamos|tengo|tenemos|naci|nacimos|estudio|estudiamos|estudie|uso|usamos
utilizo|utilizamos|manejo|manejamos|dirijo|gestiono|llevo|llevamos|hablo|hablamos|conduzco
entreno|entrenamos|toco|juego|doy|damos|imparto
enseno|fundo|funde|fundamos|gano|cobro|pago|pagamos
vendo|vendemos|fabrico|fabricamos|cultivo|cultivamos|crio|alquilo|alquilamos|compre|compramos
como|comemos carne|gluten|pescado|sin|de
tomo ~ para|desde|por|pastillas
fui|fuimos|era|eramos
padezco|sufro|mido|peso|calzo|cumplo|laburo|laburamos|curro|curramos|chambeo
corro|nado|cocino|programo|desarrollo|escribo en|con|para|desde|los
desplegamos|programamos|desarrollamos|migramos|facturamos|cerramos|abrimos|alojamos|guardamos
hacemos|hago|celebramos|publicamos|respaldamos|versionamos|contamos|pertenezco|pertenecemos
dejamos|deje|pasamos|cambie|cambiamos|empece|empezamos|conseguimos|decidi|decidimos|elegimos
no tengo|tenemos|como|comemos|bebo|fumo|uso|usamos|trabajo|conduzco|hablo
ya no trabajo|vivo|uso|usamos|tengo|tenemos|estoy|estamos|somos|soy
estoy|estamos casado|casada|divorciado|divorciada|soltero
estoy|estamos soltera|jubilado|jubilada|embarazada|registrados
estoy|estamos en|con desde
desde ~ estoy|trabajo|vivo|soy|somos|usamos
cursé|curso|oposito|lidero|coordino|superviso|administro|mantengo|mantenemos|mantuve
mi|mis|nuestro|nuestra|nuestros|nuestras ~ es|son|se|esta|estan
mi|mis|nuestro|nuestra|nuestros|nuestras ~ tiene|tienen|usa|vive|trabaja|estudia
mi|mis|nuestro|nuestra|nuestros|nuestras ~ cumple|nacio|empieza|cierra|abre|corre|sale|era|fue
se llama|llaman
is|are called|named
su nombre|cumpleanos|telefono|correo es
lo|la|los|las tenemos|tengo|usamos|llevamos|llevo|lleva
i|we am|are a|an|the|from|based|married
i|we am|are vegetarian|vegan|allergic|diabetic|pregnant|responsible|located
i|we am|are ~ coeliac|celiac|vegetarian|vegan|diabetic
i|we am|are ~ handed|intolerant|asthmatic|epileptic|autistic|bilingual
i|we am|are ~ freelance|employed|single|divorced|widowed
i|we am|are ~ engaged|fluent|allergic|blind|partially|hearing
i|we am|are nurse|teacher|engineer|student|lawyer
i|we am|are doctor|colourblind|colorblind|dyslexic|deaf|retired
i|we am|are in charge|my|years|left|right|_ years
i|we ~ work|live|own|run|teach|study|speak|use
i|we ~ manage|lead|maintain|drive|play|grow|sell|build|host
i|we have|had a|an|one|two|three|four|five|six|seven|eight|ten|no|my|our|type
i|we have|had _ kids|children|employees|years|people|cats|dogs
i|we do not ~ eat|drink|have|use|own|drive|speak|work|smoke|support|allow|deploy
i|we ~ ship|deploy|keep|store|track|pay|charge|employ|serve|operate|bill|train|rent|report|publish
i|we was|were born|raised
i|we grew|moved|graduated|studied|joined|left
i|we started|founded|switched|migrated|standardised|standardized
i|we settled|chose|decided|bought|adopted|retired|quit|changed|renamed|hired|signed|agreed
i|we have ~ been|worked|lived|used|moved|switched|decided|settled|chosen at|in|with|since|for|to?
i|we never|always|usually|only|no|longer ~ deploy|work|ship|use|eat|drink|travel|run|live|meet
my|our|the ~ 's? name is
my|our name|birthday|job|role|title|team|company is|are|has|have?
my|our wife|husband|boss|manager|partner|son|daughter is|are|has|have?
my|our ~ is|are|has|have|runs|uses|lives|works|was
my|our ~ were|starts|ends|opens|closes|costs|goes|sits|belongs
's? name is
is|are|'s called|named
's|is the new ~
took|taken over from|in
moved to
's|is|are|was ~ lead|manager|boss|owner|maintainer|director|head|dba|ceo|cto|cfo|intern
is|are the one|person|people who
decision made|decided
we have|are going|decided to
confirmed via|that|with|by
quick|for fact|reference|the record|file
para que conste
""",
)
_FACT_VERBS = _words(
    """
    go employs employ sits turns cumple admite salen pasan guardan guarda tarda abren cierran
    viven trabajan usan cuestan empiezan terminan llegan cobran emplea ocupa mantiene acepta
    accepts takes plays studies juega toca estudia estan pasa handles lleva llevan heredamos es
    son esta estan tiene tienen usa usan utiliza cuesta vale pesa mide pertenece corre vive
    trabaja cumple empieza termina cierra abre vence caduca gestiona guarda almacena escucha
    queda sale llega paga cobra depende reporta soporta sirve contiene lleva sigue incluye hay
    era fue paso is are has have uses costs weighs belongs runs run lives works starts ends
    opens closes expires manages stores listens sits leaves arrives pays charges depends reports
    supports serves contains holds includes was were 's moved goes owns renews covers handles
    speaks keeps reads writes needs requires takes means ships hosts lasts measures needs meets
    changed became
    """
)
_learn(
    "fact",
    1.0,
    """fyi
heads up
ojo
just so you know
for context|reference|info|background
para tu|su informacion|info
para que lo? sepas|sepan|conste|sepa
btw
by the way
por cierto
dato|nota
ten|tene|tenga en cuenta que
recuerda|acordate|recuerde que
remember that
keep in mind that
""",
)
# What a speaker has one of, so that "the server", "el servidor" is theirs and not servers at large.
_OWN_NOUNS = _words(
    """
    allotment piano huerta huerto salon cuarto habitacion mesa pagos payments payouts ensayos
    rehearsals copias backups facturas impuestos taxes dishwasher lavavajillas panaderia bakery
    ano calendario wifi impresora caldera cocina piscina patio finca granja barco empresa
    asociacion fundacion tienda plataforma modulo migracion entrevista examen mudanza reforma
    alquiler hipoteca contable nomina factura facturas informe pedido pedidos producto productos
    catalogo panel cache indice conexion boiler printer cottage association charity platform
    module migration interview exam rent mortgage payroll report order orders product catalogue
    catalog dashboard landlord newsletter podcast servidor base backend frontend api proyecto
    empresa equipo cliente clientes reunion oficina sistema repositorio repo dominio cluster
    contrato presupuesto almacen tienda restaurante clinica colegio escuela taller piso casa
    perro perra gato gata boda bebe nino nina jefe jefa contrasena backup copias version entrega
    lanzamiento tabla cola rama pipeline staging produccion plazo sprint aplicacion app web
    sitio pagina red flota fabrica tesis libro curso clase grupo planta bodega local huerto
    coche carro auto moto camion horario director directora sede contacto proveedor servicio
    desarrollo entorno despliegue negocio despacho consulta presidenta presidente server
    database table service project company team client customer meeting office system repository
    domain contract budget warehouse shop store restaurant clinic school workshop flat house dog
    cat wedding baby boss password release queue branch production deadline key bucket
    application site network fleet factory thesis book course class group plant venue car van
    truck schedule director headquarters contact supplier vendor account invoice invoices
    licence license lab farm boat van garden kitchen lease landlord rent subscription cluster
    laptop printer router garage studio band choir league museum hospital ward nursery property
    policy budget shift crew site codebase app endpoint cron job
    """
)
# Of these, what textbooks speak of too.
_COMMON_NOUNS = _words(
    """
    servidor base backend frontend api cliente clientes sistema repositorio repo dominio cluster
    contrasena tabla cola rama pipeline aplicacion app web sitio pagina red fabrica libro clase
    grupo planta perro perra gato gata auto coche carro servicio entorno desarrollo despliegue
    produccion cache indice conexion modulo plataforma producto productos panel empresa
    asociacion casa backup server database table service client customer system repository
    domain cluster password queue branch production key bucket application network factory book
    class group plant dog cat car truck account site app endpoint job cron module platform
    product order index dashboard subscription router laptop printer hospital museum property
    policy garden farm house company presidente presidenta director bebe baby piso nino nina
    """
)
_PEOPLE_AND_ROLES = _words(
    """
    manager lead dba ceo cto cfo director directora head boss jefe jefa encargado encargada
    responsable contable abogado abogada socia socio owner maintainer foreman accountant lawyer
    assistant intern lider coordinador coordinadora tutor tutora nurse doctor teacher mentor
    engineer designer hermano hermana primo prima madre padre mother father sister brother wife
    husband daughter hijo hija marido esposa novio novia partner abuela abuelo vecino vecina tia
    tio suegra suegro colleague flatmate roommate landlord
    """
)
_FIRST_PERSON = _words(
    """
    i me my mine we us our ours yo mi mis mio mia nos nosotros nosotras nuestro nuestra nuestros
    nuestras me conmigo soy somos estoy estamos tengo tenemos
    """
)

# --- what speaks against a block -------------------------------------------------------

_learn(
    "chitchat",
    1.0,
    """gracias|thanks|thx|cheers|ta
thank you
muchas gracias
hola|hello|hi|hey|buenas|buenos|adios|bye|chao|chau
entendido|perfecto|vale|okay|ok|genial|listo
noted|understood|great|sure|anotado|claro|dale|awesome
got it
por supuesto
of course
no problem
you are|'re welcome
de nada
i|we see|know|think|guess|mean|suppose|understand|get|hope|wonder|believe|agree
no se
lo siento
creo|supongo|entiendo|comprendo|imagino|espero|veo que?
sorry
it is|has|'s been a _? day
that worked|works|helps|helped|was
eso era|es|fue
me alegro|alegra|parece
que ~ risa|pena|dia|bueno|bien|mal|lio|pesadilla|gracia|maravilla
what a
nice|good|well one|work|job|done|morning|night|evening
hasta luego|pronto|manana|ahora
see you
talk soon
i|we ~ laughed|remember
jaja|jajaja|jajajaja|haha|hahaha|lol|xd
te|os|le|les quiero|debo|aviso|cuento|digo
esperá|espera|esperen un|una
""",
)
_learn(
    "trivial",
    1.0,
    """i|we have|had a|an|no|one|another|few|some ~ question|questions|idea|problem|doubt
i|we have|had a|an|no|one|another|few|some ~ request|issue|clue|favour|favor|feeling
tengo|tenemos una|un|otra|ni duda|dudas|pregunta|preguntas|idea|consulta|problema|peticion
tengo|tenemos otro|unas|varias|muchas duda|dudas|pregunta|preguntas
tengo|tenemos otro|unas|varias|muchas idea|consulta|problema|peticion
no tengo ni? idea|claro|ganas
i am not? sure|sorry|afraid|glad|happy|kidding|joking
i am not? ready|back|done|confused|lost|curious|wondering
no estoy seguro|segura
estoy listo|lista|perdido|perdida|de acuerdo
i|we will see|try|check
i|we will ~ later|look
""",
)
_learn(
    "hypothetical",
    1.0,
    """si yo? fuera|tuviera|viviera|pudiera|ganara|estuviera|hubiera|fuese|tuviese|supiera|quisiera
si yo|nosotros|mi|me|nos ~ fuera|tuviera|viviera|pudiera|ganara|estuviera|hubiera|tocara|diera
si yo|nosotros|mi|me|nos ~ llamara|mudara|fuese|tuviese|trabajara|gustara
imagina|imaginemos|imaginate|imagine|imaginad|supongamos|suponte|supon|suponiendo|pongamos
pongamos|digamos que
haz|hagamos como que|si
hipoteticamente|hypothetically
en el caso hipotetico
what if
if i|we|you|he|she|they were|had|won|could|lived|got|earned|moved|owned|ran|became|was
suppose|supposing|assuming|imagine|pretend|say i|we|you|that|a|an|my|the
let us|'s say|pretend|imagine|suppose
lets say|pretend|imagine|suppose
i|we would have
i wish
ojala
como si
as if
as though
""",
)
_learn(
    "sarcasm",
    1.0,
    """si claro
lo que me|nos faltaba
menuda|vaya suerte|gracia|alegria|maravilla|sorpresa
que alegria|ilusion|maravilla que
como no podia
justo lo que necesitaba|queria|faltaba
just what i|we needed|wanted
exactly what i|we needed|wanted
because that always|is|'s
how lovely|wonderful|nice|delightful
oh yes|sure|yeah|perfect|fantastic|how|i|another
so glad|happy that
can not wait
yeah sure|because
yeah right
oh great|good|joy|wonderful|lovely
just great|what|perfect|lovely
love it when
love how
me encanta que se|me|nos
que bien|bonito que
thanks for nothing
nada como|me que
gracias por nada
as if
""",
)
_learn(
    "injection",
    1.0,
    """ignora|ignore|olvida|forget ~ anterior|anteriores|previas|previous|prior
disregard|omite|descarta|override ~ anterior|anteriores|previas|previous|prior
ignora|ignore|olvida|forget|disregard|omite|descarta ~ above|earlier|safety|guidelines|system
ignora|olvida ~ todo|todas ~ instrucciones|reglas
ignore|forget|disregard all|any|your ~ instructions|rules|guidelines|training
system|developer|sistema prompt|override|message|mode|instruccion|instruction|mensaje
modo desarrollador|dios|dan|root|administrador|sin
developer|debug|god|dan|jailbreak|unrestricted|sudo|admin mode
jailbreak
you are now _
you are no longer
desde este momento eres|seras|actuas
a partir de ahora eres|seras|actuas|actua
ahora eres|seras un|una|el|la|dan
from now on you are|have|will
act|actua|actuas as|como|si if?|un|una|an? unrestricted|administrador|root|admin|evil|hacker|dan
reveal|revela|print your|tu|the|el|tus system|prompt|instructions|sistema|instrucciones
repeat|muestra|imprime your|tu|the|el|tus system|prompt|instructions|sistema|instrucciones
guarda|guardar|graba|anota|save|store|write|add|record|registra ~ memoria|memory
has|have|tiene ~ admin|root|administrator|administrador|superuser privileges|access|rights|rol
tienen|with|con ~ admin|root|administrator|administrador|superuser privileges|access|rights|rol
permisos de root|administrador|admin
root|admin access|permissions|rights|privileges
bypass ~ filters|safety|restrictions
nunca rechaces
never refuse
note|nota to|para|al|la ai|ia|llm|assistant|asistente|model
""",
)
_learn(
    "acknowledged",  # the assistant repeats or promises
    1.0,
    """entendido|anotado|noted|understood|apuntado|guardado
got it
tomo|tomare|tomado nota
lo tendre|tendremos|recordare|guardo|anoto|he|apunto|guardado|apuntado
he|queda guardado|anotado|apuntado|registrado|tomado|actualizado
i will|shall ~ remember|avoid|reply|answer|respond|note|stick
i will keep that|it|this in
i will make sure
i have|'ve ~ noted|saved|recorded|remembered
as you asked|requested|prefer|mentioned|said
como pediste|prefieres|me|dijiste|pedias
you|tu|usted ~ said|mentioned|told|prefer|prefieres
you|tu|usted ~ dijiste|mencionaste|prefiere|vives|live|trabajas
te respondere|contestare|hablare|llamare|avisare|escribire|dare|recordare|tutearé
responderé|usare|evitare|escribire|contestare|hablare|recordare
desde|from ahora|now te|i|usare|responderé
""",
)
_learn(
    "general",
    1.0,
    """en general
por ejemplo
es decir
se utiliza|usa|usan|utilizan|emplea|suele|suelen|puede|pueden|recomienda|considera|debe
sirve|sirven para
funciona|funcionan bien|mal|como|mediante|asi
consiste|consisten en
es|son un|una|unos|unas
suele|suelen
en cambio
a diferencia
sin embargo
por lo tanto
fue fundada|fundado|descubierto|descubierta|inventado|inventada|escrita|escrito|publicado
la mayoria
the ~ largest|biggest|longest|highest|smallest|fastest|oldest|deepest
el|la|los|las ~ mas ~ del mundo|planeta|universo
del mundo
in the world
los|las mayores|seres|humanos|plantas|animales
capital de|of
for example
in general
in contrast
generally|typically|usually|often
is|are a|an
is|are used|known|defined|made|considered|composed|measured
can be
was invented|founded|discovered|written|born|built|published|first
means that
such as
because it|they
works by
refers to
consists of
most|many|some people|users|databases|languages|cats|dogs|plants|countries
in order to
unlike
however
whereas
you can|need|should|could
puedes|podes|puede|podrias
""",
)
_learn(
    "oneoff",
    1.0,
    """solo por esta
por esta vez
esta vez
solo para esto|este|esta
solo esta vez
just|only this|for once|time|now|today|one
this time|once
just once
for this one|message|answer|reply|question|email|time
este|esta|esto|estos|estas|ese|esa|eso|aquel
siguiente|siguientes|adjunto|adjunta|adjuntos
anterior|ultimo|ultima|primer|primero|primera|segundo|segunda|tercer|tercero|cuarto
de arriba|abajo|nuevo
otra vez
this|that|these|those
the following
attached|above|below
second|third|fourth|last|previous|following
the next
again
todavia
yet
para hoy|manana|el|la lunes|martes|jueves|viernes?
""",
)
_learn(
    "fiction",
    1.0,
    """cuento|relato|novela|poema|chiste|joke|historia
guion|fabula|microrrelato|soneto|letra|cancion|dialogo
limerick|story|poem|novel|screenplay|haiku|fable|sonnet|song|lyrics|dialogue|script|tale|sketch
personaje|personajes|protagonista|narrador|villano
character|characters|protagonist|narrator|villain
role play
roleplay
short story
""",
)
_learn(
    "make",
    1.0,
    """escribe|escribi|escriba|escribeme|escribime|inventa
inventate|crea|redacta|cuentame|contame|haz|hazme
haceme|hace|componme|compon|continua|sigue|genera|imagina|dame|necesito|quiero|quisiera|narrame
write|compose|invent|create|tell|make|draft|continue|generate|give|need|want|pen
""",
)
_learn(
    "dictated",
    1.0,
    """diciendo|dile|decile|diles|digale|diciendole|contando|contandole|explicando|pidiendo que?
que diga|digan|ponga
avisando|recordando|preguntando|informando|comentando que?
donde diga|digo|pongas
saying|stating|explaining|telling that|i|we|him|her|them?
that says|reads|states
asking|letting|informing|thanking|reminding him|her|them
tell him|her|them
""",
)
_learn(
    "speech",  # what follows a colon or stands in capitals is someone else's
    1.0,
    """dice|decia|dicen|pone|reza|dijo|escribio|cantaba|respondio|contesto
reads|says|read|said|wrote|goes|sings|replied
""",
)
_learn(
    "task_on_text",  # what follows the colon is material
    1.0,
    """proverbio|refran|dicho|proverb|saying|slogan|lema|eslogan
traduce|traducir|traduceme|traducime|traduzca|traducime|traduccion|traduzcame|traduci
corrige|corrigeme|corregime|corregir|corrija|corregi
revisa|revisame|revisar|revise|resume|resumeme
resumir|resumime|resuma|resumi|analiza|analizar|reescribe|reescribi|reescribir|clasifica|puntua
parafrasea|mejora|mejorame|reenvio|letra|fragmento|cita|ejemplo|correo|email|mail|mensaje|carta
texto|prompt|enunciado|parrafo|ticket|transcripcion|anuncio|resena|cartel|frase|oracion|titular
log|logs|error|salida|codigo|traza|consola|consulta
translate|translation|proofread|correct|edit
review|summarise|summarize|rewrite|rephrase|paraphrase
classify|grade|analyse|analyze|score|fix|improve|fwd|forwarded|quote|excerpt|passage|letter|text
paragraph|transcript|ticket|sentence|lyrics|ad|advert
article|paste|output|log|stack|snippet|dialogue
subject|draft|headline|tweet|post|caption|label|sign|bio|json|csv|listing
""",
)
_learn(
    "embedded",  # what follows in a question is said by the way
    1.0,
    """teniendo|tomando en cuenta|consideracion que?
considerando|sabiendo|dado|visto que
ya|puesto que
porque
given|considering|knowing|seeing that?
bearing|keeping in mind that?
because
since i|we|my|our
like me
who like me
""",
)
_learn(
    "strong",
    1.0,
    """importante|importantisimo|fundamental|imprescindible|esencial|urgente|siempre|nunca|jamas
muchisimo|alergico|alergica|celiaco|celiaca|obligatorio|critico|critica
sobre todo
important|importantly|essential|crucial|critical|always|never|absolutely|strongly|allergic|must
vital|hate|odio|detesto
without exception
""",
)
_learn(
    "hedged",
    1.0,
    """quiza|quizas|acaso
tal vez
un poco|poquito
a lo mejor
mas o menos
creo que
maybe|perhaps|possibly|probably
sort|kind of
i think|guess
a bit|little
""",
)
_learn(
    "universal",  # a command about anything is a rule
    1.0,
    """anything|anyone|anybody|everything|everyone|everybody
every|each list|table|date|price|answer|reply|number|heading|title|name|figure|amount
all my|your|dates|prices|names|numbers|headings|titles|lists|tables|figures|amounts
todos|todas los|las|mis|tus
cada lista|tabla|fecha|precio|respuesta|cifra|titulo|importe
nadie
en|a|por|de nada
todo lo que
lo que te
confidential|confidencial|private|privado
""",
)

_WH = _words(
    """
    what how why who whom whose which where when que cual cuales quien quienes como cuando donde
    cuanto cuanta cuantos cuantas adonde
    """
)
_AUX = _words(
    """
    can could would will should shall may might is are am was were do does did has have had
    puedes podrias podes puede podria pueden podrian podeis sabes sabe sabes saben crees hay es
    me tienes tenes
    """
)
_SUBJECTS = _words(
    """
    i we you it he she they there this that the a my our your one anyone someone any
    """
)
_CONJUNCTIONS = _words(
    """
    y e pero aunque asi porque pues mientras and but so because although though since as yet
    while ademas
    """
)
_CAUSES = _words("because since as porque pues ya")
# "as" starts a clause before one of these; before anything else it says what or how.
_CLAUSE_PRONOUNS = _words("i we you it he she they there i'm we're i've it's")

# --- verbs addressed to the assistant --------------------------------------------------


def _spanish_commands() -> tuple[frozenset[str], frozenset[str]]:
    """Imperatives, and the second-person forms (subjunctive, indicative) of the same verbs."""
    ar = _words(
        """
    mencion compart revel borr elimin reserv compr gast molest interrump exager invent opin juzg
    felicit halag cort peg copi cuestion ocult abus mezcl modific alter ejecut lanz
    instal tutead
    us evit habl contest mand envi muestr mostr record recuerd avis llam trat tute firm cit
    coment anot apunt agreg aclar pregunt indic marc list orden separ redonde formate aplic
    acompan adjunt conect empiez empez comienz comenz termin cierr cerr dej mir apart adapt
    ajust consult confirm prioriz destac subray numer enumer asum consider guard utiliz emple
    public agend program omit salt ahorr compar verific chequ repas justific explic abrevi
    simplific deletre acentu cambi respet limit mantien busc pas quit salud tom agrup propon
    report detall ampli voseo acab actu respald llev cuid prepar esper escap convers chatt
    record centr contempl transform especific junt not
    """
    )
    er = _words(
        """
    respond aprend le vuelv volv le devuelv devolv entiend met ofrezc ofrec ten manten pon
    """
    )
    ir = _words(
        """
    escrib inclu traduc resum describ divid añad anad repit pid sug suger sugier segu sig corr
    convert conviert distingu elig defin recib sirv permit sub omit insist consum reduc
    """
    )
    imperative: set[str] = set()
    second: set[str] = set()
    for stem in ar:
        before_e = stem
        for end, change in (("c", "qu"), ("g", "gu"), ("z", "c")):
            if stem.endswith(end):
                before_e = stem[:-1] + change
        imperative |= {stem + "a", before_e + "e", before_e + "en", stem + "ad"}
        second |= {before_e + "es", before_e + "eis", stem + "as", stem + "ais"}
    for stem in er:
        imperative |= {stem + "e", stem + "a", stem + "an", stem + "ed"}
        second |= {stem + "as", stem + "ais", stem + "es", stem + "eis"}
    for stem in ir:
        imperative |= {stem + "e", stem + "i", stem + "a", stem + "an", stem + "id"}
        second |= {stem + "as", stem + "ais", stem + "es", stem + "is"}
    imperative |= set(
        _words(
            """
    di diga digan deci decid pon pone ponga pongan poned haz hace haga hagan haced ten tenga
    tengan tene ve vaya vayan se sea sean sed da de den dad dame deme sal mantente ponte hazlo
    traduzca traduzcan incluya incluyan incluye inclui propon proponga siga sigan sigue segui
    corrige corrija corregi pide pida pedi elige elija sugiere sugiera resume resuma lea lee
    huye vuelve volve vuelva cuenta contame cuentame conta prueba probá mantene mantén mantenga
    sustituye sustituya sustitui distribuye ve vete limitate acuerdate acordate fijate asegurate
    abstente dirigete dirijase olvidate centrate cinete tratame tratenme tratadme atente
    """
        )
    )
    second |= set(
        _words(
            """
    digas digais dices decis pongas pongais pones ponis hagas hagais haces haceis tengas tengais
    tienes seas seais vayas vais des deis das dais incluyas incluyes propongas propones sigas
    sigues corrijas corriges pidas pides elijas eliges sugieras sugieres resumas resumes
    traduzcas traduces cuentes cuentas pruebes mantengas mantienes sustituyas olvides
    """
        )
    )
    return frozenset(imperative - {"de", "se", "sea"}), frozenset(second)


_ES_IMPERATIVE, _ES_SECOND = _spanish_commands()
_ENCLITIC = re.compile(r"(?:(?:me|te|se|nos|os)(?:l[aeo]s?)|me|te|se|nos|l[aeo]s?)$")
_EN_IMPERATIVE = _words(
    """
    use give keep write quit answer reply respond call address include avoid stop put show start
    end begin sign ask tell flag mark round format cite skip assume remember remind let make
    treat check say speak stick refer spell wrap list translate summarise summarize explain add
    leave drop omit limit prefix suffix quote convert order sort name pick choose suggest
    propose recommend warn double confirm verify state note mention highlight bold run test
    prefer replace substitute follow mirror match be go get do draft read send schedule book
    count consider point break separate group number label attach link provide present offer
    return wait talk type capitalise capitalize hyphenate abbreviate lead open close finish
    think try aim expect ping notify alert default refrain cut trim pronounce send save log
    split append prioritise prioritize store
    """
)
_EN_STANDALONE = _words(
    """
    please kindly just then so and but also ok okay hey well always never ever only first now
    today you
    """
)
_ES_STANDALONE = _words(
    """
    por favor porfa porfavor please y pero pues bueno oye mira che siempre nunca jamas solo
    tambien entonces ah eh ojo mejor ademas ok vale primero ahora hoy luego despues ustedes vos
    tu usted
    """
)

_STYLE = _words(
    """
    espanol castellan ingles frances portugues catalan aleman italian emoji markdown tabla
    vineta parraf tono formal tutead usted breve cort concis codigo comentari ejempl respuest
    unidad celsius kilometr metric moneda euro dolar soles pesos fecha formato anglicis palabr
    mayuscul minuscul titul enlace fuente disculp rode introducc jerga tecnicism pasos asterisc
    negrit adjetiv adverbi tuteo voseo relleno listas correos cifras decimal saludo despedid
    signo coma comillas puntos spanish english french german italian portuguese catalan bullet
    paragraph tone concise brief short code comment example answer repl unit metric fahrenheit
    imperial currenc dates format jargon word caps title link source apolog preamble legalese
    steps table heading sentence plain contraction oxford hyphen semicolon british american
    spelling number temperature time verdict reasoning tldr summar citation placeholder variable
    camelcase snake indent tabs spaces type hints names pronoun first clock emails letters
    headings lists disclaimers caveats hedging filler recet recipe menu acronym siglas keyword
    lower upper price precio amount importe diminutiv mensaje message report informe correo
    email em-dash exclamation greeting sign-off prices miles kilos pounds
    """
)
_STYLE_EXACT = _words(
    """
    tu vos usted ustedes dates tone code tabs lists km kg eur usd mayusculas
    """
)
_STYLE_PREFIXES = tuple(sorted(item for item in _STYLE if len(item) > 3))

_SPELLINGS = {
    "q": "que", "k": "que", "xq": "porque", "pq": "porque", "porq": "porque", "tb": "tambien",
    "tmb": "tambien", "toy": "estoy", "tamos": "estamos", "pa": "para", "aora": "ahora",
    "ahorita": "ahorita", "u": "you", "ur": "your", "pls": "please", "plz": "please",
    "cuz": "because",
    "cos": "because", "bc": "because", "rn": "currently", "tmrw": "tomorrow", "alway": "always",
}  # fmt: skip
_CONTRACTIONS = {
    "'m": ("am",), "'re": ("are",), "'ve": ("have",), "'ll": ("will",), "'d": ("would",),
    "'s": ("'s",), "n't": ("not",),
}  # fmt: skip
_NO_APOSTROPHE = {
    "im": ("i", "am"), "ive": ("i", "have"), "dont": ("do", "not"), "doesnt": ("does", "not"),
    "cant": ("can", "not"), "cannot": ("can", "not"), "wont": ("will", "not"),
    "isnt": ("is", "not"),
    "arent": ("are", "not"), "didnt": ("did", "not"), "hasnt": ("has", "not"), "id": ("id",),
    "havent": ("have", "not"), "couldnt": ("could", "not"), "lets": ("lets",),
    "theyre": ("they", "are"),
    "can't": ("can", "not"), "won't": ("will", "not"), "shan't": ("shall", "not"), "ill": ("ill",),
}  # fmt: skip
_OFTEN_MISSPELT = _words(
    """
    prefiero necesito siempre trabajo nosotros gustaria encanta respuestas vivimos trabajamos
    empresa proyecto actualmente nuestro nuestra favorito quisiera detesto respondeme utilizamos
    always prefer currently working favourite favorite whenever because please answers company
    project manager tomorrow believe definitely
    """
)


def _sound(word: str) -> str:
    """Spell as Latin American Spanish sounds: nesecito and necesito become one."""
    word = word.replace("h", "").replace("v", "b").replace("z", "s").replace("ll", "y")
    return word.replace("ce", "se").replace("ci", "si").replace("qu", "k").replace("ca", "ka")


def _corrections() -> dict[str, str]:
    table: dict[str, str] = {}
    for word in _OFTEN_MISSPELT:
        table.setdefault(_sound(word), word)
        for i in range(1, len(word)):
            table.setdefault(word[:i] + word[i + 1 :], word)  # a letter lost
            if i + 1 < len(word):  # two letters swapped
                table.setdefault(word[:i] + word[i + 1] + word[i] + word[i + 2 :], word)
    return table


_CORRECTIONS = _corrections()
_OLD_YEARS = _words("10 11 12 13 14 15 16 17 18")


# --------------------------------------------------------------------------------------
# Masking: what the user did not say
# --------------------------------------------------------------------------------------

_RENDERED = (
    ("<!-- cto:context", "<!-- /cto:context -->"),
    ("<cto_context", "</cto_context>"),
    ("[cto:context]", "[/cto:context]"),
)
_RENDERED_JSON = re.compile(r'\{\s{0,40}"cto_context"\s{0,40}:')
_JSON_MARK = re.compile(r'[{}"\\]')
_INLINE_CODE = re.compile(r"`[^`\n]{1,300}`")
_SINGLE_QUOTED = re.compile(r"(?<!\w)'(?=[^\s'])(?:[^'\n]|(?<=\w)'(?=\w)){2,300}'(?!\w)")
_TAG = re.compile(r"<([a-z][a-z0-9_-]{0,30})(?: [^<>\n]{0,200})?>")
_MAIL_HEADER = re.compile(
    r"[*_]{0,2}(?:de|from|para|to|asunto|subject|enviado|enviado el|sent|date|fecha|cc|cco|bcc"
    r"|reply-to|responder a)[*_]{0,2}\s?:"
)
_MAIL_START = re.compile(
    r"-{2,}\s?(?:original message|mensaje original|forwarded message|mensaje reenviado)"
    r"|begin forwarded message|(?:el|on) [^\n]{5,120}(?:escribio|wrote):\s?$"
)
_SALUTATION = re.compile(
    r"(?:estimad[oa]s?|querid[oa]s?|dear|apreciad[oa]s?|muy senor(?:es)? mio)\b"
)
_LOG_LINE = re.compile(
    r"\[?\d{4}-\d\d-\d\d[ t]\d\d?:\d\d|\[?\d\d:\d\d:\d\d|\d{1,3}(?:\.\d{1,3}){3}\s"
    r"|traceback \(|\s{1,12}at \S{1,80}\("
    r"|\s{1,12}file \"|[$%] \w|diff --git|@@ |\+\+\+ |--- a/"
    r"|\[(?:error|warn|warning|info|debug|trace|fatal)\]"
    r"|(?:exit code|exit status|stdout|stderr|http/\d|[a-z_.]{1,40}(?:error|exception): )"
    r"|[a-z]{3} {1,2}\d{1,2} \d\d:\d\d:\d\d"
)
_CODE_LINE = re.compile(
    r"select [^\n]{1,150} from |insert into \w|delete from \w|update \w{1,60} set "
    r"|drop (?:table|index) "
    r"|create (?:unique )?(?:table|index|view|extension|function|role) [^\n]{0,100}(?:\(|;|on )"
    r"|alter table \w"
    r"|(?:def|class|function|func|fn|public|private|static|async def) [^\n]{0,99}[({:]\s?$"
    r"|#include"
    r"|(?:const|let|var) \w{1,40} = |import [\w.]{1,80}(?: as \w{1,20})?;?\s?$"
    r"|from [\w.]{1,60} import |return [^\n]{0,60};"
    r"|\w{1,40}=\S|\w[\w.]{0,60}\([^\n]{0,100}\);?\s?$|</?\w"
    r"|[{}\[\]]{1,4}[,;]?\s?$|\{\s?\"|\[\s?\{|\"[^\"\n]{1,60}\"\s?:"
    r"|\||(?:sudo|git|docker|npm|pip|kubectl|curl|psql|apt|cd|ls|ssh|brew|cargo)"
    r" [a-z-]{1,30} [^\n]{0,80}-"
)
_CODE_RAW = re.compile(
    r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP|EXPLAIN|GRANT|REVOKE"
    r"|FROM|WHERE|GROUP BY|ORDER BY"
    r"|LEFT JOIN|INNER JOIN|JOIN|VALUES|BEGIN|COMMIT|ROLLBACK|SET|GET|POST|PUT|DELETE)\b[ ;(]"
    r"|(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL|NOTICE|FAILED|PASSED|OK)\b[\s:\[]"
)
_ROLE_TAG = re.compile(
    r"\s{0,20}(?:\[|<\|?|#{2,4}\s?)(?:system|sistema|im_start|admin|instrucciones?|instructions?|inst)\b"
)
_CODE_SYMBOLS = frozenset("{}[]()=<>;_|\\/$#@&*+~^")


class _Mask:
    """The folded text, and what of it is not the user's own words."""

    __slots__ = ("chars", "content", "folded")

    def __init__(self, content: str) -> None:
        self.content = content
        self.folded = _fold(content)
        self.chars = list(self.folded)

    def hide(self, start: int, end: int, mark: str) -> None:
        end = min(end, len(self.chars))
        if start < end:
            self.chars[start:end] = mark * (end - start)


def _hide_rendered(mask: _Mask) -> None:
    folded = mask.folded
    for opening, closing in _RENDERED:
        start = folded.find(opening)
        while start >= 0:
            end = folded.find(closing, start)
            end = len(folded) if end < 0 else end + len(closing)
            mask.hide(start, end, _HARD)
            start = folded.find(opening, end)
    done = 0
    for match in _RENDERED_JSON.finditer(folded):
        if match.start() < done:
            continue
        done = _json_end(folded, match.start())
        mask.hide(match.start(), done, _HARD)


def _json_end(text: str, start: int) -> int:
    depth = 0
    quoted = False
    escaped = -1
    for match in _JSON_MARK.finditer(text, start):
        char, at = match.group(), match.start()
        if at == escaped:
            continue
        if char == "\\":
            escaped = at + 1
        elif char == '"':
            quoted = not quoted
        elif not quoted:
            depth += 1 if char == "{" else -1
            if depth == 0:
                return at + 1
    return len(text)


def _hide_code(mask: _Mask) -> None:
    folded = mask.folded
    for fence in ("```", "~~~"):
        start = folded.find(fence)
        while start >= 0:
            end = folded.find(fence, start + 3)
            end = len(folded) if end < 0 else end + 3
            mask.hide(start, end, _HARD)
            start = folded.find(fence, end)
    text = "".join(mask.chars)
    for match in _INLINE_CODE.finditer(text):
        mask.hide(match.start(), match.end(), _SOFT)
    done = 0
    missing: set[str] = set()
    for match in _TAG.finditer(text):
        name = match.group(1)
        if match.start() < done or name in missing:
            continue
        end = text.find("</" + name, match.end())
        if end < 0:
            missing.add(name)
            continue
        line_end = text.find(">", end)
        done = len(text) if line_end < 0 else line_end + 1
        mask.hide(match.start(), done, _HARD)


def _hide_quotes(mask: _Mask) -> None:
    text = "".join(mask.chars)
    for opening, closing in (("«", "»"), ("“", "”"), ('"', '"')):
        at = 0
        raw = mask.content if opening == "“" else text
        while True:
            start = raw.find(opening, at)
            if start < 0:
                break
            if opening == '"' and start and (raw[start - 1].isalnum()):
                at = start + 1  # inches, or a stray mark
                continue
            end = raw.find(closing, start + 1)
            if end < 0:
                break
            inside = raw[start + 1 : end]
            if opening == '"' and "\n\n" in inside:
                at = start + 1
                continue
            words = len(inside.split())
            mask.hide(start, end + 1, _HARD if words > 12 or "\n" in inside else _SOFT)
            at = end + 1
    text = "".join(mask.chars)
    for match in _SINGLE_QUOTED.finditer(text):
        mask.hide(match.start(), match.end(), _SOFT)


def _lines(text: str) -> list[tuple[int, int]]:
    found = []
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        found.append((start, end))
        start = end + 1
    return found


def _hide_lines(mask: _Mask) -> None:
    folded = mask.folded
    lines = _lines(folded)
    headers = 0
    first_header = -1
    for start, end in lines:
        if end - start < 2:
            continue
        line = folded[start : min(end, start + 400)].rstrip("\r")
        bare = line.lstrip(" \t")
        if not bare:
            continue
        if bare[0] == ">":
            mask.hide(start, end, _HARD)
            continue
        if _MAIL_START.match(bare):
            mask.hide(start, len(folded), _HARD)
            return
        if _MAIL_HEADER.match(bare):
            first_header = start if headers == 0 else first_header
            headers += 2 if "@" in bare else 1
            if headers > 1:
                mask.hide(first_header, len(folded), _HARD)
                return
        else:
            headers = 0
        if start and _SALUTATION.match(bare) and len(bare) < 80:
            mask.hide(start, len(folded), _HARD)
            return
        symbols = sum(char in _CODE_SYMBOLS for char in bare)
        if (
            _LOG_LINE.match(line)
            or _CODE_LINE.match(bare)
            or _CODE_RAW.match(mask.content, start + len(line) - len(bare), end)
            or (symbols > 3 and symbols * 8 > len(bare))
        ):
            mask.hide(start, end, _HARD)


# --------------------------------------------------------------------------------------
# Sentences, tokens and pieces
# --------------------------------------------------------------------------------------


class _Token(NamedTuple):
    word: str
    start: int
    end: int
    proper: bool
    number: bool


class _Hit(NamedTuple):
    name: str
    weight: float
    first: int
    last: int


class _Sentence(NamedTuple):
    start: int
    end: int
    question: bool
    before_question: bool
    line_start: bool
    bullet: bool


_BREAK = re.compile(
    r"[.!?…]+[\"')\]»”*_]{0,3}(?=\s|$|[\x00¿¡])|\x00+|\n|(?<=[\s,;:.!?)])[¿¡]|^[¿¡]"
)
_ABBREVIATIONS = _words(
    """
    sr sra sres dr dra st mr mrs ms prof ing lic avda av c p pag pags num no vs etc ext tel dpto
    ud uds vd eg ie e.g i.e a.m p.m am pm aprox approx max min art fig inc ltd jr gral ej dept
    est
    """
)
_LEAD = re.compile(r"[\s>*_#•·▪‣–—-]*(?:(?:\d{1,2}|[a-z])[.)]\s+)?(?:\[[ x]\]\s+)?[*_]{0,3}")
_TRAIL = " \t\r\n.,;:!¡¿?…*_-–—#•\x00"


def _sentences(masked: str) -> list[_Sentence]:
    found: list[_Sentence] = []
    start = 0
    opened = False  # by ¿
    line_start = True

    def close(end: int, question: bool, before_question: bool) -> None:
        if end - start < 3:
            return
        lead = _LEAD.match(masked, start, min(end, start + 60))
        begin = lead.end() if lead else start
        bullet = any(char in "-*•·▪‣–" for char in masked[start:begin]) or begin - start > 2
        if begin < end:
            found.append(_Sentence(begin, end, question, before_question, line_start, bullet))

    for match in _BREAK.finditer(masked):
        at, end = match.span()
        mark = match.group()
        if at < start:
            continue
        if mark[0] == ".":
            before = masked[max(start, at - 6) : at].rsplit(" ", maxsplit=1)[-1].lstrip("(")
            if before in _ABBREVIATIONS or (len(before) == 1 and before.isalpha() and mark == "."):
                following = masked[end : end + 2].strip()
                if following and before not in ("etc", "am", "pm", "p.m", "a.m"):
                    continue
        if mark[0] == "\n":
            head = masked[start:at].strip()
            following = masked[end : end + 1]
            if len(head) > 55 and following.isalpha() and not head.endswith((":", ".", ";")):
                raw_break = masked.find("\n", end)
                if raw_break < 0 or raw_break - end > 2:
                    continue  # a hard-wrapped line goes on
        if mark in ("¿", "¡"):
            close(at, opened, mark == "¿")
            start, opened, line_start = at, mark == "¿", False
            continue
        question = opened or "?" in mark
        close(end if mark[0] not in "\n\x00" else at, question, False)
        start, opened = end, False
        line_start = mark[0] in "\n\x00"
    close(len(masked), opened, False)
    return found


def _tokens(mask: _Mask, text: str, sentence: _Sentence) -> list[_Token]:
    found: list[_Token] = []
    first = True
    for match in _WORD.finditer(text, sentence.start, sentence.end):
        word, start, end = match.group(), match.start(), match.end()
        proper = mask.content[start].isupper() and not first
        first = False
        number = word[0].isdigit() and not (len(word) == 4 and word[:2] in _OLD_YEARS)
        parts: tuple[str, ...]
        if word in _NO_APOSTROPHE:
            parts = _NO_APOSTROPHE[word]
        elif "'" in word:
            cut = word.index("'")
            if word.endswith("n't"):
                cut -= 1
            parts = (word[:cut], *_CONTRACTIONS.get(word[cut:], (word[cut + 1 :],)))
        else:
            parts = (_SPELLINGS.get(word, word),)
            if len(word) > 5 and not proper:
                parts = (_respell(word),)
        for part in parts:
            found.append(_Token(part, start, end, proper, number))
    return found


def _respell(word: str) -> str:
    if word in _VOCABULARY or len(word) > 16:
        return word
    known = _CORRECTIONS.get(word)
    if known is None:
        known = _CORRECTIONS.get(_sound(word), word)
    return known


def _vocabulary() -> frozenset[str]:
    words: set[str] = set()
    stack = [_TRIE]
    while stack:
        node = stack.pop()
        words.update(node.words)
        stack.extend(node.words.values())
        stack.extend(child for _, child in node.prefixes)
        if node.any is not None:
            stack.append(node.any)
    return frozenset(words)


_VOCABULARY = _vocabulary() | _ES_IMPERATIVE | _ES_SECOND | _words("trabaja prefiere")


def _hits(tokens: list[_Token]) -> list[_Hit]:
    found: list[_Hit] = []
    count = len(tokens)
    for first in range(count):
        stack = [(_TRIE, first)]
        while stack:
            node, at = stack.pop()
            for name, weight in node.out.items():
                found.append(_Hit(name, weight, first, at))
            if at >= count:
                continue
            word = tokens[at].word
            child = node.words.get(word)
            if child is not None:
                stack.append((child, at + 1))
            for prefix, child in node.prefixes:
                if word.startswith(prefix):
                    stack.append((child, at + 1))
            if node.any is not None:
                stack.append((node.any, at + 1))
    return found


_MONTHS_AND_DAYS = _words(
    """
    enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre
    diciembre lunes martes miercoles jueves viernes sabado sabados domingo domingos january
    february march april june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
    saturdays sundays
    """
)
_NUMBER_WORDS = _words(
    """
    dos tres cuatro cinco seis siete ocho nueve diez once doce quince veinte treinta cincuenta
    cien mil two three four five six seven eight nine ten eleven twelve fifteen twenty thirty
    fifty hundred thousand dozen docena
    """
)
_WEEKDAYS = frozenset(
    word
    for word in _MONTHS_AND_DAYS
    if word.rstrip("s").endswith(
        ("day", "bado", "mingo", "lune", "marte", "coles", "jueve", "vierne")
    )
)
_ORDINAL_DAYS = frozenset(f"{n}{end}" for n in range(1, 32) for end in ("st", "nd", "rd", "th")) | {
    "monthly",
    "weekly",
    "nightly",
    "semanal",
    "mensual",
}
_WHETHER = _words(
    """
    dime decime digas decirme avisa diga mira comprueba revisa me know check see ask sabes saber
    wonder verifica mirar
    """
)


def _without_overruled(hits: list[_Hit], words: list[str]) -> list[_Hit]:
    """Drop "today" inside "from today on", and the "if" of "tell me if"."""
    standing: set[int] = set()
    for hit in hits:
        if hit.name == "standing":
            standing.update(range(hit.first, hit.last))
    changed = not {"antes", "used"}.isdisjoint(words)  # "I used to cook, now I drive"
    tasked = bool(words) and (_is_command(words[0]) or words[0] in _EN_IMPERATIVE)
    kept = []
    for hit in hits:
        before = words[hit.first - 1] if hit.first else ""
        if changed and hit.name == "context" and words[hit.first] in ("ahora", "now"):
            continue
        if tasked and hit.name == "standing" and before in ("that", "which", "who", "que"):
            continue  # "write a function that always ..."
        if hit.name in ("context", "oneoff") and hit.first in standing:
            continue
        if hit.name == "condition" and hit.first and words[hit.first - 1] in _WHETHER:
            continue
        kept.append(hit)
    return kept


class _Piece(NamedTuple):
    first: int  # token indices, half open
    last: int
    strength: int  # of its start: 0 none, 1 comma, 2 conjunction, 3 both or colon, 4 semicolon


def _pieces(tokens: list[_Token], text: str, sentence: _Sentence) -> list[_Piece]:
    bounds = [(0, 0)]
    for i in range(1, len(tokens)):
        gap = text[tokens[i - 1].end : tokens[i].start]
        word = tokens[i].word
        strength = 0
        if ";" in gap or "—" in gap or " - " in gap or "–" in gap:
            strength = 4
        elif ":" in gap and " " in gap:
            strength = 3
        elif "," in gap or "(" in gap or ")" in gap:
            strength = 3 if word in _CONJUNCTIONS or word == "que" else 1
        elif (
            word in _CONJUNCTIONS
            and i + 1 < len(tokens)
            and not (word in ("que", "as", "if") and tokens[i - 1].word in _CONJUNCTIONS)
            and (word != "as" or tokens[i + 1].word in _CLAUSE_PRONOUNS)
        ):
            strength = 2
        if strength:
            bounds.append((i, strength))
    ends = [first for first, _ in bounds[1:]] + [len(tokens)]
    return [_Piece(first, ends[i], strength) for i, (first, strength) in enumerate(bounds)]


# --------------------------------------------------------------------------------------
# Weighing
# --------------------------------------------------------------------------------------


def _is_command(word: str) -> bool:
    if word in _ES_IMPERATIVE:
        return True
    match = _ENCLITIC.search(word)
    return match is not None and match.start() > 1 and word[: match.start()] in _ES_IMPERATIVE


class _Reader:
    """One sentence: its tokens, hits and pieces, and what each piece says."""

    def __init__(
        self,
        tokens: list[_Token],
        content: str,
        text: str,
        sentence: _Sentence,
        *,
        personal: bool,
        known: bool,
    ) -> None:
        self.personal = personal  # the message speaks of its writer
        self.known = known  # an earlier sentence said something
        self.forced = False  # the next sentence calls this one a rule
        self.tokens = tokens
        self.content = content
        self.text = text
        self.sentence = sentence
        first = tokens[0].word if tokens else ""
        self.asks = _is_command(first) or first in _EN_IMPERATIVE
        self.hits = _without_overruled(_hits(tokens), [token.word for token in tokens])
        self.speech = False
        self.material = self._material()
        self.hits = [
            hit for hit in self.hits if hit.last <= self.material or hit.name == "injection"
        ]
        self._firsts = [hit.first for hit in self.hits]
        self.names = {hit.name for hit in self.hits}
        self.pieces = _pieces(tokens, text, sentence)
        self.words = [token.word for token in tokens]
        self.first_person = not _FIRST_PERSON.isdisjoint(self.words)

    def _material(self) -> int:
        """Return the token from which on the words are dictated or another's."""
        asks = any(hit.name in ("make", "oneoff") for hit in self.hits) or self.asks
        for hit in self.hits:
            if hit.name == "dictated" and asks:
                return hit.first
            if hit.name == "speech" and hit.last < len(self.tokens):
                gap = self.text[self.tokens[hit.last - 1].end : self.tokens[hit.last].start]
                start, end = self.tokens[hit.last].start, self.tokens[hit.last].end
                if (
                    ":" in gap
                    or _SOFT in gap
                    or (end - start > 3 and self.content[start:end].isupper())
                ):
                    self.speech = True
                    return hit.first
        return len(self.tokens)

    def within(self, first: int, last: int) -> list[_Hit]:
        """Return the hits that begin at the tokens first up to last."""
        return self.hits[bisect_left(self._firsts, first) : bisect_left(self._firsts, last)]

    def best(self, name: str, piece: _Piece) -> float:
        if name not in self.names:
            return 0.0
        found = self.within(piece.first, piece.last)
        return max((hit.weight for hit in found if hit.name == name), default=0.0)

    def has(self, name: str, piece: _Piece) -> bool:
        return name in self.names and any(
            hit.name == name for hit in self.within(piece.first, piece.last)
        )

    def starts_with(self, name: str, within: int = 1) -> bool:
        return name in self.names and any(hit.name == name for hit in self.within(0, within))

    def command(self, piece: _Piece) -> tuple[bool, bool]:  # noqa: PLR0911, PLR0912
        """Return whether the piece is addressed to the assistant, and whether it forbids."""
        words = self.words
        i = piece.first
        while i < piece.last and (words[i] in _EN_STANDALONE or words[i] in _ES_STANDALONE):
            if words[i] in ("nunca", "jamas", "never") and i + 1 < piece.last:
                following = words[i + 1]
                if following in _ES_SECOND or following in _EN_IMPERATIVE:
                    return True, True
                if following in ("me", "nos", "le", "lo", "la") and i + 2 < piece.last:
                    return words[i + 2] in _ES_SECOND or words[i + 2] in _ES_USTED, True
                if (
                    words[i] == "never"
                    and following not in _NOT_BASE
                    and not following.endswith(("ed", "ing"))
                ):
                    return True, True
            i += 1
        if i >= piece.last:
            return False, False
        word = words[i]
        if word == "do" and i + 1 < piece.last and words[i + 1] == "not":
            return words[i + 2 : i + 3] not in (["like"], ["want"], ["think"], ["know"]), True
        if word in ("no", "ni", "nunca", "jamas"):
            j = i + 1
            while j < piece.last and words[j] in (
                "me",
                "te",
                "lo",
                "la",
                "los",
                "las",
                "le",
                "nos",
                "se",
                "les",
            ):
                j += 1
            if j < piece.last and (
                words[j] in _ES_SECOND
                or (words[j] in _ES_USTED and (j == i + 1 or words[j].endswith(("e", "en", "an"))))
            ):
                return True, True
            return False, False
        if word in ("avoid", "stop", "evita", "evite", "evitad", "evitá"):
            return True, True
        if _is_command(word) or word in _EN_IMPERATIVE:
            return True, False
        if word in ("me", "nos", "lo", "la", "los", "las", "le", "te") and i + 1 < piece.last:
            j = i + 1 if words[i + 1] not in ("lo", "la", "los", "las") else i + 2
            return j < piece.last and words[j] in _ES_SECOND, False
        return False, False

    def second_person(self, piece: _Piece) -> bool:
        return any(word in _ES_SECOND for word in self.words[piece.first : piece.last])

    def style(self, piece: _Piece) -> bool:
        return any(
            word in _STYLE_EXACT or (len(word) > 3 and word.startswith(_STYLE_PREFIXES))
            for word in self.words[piece.first : piece.last]
        )


_ADVERBIAL_VERBS = _words(
    """
    use keep put leave usa utiliza emplea manten pon pone deja usar ponga use mantenga stick
    """
)
_INDEFINITE = _words("un una unos unas a an some")
_PARTS = _words(
    """
    titulo title parrafo paragraph codigo code tabla table texto text intro introduccion
    conclusion header
    cabecera boton button menu correo email mensaje message informe report ejemplo example logo
    imagen image
    """
)
_TASKS = _words(
    """
    explain translate summarise summarize describe compare analyse analyze tell list draft
    explica traduce
    resume describe compara analiza cuenta explicame traduceme resumeme
    """
)
_NOT_BASE = _words(
    """
    a an the been had seen got heard knew in on at mind again me my i we he it was is
    """
)
_ES_USTED = frozenset(word for word in _ES_IMPERATIVE if word.endswith(("e", "a", "en", "an")))


def _is_terse(reader: _Reader) -> bool:
    """Whether a verbless sentence sets a manner: "prices in pounds", "code first"."""
    words = reader.words
    return (
        2 < len(words) <= 9
        and not reader.sentence.bullet
        and not _MANNER_WORDS.isdisjoint(words)
        and not any(
            token.number or token.proper or _is_past(reader, token) for token in reader.tokens
        )
    )


_MANNER_WORDS = _words(
    """
    in en sin under over first then luego despues menos less please favor van go
    """
)
_VERBLESS = _words("nada sin cero menos solo only no zero fewer less short")


def _instruction(reader: _Reader, piece: _Piece, conditional: bool) -> tuple[float, bool]:  # noqa: PLR0911, PLR0912
    """Return the weight as a standing rule, and whether the piece asks for something at all."""
    command, forbids = reader.command(piece)
    directive = reader.best("directive", piece)
    standing = reader.best("standing", piece) > 0
    anywhere = reader.forced or "standing" in reader.names
    style = reader.style(piece)
    once = any(hit.name == "oneoff" for hit in reader.within(0, piece.last))
    words = reader.words[piece.first : piece.last]
    if any(
        word in _PARTS and i and words[i - 1] in ("el", "la", "the") for i, word in enumerate(words)
    ):
        once = True  # "change the title"
    makes = (
        bool(words)
        and words[0] not in _ADVERBIAL_VERBS
        and any(word in _INDEFINITE or word in _NUMBER_WORDS for word in words[1:4])
    ) or (reader.has("make", _Piece(piece.first, piece.first + 2, 0)) and "the" in words)
    speaks_of_self = bool(words) and words[0] in ("i", "we", "yo", "nosotros", "my", "mi")
    if words[:1] and words[0] in ("ahora", "now", "hoy", "today", "luego", "then"):
        once = True
    if reader.has("ruling", piece) and not once:
        return 1.7, True
    if command:
        if anywhere:
            return 1.8, True
        if conditional:
            return 1.5, True
        if forbids and not once:
            return 1.3, True
        manner = style or reader.has("manner", piece) or reader.has("universal", piece)
        task = words[0] in _TASKS or (_ENCLITIC.sub("", words[0]) in _TASKS)
        if reader.has("manner", piece) and not once:
            return 1.3, True
        if manner and not (once or makes or task):
            return 1.2, True
        return 0.0, True
    if anywhere and reader.has("wants", piece) and not reader.has("fact", piece):
        return 1.5, True
    if directive:
        if anywhere or (style and not once and not makes):
            return 1.7, True
        if reader.second_person(piece) and forbids:
            return 1.3, True
        return 0.0, True
    wanting = words[:1] and words[0] in ("quiero", "queremos", "necesito", "necesitamos")
    if (wanting or words[:2] == ["i", "want"]) and style and not once and not makes:
        return 1.2, True
    if reader.second_person(piece) and not speaks_of_self and (standing or conditional):
        return 1.3, True
    while words and words[0] in _LINKING:
        words = words[1:]
    for i, word in enumerate(words):
        if word in ("unless", "salvo", "si", "if", "cuando", "when"):
            words = words[:i]
            break
    if (
        words
        and len(words) < 12
        and (style or anywhere or conditional)
        and (
            words[0] in _VERBLESS
            or reader.forced
            or (style and anywhere)
            or (anywhere and words[0] in ("one", "una", "un"))
            or (style and _is_terse(reader))
        )
        and _FACT_VERBS.isdisjoint(word for word in words if word not in ("go", "van", "va"))
        and _FIRST_PERSON.isdisjoint(words)
        and not once
        and words[:2] != ["short", "for"]
    ):
        return 1.2, False
    return 0.0, False


def _description(reader: _Reader, piece: _Piece) -> float:
    """Weigh a piece as a statement about the speaker's world."""
    words = reader.words[piece.first : piece.last]
    tokens = reader.tokens[piece.first : piece.last]
    weight = reader.best("fact", piece)
    numbers = any(
        token.number or token.word in _MONTHS_AND_DAYS or token.word in _NUMBER_WORDS
        for token in tokens
    )
    proper = any(
        token.proper
        and token.word not in ("i", "am")
        and (
            reader.personal
            or not (token.word in _WELL_KNOWN or reader.content[token.start : token.end].isupper())
        )
        for token in tokens
    )
    owned = {
        word
        for i, word in enumerate(words)
        if word in _OWN_NOUNS and (i == 0 or not _DEFINITE.isdisjoint(words[max(0, i - 2) : i]))
    }
    own = bool(owned)
    at_home = reader.personal or not owned <= _COMMON_NOUNS
    role = not _PEOPLE_AND_ROLES.isdisjoint(words)
    first_person = not _FIRST_PERSON.isdisjoint(words)
    specific = 0.35 * numbers + 0.35 * proper
    named = len(tokens) > 1 and tokens[1].proper
    definite = words[0] in _SUBJECT_STARTS and not named
    role = role or not _KIN.isdisjoint(words)
    if (
        piece.first == 0
        and words[1:2]
        and words[1] in _PERSONAL_VERBS
        and words[0] not in _SUBJECTS
    ):
        weight = max(weight, 0.9)
    if any(word in _FACT_VERBS and not _helps(words, i) for i, word in enumerate(words)):
        belongs = (0.5 if at_home else 0.35) * own
        again = 0.25 * (reader.known and words[0] in _ANAPHORS)
        weight = max(
            weight,
            0.4 + belongs + 0.5 * first_person + 0.5 * role + specific + again + 0.2 * definite,
        )
    elif own and any(_is_past(reader, token) for token in tokens):
        weight = max(weight, 0.3 + (0.5 if at_home else 0.35) + specific)
    elif first_person or _speaks_in_first_person(words):
        weight = max(weight, 0.7 + specific)
    if "general" in reader.names and not first_person:
        weight -= 0.5 - 0.2 * own
    dated = any(token.word in _WEEKDAYS or token.word in _ORDINAL_DAYS for token in tokens)
    placed = own and at_home
    if not (reader.personal or placed or dated) and reader.best("fact", piece) < 1.0:
        weight -= 0.15 * (specific == 0) + 0.25 * (not own and not role)
    return weight


_WELL_KNOWN = _words(
    """
    python java javascript typescript postgresql postgres mysql redis linux windows macos docker
    kubernetes git github html css sql http https json xml yaml rust go excel word google
    microsoft apple amazon tierra earth sol sun luna moon europa europe america africa asia
    espana spain francia france italia italy alemania germany mexico argentina chile peru
    colombia english spanish latin unix react node django rails spring bash vim emacs chrome
    firefox android internet web wikipedia
    """
)
_SUBJECT_STARTS = _words("the el la los las he she there hay in en at he's she's")
_KIN = _words(
    """
    mum mom mummy dad daddy grandad grandpa grandma granny gran mama papa abuelo abuela
    """
)
_PERSONAL_VERBS = _words(
    """
    handles manages covers owns maintains joined retired works lives lleva trabaja vive dirige
    coordina encarga teaches leads leaves
    """
)


def _helps(words: list[str], i: int) -> bool:
    """Whether a verb is only an auxiliary: I have updated; ha quedado."""
    return words[i] in ("have", "has", "'s") and any(
        word.endswith(("ed", "en", "ought", "ade")) for word in words[i + 1 : i + 3]
    )


def _is_past(reader: _Reader, token: _Token) -> bool:
    """Guess a past tense: asked; pidio with its accent; firmaron."""
    if len(token.word) > 4 and token.word.endswith(("ed", "aron", "ieron", "eron")):
        return True
    return reader.content[token.end - 1] == "ó"


def _progressive(words: list[str]) -> bool:
    """Whether something is under way: estoy preparando, sigo esperando, I am getting ready."""
    for i, word in enumerate(words[:-1]):
        following = words[i + 1 : i + 3]
        if following[0] in ("a", "an", "the", "un", "una", "el", "la"):
            continue
        if word in _UNDER_WAY_ES:
            if any(w.endswith(("ando", "iendo", "yendo")) and w not in _LASTING for w in following):
                return True
        elif word in _UNDER_WAY_EN and any(
            w.endswith("ing") and len(w) > 4 and w not in _LASTING for w in following
        ):
            return True
    return False


_UNDER_WAY_ES = _words("estoy estamos ando andamos anda andan sigo seguimos esta estan")
_UNDER_WAY_EN = _words("am are is 's")
_LASTING = _words(
    """
    cuando living using working being viviendo usando trabajando everything nothing anything
    something morning evening missing interesting boring annoying king thing running during
    amazing
    """
)


def _speaks_in_first_person(words: list[str]) -> bool:
    """Spanish drops the pronoun: entreno triatlon, desplegamos los jueves."""
    if len(words) < 2:
        return False
    for word in words[:3]:
        if (
            len(word) > 5
            and word.endswith(("amos", "emos", "imos"))
            and word not in ("vamos", "podemos")
        ):
            return True
    return len(words[0]) > 4 and words[0].endswith("o") and words[1] in _AFTER_VERB


_DEFINITE = _words("el la los las the del al this de whole entire other")
_ANAPHORS = _words(
    """
    it he she they its his her their su sus es son tiene tienen ella lo la
    """
)
_AFTER_VERB = _words(
    """
    el la los las un una en con de a mi mis para por como desde todos todas solo
    """
)


class _Block(NamedTuple):
    kind: str
    start: int
    end: int
    importance: float


_QUESTION_START = frozenset(
    _WH | _words("is are am was were do does did can could would will should")
)


def _question_start(reader: _Reader) -> int:
    """Return the token at which a question begins, or the number of tokens where there is none."""
    start = reader.sentence.start
    if reader.sentence.question:
        if "¿" in reader.text[max(0, start - 4) : start + 1]:
            return 0
        return _marked_question(reader)
    return _unmarked_question(reader)


def _marked_question(reader: _Reader) -> int:
    words = reader.words
    count = len(words)
    for piece in reader.pieces:
        at = piece.first
        while at < count - 1 and words[at] in _FILLERS:
            at += 1
        if words[at] in _WH or words[at] in _AUX or words[at] in ("any", "want", "me"):
            return piece.first
    for i in range(1, count - 1):
        opens = words[i] in _WH and words[i] not in _RELATIVES
        if opens and (words[i + 1] in _AUX or words[i + 1] in ("long", "many", "much", "about")):
            return i
    return 0


def _unmarked_question(reader: _Reader) -> int:
    """Find a question that its writer did not mark: voice messages, chats."""
    words = reader.words
    count = len(words)
    for piece in reader.pieces:
        pair = words[piece.first : piece.first + 2]
        if piece.first + 2 < count and pair[0] in _ASKING and pair[1] in ("you", "i", "we"):
            return piece.first
        asks = pair[0] in ("puedes", "podrias", "podes", "sabes", "puedo", "podemos")
        if asks and not reader.has("ruling", piece):
            return piece.first
    for i in range(count - 2):
        if (
            words[i] in ("what", "how", "why", "where", "which")
            and words[i + 1] in _AUX
            and words[i + 2] in ("i", "you", "we", "the", "it", "my")
            and (i == 0 or words[i + 1] in ("do", "can", "should", "is"))
        ):
            return i
    interrogative = (
        words[0] in ("cual", "quien", "cuanto", "cuantos") and not reader.sentence.bullet
    )
    if count > 1 and interrogative:
        return 0
    if count > 2 and words[0] in ("como", "que", "donde") and words[1] in _ASKED_ES:
        return 0
    return count


_RELATIVES = _words("que when cuando which who where donde como")
_ASKING = _words("can could would will should do is are may")
_ASKED_ES = _words("puedo hago se me podemos opinas")
_FILLERS = _words(
    """
    so and but y pero entonces ok okay also well oye bueno e hey please por
    """
)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in " \t\r\n.,;:!?¿¡*_-–—#•>)":
        start += 1
    while end > start and text[end - 1] in _TRAIL:
        end -= 1
    return start, end


def _read_sentence(reader: _Reader) -> list[_Block]:
    """Turn one sentence into blocks."""
    words = reader.words
    names = reader.names
    count = len(words)
    if count < 2 or "injection" in names:
        return []
    if "hypothetical" in names and "standing" not in names:
        return []
    if "sarcasm" in names or (words[0] in ("jaja", "jajaja", "haha", "lol") and "!" in reader.text):
        return []
    asked = _question_start(reader)
    blocks: list[_Block] = []
    if asked < count:
        blocks += _embedded(reader, asked)
        if asked == 0:
            return blocks
    if reader.sentence.before_question and words[0] in (
        "si",
        "if",
        "y",
        "and",
        "para",
        "cuando",
        "pero",
    ):
        return blocks
    pieces = []
    for piece in reader.pieces:
        if piece.last > reader.material and reader.speech:
            continue  # "the sign says NO ENTRY"
        if piece.first < asked and piece.first < reader.material:
            pieces.append(_Piece(piece.first, min(piece.last, asked), piece.strength))
    return blocks + _read_pieces(reader, pieces)


def _embedded(reader: _Reader, asked: int) -> list[_Block]:
    """Find what a question says by the way: "... bearing in mind that I cannot stand fish?"."""
    best: _Hit | None = None
    for hit in reader.hits:
        said = hit.name == "embedded" and hit.first >= asked and hit.last < len(reader.tokens)
        if said and (best is None or hit.last > best.last):
            best = hit
    if best is None:
        return []
    first = best.last
    piece = _Piece(first, len(reader.tokens), 0)
    for kind in ("preference", "fact", "context"):
        weight = reader.best(kind, piece)
        if weight < 1.2 and kind == "preference":
            weight = max(
                (h.weight for h in reader.hits if h.name == kind and h.last > first), default=0.0
            )
        if weight >= 1.2:
            return [_block(reader, kind, piece, weight)]
    return []


def _block(reader: _Reader, kind: str, piece: _Piece, weight: float) -> _Block:
    tokens = reader.tokens
    end = tokens[piece.last].start if piece.last < len(tokens) else reader.sentence.end
    start = tokens[piece.first].start if piece.first else reader.sentence.start
    if piece.first:
        while piece.first < piece.last - 2 and reader.words[piece.first] in _LINKING:
            piece = _Piece(piece.first + 1, piece.last, 0)
        start = tokens[piece.first].start
    start, end = _trim(reader.text, start, end)
    end = max(end, tokens[piece.last - 1].end)
    importance = _BASE_IMPORTANCE[kind]
    if reader.has("strong", piece):
        importance += 0.1
    if reader.has("hedged", piece):
        importance -= 0.15
    if weight >= 1.6:
        importance += 0.05
    return _Block(kind, start, end, round(min(1.0, max(0.05, importance)), 2))


_FEEDBACK = _words(
    """
    it this that your these those tu tus esta este esto eso esa ese como asi the la el
    """
)
_VERSIONS = _words(
    """
    second first third last version option one answer draft rest segunda primera tercera ultima
    segundo primero opcion version respuesta borrador propuesta idea resultado
    """
)


def _is_feedback(reader: _Reader, piece: _Piece) -> bool:
    """Whether a liking is for what was just made: "I love it", "me gusta tu respuesta"."""
    words = reader.words
    for hit in reader.within(piece.first, piece.last):
        if hit.name != "preference":
            continue
        following = words[hit.last : min(hit.last + 3, len(words))]
        if not _VERSIONS.isdisjoint(following) and len(words) < 12:
            return True
        if hit.last >= piece.last:
            if hit.first == piece.first and piece.last - piece.first < 4 and not following:
                return words[piece.first] not in ("no", "not", "big", "huge")
            continue
        if following[0] in _FEEDBACK and (
            following[0] not in ("the", "la", "el") or not _VERSIONS.isdisjoint(following)
        ):
            return following[0] not in ("it", "that", "this", "como") or len(words) < 8
    return False


_LINKING = _words("so asi que and y e but pero pues because porque")


class _Group:
    __slots__ = ("first", "kind", "last", "weight")

    def __init__(self, kind: str, weight: float, first: int, last: int) -> None:
        self.kind = kind
        self.weight = weight
        self.first = first
        self.last = last


def _weigh(reader: _Reader, piece: _Piece, conditional: bool) -> tuple[str, float]:  # noqa: PLR0911
    """Return what a piece says: a type, 'request' for a one-off, or '' for nothing."""
    instruction, asks = _instruction(reader, piece, conditional)
    preference = reader.best("preference", piece)
    if instruction >= 1.0 and instruction >= preference - 0.4:
        return "instruction", instruction
    if asks and _FIRST_PERSON.isdisjoint(reader.words[piece.first : piece.last]):
        return "request", 1.0
    if preference >= 1.2:
        wishes = any(
            word in ("would", "gustaria", "quisiera", "preferiria")
            for word in reader.words[piece.first : piece.last]
        )
        if (wishes and "oneoff" in reader.names) or _is_feedback(reader, piece):
            return "request", 1.0
        return "preference", preference
    if asks:
        return "request", 1.0
    if reader.has("trivial", piece):
        return "chat", 1.0
    context = reader.best("context", piece)
    if context < 1.2 and _progressive(reader.words[piece.first : piece.last]):
        context = 1.2 if reader.personal else 0.7
    described = _description(reader, piece)
    if context >= 1.2:
        return "context", context
    if (
        context >= 0.7
        and piece.last - piece.first > 4
        and (reader.first_person or described >= 0.7 or reader.words[0] in _DEFINITE)
        and "chitchat" not in reader.names
    ):
        return "context", 1.0
    if described >= 0.9 and (described >= 1.2 or not reader.has("chitchat", piece)):
        return "fact", described
    return "", described


_CONCESSIVE = _words("even aunque although though")


def _opens_rule(reader: _Reader, group: _Group) -> bool:
    """Whether a group is the "whenever ..." or the command that a rule goes on from."""
    return group.kind == "request" or any(
        hit.name in ("condition", "standing") and hit.first <= group.first + 1
        for hit in reader.within(group.first, group.first + 2)
    )


def _read_pieces(reader: _Reader, pieces: list[_Piece]) -> list[_Block]:  # noqa: PLR0912
    words = reader.words
    once = any(
        hit.name == "oneoff" and words[hit.first] in ("solo", "just", "only", "once", "por")
        for hit in reader.hits
    )
    groups: list[_Group] = []
    conditional = False
    for piece in pieces:
        length = piece.last - piece.first
        chat = reader.has("chitchat", _Piece(piece.first, piece.first + 1, 0))
        conditional = conditional or reader.has("condition", piece)
        kind, weight = _weigh(reader, piece, conditional)
        previous = groups[-1] if groups else None
        word = words[piece.first]
        if (
            kind in ("instruction", "request")
            and piece.strength == 2
            and previous is not None
            and previous.kind in ("fact", "preference", "context", "")
            and words[piece.first + 1 : piece.first + 2] != ["please"]
            and not reader.has("condition", piece)
        ):
            kind = ""  # "we moved to X and keep Y": the verb has a subject
        if word in _CONCESSIVE and kind in ("fact", "context") and previous is not None:
            kind = ""
        if kind == "fact" and weight < 1.2 and piece.strength == 2 and previous is not None:
            kind = "" if previous.kind == "preference" else kind
        if kind == "instruction" and weight <= 1.2 and previous is not None:
            kind = "" if previous.kind == "request" else kind  # "five names, short ones"
        if chat and kind in ("", "context") and length < 6:
            kind = "chat"
        if kind == "" and (piece.strength == 4 or (word in _CAUSES and previous is not None)):
            kind = "none"
        if previous is None:
            groups.append(_Group(kind, weight, piece.first, piece.last))
        elif previous.kind == kind and (piece.strength < 4 or kind == "fact"):
            previous.last = piece.last
            previous.weight = max(previous.weight, weight)
        elif kind == "" and previous.kind not in ("chat", "none"):
            previous.last = piece.last
        elif (previous.kind == "" and kind not in ("chat", "none")) or (
            kind == "instruction" and piece.strength < 4 and _opens_rule(reader, previous)
        ):
            previous.kind, previous.weight, previous.last = kind, weight, piece.last
        elif piece.strength < 4 and {previous.kind, kind} == {"fact", "context"}:
            previous.kind = "context"
            previous.last = piece.last
        elif previous.kind == "instruction" and kind == "request":
            previous.last = piece.last
        else:
            groups.append(_Group(kind, weight, piece.first, piece.last))
    _settle_tail(reader, groups, pieces)
    blocks = []
    for group in groups:
        if group.kind in _TYPES and not (once and group.kind == "instruction"):
            blocks.append(
                _block(reader, group.kind, _Piece(group.first, group.last, 0), group.weight)
            )
    return blocks


def _settle_tail(reader: _Reader, groups: list[_Group], pieces: list[_Piece]) -> None:
    """Settle what no verb decides: "two sugars, always"; "the oven is on, how long ...?"."""
    if len(groups) != 1 or not pieces:
        return
    group = groups[0]
    words = reader.words[group.first : group.last]
    last = reader.words[pieces[-1].first : pieces[-1].last]
    if (
        group.kind == ""
        and not reader.asks
        and (
            len(last) == 1 or (len(last) < 4 and last[0] in ("siempre", "always", "nunca", "never"))
        )
        and not {"always", "never", "siempre", "nunca"}.isdisjoint((last[0], last[-1]))
        and len(words) < 9
        and _FACT_VERBS.isdisjoint(words)
    ):
        group.kind, group.weight = "preference", 1.0
    if group.last < len(reader.words) and group.kind in ("", "fact") and 0.7 <= group.weight < 1.2:
        group.kind = "context"


_KEY_VALUE = re.compile(r"[^\W\d][\w .()/'-]{0,40}:\s+\S")


def _read(mask: _Mask) -> list[_Block]:  # noqa: PLR0912, PLR0915
    """Read the sentences in order; some of them say that the rest is not the user's."""
    text = "".join(mask.chars)
    blocks: list[_Block] = []
    silent = 0  # up to here somebody else speaks
    shouted = False
    seen: set[str] = set()
    sentences = _sentences(text)
    if len(sentences) > 150 and len(text) < 24 * len(sentences):
        return []  # hundreds of scraps are data
    key_values = sum(1 for item in sentences if _KEY_VALUE.match(text, item.start, item.end))
    personal = any(match.group() in _FIRST_PERSON for match in _WORD.finditer(text))
    for index, sentence in enumerate(sentences):
        if not 4 < sentence.end - sentence.start <= _LONGEST_SENTENCE:
            continue  # nobody speaks like that: pasted or broken text
        tokens = _tokens(mask, text, sentence)
        if len(tokens) < 2 or len(tokens) > _LONGEST_SENTENCE // 8:
            continue
        words = text[sentence.start : sentence.end]
        if words in seen:
            continue  # said again, nothing new
        seen.add(words)
        reader = _Reader(
            tokens, mask.content, text, sentence, personal=personal, known=bool(blocks)
        )
        reader.forced = _is_confirmed(mask, text, sentences, index)
        names = reader.names
        if "injection" in names:
            return []
        if {"make", "fiction"} <= names and not reader.best("preference", reader.pieces[0]):
            break
        if sentence.start < silent or (shouted and _is_shouted(mask.content, sentence)):
            continue
        shouted = reader.material < len(tokens)
        if shouted and ":" in text[tokens[reader.material].start : sentence.end]:
            line_end = text.find("\n", sentence.end)
            silent = len(text) if line_end < 0 else line_end
        if _acknowledges(reader):
            continue
        if reader.words[:2] in (
            ["you", "are"],
            ["eres", "un"],
            ["eres", "una"],
            ["sos", "un"],
        ) and (index or not sentence.question):
            break  # somebody's system prompt
        raw = text[sentence.start : sentence.end]
        colon = raw.rstrip(" \r*_").endswith(":")
        material = "task_on_text" in names
        following = text[sentence.end : sentence.end + 4]
        pasted = material and (
            colon or (following.count("\n") > 1 and ("oneoff" in names or sentence.question))
        )
        head = _before_colon(reader)
        if colon or (material and head < len(tokens)):
            if (reader.asks or head < 6 or "oneoff" in names or colon) and any(
                hit.name == "task_on_text" for hit in reader.within(0, head)
            ):
                pieces = [piece for piece in reader.pieces if piece.first < head]
                blocks += _read_pieces(reader, pieces)
                break
            if colon and len(tokens) < 6:
                continue
        key_value = _KEY_VALUE.match(raw) if len(raw) < 160 else None
        if key_value and not sentence.question:
            block = _read_key_value(reader, sentence, key_values > 1)
            if block is not None:
                blocks.append(block)
                continue
        if sentence.bullet and len(tokens) < 4 and raw.rstrip().endswith(("**", "__")):
            continue
        blocks += _read_sentence(reader)
        if pasted:
            break
    return blocks


_LONGEST_SENTENCE = 2000  # characters
_AGREEING = _words(
    """
    entendido perfecto vale claro listo hecho anotado noted understood sure great okay ok got
    apuntado dale certainly absolutely
    """
)


def _acknowledges(reader: _Reader) -> bool:
    """Whether an assistant promises: "Got it, I'll ...", "Perfecto, te responderé ..."."""
    words = reader.words
    future = any(len(word) > 5 and word.endswith(("are", "ere", "ire")) for word in words) or any(
        words[i : i + 2] in (["i", "will"], ["te", "voy"], ["voy", "a"]) for i in range(len(words))
    )
    if words[0] in _AGREEING and future:
        return True
    return reader.starts_with("acknowledged", 4) and not reader.starts_with("standing")


def _is_shouted(content: str, sentence: _Sentence) -> bool:
    return content[sentence.start : sentence.end].isupper()


_RULE_HINT = re.compile(
    "siempre|norma|regla|sistema|adelante|nunca|always|never|rule|order|default|board|excep|futur|ward"
)


def _is_confirmed(mask: _Mask, text: str, sentences: list[_Sentence], index: int) -> bool:
    """Whether the next sentence is "Always.", "Standing order." or "Es una norma."."""
    if index + 1 >= len(sentences):
        return False
    following = sentences[index + 1]
    if (
        following.end - following.start > 60
        or following.question
        or not _RULE_HINT.search(text, following.start, following.end)
    ):
        return False
    tokens = _tokens(mask, text, following)
    return 0 < len(tokens) < 6 and sum(
        hit.last - hit.first for hit in _hits(tokens) if hit.name == "standing"
    ) * 2 >= len(tokens)


def _before_colon(reader: _Reader) -> int:
    for i in range(1, len(reader.tokens)):
        gap = reader.text[reader.tokens[i - 1].end : reader.tokens[i].start]
        at = gap.find(":")
        if at >= 0 and len(gap) > at + 1:
            return i
    return len(reader.tokens)


_TOOL_KEYS = _words(
    """
    status tests test time elapsed result results resultado resultados exit error bash busqueda
    warning npm total output salida passed failed estado code note nota ejemplo example
    """
)


def _read_key_value(reader: _Reader, sentence: _Sentence, several: bool) -> _Block | None:
    head = _before_colon(reader)
    if head > 5 or head >= len(reader.tokens):
        return None
    whole = _Piece(0, len(reader.tokens), 0)
    kind, weight = _weigh(reader, whole, False)
    if kind in ("instruction", "preference", "request"):
        return None
    if kind == "context":
        return _block(reader, kind, whole, weight)
    specific = any(token.number or token.proper for token in reader.tokens[head:])
    keys = set(reader.words[:head])
    if not keys.isdisjoint(_TOOL_KEYS):
        return None
    if specific and (
        sentence.bullet
        or several
        or kind == "fact"
        or not keys.isdisjoint(_OWN_NOUNS | _PEOPLE_AND_ROLES)
        or (sentence.line_start and head < 4 and "name" in keys)
    ):
        return _block(reader, "fact", whole, 1.0)
    return None


# --------------------------------------------------------------------------------------
# The public function
# --------------------------------------------------------------------------------------


def _fit(content: str, start: int, end: int, size: int) -> list[tuple[int, int]]:
    """Cut a span into parts of at most size characters, at clauses where there are any."""
    parts = []
    while end - start > size:
        window = content[start : start + size + 1]
        cut = -1
        for mark in ("\n", "; ", ": ", ", ", " "):
            at = window.rfind(mark, size // 2)
            if at > 0:
                cut = at + (1 if mark not in {" ", "\n"} else 0)
                break
        cut = size if not 0 < cut <= size else cut
        parts.append((start, start + cut))
        start += cut
        while start < end and content[start].isspace():
            start += 1
    if start < end:
        parts.append((start, end))
    return parts


def extract_heuristic(
    content: str, min_content_length: int, max_block_size: int, patterns: list[str]
) -> list[tuple[str, str, float, str]]:
    """Return (block_type, span, importance, language) for what is worth remembering, in text order.

    A span is an exact substring of content, between min_content_length and max_block_size
    characters long; what is longer is cut at a clause or a word. Only the types in patterns are
    returned. Importance lies in 0..1. Language is 'es', 'en' or 'simple'. Never raises on text.
    """
    smallest = max(1, min_content_length)
    if max_block_size < smallest or len(content) < smallest or _ROLE_TAG.match(_fold(content[:60])):
        return []
    mask = _Mask(content)
    _hide_rendered(mask)
    _hide_code(mask)
    _hide_quotes(mask)
    _hide_lines(mask)
    overall = detect_language(content)
    found = []
    for block in sorted(_read(mask), key=lambda item: item.start):
        if block.kind not in patterns:
            continue
        for start, end in _fit(content, block.start, block.end, max_block_size):
            span = content[start:end]
            stripped = span.strip()
            if len(stripped) < smallest:
                continue
            language = detect_language(stripped)
            if language == "simple":
                language = overall
            found.append((block.kind, stripped, block.importance, language))
    return found
