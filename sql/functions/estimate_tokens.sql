-- estimate_tokens: about how many cl100k_base tokens a text has, without a tokenizer.
--
-- Called by: whatever writes a block or a message; the embedding worker replaces it by the exact count.
-- Locking:   none, it reads no table.
-- Method:    the text is cut where cl100k_base cuts it (words, digits, marks, white space) and each
--            piece is charged by weights fitted so that undercounts are rare: bench/calibrate_tokens.py.

create or replace function cto.estimate_tokens(content text)
returns integer
language plpgsql
immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    -- Weights, in tokens. The first group follows from the vocabulary, the others are fitted.
    c_three_bytes constant float8 := 3.0::float8;  -- a character of which no two bytes are one token
    c_four_bytes constant float8 := 4.0::float8;
    c_two_parts constant float8 := 2.0::float8;
    c_control constant float8 := 1.0::float8;
    c_space_before_digit constant float8 := 1.0::float8;  -- a digit never takes the space before it

    c_one_part constant float8 := 0.87::float8;  -- ideographs, kana and marks of one token
    c_hangul constant float8 := 0.63::float8;  -- syllables of one token; most join others
    c_cyrillic constant float8 := 0.62::float8;
    c_greek_thai constant float8 := 1.10::float8;
    c_hebrew_devanagari constant float8 := 1.25::float8;
    c_arabic constant float8 := 0.76::float8;
    c_space_before_cjk constant float8 := 0.79::float8;
    c_accent constant float8 := 0.34::float8;  -- the accented letters of Spanish and its neighbours
    c_rare_accent constant float8 := 1.16::float8;

    c_capital_word constant float8 := 0.75::float8;  -- a COMMON word, and each of its letters
    c_capital_letter constant float8 := 0.09::float8;
    c_uncommon_capital constant float8 := 0.55::float8;  -- each letter of an UNCOMMON word
    c_capital_cluster constant float8 := 0.13::float8;
    c_smooth_word constant float8 := 0.91::float8;  -- an uncommon word with an English ending
    c_smooth_letter constant float8 := 0.17::float8;  -- each letter after the seventh
    c_smooth_initial constant float8 := 0.38::float8;  -- more when it starts with a capital
    c_lower_word constant float8 := 0.83::float8;  -- any other uncommon word
    c_initial_word constant float8 := 1.13::float8;
    c_mixed_word constant float8 := 1.30::float8;
    c_third_letter constant float8 := 0.25::float8;  -- each letter from the third on
    c_sixth_letter constant float8 := 0.08::float8;  -- and again from the sixth on
    c_rare_letter constant float8 := 0.56::float8;  -- each of j k q v w x y z
    c_cluster constant float8 := 0.30::float8;  -- consonants far in excess of vowels, or the reverse

    c_mark constant float8 := 0.90::float8;  -- a run of punctuation
    c_second_mark constant float8 := 0.13::float8;  -- each mark from the second on
    c_fourth_mark constant float8 := 0.61::float8;  -- and again from the fourth on
    c_newlines constant float8 := 0.70::float8;
    c_tabs constant float8 := 1.40::float8;
    c_more_blank constant float8 := 0.07::float8;  -- each further newline or tab of a run
    c_gap constant float8 := 1.0::float8;  -- two spaces or more
    c_more_gap constant float8 := 0.02::float8;  -- each further space
    c_margin constant float8 := 0.35::float8;  -- times the root of the sum: chance evens out in long texts

    -- Common words that are one token, with or without the space before them.
    c_words constant jsonb := '{
        "abc":1,"able":1,"about":1,"above":1,"abrir":1,"absolute":1,"accept":1,"acceptance":1,
        "acceso":1,"access":1,"acción":1,"account":1,"action":1,"active":1,"activities":1,
        "actual":1,"actualizar":1,"actually":1,"acuerdo":1,"add":1,"added":1,"addition":1,
        "additional":1,"address":1,"adds":1,"advertising":1,"advice":1,"aes":1,"after":1,
        "again":1,"against":1,"agent":1,"agree":1,"ahora":1,"algorithm":1,"algorithms":1,
        "alias":1,"aliases":1,"align":1,"all":1,"allow":1,"allowed":1,"allows":1,"along":1,
        "alpha":1,"already":1,"also":1,"alt":1,"always":1,"amazing":1,"amount":1,"and":1,
        "another":1,"antes":1,"any":1,"anything":1,"apache":1,"api":1,"app":1,"appear":1,
        "append":1,"applicable":1,"application":1,"applications":1,"applied":1,"apply":1,
        "appropriate":1,"apt":1,"architecture":1,"archive":1,"archivo":1,"archivos":1,"are":1,
        "arg":1,"argc":1,"args":1,"argument":1,"arguments":1,"argv":1,"arm":1,"around":1,
        "array":1,"ascending":1,"ascii":1,"asm":1,"assert":1,"assign":1,"associated":1,"async":1,
        "atención":1,"attempt":1,"attr":1,"attribute":1,"attributes":1,"attrs":1,"audio":1,
        "augmented":1,"auth":1,"authentication":1,"author":1,"authorization":1,"authors":1,
        "auto":1,"automatically":1,"avail":1,"available":1,"avoid":1,"await":1,"awesome":1,
        "ayuda":1,"back":1,"backend":1,"background":1,"backup":1,"bajo":1,"balance":1,"base":1,
        "based":1,"basename":1,"bases":1,"basketball":1,"beach":1,"beauty":1,"because":1,
        "been":1,"before":1,"begin":1,"behavior":1,"being":1,"believe":1,"below":1,"best":1,
        "beta":1,"better":1,"between":1,"bgcolor":1,"bien":1,"big":1,"bigint":1,"billing":1,
        "bin":1,"binary":1,"binding":1,"bindings":1,"bit":1,"bits":1,"black":1,"blanco":1,
        "blast":1,"block":1,"blocks":1,"bloque":1,"blue":1,"board":1,"body":1,"bold":1,"book":1,
        "books":1,"bool":1,"boolean":1,"border":1,"both":1,"bound":1,"branch":1,"break":1,
        "bring":1,"brings":1,"bucket":1,"buf":1,"buffer":1,"buffers":1,"bug":1,"bugs":1,
        "build":1,"building":1,"builds":1,"built":1,"builtin":1,"bundle":1,"busca":1,"buscar":1,
        "business":1,"but":1,"button":1,"byte":1,"bytes":1,"búsqueda":1,"cache":1,"cada":1,
        "cadena":1,"call":1,"callable":1,"callback":1,"callbacks":1,"called":1,"caller":1,
        "calling":1,"calls":1,"camping":1,"campo":1,"campos":1,"can":1,"cannot":1,"cantidad":1,
        "capacity":1,"care":1,"carga":1,"cargar":1,"case":1,"cases":1,"caso":1,"cast":1,"cat":1,
        "catalog":1,"catch":1,"cause":1,"cellpadding":1,"cellspacing":1,"center":1,"central":1,
        "cert":1,"certain":1,"certificate":1,"chain":1,"chalk":1,"challenge":1,"challenges":1,
        "chance":1,"change":1,"changed":1,"changes":1,"channel":1,"char":1,"character":1,
        "characters":1,"charge":1,"chars":1,"charset":1,"check":1,"checked":1,"checking":1,
        "checkpoint":1,"checksum":1,"child":1,"children":1,"chunk":1,"cipher":1,"clang":1,
        "clase":1,"class":1,"classes":1,"clause":1,"clave":1,"cleanup":1,"clear":1,"client":1,
        "clock":1,"close":1,"closed":1,"cloud":1,"cls":1,"cluster":1,"cmd":1,"cmp":1,"code":1,
        "codec":1,"codecs":1,"codes":1,"col":1,"collection":1,"collections":1,"color":1,
        "colors":1,"column":1,"columna":1,"com":1,"come":1,"comentario":1,"comfort":1,"coming":1,
        "command":1,"commands":1,"comment":1,"comments":1,"commit":1,"common":1,"community":1,
        "como":1,"comp":1,"compare":1,"compatibility":1,"compatible":1,"compile":1,"compiled":1,
        "compiler":1,"complain":1,"complete":1,"completion":1,"complex":1,"compliance":1,
        "component":1,"componente":1,"compress":1,"compressed":1,"compression":1,"compute":1,
        "comunidad":1,"con":1,"condition":1,"conditions":1,"conf":1,"config":1,"configuration":1,
        "configure":1,"conjunto":1,"connect":1,"connection":1,"connections":1,"considered":1,
        "consistent":1,"console":1,"const":1,"constant":1,"constants":1,"constructor":1,
        "consulta":1,"contain":1,"contained":1,"container":1,"containing":1,"contains":1,
        "contenido":1,"content":1,"contents":1,"context":1,"contexto":1,"contiene":1,
        "continuar":1,"continue":1,"contraseña":1,"contrib":1,"contributors":1,"control":1,
        "convert":1,"converters":1,"convertible":1,"cookie":1,"cookies":1,"cool":1,"copies":1,
        "copy":1,"copyright":1,"core":1,"correct":1,"correctamente":1,"correo":1,"could":1,
        "count":1,"counter":1,"court":1,"cover":1,"covered":1,"crc":1,"crea":1,"creado":1,
        "crear":1,"create":1,"created":1,"creating":1,"creative":1,"credentials":1,"creds":1,
        "crypto":1,"cryptography":1,"ctx":1,"ctypes":1,"cuando":1,"cube":1,"cuenta":1,
        "current":1,"currently":1,"cursor":1,"custom":1,"cut":1,"cwd":1,"cycles":1,"código":1,
        "dado":1,"dance":1,"data":1,"database":1,"date":1,"datetime":1,"datos":1,"day":1,
        "deal":1,"debe":1,"deben":1,"debian":1,"debido":1,"debug":1,"decimal":1,"declarations":1,
        "decode":1,"decoder":1,"decoration":1,"decrypt":1,"def":1,"default":1,"defaults":1,
        "define":1,"defined":1,"definitely":1,"definition":1,"definitions":1,"del":1,"delete":1,
        "deleted":1,"delim":1,"delta":1,"dentro":1,"dependencies":1,"dependency":1,"depending":1,
        "deployment":1,"deprecated":1,"deps":1,"depth":1,"der":1,"derived":1,"descending":1,
        "describe":1,"described":1,"description":1,"descriptor":1,"desde":1,"despite":1,
        "después":1,"dest":1,"destination":1,"destino":1,"detail":1,"detailed":1,"details":1,
        "detalle":1,"detalles":1,"detect":1,"determined":1,"dev":1,"developer":1,"device":1,
        "diagnostics":1,"dict":1,"dictionary":1,"did":1,"die":1,"diff":1,"difference":1,
        "different":1,"digest":1,"dir":1,"dirección":1,"directly":1,"directories":1,"directory":1,
        "dirname":1,"dirs":1,"disable":1,"disabled":1,"disclaimer":1,"disco":1,"discovered":1,
        "disk":1,"dislike":1,"display":1,"disponible":1,"dist":1,"distance":1,"distribute":1,
        "distributed":1,"distribution":1,"distributions":1,"div":1,"doc":1,"docs":1,"document":1,
        "documentation":1,"documented":1,"documento":1,"documentos":1,"documents":1,"does":1,
        "doesn":1,"dog":1,"doing":1,"domain":1,"don":1,"donde":1,"done":1,"dos":1,"double":1,
        "down":1,"download":1,"dreams":1,"dump":1,"durante":1,"duration":1,"during":1,"días":1,
        "each":1,"early":1,"easy":1,"echo":1,"edge":1,"editable":1,"education":1,"effect":1,
        "egg":1,"either":1,"ejemplo":1,"element":1,"elemento":1,"elementos":1,"elements":1,
        "elf":1,"elif":1,"eliminar":1,"else":1,"elsif":1,"email":1,"emit":1,"empty":1,
        "enable":1,"enabled":1,"encode":1,"encoded":1,"encoder":1,"encoding":1,"encrypt":1,
        "encryption":1,"end":1,"endian":1,"endif":1,"endpoint":1,"energy":1,"engine":1,"enjoy":1,
        "ensure":1,"enter":1,"entity":1,"entrada":1,"entre":1,"entries":1,"entry":1,"enum":1,
        "enumerable":1,"env":1,"enviar":1,"environ":1,"environment":1,"equal":1,"equipo":1,
        "equivalent":1,"err":1,"errno":1,"error":1,"errores":1,"errors":1,"escape":1,"espacio":1,
        "especial":1,"espera":1,"esta":1,"estado":1,"estar":1,"este":1,"estilo":1,"esto":1,
        "está":1,"están":1,"etc":1,"eval":1,"evaluates":1,"even":1,"event":1,"events":1,
        "ever":1,"every":1,"everyone":1,"everything":1,"example":1,"examples":1,"exc":1,
        "except":1,"exception":1,"exceptions":1,"excited":1,"exciting":1,"exclude":1,"exec":1,
        "executable":1,"execution":1,"exist":1,"existe":1,"existing":1,"exists":1,"exit":1,
        "expand":1,"expect":1,"expected":1,"experience":1,"experimental":1,"expires":1,
        "explanation":1,"explicit":1,"explicitly":1,"export":1,"exports":1,"expr":1,"express":1,
        "expression":1,"expressions":1,"ext":1,"extend":1,"extended":1,"extends":1,"extension":1,
        "extensions":1,"extent":1,"extern":1,"external":1,"extra":1,"extract":1,"fail":1,
        "failed":1,"fails":1,"failure":1,"false":1,"falta":1,"family":1,"fantasy":1,"fashion":1,
        "fatal":1,"favor":1,"favorite":1,"feature":1,"features":1,"fecha":1,"feel":1,"feeling":1,
        "feels":1,"felt":1,"fetch":1,"few":1,"ffi":1,"field":1,"fields":1,"fila":1,"file":1,
        "filename":1,"filenames":1,"files":1,"filled":1,"filter":1,"filters":1,"fin":1,"final":1,
        "finalize":1,"finally":1,"find":1,"finder":1,"finding":1,"finished":1,"firma":1,
        "first":1,"fix":1,"fixed":1,"fixes":1,"flag":1,"flags":1,"flatten":1,"fleet":1,
        "float":1,"folder":1,"follow":1,"following":1,"font":1,"foo":1,"for":1,"force":1,
        "form":1,"forma":1,"format":1,"formato":1,"formats":1,"formatted":1,"formatter":1,
        "formatting":1,"forms":1,"forward":1,"found":1,"fprintf":1,"frame":1,"frames":1,
        "framework":1,"free":1,"friends":1,"friendship":1,"from":1,"fue":1,"fuera":1,"full":1,
        "fullname":1,"fully":1,"fun":1,"func":1,"funciones":1,"función":1,"function":1,
        "functionality":1,"functions":1,"furnished":1,"future":1,"futures":1,"game":1,"games":1,
        "gcc":1,"genera":1,"general":1,"generate":1,"generated":1,"generator":1,"generic":1,
        "get":1,"getattr":1,"gettext":1,"getting":1,"gist":1,"git":1,"github":1,"give":1,
        "given":1,"gives":1,"glad":1,"global":1,"gmail":1,"gnome":1,"goals":1,"going":1,
        "gonna":1,"good":1,"google":1,"got":1,"grammar":1,"grande":1,"grandes":1,"grant":1,
        "granted":1,"graph":1,"great":1,"group":1,"groups":1,"grupo":1,"grupos":1,"guardar":1,
        "gzip":1,"hace":1,"hacer":1,"hacia":1,"had":1,"han":1,"handle":1,"handler":1,
        "handling":1,"happen":1,"happiness":1,"happy":1,"hard":1,"hardware":1,"has":1,
        "hasattr":1,"hash":1,"hashes":1,"hasta":1,"have":1,"having":1,"hay":1,"head":1,
        "header":1,"headers":1,"health":1,"hear":1,"height":1,"help":1,"helping":1,"helps":1,
        "her":1,"here":1,"hereby":1,"hex":1,"hexadecimal":1,"hidden":1,"high":1,"highlight":1,
        "hijo":1,"him":1,"historia":1,"holding":1,"home":1,"hope":1,"hora":1,"horizontal":1,
        "host":1,"hostname":1,"how":1,"href":1,"html":1,"http":1,"https":1,"huge":1,"iam":1,
        "idea":1,"identifier":1,"idx":1,"ifdef":1,"ifndef":1,"ignore":1,"igual":1,"image":1,
        "imagen":1,"images":1,"img":1,"immediately":1,"impact":1,"implement":1,"implementation":1,
        "implementations":1,"implemented":1,"implied":1,"import":1,"important":1,"imports":1,
        "imprimir":1,"imágenes":1,"include":1,"included":1,"includes":1,"including":1,
        "incompatible":1,"incredible":1,"incremental":1,"indent":1,"index":1,"indica":1,
        "indicate":1,"indicates":1,"info":1,"información":1,"information":1,"inherit":1,
        "inicial":1,"iniciar":1,"inicio":1,"init":1,"initial":1,"initialization":1,"initialize":1,
        "inline":1,"input":1,"insensitive":1,"insert":1,"inside":1,"inspired":1,"inspiring":1,
        "install":1,"installation":1,"installed":1,"installing":1,"instance":1,"instanceof":1,
        "instances":1,"instead":1,"instruction":1,"instructions":1,"int":1,"integer":1,
        "integrity":1,"intended":1,"interactive":1,"interacts":1,"interesting":1,"interface":1,
        "interfaces":1,"internal":1,"interpreter":1,"interval":1,"into":1,"invalid":1,
        "invitation":1,"invocation":1,"invoked":1,"isinstance":1,"isn":1,"iso":1,"issue":1,
        "issuer":1,"issues":1,"italic":1,"item":1,"items":1,"iter":1,"iterable":1,"iterator":1,
        "itertools":1,"its":1,"itself":1,"job":1,"join":1,"journal":1,"journey":1,"joy":1,
        "json":1,"just":1,"keep":1,"kernel":1,"key":1,"keys":1,"keyword":1,"keywords":1,
        "kids":1,"kind":1,"know":1,"known":1,"kwargs":1,"label":1,"labels":1,"lambda":1,
        "lang":1,"language":1,"languages":1,"large":1,"largo":1,"las":1,"last":1,"lately":1,
        "later":1,"latest":1,"latin":1,"law":1,"leading":1,"learn":1,"learning":1,"least":1,
        "leer":1,"left":1,"legacy":1,"len":1,"length":1,"less":1,"let":1,"letra":1,"letter":1,
        "level":1,"lexer":1,"lib":1,"libc":1,"libraries":1,"library":1,"libre":1,"license":1,
        "licensed":1,"licenses":1,"life":1,"like":1,"limit":1,"limitation":1,"limitations":1,
        "line":1,"lines":1,"link":1,"links":1,"linux":1,"list":1,"lista":1,"listar":1,
        "listed":1,"lists":1,"literal":1,"little":1,"live":1,"llvm":1,"load":1,"loaded":1,
        "loader":1,"local":1,"locale":1,"locales":1,"locate":1,"location":1,"locations":1,
        "lock":1,"log":1,"logger":1,"logging":1,"login":1,"long":1,"longer":1,"longitud":1,
        "look":1,"looking":1,"looks":1,"lookup":1,"loop":1,"los":1,"lost":1,"lot":1,"lots":1,
        "love":1,"loved":1,"lower":1,"luego":1,"lugar":1,"machine":1,"macros":1,"made":1,
        "main":1,"major":1,"make":1,"makes":1,"making":1,"mal":1,"man":1,"manage":1,"managed":1,
        "management":1,"manager":1,"manifest":1,"manual":1,"many":1,"map":1,"mapa":1,"mapping":1,
        "margin":1,"mark":1,"match":1,"matches":1,"matching":1,"material":1,"materials":1,
        "max":1,"maximum":1,"may":1,"mayor":1,"mean":1,"meaningful":1,"means":1,"mediante":1,
        "medium":1,"member":1,"membership":1,"memoria":1,"memories":1,"memory":1,"menos":1,
        "mensaje":1,"mensajes":1,"merge":1,"message":1,"messages":1,"met":1,"meta":1,
        "metadata":1,"method":1,"methods":1,"middle":1,"mientras":1,"might":1,"min":1,"minor":1,
        "mismo":1,"missing":1,"mod":1,"mode":1,"model":1,"modification":1,"modifications":1,
        "modified":1,"modify":1,"modo":1,"module":1,"modules":1,"moment":1,"momento":1,
        "moments":1,"month":1,"more":1,"most":1,"mostrar":1,"motivated":1,"move":1,"moved":1,
        "movies":1,"mozilla":1,"msg":1,"much":1,"muestra":1,"multi":1,"multiple":1,"must":1,
        "myself":1,"más":1,"nada":1,"name":1,"named":1,"names":1,"namespace":1,"nature":1,
        "nav":1,"necessary":1,"need":1,"needed":1,"needs":1,"negative":1,"net":1,"network":1,
        "never":1,"new":1,"newer":1,"next":1,"nice":1,"ninguna":1,"ningún":1,"nivel":1,"node":1,
        "nodes":1,"nombre":1,"nombres":1,"non":1,"none":1,"normal":1,"not":1,"note":1,
        "nothing":1,"notice":1,"notices":1,"notification":1,"notifications":1,"now":1,"npm":1,
        "nueva":1,"nuevo":1,"null":1,"num":1,"number":1,"numbers":1,"numeric":1,"número":1,
        "obj":1,"object":1,"objects":1,"objetivo":1,"objeto":1,"objetos":1,"obtain":1,
        "obtener":1,"off":1,"offset":1,"oid":1,"old":1,"once":1,"one":1,"ones":1,"online":1,
        "only":1,"opciones":1,"opción":1,"open":1,"openssl":1,"operate":1,"operation":1,
        "operations":1,"operator":1,"ops":1,"opt":1,"option":1,"optional":1,"options":1,"opts":1,
        "orden":1,"order":1,"org":1,"organization":1,"organizations":1,"orig":1,"origen":1,
        "origin":1,"original":1,"ostream":1,"other":1,"others":1,"otherwise":1,"otra":1,
        "otros":1,"our":1,"ourselves":1,"out":1,"outfile":1,"output":1,"outputs":1,"outside":1,
        "over":1,"override":1,"overrides":1,"own":1,"owner":1,"pack":1,"package":1,"packages":1,
        "packaging":1,"padding":1,"page":1,"pages":1,"paging":1,"painting":1,"palabra":1,
        "panel":1,"par":1,"para":1,"parallel":1,"param":1,"parameter":1,"parameters":1,
        "params":1,"parece":1,"pareja":1,"parent":1,"parse":1,"parsed":1,"parser":1,"parsing":1,
        "part":1,"parte":1,"partes":1,"particular":1,"partir":1,"parts":1,"party":1,"pass":1,
        "passed":1,"passion":1,"passionate":1,"passwd":1,"password":1,"patch":1,"patches":1,
        "patent":1,"path":1,"pathname":1,"paths":1,"pattern":1,"patterns":1,"payload":1,
        "peaceful":1,"peer":1,"people":1,"per":1,"perf":1,"perform":1,"performance":1,"perl":1,
        "permission":1,"permissions":1,"permit":1,"permite":1,"permitted":1,"pero":1,"person":1,
        "personal":1,"persons":1,"photo":1,"photography":1,"pic":1,"picture":1,"pid":1,"pip":1,
        "pkg":1,"place":1,"places":1,"plan":1,"plano":1,"platform":1,"play":1,"playing":1,
        "please":1,"plugin":1,"png":1,"point":1,"pointer":1,"points":1,"policies":1,"policy":1,
        "pool":1,"pop":1,"por":1,"porque":1,"port":1,"portions":1,"pos":1,"posible":1,
        "posición":1,"position":1,"positional":1,"positive":1,"posix":1,"possible":1,"post":1,
        "posterior":1,"power":1,"pragma":1,"pre":1,"prefer":1,"prefix":1,"prepare":1,"present":1,
        "presente":1,"pretty":1,"prev":1,"previous":1,"primer":1,"primera":1,"primero":1,
        "principal":1,"print":1,"printf":1,"prior":1,"private":1,"probe":1,"problem":1,
        "problems":1,"procedure":1,"proceso":1,"process":1,"processing":1,"produce":1,"product":1,
        "products":1,"profile":1,"program":1,"programa":1,"programas":1,"programs":1,"progress":1,
        "project":1,"projects":1,"promote":1,"prompt":1,"properties":1,"property":1,
        "protection":1,"protocol":1,"prototype":1,"proud":1,"provide":1,"provided":1,"provider":1,
        "provides":1,"proxy":1,"pseudo":1,"pthread":1,"ptr":1,"public":1,"publish":1,
        "published":1,"pudo":1,"puede":1,"puerto":1,"punto":1,"puntos":1,"purpose":1,"push":1,
        "pushing":1,"put":1,"python":1,"página":1,"pública":1,"qualified":1,"que":1,"query":1,
        "queue":1,"quiere":1,"quiet":1,"quit":1,"quote":1,"qué":1,"raise":1,"raised":1,
        "random":1,"range":1,"ranges":1,"rather":1,"raw":1,"reach":1,"read":1,"readable":1,
        "reading":1,"ready":1,"real":1,"really":1,"reason":1,"received":1,"recently":1,
        "recommend":1,"record":1,"records":1,"recursive":1,"red":1,"redistribute":1,"reduce":1,
        "ref":1,"refer":1,"reference":1,"references":1,"referencia":1,"refresh":1,"refs":1,
        "regex":1,"region":1,"regional":1,"regions":1,"register":1,"registrar":1,"registro":1,
        "registros":1,"registry":1,"regular":1,"rel":1,"relaciones":1,"relación":1,"related":1,
        "relative":1,"release":1,"releases":1,"remember":1,"reminded":1,"reminds":1,"remote":1,
        "remove":1,"removed":1,"rename":1,"render":1,"repeat":1,"replace":1,"repo":1,"report":1,
        "repository":1,"repr":1,"representing":1,"represents":1,"reproduce":1,"req":1,"request":1,
        "requested":1,"requests":1,"require":1,"required":1,"requirement":1,"requirements":1,
        "requires":1,"res":1,"reserved":1,"reset":1,"resolve":1,"resolver":1,"resource":1,
        "resources":1,"respectively":1,"response":1,"respuesta":1,"rest":1,"restore":1,
        "restriction":1,"result":1,"resultado":1,"resultados":1,"resulting":1,"results":1,"ret":1,
        "retain":1,"retry":1,"return":1,"returned":1,"returns":1,"reverse":1,"rewarding":1,
        "right":1,"rights":1,"role":1,"roles":1,"root":1,"routine":1,"row":1,"rules":1,"run":1,
        "running":1,"runtime":1,"ruta":1,"safe":1,"safety":1,"sale":1,"salida":1,"salir":1,
        "salt":1,"same":1,"save":1,"scalar":1,"schema":1,"scheme":1,"scope":1,"screen":1,
        "script":1,"scripts":1,"sea":1,"search":1,"second":1,"seconds":1,"secret":1,"section":1,
        "sections":1,"security":1,"see":1,"seeing":1,"seek":1,"seen":1,"seg":1,"segment":1,
        "segundo":1,"segundos":1,"seguridad":1,"select":1,"selector":1,"self":1,"sell":1,
        "semana":1,"send":1,"separate":1,"separated":1,"separator":1,"sequence":1,"sequences":1,
        "ser":1,"serialization":1,"server":1,"servers":1,"service":1,"services":1,"servicio":1,
        "servicios":1,"servidor":1,"sesión":1,"session":1,"set":1,"sets":1,"setting":1,
        "settings":1,"setup":1,"setuptools":1,"sha":1,"shadow":1,"shall":1,"share":1,"shared":1,
        "sharing":1,"shell":1,"shells":1,"shelter":1,"shift":1,"short":1,"should":1,"show":1,
        "side":1,"sido":1,"siempre":1,"sign":1,"signal":1,"signature":1,"signed":1,"similar":1,
        "simple":1,"sin":1,"since":1,"single":1,"sistema":1,"site":1,"sitting":1,"size":1,
        "sizeof":1,"skip":1,"sleep":1,"slice":1,"slot":1,"small":1,"snapshot":1,"snapshots":1,
        "sobre":1,"socket":1,"sockets":1,"software":1,"solid":1,"solo":1,"some":1,"someone":1,
        "something":1,"sometimes":1,"son":1,"soon":1,"sort":1,"sorted":1,"sounds":1,"source":1,
        "sourced":1,"sources":1,"space":1,"span":1,"spec":1,"special":1,"specific":1,
        "specification":1,"specified":1,"specifier":1,"specifies":1,"specify":1,"specifying":1,
        "split":1,"sql":1,"src":1,"ssl":1,"stable":1,"stack":1,"stage":1,"standard":1,
        "standing":1,"start":1,"started":1,"starting":1,"starts":1,"stat":1,"state":1,
        "statement":1,"statements":1,"static":1,"status":1,"stay":1,"staying":1,"std":1,
        "stderr":1,"stdin":1,"stdout":1,"step":1,"still":1,"stop":1,"storage":1,"store":1,
        "stored":1,"stories":1,"story":1,"str":1,"strcmp":1,"stream":1,"strength":1,"strict":1,
        "string":1,"strings":1,"strip":1,"strm":1,"strong":1,"struct":1,"structure":1,
        "structures":1,"studio":1,"stuff":1,"style":1,"styles":1,"stylesheet":1,"sub":1,
        "subclass":1,"subject":1,"submit":1,"subprocess":1,"substantial":1,"subtype":1,
        "success":1,"such":1,"suffix":1,"suggest":1,"suitable":1,"suma":1,"summary":1,"sunset":1,
        "super":1,"superior":1,"supplied":1,"support":1,"supported":1,"supporting":1,
        "supportive":1,"supports":1,"suppress":1,"sure":1,"sus":1,"switch":1,"symbol":1,
        "symbolic":1,"symbols":1,"sync":1,"syntax":1,"sys":1,"syscall":1,"system":1,"systemd":1,
        "systems":1,"tabla":1,"table":1,"tag":1,"tags":1,"take":1,"taken":1,"takes":1,
        "taking":1,"tal":1,"talked":1,"tamaño":1,"tar":1,"target":1,"targets":1,"task":1,
        "team":1,"tell":1,"temp":1,"template":1,"templates":1,"temporal":1,"tener":1,"term":1,
        "terminal":1,"terms":1,"test":1,"testing":1,"tests":1,"text":1,"texto":1,"than":1,
        "that":1,"the":1,"their":1,"them":1,"then":1,"there":1,"these":1,"they":1,"thing":1,
        "things":1,"think":1,"third":1,"this":1,"those":1,"though":1,"thread":1,"threads":1,
        "three":1,"through":1,"throw":1,"tiempo":1,"tiene":1,"tienen":1,"time":1,"timeline":1,
        "timeout":1,"times":1,"timestamp":1,"tipo":1,"title":1,"tmp":1,"todas":1,"todo":1,
        "todos":1,"together":1,"token":1,"tokens":1,"too":1,"took":1,"tool":1,"tools":1,"top":1,
        "topic":1,"total":1,"totally":1,"touch":1,"tough":1,"tournament":1,"trabajo":1,"trace":1,
        "traceback":1,"track":1,"trailer":1,"trailing":1,"transform":1,"translate":1,
        "translation":1,"translations":1,"tras":1,"tree":1,"trigger":1,"trip":1,"true":1,
        "trusted":1,"try":1,"trying":1,"tuple":1,"two":1,"txt":1,"type":1,"typedef":1,
        "typename":1,"typeof":1,"types":1,"typing":1,"ubuntu":1,"uid":1,"uint":1,"una":1,
        "undef":1,"undefined":1,"under":1,"underline":1,"unicode":1,"unidad":1,"union":1,
        "unique":1,"unit":1,"unknown":1,"unless":1,"unlimited":1,"uno":1,"unpack":1,"unset":1,
        "unsigned":1,"unstable":1,"until":1,"unused":1,"update":1,"updated":1,"upgrade":1,
        "upload":1,"upper":1,"upstream":1,"urgency":1,"uri":1,"url":1,"urllib":1,"urls":1,
        "usa":1,"usado":1,"usage":1,"usando":1,"usar":1,"use":1,"used":1,"useful":1,"user":1,
        "username":1,"users":1,"uses":1,"using":1,"uso":1,"usr":1,"usually":1,"usuario":1,
        "usuarios":1,"utf":1,"util":1,"utility":1,"utiliza":1,"utilizado":1,"utilizando":1,
        "utilizar":1,"utils":1,"uuid":1,"val":1,"valid":1,"validate":1,"validator":1,"valign":1,
        "valor":1,"valores":1,"value":1,"values":1,"var":1,"variable":1,"variables":1,
        "variant":1,"variants":1,"varios":1,"various":1,"vars":1,"vector":1,"vendor":1,
        "ventana":1,"verbose":1,"verbosity":1,"verificar":1,"verify":1,"version":1,"versions":1,
        "versión":1,"vertical":1,"very":1,"vez":1,"via":1,"view":1,"virtual":1,"visibility":1,
        "visible":1,"void":1,"volver":1,"válido":1,"wait":1,"waiting":1,"wal":1,"walking":1,
        "want":1,"wanted":1,"warn":1,"warning":1,"warnings":1,"warranty":1,"was":1,"watch":1,
        "watching":1,"water":1,"way":1,"ways":1,"web":1,"week":1,"weight":1,"well":1,"went":1,
        "were":1,"what":1,"wheel":1,"when":1,"where":1,"whether":1,"which":1,"while":1,
        "white":1,"whitespace":1,"who":1,"whole":1,"whom":1,"whose":1,"why":1,"widget":1,
        "width":1,"will":1,"win":1,"window":1,"windows":1,"with":1,"within":1,"without":1,
        "woman":1,"won":1,"word":1,"words":1,"work":1,"working":1,"works":1,"world":1,"worth":1,
        "would":1,"wrap":1,"wrapper":1,"write":1,"writing":1,"written":1,"www":1,"year":1,
        "yes":1,"yesterday":1,"yield":1,"you":1,"young":1,"your":1,"yourself":1,"zero":1,
        "zlib":1,"zona":1,"zone":1,"área":1,"único":1
    }'::jsonb;

    -- Endings of English words; words with them are cheap for their length.
    c_endings constant jsonb := '{
        "age":1,"ain":1,"als":1,"ant":1,"ard":1,"ary":1,"ate":1,"ble":1,"bly":1,"cal":1,
        "ced":1,"cts":1,"dad":1,"ded":1,"den":1,"der":1,"des":1,"ect":1,"els":1,"ely":1,
        "ent":1,"ers":1,"ess":1,"est":1,"ful":1,"ged":1,"ger":1,"ght":1,"hed":1,"ial":1,
        "ics":1,"ide":1,"ied":1,"ier":1,"ies":1,"imo":1,"ine":1,"ing":1,"ion":1,"ips":1,
        "ita":1,"ity":1,"ive":1,"ivo":1,"ize":1,"ker":1,"led":1,"lly":1,"med":1,"nal":1,
        "nce":1,"nds":1,"ned":1,"ngs":1,"nts":1,"ols":1,"ons":1,"ors":1,"ory":1,"ous":1,
        "out":1,"ped":1,"ral":1,"rds":1,"red":1,"res":1,"rma":1,"rts":1,"sed":1,"ses":1,
        "sly":1,"ted":1,"tic":1,"tly":1,"tor":1,"ure":1,"ved":1,"ver":1,"ves":1,"zed":1
    }'::jsonb;

    -- Collation "C" keeps ranges and comparisons the same in every database.
    v_text text collate "C" := estimate_tokens.content;
    v_rest text collate "C";
    v_left text collate "C";
    v_tokens float8 := 0.0::float8;
    v_pieces float8;
