"""The words the reader knows: kin terms with their spellings, and what may stand between an owner and a kin term.

>>> KIN["grandpa"], KIN["kids"]
(Kin(neutral='grandparent', gender='male', plural=False), Kin(neutral='child', gender=None, plural=True))
"""

from __future__ import annotations

from typing import Final, NamedTuple

from proband.suites.kinship.world.relations import FEMALE, MALE, WORDS


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Kin(NamedTuple):
    neutral: str  # "" for kin outside the 22 relations: cousin, great-aunt, stepson
    gender: str | None
    plural: bool = False


# other names of the relations, for readers of stories and of replies alike
FAMILIAR: Final = {
    ("parent", MALE): "dad daddy papa pa pop",
    ("parent", FEMALE): "mom mum mommy mama mummy momma ma",
    ("child", None): "child kid",
    ("parent", None): "parent",
    ("sibling", None): "sibling",
    ("sibling", MALE): "bro",
    ("sibling", FEMALE): "sis",
    ("spouse", None): "spouse",
    ("spouse", MALE): "hubby groom fiance",
    ("spouse", FEMALE): "bride wifey",
    ("grandparent", None): "grandparent",
    ("grandparent", MALE): "grandpa granddad grandad gramps grampa grandaddy granddaddy granpa grandpop grandpapa",
    ("grandparent", FEMALE): "grandma granny gran nana grandmom grandmum grammy nanna gramma granma",
    ("grandchild", None): "grandchild grandkid",
    ("grandchild", FEMALE): "grandaughter",
    ("pibling", MALE): "unc",
    ("pibling", FEMALE): "auntie aunty",
}
# they mean a child of somebody only where a relation is asked for: in a story "the boy" may be anybody
IN_REPLIES: Final = {("child", MALE): "boy", ("child", FEMALE): "girl"}
IRREGULAR: Final = {"child": "children", "wife": "wives", "grandchild": "grandchildren"}
OUTSIDE: Final = ("cousin", "cousins", "fiancee", "boyfriend", "girlfriend", "stepson", "stepdaughter", "stepfather")


def _kin() -> dict[str, Kin]:
    table: dict[str, Kin] = {}

    def add(word: str, neutral: str, gender: str | None) -> None:
        plural = IRREGULAR.get(word, f"{word}s")
        if word.endswith("-in-law"):
            plural = IRREGULAR.get(word[:-7], f"{word[:-7]}s") + "-in-law"
            table.setdefault(f"{word}s", Kin(neutral, gender, True))
        table.setdefault(word, Kin(neutral, gender))
        table.setdefault(plural, Kin(neutral, gender, True))

    for neutral, pair in WORDS.items():
        for word, gender in zip(pair, (MALE, FEMALE)):
            add(word, neutral, gender)
    for (neutral, who), words in FAMILIAR.items():
        for word in words.split():
            add(word, neutral, who)
    table.update({word: Kin("", None) for word in OUTSIDE})
    return table


KIN: Final = _kin()
ESTRANGED: Final = word_set("great step half god foster ex former late-to-be future")  # change what kin it is

HE: Final = {"he": MALE, "him": MALE, "his": MALE, "himself": MALE}
SHE: Final = {"she": FEMALE, "her": FEMALE, "hers": FEMALE, "herself": FEMALE}
PRONOUN: Final = {**HE, **SHE}
SUBJECT: Final = frozenset({"he", "she"})
OWNING: Final = frozenset({"his", "her"})
COPULA: Final = word_set("is was are were became becomes be been being remains")
HAVING: Final = word_set("has have had having with")
ARTICLES: Final = word_set("the a an one another this")
NAMED: Final = word_set("named called")
SAYING: Final = word_set("said asked whispered laughed shouted sighed replied boasted announced explained")
SWITCH: Final = word_set("but while when so because as that if where after before until since though whereas")
ADVERBS: Final = word_set("also actually now really not only just indeed probably once later the")
ADJECTIVES: Final = word_set("""
    older younger eldest oldest youngest elder big bigger little small smaller tall taller baby twin only other two
    three four both own dear beloved favorite favourite proud loving lovely kind grown adult sleepy new young old
    beautiful handsome best awesome wonderful sweet cute amazing great good aging elderly sick ill wealthy rich poor
    lazy annoying crazy funny strict generous adorable precious teenage infant newborn many all first second third
    middle long-lost estranged late dead deceased doting supportive gorgeous pretty smart clever talented quiet shy
    wild brave strong caring busy single stubborn cool crabby cranky grumpy angry mean unfriendly nice energetic
    pregnant rude silly terrible troubled very much so lonely eccentric favourit fun happy spoiled whiny hilarious
    devoted adoring thoughtful naughty grandpa's year-old hard-working soon-to-be bossy nosy blind deaf ailing widowed
    """)
FINITE: Final = word_set("was is were has had went took bought loves likes enjoys gave got made met said told")
OPEN: Final = word_set("""
    day became becomes and or but with to of for from by at on in about that when if because so while as than after
    before where who whom until since like though although then said asked told saw sent named called is was are were
    near
    over between against without toward towards around only even also between both invited let made helped married
    """)  # words after which a name belongs to the same clause

# ---- stories of anybody's, read whole ------------------------------------------------------------------------------
# `fiance`, `bride`, `groom` are not (yet) spouses, `pop` and `ma` may be other things: such words are not read over

_NOT_IN_STORIES: Final = word_set(
    "fiance fiances bride brides groom grooms unc uncs pop pops pa pas ma mas gran grans wifey wifeys"
)
_FURTHER: Final = {
    "twin": Kin("sibling", None), "twins": Kin("sibling", None, True), "triplet": Kin("sibling", None),
    "triplets": Kin("sibling", None, True), "firstborn": Kin("child", None), "first-born": Kin("child", None),
    "offspring": Kin("child", None), "widow": Kin("spouse", FEMALE), "widower": Kin("spouse", MALE),
    "stepbro": Kin("", None), "neice": Kin("nibling", FEMALE), "grandmama": Kin("grandparent", FEMALE),
    "grandson": Kin("grandchild", MALE), "hubbie": Kin("spouse", MALE),
    "in-laws": Kin("parent-in-law", None, True),
}  # fmt: skip
STORY_KIN: Final = {word: kin for word, kin in KIN.items() if kin.neutral and word not in _NOT_IN_STORIES} | {
    word: kin for word, kin in _FURTHER.items() if kin.neutral
}
