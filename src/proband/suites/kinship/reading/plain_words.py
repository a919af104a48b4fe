"""Words that change nothing about who is whose kin: everyday things and doings, and the small words between them.

Three closed lists. `data/kinship/plain_words.txt` has nouns, verbs and adjectives of WordNet whose senses are of
everyday matters (`benchmarks/reading/word_lists.py` makes it). EVERYDAY adds, by hand, what WordNet also knows in a
sense of speech, thought or persons; SMALL are function words. Left out on purpose, and so never read over: words of
truth and doubt (true, claim, allegedly, probably), of roles and fiction (play, film, dream, story), of likeness, of what
is past or to come (former, once, future), and all words of kin and marriage that the grammar does not know.

>>> [is_plain(word) for word in ("grilled", "sausages", "the", "nurse", "stopped", "tomorrow's")]
[True, True, True, True, True, False]
>>> [word for word in "probably soon-to-be former cousin pretends film true once not".split() if is_plain(word)]
[]
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

SMALL: Final = frozenset(
    """
    the a an and but so while when because after before until till since where wherever whenever then there here it its
    itself this that these those of in on at to from by with for into onto about around near over under up down off out
    through across along behind beside besides between among against during without within toward towards inside
    outside past upon above below beyond per via as like than too also very quite rather really still again always
    often sometimes usually never seldom rarely mostly mainly every all both each some many much more most other
    others another own one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty
    seventy eighty ninety hundred thousand first second third fourth fifth last next few several enough
    his her their my our your he she they him them i me we us you himself herself themselves myself yourself
    who which what whose how why is are was were be been being am has have had having do does did doing done can could
    will would shall should may might must 's 're 've 'll 'd 'm n't not neither nor if whether no any anyone anybody
    anything everyone everybody everything someone somebody something nothing nobody else only just even already soon
    later early late now today yesterday tomorrow tonight ever ago away back together apart home abroad forward upstairs
    downstairs indoors outdoors nearby somewhere everywhere instead perhaps half such
    """.split()
)
EVERYDAY: Final = frozenset(
    """
    accept actor actress adult advice afraid agree air album alive allow alone alphabet amazed amuse angry answer
    apologise apologize apology appreciate april architect argue army arrange art article artist ask asleep assistant
    astronomer athlete attend attention attic author await awake aware babysit baker ballet barber barista bark
    beautiful bedtime beg behave bet bicycle birthday bishop blame bless board bold book boring bored boss bother
    bowl boxer brave brew bricklayer brief bright broadcast builder bus busy butcher bye café calculate call calm
    camera camp candidate canoe captain care careful carpenter carefully cartoon cashier catch celebrate cellist
    chairman champion chase chat cheer cheerfully chef chemist chess choose chore chorus chosen christmas clap class
    classmate clean cleaner clerk clever client clown clumsy coach coast code coin colleague collect collector comb
    comedy comfort comic comment companion complain compliment computer concert conductor congratulate contact cook
    cookie cool count country cowboy crack crafts crazy creek crew crop cross crowd cruel cry cup curious
    curry customer cut cute cyclist dance dancer daily date dear decide decided decision deck degree delicious delighted
    dentist describe design designer desk detective diary different difficult dinner diplomat director discover
    discuss disappointed dish diver doctor dozen draw drawer dress driver drink drop drum drummer dry due dump eager
    early east easily easy editor eighth elbow elder elderly electrician email emergency employee encourage engineer
    england english enjoy entertain errand especially evening everyday exactly exam examine example excellent excited
    excuse exercise expensive explain explore express extra eye face fact fair famous fan fancy far farmer fast
    favorite favourite feel fellow festival figure finally fine finger finish fire firefighter fisherman fit fitness
    fix flat florist fluent flute fly fond food foolish foot football footballer forgave forget forgets forgot
    forgetful forgive forgotten freckles free french fresh friday friend friendly friends front full fun
    funny furious game gardener gently german gifted glad gladly glass goalkeeper golden golfer good goodbye goodnight
    grade graduate grand grateful great greatly greet grocer grocery group grow grown grumpy guard guest
    guests guide guitar guitarist gym hairdresser happy happily hard hardly harmonica harvest hate hear heard
    heart heavy hello help helper helpful here herd hero hidden high hike historian hobby holiday homework honest hope
    hopes hopeful horn host hot hotel house huge hum humor humour hundreds hungry hunter hurry 
    ice idea ill immediately impatient impressed india instrument interested interesting interior introduce introduced
    invitation invite invited irish island italian italy january jacket jealous jeweller job jog join joined journalist
    journey joy judge jug juggle juice july june junior keeper kettle key kind kindly king kitchen knee knew know known
    knows lab labourer lady lake land landlady landlord language large largest late laugh laughter law lawyer lazy lead
    leader learn learner lecture lecturer left-handed lesson letter librarian library lifeguard light line list
    listen listener little live lively locksmith london lonely long look lorry lot lots loud loudly louder loudest love
    loved lovely low lucky luckily lunch luggage machinist mad maid mail mailman main major manage
    manager manner map march mark market master math mathematics maths mayor meal mean mechanic medal medical medicine
    meet meeting melody member memory mention merchant merrily mess message messy mice midday middle midnight midwife
    mild miner minister minute mirror miss modest monday monk month monthly mood morning motor mountain
    mouse mouth move mr mrs ms music musical musician muttered nail nanny nap narrow national nature naughty navy near
    neat neatly neighbor neighbors neighbour neighbours nervous nervously new news newspaper nice nicely
    night nights noise noisy noon north nose note notebook notice november novelist nurse october odd offer office
    officer often oil old older oldest olympics opera optician orchestra order organise organize outfit own owner page
    paint painter pair palm pan paper parade park party pass passenger patient patiently patients pause pay
    peaceful pen pencil people perfect perfectly person pet pharmacist phone photo photograph photographer phrase
    physicist pianist piano pick picture pie piece pilot pipe pitch pity place plan plane plans plant plasterer player
    players pleasant pleased pleasure plumber pm pocket poem poet poetry point pointing polish polite politely
    politician pony poor popular porridge porter portrait postcard postman pottery pour power practice practise praise
    pray present president press pretty price pride priest prince princess principal prize problem professor programmer
    project promise promised proud proudly psychologist public publisher puppy pupil purple puzzle queen question
    questions quick quickly quiet quietly quilt rabbi radio rage rail rancher read reader reading ready reason receipt
    receptionist recipe recognise recognize record recover red refuse regular remember remembered remind reminded repair
    reply report reporter rest retired ride rider right ring river road roar rob roll roof room round routine row rude
    rule run runner sad sadly safe safely sailor salad salesman salesperson saturday scared school schoolteacher science
    scientist scold scone score scream screamed sculptor sea season seat secretary secret see seed sell
    senator send senior sentence september serious servant serve set settle settled several sew shadow share sharp
    shepherd sheriff shine shoe shop shopkeeper short shot shout shouted show showed shower shrugged shy sick side sigh
    sign signed silent silently silly simple sing singer sink sit size skate skater ski skill skinny skip sleepy slice
    slightly slow slowly small smart smile smiled smoke smooth snow soccer soft softly soldier solicitor song songs
    sorry soup south spain spaniel spanish speak speaker special speech spell spend spoke sport spot spring staff stair
    stall star start state statue steady stern stick still stop stopped store storm stories strange stranger street
    strict strong student students study stuff stunning stupid style sudden suddenly suggest suit summer sun sunday
    supper support sure surfer surgeon surprise surprised sweet swim swimmer switch table tailor talented talk
    talked tall tan tap tape taught taxi tea teach teacher team teammate teenager telephone television tell tells tennis
    tent term test text thank thanked thanks theatre theater thick thief thin thing things think thinks thirsty thought
    thoughtful throw thunder thursday ticket tidy tight time tired tiredly title toast today toddler together told
    tongue tool top touch tough tour tourist toward towel town toy track trade tradition train trainer translate
    translator trap travel traveler traveller treat tree trip trouble truck trumpet trust try tuesday tune
    turn tutor twice type ugly umpire uncomfortable understand understood university upset use useful usual usually
    vegetarian vet veteran video view village villager violin violinist visit visitor voice volunteer vote wait waiter
    waitress wake walk wall wander want war warm warn warned wash watch wave way weather weaver wednesday week weekday
    weekdays weekend weekly weigh weight welcome well west wet whisper whispered wide wild win wind window wine winner
    winter wise woman women man men wonder wonderful work worker world worried worry worse write writer wrote yard yell
    yelled year yearly years yoga yogurt young younger youngest zoo
    accountant accordion agent anaesthetist archaeologist astronaut auctioneer banker bartender beekeeper blacksmith
    bookkeeper bookseller botanist broker busker butler cabbie caretaker carpenters caterer chauffeur 
    chiropractor cleaner cobbler comedian composer constable consultant contractor councillor courier curator
    dairyman decorator developer dietitian dressmaker economist electricians farmhand financier firewoman fishmonger
    foreman gamekeeper geologist glazier goldsmith greengrocer handyman hotelier innkeeper inspector
    insurance interpreter inventor investor janitor jockey joiner juggler lumberjack magician magistrate masseur
    mathematician metalworker meteorologist milkman model mason motorist nutritionist optometrist
    organist osteopath paediatrician paramedic pastor pediatrician physician physiotherapist
    playwright policeman policewoman potter psychiatrist publican radiologist realtor referee roofer saddler scholar
    seamstress stationmaster statistician steward stewardess stonemason superintendent surveyor tanner taxidermist
    technician therapist trader trucker undertaker upholsterer valet vicar warden watchmaker welder woodcutter zoologist
    africa america american asia australia australian berlin boston brazil britain british canada chicago china chinese
    christmas december denver devon dutch dublin easter egypt europe february florida france germany greece greek
    halloween hawaii hindi ireland japan kenya korean lisbon mexican mexico morocco nigeria norway
    ohio oxford paris polish portuguese rome russian scotland scottish spain sweden swedish switzerland texas
    thanksgiving tokyo turkey turkish venice vienna wales welsh alaska california august
    kindergarten preschooler schoolboy schoolgirl newcomer 
    lost lose lit light lights ate eat eats fed feed held hold kept keep keeps brought bring brings bought buy buys came
    come comes caught drew drawn drank drove driven fell fallen felt flew flown found froze gave give gives given got
    gotten get gets went go goes going gone grew hid hit hung hurt knelt laid lay led left leave leaves lent 
    made make makes making met paid put puts rang rung ran rode ridden rose risen sang sung sank sat saw seen
    sees sold sent shook shone shut slept slid slipped sneaked spent spilled spoken spun stood stand stands stole stuck
    swam swept swung take takes took taken taking tore threw thrown torn woke woken won wore worn wove wrapped written
    baking becoming became become becomes begged begs began begin begins begun born dying died dead deceased
    named names name called calls calling yawned loves likes liked likes dislikes adores adored admires
    twenty-one nineties eighties sixties mid-thirties teens ninety-one
    vegetables groceries leftovers scissors trousers jeans glasses goggles pajamas pyjamas sneakers skis stairs
    anyway meanwhile afterwards afterward eventually lately recently instead nowadays altogether briefly eagerly firmly
    badly barefoot brightly calmly carelessly cheaply closely constantly deeply directly fairly fiercely fondly fully
    generously gracefully gratefully hastily heavily highly hurriedly impatiently kindly lightly neatly nervously
    noisily openly partly patiently peacefully playfully promptly proudly regularly rapidly roughly sharply shortly
    shyly simply sleepily smoothly softly steadily sternly strictly sweetly tenderly thoroughly tightly tirelessly
    warmly weekly wildly wisely twice somehow halfway beforehand overseas overnight aloud ahead aside
    absorb accompany add address aim approach area arrow assign attack avoid award babble background badge bait balance
    bar bargain barrier base bass bawl bay beam beard belong best bill biology blade blur bow brain brick bridge bristle
    brook buff bull bump burden buzz cable cackle calendar cap carry case ceiling certificate chamber change channel
    charge chart check chemistry chuckle climax clue coax combine compose compound concentrate confuse connect contain
    continue control controller convey copy core couch crackle credit crow crown crunch cube culture curiosity curve
    dangle deal delay deliver depart desert destination develop dial direction dispatch divide document dodge dot dragon
    drill ear echo eclipse embrace encounter enter entry escape escort evade eve exhibit experience explode extend fare
    favor field fig file find flag flair flare flash flavor flush focus follow form formula foundation fox frame fry
    fullback gag ghost giant gift giggle goal gobble governor grant grasp grin ground grounds grumble grunt gull gulp gush
    guy habit hail harp haze headline heat heave hedge history holler honey honor hound hover howl huddle hunch hymn ignore
    impress impression ingredient inspire interrupt intersection interval inventory item jam jar jaw journal jumble knight
    label lap leak leaky lean lease lend life link loaf locate lodge log loom loose lump lure lurk lyric magazine maintain
    match material measure medium menace midway mince monarch monster motion multiply mumble muster nag need needle
    negotiate nest nod northeast northwest nut observe obstacle occasion occupy outline overlook owe pad pain paragraph
    parrot passage pattern peer penetrate perfume permit persist pharmacy picket pickup pioneer pirate platform plenty plow
    plum pole poll pore portion position post prescription presentation preserve prey print proceed production program
    prompt prowl pry publish purl push quack quarrel quarterback quit ramble range reach react recite recommend register
    relay repeat reserve resist respond result resume return reward rewrite rhyme rhythm riddle rim rival rivet root rumble
    salute sample satisfy savage scale scent scout scowl screech seal section session settlement shaft shape sheet shrug
    sight signal skirt slate slot smell snap snarl snort sob sound source southeast southwest sow specialize spectator
    sphere sponsor spout spread spur spy squat square stagger stake stamp standard stay steep stem sting stink straight
    strand stress stretch structure stud stump submit suffer suggestion suite sum summon supplement surround survey sustain
    swan swarm sweep swoop system tackle tag tangle target taste tease telegraph territory theme tiger tip tiptoe tolerate
    tone trace tramp transmit trio turnover tv undergo undertake unit update upgrade value vehicle vein vent wag wail whine
    whistle whoop wildcat wire witness worm wrestle yank yield youth regret weep wept handball ramen harbour colour flavour
    neighbourhood parlour labour honour vapour splendour odour armour favour behaviour humour theatre centre metre litre
    sushi taco naan hummus falafel paella risotto lasagna lasagne ravioli dumpling noodle kimchi tofu couscous tagine
    borscht pierogi empanada churro tiramisu gelato latte espresso cappuccino crumpet haggis pancake muffin smoothie
    netball rugby badminton ping-pong karate judo taekwondo hockey lacrosse snowboard kayak rafting surfing cycling jogging
    laptop smartphone wifi internet website app blog podcast online pub mall cinema supermarket allotment bungalow motorbike
    aboard abruptly absentmindedly absolutely actively additionally affectionately angrily annually anxiously anyhow
    apologetically approximately ashore automatically awfully awkwardly beautifully bitterly blissfully boldly bravely
    breathlessly briskly busily casually cautiously clearly comfortably completely confidently continually conveniently
    coolly crazily dangerously dearly delightfully desperately doggedly drunkenly duly earnestly endlessly energetically
    enormously enthusiastically entirely excitedly exceptionally extremely faintly faithfully feverishly forever fortunately
    frantically freely frequently furiously gloomily gradually greedily grimly harshly heartily helplessly hoarsely horribly
    humbly hysterically idly immensely incredibly instantly intensely joyfully keenly lazily loosely madly magnificently
    meekly miraculously modestly mournfully narrowly newly normally occasionally oddly painfully passionately personally
    pleasantly precisely privately professionally properly publicly purposely readily reluctantly repeatedly restlessly
    savagely serenely severely skillfully snugly solemnly spectacularly speedily spontaneously stealthily stiffly stoutly
    strangely strongly stubbornly successfully superbly surprisingly suspiciously swiftly terribly thereafter thickly
    thoughtfully throughout timidly totally tremendously triumphantly typically uneasily unexpectedly unfortunately
    unhurriedly unsteadily unusually upwards utterly vigorously violently warily wearily widely wonderfully far
    whole close closer let numbers accounts ace acrobats ad-lib ad-libbed ad-libbing adjudicate admission affair
    aground algebra align allergic almanacs alongside alpine alto amateur analyze annotate announce announced
    announcement announcements anthem apiece applaud appraise approves apricots arrival atlanta atlas atlases
    auction audio avalanche babysat backgammon backhand backward bail ballots banknote barrow barter baseline
    bavaria bear bedsheet beethoven beneath bent bhutan bid bidding bids bilge billiards bingo bitten black-and-
    white blew blitz blueprint blurb bolero bonus boo brag brakeman brawl brownies browse buoy buoys business
    busloads butterfly bylaws bypass cairn canal canapés canary canned caramels carnations carol carrot carrots
    cask cassiopeia catalogue celadon chalk challenge chameleon chant chapter charade checkered checkers cherries
    chose christen christened citronella cleanup clinic cloister cloudless clung clydesdale cod collection
    collimate colonel command commentate competition compromise concourse confectioners confessed conga conjure
    consult contest cookbook cornice correct cost countdown court courts crank crept cribbage crook crossword
    crosswords crumbs cuckoo cue culls curse custom dallas dared daring dealers dealt debug debugged debugging
    decipher dedicate defender demonstrate diagnose dialogue dickinson disagrees disco dispute dizzily donkey donor
    dostoevsky drench duet dumpster eaten edition elderflower encore endgame essay evaporator excavators farewell
    feature feet fend ferret ferryman finale fizz fleece fleeces foghorn foil ford forecast fortieth fossil fought
    founders foxtrot foxtrotted foxtrotting freshly frisbee frosty gala gallery gambit gargle geese gel geography
    geometry getaway gin ginger girth gnomes graft grandstand greenware grid griddle groan guidance guidebook
    guinea gumball haiku half-moon halloumi halve hamstrings handwriting hangman hieroglyph honked hood horseshoe
    horseshoes hose hoses hotline housewarming hull hundredth husk hymnal inflatable inscription instructions
    interview interviewed itinerary jack jargon jerrycan jib jiggle jitterbug jitterbugged jitterbugging jot
    kennels kindle kindling kite lain lasted latecomers latin lettuce license limerick linzer lockkeeper logbook
    lopsided lottery lullaby magic mambo manet marine marram marvel measles memorize memphis midmorning milky mind
    mispronounce misshapen misspelled moldy moles monet morse mossy moth-eaten motto mug mulled mushroom mushrooms
    musty narrow-gauge nebula nibble nowhere o'clock objection offside ones oratorio origami outbid outbidding
    overboard overtook parafoil passport passports patent peach peaches peanuts pedal pediatric peloton pennant
    peru petition pharaoh pickers pinot pints piñata placard pledge pledges pleiades plot plots plumb pluto pogo
    polka pomace pop pose posters prefer prefers processional prologue protest prune puddles quad quarry queue quiz
    quizmaster quizzed quizzing quote raffle rainy rarely raspberries reassure rebook rebuttal reception recital
    recount recruits refractor regatta reglue rejects rental repellent request reset resetting restring restrung
    review rewind rewire rewound rewritten rewrote rex riesling ripeness roman rooks rota rumba rummy saffron samba
    sandbags sandcastle saturn schedule scholarship scribble scum seasickness sermon shearers shelve shorn shriek
    shrimp shush signatures siren skittish slalom sliver slobbery sloth smudge snare sneeze sneezing softball soggy
    solve sonnet sopranos sort spar spicy squealing stiff straddle stragglers streamers struck sugarhouse summit
    sunburned sunburns sunrise sunset surgical swat switchbacks swum tandem tangerine tapholes telethon tends
    thank-you thimbles thrushes tickle tickled tiddlywinks tiebreak tiller timetable toasters tombola total trash
    trellis trilogy trod trodden trophy tying underline undersized unhinge unison unjam unjammed unjamming unroll
    unstack untying unwrap unwrapped unwrapping uphill upturned urchin van varieties vega verbs vestry victims
    vintner vouchers waltz whale wheezy white whitewash wormy wrung yawl yearling yodel éclairs
    next-door well-known part-time full-time second-hand two-room two-bedroom three-bedroom old-fashioned brand-new
    """.split()
)
ENDINGS: Final = (
    ("ies", "y"),
    ("ied", "y"),
    ("es", ""),
    ("s", ""),
    ("ed", ""),
    ("ed", "e"),
    ("d", ""),
    ("ing", ""),
    ("ing", "e"),
    ("er", ""),
    ("er", "e"),
    ("est", ""),
    ("iest", "y"),
    ("ier", "y"),
    ("ves", "f"),
    ("ves", "fe"),
    ("n", ""),
)
NUMBER: Final = re.compile(r"\d[\d,.:]*(?:st|nd|rd|th|s|am|pm|kg|km|m)?")
AGE: Final = re.compile(r"[\w-]+-(?:year|month|week|day)s?(?:-old)?")


@cache
def _listed() -> frozenset[str]:
    text = (files("proband") / "data" / "kinship" / "plain_words.txt").read_text(encoding="utf-8")
    return frozenset(text.split()) | EVERYDAY


@lru_cache(maxsize=100_000)
def is_plain(word: str) -> bool:
    """Is it, in any form, a word of the lists? `word` in small letters."""
    known = _listed()
    if word in SMALL_NEVER_PLAIN or word in NEVER:
        return False
    if word in known or word in PLAIN_SMALL or NUMBER.fullmatch(word) or AGE.fullmatch(word):
        return True
    if "-" in word:
        return all(part in known or part in PLAIN_SMALL or _stem_known(part, known) for part in word.split("-") if part)
    return _stem_known(word, known)


def _stem_known(word: str, known: frozenset[str]) -> bool:
    for ending, instead in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            stem = word[: -len(ending)]
            if stem + instead in known:
                return True
            if ending in ("ed", "ing", "er", "est") and len(stem) > 3 and stem[-1] == stem[-2] and stem[:-1] in known:
                return True
    return False


# small words that need a place of their own in the grammar and are read over nowhere else
SMALL_NEVER_PLAIN: Final = frozenset(
    """
    if whether not never n't neither nor no nobody nothing none can could will would shall should may might must any
    anyone anybody anything i me my we us our you your myself yourself who whose which what how why perhaps half such
    once ago same hardly seldom rarely 'd 'll else instead like as than past or
    """.split()
)
# in no form of another word either
NEVER: Final = frozenset(
    """
    married marries wed wedding divorced former formerly dream dreamed dreams so-called provided in-law birthright
    roleplay video-game brother mother father sister parent seeming seemed supposed pretended played play plays
    family families couple couples related relation twin partner partners ex blood-brother deny denied doubted
    """.split()
)
PLAIN_SMALL: Final = SMALL - SMALL_NEVER_PLAIN
