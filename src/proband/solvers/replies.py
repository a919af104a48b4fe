r"""Find the choice that a reply in words means: "The answer is aunt.", "**Aunt**", "B) aunt", "Answer: (B)".

A reply is read by the first rule that applies; it must give one choice, with all letters of the sentence, or is unread:

1. the whole reply, \boxed{...}, or the last <answer>...</answer>
2. the text after the last "answer is", "answer:" or "final answer" that is not denied
3. the only choice in bold, or a first or last line that is only a choice; two lines that begin with different letters
   repeat the choices and are no answer
4. the text after the last "so", "therefore", "thus", "hence"
5. the letter that it begins with
6. the only choice that it names, by a name or a letter by itself, unless it is denied ("not the aunt"); "A" and "I" are
   words unless they are marked as letters

What rules 3 to 6 give is no answer if the reply calls it wrong ("B is wrong"), unless the question asks for that.
Thoughts (of most models, Mistral's and Gemma's) are not part of the reply. Only the last LONGEST characters count,
because models that loop write very long replies; reading takes time proportional to the length of the reply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from string import ascii_uppercase as LETTERS

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item

THOUGHT = re.compile(  # <think> of most models, [THINK] of Mistral's, the channel of Gemma's
    r"(?is)<(think|thinking|thought|reasoning)>.*?(</\1>|\Z)|\[think\].*?(\[/think\]|\Z)"
    r"|<\|channel>thought.*?(<channel\|>|\Z)"
)
THOUGHT_END = re.compile(  # a thought that began in the prompt, or contains another one
    r"\A.*(?:</(?:think|thinking|thought|reasoning)>|\[/think\]|<channel\|>)", re.DOTALL | re.IGNORECASE
)
ANSWER = re.compile(
    r"(?i)\b(?<!wrong )(?<!incorrect )(?:answer|choice|option|solution|relation(?:ship)?)\b[*_`\"”’)]*"
    r"(?:[^.\n:=]{0,60}?\b(?:is|are|was|be|would be|should be|must be)\b[*_`\s:]*|\s*[*_`]*\s*[:=][*_`\s]*)"
)
CONCLUSION = re.compile(r"\b(?:so|therefore|thus|hence|consequently|i\.e\.|which makes|in conclusion|meaning)\b", re.I)
BOXED = re.compile(r"\\boxed\{\s*(?:\\(?:text|math)[a-z]*\{)?([^{}]*)\}?\s*\}")
TAGGED = re.compile(r"<answer>([^<]{0,400})</answer>", re.IGNORECASE)
BOLD = re.compile(r"\*\*([^*\n]+?)\*\*|__([^_\n]+?)__")
DENIED = re.compile(
    r"(?i)(?:\b(?:not|neither|nor|cannot|never|than|without|anything but|all but|except|except for)|n['’]t"
    r"|\b(?<!not )(?<!n['’]t )(?:wrong|mistake|rash|tempted) to)"
    r"(?: (?:say|think|believe|choose|pick|go with|that|be|a|an|the|his|her|its|their))*\W*$"
)
FOLLOWS = r"(?:is|because|since|while|not|over|rather|and|or|but)\b"  # what may follow the letter A of a choice
LETTER = re.compile(  # not the words in "A relative", "I refuse", "I don't know"
    rf"[\s*_`\"'“(\[]*(?:(?:[Oo]ption|[Cc]hoice|[Ll]etter)\s+[*(]*|(?![AI]\s+(?!{FOLLOWS})[a-z]))"
    rf"([A-Z])(?![\w'’])(?!\s+(?!{FOLLOWS})[a-z'’]+\s+[a-z])"
)
LONE_LETTER = re.compile(  # marked as (B), *B*, "option B", or a capital by itself
    r"[(\[*]([A-Z])[)\]*.]|(?<!\w)(?i:choice|option|letter|I['’]d go with|I choose|I pick)[\s*_`\"'“(\[]{1,9}"
    r"([A-Z])(?![\w'’])|(?<![\w'’])([A-Z])(?![\w'’])"
)
ENDED_LETTER = re.compile(
    r"[\s*_`\"'“(\[,:]*(?:(?:option|choice|letter)\s+[*(]*)?(?!I,)([A-Z])[*_`\"'”)\]]*\s*(?:[.,;:!)\n]|$)"
)
WRONG = re.compile(r"(?:wrong|incorrect|not (?:the )?(?:right|correct)(?! of\b))\b")
CALLED_WRONG = re.compile(rf"(?:\W{{0,3}} (?:is|was|must be)(?: \w+ly)? | ?[:–—-] ?){WRONG.pattern}")
WRONG_ONE = re.compile(r"\b(?:wrong|incorrect) (?:answer|choice|option) (?:is|was)\W{1,3}$")
ASKS_FOR_WRONG = re.compile(r"(?i)\b(?:wrong|incorrect|false|not|except|mistake|error|misspel)|n['’]t\b")  # a question
CORRECTED = re.compile(r"(?i)\b(?:actually|wait|scratch that|correction|i meant?|i take it back|just kidding)\b")
SIGN = re.compile(r"(?<![\w).])(?:−\s*|[–—]|(?i:minus|negative)\s+)(?=[.\d])")
LONGEST = 100_000  # characters of a reply that are read, counted from its end
STATEMENT = 400  # characters of a statement of an answer
BEFORE = 80  # characters before a name in which a denial is looked for
EDGES = " \t\r\n*_`\"'“”„‘’().:;,!?[]{}<>#-–—|"
LEADING = re.compile(rf"\A(?:(?!-?\.?\d)[{re.escape(EDGES)}])+")


def without_thoughts(reply: str) -> str:
    """
    >>> without_thoughts("<think>uncle? no, aunt</think>\\nAunt"), without_thoughts("<think>hm, never ends")
    ('Aunt', '')
    """
    return THOUGHT_END.sub("", THOUGHT.sub("", reply)).strip()[-LONGEST:]


@dataclass(frozen=True)
class Choices:
    """The choices of a reply: (name in lower case, place) for each way to write a choice, and the places of the choices
    behind the letters A, B, ... of the prompt (empty if it shows no letters). `not_before` and `not_after`: patterns
    that make a name another word (great-aunt, aunt's)."""

    names: tuple[tuple[str, int], ...]
    letters: tuple[int, ...] = ()
    not_before: str = ""
    not_after: str = ""

    def read(self, reply: str, *, asks_for_wrong: bool = False) -> int | None:
        """The choice that a reply means, or None. `asks_for_wrong`: a choice that it calls wrong may be the answer.

        >>> choices = Choices((("aunt", 0), ("niece", 1)), letters=(0, 1))
        >>> [choices.read(r) for r in ("B", "Answer: (B)", "**Aunt**", "A) aunt", "aunt or niece", "No idea.")]
        [1, 1, 0, 0, None, None]
        >>> Choices((("aunt", 0), ("niece", 1)), letters=(1, 0)).read("Therefore B")
        0
        """
        text = without_thoughts(reply)
        stated = (self._bare, self._boxed, self._tagged, self._stated)
        for rule in (*stated, self._listed, self._marked, self._concluded, self._begins, self._named):
            if (result := rule(text)) is not None:
                denied = rule not in stated and not asks_for_wrong and self._calls_wrong(result, text)
                return None if result < 0 or denied else result
        return None

    # ---- the rules: each returns a place, -1 for a contradiction, or None to continue ----

    def _boxed(self, text: str) -> int | None:
        results = BOXED.findall(text)
        return self._bare(results[-1]) if results else None

    def _tagged(self, text: str) -> int | None:
        """The choice in the tag; a contradiction unless the tag has exactly one choice."""
        results = TAGGED.findall(text)
        if not results:
            return None
        place, named = self._bare(results[-1]), set(self.mentions(results[-1]))
        return place if place is not None else named.pop() if len(named) == 1 else -1

    def _stated(self, text: str) -> int | None:
        """The last statement of an answer that names a choice; one that names two is a contradiction."""
        for each in reversed(list(ANSWER.finditer(text))):
            before = re.split(r"[.!?:\n]", text[max(0, each.start() - BEFORE) : each.start()])[-1]
            follows = text[each.end() : each.end() + STATEMENT].lstrip()
            wrong = WRONG.match(follows)
            if DENIED.search(before) or DENIED.search(text, *each.span()) or (wrong and self._bare(wrong[0]) is None):
                continue
            rest = re.split(r"(?<=[a-z\d)\]*\"'])[.;!](?:\s|$)|\n", follows, maxsplit=1)[0]
            named = {*self.mentions(rest), *self._letters(rest)}
            if named:
                late = text[end.end() :] if (end := CORRECTED.search(text, each.end())) else ""
                named |= {*self.mentions(late), *self._lone_letters(late)}
                return named.pop() if len(named) == 1 else -1
        return None

    def _listed(self, text: str) -> int | None:
        """A list of choices, each behind its letter, is no answer."""
        letters = set(re.findall(r"^[^\w\n]*([A-Z])[).:]", text, re.MULTILINE)) & set(LETTERS[: len(self.letters)])
        return -1 if len(letters) > 1 else None

    def _marked(self, text: str) -> int | None:
        bold = {place: each for each in BOLD.finditer(text) if (place := self._bare(each[1] or each[2])) is not None}
        if len(bold) == 1:
            ((place, last),) = bold.items()
            return place if {place} >= self._letters(text[last.start() : last.end() + STATEMENT]) else -1
        lines = [line for line in text.splitlines() if line.strip(EDGES)]
        ends = {place for line in (lines[:1] + lines[-1:]) if (place := self._bare(line)) is not None}
        return ends.pop() if len(ends) == 1 else -1 if ends else None

    def _concluded(self, text: str) -> int | None:
        *before, rest = CONCLUSION.split(text)
        if not before:
            return None
        letter, named = ENDED_LETTER.match(rest), self.mentions(rest)
        place = self._place(letter[1]) if letter else None
        return _only(named if place is None else [place, *named, *self._letters(rest)])

    def _begins(self, text: str) -> int | None:
        """`B) aunt because ...`: the letter, unless what follows it on the line is another choice."""
        marked = r"[\s*_`\"'(\[]*(?:[A-Za-z][*_`]*[).:\]]|(?:Option|Choice)\s+[*(]*[A-Z]\b[*)]*\s*(?:[.:,;\n]|$))"
        if not self.letters or not re.match(marked, text):
            return None
        letter, named = self._letter(text), set(self.mentions(text.splitlines()[0]))
        if letter is None:
            return None
        return letter if {letter} >= self._letters(text) and (not named or letter in named) else -1

    # ---- letters and names ----

    def _bare(self, text: str) -> int | None:
        """The choice of a text that is only a letter, a choice, or both."""
        plain, by_name = _spaced(trimmed(text)), dict(self.names)
        if plain in by_name:
            return by_name[plain]
        plain = re.sub(r"^(?:option|choice|letter) (?=[a-z]\b)", "", plain)
        if len(plain) == 1:
            return self._place(plain)
        if pair := re.fullmatch(r"([a-z])\W+?(?=\w|-?\.?\d)(.+)", plain):
            place, named = self._place(pair[1]), by_name.get(trimmed(pair[2]))
            if named is not None and place is not None:
                return place if named == place else -1
        return None

    def _place(self, letter: str) -> int | None:
        """The choice behind a letter."""
        at = LETTERS.find(letter.upper())
        return self.letters[at] if 0 <= at < len(self.letters) else None

    def _letter(self, text: str) -> int | None:
        """The letter that a text begins with."""
        result = LETTER.match(text) or re.match(r"[\s*_`\"'“]*[(\[]?([a-z])[)\]](?!\w)", text)
        return self._place(result[1]) if result else None

    def _letters(self, text: str) -> set[int]:
        """The choices whose letters the first sentence of a text has, if it begins with a letter or has several."""
        first = re.split(r"(?<!\.)[.!](?:\s|$)|\n", text.lstrip(), maxsplit=1)[0]
        letter, others = self._letter(first), set(self._lone_letters(first))
        return {letter, *others} if letter is not None else others if len(others) > 1 else set()

    def _lone_letters(self, text: str) -> list[int]:
        """The choices whose letters occur by themselves in a text and are not denied. A bare "A" or "I" counts only
        next to other letters ("A or C"), where it makes the answer ambiguous."""
        sure = {
            match[1] or match[2] or match[3]
            for match in LONE_LETTER.finditer(text)
            if (match[3] or "") not in ("A", "I")
            and not DENIED.search(text, max(0, match.start() - BEFORE), match.start())
        }
        listed = set(re.findall(rf"(?<![\w’'])([AI])(?=\s{{0,9}}(?:{FOLLOWS}|[,;./&+>→–-]|$|[A-Z]\b))", text))
        letters = sure | listed if sure else set()
        return [place for letter in sorted(letters) if (place := self._place(letter)) is not None]

    def mentions(self, text: str) -> list[int]:
        """The choices that a text names and does not deny, in order; the longest name at each place."""
        plain, pattern = _spaced(text), _pattern(tuple(n for n, _ in self.names), self.not_before, self.not_after)
        by_name = dict(self.names)
        return [
            by_name[m[0]]
            for m in pattern.finditer(plain)
            if not DENIED.search(plain, max(0, m.start() - BEFORE), m.start())
        ]

    def _named(self, text: str) -> int | None:
        return _only([*self.mentions(text), *self._lone_letters(text)])

    def _calls_wrong(self, place: int, text: str) -> bool:
        """Does a text call this choice wrong ("option B is wrong", "B: incorrect", "the wrong answer is B")?"""
        letters = ((LETTERS[at].lower(), own) for at, own in enumerate(self.letters) if LETTERS[at] != "I")
        plain, place_of = _spaced(text), dict([*letters, *self.names])
        named = (
            _pattern(tuple(place_of), self.not_before, self.not_after).finditer(plain) if WRONG.search(plain) else ()
        )
        spans = [each.span() for each in named if place_of[each[0]] == place]
        return any(CALLED_WRONG.match(plain, end) or WRONG_ONE.search(plain, 0, begin) for begin, end in spans)


@cache
def _pattern(names: Sequence[str], not_before: str, not_after: str) -> re.Pattern[str]:
    """A pattern for any of the names as separate words, longer names first. A number is no part of another number."""
    listed = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    before = rf"(?<!\w)(?<!\w-)(?:(?!-?\.?\d)|(?<![./-])(?<!\d[+,:])){not_before}"
    more = r"[.,:]?\d|\s?[%/^]|\s(?:hundred|thousand|million|billion|trillion|percent|per cent)\b"
    return re.compile(rf"{before}(?:{listed})(?!\w|-\w)(?:(?<!\d)|(?!{more})){not_after}")


def _spaced(text: str) -> str:
    """In lower case, with single spaces, without Markdown.

    >>> _spaced("The  **Sister‑in law**")
    'the sister-in law'
    """
    plain = re.sub(r"___+", "___", text)
    plain = re.sub(r"[*`]|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)", "", plain)
    return " ".join(re.sub(r"[‐‑‒−]", "-", SIGN.sub("-", plain)).replace("’", "'").casefold().split())


def trimmed(text: str) -> str:
    """Without the marks around it; the sign or the point of a number (-5, .5) is none, nor is the one behind C#."""
    return LEADING.sub("", SIGN.sub("-", text).rstrip(EDGES.replace("#", "")))


def _only(results: Sequence[int]) -> int | None:
    return results[0] if len(set(results)) == 1 else None


def letters_shown(sent: str, choices: Sequence[str]) -> tuple[int, ...]:
    """The places of the choices behind the letters A, B, ... in a prompt, if it shows letters for all of them. A prompt
    with worked examples shows letters more than once: the last ones are those of the question.

    >>> letters_shown("A) niece\\nB) aunt", ["aunt", "niece"]), letters_shown("aunt or niece?", ["aunt", "niece"])
    ((1, 0), ())
    """
    if not 1 <= len(choices) <= len(LETTERS):
        return ()
    listed = "|".join(re.escape(choice) for choice in sorted(choices, key=len, reverse=True))
    shown = dict(re.findall(rf"(?<!\w)([A-Z])[).:\]]\s*({listed})", sent))
    order = [shown.get(letter) for letter in LETTERS[: len(choices)]]
    return tuple(choices.index(choice) for choice in order if choice) if set(order) == set(choices) else ()


def names_of(choices: Sequence[str], also: Mapping[str, str] | None = None) -> tuple[tuple[str, int], ...]:
    """Every choice by its own text and by other names (`also`: other name -> choice).

    >>> names_of(["Mother", "son"], {"mom": "mother", "dad": "father"})
    (('mother', 0), ('son', 1), ('mom', 0))
    """
    own = {_spaced(trimmed(choice) or choice): place for place, choice in enumerate(choices)}
    if len(own) < len(choices):
        raise ProbandError(f"two of the choices are the same in a reply: {', '.join(choices)}")
    more = {re.sub(r"(?<=[^\W\d])-(?=[^\W\d])", " ", name): place for name, place in own.items()}  # upper left
    more |= {_spaced(name): own[choice] for name, choice in (also or {}).items() if choice in own}
    return (*own.items(), *((name, place) for name, place in more.items() if name not in own))


def read_choice(item: Item, reply: str, sent: str, choices: Choices | None = None) -> Answer:
    """The answer in a reply: 1 for its choice; `unread` if it has none. `choices`: where they have other names, too.

    >>> item = Item(id="a", suite="s", prompt="?", choices=("red", "blue"))
    >>> read_choice(item, "Therefore B", "A. blue\\nB. red").scores, read_choice(item, "Red or blue", "").status
    ((1.0, 0.0), 'unread')
    """
    choices = choices or Choices(names_of(item.choices), letters=letters_shown(sent, item.choices))
    asked = f"{item.prompt.rpartition(chr(10))[2]} {item.choices}"
    if (place := choices.read(reply, asks_for_wrong=bool(ASKS_FOR_WRONG.search(asked)))) is None:
        return Answer(item_id=item.id, text=reply, status="unread")
    return Answer(item_id=item.id, text=reply, scores=tuple(float(i == place) for i in range(len(item.choices))))
