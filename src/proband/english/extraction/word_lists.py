"""The words that rules may use: closed classes, and lists of words that change what a sentence asserts.

A token shows its word only where it is in SHOWN (trees.py), so that the rules depend on shapes.
"""

from __future__ import annotations

from proband.english.unreal import CONDITIONS, COULD_HAVE, DOUBTS, SAYING, VOUCHING, listed

CLOSED_CLASS = listed(
    """
of in on at to from by with for into onto upon as about against among between through throughout over under above
below near off out up down along across around after before during since until within without toward towards than
like via per behind beyond beside inside outside despite because instead
not n't never no neither nor or rather few little a an the that which what whatever whichever who whom whose where when
? is are was were be been being am 's has have had did 've
per cent -
"""
)
# words for a part of others: "two of the patients", "half of the students"
QUANTITIES = listed(
    """
few little half third thirds quarter quarters fifth tenth majority minority most least many much some all both each
several one none more less any another other others dozens hundreds thousands millions number numbers lot lots plenty
percent rest couple fraction remainder cent
"""
)
# "elected Smith president": the object has a second name; in "called the play a failure" no play is called
ELECTING = listed(
    """
elect elects elected vote votes voted appoint appoints appointed name names named choose chooses chose chosen nominate
nominates nominated crown crowns crowned
"""
)
CALLING = listed(
    """
call calls called declare declares declared proclaim proclaims proclaimed dub dubs dubbed make makes made consider
considers considered deem deems deemed render renders rendered keep keeps kept leave leaves left find finds found
think thinks thought
"""
)
NAMING = listed("name names named call calls called dub dubs dubbed")
OFFICES = listed(
    """
king queen emperor empress prince president chairman chairwoman chair chancellor minister governor captain director
bishop archbishop pope mayor ambassador secretary treasurer leader head chief commander judge consul general heir
speaker manager editor dean regent sheriff professor premier champion winner player
"""
)
# "persuaded Smith to resign": Smith was persuaded, but in "wanted Smith to resign" nobody was wanted
PERSUADING = listed(
    """
force forces forced persuade persuades persuaded order orders ordered ask asks asked urge urges urged convince
convinces convinced advise advises advised invite invites invited encourage encourages encouraged compel compels
compelled beg begs begged warn warns warned train trains trained instruct instructs instructed hire hires hired send
sends sent help helps helped teach teaches taught tell tells told remind reminds reminded challenge challenges
challenged pay pays paid command commands commanded inspire inspires inspired use uses used employ employs employed
"""
)
# "a team of surgeons", "a glass of water": one phrase
GROUPS = listed(
    """
team group glass cup bottle piece pieces set series collection pair bag box bunch crowd herd flock range variety kind
type sort form list stack pile slice sheet bar drop handful party crew band gang network chain string sequence course
dose litre litres liter liters gallon gallons kilogram kilograms kilo kilos ton tons tonne tonnes pound pounds ounce
ounces mile miles metre metres acre acres barrel barrels load mixture army fleet bowl plate basket jar tin packet
bundle cluster row class amount share section portion spoonful bucket wave flood
"""
)
# nouns that relate others: "reduced the risk of stroke" is about strokes, "held the letters of Liszt" about letters
RELATING = listed(
    """
risk presence absence control possession advantage care charge use cause effect effects lack shortage member members
part parts result source sources capital rate level levels cost number amount incidence likelihood chance spread
growth development production consumption symptoms treatment loss existence role basis form support influence place
name hands direction aid attention memory need needs right rights knowledge relief interest favour favor power hand
shape heart
"""
)
TIMES = listed(
    """
year years month months week weeks day days hour hours minute minutes decade decades century centuries morning
mornings evening evenings afternoon night nights weekend weekends spring summer autumn winter season quarter time times
moment may monday tuesday wednesday thursday friday saturday sunday january february march april june july august
september october november december jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec.
yesterday today tomorrow noon midnight dawn christmas easter ago
"""
)
# "attacks on the embassy" are not on it
TOPICS = listed(
    """
attack attacks assault assaults raid raids report reports book books ban bans limit limits tax taxes effect effects
debate debates research information war impact law laws restriction restrictions study studies
"""
)
# "compared with men, women live longer" does not assert that women are compared
DANGLING = listed(
    """
given compared depending judging considering speaking based according following including regarding concerning starting
beginning seen viewed measured adjusted assuming granted put taken generally owing barring excluding excepting
"""
)
FORMER = listed("once formerly previously then originally initially")  # "Hansen, once the head of the bank"
PASSING = listed("also therefore however though yet still thus either")  # next to a negation they do not narrow it
BESIDE = listed("next close")  # with `to`
IN_FRONT = listed("front behalf spite")  # in front of, on behalf of: one preposition
UNIVERSAL = listed("all every each any most")
TIMING = listed("after before during since until till")
COMPASS = listed("north south east west northeast northwest southeast southwest")
MENTIONED = listed("must according opinion opinions view there")  # used by the rules themselves
ROLES = (ELECTING, CALLING, OFFICES, PERSUADING, GROUPS, RELATING, TOPICS, QUANTITIES, UNIVERSAL)
PLACES = (COMPASS, BESIDE, IN_FRONT, TIMES, TIMING, FORMER, PASSING, DANGLING)
SHOWN = CLOSED_CLASS.union(MENTIONED, DOUBTS, CONDITIONS, COULD_HAVE, VOUCHING, SAYING, *ROLES, *PLACES)
