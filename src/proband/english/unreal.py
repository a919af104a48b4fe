"""Words that prevent a plain statement: negation, doubt, condition, report, fiction, likeness, change.

All of Proband uses this list. A sentence about relations with one of these words (`UNREAL`) is unread; the rules that
extract assertions (extraction/factuality.py) use the word's position in the tree.

>>> sorted(word for word in "Ann is allegedly not my pretend cousin".split() if word in UNREAL)
['allegedly', 'not', 'pretend']
"""

from __future__ import annotations

from typing import Final


def listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATION: Final = listed("not n't never no nor neither none nobody nothing without cannot anything but")
DOUBTS: Final = listed("""
    barely hardly scarcely rarely seldom almost nearly allegedly supposedly purportedly reportedly perhaps possibly
    maybe probably no
""")
CONDITIONS: Final = listed("if unless whether lest provided assuming supposing")
COULD_HAVE: Final = listed("would could should 'd ought")  # before `have`
VOUCHING: Final = listed("""
    know knows knew known show shows showed shown showing find finds found discover discovers discovered prove proves
    proved proven demonstrate demonstrates demonstrated reveal reveals revealed confirm confirms confirmed realise
    realises realised realize realizes realized learn learns learned learnt notice notices noticed remember remembers
    remembered regret regrets regretted forget forgets forgot true clear certain obvious evident fact
""")
SAYING: Final = listed("""
    say says said claim claims claimed believe believes believed argue argues argued report reports reported allege
    alleges alleged think thinks thought warn warns warned insist insists insisted suggest suggests suggested announce
    announces announced write writes wrote written estimate estimates estimated fear fears feared hope hopes hoped
    maintain maintains maintained add adds added admit admits admitted assume assumes assumed predict predicts predicted
""")
MODAL: Final = listed("may might can could will would shall should must 'll 'd ought seem seems seemed appear appears")
DOUBTFUL: Final = DOUBTS | listed("""
    untrue false except apparently presumably seemingly likely unlikely practically virtually technically legally
    officially basically essentially hypothetically theoretically figuratively falsely wrongly mistakenly jokingly
    ironically arguably certainly surely truly really honestly biologically supposed rumour rumor rumours rumors
    gossip according guess guesses guessed suspect suspects suspected doubt doubts doubted deny denies denied suppose
    supposes wonder lie lies lied lying mistake mistaken wrong true joke joking kidding correction sorry wait actually
    rather otherwise instead either or unlike least far anyone everyone someone everybody somebody anybody every any
""")
FICTION: Final = listed("""
    dream dreams dreamt dreamed imagine imagines imagined pretend pretends pretended pretending play plays played
    playing film films movie movies novel novels story stories tale game games role roles stage script character
    characters cartoon puppet theatre theater opera series episode fiction fictional invented imaginary so-called mock
    acts acted acting stars starred part rehearsal
""")
LIKENESS: Final = listed(
    "like as than resembles resembled similar regards regarded treats treated considers considered"
)
CHANGE: Final = listed("""
    once former formerly ex used future eventually became become becomes divorced divorce divorces separated split
    widowed widow widower engaged engagement fiance fiancee fiancé fiancée betrothed estranged adopted adopt adopts
    adoptive foster step half honorary surrogate godfather godmother godson goddaughter stepmother stepfather stepson
    stepdaughter stepbrother stepsister half-brother half-sister ex-husband ex-wife would-be to-be soon-to-be partner
    boyfriend girlfriend lover
""")
# these always retract a statement; the others may be plain words in a story that is known to state its facts
DENYING: Final = (NEGATION | CONDITIONS | MODAL | DOUBTS | listed("according gossip rumour rumor alleged")) - {"but"}
UNASSERTED: Final = NEGATION | CONDITIONS | MODAL | DOUBTFUL | SAYING
UNREAL: Final = (UNASSERTED | FICTION | LIKENESS | CHANGE) - listed("but write writes wrote written add adds added")
# words about a family that no relation of a domain covers; sentences with them are unread
FAMILY: Final = listed("""
    family families relative relatives related relation kin clan ancestor ancestors descendant descendants offspring
    heir heiress baby babies boy boys girl girls kid kids youngster infant newborn toddler orphan twin twins triplet
    triplets born birth bore bear gave given raised raise couple couples pair marriage marry marries married wed weds
    wedding wedded bride groom newlywed newlyweds anniversary cousin cousins pregnant expecting household generation
    maiden surname elder eldest oldest youngest named name names mothers fathers mothered fathered pa ma aka two's
    survived leaves leave left same other another
""")
