"""Dependency trees in one dialect: Universal Dependencies. Stanford's and ClearNLP's labels are rewritten to it.

A token shows its word only where that is one of the closed list `SHOWN`; rules therefore depend on shapes, and what
they find in one syntactic n-gram holds for every n-gram of that shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace


def listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


CLOSED_CLASS = listed(
    """
of in on at to from by with for into onto upon as about against among between through throughout over under above
below near off out up down along across around after before during since until within without toward towards than
like via per behind beyond beside inside outside despite because instead
not n't never no neither nor or rather few little a the that which what whatever whichever who whom whose where when ?
is are was were be been being am 's has have had 've
"""
)
# what tells an asserted clause from a mentioned one (factuality.py)
DOUBTS = listed(
    """
barely hardly scarcely rarely seldom almost nearly allegedly supposedly purportedly reportedly perhaps possibly
maybe probably no
"""
)
CONDITIONS = listed("if unless whether lest provided assuming supposing")
UNREAL = listed("would could should 'd ought")  # before `have`
VOUCHING = listed(
    """
know knows knew known show shows showed shown showing find finds found discover discovers discovered prove proves
proved proven demonstrate demonstrates demonstrated reveal reveals revealed confirm confirms confirmed realise
realises realised realize realizes realized learn learns learned learnt notice notices noticed remember remembers
remembered regret regrets regretted forget forgets forgot true clear certain obvious evident fact
"""
)
# what stands for a part of others: "two of the patients", "half of the students"
QUANTITIES = listed(
    """
few little half third thirds quarter quarters fifth tenth majority minority most many much some all both each several
one none more less any another other others dozens hundreds thousands millions number numbers lot lots plenty percent
rest couple fraction remainder
"""
)
# "elected Smith president": the object has a name for it beside it; "called the play a failure" says nothing of calling
ELECTING = listed(
    """
elect elects elected appoint appoints appointed name names named choose chooses chose chosen nominate nominates
nominated crown crowns crowned
"""
)
CALLING = listed(
    """
