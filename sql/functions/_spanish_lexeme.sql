-- _spanish_lexeme: the stem that a folded Spanish lexeme would have had, had Snowball seen its accents.
--
-- Called by: _block_lexemes, for texts and questions alike. What is stored was computed with it: a change of
-- its answers needs a new value of blocks.lexemes_version.
--
-- Endings in -i are cut where the root before them is one of a verb in -er or -ir: those are a closed class, so
-- comía falls on come, but María not on mar nor batería on bate. Verbs in -ar are none: of what ends as their
-- conditional does, nouns that would fall on another word are excepted by name. The patterns that begin with
-- three alternatives are Snowball's RV, the part of a word that endings are cut from.

create or replace function cto._spanish_lexeme(lexeme text)
returns text
language plpgsql
immutable
strict
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_stem text := lexeme;
    v_ending text;
    v_verb text;
begin
    -- Roots too short for Snowball to cut behind them: abre, usaba, entró, leía.
    if left(lexeme, 1) in ('a', 'c', 'e', 'l', 'u')
        and lexeme ~ '^(?:abr(?:[aeo]|[ae][sn]|i|i[drms]|iri|am|em|ist|iend|ieron|ier|ies)'
            '|(?:us|ech)e[sn]?|(?:us|entr|ech)(?:[ao]|a[snrbdm]|em|and|ari|ast|aron)'
            '|(?:le|ca)(?:e|e[srnm]|i[dm]?|eri|ist))$'
    then
        return case left(lexeme, 2)
            when 'ab' then 'abrir' when 'us' then 'usar' when 'en' then 'entrar' when 'ec' then 'echar'
            when 'le' then 'leer' else 'caer'
        end;
    end if;

    -- Vosotros: habláis, coméis; what is before may be another ending (hablaríais).
    if lexeme like '%is'
        and v_stem ~ '^(?:.[^aeiou]+[aeiou]|[aeiou]{2,}[^aeiou]|[^aeiou][aeiou].).*[ae]is$'
        and v_stem <> all (array['parais', 'valparais', 'francais', 'palais', 'calais'])
    then
        v_stem := left(v_stem, -3);
    end if;

    -- Verbs in -er and -ir: comía, comió, comería, comerá, comiéramos, escribís.
    if right(v_stem, 1) in ('i', 'r', 's') then
        foreach v_ending in array array['i', 'er', 'ir', 'eri', 'iri', 'ier', 'is']
        loop
            continue when right(v_stem, length(v_ending)) <> v_ending;

            -- The common ones whose folded endings name hardly anything else.
            v_verb :=
                '{"abat": "ir", "abol": "ir", "absolv": "er", "absorb": "er", "aburr": "ir", "acced": "er", "acog": "er",
                "acontec": "er", "acud": "ir", "adher": "ir", "admit": "ir", "adquir": "ir", "advert": "ir",
                "advirt": "ir", "aflig": "ir", "agradec": "er", "agred": "ir", "alud": "ir", "amanec": "er",
                "anad": "ir", "anochec": "er", "aparec": "er", "apetec": "er", "aplaud": "ir", "aprend": "er",
                "arrepent": "ir", "ascend": "er", "asent": "ir", "asist": "ir", "asum": "ir", "atend": "er",
                "atra": "er", "atrev": "er", "atribu": "ir", "bat": "ir", "beb": "er", "bendec": "ir",
                "cab": "er", "carec": "er", "ced": "er", "coc": "er", "cog": "er", "coincid": "ir",
                "com": "er", "combat": "ir", "comet": "er", "compadec": "er", "comparec": "er",
                "compart": "ir", "compet": "ir", "compit": "ir", "complac": "er", "compon": "er",
                "comprend": "er", "compromet": "er", "conceb": "ir", "conced": "er", "concib": "ir",
                "conclu": "ir", "concurr": "ir", "conduc": "ir", "confer": "ir", "confund": "ir",
                "conmov": "er", "conoc": "er", "consegu": "ir", "consent": "ir", "consigu": "ir",
                "consist": "ir", "constitu": "ir", "constru": "ir", "consum": "ir", "conten": "er",
                "contradec": "ir", "contribu": "ir", "convenc": "er", "convert": "ir", "convirt": "ir",
                "conviv": "ir", "corr": "er", "correg": "ir", "correspond": "er", "corrig": "ir",
                "corromp": "er", "cre": "er", "crec": "er", "cubr": "ir", "cumpl": "ir", "deb": "er",
                "debat": "ir", "dec": "ir", "decid": "ir", "decrec": "er", "deduc": "ir", "defend": "er",
                "defin": "ir", "depend": "er", "depon": "er", "deprim": "ir", "derret": "ir",
                "desaparec": "er", "descend": "er", "descompon": "er", "desconoc": "er", "describ": "ir",
                "descubr": "ir", "desenvolv": "er", "deshac": "er", "desment": "ir", "desobedec": "er",
                "desped": "ir", "despid": "ir", "desprend": "er", "destru": "ir", "deten": "er",
                "devolv": "er", "difer": "ir", "difund": "ir", "diger": "ir", "dimit": "ir", "dirig": "ir",
                "discut": "ir", "disminu": "ir", "disolv": "er", "dispon": "er", "distingu": "ir",
                "distra": "er", "distribu": "ir", "divert": "ir", "divid": "ir", "divirt": "ir", "dorm": "ir",
                "durm": "ir", "eleg": "ir", "elig": "ir", "embellec": "er", "emit": "ir", "emprend": "er",
                "enaltec": "er", "encend": "er", "encubr": "ir", "endurec": "er", "enfurec": "er",
                "enloquec": "er", "enriquec": "er", "entend": "er", "entreten": "er", "envejec": "er",
                "envolv": "er", "erig": "ir", "escog": "er", "escond": "er", "escrib": "ir", "esculp": "ir",
                "escup": "ir", "establec": "er", "estremec": "er", "evad": "ir", "exced": "er", "exclu": "ir",
                "exhib": "ir", "exig": "ir", "exist": "ir", "expand": "ir", "expon": "er", "exprim": "ir",
                "extend": "er", "extingu": "ir", "extra": "er", "fallec": "er", "favorec": "er", "fing": "ir",
                "florec": "er", "flu": "ir", "fortalec": "er", "fund": "ir", "hac": "er", "herv": "ir",
                "hund": "ir", "impart": "ir", "imped": "ir", "impid": "ir", "impon": "er", "imprim": "ir",
                "inclu": "ir", "incurr": "ir", "influ": "ir", "inscrib": "ir", "insist": "ir",
                "interpon": "er", "interrump": "ir", "introduc": "ir", "invad": "ir", "invert": "ir",
                "invirt": "ir", "llov": "er", "manten": "er", "merec": "er", "met": "er",
                "mord": "er", "mov": "er", "nac": "er", "obedec": "er", "obten": "er",
                "ocurr": "ir", "ofend": "er", "ofrec": "er", "omit": "ir", "oscurec": "er", "padec": "er",
                "parec": "er", "part": "ir", "ped": "ir", "percib": "ir", "perd": "er", "perec": "er",
                "permanec": "er", "permit": "ir", "persegu": "ir", "persigu": "ir", "persist": "ir",
                "persuad": "ir", "pertenec": "er", "pervert": "ir", "pid": "ir", "pod": "er", "pon": "er",
                "pose": "er", "pospon": "er", "preced": "er", "prefer": "ir", "prefir": "ir", "prend": "er",
                "prescind": "ir", "presum": "ir", "pretend": "er", "prevalec": "er", "preven": "ir",
                "proced": "er", "produc": "ir", "prohib": "ir", "promet": "er", "promov": "er",
                "propon": "er", "proteg": "er", "quer": "er", "reaparec": "er",                 "recib": "ir", "recog": "er", "reconoc": "er", "recorr": "er", "recubr": "ir", "recurr": "ir",
                "reduc": "ir", "refer": "ir", "refir": "ir", "rehac": "er", "remov": "er", "renac": "er",
                "rend": "ir", "repart": "ir", "repet": "ir", "repit": "ir", "repon": "er", "reproduc": "ir",
                "requer": "ir", "requir": "ir", "resid": "ir", "resist": "ir", "resolv": "er",
                "respond": "er", "restablec": "er", "restring": "ir", "resum": "ir", "reten": "er",
                "retroced": "er", "reun": "ir", "revert": "ir", "reviv": "ir", "revolv": "er", "rind": "ir",
                "romp": "er", "sab": "er", "sacud": "ir", "sal": "ir", "satisfac": "er", "seduc": "ir",
                "segu": "ir", "sent": "ir", "serv": "ir", "sigu": "ir", "sint": "ir", "sirv": "ir",
                "sobreviv": "ir", "socorr": "er", "somet": "er", "sonre": "ir", "sorprend": "er",
                "sosten": "er", "sub": "ir", "suced": "er", "sufr": "ir", "suger": "ir", "sugir": "ir",
                "sumerg": "ir", "supon": "er", "suprim": "ir", "surg": "ir", "suscrib": "ir", "suspend": "er",
                "sustitu": "ir", "sustra": "er", "tej": "er", "ten": "er", "torc": "er", "tra": "er",
                "traduc": "ir", "transcurr": "ir", "transfer": "ir", "transmit": "ir",
                "trascend": "er", "ven": "ir", "venc": "er", "vend": "er", "vert": "er", "vest": "ir",
                "viv": "ir", "volv": "er", "zurc": "ir"}'::jsonb ->> left(v_stem, -length(v_ending));

            if v_ending in ('i', 'ier') and v_verb is not null
                or v_ending in ('er', 'eri') and v_verb = 'er'
                or v_ending in ('ir', 'iri', 'is') and v_verb = 'ir'
            then
                v_stem := left(v_stem, -length(v_ending));
                exit;
            end if;
        end loop;
    end if;

    v_stem := case right(v_stem, 1)
        when 'i' then case
            -- cobraría; but nouns in -ario, -aria whose shorter form is another word stay: salario, sal.
            when right(v_stem, 3) = 'ari'
                and v_stem ~ '^(?:.[^aeiou]+[aeiou]|[aeiou]{2,}[^aeiou]|[^aeiou][aeiou].).*ari$'
                and left(v_stem, -3) <> all (array[
                    'accion', 'actu', 'advers', 'arbitr', 'barb', 'bin', 'bulg', 'calv', 'can', 'candel', 'ces', 'comis', 'contr',
                    'corol', 'coron', 'cors', 'den', 'deposit', 'dispens', 'escen', 'estacion', 'extraordin', 'ferr',
                    'formul', 'funcion', 'glos', 'hil', 'honor', 'hor', 'intermedi', 'inv', 'invent', 'itiner',
                    'lapid', 'liter', 'lun', 'mac', 'mal', 'mam', 'mandat', 'maquin', 'mercad', 'mercen', 'milen',
                    'molin', 'naz', 'not', 'numer', 'oper', 'ordin', 'pas', 'pec', 'pleg', 'plen', 'prec', 'prim',
                    'reaccion', 'ros', 'saf', 'sagr', 'sal', 'sangr', 'sanit', 'secret', 'secund', 'semin', 'sic', 'sol',
                    'solid', 'solit', 'sud', 'sum', 'tem', 'temer', 'templ', 'test', 'urin', 'usu', 'vic', 'victim',
                    'zac'])
                then left(v_stem, -3)
            -- podría, tendría, saldría
            when v_stem ~ '^(?:pod|sab|quer)ri$' then left(v_stem, -2)
            when v_stem ~ '(?:ten|ven|pon|sal|val)dri$' then left(v_stem, -3)
            else v_stem end
        when 'r' then case
            -- compraré; and lugares, mujeres: the singular loses its ending.
            when right(v_stem, 2) = 'ar'
                and v_stem ~ '^(?:.[^aeiou]+[aeiou]|[aeiou]{2,}[^aeiou]|[^aeiou][aeiou].).*ar$'
                and v_stem !~ '(?:par|clar)$'
                and v_stem <> all (array[
                    'barbar', 'camar', 'catar', 'cuchar', 'henar', 'lazar', 'linar', 'mascar', 'pajar', 'solidar'])
                then left(v_stem, -2)
            when v_stem ~ '^(?:alfil|alquil|cadav|caract|lid|muj|plac|tall)er$' then left(v_stem, -2)
            when v_stem ~ '^(?:pod|sab|quer)r$' then left(v_stem, -1)
            when v_stem ~ '(?:ten|ven|pon|sal|val)dr$' then left(v_stem, -2)
            else v_stem end
        when 'b' then case
            -- viajábamos
            when v_stem ~ '^(?:.[^aeiou]+[aeiou]|[aeiou]{2,}[^aeiou]|[^aeiou][aeiou].).*ab$'
                and v_stem <> all (array[
                    'amenab', 'bernab', 'casab', 'colab', 'consab', 'contrab', 'datab', 'guanab', 'guayab', 'hijab',
                    'islamab', 'jarab', 'lavab', 'malab', 'recab', 'rehab'])
                then left(v_stem, -2)
            else v_stem end
        when 'd' then case
            -- ciudades: the singular loses -ad as if it were an imperative.
            when v_stem ~ '^(?:.[^aeiou]+[aeiou]|[aeiou]{2,}[^aeiou]|[^aeiou][aeiou].).*[dt]ad$' then left(v_stem, -2)
            else v_stem end
        when 's' then case
            -- años, días: too short for Snowball.
            when v_stem ~ '^(?:[aeiou][^aeiou]+[aeo]|[^aeiou]i[ao]|pie)s$'
                and v_stem <> all (array['abras', 'acas', 'andres', 'atras', 'dios', 'evas', 'ines'])
                then left(v_stem, -1)
            else v_stem end
        when 'z' then case
            -- luces, lápices. Not after a consonant, nor in other short words: marzo is no marca, taza no taco.
            when v_stem ~ '[aeiou][^aeiou]+[aeiou]+z$|^(?:luz|voz|vez|pez|juez|nuez|cruz|raiz|maiz|diez|hiz)$'
                or v_stem in ('alcanz', 'avanz', 'esforz', 'esfuerz', 'lanz')
                then left(v_stem, -1) || 'c'
            else v_stem end
        when 'u' then case
            -- publiqué: public
            when v_stem ~ '(?:[aeiou][^aeiou]+[aeiou]+[^aeiou]*|^(?:bus|sa|to|cho|mar|pi))qu$' then left(v_stem, -2) || 'c'
            else v_stem end
        else v_stem
    end;

    -- Verbs whose stem vowel changes under the accent or before -ió: prefiere, preferir; pidió, pedir.
    return coalesce(
        '{"aciert": "acert", "acuerd": "acord", "acuest": "acost", "adquier": "adquir", "adviert": "advert",
        "advirt": "advert", "almorc": "almorz", "almuerc": "almorz", "almuerz": "almorz", "aprueb": "aprob",
        "atiend": "atend", "calient": "calent", "cierr": "cerr", "comenc": "comenz", "comienc": "comenz",
        "comienz": "comenz", "compit": "compet", "confies": "confes", "consig": "consegu",
        "consigu": "consegu", "conviert": "convert", "convirt": "convert", "corrig": "correg",
        "corrij": "correg", "cuelg": "colg", "cuest": "cost", "defiend": "defend", "demuestr": "demostr",
        "despid": "desped", "despiert": "despert", "devuelv": "devolv", "dic": "dec", "diviert": "divert",
        "divirt": "divert", "duerm": "dorm", "durm": "dorm", "elig": "eleg", "elij": "eleg", "empec": "empez",
        "empiec": "empez", "empiez": "empez", "enciend": "encend", "encuentr": "encontr", "entiend": "entend",
        "envuelv": "envolv", "extiend": "extend", "frieg": "freg", "friegu": "freg", "hic": "hac",
        "hierv": "herv", "impid": "imped", "inviert": "invert", "invirt": "invert", "jueg": "jug",
        "juegu": "jug", "lluev": "llov", "muerd": "mord", "muestr": "mostr", "muev": "mov", "nieg": "neg",
        "niegu": "neg", "persigu": "persegu", "pid": "ped", "piens": "pens", "pierd": "perd",
        "prefier": "prefer", "prefir": "prefer", "prueb": "prob", "pued": "pod", "quier": "quer",
        "recomiend": "recomend", "recuerd": "record", "refier": "refer", "refir": "refer", "repit": "repet",
        "requier": "requer", "requir": "requer", "resuelv": "resolv", "rieg": "reg", "riegu": "reg",
        "rueg": "rog", "sient": "sent", "sig": "segu", "sigu": "segu", "sint": "sent", "sirv": "serv",
        "sugier": "suger", "sugir": "suger", "tiembl": "tembl", "tropiec": "tropec", "tuest": "tost",
        "vien": "ven", "viert": "vert", "vuel": "vol", "vuelv": "volv"}'::jsonb ->> v_stem, v_stem);
end;
$function$;

comment on function cto._spanish_lexeme(text) is
'A lexeme of cto.spanish with the ending cut that Snowball leaves when accents are folded before it: comi is com,
lapiz and lapic are one. Anything else comes back as it is.';

revoke all on function cto._spanish_lexeme(text) from public;
grant execute on function cto._spanish_lexeme(text) to cto_agent;
