"""The words that noun phrases about people are made of: pronouns, numbers, adjectives, occupations. Closed lists, read
one by one: what is in none of them is not read over.

>>> [is_count(word) for word in ("six", "forty-one", "12", "many")]
[True, True, True, False]
"""

from __future__ import annotations

from typing import Final

from proband.suites.kinship.reading.lexicon import word_set
from proband.suites.kinship.world.relations import FEMALE, MALE

AFTER_THE_TWO: Final = word_set("have had are were married now got live moved met")
HE_SHE: Final = {"he": MALE, "him": MALE, "his": MALE, "she": FEMALE, "her": FEMALE}
POSSESSIVE: Final = {"his": "he", "her": "she", "their": "they", "my": "i", "your": "you", "our": "we"}
PRONOUNS: Final = {"he": "he", "him": "he", "she": "she", "her": "she", "they": "they", "them": "they"} | {
    "i": "i",
    "me": "i",
    "you": "you",
}
POSSESSED: Final = ("'s", "'")
ARTICLES: Final = word_set("the a an this that these those")
NUMBERS: Final = {w: n for n, w in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight"), start=1)}
COUNTS: Final = frozenset(NUMBERS) | word_set(
    "nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty"
    " sixty seventy eighty ninety"
)
# what may stand before a kin word and leaves it what it is; read one by one
ADJECTIVES: Final = word_set(
    """
    older younger eldest oldest youngest elder big bigger little small smaller tall taller baby only other own dear
    beloved favorite favourite proud loving lovely kind grown adult sleepy new young old beautiful handsome awesome
    wonderful sweet cute amazing good aging ageing elderly sick ill wealthy rich poor lazy annoying crazy funny strict
    generous adorable precious teenage infant newborn middle late dead deceased doting supportive gorgeous pretty smart
    healthy bonny clever talented quiet shy wild brave strong caring busy stubborn cool grumpy angry nice energetic
    pregnant rude
    silly noisy lonely eccentric fun happy hilarious devoted adoring thoughtful naughty hard-working bossy nosy blind
    deaf ailing widowed retired tired cheerful gentle patient clumsy famous frail kid tiny jolly chatty patient
    long-lost twin surviving
    """
)
OF_SEVERAL: Final = ("youngest", "oldest", "eldest", "elder", "younger", "older", "only", "middle", "tallest")
ORDINALS: Final = word_set("first second third fourth fifth last")
YOUTH: Final = {"girl": ("child", FEMALE), "boy": ("child", MALE), "girls": ("child", FEMALE), "boys": ("child", MALE)}
OWNED_YOUTH: Final = {"boy": ("child", MALE), "lad": ("child", MALE)}  # Ann's boy Ben; `his girl` may be somebody else
AFTER_OWNED_YOUTH: Final = word_set(", ( . ; - is was has had named called and who whose 's")
MAKES_A_CHILD: Final = word_set("little baby small youngest eldest oldest middle younger older two three four twin")
# with these the kin word means something else: a sister ship, brothers in arms, a parent company, Mother Superior
NOT_AFTER_KIN: Final = word_set(
    "ship ships company firm figure tongue superior country language board club organisation organization"
)
NOT_KIN_IN: Final = word_set("arms spirit christ faith crime name law heart mind effect everything all theory")
ACQUAINTANCES: Final = word_set(
    """
    friend friends neighbour neighbor neighbours neighbors colleague colleagues boss teacher doctor dentist classmate
    teammate roommate housemate flatmate coworker co-worker landlady landlord coach tutor lawyer secretary guest guests
    student students pupil schoolmate customer client assistant accountant nurse babysitter nanny hairdresser barber
    gardener cousin cousins boyfriend girlfriend fiance fiancee partner
    """
)
STRANGERS: Final = word_set(
    """
    man woman lady gentleman stranger waiter waitress vet priest policeman policewoman driver baker butcher farmer
    plumber nurse officer guard clerk shopkeeper mayor girl boy child baby teenager toddler student host hostess
    photographer goalkeeper tailor cashier porter actor singer soldier captain king queen sheriff judge chef cook
    mechanic pilot
    """
)
# what somebody does, or comes from; said of somebody it tells no kin
OCCUPATIONS: Final = (
    ACQUAINTANCES
    | STRANGERS
    | word_set(
        """
    miner poet painter writer author journalist editor printer postman postmistress postwoman milkman fireman sailor
    fisherman fisherwoman carpenter builder mason joiner blacksmith potter weaver seamstress dressmaker shoemaker
    cobbler watchmaker jeweller goldsmith sculptor musician pianist violinist cellist drummer guitarist organist
    composer conductor dancer engineer architect scientist chemist physicist biologist historian professor lecturer
    headmaster headmistress schoolmaster schoolmistress librarian bookseller banker merchant trader grocer fishmonger
    greengrocer florist publican innkeeper barman barmaid landowner lord lady duke duchess prince princess count
    countess knight squire vicar bishop rabbi monk nun surgeon midwife pharmacist optician paramedic physiotherapist
    electrician welder railwayman signalman conductor bus-driver lorry-driver trucker taxi-driver cyclist runner
    swimmer footballer cricketer boxer jockey skier athlete coach referee magician juggler clown acrobat comedian
    politician minister president senator councillor ambassador diplomat detective constable sergeant inspector colonel
    major general admiral lieutenant corporal shepherd ranger forester beekeeper winemaker brewer miller gamekeeper
    caretaker cleaner housekeeper butler footman maid receptionist salesman saleswoman shopkeeper carer therapist
    psychologist translator interpreter astronomer geologist botanist zoologist programmer designer decorator plasterer
    roofer notary solicitor barrister magistrate clerk bookkeeper treasurer founder speaker lodger tenant widow widower
    bride bridegroom groom heir neighbour bachelor spinster orphan refugee canadian american englishman
    englishwoman irishman irishwoman scotsman frenchman
    frenchwoman german italian spaniard pole russian dutchman swede norwegian dane finn greek turk indian australian
    housewife businessman businesswoman millionaire celebrity specialist instructor apprentice trainee researcher
    navigator watchman doorman cameraman commentator correspondent missionary chaplain archbishop abbot preacher
    philosopher critic entrepreneur activist filmmaker attendant bodyguard supervisor administrator adviser attorney
    cadet youngster redhead teenager stonemason locksmith bricklayer dressmaker hairdresser upholsterer ferryman
    boatman coachman cowboy lumberjack trapper hunter gardener florist hatter tanner cooper wheelwright bellringer
    verger sexton deacon curate canon pastor choirmaster bandleader trumpeter flautist harpist ballerina actress
    poetess novelist playwright columnist cartoonist illustrator engraver bookbinder cartographer surveyor geographer
    mathematician economist sociologist archaeologist meteorologist lifeguard gymnast wrestler golfer rower climber
    mountaineer explorer stewardess steward waitress bartender barista dishwasher pastrycook confectioner cheesemaker
    greengrocer ironmonger haberdasher draper auctioneer broker estate-agent insurer programmer developer technician
    fellow chap bloke guy expert champion veteran pensioner vegetarian vegan local newcomer beginner novice
    """
    )
)
# what may be said of somebody and be passed over: who is a cousin or a partner is kin in some way
PASSED_OVER: Final = OCCUPATIONS - word_set(
    "cousin cousins boyfriend girlfriend fiance fiancee partner girl boy child baby"
)
KIN_ARE_IN: Final = word_set("navy army police circus town village city country hospital prison abroad")
BEFORE_OCCUPATION: Final = word_set(
    "retired former young old tall short thin quiet loud lovely clever famous well-known local country village town"
    " piano maths music school primary head army police bus lorry taxi train family spry kind keen good great rich poor"
    " shy cheerful strict gentle business fellow district night hospital dance driving swimming football tennis"
) - {"former", "family"}
AFTER_OCCUPATION: Final = word_set("in at from with of by for on")
NOT_A_STRANGER_AFTER: Final = word_set("is was are were 's 'm became become becomes be been being as , - (")
CHILD_ALONE: Final = word_set("newborn baby youngest eldest oldest")
GREAT_OF: Final = ("grandparent", "grandchild", "pibling", "nibling")
TWINS: Final = ("twins", "triplets")
NAMING: Final = word_set("named called")


def is_count(word: str) -> bool:
    """A number: `six`, `forty-one`, `12`."""
    return word in COUNTS or word.isdigit() or all(part in COUNTS for part in word.split("-"))
