"""Relations between two arguments, examples that are pairs of them, and examples as items.

A triple is `aspirin, eliminates, headaches`; premise and hypothesis of an example share both arguments. The question of
a pair has a type where the answer goes (`drug, treats, headaches`); `instantiate` puts the answer there, so that the
two have the same arguments, straight or swapped. Methods read an item back with `facts_of`.

The words of a relation or argument (lemmas, content words, verbs, voice and negation) come from short rules: relations
are short and of few shapes (`is found in`, `had been written by`, `is the capital of`, `began to occupy`), so that a
list of function words and lemmas are enough; no tagger has to be loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from proband.core.files import read_items
from proband.core.types import Item, Split
from proband.english.unreal import listed
from proband.lexicon.inflection import BE, IRREGULAR_VERBS, verb_lemma

FORWARD, BACKWARD = "answer to question", "question to answer"
PLAIN = "none"  # the control of unchanged items
SWAPPED = "@R@"  # behind a relation in rules of others: its arguments are swapped


class Triple(NamedTuple):
    """
    >>> Triple.read("the oil, is exported by,  angola").text
    'the oil is exported by angola'
    """

    subject: str
    relation: str
    object: str

    @property
    def text(self) -> str:
        return " ".join(each for each in self if each)

    @property
    def swapped(self) -> Triple:
        return Triple(self.object, self.relation, self.subject)

    def put(self, subject: str = "", object: str = "") -> Triple:
        """Replace the arguments; an empty replacement changes nothing.

        >>> Triple("the earth", "is bigger than", "mars").put("the sun")
        Triple(subject='the sun', relation='is bigger than', object='mars')
        """
        return Triple(subject or self.subject, self.relation, object or self.object)

    @property
    def lower(self) -> Triple:
        return Triple(*(each.lower() for each in self))

    @classmethod
    def read(cls, text: str) -> Triple:
        """`arg, relation, arg`; ValueError where there are not three parts."""
        first, relation, second = (" ".join(each.split()) for each in text.split(","))
        if not (first and relation and second):
            raise ValueError("an empty part")
        return cls(first, relation, second)


@dataclass(frozen=True, kw_only=True)
class Example:
    """A premise and a hypothesis with the same two arguments, and whether the premise entails the hypothesis.

    `straight`: the first argument of the premise is the first of the hypothesis. `question` names what was asked, for
    the clusters; `pair` is the same for the two directions of a pair, and stays when a control changes them.
    """

    premise: Triple
    hypothesis: Triple
    entailed: bool | None
    straight: bool
    question: str
    source: str
    pair: str = ""
    direction: str = FORWARD  # or BACKWARD
    split: Split = "test"
    directional: bool = False
    typed: tuple[str, str] = ("", "")  # types of the two arguments of the premise, where they are known
    matched: bool = True  # an argument is the same on both sides, up to stop words and inflection

    def __post_init__(self) -> None:
        if not self.pair:
            sides = sorted(", ".join(each).lower() for each in (self.premise, self.hypothesis))
            object.__setattr__(self, "pair", " | ".join(sides))  # the same for both directions


def shares_lemma(example: Example) -> bool:
    """Whether the two relations share a content word, up to inflection. A relation without content words (`has`, `is
    in`) shares one if the other relation contains all its words."""
    premise, hypothesis = phrase(example.premise.relation), phrase(example.hypothesis.relation)
    contained = hypothesis.content <= premise.lemmas or premise.content <= hypothesis.lemmas
    return contained or bool(premise.content & hypothesis.content)


def instantiate(question: Triple, answer: Triple) -> tuple[Triple, bool, str, bool]:
    """Replace the type in the question by the answer. Also returns whether the arguments are in the same order, the
    type, and whether an argument matches.

    >>> instantiate(Triple("food", "is included in", "chocolate"), Triple("chocolate", "is made from", "cocoa beans"))
    (Triple(subject='cocoa beans', relation='is included in', object='chocolate'), False, 'food', True)
    """
    places = [(q, a) for q in (0, 2) for a in (0, 2)]
    q, a = max(places, key=lambda at: (likeness(question[at[0]], answer[at[1]]), at[0] == at[1], at[0]))
    arguments = {q: question[q], 2 - q: answer[2 - a]}
    filled = Triple(arguments[0], question.relation, arguments[2])
    return filled, q == a, question[2 - q], likeness(question[q], answer[a]) > 0


def likeness(one: str, other: str) -> float:
    """The Jaccard index of the content words of two arguments, up to inflection: 1 for the same argument.

    >>> likeness("the french", "French"), likeness("a saint", "saints"), likeness("oil", "coffee")
    (1.0, 1.0, 0.0)
    """
    if one.lower() == other.lower():
        return 1.0
    a, b = set(content(one)), set(content(other))
    return len(a & b) / len(a | b) if a and b else 0.0


# ---- items -----------------------------------------------------------------------------------------------------------


YES, NO = "yes", "no"
CHOICES = (YES, NO)


def items(
    examples: Sequence[Example],
    *,
    control: str = PLAIN,
    plain: Sequence[Example] | None = None,
    kept: Sequence[int] | None = None,
) -> Iterator[Item]:
    """Tags `source`, `direction`, `directional`, `lemma` (whether the relations share one), `control`, `split`. Under a
    control, all tags are those of the `plain` example, and `facts.source` is its item. `kept` are the places of the
    examples that become items; the others are counted, so that a sample has the ids of the whole."""
    for at in range(len(examples)) if kept is None else kept:
        each, original = examples[at], (plain or examples)[at]
        name = f"{each.source}-{each.split}-{at + 1:05d}"
        facts = {
            "premise": list(each.premise),
            "hypothesis": list(each.hypothesis),
            "straight": each.straight,
            "pair": each.pair,
            "question": each.question,
            "clusters": [each.question],
        }
        yield Item(
            id=name if control == PLAIN else f"{name}-{control}",
            suite="inference",
            prompt=prompt(each.premise, each.hypothesis),
            choices=CHOICES,
            gold=None if each.entailed is None else int(not each.entailed),
            tags={
                "source": each.source,
                "direction": each.direction,
                "directional": each.directional,
                "lemma": "shared" if shares_lemma(original) else "none shared",
                "control": control,
            },
            facts=facts
            | ({"types": list(each.typed)} if any(each.typed) else {})
            | ({} if control == PLAIN else {"source": name}),
            split=each.split,
        )


def prompt(premise: Triple, hypothesis: Triple) -> str:
    """
    >>> print(prompt(Triple("aspirin", "eliminates", "headaches"), Triple("aspirin", "treats", "headaches")))
    Premise: Aspirin eliminates headaches.
    Hypothesis: Aspirin treats headaches.
    Is the hypothesis true, given the premise?
    """
    given = f"Premise: {sentence(premise)}\n" if premise.relation else ""
    end = "Is the hypothesis true, given the premise?" if given else "Is the hypothesis true?"
    return f"{given}Hypothesis: {sentence(hypothesis)}\n{end}"


def sentence(triple: Triple) -> str:
    """
    >>> sentence(Triple("the oil", "is exported by", "angola"))
    'The oil is exported by angola.'
    """
    text = triple.text
    return f"{text[:1].upper()}{text[1:]}." if text else ""


@dataclass(frozen=True)
class InferenceFacts:
    """The typed facts of an item; methods, figures and views read these."""

    premise: Triple
    hypothesis: Triple
    straight: bool
    types: tuple[str, str] = ("", "")
    question: str = ""  # that the pair belongs to


def facts_of(item: Item) -> InferenceFacts:
    facts = item.facts
    first, second = facts.get("types", ("", ""))
    return InferenceFacts(
        premise=Triple(*facts["premise"]),
        hypothesis=Triple(*facts["hypothesis"]),
        straight=bool(facts["straight"]),
        types=(first, second),
        question=str(facts.get("question", "")),
    )


def premises(folder: Path) -> list[Triple]:
    """The distinct premises of a folder of items, of all splits; labels are not used."""
    triples = (facts_of(item).premise for item in read_items(folder))
    return list(dict.fromkeys(each for each in triples if each.relation))


def show(item: Item) -> str:
    """The prompt, the label, and the order of the arguments."""
    gold = "unknown" if item.gold is None else item.choices[item.gold]
    facts = facts_of(item)
    order = "straight" if facts.straight else "swapped"
    return f"{item.prompt}\nlabel: {gold}; arguments {order}; question: {facts.question}"


# ---- words -----------------------------------------------------------------------------------------------------------


HAVE = listed("have has had having 've")
DO = listed("do does did")
MODAL = listed("will would shall should can could may might must ca wo 'll 'd")
NEGATION = listed("not n't never no cannot neither nor without nothing none hardly")
ARTICLE = listed("a an the this that these those its his her their our my your some any each every another such")
PREPOSITION = listed(
    "of in on at to from by with for into onto upon as about against among amid between through throughout over under"
    " above below near off out up down along across around after before during since until toward towards within beyond"
    " behind beside besides than like per via but except despite back away together forth aside apart"
)
PRONOUN = listed("i you he she it we they me him them us who whom which what itself himself herself one")
ADVERB = listed(
    "also often still already always once now then ever even just only much more most very so too yet again soon"
    " usually sometimes there here first later best thus hence quite rather almost nearly mostly mainly"
)
JOINING = listed("and or if when while because")
AUXILIARY = BE | HAVE | DO | MODAL
FUNCTION = AUXILIARY | NEGATION | ARTICLE | PREPOSITION | PRONOUN | ADVERB | JOINING
PLURALS = listed("men women children people feet teeth mice geese")
UNCHANGED = listed("put set cut read hit shut cast spread become come run beset burst hurt split overcome")


@lru_cache(maxsize=200_000)
def words(text: str) -> tuple[str, ...]:
    """Lower-case words; clitics are separate words.

    >>> words("don't live in")
    ('do', "n't", 'live', 'in')
    """
    text = text.lower().replace("n't", " n't").replace("'s", " 's").replace("cannot", "can not").replace("-", " ")
    return tuple(each for each in (word.strip('.,;:!?"()') for word in text.split()) if each)


@lru_cache(maxsize=200_000)
def content(text: str) -> tuple[str, ...]:
    """The lemmas of the words that are not function words; if there are none, all lemmas.

    >>> content("was the leader of"), content("is in")
    (('leader',), ('be', 'in'))
    """
    lemmas = tuple(verb_lemma(word) for word in words(text) if word not in FUNCTION)
    return lemmas or tuple(verb_lemma(word) for word in words(text))


@dataclass(frozen=True)
class RelationPhrase:
    """The features of a relation that the lemma baseline uses."""

    content: frozenset[str]  # lemmas of content words; all lemmas if there are none (`is in`)
    lemmas: frozenset[str]  # of all its words
    verbs: frozenset[str]
    passive: bool
    negated: bool


@lru_cache(maxsize=200_000)
def phrase(relation: str) -> RelationPhrase:
    """
    >>> sorted(phrase("was not written by").verbs), phrase("was not written by").passive, phrase("has been in").verbs
    (['write'], True, frozenset({'be'}))
    """
    tokens = words(relation)
    kept = [(at, word) for at, word in enumerate(tokens) if word not in NEGATION | ADVERB and not _manner(word)]
    head = next((n for n, (_, word) in enumerate(kept) if word not in AUXILIARY), len(kept))
    auxiliaries = [word for _, word in kept[:head]]
    verbs, passive = set[str](), False
    if head < len(kept) and kept[head][1] not in FUNCTION:
        word = kept[head][1]
        if not auxiliaries or auxiliaries[-1] not in BE | HAVE:
            verbs.add(verb_lemma(word))
        elif auxiliaries[-1] in HAVE:
            verbs.add(verb_lemma(word) if participle(word) else "have")
        elif word.endswith("ing") and verb_lemma(word) != word:
            verbs.add(verb_lemma(word))
        elif participle(word):
            verbs.add(verb_lemma(word))
            passive = True
    if not verbs and auxiliaries:
        verbs.add(verb_lemma(auxiliaries[-1]))
    elif not auxiliaries and len(tokens) > 1 and participle(tokens[0]) and tokens[1] == "by":
        passive = True  # worn by
    following = pairwise(tokens)
    verbs |= {verb_lemma(word) for before, word in following if before in ("to", "and") and word not in FUNCTION - BE}
    named = frozenset(verb_lemma(word) for word in tokens if word not in FUNCTION)
    lemmas = frozenset(map(verb_lemma, tokens))
    negated = sum(word in NEGATION for word in tokens) % 2 == 1
    return RelationPhrase(named or lemmas, lemmas, frozenset(verbs), passive, negated)


def participle(word: str) -> bool:
    """Whether a word after `be` or `have` is a past participle.

    >>> [word for word in ("found", "bigger", "members", "made", "put", "capital", "men") if participle(word)]
    ['found', 'made', 'put']
    """
    if word in UNCHANGED or word in IRREGULAR_VERBS:
        return True
    return verb_lemma(word) != word and word not in PLURALS and not word.endswith(("er", "est", "s", "ing"))


def _manner(word: str) -> bool:
    return word.endswith("ly") and len(word) > 4 and word not in ("supply", "apply", "reply", "imply", "rely", "family")
