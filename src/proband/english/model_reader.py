"""Reading by a language model: its prompt, and the check of its reply before a prover uses the facts.

The model replies with JSON: facts (`{"who": "Ann", "is": "aunt", "of": "Bo"}`: Ann is the aunt of Bo; a gender or a
measure has no `of`), what is `asked`, and `unclear`, why the text cannot be read. Words, their direction and the
example of the prompt come from the file of the domain.

    {"who": A, "of": B}              what is A to B?                {"is": R, "of": B}  who or what is the R of B?
    {"who": A, "is": R, "of": B}     is A the R of B?               {"is": "tallest"}   which of all is the tallest?

>>> from proband.english.domain import load
>>> text, question = "Ann's son Bo met his aunt.", "Who is Ann to Bo?"
>>> reply = '{"facts": [{"who": "Bo", "is": "son", "of": "Ann"}], "asked": {"who": "Ann", "of": "Bo"}, "unclear": ""}'
>>> read_reply(reply, domain=load("kinship"), text=text, question=question).facts
(Fact(who='Bo', relation='child', of='Ann', gender='male', negated=False, sentence=-1),)
>>> read_reply(reply.replace("Ann", "Eve"), domain=load("kinship"), text=text, question=question).unread.reason
"the reading names 'Eve', who is not in the text"
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.types import Fact
from proband.english.domain import FEMALE, MALE, Domain, Word
from proband.english.reading import AskedRelation, Reading, with_reasons
from proband.english.tokens import NotRead

PROMPTS: Final = Path(__file__).parent / "prompts"
NAMES: Final = ("facts", "sentences")  # names of the prompts, for two readings by one model
MAX_TOKENS: Final = 2048  # of a reply, unless the user says otherwise
AGAIN: Final = "That is no JSON object. Reply with the JSON object alone, without any other text."
MOST_FACTS: Final = 60
SMALL: Final = frozenset("a an the of in on at to for and or my our your his her its their s one".split())  # noqa: SIM905
GENDERS: Final = {"male": MALE, "man": MALE, "boy": MALE, "female": FEMALE, "woman": FEMALE, "girl": FEMALE}
TAIL: Final = re.compile(r" (?:of|to|than|from|as)$")
EQUAL: Final = re.compile(r"as (\w+) as|same (\w+) as")
ASKS_WHETHER: Final = re.compile(
    r"(?:^|[,:;.] |\bthen )(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would)\b", re.IGNORECASE
)
NEXT: Final = re.compile(r"\b(?:right|immediately|directly|just|straight|next|shortly)[ -]+$", re.IGNORECASE)
ASKS_WHICH: Final = re.compile(r"\b(?:who|whom|whose|what|which|where|how|when)\b|_{2,}", re.IGNORECASE)
_NAME: Final = {"type": "string"}
SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    **dict.fromkeys(("who", "is", "of", "unit"), _NAME),
                    "amount": {"type": "number"},
                    "not": {"type": "boolean"},
                },
                "required": ["who", "is"],
            },
        },
        "asked": {"type": ["object", "null"], "properties": dict.fromkeys(("who", "is", "of"), _NAME)},
        "unclear": {"type": "string"},
    },
    "required": ["facts", "asked", "unclear"],
}


def readings_of(models: Sequence[str]) -> list[tuple[str, str]]:
    """The model and the prompt of each reading.

    >>> readings_of(["openai:a"]), readings_of(["openai:a", "hf:b"])
    ([('openai:a', 'facts'), ('openai:a', 'sentences')], [('openai:a', 'facts'), ('hf:b', 'sentences')])
    """
    if len(set(models)) < len(models):
        raise ProbandError("--reader names one model twice: two readings need two models, or one (with two prompts)")
    if len(models) == 1:
        return [(models[0], prompt) for prompt in NAMES]
    return [(model, NAMES[place % len(NAMES)]) for place, model in enumerate(models)]


def values_for(domain: Domain, text: str, question: str) -> dict[str, Any]:
    """Variables of the prompt templates: the text, the words of the domain and its example."""
    words = {
        name: [entry[kind][0] for kind in ("male", "female") if entry.get(kind)] or [name]
        for name, entry in domain.raw["relations"].items()
    }
    most = (entry.get("most", [""])[-1] for entry in domain.raw["relations"].values())
    return {
        "text": text,
        "question": question,
        "about": domain.raw.get("about", domain.name),
        "words": [each for own in words.values() for each in own],
        "genders": any(len(own) > 1 for own in words.values()),
        "most": [each for each in most if re.fullmatch(r"[a-z -]+", each)],
        "example": domain.raw.get("reader", {}),
    }


def json_of(reply: str) -> dict[str, Any] | None:
    """The JSON object of a reply, with or without a code fence; None if there is none.

    >>> json_of('```json\\n{"facts": []}\\n```'), json_of("I cannot."), json_of("[THINK]{a}[/THINK]{}")
    ({'facts': []}, None, {})
    """
    thoughts = r"<(think|thinking|thought|reasoning)>.*?</\1>|\[think\].*?\[/think\]|<\|channel>thought.*?<channel\|>"
    text = re.sub(f"(?is){thoughts}", "", reply)
    begin, end = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[begin : end + 1]) if 0 <= begin < end else None
    except (ValueError, RecursionError):  # a number of thousands of digits is a ValueError
        return None
    return value if isinstance(value, dict) else None


@with_reasons
def read_reply(reply: str, *, domain: Domain, text: str, question: str) -> Reading:
    """The checked reading of a model; unread, with the reason, if something does not fit the text."""
    value = json_of(reply)
    if value is None:
        raise NotRead("the model's reply is not JSON")
    if unclear := value.get("unclear"):
        raise NotRead(f"the model finds it unclear: {' '.join(str(unclear).split())[:160]}")
    listed = value.get("facts")
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise NotRead("the model's reply has no list of facts")
    if len(listed) > MOST_FACTS:
        raise NotRead(f"the model reads {len(listed)} facts; at most {MOST_FACTS} are taken")
    words = _Words(f"{text} {question}", domain)
    facts, genders = _facts(listed, domain, words)
    if not facts:
        raise NotRead("the model reads no fact in the text")
    things = tuple(dict.fromkeys(thing for fact in facts for thing in (fact.who, fact.of)))
    asked = _asked(value.get("asked"), question, things, domain, words)
    return Reading(facts=tuple(facts), question=asked, genders=genders)


# ---- facts ---------------------------------------------------------------------------------------------------------


def _facts(
    listed: Sequence[Mapping[str, Any]], domain: Domain, words: _Words
) -> tuple[list[Fact], dict[str, str | None]]:
    facts: list[Fact] = []
    genders: dict[str, str | None] = {}
    measured: dict[tuple[str, str], dict[str, int | float]] = {}
    for each in listed:
        who, term, of = (str(each.get(name) or "").strip() for name in ("who", "is", "of"))
        if not who or not term:
            raise NotRead(f"a fact of the reading has no 'who' or no 'is': {json.dumps(each)[:80]}")
        words.check(who)
        negated, amount = each.get("not") or False, each.get("amount")
        measure = isinstance(amount, int | float) and not isinstance(amount, bool)
        if not isinstance(negated, bool) or (measure and (negated or amount != amount)):
            raise NotRead(f"a fact of the reading is neither stated nor denied: {json.dumps(each)[:80]}")
        if not of and term.lower() in GENDERS:
            gender = GENDERS[term.lower()]
            if genders.setdefault(who, gender) != gender:
                raise NotRead(f"the reading makes {who} a man and a woman")
        elif measure:
            measured.setdefault((term.lower(), str(each.get("unit") or "")), {})[who] = each["amount"]
        else:
            if of:
                words.check(of)
            facts += _related(who, term, of, negated=negated, domain=domain)
    for fact in facts:
        known = genders.get(fact.who) if not fact.negated else None
        if fact.gender and known and known != fact.gender:
            raise NotRead(f"the reading makes {fact.who} a man and a woman")
    for (scale, _), values in measured.items():
        facts += _ordered(scale, values, domain)
    return facts, genders


def _related(who: str, term: str, of: str, *, negated: bool, domain: Domain) -> list[Fact]:
    if not of:
        raise NotRead(f"the reading has {who} as {term!r}, which is not a gender, without a second person")
    if who == of:
        raise NotRead(f"the reading relates {who} to itself")
    if (equal := EQUAL.fullmatch(term.lower())) and not negated:  # equal: neither more nor less
        more = relation_for(equal[1] or equal[2], domain)
        both = [more, domain.inverse[more]] if more else []
        return [Fact(who, each, of, None, True) for each in both]
    word = domain.word(TAIL.sub("", term.lower())) or domain.word(term.lower())
    relation = Word(relation_for(term, domain)) if word is None else word
    if not relation.relation:
        raise NotRead(f"the reading has {term!r}, which is not a relation of {domain.name}")
    return [Fact(who, relation.relation, of, relation.gender, negated)]


def relation_for(word: str, domain: Domain) -> str:
    """The relation of a word outside the domain's lists, if the file has its scale.

    >>> from proband.english.domain import load
    >>> sizes = load("sizes")
    >>> relation_for("holds more than", sizes), relation_for("tall", sizes), relation_for("near", load("grid"))
    ('bigger', 'taller', '')
    """
    scales: Mapping[str, str] = domain.raw.get("scales", {})
    return scales.get(TAIL.sub("", word.lower()), "")


def _ordered(scale: str, values: Mapping[str, int | float], domain: Domain) -> list[Fact]:
    """Measurements in one unit as comparisons."""
    more = relation_for(scale, domain)
    if not more:
        raise NotRead(f"the reading measures how {scale!r} things are, which is not a scale of {domain.name}")
    pairs = [(a, b) for a, b in permutations(values, 2) if values[a] >= values[b]]
    return [Fact(a, more, b, None, values[a] == values[b]) for a, b in pairs]  # equal: neither is more


class _Words:
    """The words of a text, to check whether a name occurs in it."""

    def __init__(self, text: str, domain: Domain) -> None:
        self.domain = domain
        self.words = {_bare(word) for word in re.findall(r"[\w'’-]+", text)}
        self.stems = {word[:4].lower() for word in self.words if len(word) >= 4}
        self.lower = {word.lower() for word in self.words}

    def check(self, name: str) -> None:
        """Check people by every word of their names, or as an unnamed link (`Ann's mother`, `mother of Ann`), and
        things by a word or its stem: a reading may have "separation" for "separated"."""
        own = [_bare(word) for word in re.findall(r"[\w'’-]+", name)]
        own = [word for word in own if word.lower() not in SMALL]
        if self.domain.nouns:
            there = any(word.lower() in self.lower or word[:4].lower() in self.stems for word in own)
        else:
            kin = [word for word in own if self.domain.word(word.lower())]
            rest = [word for word in own if word not in kin]
            there = bool(own) and all(word in self.words or word.lower() in self.lower for word in rest)
        if not there:
            raise NotRead(f"the reading names {name!r}, who is not in the text")


def _bare(word: str) -> str:
    return re.sub(r"['’]s?$", "", word).strip("'’-")


# ---- the question --------------------------------------------------------------------------------------------------


def _asked(asked: Any, question: str, things: Sequence[str], domain: Domain, words: _Words) -> AskedRelation:
    given = asked if isinstance(asked, dict) else {}
    who, term, of = (str(given.get(name) or "").strip() for name in ("who", "is", "of"))
    for name in filter(None, (who, of)):
        words.check(name)
    stem = re.split(r"\s\(?A[).]\s", question)[0]
    if re.search(r"\bnot\b", stem):
        raise NotRead("the question is a denial")
    word = _word(term, domain) if term else None
    if term and word is None and not (who and of):
        raise NotRead(f"the reading asks for {term!r}, which is not a relation of {domain.name}")
    if who and of:
        if who == of:
            raise NotRead("the question is about one thing, not two")
        return AskedRelation(who, of, word or asked_word(stem, domain))
    if word and (of or not who):
        among = _mentioned(stem, things) if not of else ()
        return AskedRelation("", of, word, among=among, adjacent=bool(of) and _adjacent(stem, word, domain))
    return _question_for_a_thing(stem, things, domain)


def _word(term: str, domain: Domain) -> Word | None:
    lower = term.lower()
    most = next((word for word, pattern in domain.most.items() if pattern.fullmatch(lower)), None)
    return most or domain.word(lower) or domain.word(TAIL.sub("", lower))


def relation_words(question: str, domain: Domain) -> list[Word]:
    """The relations in a question, in order, with the longest word at each position.

    >>> from proband.english.domain import load
    >>> relation_words("Is Ann Bo's mother-in-law or his aunt?", load("kinship"))
    [Word(relation='parent-in-law', gender='female'), Word(relation='pibling', gender='female')]
    """
    named: list[tuple[int, int, Word]] = []
    for word, pattern in domain.words.items():
        for match in re.finditer(rf"(?<![\w-])(?:{pattern.pattern})(?![\w-])", question.lower()):
            named.append((match.start(), -match.end(), word))
    taken, kept = 0, []
    for begin, end, word in sorted(named, key=lambda each: each[:2]):
        if begin >= taken:
            kept.append(word)
            taken = -end
    return kept


def asked_word(question: str, domain: Domain) -> Word | None:
    """For a yes-or-no question, the one relation that it names; None if it asks for the relation."""
    if ASKS_WHICH.search(question) or not ASKS_WHETHER.search(question):
        return None
    named = relation_words(question, domain)
    if len(set(named)) == 1:
        return named[0]
    if len(named) > 1 and re.search(r"\bor\b", question):
        return None  # before or after?
    raise NotRead("it is unclear which relation the question asks for: " + question[:80])


def _question_for_a_thing(question: str, things: Sequence[str], domain: Domain) -> AskedRelation:
    """Who is Bo's aunt? Which is the tallest? Used if the model gives no question."""
    mentioned = _mentioned(question, things)
    lower = question.lower()
    most = [word for word, pattern in domain.most.items() if re.search(rf"\b(?:{pattern.pattern})\b", lower)]
    if len(most) == 1 and len(mentioned) != 1:
        return AskedRelation("", "", most[0], among=mentioned)
    named = relation_words(question, domain)
    if len(named) == 1 and len(mentioned) == 1 and re.search(r"\b(?:who|whom|what|which)\b", lower):
        return AskedRelation("", mentioned[0], named[0], adjacent=_adjacent(question, named[0], domain))
    raise NotRead(f"the model gives no question, and none is read in {question[:80]!r}")


def _adjacent(question: str, word: Word, domain: Domain) -> bool:
    """Does the question ask for the thing directly before, with nothing between?"""
    matches = domain.words[word].finditer(question.lower()) if word in domain.words else ()
    return any(NEXT.search(question[: match.start()]) for match in matches)


def _mentioned(question: str, things: Iterable[str]) -> tuple[str, ...]:
    """The things in a question, by all their words."""
    there = {_bare(word).lower() for word in re.findall(r"[\w'’-]+", question)}
    own = {thing: {_bare(word).lower() for word in re.findall(r"[\w'’-]+", thing)} - SMALL for thing in things}
    return tuple(thing for thing, words in own.items() if words and words <= there)
