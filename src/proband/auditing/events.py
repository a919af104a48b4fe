"""Events that are told by whole clauses: *Sam ate breakfast before he walked the dog*, *First we washed the car*.

An event is the set of its content words, in their dictionary forms, so that *he went to work* and *going to work* are
one. A sentence is a step of a sequence (first, then, finally), two events with *before* or *after* between them, or an
event with a time (a year, a date, a clock time, a day of one week). Every word stands in an event or in one of the
closed lists; a sentence with a word of doubt, or with two ways to cut it, is not read.

>>> reader = EventReader()
>>> reading = reader("Sam ate breakfast before he walked the dog. Then he went to work.", "What did Sam do last?", {})
>>> [(fact.who, fact.relation, fact.of) for fact in reading.facts]
[('ate breakfast', 'before', 'walked dog'), ('went to work', 'after', 'walked dog')]
>>> reader("Sam probably ate before he left. Then he slept.", "What did Sam do last?", {}).unread.reason
"'probably' may change what is told"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from proband.auditing.grammar import split
from proband.core.types import Fact
from proband.english.domain import Word
from proband.english.reading import AskedRelation, Label, Reading, Unread
from proband.proof.answers import split_options

_DOUBT = """
    not never no none nobody nothing neither nor without n't maybe perhaps probably possibly likely apparently
    supposedly allegedly reportedly almost nearly unless if whether would could might may should must cannot can't
    won't wouldn't didn't doesn't don't isn't wasn't weren't aren't couldn't hadn't haven't hasn't instead think
    thinks thought believe believed claim claims claimed say says said tell told hope hoped hopes dream dreamed
    dreamt imagine imagined pretend pretended plan planned plans want wanted wants expect expected intend intended
    wish wished suppose supposed guess joke kidding lie lied rumour rumor forgot refused failed tried tries about
    cancelled canceled postponed either or usually often sometimes always every each rather actually wrong mistake
    while until till except unlike
    """
DOUBT: Final = frozenset(_DOUBT.split())
_EMPTY = """
    the a an his her their my our its your he she it they we i him them us me this that these those of to in on at for
    with from by up down out off into over some had has have having been was were is are be being did do does got get
    gets just only also very own then there so finally which who what
    """
FICTION: Final = re.compile(
    r"\bin (?:the|an?|this|that|her|his|their|my) (?:\w+ )?(?:film|movie|novel|story|play|dream|book|game|show)\b"
)
EMPTY: Final = frozenset(_EMPTY.split())
PRONOUNS: Final = frozenset(
    ["he", "she", "it", "they", "we", "i", "his", "her", "their", "its", "our", "my", "him", "them", "us"]
)
GENERIC: Final = frozenset(("have", "be", "do", "happen", "occur", "take", "place", "come", "get", "hold"))
STARTS: Final = frozenset(("start", "begin", "open"))
PARTS: Final = frozenset(("start", "begin", "stop", "continue", "end", "keep"))
ENDS: Final = frozenset(("end", "over", "finish", "close", "stop"))
LEMMAS: Final = {
    "left": "leave",
    "gone": "go",
    "baking": "bake",
    "living": "live",
    "meeting": "meeting",
    "born": "bear",
}
_NUMBER = (
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty|fifty|several|a few|many)"
)
_UNITS = "(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)"
_SOON = "some time|a while|long|shortly|right|just|immediately|directly|soon|well|straight|not long"
MEASURE: Final = rf"(?:(?:about |around |roughly )?{_NUMBER}(?: and a half)? {_UNITS}|{_SOON})"
_NEXT_DAY = "the (?:next|following) (?:day|morning|week|month|year|evening)"
FIRST: Final = re.compile(
    r"(?:first(?: of all)?|firstly|to begin with|in the beginning|it started with),? (?=\w)", re.IGNORECASE
)
NEXT: Final = re.compile(
    rf"(?:and |but )?(?:only then did|then|next|after that|after this|afterwards?|later(?: on)?|finally|lastly|last|"
    rf"last of all|eventually|in the end|subsequently|{MEASURE} (?:later|after(?:wards| that))|{_NEXT_DAY}"
    rf"|the day after that|soon after(?:wards)?),? (?=\w)",
    re.IGNORECASE,
)
BEHIND: Final = re.compile(
    rf"(?P<e>.+?),? (?:{MEASURE} (?:later|afterwards|after that)|after that|afterwards|next|last|later|{_NEXT_DAY})"
)
DAYS: Final = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_DAY = "|".join(DAYS)
STEP: Final = re.compile(
    r";\s*|,\s*(?:and\s+)?(?=(?:then|next|finally|after that|lastly|afterwards|later)\b)"
    r"|\s+and\s+(?=(?:then|finally|afterwards|later)\b)|\s(?=then\b)"
    r"|,?\s+and\s+(?=(?:an|one|two|three|four|five|six|ten) (?:hours?|days?|weeks?|months?|years?) later )"
    rf"|,?\s+(?:and\s+)?(?=(?i:on (?:{_DAY}) (?:we|i|he|she|they)) )"
)
DURING: Final = "during"
BEFORE: Final = ("before", "earlier than", "prior to", "ahead of")
AFTER: Final = ("after", "later than", "following", "once", "as soon as")
_BETWEEN = "|".join((*BEFORE, *AFTER, DURING))
_HOW = f"{MEASURE}|only|even|the (?:day|week|month|year|evening|morning)"
BETWEEN: Final = re.compile(rf"(?P<a>.+?),?(?: (?P<how>{_HOW}))? (?P<r>{_BETWEEN}) (?P<b>.+)")
OPENED: Final = re.compile(rf"(?:{MEASURE} )?(?P<r>{_BETWEEN}) (?P<b>[^,]+), (?P<a>[^,]+)", re.IGNORECASE)
WHEN: Final = re.compile(
    r"when (?P<b>[^,]+? (?:had \w+[^,]*|(?:was|were) (?:over|finished|done))), (?P<a>[^,]+)", re.IGNORECASE
)
FOLLOWED: Final = re.compile(r"(?P<a>.+?) (?:was|were|is) (?:soon |immediately )?followed by (?P<b>.+)")
FOLLOWS: Final = re.compile(r"(?P<a>[^,]+?) follows (?P<b>[^,]+)")
_BUSY = "day|night|week|weekend|morning|afternoon|evening|year|summer|winter|spring|autumn"
ASIDE: Final = re.compile(rf"it (?:was|had been|has been) an? (?:very )?(?:\w+ ){{0,2}}(?:{_BUSY})", re.IGNORECASE)
PRECEDED: Final = re.compile(r"(?P<a>.+?) (?:preceded|came before) (?P<b>.+)")
MONTHS: Final = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
HOURS: Final = {
    word: n
    for n, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 1
    )
}
PARTS_OF_AN_HOUR: Final = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
_MONTH, _HOUR = "|".join(MONTHS), "|".join(HOURS)
YEAR: Final = r"(?P<year>1\d\d\d|20\d\d)"
TIME: Final = re.compile(
    rf"(?:in (?:(?P<month1>{_MONTH}) (?:of )?)?{YEAR}|on (?:(?P<month2>{_MONTH}) "
    rf"(?P<day2>\d+)(?:st|nd|rd|th)?,? (?P<year2>\d{{4}})|"
    rf"(?P<weekday>{'|'.join(DAYS)})(?P<week> of (?:the|that) (?:same )?week)?)|"
    rf"at (?:a )?(?:(?P<half>half past |(?:quarter|five|ten|twenty|twenty-five) (?:past|to) )?(?P<hour>\d+|{_HOUR})"
    rf"(?:[:.](?P<minute>\d\d))?(?: ?o'clock)? ?(?P<half_day>a\.?m\.?|p\.?m\.?)?(?: sharp)?"
    rf"(?P<part> in the (?:morning|afternoon|evening))?|(?P<noon>noon|midday)))"
)
AT_FIRST: Final = re.compile(rf"({TIME.pattern}),? (?P<e>\w.+)", re.IGNORECASE)
AT_LAST: Final = re.compile(rf"(?P<e>.+?\w),? ({TIME.pattern})", re.IGNORECASE)


class NoEvents(Exception):
    """Why a text is not read as events."""


class Event(NamedTuple):
    """`key`: its content words in dictionary forms; `text`: how the story tells it; `verb`: its second word on."""

    key: frozenset[str]
    text: str


@lru_cache(maxsize=20_000)
def _lemma(word: str) -> str:
    from simplemma import lemmatize

    return LEMMAS.get(word) or str(lemmatize(word, lang="en")).lower()


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:['’][a-z]+)?(?:-[^\W_]+)*", text.lower())


def _stems(text: str) -> Iterator[str]:
    for word in _words(text):
        bare = re.sub(r"['’]s$", "", word)
        if bare not in EMPTY:
            yield _lemma(bare)


class _Story:
    """The events of a text and what is told of their order."""

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names  # of the only one who acts: not a part of what is done
        self.events: list[Event] = []
        self.facts: list[Fact] = []
        self.times: dict[str, tuple[str, tuple[int, ...]]] = {}
        self.last: Event | None = None
        self.number = 0
        self.week = False

    # ---- events ------------------------------------------------------------------------------------------------------

    def key(self, text: str) -> frozenset[str]:
        stems = [stem for stem in _stems(text) if stem not in self.names]
        return frozenset(stem for stem in stems if stem not in GENERIC) or frozenset(stems)

    def event(self, text: str) -> Event:
        """The event that a phrase of the story means: one that was told before, or a new one."""
        if word := next((word for word in _words(text) if word in DOUBT or word.endswith("n't")), ""):
            raise NoEvents(f"{word!r} may change what is told")
        if fiction := FICTION.search(text):
            raise NoEvents(f"{fiction[0]!r} may change what is told")
        if re.search(r"[,:;\"()?]|\b(?:and|but|because|when|who|which)\b", text):
            raise NoEvents(f"{text!r} is not one event")
        key = self.key(text)
        if not key or len(key) > 6:
            raise NoEvents(f"{text!r} is no event")
        if known := self._known(key):
            return known
        shown = " ".join(w for w in _words(text) if w not in ("the", "a", "an", *PRONOUNS, *self.names))
        event = Event(key, shown)
        self.events.append(event)
        return event

    def _known(self, key: frozenset[str]) -> Event | None:
        same = [event for event in self.events if event.key == key]
        if same:
            return same[0]
        alike = [event for event in self.events if event.key < key or key < event.key]
        if len(alike) > 1:
            raise NoEvents(f"{' '.join(sorted(key))!r} may mean several events")
        return alike[0] if alike and key < alike[0].key else self._none(alike)

    @staticmethod
    def _none(alike: Sequence[Event]) -> None:
        if alike:
            raise NoEvents(f"{alike[0].text!r} may be another event")

    def meant(self, text: str) -> Event | None:
        """The event of the story that a phrase of the question or a label means."""
        key = self.key(text)
        same = [event for event in self.events if event.key == key]
        if same:
            return same[0]
        wider = [event for event in self.events if key and key < event.key]
        return wider[0] if len(wider) == 1 else None

    # ---- sentences ---------------------------------------------------------------------------------------------------

    def sentence(self, text: str) -> None:
        plain = re.sub(r"\s+", " ", text.strip().rstrip(".!").strip())
        if "?" in plain or '"' in plain:
            raise NoEvents("a question or a quotation")
        if ASIDE.fullmatch(plain):
            self.number += 1
            return
        for step in STEP.split(plain):
            for clause in self._clauses(step):
                self._clause(clause)
        self.number += 1

    def _clauses(self, step: str) -> list[str]:
        """`A was after B, and C was after D` are two; `, and C in 1875` is one more with the verb of the first."""
        parts = re.split(r",\s*(?:and\s+)?|\s+and\s+", step)
        if len(parts) < 2 or not (all(map(AT_LAST.fullmatch, parts)) or all(map(BETWEEN.fullmatch, parts))):
            parts = re.split(r",?\s+and\s+", step)
            forms = (BETWEEN, AT_LAST, FOLLOWS)
            if len(parts) != 2 or not all(any(form.fullmatch(part) for form in forms) for part in parts):
                return [step]
        first = AT_LAST.fullmatch(parts[0])
        deed = re.fullmatch(r"[A-Z][a-z]+ ([a-z]+(?: [a-z]+){0,2})", first["e"]) if first else None
        if deed:
            parts[1:] = [re.sub(r"^([A-Z][a-z]+) (?=at |in |on )", rf"\1 {deed[1]} ", part) for part in parts[1:]]
        verb = re.search(r"\b(?:was|were) (\w+)\s*$", first["e"]) if first else None
        return [parts[0], *(self._with_verb(part, verb[1] if verb else "") for part in parts[1:])]

    def _with_verb(self, part: str, verb: str) -> str:
        timed = AT_LAST.fullmatch(part)
        if timed and verb and not re.search(r"\b(?:was|were|is|are|had|\w+ed)\b", timed["e"]):
            return part.replace(timed["e"], f"{timed['e']} was {verb}", 1)
        return part

    def _clause(self, text: str) -> None:
        opened = FIRST.match(text)
        further = None if opened else NEXT.match(text)
        text = text[(opened or further).end() :] if opened or further else text  # type: ignore[union-attr]
        if further and self.last is None:
            raise NoEvents("after what?")
        behind = None if opened or further else BEHIND.fullmatch(text)
        if behind and self.last is not None and not BETWEEN.fullmatch(text):
            text, further = behind["e"], behind
        previous = self.last
        event = self._told(text)
        if further and previous is not None:
            self._say(event, "after", previous)
        self.last = event

    def _told(self, text: str) -> Event:
        """What one clause tells; the event that the next one follows."""
        for pattern, relation in ((FOLLOWED, "before"), (PRECEDED, "before"), (FOLLOWS, "after")):
            if match := pattern.fullmatch(text):
                a, b = self.event(match["a"]), self.event(match["b"])
                self._say(a, relation, b)
                return b if relation == "before" else a
        if match := WHEN.fullmatch(text):
            a, b = self.event(match["a"]), self.event(re.sub(r"\b(?:was|were) (?:over|finished|done)$", "", match["b"]))
            self._say(a, "after", b)
            return a
        if match := OPENED.fullmatch(text) or BETWEEN.fullmatch(text):
            if len(re.findall(rf"\b(?:{_BETWEEN})\b", text)) > 1:
                raise NoEvents("it can be cut in two ways")
            relation = "before" if match["r"].lower() in BEFORE else "after"
            if match["r"].lower() == DURING:
                a, b = self.event(match["a"]), self.event(match["b"])
                self._say(a, DURING, b)
                return a
            told = self._with_deed(match["a"], match["b"])
            a, b = self._bounded(match["a"], relation, first=True), self._bounded(told, relation, first=False)
            self._say(a, relation, b)
            return b if relation == "before" else a
        if match := AT_FIRST.fullmatch(text) or AT_LAST.fullmatch(text):
            event = self.event(match["e"])
            self._set_time(event, match)
            return event
        return self.event(text)

    def _with_deed(self, a: str, b: str) -> str:
        """`Jane finished the race after Olga`: Olga did so, too."""
        is_name = re.fullmatch(r"[A-Z]\w+", b) is not None and re.match(r"[A-Z]\w+ \w", a) is not None
        deed = re.match(
            r"(?:the |an? )?\w+ ((?:arrived|left|departed|came|was \w+ed|was built|opened)\b.*)", a, re.IGNORECASE
        )
        is_thing = deed is not None and re.fullmatch(r"(?:the |an? )?\w+", b) is not None
        if is_name:
            return f"{b} {a.partition(' ')[2]}"
        return f"{b} {deed[1]}" if is_thing and deed else b

    def _bounded(self, text: str, relation: str, *, first: bool) -> Event:
        """An event of which a start or an end is told: `the concert started after dinner` is all of it after dinner."""
        words = list(_stems(text))
        if PARTS & set(words[:-1]):
            raise NoEvents(f"{text!r} tells of a part of an event")
        subject = _is_a_name(text.split()[0]) if text else False
        verb = words[-1] if words and len(words) > 1 and not subject else ""
        if verb in STARTS or verb in ENDS:
            starts = relation == "after" if first else relation == "before"
            if (verb in STARTS) != starts:
                raise NoEvents(f"{text!r} tells of a part of an event")
            kept = [w for w in text.split() if _lemma(w.lower()) != verb and w.lower() not in ("had", "was", "is")]
            return self.event(" ".join(kept))
        return self.event(text)

    def _say(self, a: Event, relation: str, b: Event) -> None:
        if a is b:
            raise NoEvents(f"{a.text!r} would be before itself")
        self.facts.append(Fact(a.text, relation, b.text, sentence=self.number))

    # ---- times -------------------------------------------------------------------------------------------------------

    def _set_time(self, event: Event, match: re.Match[str]) -> None:
        kind, value = _time(match)
        self.week = self.week or bool(match["week"])
        if self.times.setdefault(event.text, (kind, value)) != (kind, value):
            raise NoEvents(f"{event.text!r} has two times")

    def order(self) -> None:
        """Events with times, in their order. Clock times without a half of the day are ordered where they lie so that
        one half can be meant."""
        kinds = {kind for kind, _ in self.times.values()}
        if not self.times:
            return
        if len(kinds) > 1:
            raise NoEvents("times of several kinds")
        if kinds == {"weekday"} and not self.week:
            raise NoEvents("days of which week?")
        if kinds == {"clock"}:
            hours = [value[0] for _, value in self.times.values()]
            if not (min(hours) >= 6 and max(hours) <= 12) and max(hours) > 5:
                raise NoEvents("in the morning or in the evening?")
        ordered = sorted(self.times, key=lambda name: self.times[name][1])
        for one, other in pairwise(ordered):
            if self.times[one] == self.times[other]:
                raise NoEvents("two events have one time")
            self.facts.append(Fact(one, "before", other))


def _time(match: re.Match[str]) -> tuple[str, tuple[int, ...]]:
    groups = {name: (value or "").lower() for name, value in match.groupdict().items()}
    if groups["year"] or groups["year2"]:
        year, month = int(groups["year"] or groups["year2"]), groups["month1"] or groups["month2"]
        kind = "date" if groups["month2"] else "month" if month else "year"
        return kind, (
            year,
            *([MONTHS.index(month) + 1] if month else []),
            *([int(groups["day2"])] if groups["day2"] else []),
        )
    if groups["weekday"]:
        return "weekday", (DAYS.index(groups["weekday"]),)
    if groups["noon"]:
        return "clock", (12, 0)
    hour = HOURS.get(groups["hour"]) or int(groups["hour"])
    minute = int(groups["minute"] or 0)
    half = (groups["half"] or "").strip()
    if half:
        minutes, _, side = half.partition(" ")
        minute = PARTS_OF_AN_HOUR[minutes.lower()]
        hour, minute = (hour - 1, 60 - minute) if side == "to" else (hour, minute)
    told = (groups["half_day"] or "").replace(".", "") or {"morning": "am", "afternoon": "pm", "evening": "pm"}.get(
        (groups["part"] or "").rpartition(" ")[2], ""
    )
    if hour > 12 or told:
        return "day", (hour % 12 + 12 * (told == "pm") if told else hour, minute)
    return "clock", (hour, minute)


# ---- questions -------------------------------------------------------------------------------------------------------

_FIRST = r"(?P<most>first|last|earliest|latest|oldest|youngest|most recently)"
_R = r"(?P<r>before|after|earlier than|later than)"
ASKED: Final = tuple(
    (kind, re.compile(form, re.IGNORECASE))
    for kind, form in (
        ("pair", r"(?:did|was|were|is|are|does|do|will) (?P<a>.+?) (?:before or after|after or before) (?P<b>.+)"),
        ("pair", r"(?P<a>.+?) _+ (?P<b>.+)"),
        ("pair", r"when (?:did|was|were) (?P<a>.+?) (?:relative|compared) to (?P<b>.+)"),
        ("yes", rf"(?:did|was|were|is|are|does|do|had) (?P<a>.+?) {_R} (?P<b>.+)"),
        ("between", rf"(?:which|what|who|which \w+) (?:\w+ ){{1,3}}{_FIRST}[,:]? (?P<a>.+?),? or (?P<b>.+)"),
        (
            "between",
            rf"(?:which|what|who)(?: of these| \w+)? (?:came|happened|was|is) {_FIRST}[,:]? (?P<a>.+?),? or (?P<b>.+)",
        ),
        ("most", rf"(?:which|what|who|which \w+|what \w+)(?: \w+){{1,5}}? (?:the )?{_FIRST}"),
        (
            "next",
            rf"what (?:happened|happens|came|comes|took place|did \w+ do|was done)"
            rf"(?: (?:right|immediately|just|directly))? {_R} (?P<b>.+)",
        ),
    )
)


class EventReader:
    """Reads rows of the temporal domain whose events are told by clauses."""

    def __call__(self, text: str, question: str, _: Mapping[str, str | None], /) -> Reading:
        sentences = split(re.sub(r"\b([ap])\.m\.", r"\1m", text))
        try:
            story = self._story(sentences, question)
            asked = self._question(question, story)
        except NoEvents as error:
            return Reading(unread=Unread(str(error), text[:200]), sentences=tuple(sentences))
        facts = tuple(dict.fromkeys(story.facts))
        return Reading(facts=facts, question=asked, sentences=tuple(sentences))

    def _story(self, sentences: Sequence[str], question: str) -> _Story:
        story = _Story(_actor(sentences, question))
        for sentence in sentences:
            story.sentence(sentence)
        story.order()
        told = {thing for fact in story.facts for thing in (fact.who, fact.of)}
        if alone := next((event.text for event in story.events if event.text not in told), ""):
            raise NoEvents(f"when {alone!r} was is not told")
        return story

    def _question(self, question: str, story: _Story) -> AskedRelation:
        stem, _ = split_options(re.split(r"(?i)\b(?:options|choices):", question)[0])
        sentences = [each for each in split(stem) if each]
        if len(sentences) != 1:
            raise NoEvents("it asks more than one question")
        plain = sentences[0].strip().rstrip("?.!: ").strip()
        for kind, form in ASKED:
            if match := form.fullmatch(plain):
                return self._asked(kind, match.groupdict(), story, plain)
        raise NoEvents("no form of question covers it")

    def _asked(self, kind: str, groups: Mapping[str, str | None], story: _Story, plain: str) -> AskedRelation:
        if kind != "pair" and kind != "between" and re.search(r"\b(?:not|or|never)\b|n't", plain):
            raise NoEvents("no form of question covers it")
        a, b = (self._event(groups.get(slot), story) for slot in ("a", "b"))
        if kind == "pair":
            return AskedRelation(a, b)
        if kind in ("most", "between"):
            most = (groups["most"] or "").lower()
            if most in ("oldest", "youngest") and any("bear" not in event.key for event in story.events):
                raise NoEvents("ages are not told")
            word = Word("before" if most in ("first", "earliest", "oldest") else "after")
            return AskedRelation("", "", word, among=(a, b) if kind == "between" else ())
        word = Word("before" if (groups["r"] or "").lower() in ("before", "earlier than") else "after")
        return AskedRelation(a, b, word) if kind == "yes" else AskedRelation("", b, word, adjacent=True)

    @staticmethod
    def _event(text: str | None, story: _Story) -> str:
        if text is None:
            return ""
        event = story.meant(text)
        if event is None:
            raise NoEvents(f"the story says nothing of {text!r}")
        return event.text


@lru_cache(maxsize=20_000)
def _is_a_name(word: str) -> bool:
    from simplemma import is_known

    return word[:1].isupper() and not is_known(word.lower(), lang="en")


def _actor(sentences: Sequence[str], question: str) -> frozenset[str]:
    """The name of the only one who acts; whom a pronoun means where several do is not clear."""
    whole = " ".join((*sentences, question))
    names = {m[0].lower() for m in re.finditer(r"(?<=[\w,;] )[A-Z][a-z]+", whole)}
    firsts = {m[0].lower() for m in re.finditer(r"(?:^|(?<=[.?!] ))[A-Z][a-z]+", whole)}
    names = {name for name in names if name not in EMPTY}
    names |= {first for first in firsts if _is_a_name(first.title())}
    names -= {*MONTHS, *DAYS, "i"}
    subjects = {
        n
        for n in names
        if re.search(rf"(?:^|[.;,] |\band |\bbefore |\bafter |\bdid ){n.title()} (?!st|street|road)", whole)
    }
    pronouns = PRONOUNS & set(_words(whole))
    if not pronouns - {"it", "its", "my", "our", "we", "i"}:
        return frozenset(subjects) if len(subjects) == 1 and pronouns else frozenset()
    if len(subjects) > 1:
        raise NoEvents("whom does a pronoun mean?")
    return frozenset(subjects)


def event_label(
    fallback: Callable[..., Label | None],
) -> Callable[[str, AskedRelation, Mapping[str, str], Iterable[str]], Label | None]:
    """A reader of labels that knows an event by its content words, where the form of words does not tell it."""

    def read(text: str, asked: AskedRelation, options: Mapping[str, str], things: Iterable[str], /) -> Label | None:
        told = list(things)
        if label := fallback(text, asked=asked, options=options, things=told):
            return label
        if asked.word is None or asked.who:
            return None
        letter = text.strip("()[]. ").lower()
        story = _Story(frozenset())
        story.events = [Event(story.key(thing), thing) for thing in told]
        event = story.meant(options.get(letter, text))
        if event is None:
            keys = [each for each in story.events if each.key < story.key(options.get(letter, text))]
            event = keys[0] if len(keys) == 1 else None
        return Label(None, event.text) if event else None

    return read
