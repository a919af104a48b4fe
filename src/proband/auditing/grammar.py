"""Sentences to facts by the phrases of a domain. What no phrase covers whole is not guessed: it is unread.

A sentence is first masked (things.py); what is left is its shape. Shapes repeat (a data set made from templates has as
many as templates), so each is read once; they are also what findings are grouped by. A sentence of several clauses is
read if each of them is: "K is above C, and D is left of K", "K is above C but below D", "K is above C, which is above
D".

>>> from proband.english.domain import load
>>> grammar = Grammar(load("grid"))
>>> grammar.shape("Object K is above object C and to the left of it, too.", {"K", "C"}).text
'@0 is above @1 and to the left of it'
>>> grammar.read("K is above C and to the left of it. C is not below D.", set()).facts
(Fact(who='K', relation='upper-left', of='C', gender=None, negated=False, sentence=0), \
Fact(who='C', relation='below', of='D', gender=None, negated=True, sentence=1))
>>> grammar.read("To the left of the lamp is a chair, and above it hangs a mirror.", set()).unread.reason
'no phrase of the domain covers the sentence'
>>> grammar.question("Where is C seen from K?", set()).pair
('C', 'K')
>>> grammar.question("Which thing is left of the lamp?", set())
AskedRelation(who='', of='lamp', word=Word(relation='left', gender=None), adjacent=False, rank=1, among=(), \
either_way=False, route=False)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

from proband.auditing.deeds import Deeds
from proband.auditing.things import AmbiguousThing, NounMasker, Shape, mask_names, names_in, same_things
from proband.core.errors import ProbandError
from proband.core.types import Fact
from proband.english.domain import Domain, Word
from proband.english.reading import AskedRelation, Reading, Unread

MARK: Final = r"@\d+"
EACH: Final = rf"{MARK}(?:(?:, and then |, and |, then | and | then |, ){MARK})*"
SENTENCE: Final = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=\S)")
ABBREVIATED: Final = re.compile(r"\b(Mr|Mrs|Ms|Dr|St)\.")
HARMLESS: Final = re.compile(r",? (?:too|as well|in turn|finally)(?=[,;]|$)|^(?:also|finally),? | also(?= )")
SETTING: Final = re.compile(rf"(?:on|in|at|along|inside) ({MARK}),? (?={MARK}|from )")  # where it all is: on the shelf
BEHIND: Final = re.compile(rf" (?:on|in|at|along|with) ({MARK})$")
OF_THE: Final = re.compile(
    r"^of the (?:two|three|four|five) [a-z]+(?: (?:along|on|in|at) the [a-z]+)?, (?=[A-Z]|the )", re.IGNORECASE
)
WHERE_ALL_IS: Final = frozenset(
    ("mountain", "hill", "wall", "shelf", "street", "road", "coast", "lane", "table", "desk", "roof", "beach", "lawn")
)
NOT_REAL: Final = frozenset(
    ("mirror", "dream", "film", "movie", "story", "novel", "game", "plan", "theory", "past", "future")
)
CLAUSES: Final = re.compile(r"(?:;|,)? (?:and|but|while|whereas) |[;,:] ")
POINTS_BACK: Final = re.compile(r"\b(?:it|they|them|one|that|this|these|those|he|she|both|other|same|all|none|not)\b")
WEATHER: Final = re.compile(rf"it (?:was|is) (?:{MARK}|an? [a-z ]*(?:day|morning|evening|night))|it (?:rained|snowed)")
# where they all are, or where one begins to look
TOGETHER: Final = re.compile(
    rf"(?:they|all (?:two|three|four|five)(?: of them)?) (?:are|were)(?: all)? "
    rf"(?:lined up|at|in|on|sitting|standing|waiting)"
    rf"(?: (?:for|at|in|on|by))? {MARK}|(?:start|begin) at {MARK}|you (?:are|start) at {MARK}|{MARK} at {MARK}"
)
_TAKEN_BACK = """
    kidding joke joking lie lies lying liar dream dreamt false untrue true wrong mistake mistaken fiction rumour rumor
    gossip invented opposite reverse reversed contrary actually
    """
RETRACTS: Final = frozenset(_TAKEN_BACK.split())
# whence one looks, and in which picture: they change no direction
_VIEWS = r"from where (?:i|we) (?:sit|stand)|as (?:you|we|i) (?:come|go|walk) in|as (?:you|we|i) enter"
VIEW_FIRST: Final = re.compile(rf"^(?:{_VIEWS}),? (?=\w)", re.IGNORECASE)
VIEW_LATER: Final = re.compile(rf",? (?:{_VIEWS})(?=[,.;?]|$)", re.IGNORECASE)
PICTURE: Final = re.compile(
    r"^((?:in|on|at) (?:the|my|our|this|a) (?:class |school |group |old |family )?"
    r"(?:photo|picture|map|shelf|desk|wall|poster|table|plan|drawing|photograph|dashboard)) (?=[A-Z]|the |an? )",
    re.IGNORECASE,
)
ASIDE: Final = re.compile(r", (?:which|who|so) ([^,;.]+)(,|(?=[.;!]|$))", re.IGNORECASE)
# of all of them something is said that leaves them where they are
OF_ALL: Final = re.compile(
    r"(?:they|all (?:of them|two|three|four|five)(?: of them)?|both(?: of them)?) (?:all )?(?:@\d+|are|were|need|want|"
    r"smell|look|have|belong|cost|taste|seem|love|like|hate)\b.*|.* (?:on|in|of|to|for|with) (?:all of them|all three|"
    r"all four|both of them|both|them)|.* from one to the other"
)
CHANGES: Final = re.compile(
    r"\b(?:not?|never|none|nothing|move[sd]?|moving|swap\w*|switch\w*|turn\w*|rotat\w*|exchang\w*|chang\w*|flip\w*|"
    r"replac\w*|rearrang\w*|carr\w+|push\w*|pull\w*|shift\w*|took|take[sn]?|put|puts|remov\w*|mirror\w*|upside|opposite|"
    r"it|this|that|same|if|would|could|might|may|should|must)\b"
)
RANKS: Final = {"second": 2, "third": 3, "fourth": 4, "fifth": 5}
EVERYTHING: Final = "*"
SHAPES_KEPT: Final = 50_000
MOST_CLAUSES: Final = 8
OWNED_LEFT_OUT: Final = re.compile(r"\w+['’]s(?=[.,;:?!]|$| (?:is|are|was|were)\b)")
ALL: Final = -2  # in a fact of a shape: all other things
COUNTS: Final = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
OF_TWO: Final = -1  # a rank: which of the two is longer?
MIDDLE: Final = 0  # a rank that is known once the things are counted


class ShapeFact(NamedTuple):
    """A fact of a shape: numbers of things, -1 for the pair of the sentence before."""

    who: int
    word: Word
    of: int
    negated: bool


Facts = tuple[ShapeFact, ...]


def split(text: str) -> list[str]:
    """
    >>> split("Ann met Mr. Bo.  They left!")
    ['Ann met Mr Bo.', 'They left!']
    """
    plain = ABBREVIATED.sub(r"\1", text.replace("’", "'").replace("‘", "'"))
    return [part.strip() for part in SENTENCE.split(" ".join(plain.split())) if part.strip()]


class Grammar:
    """The compiled phrases of a domain."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.phrases = [(self._compile(form), says) for form, says in domain.phrases]
        self.questions = [(kind, self._compile(form)) for kind, forms in domain.questions.items() for form in forms]
        self.kinds = re.compile(rf"(?<!\w){domain.thing or '(?!)'} (?={MARK})")
        either = "|".join(pattern.pattern for pattern in domain.words.values())
        self.relation_word = re.compile(rf"(?<![\w-])(?:{either})(?![\w-])")
        vocabulary = self._vocabulary()
        content = frozenset(domain.raw.get("content", ()))  # words of phrases that may be words of things as well
        of = bool(domain.raw.get("of"))
        fewer = NounMasker(vocabulary - content, domain.thing, self.relation_word, of=of)
        whole = NounMasker(vocabulary, domain.thing, self.relation_word, of=of)
        self.nouns = whole if domain.nouns else None
        self.fewer = fewer if domain.nouns and content else None
        self.deeds = Deeds(domain.raw.get("verbs", {}))
        self.known: dict[str, Facts | None] = {}

    def _vocabulary(self) -> frozenset[str]:
        """The words of its phrases, questions and relations: these are parts of no thing."""
        forms = [form for form, _ in self.domain.phrases]
        forms += [form for own in self.domain.questions.values() for form in own]
        patterns = [self.domain.expand(form) for form in forms] + [p.pattern for p in self.domain.words.values()]
        patterns += [p.pattern for p in self.domain.most.values()]
        plain = " ".join(re.sub(r"\\.|\(\?P<\w+>|\{\w+\}|\[[^\]]*\]", " ", each) for each in patterns)
        words = re.sub(r"([a-z]+)\(\?:([a-z|]+)\)\??", _spelled_out, plain)
        words = re.sub(r"([a-z]+)([a-z])\?", r"\1 \1\2 ", words)
        return frozenset(re.findall(r"[a-z]+(?:'[a-z]+)?|\d+", words)) - {"s"}

    def _compile(self, form: str) -> re.Pattern[str]:
        used: set[str] = set()

        def slot(match: re.Match[str]) -> str:
            name = match[1]
            if name in ("a", "b", "c", "each"):
                if name in used:
                    return f"(?P={name})"
                used.add(name)
                return f"(?P<{name}>{EACH if name == 'each' else MARK})"
            if name == "kind":
                return rf"(?:{MARK}|thing|one|of them|of the \w+|of {MARK})"
            if name == "most":
                return "(?P<most>" + "|".join(p.pattern for p in self.domain.most.values()) + ")"
            if name in self.domain.slots:
                return f"(?P<{name}>{self._words(self.domain.slots[name])})"
            raise ProbandError(f"domain {self.domain.name}: {{{name}}} is neither a slot nor a macro: {form!r}")

        return re.compile(re.sub(r"\{([a-z_]+)\}", slot, self.domain.expand(form)))

    def _words(self, relations: Collection[str]) -> str:
        patterns = [p.pattern for word, p in self.domain.words.items() if word.relation in relations]
        return "|".join(f"(?:{pattern})" for pattern in patterns)

    # ---- sentences ---------------------------------------------------------------------------------------------------

    def shape(self, sentence: str, names: Collection[str]) -> Shape:
        """`names`: what is in brackets; in domains whose things are names, all of them."""
        if self.nouns and not names:
            return _plain(self.nouns.mask(sentence))
        masked = mask_names(sentence, names)
        return _plain(Shape(self.kinds.sub("", masked.text), masked.things))

    def _shapes(self, sentence: str, names: Collection[str]) -> list[Shape]:
        """The shape of a sentence, and that with words of phrases ("the small gap") taken as words of things."""
        first = self.shape(sentence, names)
        if self.fewer is None or names or (second := _plain(self.fewer.mask(sentence))) == first:
            return [first]
        return [first, second]

    def _read_sentence(self, sentence: str, names: Collection[str]) -> tuple[Shape, Facts | None, str]:
        """Its shape, its facts, and the thing that says where it all is, if one does."""
        first = self.shape(sentence, names)
        if (facts := self._shape_facts(first.text)) is not None:
            return first, facts, ""
        for shape in self._shapes(sentence, names):
            if (facts := self._shape_facts(shape.text)) is not None:
                return shape, facts, ""
            setting = SETTING.match(shape.text)
            if setting and NOT_REAL & set(shape.things[int(setting[1][1:])].split()):
                continue
            if setting and (facts := self._shape_facts(shape.text[setting.end() :])):
                return shape, facts, shape.things[int(setting[1][1:])]
            behind = BEHIND.search(shape.text)  # Camp Two is above Camp One on the mountain
            if behind and shape.things[int(behind[1][1:])].split()[-1] not in WHERE_ALL_IS:
                continue
            if behind and (facts := self._shape_facts(shape.text[: behind.start()])):
                return shape, facts, shape.things[int(behind[1][1:])]
        return first, None, ""

    def without_asides(self, sentence: str) -> str:
        """The sentence without what changes no fact: where one stands, and clauses that speak of no relation."""
        plain = OF_THE.sub("", VIEW_LATER.sub("", VIEW_FIRST.sub("", sentence)))
        plain = PICTURE.sub(r"\1, ", plain)

        def harmless(match: re.Match[str]) -> str:
            words = set(match[1].lower().split())
            if self.relation_word.search(match[1].lower()) or words & RETRACTS or CHANGES.search(match[1].lower()):
                return match[0]
            return ""

        return ASIDE.sub(harmless, plain)

    def names(self, text: str, question: str) -> set[str]:
        """What `shape` is to be told: names, or what is in brackets; nothing where things are nouns."""
        found = names_in(text, question)
        return found if not self.nouns or "[" in text else set()

    def read(self, text: str, names: Collection[str]) -> Reading:
        """The facts of a text; unread if a sentence about its things is covered by no phrase."""
        facts: list[Fact] = []
        sentences = split(text)
        plain = [self.without_asides(sentence) for sentence in sentences] if self.nouns else sentences
        read = [self._read_sentence(sentence, names) for sentence in plain]
        told = {
            shape.things[place] for shape, own, _ in read for f in own or () for place in (f.who, f.of) if place >= 0
        }
        pair: tuple[str, ...] = ()
        for number, (sentence, (shape, clauses, setting)) in enumerate(zip(sentences, read)):
            if clauses is None and self._says_nothing(shape, told):
                continue
            of_pair, problem = any(fact.of == -1 for fact in clauses or ()), ""
            if clauses is None or setting in told:
                problem = "no phrase of the domain covers the sentence"
            elif of_pair and len(pair) != 2:
                problem = "'they' has no pair of people before it"
            if problem:
                return Reading(sentences=tuple(sentences), unread=Unread(problem, sentence))
            for a, word, b, negated in clauses or ():
                for owner in pair if b == -1 else (EVERYTHING,) if b == ALL else (shape.things[b],):
                    facts.append(Fact(shape.things[a], word.relation, owner, word.gender, negated, number))
            pair = pair if of_pair else shape.things
        return Reading(facts=tuple(facts), sentences=tuple(sentences), shapes=tuple(shape.text for shape, _, _ in read))

    def _says_nothing(self, shape: Shape, told: set[str]) -> bool:
        """Does a sentence speak neither of a relation nor of things that facts are about?"""
        if self.relation_word.search(shape.text):
            return False
        if not self.domain.nouns:
            return False  # of people much can be said in other words
        if TOGETHER.fullmatch(shape.text) or re.fullmatch(r"@0 \d+|@0", shape.text):
            return True
        words = {word for thing in shape.things for word in thing.lower().split()}
        heads = {thing.split()[-1] for thing in told}
        if OF_ALL.fullmatch(shape.text) and not (CHANGES.search(shape.text) or words & RETRACTS):
            return not any(thing.split()[-1] in heads for thing in shape.things)
        if WEATHER.fullmatch(shape.text) or not (POINTS_BACK.search(shape.text) or words & RETRACTS):
            return not any(thing.split()[-1] in heads for thing in shape.things)
        return False

    def _shape_facts(self, shape: str) -> Facts | None:
        if shape not in self.known:
            if len(self.known) >= SHAPES_KEPT:
                self.known.clear()
            readings = self._readings(shape, MOST_CLAUSES)
            self.known[shape] = readings[0] if len({frozenset(each) for each in readings}) == 1 else None
        return self.known[shape]

    def _readings(self, shape: str, depth: int) -> list[Facts]:
        """The ways to read a shape: whole, or clause by clause."""
        whole = [facts for pattern, says in self.phrases if (facts := self._facts(pattern, says, shape)) is not None]
        if whole or not depth:
            return whole
        readings: list[Facts] = []
        for match in CLAUSES.finditer(shape):
            left, right = shape[: match.start()], shape[match.end() :]
            first = [facts for pattern, says in self.phrases if (facts := self._facts(pattern, says, left)) is not None]
            if not first or not any(first):
                continue
            for rest in _continued(left, right, first[0]):
                if following := self._readings(rest, depth - 1):
                    readings += [(*one, *other) for one in first for other in following]
                    break
        return readings

    def _facts(self, pattern: re.Pattern[str], says: str, shape: str) -> Facts | None:
        match = pattern.fullmatch(shape)
        if match is None:
            return None
        groups, facts = match.groupdict(), []
        for clause in filter(None, says.split(", ")):
            a, relation, b = clause.split(" ")
            word = self._word_of_clause(relation, groups)
            if word is None:
                return None
            marks, negated = [int(mark[1:]) for mark in re.findall(MARK, groups[a])], bool(groups.get("no"))
            if b == "next":  # of things in a row, each and the one after it
                facts += [ShapeFact(one, word, other, negated) for one, other in pairwise(marks)]
                continue
            owner = {"they": -1, "all": ALL}[b] if b in ("they", "all") else int(groups[b][1:])
            facts += [ShapeFact(mark, word, owner, negated) for mark in marks]
        return tuple(facts)

    def _word_of_clause(self, relation: str, groups: Mapping[str, str | None]) -> Word | None:
        if relation == "most":
            return self._most(groups["most"])
        words = [self._word(groups[slot]) if slot in groups else Word(slot) for slot in relation.split("+")]
        if len(words) == 1:
            return words[0]
        first, second = words
        if first is None or second is None:
            return None
        if first == second:
            return first
        combined = self.domain.combine.get((first.relation, second.relation))
        return Word(combined) if combined else None

    def _word(self, text: str | None) -> Word | None:
        words = [word for word, pattern in self.domain.words.items() if pattern.fullmatch(text or "")]
        return words[0] if len(words) == 1 else None

    # ---- questions ---------------------------------------------------------------------------------------------------

    def question(self, text: str, names: Collection[str]) -> AskedRelation | Unread:
        question = self.place_of_question(split(text), names)
        return question if isinstance(question, Unread) else question[1]

    def place_of_question(self, sentences: Sequence[str], names: Collection[str]) -> tuple[int, AskedRelation] | Unread:
        """Which of the sentences is the question, and what it asks."""
        questions: dict[tuple[int, AskedRelation], None] = {}
        for number, sentence in enumerate(sentences):
            if "?" in sentence or "___" in sentence or sentence.lower().startswith("tell me"):
                plain = VIEW_LATER.sub("", VIEW_FIRST.sub("", sentence))
                for shape in self._shapes(plain, names):
                    if found := dict.fromkeys(self._asked(shape)):
                        questions |= {(number, asked): None for asked in found}
                        break
        if len(questions) != 1:
            last = next((s for s in reversed(sentences) if s.endswith("?")), sentences[-1] if sentences else "")
            return Unread("it asks more than one question" if questions else "no form of question covers it", last)
        return next(iter(questions))

    def _asked(self, shape: Shape) -> Iterator[AskedRelation]:
        for kind, pattern in self.questions:
            if not (match := pattern.fullmatch(shape.text)):
                continue
            groups = match.groupdict()
            a, b = (shape.things[int(groups[slot][1:])] if groups.get(slot) else "" for slot in ("a", "b"))
            if kind in ("forms", "route"):
                yield AskedRelation(a, b, route=kind == "route")
                continue
            if kind == "middle":
                yield AskedRelation("", "", rank=MIDDLE)
                continue
            word = self._most(groups["most"]) if "most" in groups else self._word(groups.get("r"))
            if word is None:
                continue
            if kind == "more":
                yield AskedRelation("", "", word, rank=OF_TWO)
            elif kind == "inverse":
                yield AskedRelation("", b, Word(self.domain.inverse[word.relation]))
            elif kind == "between" and a and b:
                yield AskedRelation("", "", word, among=(a, b))
            else:
                rank = RANKS.get(groups.get("rank") or "", 1)
                yield AskedRelation(a, b, word, adjacent=bool(groups.get("adjacent")), rank=rank)

    def _most(self, text: str | None) -> Word | None:
        words = [word for word, pattern in self.domain.most.items() if pattern.fullmatch(text or "")]
        return words[0] if len(words) == 1 else None

    # ---- a row -------------------------------------------------------------------------------------------------------

    def __call__(self, text: str, question: str, _: Mapping[str, str | None], /) -> Reading:
        """A story and its question."""
        names = self.names(text, question)
        asked = self.question(question, names)
        if isinstance(asked, Unread):
            return Reading(unread=asked)
        reading = self.read(text, names)
        if reading.unread or not self.nouns:
            return replace(reading, question=asked)
        phrases = [thing for fact in reading.facts for thing in (fact.who, fact.of) if thing != EVERYTHING]
        try:
            meant = same_things(phrases, list(filter(None, (asked.who, asked.of, *asked.among))))
        except AmbiguousThing as error:
            return Reading(unread=Unread(str(error)))
        owned = {thing.rpartition("'s ")[2] for thing in meant.values() if "'s " in thing}
        if len(owned) > 1 and (left_out := OWNED_LEFT_OUT.search(f"{text} {question}")):
            return Reading(unread=Unread(f"what is meant by {left_out[0]!r} is not clear"))
        facts = tuple(fact._replace(who=meant[fact.who], of=meant.get(fact.of, fact.of)) for fact in reading.facts)
        over = self._over_all(facts, reading.sentences)
        if isinstance(over, Unread):
            return Reading(unread=over)
        facts = over
        told = {thing for fact in facts for thing in (fact.who, fact.of)}
        own = [meant[each] for each in (asked.who, asked.of, *asked.among) if each]
        if facts and (unknown := next((each for each in own if each not in told and not _is_name(each, question)), "")):
            return Reading(unread=Unread(f"the story says nothing of {unknown!r}", question))
        a, b = (meant.get(each, "") for each in (asked.who, asked.of))
        settled = self.settled(asked._replace(who=a, of=b, among=tuple(meant[each] for each in asked.among)), facts)
        if isinstance(settled, Unread):
            return Reading(unread=settled)
        if self.deeds.verbs:
            shapes = [self._read_sentence(sentence, names)[0] for sentence in reading.sentences]
            asking = [shape for shape in self._shapes(question, names) if any(True for _ in self._asked(shape))]
            if reason := self.deeds.mixed(shapes, asking[0], meant, text):
                return Reading(unread=Unread(reason, question))
        return replace(reading, facts=facts, question=settled)

    def _over_all(self, facts: tuple[Fact, ...], sentences: Sequence[str]) -> tuple[Fact, ...] | Unread:
        """`Bella is the oldest of the three`: older than every other one, where all facts are about ages and the things
        are as many as it says."""
        over = [fact for fact in facts if fact.of == EVERYTHING]
        if not over:
            return facts
        told = [fact for fact in facts if fact.of != EVERYTHING]
        things = list(dict.fromkeys(thing for fact in facts for thing in (fact.who, fact.of) if thing != EVERYTHING))
        axes = {min(fact.relation, self.domain.inverse[fact.relation]) for fact in facts}
        counts = {COUNTS[word] for fact in over for word in COUNTS if f" {word}" in sentences[fact.sentence]}
        if len(axes) != 1 or any(fact.negated for fact in over) or counts - {len(things)}:
            return Unread("than which things it is so is not clear")
        return (*told, *(fact._replace(of=thing) for fact in over for thing in things if thing != fact.who))

    def settled(self, asked: AskedRelation, facts: Sequence[Fact]) -> AskedRelation | Unread:
        """The one in the middle, where all facts are about one axis and the things are of an odd number, is a rank."""
        if asked.rank == OF_TWO:
            two = len({thing for fact in facts for thing in (fact.who, fact.of)}) == 2
            return asked._replace(rank=1) if two else Unread("it asks for the one of two, and there are more")
        if asked.rank != MIDDLE:
            return asked
        axes = {min(fact.relation, self.domain.inverse[fact.relation]) for fact in facts}
        things = {thing for fact in facts for thing in (fact.who, fact.of)}
        if len(axes) != 1 or len(things) % 2 == 0:
            return Unread("which one is in the middle is not clear")
        return asked._replace(word=Word(axes.pop()), rank=(len(things) + 1) // 2)


def _plain(shape: Shape) -> Shape:
    return Shape(HARMLESS.sub("", shape.text), shape.things)


def _is_name(thing: str, question: str) -> bool:
    """Is a thing of the question written as a name, with a capital that no beginning of a sentence gives it?"""
    return len(thing) == 1 or re.search(rf"(?<=[\w,] ){re.escape(thing.title())}\b", question) is not None


def _spelled_out(match: re.Match[str]) -> str:
    """
    >>> _spelled_out(re.match(r"([a-z]+)[(][?]:([a-z|]+)[)][?]?", "overlap(?:s|ping)"))
    'overlap overlaps overlapping'
    """
    return " ".join([match[1], *(match[1] + ending for ending in match[2].split("|"))])


def _continued(left: str, right: str, facts: Facts) -> Iterator[str]:
    """What the second of two clauses says in full: as it stands, with the subject of the first, with what `which` is
    about, or with the verb that it leaves out."""
    yield right
    marks = re.findall(MARK, left)
    if relative := re.match(r"(?:which|who|that) ", right):
        yield f"{marks[-1]} {right[relative.end() :]}"
    elif not right.startswith("@"):
        yield f"@{facts[0].who} is {right}"
        yield f"@{facts[0].who} {right}"
    else:
        yield re.sub(rf"^({MARK}) ", r"\1 is ", right)
