"""Items by number, each as a question, and the reward of a reply.

reward = answer * (1 - s + s * steps)

`answer` is the score of the answer that was read (1 right, 0 wrong or unread). `steps` is the share of the statements,
including thoughts but no sentences of the question, that lead to the answer (`process_reward`); s is `steps_weight`.

An answer gets a reward if the reply asserts it as final: in <answer> tags, in a box, on a line `Answer: ...` that no
other text changes, as a last sentence such as "So it is the aunt", or as the whole reply (`attacks.py`).
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from string import ascii_lowercase
from typing import Any, Final

from msgspec.structs import replace

from proband import suites
from proband.core.errors import ProbandError
from proband.core.metrics import accuracy_of, chosen_answer
from proband.core.plugins import declared, read_options
from proband.core.progress import log
from proband.core.suite import Suite
from proband.core.types import Item
from proband.pipeline.steps import check_reply
from proband.pipeline.vary import marked
from proband.proof.discourse import TAKEN_BACK, pattern, sentences
from proband.proof.statements import WRONG
from proband.solvers.replies import BOXED, TAGGED, without_thoughts

KEPT: Final = 4096  # items that are not made again
FEWEST: Final = 3  # words: a shorter text does not repeat the question
LEAD: Final = 400  # characters before an answer that may change it
TRIES: Final = 50  # items tried for one that has the wanted variation
FAR: Final = 1 << 40  # from one number to the next that is tried
THOUGHT: Final = re.compile(r"(?i)</?think(?:ing)?>")
QUOTED: Final = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)|^[ \t]*>[^\n]*$")  # code and quotations
BLANK: Final = re.compile(r"(?m)(?:^|(?<=[.:] ))([^.:\n]+) is the ___ of ([^.\n]+)\.")  # in items of any suite
SO: Final = (
    r"(?:(?:and )?(?:so|thus|therefore|hence|the result is)|finally|(?:in )?(?:conclusion|summary|short)|clearly|"
    r"certainly|consequently|accordingly|overall|as a result|it follows|(?:I|we) (?:can )?(?:conclude|get|find)|"
    r"this (?:gives|means|makes)|putting it (?:all )?together|(?:there is no|without) (?:any )?doubt|"
    r"I am (?:sure|certain)|(?:based on|from) the (?:story|text|facts|information)(?: given)?)\b(?: that\b)?"
)
NOUN: Final = (
    r"(?:here is |and )?(?:the |my )?(?:(?:final|right|correct|missing|family) )?"
    r"(?:answer|choice|option|relation(?:ship)?|word|solution|result)(?: (?:that|which) fills (?:in )?the blank)?"
)
IS: Final = (
    r"(?: (?:is(?: that)?|must be|can only be|cannot be anything (?:but|other than))\b|[\"*_]*:|\Z|(?= cannot be ))"
)
ARTICLE: Final = re.compile(r"(?i)^(?:the|an?|his|her|my|their|option|choice) (?=\S)")
EDGES: Final = " \t\r\n*_`\"'“”„‘’()[]{}.!,;:$\\✅✔"


@dataclass(frozen=True, kw_only=True)
class Reward:
    """`total` is the reward; its parts are 0 to 1. `final_answer`: the answer that was read, if any."""

    total: float
    answer: float
    final_answer: str
    steps: float | None = None  # None: not read


class Stream:
    """Items of a suite, endless and seeded: number n is made without those before it. A suite without a stream
    of its own gives the train split of a build in a seeded order, round after round. `variation`: one of the suite's,
    of every item. `options` are those of `proband build SUITE`."""

    def __init__(
        self, suite: str = "", *, seed: int = 0, variation: str = "", think: bool = False,
        steps_weight: float = 0.0, **options: Any,
    ) -> None:  # fmt: skip
        self.suite: Suite = suites.suite(suite) if suite else next(s for s in suites.importable() if s.stream)
        self.seed, self.think, self.steps_weight = seed, think, steps_weight
        if not 0 <= steps_weight <= 1:
            raise ProbandError("'steps_weight' must be between 0 and 1")
        if steps_weight and not self.suite.audit:
            raise ProbandError(f"items of suite {self.suite.name!r} have no prover: their steps cannot be rewarded")
        self.variation = self.suite.variation(variation) if variation else None
        asking = next((solver.asking for solver in self.suite.solvers if solver.asking), None)
        if asking is None:
            raise ProbandError(f"{self.suite.name} has no questions in words, so its replies cannot be rewarded")
        self.asking = asking
        self.prompt = asking.prompt(self.suite.solver("generate").options())
        made: Any = read_options(self.suite.options, options, of=self.suite.name)
        at = declared(self.suite.stream)(made, seed=seed) if self.suite.stream else self._from_files(made)
        self.at: Callable[[int], Item] = lru_cache(maxsize=KEPT)(at)

    def _from_files(self, options: Any) -> Callable[[int], Item]:
        built = list(self.suite.build(options, seed=self.seed).items)
        if not built:
            raise ProbandError(f"{self.suite.name} has no items with these options")
        items = [item for item in built if item.split == "train"] or built
        if items[0].split != "train":
            log(f"{self.suite.name}: these items have no train split; a model trained on them cannot be tested on them")

        def at(number: int) -> Item:
            turn, place = divmod(number, len(items))
            order = items.copy()
            random.Random(f"{self.seed} {turn}").shuffle(order)
            return order[place]

        return at

    def __getitem__(self, number: int) -> Item:
        if number < 0:
            raise IndexError("a stream begins with item 0 and has no end")
        if not self.variation:
            return self.at(number)
        for tried in range(TRIES):
            item = self.at(number + tried * FAR)
            draw = random.Random(f"{self.seed} {self.variation.name} {item.id}")
            varied = self.variation.make(item, rng=draw, folder=Path())
            if not isinstance(varied, str):
                named = replace(varied, id=f"{item.id}~{self.variation.name}")
                return marked(named, item, name=self.variation.name, effect=self.variation.effect)
        raise ProbandError(f"no item can be varied as {self.variation.name!r}: {varied}")

    def question(self, item: Item) -> str:
        return str(self.asking.message(item, (), prompt=self.prompt, think=self.think, chat=True))

    def answer(self, item: Item) -> str:
        """The right answer, as a worked example shows it."""
        return str(self.asking.answer(item))

    def reward(self, item: Item, reply: str | None) -> Reward:
        asked = self.question(item)
        reply = re.sub("[\u2010\u2212]", "-", unicodedata.normalize("NFKC", reply or ""))
        text = _without(without_thoughts(reply), asked, item.prompt)
        known = item.choices or tuple(map(str, item.facts.get("answers", ())))  # accepted answers of an open question
        final = asserted(text, item.choices, prompt=item.prompt) if known else text
        read = self.asking.read(item, final, asked) if final else None
        final_answer = "" if read is None or read.status else chosen_answer(item, read) or final
        bare = (final_answer,) if item.choices else known
        if read is None or not final_answer or (bare and not any(is_bare(final, each) for each in bare)):
            return Reward(total=0.0, answer=0.0, final_answer="")
        right = (accuracy_of(item, read) if item.gold is not None else self.suite.metric().value(item, read)) or 0.0
        own = _without(THOUGHT.sub("\n", reply), asked, item.prompt) if self.steps_weight else ""
        steps = process_reward(item, own, answer=final_answer) if self.steps_weight else None
        total = right * (1 - self.steps_weight * (1 - (steps or 0.0)))
        return Reward(total=total, answer=right, final_answer=final_answer, steps=steps)

    def validate(self, item: Item) -> str:
        """What is wrong with an item's certificate, replayed from its text; nothing if it holds."""
        if self.suite.verify is None:
            return f"items of suite {self.suite.name!r} carry no certificates"
        verified = self.suite.verify(item, {})
        return verified.problem or verified.uncertified or ""

    def row(self, number: int) -> Mapping[str, Any]:
        """An item in the form of other tools: text in, text out, and its identity."""
        item = self[number]
        return {"index": number, "id": item.id, "question": self.question(item), "answer": self.answer(item)}


