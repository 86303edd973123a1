-- estimate_tokens: about how many cl100k_base tokens a text has, without a tokenizer.
--
-- Called by: whatever writes a block or a message; the worker replaces it by the exact count.
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

    c_one_part constant float8 := 0.95::float8;  -- ideographs, kana and marks of one token
    c_hangul constant float8 := 0.96::float8;  -- syllables of one token; most join others
    c_cyrillic constant float8 := 0.66::float8;
    c_greek_thai constant float8 := 1.15::float8;
    c_hebrew_devanagari constant float8 := 1.32::float8;
    c_arabic constant float8 := 0.87::float8;
    c_space_before_cjk constant float8 := 0.90::float8;
    c_accent constant float8 := 0.34::float8;  -- the accented letters of Spanish and its neighbours
    c_rare_accent constant float8 := 1.18::float8;

    c_capital_word constant float8 := 0.30::float8;  -- a COMMON word, and with it
    c_capital_letter constant float8 := 0.19::float8;  -- each of its letters
    c_uncommon_capital constant float8 := 0.55::float8;  -- each letter of an UNCOMMON word
    c_capital_cluster constant float8 := 0.15::float8;
    c_smooth_word constant float8 := 1.32::float8;  -- an uncommon word with an English ending
    c_smooth_letter constant float8 := 0.21::float8;  -- each letter after the seventh
    c_smooth_initial constant float8 := 0.31::float8;  -- more when it starts with a capital
    c_lower_word constant float8 := 0.80::float8;  -- any other uncommon word
    c_initial_word constant float8 := 1.07::float8;
    c_mixed_word constant float8 := 1.34::float8;
    c_third_letter constant float8 := 0.27::float8;  -- each letter from the third on
    c_sixth_letter constant float8 := 0.07::float8;  -- and again from the sixth on
    c_rare_letter constant float8 := 0.56::float8;  -- each of j k q v w x y z
    c_cluster constant float8 := 0.30::float8;  -- consonants far in excess of vowels, or the reverse

    c_mark constant float8 := 0.95::float8;  -- a run of punctuation
    c_second_mark constant float8 := 0.30::float8;  -- each mark from the second on
    c_fourth_mark constant float8 := 0.42::float8;  -- and again from the fourth on
    c_newlines constant float8 := 0.95::float8;
    c_tabs constant float8 := 1.08::float8;
    c_more_blank constant float8 := 0.07::float8;  -- each further newline or tab of a run
    c_gap constant float8 := 1.0::float8;  -- two spaces or more
    c_more_gap constant float8 := 0.02::float8;  -- each further space
    c_margin constant float8 := 0.20::float8;  -- times the root of the sum, as chance evens out

    -- Common words that are one token, with or without the space before them.
    c_words constant jsonb := jsonb_object(string_to_array(regexp_replace(
'abandon abandoned abbreviation abilities ability able abnormal abort abortion about above abrir
abroad absence absolute absolutely absorption abstract abstraction abundance abuse academic
academics acceler accelerate acceleration accelerator accept acceptable acceptance accepted
accepting accepts acceso access accessed accessibility accessible accessing accessories accessory
accident accidental accidentally accidents acción acclaimed accom accommod accommodation
accompanied accompanies accompany accompl accord according accordingly account accountability
accountable accounted accounting accounts accredited accumulate accumulated accumulation
accumulator accur accuracy accurate accurately accused accustomed achie achieve achieved
achievement achievements achieving acknow acknowled acknowledge acquire acquired acquiring
acquisition acquisitions across acting action actions activ activate activated activation active
actively actividades activist activists activities activity actor actors actress actual actualizar
actually acuerdo adapt adaptation adapted adapter add added addiction adding addition additional
additionally additions address addressed addresses addressing adequate adjacent adjust adjustable
adjusted adjusting adjustment adjustments admin administer administr administration administrations
administrative administrator administrators admission admissions admitted adopt adopted adoption
adult adults advance advanced advancement advancements advances advancing advant advantage
advantages advent adventure adverse advert advertis advertised advertisement advertising advice
advis advised advoc advocate aesthetic affairs affect affected affection affects affili affiliate
affiliated affiliation afford affordable afraid after aftermath afternoon afterward afterwards
again against agencies agency agenda agent agents aggregate aggregation aggress aggression
aggressive agre agree agreed agreeing agreement agreements ahead aircraft airport album alcohol
alert algorithm algorithms alias aliases align aligned alignment alive all alleg allegation
alliance allies alloc allocate allocated allocation allocations allocator allow allowance allowed
allowing allows almost alone along alongside alpha alphabet alphabetical already also alter
alterations altered altern alternate alternating alternative alternatively alternatives although
altitude altogether aluminum always amateur amazing ambassador ambitions ambitious ambulance
amended amendment amenities american among amongst amount amounts amplitude anal analy analys
analyses analysis analyst analysts analytical analytics analyze analyzed analyzing anchor ancient
and android androidx angle angular anim animal animals animate animated animation animations
animator anniversary annotation annotations announc announce announced announcement announcements
announces announcing annual annually annunci anonymous another answer answered answers anterior
antes anti anticip anticipated anticipation antidepress anxiety any anybody anyone anything anytime
anyway anywhere apache apart apartment apolog apparent apparently appe appeal appealing appear
appearance appearances appeared appearing appears append appliances applic applicable applicant
applicants application applications applied applies apply applying appoint appointed appointment
appointments apprec appro approach approached approaches approaching appropri appropriate
appropriately appropriation appropriations approval approve approved approx approximate
approximately approximation arbitrary arch architect architecture archive archives archivo archivos
are area areas aren arg argc argparse args arguably argued arguing argument arguments argv aria
arithmetic around arrang arrange arranged arrangement array arrays arrest arrival arrive arrived
arrives arriving article articles artifact artifacts artificial artist artistic artists artwork
ascending ascii asked asking aspect aspects assault assembled assemblies assembly assert asserting
assertion assertions assess assessed assessment asset assets assign assigned assignment assignments
assist assistance assistant assistants assisted assisting assists associ associate associated
associates association associations associative assum assume assumed assumes assuming assumption
assurance assured astonishing astronaut async asynchronous asynchronously atención athletes
athletic atmos attach attached attachment attachments attack attacked attacker attackers attacking
attacks attempt attempted attempting attempts attend attendance attended attendees attending
attention attitude attitudes attorney attorneys attr attract attracted attraction attractions
attractive attrib attributable attribute attributed attributes attribution auction audience
audiences audio augmentation augmented auth authentic authenticate authenticated authentication
author authoritarian authoritative authorities authority authorization authorize authorized authors
auto autocomplete autogenerated autom automated automatic automatically automation automobile
automotive autonomous availability available avatar average averaged averaging avoid avoided
avoiding await award awarded awards aware awareness away awesome awkward axios axis ayuda back
backdrop backed backend background backgrounds backing backpack backup backward backwards backyard
bacter bacteria bacterial balance balanced balances balancing ball band bandwidth bank banking
bankrupt bankruptcy banks banned barely barrel barrier barriers base baseball based baseline
basement basename bases basic basically basis basket basketball batch bathroom batter battery
battle battlefield battles beach bearing bearings beating beaut beautiful beautifully beauty became
because become becomes becoming bedroom bedrooms been before beforehand began begin beginners
beginning begins behalf behavior behavioral behaviors behaviour behind being belie belief beliefs
believe believed believes believing belong belongs beloved below bench benchmark benef benefici
beneficial beneficiary benefit benefits besides best bestselling beta better betting between
beverages beyond bgcolor big bigger biggest bill billing billion billions binary binding bindings
biography biological birth birthday bit bitcoin bitmap bits black blank bleeding block blockbuster
blockchain blocked blocking blocks blog blood bloque blue board boards bodies body bold bonus book
booking bookmark books bool boolean boost bootstrap border borders borrow both bother bottle bottom
bought bound boundaries boundary bounding bounds boxes boyfriend brackets brain branch branches
brand brands break breakdown breakfast breaking breakpoint breaks breakthrough breast breath
breathing breeding bridge brief briefly bright brightness bring bringing brings broad broadcast
broadcasting broader broke broken broker brother brothers brought brown browser browsers browsing
bucket budget buf buffer buffers build builder building buildings builds built builtin bullet
bundle burden burn burning buscar business businesses businessman but butter button buttons buying
byte bytes búsqueda cabin cabinet cable cache cached cada cadena calcul calculate calculated
calculates calculating calculation calculations calculator calendar calibration call callback
callbacks called caller calling calls calories came camera cameras camp campaign campaigning
campaigns campo campos campus can cancel canceled cancell cancellation cancelled cancer candid
candidate candidates cannot canonical cantidad canvas capabilities capability capable capacity
capital capitalism capitalist capitalize capt captain caption capture captured captures capturing
caracter carbohydr carbon card cards care career careers careful carefully carga cargar carried
carrier carriers carries carry carrying cart cartoon case cases cash casino cast casting casual
catalog catalogue catch catching categor categoria categorical categories categorized category
caught cause caused causes causing caution ceiling cele celebr celebrate celebrates celebrities
cell cellpadding cells cellspacing cellular cent center centered centers central centralized centre
centuries century ceremony cert certain certainty certificate certificates certification
certifications certified chain chair chairman chall challeng challenge challenges chamber champion
champions championship chance chances chang change changed changes changing channel channels
chapter chapters char character characteristic characteristics characterization characterize
characterized characters charg charge charged charges charging charitable charities charity
charming chars charset chart chat cheap cheaper check checkbox checked checking checkout checkpoint
checkpoints checks checksum cheese chem chemical chemicals chemistry chemotherapy chicken chief
child childhood children chocolate choice choices choose choosing chose chosen chromosome chronic
chronological chunk church churches cigaret cipher circ circle circles circuit circular circulating
circulation circum cities citiz citizen citizens city civil civilian civilization civilizations
claim claimed claiming claims clang clarification clase class classes classic classical
classification classifications classified classifier classifiers classmates classroom classrooms
clause clave clean cleaned cleaning cleanup clear clearance cleared clearfix clearing clearly click
clicked clicking client cliente clients climate clinical clipboard clock clone clos close closed
closer closest closing closure clothes clothing cloud cls club cluster clustering clusters coach
coaches coaching coalition coast cocktail code codec codecs codes coding coefficient coefficients
coffee cognitive coll collabor collapse collapsed collateral colle colleague collect collected
collecting collection collections collective collectively collector collectors college collision
collisions colon colonial color colored colorful coloring colors colour colours colspan column
columna columns com comb combat combination combinations combine combined combines combining come
comedy comentario comes comfort comfortable comfortably coming comm command commander commanders
commands comment commentary commentator commentators commented commenting comments commerce
commercial commercially commission commissioned commissioner commissioners commissions commit
commitment commitments committed committee committees committing commodity common commonly communic
communicate communicated communicating communication communications communist communities community
como comp compact compan companies companion companions company compar comparable comparator
compare compared comparing comparison compartment compass compassion compassionate compat
compatibility compatible compelled compelling compens compensation compet compete competence
competent competing competition competitions competitive competitor competitors compilation compile
compiled compiler compl complain complaint comple complement complementary complet complete
completed completely completion complex complexities complexity compliance compliant complicated
complications component componente components compose composed composer composite composition
compositions compound compounds compr compreh comprehensive compress compressed compression
compressor comprises comprising comprom compromise comput compute computed computer computers
computing comunidad con conc concaten conceived concent concentration concept conception concepts
conceptual concern concert conclude concluded concludes conclusion conclusions concrete concurrent
concurrently condem condition conditional conditioned conditioner conditioning conditions conduct
conducted conducting conf conference conferences confession confidence confident confidential
config configurable configuration configurations configure configured configuring confirm
confirmation confirmed confirming conflic conflict conflicting conflicts conform confront confused
confusing confusion congregation congress conjunction conjunto conn connect connected connecting
connection connections connectivity connector connectors connects cons consc conscience conscious
consciously consciousness consec consecutive consensus consent consequ consequence consequences
consequential consequently conserv conservation conservative conservatives consider considerable
considerably consideration considerations considered considering considers consist consisted
consistency consistent consisting consists console consolid conspir conspiracy const constant
constantly constants constellation constexpr constit constitu constitution constitutional constr
constrained constraint constraints construct constructed constructing construction constructions
constructive constructor constructors constructs consult consulta consultant consultants
consultation consultations consulting consum consume consumed consumer consumers consuming
consumption cont contact contacted contacting contacts contain contained container containers
containing containment contains contamin contamination contempl contemporary contenido content
contention contentious contents contest context contexto contexts contiene contin continent
continental continu continually continuar continuation continue continued continues continuing
continuity continuous continuously contr contract contracted contracting contraction contractor
contractors contracts contrad contrary contraseña contrast contrib contribute contributed
contributes contributing contribution contributions contributor contributors control controlled
controller controllers controlling controls controvers conv conven convenience convenient convent
convention conventional conventions conver convergence convers conversation conversations
conversion conversions convert converted converter converters convertible converting converts
convey convicted conviction convictions convin convince convolution cook cookie cookies cooking
cool cooling cooper cooperate cooperation cooperative coordin coordinate coordinated coordinates
coordination coordinator copied copies copy copyright copyrighted core corner corners corpor
corporate corre correct correctamente corrected correction corrections correctly correctness
correlated correlation correlations correo correspond corrupt corrupted corruption cost costs could
couldn coun council counsel count countdown counted counter counterpart counterparts counters
counties counting countless countries country counts county couple couples cour courage course
courses court courtesy courts cout covariance cover coverage covered covering covers craft crash
crazy cream crear creat create created creates creating creation creative creativity creator
creators creature creatures cred credential credentials credibility credit credits crime crimes
criminal criminals crisis crit criteria criterion critic critical critically criticism critics
cross crossed crossing crossorigin crossover crowd crowdfunding crush crusher crushing crypt crypto
cryptoc cryptocurrency cryptographic cryptography crystal ctx cuando cube cuenta cult cultivation
cultural culture cultures cumulative curiosity curious currencies currency current currently
curriculum cursor custody custom customer customers customizable customization customize customized
cutting cycle cycles cylinder código daily damage damaged damages damaging dance dancing danger
dangerous dangerously dans dark darkness dashboard data database databases dataframe dataset
datasets date dates datetime dating datos daughter daughters days dead deadline deal dealers
dealing deals death deaths debate debe deben debian debido debug debugging decade decades decent
decentral decide decided decides deciding decimal decision decisions decl declar declaration
declarations declare declared declaring decline declined declining decode decoded decoder
decomposition decor decorated decorating decoration decorations decorative decorator decre decrease
decreasing dedicated dedication deduction deep deeper deeply def default defaultdict defaults
defaultstate defeat defeated defect defence defend defendant defendants defended defender defenders
defending defense defensive deferred deficiencies deficiency deficit define defined defines
defining definit definitely definition definitions degradation degree degrees del delay delayed
delegate delegates delegation delete deleted deleting deletion deliber delicate delicious delight
delighted delimiter deliver delivered deliveries delivering delivers delivery delta demand demanded
demanding demands democr democracy democratic demographic demographics demon dengan denied
denominator density dentro depart department departments departure depend dependence dependencies
dependency dependent depending depends deploy deployed deployment deployments deposit deprecated
depressed depression deprivation depth derivative derivatives derived desc descendants descending
descri describe described describes describing descripcion description descriptions descriptive
descriptor descriptors desde deserialize deserve deserves design designated designation designed
designer designers designing designs desirable desire desired desktop desper desperate despite
después dest destination destinations destino destroy destroyed destroying destruct destruction
destructive destructor detail detailed detailing details detained detalle detalles detect detected
detection detective detectives detector detention deter determin determination determine determined
dev devast develop developed developer developers developing development developmental developments
develops deviation device devices devoted diabetes diagn diagnosis diagnostic diagnostics diagonal
diagram dialog dialogue diameter diamond dict dictionaries dictionary did didn died diff differ
difference differences different differential differentiate differentiated differentiation
difficult difficulty digest digital digits dimension dimensional dimensions diminished dining
dinner dir dirección direct directed directing direction directional directions directive
directives directly director directories directors directory dirname disabilities disability
disable disabled disagree disap disappe disappear disappearance disappeared disappoint disappointed
disappointment disaster disasters disc discarded discharge discharged discipl disciples
disciplinary discipline disclaimer disclose disclosed disclosure disco discomfort disconnect
disconnected discontin discontinued discount discounted discounts discourse discover discovered
discoveries discovering discovery discret discretion discrim discriminator discuss discussed
discusses discussion discussions dise disease dishwasher dislike dismiss dismissed disorder
disorders dispatch dispatched dispatcher displ displaced displacement display displayed displaying
displays disponible disposable disposal dispose disposed disposing disposition dispute disrespect
disrupt disruption dist distance distances distant distinct distinction distinctive distingu
distinguish distinguished distortion distr distraction distress distrib distribute distributed
distribution distributions distributor district districts div divers divide divided division
divisions divorce django doc docs doctor doctors doctrine document documentaries documentary
documentation documented documenting documento documentos documents does doesn doing doll dollar
dollars domain domains domestic domin dominance dominant dominated domination don donation
donations donde done door doors dos doub double down download downloadable downloaded downloading
downloads downstream downtown dozens draft drastically draw drawing drawings drawn dream dreams
dress dressed dressing drilling drink drinking drinks drive driven driver drivers drives driving
drop dropdown dropped dropping drug drugs dtype dumpster duplicate duplicated duplicates
duplication durability durable durante duration during dynamic dynamics each earlier earliest early
earn earned earning earnings earth earthqu earthquake easier easily eastern easy eating echo
ecological econ econom economic economics economy edge edges edit editable edited editing edition
editor editorial editors educ educated education educational educators effect effective effectively
effectiveness effects efficiency efficient efficiently effort efforts eight either ejemplo elapsed
elderly elect elected election elections electoral electorate electric electrical electricity
electro electron electronic electronically electronics elegant element elementary elemento
elementos elements elevation elevator elif eligibility eligible eliminar eliminate eliminated
eliminating elimination else elseif elsewhere email emails embarrass embed embedded embedding
embrace emerg emerged emergency emerging emission emissions emotion emotional emotionally emotions
emphas emphasis empirical employ employed employee employees employer employers employing
employment empower empty enable enabled enables enabling encode encoded encoder encoding encompass
encontr encount encounter encounters encour encourage encrypt encrypted encryption end endanger
endangered ended endforeach endian endif ending endl endless endorse endorsed endpoint endpoints
endurance enemies enemy energ energetic energy enforce enforcement engage engaged engagement
engaging engine engineer engineered engineering engineers engines english enhance enhanced
enhancement enhancements enhancing enjoy enough enrolled enrollment ensemble ensure ensures
ensuring enter entered entering enterprise enterprises entertain entertainment enthus entire
entities entitled entitlement entity entrada entrance entre entreprene entrepreneur entries entry
enum enumer enumerable enumerate enumeration env envelope enviar environ environment environmental
environmentally environments episode episodes equal equality equally equals equation equations
equilibrium equipment equipo equipped equivalent err error errores errors escape escaped eslint
espacio especial especially espera essay essence essential essentially essentials esta establish
established establishes establishing establishment establishments estado estar estate este estilo
estim estimate estimated estimates estimation está están etc ethical ethnic eval evaluate evaluated
evaluates evaluating evaluation evaluations even evening event eventdata events eventually ever
every everybody everyday everyone everything everywhere evid evidence evolution evolved exact
exactly exam examination examine examined examining example examples exceed exceeded excell
excellent except exception exceptional exceptionally exceptions excess excessive exchange exchanged
exchanges excited exciting exclude excluded excluding exclus exclusion exclusive exec executable
execute executed executing execution executive executor exemption exerc exercise exercises exhaust
exhib exhibit exhibited exhibition exist existe existed existence existential existing exists exit
expand expanded expanding expansion expect expectation expectations expected expecting expects
expedition expense expenses expensive exper experi experience experienced experiences experiment
experimental experimentation experimenting experiments expert expertise experts expiration expired
expires expl explain explained explaining explains explan explanation explicit explicitly explo
explode exploitation exploited exploration explore explored explores exploring explos explosion
exponent exponential export exported exports exposed exposure express expressed expressing
expression expressions ext extend extended extending extends extension extensions extensive
extensively extent exterior extern external extinction extra extract extracted extracting
extraction extraordinary extrem extreme extremely eyes fabric fabrication fabulous face facebook
faces facilit facilitating facilities facility facing fact factor factories factors factory facts
faculty fail failed failing fails failure failures fair fairly faith faithful fall fallback fallen
falling false falta familiar families family famous fans fantastic fantasy farmers fashion fast
faster fastest father fault favor favorable favorite favorites favour favourite favourites
feasibility feature featured features featuring fecha federal feed feedback feeding feel feeling
feelings feels feet fellow felt female females fermentation fertility festival festivals fetch
fiction fictional field fields fight fighter fighters fighting figure figured figures file filed
filename filenames filepath fileprivate files filesystem fill filled filling film films filter
filtered filtering filters final finalize finally finance finances financial financially financing
find finding findings finds fine finger fingerprint fingerprints fingers finish finished finishes
finishing fire firearms firebase fired firefight firefighters fireplace firm firma firmware first
firstname fiscal fish fishing fitness fitting five fixed fixture fixtures flag flags flash flatten
flavor flex flexibility flexible flight flights float floating flooding floor flooring flow flower
flowers flying focus focused focuses focusing folder folders follow followed followers following
follows fonction font fontsize foo food foot footage football footprint for forbidden force forced
forces forcing fore foreach forecast forecasts foreground foreign foreigners forest forever forget
forgiveness forgotten form forma formal formally format formation formations formato formats
formatted formatter formatting formed former formerly formidable forming forms formula formulated
formulation forth forthcoming fortunate forum forward fought found foundation foundations founded
founder founding four fourth fprintf fraction frag fragment fragmentation fragments frame
frameborder framebuffer frames framework frameworks franch franchise frauen free freedom frequ
frequencies frequency frequent frequently fresh freshman friction friend friendly friends
friendship friendships from front frozen fruit frustr fue fuera fulfill fulfilled full fullname
fullscreen fully fun func funcion funciones función function functional functionalities
functionality functioning functions fund fundament fundamental fundamentals funding fundraising
funds furnished furniture further future gained gaining galleries gallery gambling game gameplay
games gaming garage garbage garden gateway gather gathered gathering gave gcc gender gener genera
general generalized generally generate generated generates generating generation generations
generator generators generic generous genetic genetically gentle genuine geographic geographical
geometry geschichten gesture get getattr gets getting giant gift girl girlfriend girls git github
give given gives giving glass glasses global globalization globally glyphicon gmail goal goals goes
going gold golden gone good goodness goods google got goto gotten gover govern government
governmental grabbed grad grade gradient gradually graduate graduated graduates graduating
graduation grammar grand grandchildren granddaughter grande grandfather grandmother grandparents
grant granted graph graphic graphics grassroots grateful gratis gratitude gravitational gravity
great greater greatest greatly green greenhouse grid grinding grocery ground groundbreaking grounds
groundwater group groups grow growing grown growth grupo guard guardar guess guest guests guidance
guide guidelines guilty guitar guys habit hacer had hair half hand handful handle handled handler
handlers handles handling hands hanging happ happen happiness happy harass hard hardcore harder
hardly hardware harmon harmony harvest has hasattr hash hashes hasta have haven having hay head
headed header headers heading headline headlines headphones headquartered headquarters heads
healing health healthcare healthier healthy hear heard hearing heart heartbreaking heating heaven
heavy heavyweight height heightened held helicopt helicopter help helped helper helpers helpful
helping helps here hereby heritage hesitate hexadecimal hexatrigesimal hidden hierarchical
hierarchy high higher highest highlight highlighted highlighting highlights highly highway hijo
himself histogram histor historia historian historians historic historical historically history
hitting hold holder holders holding holds holiday holidays home homeless homelessness homemade
homeowners homepage homes homework honest honestly hope hopefully hoping horizontal horizontally
horrible horror hospital hospitality hospitalized host hosted hosting hostname hotel hour hours
hous house household households houses housing how however href html htmlentities htmlspecialchars
http https huge human humanitarian humanity humans humidity humiliation hundred hundreds hunting
husband hydraulic hydrogen icon idea ideal ideas ident identical identifiable identification
identified identifier identifiers identifies identify identifying identities identity ideological
ideology ifdef ifndef ignore ignored ignoring igual illegal illness illumination illustr illustrate
illustrated illustrates illustration illustrations imag image imagen images imaginary imagination
imagine imagined immedi immediate immediately immigr immigrant immigrants immigration immune
immunity impact impacted impacts imperial implement implementation implementations implemented
implementing implements implication implications implicit implicitly implied implies implode import
importance important importante importantly imported importing imports imposed impossible impress
impressed impression impressions impressive impro improper improve improved imágenes inability
inaccessible inactive inappropriate incent inches incidence incident incidents includ include
included includes including inclusion inclusive income incoming incompatible incomplete
inconsistent incontri incor incorpor incorrect incorrectly incre increase increased increases
increasing incred incredible increment incremental increments inde indeed indent indentation
independ independence independent index indexed indexes indic indica indicate indicated indicates
indicating indication indications indicator indicators indices indifference indigenous indirect
indiv individ individual individuals indu induction indust industrial industry ineffective
inequality infamous infected infection infections inference inferior infinite infl inflamm
inflammatory inflater inflation influ influence info inform información information informational
informations informative informações informed infrastructure ingredient ingredients inherent
inherit inheritance inherited inhibition inicial iniciar inicio init initi initial initialization
initialize initialized initializer initializes initializing initially initiate initiated initiation
initiative inject injection injunction injured injuries injury injustice inline inner innov
innovation input inputs inquiries inquiry inscription insensitive insert inserted inserting
insertion inside insight insights insisted inspect inspection inspections inspector inspir
inspiration inspire inspired inspiring inst instability install installation installations
installed installer installing installment instance instanceof instances instant instantaneous
instantiate instantiated instantiation instantly instead instinct instit institute institution
institutional institutions instr instruct instruction instructional instructions instructor
instructors instrument instrumental instrumentation instruments insufficient insulation insurance
int integ integer integers integr integral integrate integrated integrating integration integrity
intel intellect intellectual intelligence intelligent intended intense intensity intensive intent
intention intentions inter interact interacting interaction interactions interactive interacts
intercept interception interceptions interchange interconnected intercourse interdisciplinary
interess interest interested interesting interests interface interfaces interfer interference
interior intermediate intern internacional internal internally international internationally
internet internship interpersonal interpol interpolate interpolation interpre interpret
interpretation interpretations interpreted interpreter interpreting interrog interrupt interrupted
interrupts intersect intersection intersections interval intervals intervention interview intimate
intimid into intrinsic introdu introduce introduced introducing introduction introductory intuitive
invalid invalidate invasion invent invented invention inventory inverse inversion invest invested
investig investigate investigated investigation investigator investigators investing investment
investments investor investors invisible invitation invitations invite invited invocation invoice
invoke invoked invokevirtual invol involve involved irregular irrelevant isinstance island islands
iso isolated isolation isset issue issued issues italian italic item items iter iterable iterate
iteration iterations iterator itertools its itself java javafx javascript javax jobs join joined
joining joint journal journalism journalist journalists journey json judge judgement judgment
judicial jump jumping jurisdiction just justice justification justified justify keep keeping keeps
kernel key keyboard keys keyword keywords kids kill killed killing kilometers kind kindergarten
kinds kingdom kitchen knew knock know knowing knowledge knowledgeable known knows kosten kotlin
kwargs können label labeled labels labor lack lambda land landing landlord landmark lands landscape
language languages laptop larg large largely larger largest largo las last lasting late lateinit
lately later latest latitude latter laugh launch launched launches launching lawmakers laws lawsuit
lawyer lawyers layer layers layout lead leader leaders leadership leading leads league learn
learned learning least leather leave leaves leaving lecture leer left legacy legal legalization
legally legend legendary legis legisl legislation legitimate len length lengths lesbian less lesson
lessons let letter letters letting level levels leverage lexer liabilities liability lib liberal
liberation libert liberty libraries library libre licence license licensed licenses licensing life
lifecycle lifestyle lifetime light lighter lighting lightning lights lightweight like liked
likelihood likely likes likewise limestone limit limitation limitations limited limiting limits
line linear lines linewidth link linked linking links linux liquid list lista listar listed listen
listened listener listeners listening listing listings lists liter literal literally literary
literature litigation little live lived lives living llvm load loaded loader loading local locale
locales localhost localization localized locally locate located location locations lock locked log
logged logger logging logic logical login logistics logout lombok long longer longest longitud
longitude longstanding longtime look looked looking looks lookup loop los losing loss losses lost
lot love loved lovely loving lower lowercase lowest luego lugar luxurious luxury mach machine
machinery machines made magazine magazines magic magical magn magnetic magnitude mail main mainly
mainstream maint maintain maintained maintaining maintains maintenance major majority make makes
making malfunction malicious malloc man manage managed management manager managers manages managing
mandatory manifest manifestation manifestations manip manner manual manually manufact manufacture
manufactured manufacturer manufacturers manufactures manufacturing many map mapping margin mark
marked marker markers market marketing marketplace markets marriage marriages married mask mass
massage massasje massive master masterpiece masturb masturbation match matched matches matching
matchmaking material materials math mathematic mathematics matplotlib matrices matrix matter
matters mature max maximize maximum maxlength may maybe mayor mean meaning meaningful meaningless
means meant meanwhile meas measure measured measurement measurements measures measuring mechan
media mediante medic medical medication medicine meditation medium meet meeting meetings member
members membership memberships membrane memcpy memorable memoria memorial memories memory memset
menos mensaje mensajes mental mentality mentally mention mentioned mentioning mentions menu
merchant merchants merely merge message messages messaging messenger meta metabol metabolic
metadata metal meters method methodologies methodology methods metric metrics metropolitan micro
microphone microseconds microwave middle middleware midfield midnight mientras might migrants
migration migrations miles milestone milit military mill million millions milliseconds mind
mindfulness mineral minerals minimal minimize minimum mining minister ministers ministry minor
minorities minority minute minutes mirror miscellaneous misconduct misinformation misleading
mismatch mismo misrepresented miss missed missile missiles missing mission missionaries missions
mistake mistaken mistakes misunder mixed mixture mobile mobility mock modal mode model modeling
models moder moderate modern modification modifications modified modifier modifiers modify
modifying modo module modules molecular molecules moment momento moments momentum monetary money
mongoose monitor monitored monitoring monitors monster monsters month monthly months monument more
morning mortality mortgage most mostly mostrar mother motherboard mothers motion motiv motivated
motivation motor motorcycle motorcycles mount mountain mountains mounted mounting mouse mouth move
moved movement movements moves movie movies moving msg much muestra mult multi multicultural
multimedia multip multiplayer multiple multiplication multiplied multiplier multiply
multiprocessing multitude municip murder muscle muscles music musical musician musicians must
mutable mutation mutations myself mysql mysqli mysterious mystery más name named names namespace
namespaces narrow nation national nationalism nationalist nationality nationally nations nationwide
native natur natural naturally nature navbar navigate navigation navigator near nearby nearest
nearly necess necessarily necessary need needed needs negative negatively neglected negot neighb
neighbor neighborhood neighbors neighbour neighbours neither net nettsteder network networking
networks neutral never nevertheless new newly news newsletter newsletters newsp next nice nicht
nickname night nightmare nights ninguna ningún nivel nobody node nodes noexcept noise nombre
nombres nominated nomination nominee non nonatomic none nonetheless nonprofit norm normal
normalization normalize normalized normally north northeast northern not notable note notebook
noted notes nothing notice noticeable noticed notices notification notifications notified notify
notion notorious notoriously notwithstanding novel now nowhere npm nuclear nueva nuevo null
nullable nullptr number numbers numer numeric numerical numero numerous numpy nutrients nutrition
nutritional número obj object objection objections objective objectives objects objetivo objeto
objetos oblig observ observable observation observational observations observe observed observer
observers observing obsession obstacle obstacles obstruction obtain obtener obvious obviously occas
occasion occasionally occasions occup occupation occupational occupations occupied occur occurred
occurrence occurrences occurring occurs off offenders offense offensive offer offered offering
offerings offers offic office officer officers offices official officially officials offline
offseason offset offshore offspring often oid old older once onclick one ones ongoing online only
ontvangst opacity opciones opción open opened opening openssl oper operand operate operated
operates operating operation operational operations operator operators opin opinion opinions oppon
opponent opponents opport opportunity oppos opposed opposing opposite opposition oppression optical
optim optimal optimistic optimization optimizations optimize optimized optimizer option optional
optionally options opts orange orden order ordered ordering orders ordinance ordinary org organ
organic organis organisation organisations organised organisms organiz organization organizational
organizations organize organized organizer organizers organizing orient orientation orig origen
origin original originally originated originating orphan ostream other others otherwise our
ourselves out outbreak outcome outcomes outdoor outdoors outgoing outlets outline outlined output
outputs outright outside outstanding over overall overcome overflow overhead overlap overlapping
overlay overlook overlooking overnight overridden override overrides overse oversight overtime
overview overweight overwhel overwhelming overwrite overwritten owned owner owners ownership pack
package packages packaging packed packet packets padding page pages pagination paging paid pain
painful paint painted painter painting paintings pair pairs palette pandas panel panels paper
papers paperwork para paragraph paragraphs parallel param parameter parameters parametros params
pareja parent parenting parents park parking parliament parse parsed parser parsing part parte
partial partially partic particip participant participants participation particle particles
particular particularly parties partir partition partitions partner partners partnership
partnerships parts party pass passage passed passenger passengers passes passing passion passionate
passive passport password passwords past patch patches path pathname paths patience patient
patients pattern patterns paying payload payment payments peace peaceful penalties penalty pending
penetration pension people perceived percent percentage percentages perception perceptions perf
perfect perfection perfectly perform performance performances performed performer performers
performing performs perhaps perimeter period periodic periodically periods peripheral perl perman
permanent permission permissions permit permite permits permitted permitting permutation
permutations pero perpendicular perpet pers persist persistence persistent person persona personal
personalised personalities personality personalized personally personals personas personnel
personnes persons perspective perspectives pertaining pesticides petition pharm pharmacy phase
phenomen philosoph philosopher phone phones phot photo photograph photographed photographer
photographers photographic photographs photography photos phrase phys physical physically physician
physicians physics physiological pick picked picking pickle picture pictures piece pieces pip
pipeline pitch pixel pixels pkg place placed placeholder placeholders placement places placing
plain plaintiff plaintiffs plan plane planet planned planning plano plans plant plants plastic
plate platform platforms plausible play playback played player players playground playing playlist
playoff playoffs plays pleasant please pleased pleasure plenty plot plugin plugins plus plusieurs
pocket pockets podcast point pointed pointer pointers pointing points poison polic police policies
policy polit political politically politician politicians politics poll polling pollution polygon
polynomial pool poor popular popularity populate populated population populations por porque port
portable portfolio portion portions portrait portray posible posición position positional
positioned positioning positions positive positively poss possess possessed possesses possession
possessions possibilities possibility possible possibly post posted poster posterior posting posts
postseason potatoes potential potentially pounds pour poverty powder power powered powerful powers
pract practical practice practices pragma pre prec preced precedence precedent preceding precious
precis precise precision precondition pred predecess predetermined predicate predict predictable
predicted predicting prediction predictions predictive predomin prefer preferably preference
preferences preferred prefix pregn pregnant prem premium prepar preparation prepare prepared
preparing preprocess preprocessing prerequisite prerequisites pres prescribed prescription
prescriptions preseason presence present presentation presentations presente presented presenter
presenting presently presents preservation preserve preserved preserving presidency president
presidente presidential presidents press pressed pressing pressure pressures presum presumably pret
pretending pretty prev prevailing prevent prevented preventing prevention prevents preview previous
previously price prices pricing primarily primary prime primer primero primitive princess princip
principal principalmente principle print printable printed printer printf printing println prior
priorities priority prison priv privacy private privately privile privilege privileged privileges
prob probabilities probability probable probably probation proble problem problematic problems
proced procedure procedures proceed proceeded proceso process processed processes processing
processor processors procurement produ produce produced producer producers produces producing
product production productions productive productivity producto productos products prof profession
professional professionalism professionally professionals professionnel professions professor
proficiency profile profiles profit profitability profitable profits profound program programa
programas programme programmed programmer programmers programmes programming programs progress
progression progressive progressively progressives prohib prohibited prohibition project projected
projectile projection projections projects prom prominent promise promised promises promising
promot promote promoted promotes promoting promotion promotional promotions prompt prompted
prompting promptly pronounced pronunciation proof prop propag propagation proper properly
properties property proportion propos proposal propose proposed proposition propositions propri
proprietary props prosec prospect prostit prostitution prot protagon prote protect protected
protecting protection protective protects protein protest protesting protests protocol protocols
prototype prototypes proud prov prove proved proven provid provide provided provider providers
provides provinc province provinces provincial provision provisions proximity proxy psych
psychiatric psychological psychologically psychologist psychologists psychology pthread ptr public
publication publications publicity publicly publish published publisher publishers publishing pudo
puede puerto pull pulled pulling punctuation punishment punto puntos purch purchase purchased
purchases purpose purposes push pushed pushing putting pygame python página pública qual
qualification qualifications qualified qualify qualifying qualitative qualities quality quant
quantitative quantities quantity quantum quarter quarterback quarterbacks quarterly quarters que
queries query queryset quest question questionable questioned questioning questionnaire questions
queue quick quickly quiere quiet quietly quit quite quote quotes race racial racing radiation
radical radio radioactive radius rais raise raised raising ramifications random randomized randomly
range ranges ranging rank ranked ranking rankings rapid rapidly rate rates rather rating ratings
ratio rational raw reach reached reaches reaching react reaction reactions read readable reader
readers readily reading readings readonly ready real realised realistic realistically realities
reality realization realize realized realizing really reason reasonable reasonably reasoning
reasons rebuilding recall recalled rece receipt receive received receiver receivers receives
receiving recent recently reception receptor receptors recession recherche recipe recipes recipient
recipients recogn recognise recognised recognition recognizable recognize recognized recognizes
recognizing recomm recommend recommendation recommendations recommended reconciliation reconnect
reconsider reconstruct reconstructed reconstruction record recorded recording recordings records
recover recovered recovering recovery recreated recreation recru recruit recruitment rect rectangle
rectangular recurring recursion recursive recursively recycling redemption redevelopment redirect
redirected redistrib redistribute redistributed redistribution redu reduce reduced reduction refer
reference referenced references referencia referencing referendum referred referring refers reflect
reflected reflecting reflection reflections reflective reflects reform reforms refresh refreshing
refriger refuge refund refused refusing regard regarded regarding regardless regards regenerated
regeneration regex regime region regional regions register registered registering registers registr
registrar registration registrations registrazione registro registros registry regression regret
regul regular regularization regularly regulate regulated regulating regulation regulations
regulator regulators regulatory reinterpret reject rejected rejection relaciones relación related
relating relation relations relationship relationships relative relatively relatives relax relaxed
release released releases releasing relevance relevant reliable relief relig religion religious
reload relocation remain remainder remained remaining remains remark remarkable remarkably remarks
remember remembered remembering remembers reminded reminder remote removal remove removed removes
removing rename renamed rencont rencontre rencontres render rendered renderer rendering renew
renovation renowned rent rental reordered repair repairs repe repeat repeated repeating repetition
repl replace replaced replacement replacements replacing replicate replication replied replies
reply report reported reportedly reporter reporters reporting reports repositories repository
represent representation representations representative representatives represented representing
represents reprodu reproduce reproduction reproductive republic requ request requested requesting
requests require required requirement requirements requires requiring res rescue research
researched researcher researchers researching reserv reservation reservations reserve reserved
reserves reservoir reset residence resident residential residents residual resigned resist
resistance resistant resize resolution resolutions resolve resolved resolver resort resource
resources respect respectable respected respectful respective respectively respond responded
respondents responding responds respons response responses responsibilities responsibility
responsible responsive responsiveness respuesta rest restart restaur restaurant restaurants
restoration restore restored restoring restrict restricted restricting restriction restrictions
restrictive restructuring result resultado resultados resulted resulting results resume
resurrection retail retailer retain retained retaining retention retire retired retirement retreat
retrie retrieve return returned returning returns reve reveal revealed revealing reveals revenue
revenues revers reverse reversed review reviewed reviewing reviews revision revolution
revolutionary reward rewarding rewards rewrite riding right righteous rights rising risk river road
robot robust rock role roles roll rolled rolling romance romantic room rooms root roster rotate
rotation rough roughly round rounded rounds rout route router routes routine routines routing rows
rule rules ruling run runner running runs runtime ruta safe safety said salaries salary sale sales
salida salir salope salvation same sample samples sampling sanctions sandwich sanitized satellite
satellites satisf satisfaction satisfied saturated saturation save saved saving savings saying says
scalar scale scaling scandal scanner scanning scattered scen scenario scenarios scene scenes sched
schedule scheduled scheduler schedules scheduling schema scheme schemes schizophren scholar
scholars school schools science sciences scient scientific scientifically scientist scientists
scope score scored scores scoring scratch scre screen screening screens screenshot screenshots
script scripts scroll scrolling sealed search searched searches searching season seasonal seasons
second secondary seconds secret secretary secrets section sections sector sectors secure secured
securing securities security see seeing seek seeking seem seemed seems seen segment segmentation
segments segregation segundo segundos seguridad seleccion select selected selecting selection
selections selective selector selenium self sell selling semester semiconductor senators send
sender sending senior sens sensation sense sensible sensitive sensitivity sensor sensors sent
sentence sentenced sentences sentencing sentiment sentiments separ separate separated separation
separator sequence sequences sequencing sequential ser serial serialization serialize serialized
serializer serializers series serious seriously serv serve served server servers serves service
services servicio servicios servidor serving sesión session sessions set sets sett setting settings
settled settlement setup setuptools seven sevent seventh sever several severe severity sha shader
shadow shall shallow shape shapes share shared shareholder shareholders shares sharing sheet shell
shelter shield shift shifted shifting ship shipped shipping shock shocked shocking shoot shooting
shootings shop shopping short shortage shortcomings shortcut shorter shortest shortly shot shots
should shoulder shoulders shouldn show showcase showed shower showing shown shows shuffle shutdown
siblings side sidebar sides sido siempre sight sign signal signaling signals signature signatures
signed signific significance significant significantly signing signs silence silent silhouette
silver similar similarities similarity similarly simple simplicity simplified simplify simply
simulate simulated simulation simulations simulator simult sin since sing singing single singles
singleton singular sistema sister sisters site sites sitting situated situation size sizeof sizes
skeleton skill skilled skills skin skip sklearn slaughter sleep sleeping slide slider slides slight
slightly slot slow slowly small smaller smallest smart smartphone smartphones smoking smooth
smoothly snapshot snapshots snprintf sobre soccer social socialism socialist socially society
sockaddr socket soft software solar sold soldier soldiers solely solid solidarity solo solution
solutions solve solving some somebody somehow someone something sometime sometimes somew somewhat
somewhere son song songs soon sorry sort sorted sorting sought sound sounds soundtrack source
sourced sources south space spacecraft spaces spacing spacious span spatial speak speaker speakers
speaking speaks spec special specialist specialists specialization specialize specialized
specializes specializing specially specialty species specific specifically specification
specifications specifics specified specifier specifies specify specifying spect spectacular
spectrum speculation speculative speech speed spell spend spending spent spinning spirit spirits
spiritual spirituality split splitting spoke spoken spokes spons sponsor sponsored sponsors
sponsorship sport sporting sports spot spotlight spotted spread spreading spreadsheet spring
sprintf sprite sqlalchemy sqlite square src stability stable stack stadium staff stage stages
stainless stand standalone standard standardized standards standing standpoint stands star starring
stars start started starter starting starts startup stat state stated statement statements states
static stating station stationary stations statist statistic statistical statistically statistics
stats status statutory stay stayed staying stderr stdin stdout stealing steel steering step stepped
stepping steps stick sticking still stimulate stimulating stimulation stimulus stock stocks stolen
stone stood stop stopped stopping storage store stored stores stories storing storm story
storyboard storyline str straight straightforward strange stranger strangers strateg strategic
strategies strategy strcmp stre stream streaming streams street streets strength strengthen
strengths stress stressed stressful stretch stretched stretching stri strict strictly stride strike
strikes striking string strings stringstream strip stripped strlen stroke strong stronger strongest
strongly strtolower strtotime strtoupper struck struct structural structure structured structures
strugg struggle struggling stud student students studied studies studio study studying stuff
stunning stupid style styled styles stylesheet sub subclass subconscious subdivision subject
subjected subjective subjects submission submissions submit submitted submitting subparagraph
subprocess subs subscri subscribe subscribed subscriber subscribers subscription subscriptions
subsection subsequ subsequent subsequently substance substances substant substantial substitute
substitution substitutions substr substring subtitle subtract subtype succeed succeeded success
successes successful successfully succession successive successor such sudden suddenly suff suffer
sufficient suffix sugar suggest suggested suggesting suggestion suggestions suggests suicide suit
suitable suma summary summer sunlight super superhero superintendent superior supermarket
supermarkets superv supervised supervisor supplement supplementary supplementation supplements
supplied supplier suppliers supplies supply supplying support supported supporter supporters
supporting supportive supports suppose supposed suppress suppressed suppression sure surely surface
surfaces surgery surgical surpr surprise surprises surprising surprisingly surround surrounded surv
surveillance survey suspect suspected suspects suspend suspended sustain sustainability sustainable
sweet swimming swinger switch switched switches switching symbol symbolic symbols sympt symptoms
sync synchron synchronization synchronize synchronized synchronous syntax synthesis synthetic sys
syscall system systematic systematically systemd systems tabindex tabla table tables tablet tablets
tackle tactical tactics tag take taken takes taking talent talented talk talked talking talks
tamaño tar target targeted targeting targets task tasks taste taught taxes taxpayer teach teacher
teachers teaching team teams techn technical technically technician technicians technique
techniques technological technologies technology teenager teenagers tele telecommunications
telephone television tell telling tells temp temper temperature template templates tempor temporal
temporarily temporary temptation tend tendencies tendency tension tensions tensor tensorflow term
termin terminal terminate terminated terminating termination terminology terms terr terrain
terrible terrifying territor territorial territories territory terror terrorism terrorist
terrorists test tested testified testim testimonials testimony testing testosterone tests text
texto texture textures thaimassage than thank thanks that the theater their them theme themes thems
then theological theoret theoretical theories theory therapist therapy there thereafter thereby
therefore thermal these thesis they thick thickness thing things think thinking thinks third this
thorough those though thought thoughtful thoughts thous thousand thousands thread threading threads
threat threaten threatened threatening threatens threats three threshold thresholds thrilled
through throughout throw throwing thrown throws thumbnail thus ticket tickets tiempo tiene tight
time timedelta timeline timeout timer times timestamp timestamps timezone timing tipo tissue title
titles todas today todos together toggle token tokenizer tokens told toler tomorrow tonight too
took tool toolbar tools tooltip top topic topics torch torchvision torrent total totally touch
touchdown touched touches touching tough tour tourist tourists tournament tournaments toward
towards town trabajo trace traceback track tracker tracking tracks trad trade trademark trademarks
trading tradition traditional traditionally traditions traff traffic trail trailer trailing train
trained trainer training trajectory trans transaction transactions transcript transcription
transcripts transf transfer transferred transfers transform transformation transformations
transformative transformed transformer transforming transforms transgender transient transit
transition transitional transitioning transitions transl translate translated translates
translation translations translator transmission transmissions transmit transmitted transmitter
transparency transparent transplant transport transportation transported transporter transporting
trapped travel traveled travelers traveling travelled travers traverse treasure treat treated
treating treatment tree trees trend trends trial trials triangle triangles trick tried trigger
triggered triggering triggers trillion trip troops tropical trouble troubles truck true truly trust
trusted trustworthy truth try trying tuple turn turned turning turns tutorial tutorials tweet
tweeted twenty twice twitter two type typedef typename typeof types typical typically typing
typings ubuntu uint ultimate ultimately una unable unacceptable unauthorized unavailable uncertain
uncertainty unchanged unclear uncomfort uncommon uncompressed unconditional unconscious
unconstitutional uncovered undef undefined under undercover underestimate underestimated undergoing
undergraduate underground underline underlying undermine underneath underscore underscores underst
understand understanding understands understood undert underwater underway undocumented undoubtedly
unemployed unemployment unexpected unexpectedly unforgettable unfortunate unfortunately unicode
unidad unidentified uniform uninitialized union unique unit units unittest univers universal
universe university unknown unless unlike unlikely unlimited unlock unlocked unnecessarily
unnecessary unofficial unpack unparalleled unpleasant unprecedented unpredict unreachable
unreasonable unrelated unrestricted unsafe unsigned unspecified unstable unsubscribe unsuccessful
unsuccessfully unsupported unsustainable until unused unusual unwanted upcoming update updated
updates updating upgrade upgraded upgrades upgrading upload uploaded uploading upon upper uppercase
upstream urgency uri url urllib urlpatterns usa usado usage usando usar use used useful useless
user username users uses using usr usual usually usuario util utilities utility utiliza utilizado
utilizando utilizar utilization utilize utilized utilizing utils uuid vacation vaccine valid
validate validated validates validation validator validators validity valign valor valores valuable
valuation value values var vari variability variable variables variance variant variants variation
variations varieties variety various varying vector vectors veget vegetable vegetables vegetarian
vegetation vehicle vehicles velocity vendor vendors ventana ventilation venture verbose verbosity
verificar verification verified verify vers versatile versatility version versions versión versus
vert vertex vertical vertically vertices very veter via viagra vibration vict victim victory video
videos view viewed viewers viewing viewport views village vintage viol violated violating violation
violations violence violent virtual virtually visibility visible vision visit visited visiting
visitor visitors visits visual visualization visualize vitamin vocabulary voice void volatile
volatility voltage volume volumes voluntary volunte volunteer volunteers volver vote voters votes
voting votre vulner vulnerable válido wait waiting walk walked walking wall wallet wallpaper walls
want wanted wanting wants warehouse warm warming warn warned warning warnings warrant warranty was
washing wasn waste watch watched watching water waterproof waters wavelength way ways weak weakness
wealth wealthy weap weapon weapons wearing weather webdriver website websites wedding week weekend
weekends weekly weeks weight weighted weights welcome welcomed welcoming welfare well wellness went
werden were weren western what whatever whatsoever wheel wheelchair when whenever where whereas
wherever whether which while white whites whitespace who whole wholesale whose wide widely widget
width wife wild wilderness wildlife will willing window windows winner winners winning winter
wireless wiring wish with withdraw withdrawal withdrawn within without withstand witness woman
women wonder wood wooden word words work workaround worked worker workers workflow workforce
working workout workplace works worksheet workshop workshops workspace world worldwide worried
worry worse worship worst worth worthwhile would wouldn wounded wrapped wrapper writ write writer
writers writes writing written wrong wrote www yards year years yellow yesterday yield you young
younger youngest youngsters your yourself youth youtube zero zone également', E'\n| ', ' 1 ', 'g') || ' 1', ' '));

    -- Endings of English words; words with them are cheap for their length.
    c_endings constant jsonb := jsonb_object(string_to_array(regexp_replace(
'als ans ant ard ary ast ate cal ced cts dad ded der des eds els ely ent ess ets fix ful ged ger ges
hed hes ics ide ier ies ify imo ine ing ion irs ish ism ita its ity ive ivo ker led lly med nce nds
ned ngs oad ols ons ors ory ous ped per red res rge rma rts sal sed sly ted tic tly tor tra ual ure
uts val wer zed zer', E'\n| ', ' 1 ', 'g') || ' 1', ' '));

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
                -- Characters beyond Latin, each class a bracket; the first that matches takes one.
                c_foreign constant text[] collate "C" := array[
                    -- one token each: Chinese and Japanese marks, kana, ideographs
                    '[\u2010-\u2026\u3001\u3002\u300c-\u3011\uff08\uff09\uff0c\uff1a\uff1f'
                        || '\ufe0f\u00a1\u00ab\u00b7\u00bb\u00bf'
                        || 'あいうえおかがきくけこごさざしじすせそただちっつてでとどなにのはばまみめ'
                        || 'もやよらりるれろわをんアィイウェエオカキクグコサシジスズセタダチッテデト'
                        || 'ドナニバパビピフブプペポマムメャュョラリルレロン・ー'
                        || '一万三上下不与专业东两个中串为主么义之也书了事二于五些交产享京人亿今介从'
                        || '他付代以们件价任份企优会传但位体何余作你使例供価保信修倍值停像元先入全公'
                        || '共关其具内円册再写出击分列则初利别到制前力功加务动動包化北区十午华单南即'
                        || '历原去县参及友反发取变口只可台右号司合同名后向否含听启告员周命和品哈商問'
                        || '器四回因国图土在地场址型城基報場填增声处备复外多大天失头女好如始子字存学'
                        || '安宋完定实审客家容密对导将小少尔就局展山岁州工左已市布常平年并广序库应店'
                        || '度建开异式引张当录形影径待後得微心必志态思性总息您情意感成我或户所手打找'
                        || '技投报拉持指按换据排接推提播支收改放政效数整文料断新方族无日时明易星是時'
                        || '景更最月有服期木未本机权束条来板构析果查标样核格案检模次款止正此步歳段每'
                        || '比民気水求江汽没治法注活流海消清游源火点無然片版物特率环现球理生用由电男'
                        || '画界番登的监目直相省看県真知码确示社票私种科秒称移程稍税稿空立站章端笑符'
                        || '第等签简算管箱米类系素索约级线组经结给络统编网置美老考者而联能自至色节英'
                        || '藏行表装西要見见规视角解言計記話読计认议记论设证评试话询该详语误说请读调'
                        || '象责败账货购费资起超路身车转软载辑输达过运近还这进连述退送选通速造連道邮'
                        || '部都配释里重量金钟钮链销错键长開間関门闭问间队阳陆限院除雅集雷需非面音页'
                        || '项预频题额首验高黑' || ']+',
                    '['
                        || '가간값개거게결경고공과구그글기나내는능니다당대도동되된드든들디라래러력로'
                        || '록료류른를름리만메면명목문미버번보복부분비사산상색생서성세션소수스습시식'
                        || '신아야어에여열오와요용우운원위으은을음의이인일임입자작장재적전정제져조주'
                        || '지진째체출치크태터턴트튼하한할함해호화환회' || ']+',
                    '[\u0410-\u044f]+',
                    '[\u0386-\u03ce\u0e01-\u0e4e]+',
                    '[\u05d0-\u05ea\u0900-\u097f]+',
                    '[\u0627-\u064a]+',
                    -- ideographs and syllables whose first two bytes are no token: three tokens each
                    '['
                        || '\u5080-\u50bf\u5100-\u513f\u5480-\u54bf\u55c0-\u56bf\u5780-\u57bf'
                        || '\u5980-\u59bf\u5a00-\u5b3f\u5cc0-\u5dbf\u6080-\u60bf\u6140-\u61ff'
                        || '\u6400-\u643f\u64c0-\u64ff\u6880-\u68bf\u6900-\u693f\u6980-\u6aff'
                        || '\u6f40-\u703f\u7080-\u70ff\u7140-\u71ff\u7280-\u737f\u7440-\u74ff'
                        || '\u7580-\u763f\u7780-\u783f\u78c0-\u78ff\u7c00-\u7c3f\u7cc0-\u7cff'
                        || '\u7d80-\u7e7f\u7fc0-\u7fff\u8100-\u81bf\u8380-\u83bf\u8440-\u863f'
                        || '\u8680-\u883f\u8900-\u897f\u8ac0-\u8b3f\u8e00-\u8f3f\u9100-\u91bf'
                        || '\u9200-\u92ff\u9340-\u947f\u9780-\u97ff\u9900-\u997f\u99c0-\u9a3f'
                        || '\u9a80-\u9ebf\u9f00-\u9f7f\u9fc0-\u9fff'
                        || '\uad00-\uad3f\uad80-\uadbf\uae80-\ub07f\ub0c0-\ub0ff\ub180-\ub27f'
                        || '\ub300-\ub33f\ub380-\ub3bf\ub440-\ub4bf\ub540-\ub77f\ub880-\ub8bf'
                        || '\ub900-\ub93f\uba00-\uba3f\ubac0-\ubbbf\ubc40-\ubc7f\ubd00-\ubd7f'
                        || '\ubdc0-\ubdff\ube40-\uc07f\uc1c0-\uc27f\uc300-\uc53f\uc7c0-\uc7ff'
                        || '\uc840-\uc8ff\uc940-\uc97f\uca00-\ucbff\ucc40-\ucc7f\uccc0-\ucd7f'
                        || '\ucdc0-\uce3f\uce80-\ud03f\ud080-\ud0bf\ud140-\ud27f\ud2c0-\ud2ff'
                        || '\ud340-\ud53f\ud580-\ud5ff\ud680-\ud7a3' || ']+',
                    -- other characters of two tokens, among them many emoji
                    '[\u0080-\u07ff\u0900-\u0aff\u0b80-\u0eff\u2000-\u206f'
                        || '\u2100-\u21bf\u2200-\u227f\u2500-\u267f\u2700-\u27ff'
                        || '\u3000-\u30ff\u4e00-\u9fff'
                        || '\uac00-\ud7a3\uff00-\uffef\U0001f480-\U0001f4bf'
                        || '\U0001f600-\U0001f63f\U0001f370\U0001f4cd\U0001f504\U0001f642\U0001f68c]+',
                    -- beyond the basic plane, emoji apart: four; what is left over after this: three
                    '[\U00010000-\U0001efff\U00020000-\U0010ffff]+'
                ];
                c_foreign_weights constant float8[] := array[
                    c_one_part, c_hangul, c_cyrillic, c_greek_thai, c_hebrew_devanagari, c_arabic,
                    c_three_bytes, c_two_parts, c_four_bytes
                ];
            begin
                v_left := regexp_replace(v_text, ' (?=[\u2e80-\u9fff])', '', 'g');
                v_tokens := v_tokens + c_space_before_cjk * (length(v_text) - length(v_left));
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
    return case
        when estimate_tokens.content = '' then 0
        else greatest(1, ceil(v_tokens + c_margin * sqrt(v_tokens)))
    end;
end;
$function$;

comment on function cto.estimate_tokens(text) is
'About how many cl100k_base tokens content has; 0 for the empty string, null for null.
Calibrated to undercount rarely, so it overcounts a little; embedding replaces it by the exact count.';

revoke all on function cto.estimate_tokens(text) from public;
grant execute on function cto.estimate_tokens(text) to cto_agent;