begin
    if v_text ~ ' [0-9]' then
        v_tokens := v_tokens + c_space_before_digit
            * (length(v_text) - length(regexp_replace(v_text, ' (?=[0-9])', '', 'g')));
    end if;

    if octet_length(v_text) <> length(v_text) then
        v_rest := regexp_replace(v_text, '[\u0001-\u007f\u00c0-\u024f]+', '', 'g');
        if v_rest <> '' then
            declare
                -- Characters beyond Latin, each class a bracket; the first that matches takes the character.
                c_foreign constant text[] := array[
                    -- one token each: Chinese and Japanese marks, kana, ideographs
                    '[\u2010-\u2026\u3001\u3002\u300c-\u3011\uff08\uff09\uff0c\uff1a\uff1f'
                        || 'あいうえおかがきくけこごさざしじすせそただちっつてでとどなにのはばまみめもやよらりるれろわをんアィイウェエオカキ'
            || 'クグコサシジスズセタダチッテデトドナニバパビピフブプペポマムメャュョラリルレロン・ー'
                        || '一万三上下不与专业东两个中串为主么义之也书了事二于五些交产享京人亿今介从他付代以们件价任份企优会传但位体何余作你'
            || '使例供価保信修倍值停像元先入全公共关其具内円册再写出击分列则初利别到制前力功加务动動包化北区十午华单南即历原去县'
            || '参及友反发取变口只可台右号司合同名后向否含听启告员周命和品哈商問器四回因国图土在地场址型城基報場填增声处备复外多'
            || '大天失头女好如始子字存学安宋完定实审客家容密对导将小少尔就局展山岁州工左已市布常平年并广序库应店度建开异式引张当'
            || '录形影径待後得微心必志态思性总息您情意感成我或户所手打找技投报拉持指按换据排接推提播支收改放政效数整文料断新方族'
            || '无日时明易星是時景更最月有服期木未本机权束条来板构析果查标样核格案检模次款止正此步歳段每比民気水求江汽没治法注活'
            || '流海消清游源火点無然片版物特率环现球理生用由电男画界番登的监目直相省看県真知码确示社票私种科秒称移程稍税稿空立站'
            || '章端笑符第等签简算管箱米类系素索约级线组经结给络统编网置美老考者而联能自至色节英藏行表装西要見见规视角解言計記話'
            || '読计认议记论设证评试话询该详语误说请读调象责败账货购费资起超路身车转软载辑输达过运近还这进连述退送选通速造連道邮'
            || '部都配释里重量金钟钮链销错键长開間関门闭问间队阳陆限院除雅集雷需非面音页项预频题额首验高黑' || ']+',
                    '['
                        || '가간값개거게결경고공과구그글기나내는능니다당대도동되된드든들디라래러력로록료류른를름리만메면명목문미버번보복부분'
            || '비사산상색생서성세션소수스습시식신아야어에여열오와요용우운원위으은을음의이인일임입자작장재적전정제져조주지진째체'
            || '출치크태터턴트튼하한할함해호화환회' || ']+',
                    '[\u0410-\u044f]+',
                    '[\u0386-\u03ce\u0e01-\u0e4e]+',
                    '[\u05d0-\u05ea\u0900-\u097f]+',
                    '[\u0627-\u064a]+',
                    -- ideographs and syllables whose first two bytes are no token: three tokens each
                    '['
                        || '\u5080-\u50bf\u5100-\u513f\u5480-\u54bf\u55c0-\u56bf\u5780-\u57bf\u5980-\u59bf\u5a00-\u5b3f'
            || '\u5cc0-\u5dbf\u6080-\u60bf\u6140-\u61ff\u6400-\u643f\u64c0-\u64ff\u6880-\u68bf\u6900-\u693f'
            || '\u6980-\u6aff\u6f40-\u703f\u7080-\u70ff\u7140-\u71ff\u7280-\u737f\u7440-\u74ff\u7580-\u763f'
            || '\u7780-\u783f\u78c0-\u78ff\u7c00-\u7c3f\u7cc0-\u7cff\u7d80-\u7e7f\u7fc0-\u7fff\u8100-\u81bf'
            || '\u8380-\u83bf\u8440-\u863f\u8680-\u883f\u8900-\u897f\u8ac0-\u8b3f\u8e00-\u8f3f\u9100-\u91bf'
            || '\u9200-\u92ff\u9340-\u947f\u9780-\u97ff\u9900-\u997f\u99c0-\u9a3f\u9a80-\u9ebf\u9f00-\u9f7f'
            || '\u9fc0-\u9fff'
            || '\uad00-\uad3f\uad80-\uadbf\uae80-\ub07f\ub0c0-\ub0ff\ub180-\ub27f\ub300-\ub33f\ub380-\ub3bf'
            || '\ub440-\ub4bf\ub540-\ub77f\ub880-\ub8bf\ub900-\ub93f\uba00-\uba3f\ubac0-\ubbbf\ubc40-\ubc7f'
            || '\ubd00-\ubd7f\ubdc0-\ubdff\ube40-\uc07f\uc1c0-\uc27f\uc300-\uc53f\uc7c0-\uc7ff\uc840-\uc8ff'
            || '\uc940-\uc97f\uca00-\ucbff\ucc40-\ucc7f\uccc0-\ucd7f\ucdc0-\uce3f\uce80-\ud03f\ud080-\ud0bf'
            || '\ud140-\ud27f\ud2c0-\ud2ff\ud340-\ud53f\ud580-\ud5ff\ud680-\ud7a3' || ']+',
                    -- other characters of two tokens, among them many emoji
                    '[\u0080-\u07ff\u0900-\u0aff\u0b80-\u0eff\u2000-\u206f\u3000-\u30ff\u4e00-\u9fff'
                        || '\uac00-\ud7a3\ufe0f\uff00-\uffef\U0001f480-\U0001f4bf\U0001f600-\U0001f63f]+',
                    -- beyond the basic plane, emoji apart: four; what is left over after this: three
                    '[\U00010000-\U0001efff\U00020000-\U0010ffff]+'
                ];
                c_foreign_weights constant float8[] := array[
                    c_one_part, c_hangul, c_cyrillic, c_greek_thai, c_hebrew_devanagari, c_arabic,
                    c_three_bytes, c_two_parts, c_four_bytes
                ];
            begin
                v_tokens := v_tokens + c_space_before_cjk
                    * (length(v_text) - length(regexp_replace(v_text, ' (?=[\u2e80-\ud7ff])', '', 'g')));
                v_text := regexp_replace(v_text, '[^\u0001-\u007f\u00c0-\u024f]+', ' ', 'g');
                for v_class in 1 .. cardinality(c_foreign) loop
                    v_left := regexp_replace(v_rest, c_foreign[v_class], '', 'g');
                    v_tokens := v_tokens
                        + c_foreign_weights[v_class] * (length(v_rest) - length(v_left));
                    v_rest := v_left;
                    exit when v_rest = '';
                end loop;
                v_tokens := v_tokens + c_three_bytes * length(v_rest);
            end;
        end if;

        v_rest := regexp_replace(v_text, '[\u0001-\u007f]+', '', 'g');
        v_left := regexp_replace(v_rest, '[áéíóúñüàèçãõâêôäöÉÓÁ]+', '', 'g');
        v_tokens := v_tokens
            + c_accent * (length(v_rest) - length(v_left))
            + c_rare_accent * length(v_left);
    end if;

    v_text := replace(v_text, E'\r\n', E'\n');
    if v_text ~ '[\u0001-\u0008\u000b-\u001f\u007f]' then
        v_left := regexp_replace(v_text, '[\u0001-\u0008\u000b-\u001f\u007f]+', '', 'g');
        v_tokens := v_tokens + c_control * (length(v_text) - length(v_left));
        v_text := regexp_replace(v_text, '[\u0001-\u0008\u000b-\u001f\u007f]+', ' ', 'g');
    end if;

    -- From here on the control character 2 stands for a gap.
    if position('  ' in v_text) > 0 then
        v_left := regexp_replace(v_text, ' {2,}', E' \u0002 ', 'g');
        v_tokens := v_tokens + c_more_gap * greatest(0, length(v_text) - length(v_left));
        v_text := v_left;
    end if;

    -- Rules drawn with one mark are a few tokens, however long.
    v_text := replace(replace(replace(replace(replace(replace(replace(v_text,
        '--------', '-'), '========', '='), '********', '*'), '########', '#'), '........', '.'),
        '________', '_'), '~~~~~~~~', '~');

    if v_text ~ '[a-z][A-Z]' then
        v_text := regexp_replace(v_text, '(?<=[a-z])(?=[A-Z])', ' ', 'g');  -- camelCase is two words
    end if;
    v_text := regexp_replace(v_text, '[^A-Za-z0-9\u00c0-\u024f ]+', ' \& ', 'g');
    if v_text ~ '[0-9]' then
        v_text := regexp_replace(v_text, '[0-9]+', ' \& ', 'g');
    end if;

    select coalesce(sum(
        case
            -- digits, in threes, exactly
            when p.first between ascii('0') and ascii('9') then (p.size + 2) / 3
            -- gaps, marks and white space
            when p.first < ascii('A')
                or p.first between ascii('[') and ascii('`')
                or p.first between ascii('{') and ascii('~')
                then case
                    when p.first = 2 then c_gap
                    when btrim(p.piece, E'\n\t') = ''
                        then c_newlines * (position(E'\n' in p.piece) > 0)::integer
                            + c_tabs * (position(E'\t' in p.piece) > 0)::integer
                            + c_more_blank * (p.size - 1)
                    when p.size = 1 then c_mark
                    else c_mark
                        + c_second_mark * (length(btrim(p.piece, E'\n\t')) - 1)
                        + c_fourth_mark * greatest(0, length(btrim(p.piece, E'\n\t')) - 3)
                        + c_newlines * (p.first < ascii(' '))::integer
                        + c_tabs * (position(E'\t' in p.piece) > 0)::integer
                end
            -- a common word: in lower case, with a capital first, in capitals
            when p.consonants is null
                then case
                    when p.size = 1 or p.piece = p.folded or p.piece <> upper(p.piece)
                        then 1.0::float8
                    else c_capital_word + c_capital_letter * p.size
                end
            -- an uncommon word: in capitals, with an English ending, any other
            when p.piece = upper(p.piece) and p.piece <> p.folded
                then c_uncommon_capital * p.size
                    + c_capital_cluster * greatest(0, 3 * p.consonants - 2 * p.size - 1)
            when p.size <= 14
                and 3 * p.consonants <= 2 * p.size + 1
                and c_endings ? right(p.folded, 3)
                and substr(p.piece, 2) = substr(p.folded, 2)
                then c_smooth_word
                    + c_smooth_letter * greatest(0, p.size - 7)
                    + c_smooth_initial * (p.piece <> p.folded)::integer
            else case
                    when p.piece = p.folded then c_lower_word
                    when substr(p.piece, 2) = substr(p.folded, 2) then c_initial_word
                    else c_mixed_word
                end
                + c_third_letter * (p.size - 2)
                + c_sixth_letter * greatest(0, p.size - 5)
                + c_rare_letter * (p.size - length(translate(p.folded, 'kwzxjqvy', '')))
                + c_cluster * greatest(
                    0, (7 * p.consonants - 5 * p.size - 2) / 2, p.size - 3 * p.consonants - 4
                )
        end
    ), 0.0::float8)
    into v_pieces
    from (
        select
            w.piece,
            w.size,
            w.first,
            w.folded,
            -- of uncommon words only
            case
                when w.size = 1 or w.first < ascii('A') or c_words ? w.folded then null
                else length(translate(w.folded, 'aeiou', ''))
            end as consonants
        from (
            select
                t.piece,
                length(t.piece) as size,
                ascii(t.piece) as first,
                lower(t.piece) as folded
            from string_to_table(v_text, ' ') as t (piece)
            where t.piece <> ''
            offset 0  -- computes each column once
        ) as w
        offset 0
    ) as p;

    v_tokens := v_tokens + v_pieces;
    return ceil(v_tokens + c_margin * sqrt(v_tokens));
end;
$function$;

comment on function cto.estimate_tokens(text) is
'About how many cl100k_base tokens content has; 0 for the empty string, null for null.
Calibrated to undercount rarely, so it overcounts a little; embedding replaces it by the exact count.';

revoke all on function cto.estimate_tokens(text) from public;
grant execute on function cto.estimate_tokens(text) to cto_agent;