shared_stream = cache(Stream)  # made once for its options: tools that score an entry know them alone


def _without(reply: str, *texts: str) -> str:
    """A reply without a question that it gives back, whatever its spaces and case, whole or sentence by sentence."""
    spoken = _words(reply) if len(reply.split()) > FEWEST else ""
    for part in (part for text in texts if spoken for part in (text, *re.split(r"(?<=[.?:])\s+", text))):
        words = re.findall(r"\w+", part)
        if len(words) > FEWEST and _words(part) in spoken:  # the pattern costs more than the rest together
            reply = re.sub(r"(?i)\b" + r"\W+".join(words) + r"\b", " ", reply)
    return reply


def _words(text: str) -> str:
    return " ".join(["", *re.findall(r"\w+", text.lower()), ""])


@lru_cache(maxsize=KEPT)
def _introductions(prompt: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What may introduce an answer ("The answer is", "It is", the possessive of the question), and the blank filled."""
    blank = BLANK.search(prompt)
    b, a = map(re.escape, blank.groups()) if blank else ("(?!)", "(?!)")
    theirs = rf"[*_]{{0,3}}(?-i:{a}['’]s)"
    firm = rf"(?P<firm>{SO}|(?P<named>{NOUN}{IS})|(?-i:{b}) (?:is |must be )?{theirs})"
    weak = rf"(?:it|this|that|he|she)(?:{IS}|['’]s)|{theirs}"
    introduced = re.compile(rf"(?i)^[{re.escape(EDGES)}]*(?:(?:{firm}|{weak})[,:]? ?)+")
    return introduced, re.compile(rf"\b({b}) ((?:is |must be )?)(?:the|an?) [*_]*([\w-]+)[*_]* of ({a})\b")


def asserted(text: str, choices: Sequence[str], *, prompt: str = "") -> str:
    """What a reply asserts as its final answer; nothing where it asserts none, or two.

    >>> words = ["aunt", "uncle"]
    >>> [asserted(t, words) for t in ("<answer>aunt</answer>", "Uncle? No.\\nAnswer: aunt", "So it is the aunt.")]
    ['aunt', 'aunt', 'the aunt']
    >>> [asserted(t, words) for t in ("Answer: aunt. Actually no, uncle.", "<answer>aunt</answer> Sorry.", "aunt? No.")]
    ['aunt. Actually no, uncle', '', '']
    """
    introduced, filled = _introductions(prompt)
    whole = text = pattern("courtesy").sub("", filled.sub(r"\1 \2\4's \3", QUOTED.sub("…", text)).strip())
    names = re.compile(
        rf"(?i)\b(?:{'|'.join(map(re.escape, choices or ['answer']))}|answers|following|next|below)\b|\w$"
    )
    again = [e.end for e in sentences(text) if (e.kind == TAKEN_BACK or e.reconsiders) and not names.search(e.text)]
    meant = not pattern("turns_round").search(whole)
    text = next((text[end:] for end in reversed(again) if text[end:].strip(EDGES)), text) if meant else ""
    forms = [match for form in (TAGGED, BOXED) for match in form.finditer(text)]
    lines = pattern("answer_after").finditer(text)
    forms += [line for line in lines if not any(line.start() <= m.start() < line.end() for m in forms)]
    if forms:
        answers = {introduced.sub("", match[1]).strip() for match in forms}
        behind = text[max(match.end() for match in forms) :].strip(EDGES)
        away = any(_leads_away(text[max(0, match.start() - LEAD) : match.start()], introduced) for match in forms)
        one = len(set(map(plain_answer, answers))) == 1
        return min(answers).rstrip(EDGES) if one and not behind and not away else ""
    *before, last = pattern("sentence_end").split(text)
    lead, final_answer = introduced.match(last), introduced.sub("", last)
    bare = {*map(plain_answer, choices), *ascii_lowercase} - {plain_answer(final_answer)}
    rivals = bare.intersection(plain_answer(introduced.sub("", each)) for each in before)
    named = [plain_answer(each[m.end() :]) for each in before if (m := introduced.match(each)) and m["named"]]
    rivals |= {word for word in bare if any(f"{each} ".startswith(f"{word} ") for each in named)}
    rivals |= set(() if choices else named) - {plain_answer(final_answer)}
    alone = text is whole and not _words("".join(before)).strip()
    asked = last.endswith("?") or any(each.endswith("?") or pattern("unfinished").search(each) for each in before[-1:])
    return "" if rivals or asked or not (alone or (lead and lead["firm"])) else final_answer.rstrip(EDGES).lstrip()


def _leads_away(before: str, introduced: re.Pattern[str]) -> bool:
    """Does the text before a form change it: as the beginning of its sentence, or as an unfinished line before it?"""
    before = before.rstrip() if pattern("unfinished").search(before) else before
    lead = pattern("sentence_end").split(before)[-1].strip(EDGES)
    return bool(lead) and not introduced.fullmatch(lead)


def is_bare(answer: str, choice: str) -> bool:
    """Is the answer nothing but a choice: its words, a letter, a letter with its words, or one other word for it?

    >>> [is_bare(text, "aunt") for text in ("the aunt", "B", "B) aunt", "auntie", "former aunt", "!aunt", "aunt ❌")]
    [True, True, True, True, False, False, False]
    """
    answer = re.sub(r"^- (?=[^\W\d]{2})", "", answer)  # a line of a list
    own, words = plain_answer(answer).split(), plain_answer(choice).split()
    lettered = own[1:] if re.match(r"\W*[a-zA-Z][*]*[).:\]]", answer) else own
    strange = set(re.sub(r"(?<=\w)-(?=\w)|[\w\s]", "", answer)) - set(EDGES + choice)  # a tick, a tilde
    denied = bool(strange) or "[ ]" in answer or (answer[:1] in ("!", "-") and not choice.startswith(answer[:1]))
    return not denied and (own == words or lettered == words or (len(own) == 1 and not own[0][-1].isdigit()))


def plain_answer(text: str) -> str:
    """
    >>> plain_answer(" **The** Sister-in-Law. "), plain_answer("-0.5!")
    ('sister in law', '-0.5')
    """
    words = ARTICLE.sub("", re.sub(r"[*_`]|(?<=\d),(?=\d{3})", "", text).lstrip(EDGES.replace(".", ""))).lower()
    return " ".join(re.findall(r"(?<!\S)-?(?:\d*\.)?\d+(?!\w)|[^\W_]+", words))


def process_reward(item: Item, reply: str, *, answer: str = "") -> float:
    """A reward for the steps of a reply: used / (used + missing + wrong + unread) of its statements, which
    `proband.check_reply` lists. `answer`: as it was read, where that is known apart from the reply.

    `used` are the statements from which the answer follows, or, where it does not follow from them, those that state
    facts of the story which it needs; `missing` are such facts that no statement has. Withdrawn ones do not count.
    """
    checked = check_reply(item, reply, answer=answer)
    wrong = len({statement.fact[:5] for statement in checked.statements if statement.verdict in WRONG})
    whole = checked.used + len(checked.missing) + wrong + checked.unread
    return checked.used / whole if whole else 0.0