call calls called declare declares declared proclaim proclaims proclaimed dub dubs dubbed make makes made consider
considers considered deem deems deemed render renders rendered keep keeps kept leave leaves left find finds found
think thinks thought
"""
)
SHOWN = (
    CLOSED_CLASS | DOUBTS | CONDITIONS | UNREAL | VOUCHING | QUANTITIES | ELECTING | CALLING | {"according", "there"}
)
# Stanford basic dependencies (syntactic n-grams) and ClearNLP (spaCy's own models) -> Universal Dependencies
LABELS = {
    "nsubjpass": "nsubj:pass",
    "csubjpass": "csubj:pass",
    "auxpass": "aux:pass",
    "dobj": "obj",
    "dative": "iobj",
    "nn": "compound",
    "num": "nummod",
    "number": "nummod",
    "poss": "nmod:poss",
    "possessive": "case",
    "prt": "compound:prt",
    "rcmod": "acl:relcl",
    "relcl": "acl:relcl",
    "partmod": "acl",
    "vmod": "acl",
    "infmod": "acl:to",
    "complm": "mark",
    "abbrev": "appos",
    "quantmod": "advmod",
    "predet": "det:predet",
    "preconj": "cc:preconj",
    "npadvmod": "obl:npmod",
    "tmod": "obl:tmod",
    "purpcl": "advcl",
    "oprd": "xcomp",
    "agent": "prep",
    "neg": "advmod",
    "nsubj:outer": "nsubj",
    "obl:agent": "obl",
    "acl:relcl:pass": "acl:relcl",
    "nmod:desc": "compound",
    "ROOT": "root",
}
# Penn Treebank tags -> universal parts of speech; a plural noun is marked, since "is" or "are" may be put before it
TAGS = {
    "NN": "NOUN",
    "NNS": "NOUNS",
    "NNP": "PROPN",
    "NNPS": "PROPNS",
    "PRP": "PRON",
    "PRP$": "PRON",
    "WP": "PRON",
    "WP$": "PRON",
    "EX": "PRON",
    "WDT": "PRON",
    "DT": "DET",
    "PDT": "DET",
    "CD": "NUM",
    "CC": "CCONJ",
    "MD": "AUX",
    "IN": "ADP",
    "TO": "PART",
    "RP": "ADP",
    "POS": "PART",
    "JJ": "ADJ",
    "JJR": "ADJ",
    "JJS": "ADJ",
    "RB": "ADV",
    "RBR": "ADV",
    "RBS": "ADV",
    "WRB": "ADV",
    "FW": "X",
    "LS": "X",
    "SYM": "SYM",
    "UH": "INTJ",
    **dict.fromkeys(("VBD", "VBP", "VBZ"), "VERB"),
    **dict.fromkeys(("VB", "VBG", "VBN"), "VERBN"),
}
QUANTITY = "QUANTITY"  # a number or another word that a phrase with `of` follows, as part of one noun phrase
NOUNS = ("NOUN", "NOUNS", "PROPN", "PROPNS", QUANTITY)
VERBS = ("VERB", "VERBN")
NOMINAL = ("nsubj", "nsubj:pass", "obj", "iobj", "obl", "nmod")  # places of a noun


@dataclass(frozen=True)
class TreeToken:
    shown: str  # the word in lower case if it is in SHOWN, else ""
    pos: str  # universal part of speech; NOUNS and PROPNS for plurals, VERBN for infinitives and participles
    dep: str
    head: int  # position of the head, -1 for the root


@dataclass(frozen=True)
class Tree:
    tokens: tuple[TreeToken, ...]
    children: tuple[tuple[int, ...], ...]

    def under(self, at: int, *labels: str) -> list[int]:
        """The dependents of a token that have one of these labels, in order."""
        return [child for child in self.children[at] if self.tokens[child].dep in labels]

    def is_noun(self, at: int) -> bool:
        return self.tokens[at].pos in NOUNS

    def is_verb(self, at: int) -> bool:
        return self.tokens[at].pos in VERBS

    def shown(self, at: int) -> str:
        return self.tokens[at].shown


def token(word: str, pos: str, dep: str, head: int) -> TreeToken:
    """
    >>> token("Of", "IN", "prep", 2), token("cats", "NNS", "dobj", 0).pos
    (TreeToken(shown='of', pos='ADP', dep='prep', head=2), 'NOUNS')
    """
    word = word.lower()
    return TreeToken(word if word in SHOWN else "", TAGS.get(pos, pos), LABELS.get(dep, dep), head)


def tree(tokens: Iterable[TreeToken]) -> Tree:
    """A tree in one dialect, whatever the dialect of the tokens."""
    given = tuple(tokens)
    return _built(_with_quantities(_with_nominal_adjectives(_with_copulas(_with_cases(given)))))


def _built(tokens: Sequence[TreeToken]) -> Tree:
    children: list[list[int]] = [[] for _ in tokens]
    for at, one in enumerate(tokens):
        if 0 <= one.head < len(tokens) and one.head != at:
            children[one.head].append(at)
    return Tree(tuple(tokens), tuple(map(tuple, children)))


def _with_cases(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """prep(h, p) and pobj(p, n) become obl(h, n) or nmod(h, n) and case(n, p); of several objects the first counts."""
    out = list(tokens)
    for at, one in enumerate(tokens):
        if one.dep != "pobj" or one.head < 0 or tokens[one.head].dep not in ("prep", "pcomp"):
            continue
        marker, above = one.head, tokens[one.head].head
        if above < 0 or out[marker].dep == "case":
            continue
        label = "nmod" if tokens[above].pos in NOUNS else "obl"
        out[at] = replace(one, dep=label, head=above)
        out[marker] = replace(tokens[marker], dep="case", head=at)
    return out


def _with_copulas(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """attr(v, n) and acomp(v, n) become the head, with cop(n, v), as UD has it; the verb's other dependents move."""
    out = list(tokens)
    for at, one in enumerate(tokens):
        verb = one.head
        if one.dep not in ("attr", "acomp") or verb < 0 or out[verb].dep == "cop":
            continue
        out[at] = replace(one, dep=tokens[verb].dep, head=tokens[verb].head)
        for other, each in enumerate(out):
            if each.head == verb and other != at and each.dep not in ("aux", "aux:pass", "advmod"):
                out[other] = replace(each, head=at)
        out[verb] = replace(tokens[verb], dep="cop", head=at)
    return out


def _with_nominal_adjectives(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """the British, the poor: an adjective with an article, in the place of a noun, is a plural noun."""
    articles = {one.head for one in tokens if one.dep == "det" and one.shown == "the"}
    return [
        replace(one, pos="NOUNS") if one.pos == "ADJ" and one.dep in NOMINAL and at in articles else one
        for at, one in enumerate(tokens)
    ]


def _with_quantities(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """two of the five patients, most of the soldiers, more than half of the students: one phrase, whose head is a
    QUANTITY."""
    of = {one.head for one in tokens if one.dep == "case" and one.shown == "of"}
    found = [at for at, one in enumerate(tokens) if one.dep in ("nmod", "obl") and at in of and 0 <= one.head < at]
    parts = {
        tokens[at].head: at
        for at in found
        if tokens[tokens[at].head].pos == "NUM" or tokens[tokens[at].head].shown in QUANTITIES
    }
    whole = set(parts.values())  # "by most of the delegates": of an adjective a parser makes an obl
    return [
        replace(one, pos=QUANTITY)
        if at in parts and one.dep != "root"
        else replace(one, dep="nmod")
        if at in whole
        else one
        for at, one in enumerate(tokens)
    ]


def universal_pos(pos: str, features: str) -> str:
    """A part of speech as `token` takes it, from a universal one and its features.

    >>> universal_pos("NOUN", "Number=Plur"), universal_pos("VERB", "Tense=Past|VerbForm=Part")
    ('NOUNS', 'VERBN')
    >>> universal_pos("VERB", "Tense=Past|VerbForm=Fin"), universal_pos("VERB", "_")
    ('VERB', 'VERB')
    """
    if pos in ("NOUN", "PROPN") and "Number=Plur" in features:
        return f"{pos}S"
    return "VERBN" if pos == "VERB" and "VerbForm=" in features and "VerbForm=Fin" not in features else pos
