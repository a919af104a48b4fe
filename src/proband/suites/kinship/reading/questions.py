"""Questions about kin, and the answers people write to them.

A question asks what A is to B, whether A is the uncle of B, or who the uncle of B is; with options or without. Its form
is found with the names masked (`how is @0 related to @1`) and must cover the whole sentence. An answer may be a word,
a letter of an option, yes or no, a name, or a sentence.

>>> people = {"Tom", "Ann"}
>>> asked = read_question("Tell me how Tom is related to Ann.", people)
>>> asked.who, asked.of, read_answer("Tom is Ann's uncle.", asked, people).word
('Tom', 'Ann', Word(relation='pibling', gender='male'))
>>> asked = read_question("Is Tom Ann's dad?", people)
>>> asked.word, read_answer("No, he isn't.", asked, people).truth
(Word(relation='parent', gender='male'), False)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final, NamedTuple

from proband.english.domain import Word
from proband.suites.kinship.reading.lexicon import STORY_KIN
from proband.suites.kinship.reading.tokens import NotUnderstood, foreign_letter, normalised
from proband.suites.kinship.world.relations import FEMALE, MALE


@dataclass(frozen=True, kw_only=True)
class KinQuestion:
    """What is `who` to `of`? With a `word`: is `who` the `word` of `of`? Without `who`: who is the `word` of `of`?
    `either_way`: the form does not tell who is the one and who the other (`How are A and B related?`)."""

    who: str
    of: str
    word: Word | None = None
    either_way: bool = False
    options: Mapping[str, str] = field(default_factory=dict)


class StatedAnswer(NamedTuple):
    """A word for what `a` is to `b`, a truth value, a person, or that it is not told (`open`)."""

    word: Word | None = None
    truth: bool | None = None
    person: str = ""
    open: bool = False
    pair: tuple[str, str] | None = None  # of whom a sentence says the word: (a, b)


# ---- forms ---------------------------------------------------------------------------------------------------------
# A, B: people; R: a kin word; GAP: a blank

RELATION_FORMS: Final = """
how is A related to B | how A is related to B | how does A relate to B | in what way is A related to B
how would you say A is related to B | in which way is A related to B | by what relation is A related to B
what is A to B | who is A to B | what was A to B | who was A to B | what would A be to B
what (?:kind of )?(?:family |kinship )?(?:relation|relationship|relative|kin) is A to B
which (?:family )?(?:relation|relationship|relative) is A to B | what relative of B is A | what relation of B is A
what (?:is|was) the (?:family |kinship )?relation(?:ship)? of A to B | the relation(?:ship)? of A to B
what (?:is|was) A's (?:family |kinship )?relation(?:ship)? (?:to|with) B
A's relation(?:ship)? to B is(?: that of)?(?: GAP)?
which word says what A is to B | which word describes what A is to B | what word describes A's relationship to B
what does B call A | what would B call A | what should B call A | what can B call A | B calls A GAP
what is A for B | who is A for B | who is A from the point of view of B | from B's point of view,? who is A
what family member is A to B | which family member of B is A | which relative of B is A
A is the GAP of B | A is a GAP of B | A is B's(?: GAP| what)? | B's GAP is A | the GAP of B is A | A is GAP to B
A is to B an?(?: GAP)? | A is the what of B
B has A as (?:a|an|his|her|their) GAP | B has a GAP called A | A is related to B as (?:a|his|her|their|the) GAP
as for B,? A is (?:his|her|the|their) GAP | to B,? A is (?:a|the|his|her|an) GAP
how is A connected to B | how is A kin to B | what is A's place in relation to B | what role does A have for B
A is what to B | in relation to B,? A is what | in relation to B,? what is A | what did A become to B
what has A become to B | what would B have called A | the word for what A is to B | what A is to B
A is what relation to B
what relation to B is A | how does B know A as family | A became B's GAP
A is how related to B | A is to B what | A is what relation of B(?:'s)? | what is A in relation to B
what does (?:that|this) make A to B | what is A to B now | who is A to B now | what does (?:that|this) make A for B
in (?:what|which) way is A connected to B(?: by family)? | how is A connected to B by family
(?:by|with) what word would you describe A's relation(?:ship)? to B | (?:the )?kin term for A with respect to B
"""
EITHER_FORMS: Final = """
how are A and B related(?: to each other)? | in what way are A and B related | in which way are A and B related
what (?:is|was) the (?:family )?relation(?:ship)? between A and B | how A and B are related
how do A and B relate | what relation are A and B(?: to each other)? | the relation(?:ship)? between A and B
how A and B are related to each other | what are A and B to each other
"""
TRUTH_FORMS: Final = """
is A (?:the|a|an) R of B | is A B's R | is B's R A | is B's R (?:called|named) A | is A a R to B
is it (?:right|true|correct|so) (?:that|to say that) A is (?:the|a|an) R of B
is it (?:right|true|correct|so) that A is B's R
true or false:? A is B's R | true or false:? A is (?:the|a|an) R of B | A is B's R,? true or false
A is (?:the|a|an) R of B,? true or false | does B have a R (?:called|named) A | does B have A as a R
A is B's R,? (?:right|correct|true|yes or no|isn't (?:he|she|it))
A is (?:the|a|an) R of B,? (?:right|correct|yes or no)
does it follow that A is B's R | does it follow that A is the R of B | can one say that A is B's R
can one say that A is the R of B
yes or no:? (?:is )?A (?:is )?B's R | yes or no:? is A the R of B | would you say (?:that )?A is B's R
do you agree that A is B's R
"""
PERSON_FORMS: Final = """
who(?: WHERE)? is B's R | who(?: WHERE)? is the R of B | what is the name of B's R | what is B's R's name
what is B's R called | B's R | the R of B | which SOMEBODY is B's R | which SOMEBODY is the R of B
who is a R of B | B's R is (?:called )?GAP | the R of B is (?:called )?GAP | who is it that is B's R | GAP is B's R
GAP is the R of B | which of (?:them|these)(?: people)? is B's R | which of them is the R of B | who does B call R
whom does B call R | which SOMEBODY WHERE is B's R | which SOMEBODY WHERE is the R of B
which of the (?:(?:two|three|four|five) )?SEVERAL(?: WHERE)? is B's R
which of the (?:(?:two|three|four|five) )?SEVERAL(?: WHERE)? is the R of B
"""
SAID_FIRST: Final = re.compile(
    r"^(?:(?:please|so|now|then|and|question|q|pick one|choose one|tell me|can you tell me|say|state|name|give|explain|"
    r"complete(?: (?:the|this) (?:sentence|line))?|finish (?:this|the sentence|this sentence)|"
    r"fill in (?:the blank|one word|the gap)|"
    r"fill the gap|in (?:one|a) word|work out|find out|answer|based on the (?:story|text)|"
    r"given this|according to the (?:story|text)|in (?:that|this|the) family|select one|which is right|i wonder)"
    r"\b[:,.]?\s*)+"
)
INSTRUCTION: Final = re.compile(
    r"(?i)(?:please\s+)?(?:respond|answer|reply|choose|pick|select|give|write|state|provide|use|your answer)\b"
    r"(?! (?:how|what|the word for|in one word what) )[^?]{0,120}"
)
OPTION: Final = re.compile(r"(?:^|(?<=[\s,;:]))\(?([A-Ha-h]|[1-8])[).:]\s+|(?:^|(?<=[\s,;:]))\(([A-Ha-h]|[1-8])\)\s*")
LISTED: Final = re.compile(r"\b(?:Options|Choices|Choose from|Pick one of|Select one of):\s*([^()?:]+)$", re.IGNORECASE)
NAMED_OPTIONS: Final = re.compile(r"[:,?]\s*((?:[a-z-]+,\s*)*[a-z-]+,?\s+or\s+[a-z-]+)\s*\?$")


TENSES: Final = {"is": "(?:is|was)(?: now)?", "are": "(?:are|were)"}


@cache
def _forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    kin = "|".join(sorted(map(re.escape, STORY_KIN), key=len, reverse=True))
    beyond = "|".join(re.escape(word) for word in BEYOND_WORDS)
    slots = {
        "A": r"(?P<a>@\d+)",
        "B": r"(?P<b>@\d+)",
        "R": rf"(?:(?:older|younger|elder|big|little) )?(?P<r>{kin})",
        "GAP": r"(?:_+|\.\.\.|\[\w*\]|<\w+>|…)",
        "SOMEBODY": r"(?:person|man|woman|boy|girl|lady|gentleman|one|guest|family member)",
        "SEVERAL": r"(?:people|persons|men|women|boys|girls|ladies|gentlemen|guests|children|relatives)",
        "WHERE": r"(?:out there|here|there|in (?:this|the) (?:story|text|family|picture|photo)|of them|"
        r"among (?:them|those present))",
    }
    compiled: list[tuple[str, re.Pattern[str]]] = []
    for kind, forms in (
        ("relation", RELATION_FORMS),
        ("either", EITHER_FORMS),
        ("truth", TRUTH_FORMS),
        ("person", PERSON_FORMS),
    ):
        for form in re.split(r"\s\|\s|\n", forms):
            if form.strip():
                pattern = re.sub(r"(?<!\?:)\b(?:is|are)\b(?!\|)", lambda m: TENSES[m[0]], form.strip())
                pattern = re.sub(r"\b(?:A|B|R|GAP|SOMEBODY|SEVERAL|WHERE)\b", lambda m: slots[m[0]], pattern)
                if kind == "truth":
                    pattern = pattern.replace(f"(?P<r>{kin})", f"(?P<r>{kin}|{beyond})")
                compiled.append((kind, re.compile(pattern)))
    return tuple(compiled)


# ---- kin beyond the 22 relations -----------------------------------------------------------------------------------

# a is so to b if somebody is the first of b, and a the second of that somebody
BEYOND: Final = {
    "cousin": (("parent", "nibling"), ("pibling", "child")),
    "great-grandparent": (("parent", "grandparent"), ("grandparent", "parent")),
    "great-grandchild": (("child", "grandchild"), ("grandchild", "child")),
    "great-pibling": (("parent", "pibling"), ("grandparent", "sibling")),
    "great-nibling": (("nibling", "child"), ("sibling", "grandchild")),
}
BEYOND_WORDS: Final = {
    "cousin": Word("cousin"), "first cousin": Word("cousin"),
    "great-grandfather": Word("great-grandparent", MALE), "great-grandmother": Word("great-grandparent", FEMALE),
    "great-grandparent": Word("great-grandparent"), "great-grandchild": Word("great-grandchild"),
    "great-grandson": Word("great-grandchild", MALE), "great-granddaughter": Word("great-grandchild", FEMALE),
    "great-uncle": Word("great-pibling", MALE), "great-aunt": Word("great-pibling", FEMALE),
    "great-nephew": Word("great-nibling", MALE), "great-niece": Word("great-nibling", FEMALE),
    "grand-uncle": Word("great-pibling", MALE), "grandaunt": Word("great-pibling", FEMALE),
    "grandnephew": Word("great-nibling", MALE), "grandniece": Word("great-nibling", FEMALE),
}  # fmt: skip


# ---- questions -----------------------------------------------------------------------------------------------------


def masked(text: str, people: Collection[str]) -> tuple[str, list[str]]:
    """The text in small letters with people as @0, @1, ..."""
    order: list[str] = []

    def mask(match: re.Match[str]) -> str:
        name = short.get(match[0], match[0])
        if name not in order:
            order.append(name)
        return f"@{order.index(name)}"

    firsts = [name.split()[0] for name in people if name.strip()]
    short = {name.split()[0]: name for name in people if " " in name and firsts.count(name.split()[0]) == 1}
    if people:
        names = "|".join(re.escape(name) for name in sorted({*people, *short}, key=len, reverse=True))
        text = re.sub(rf"(?<!\w)\[?({names})\]?(?!\w)", lambda m: mask(re.match(".*", m[1]) or m), text)
    return " ".join(text.split()).lower(), order


def split_options(question: str) -> tuple[str, dict[str, str]]:
    """The question without its options, and these by letter or number.

    >>> split_options("What is Irina to Dmitri? (A) aunt (B) sister-in-law; (C) niece.")
    ('What is Irina to Dmitri?', {'a': 'aunt', 'b': 'sister-in-law', 'c': 'niece'})
    """
    if listed := LISTED.search(question):
        texts = [each.strip(" .") for each in re.split(r",\s*(?:or\s+)?|;\s*|\s+or\s+", listed[1]) if each.strip(" .")]
        if len(texts) > 1 and "(" not in listed[1]:
            return question[: listed.start()].strip(), dict(zip("abcdefgh", texts))
    if listed := NAMED_OPTIONS.search(question):
        texts = [each.strip() for each in re.split(r",\s*(?:or\s+)?|\s+or\s+", listed[1])]
        if all(each in STORY_KIN or each in BEYOND_WORDS for each in texts):
            return question[: listed.start()].strip(), dict(zip("abcdefgh", texts))
    marks = list(OPTION.finditer(question))
    letters = [(mark[1] or mark[2]).lower() for mark in marks]
    first = next((n for n, letter in enumerate(letters) if letter in ("a", "1")), None)
    if first is None or len(marks) - first < 2:
        return question, {}
    marks, letters = marks[first:], letters[first:]
    wanted = ("abcdefgh" if letters[0] == "a" else "12345678")[: len(letters)]
    if "".join(letters) != wanted:
        return question, {}
    ends = [mark.start() for mark in marks[1:]] + [len(question)]
    texts = [question[mark.end() : end].strip(" ,;.") for mark, end in zip(marks, ends)]
    return question[: marks[0].start()].strip(), dict(zip(letters, texts))


def read_question(text: str, people: Collection[str]) -> KinQuestion:
    """What a question of one sentence asks; NotUnderstood if no form covers it."""
    plain = normalised(text)
    if letter := foreign_letter(plain):
        raise NotUnderstood(f"{letter!r} is no letter of English")
    plain, options = split_options(plain)
    sentence, order = masked(plain, people)
    sentence = re.sub(r"^(what|who)'s\b", r"\1 is", sentence)
    sentence = re.sub(r"@\d+'s (?:[a-z-]+) (?=@\d+ (?:to|is|related)\b)", "", sentence)  # Chen's wife Ling
    sentence = re.sub(r"\bthe [a-z]+, (?=@\d+$)", "", SAID_FIRST.sub("", sentence).strip(" ?.!:\"'"))  # the mayor, Ann
    found: set[tuple[str, str, str, Word | None]] = set()
    for kind, form in _forms():
        if match := form.fullmatch(sentence) or form.fullmatch(sentence + " ___"):
            groups = match.groupdict()
            a = order[int(groups["a"][1:])] if groups.get("a") else ""
            found.add((kind, a, order[int(groups["b"][1:])], _word(groups["r"]) if groups.get("r") else None))
    if len(found) != 1:
        raise NotUnderstood("no form of question covers it" if not found else "it can be understood in two ways")
    kind, a, b, word = found.pop()
    if a == b:
        raise NotUnderstood("the question is about one person, not two")
    return KinQuestion(who=a, of=b, word=word, either_way=kind == "either", options=options)


def is_instruction(sentence: str) -> bool:
    """Does a sentence beside the question only say how to answer?"""
    return INSTRUCTION.fullmatch(sentence.strip()) is not None


# ---- answers -------------------------------------------------------------------------------------------------------

OPEN: Final = re.compile(
    r"(?:none|no relation|not related|unrelated|no(?:t)? (?:kin|relatives?)|"
    r"(?:it )?(?:cannot|can't|can not) be (?:told|said|determined|known)|"
    r"not (?:stated|told|given|known)|unknown|can't tell|cannot tell|not enough information|undetermined|"
    r"they are not related|there is no way to tell|no family relation|not specified|impossible to (?:tell|say))"
)
YES: Final = re.compile(
    r"(?:yes|true|right|correct|yep|yeah|that is right|that's right|it is|it does)"
    r"(?:,? (?:he|she|it|that) is| of course)?"
)
NO: Final = re.compile(
    r"(?:no|false|wrong|incorrect|nope|not true|not right|it is not|it isn't)"
    r"(?:,? (?:he|she|it|that) (?:isn't|is not|'s not))?"
)


EACH_OTHER: Final = re.compile(r"(?:they (?:are|were) )?(cousin|brother|sister|sibling)s")


def read_answer(text: str, asked: KinQuestion, people: Collection[str]) -> StatedAnswer:
    """What an answer says; NotUnderstood if it is no answer to the question.

    >>> asked = KinQuestion(who="Tom", of="Ann", options={"a": "aunt", "b": "uncle"})
    >>> {read_answer(each, asked, {"Tom", "Ann"}).word for each in ("(B)", "her uncle", "He is her uncle.")}
    {Word(relation='pibling', gender='male')}
    """
    plain = normalised(text).strip(" .!\"'`*")
    if letter := re.fullmatch(r"\(?([A-Ha-h]|[1-8])[).:]?", plain):
        if letter[1].lower() not in asked.options:
            raise NotUnderstood(f"{text[:40]!r} is none of the options")
        plain = asked.options[letter[1].lower()]
    elif with_letter := re.fullmatch(r"\(?([A-Ha-h]|[1-8])[).:]\s*(.+)", plain):
        if asked.options.get(with_letter[1].lower(), "").lower() != with_letter[2].lower():
            raise NotUnderstood(f"{text[:40]!r} is none of the options")
        plain = with_letter[2]
    sentence, order = masked(plain, people)
    sentence = re.sub(r"\b(s?he|it|that)'s\b", r"\1 is", sentence.strip(" .!?"))
    if OPEN.fullmatch(sentence):
        return StatedAnswer(open=True)
    if asked.word is not None and asked.who:
        return _truth(sentence, text)
    if asked.word is not None:
        return _person(sentence, order, text)
    return _relation(sentence, order, asked, text)


def _truth(sentence: str, text: str) -> StatedAnswer:
    first = sentence.partition(",")[0].strip()
    if YES.fullmatch(sentence) or YES.fullmatch(first):
        return StatedAnswer(truth=True)
    if NO.fullmatch(sentence) or NO.fullmatch(first):
        return StatedAnswer(truth=False)
    raise NotUnderstood(f"{text[:40]!r} is neither yes nor no")


def _person(sentence: str, order: list[str], text: str) -> StatedAnswer:
    if re.fullmatch(r"(?:it is |it's |that is |that's |the answer is )?@0(?: is)?", sentence):
        return StatedAnswer(person=order[0])
    if match := re.fullmatch(r"(@\d+) is (?:@\d+'s [\w-]+|the [\w-]+ of @\d+)", sentence):
        return StatedAnswer(person=order[int(match[1][1:])])
    raise NotUnderstood(f"{text[:40]!r} names nobody of the story")


def _relation(sentence: str, order: list[str], asked: KinQuestion, text: str) -> StatedAnswer:
    kin = r"(?P<r>[\w-]+)"
    age = r"(?:(?:older|younger|elder|big|little|twin) )?"
    said = re.fullmatch(
        rf"(?P<x>@\d+) (?:is|was) (?:(?P<y>@\d+)'s {age}{kin}|"
        rf"(?:the|a|an) {age}{kin.replace('r>', 's>')} (?:of|to) (?P<z>@\d+))",
        sentence,
    )
    if said:
        word = _word(said["r"] or said["s"])
        x, y = order[int(said["x"][1:])], order[int((said["y"] or said["z"])[1:])]
        if word is None or {x, y} != {asked.who, asked.of}:
            raise NotUnderstood(f"the answer {text[:40]!r} is no word of kinship")
        return StatedAnswer(word=word, pair=(x, y))
    sentence = re.sub(r"\bgreat (?=grand|aunt|uncle|niece|nephew)", "great-", sentence)
    if asked.either_way and (each_other := EACH_OTHER.fullmatch(sentence)):
        sentence = each_other[1]
    short = re.fullmatch(
        rf"(?:(?:s?he|it|they|@\d+) (?:is|was|are|'s) )?"
        rf"(?:(?:the|an?|his|her|their|@\d+'s) )?{age}{kin}(?: (?:of|to) (?P<z>@\d+|him|her))?",
        sentence,
    )
    word = _word(short["r"]) if short else None
    if word is None:
        raise NotUnderstood(f"the answer {text[:40]!r} is no word of kinship")
    mentioned = {order[int(each[1:])] for each in re.findall(r"@\d+", sentence)}
    if asked.of not in mentioned and mentioned - {asked.who}:
        raise NotUnderstood(f"the answer {text[:40]!r} speaks of somebody else")
    if asked.either_way and word.relation not in ("sibling", "spouse", "sibling-in-law", "cousin"):
        raise NotUnderstood("the question does not tell who is what of whom")
    return StatedAnswer(word=word, pair=(asked.who, asked.of))


def _word(text: str) -> Word | None:
    """A word of the 22 relations, or of those beyond."""
    kin = STORY_KIN.get(text)
    if kin is None and text in BEYOND_WORDS:
        return BEYOND_WORDS[text]
    return None if kin is None or kin.plural else Word(kin.neutral, kin.gender)
