"""The cloze task of section 2.2: which words may be left out, and which are.

A word w may be left out if it belongs mainly to the concrete side. With

    n(w)    occurrences of w in concrete texts whose own abstract line does not have it
    a(w)    occurrences of w in abstract lines

    share(w) = n(w) / (n(w) + a(w))  >=  `share`      and      n(w) >= `least`

and w is neither a stop word nor a number (units are allowed). In a pair, the candidates are the longest runs of such
words that the abstract line does not have. Of the distinct runs the `most` longest are left out, wherever they stand;
among runs of one length the later in the alphabet is taken.

Where this comes from: the paper gives the conditions; the released files show the rest. In them every run is left out
where there are five or fewer distinct ones, and otherwise the five greatest pairs (number of words, text). This rule
gives 10,038 of the 10,045 released tag sequences exactly. In the other seven a run of the released text was two runs
when the slots were chosen (a sign between them, as in *half-way*, is missing from the released text). The released
whitelist is sorted by n(w) and ends at n(w) = 5; beyond that it was pruned by hand (*carefully*, *amount* and *adult*
are not on it, *coriander* and *salmon* are), so no threshold gives it exactly. `share` = 0.45 is where the F1 of our
list against it is highest (0.929 of words, 0.947 of blank positions); see docs/script.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

from proband.suites.script.corpus import Pair, is_word, released_whitelist

Span = tuple[int, int]
SHARE, LEAST, MOST = 0.45, 5, 5

# Words that name no tool, step, manner, measure or place: closed classes, vague verbs and vague nouns.
STOP_TEXT = """
a an the this that these those each every either both all any some no none such other another same several few
many much more most less least enough only own i me my you your yours yourself he him his she her it its itself we
us our they them their who whom whose which what something anything nothing everything else one ones whatever and
or but nor so if because since while when whenever as than though although unless until till after before once of
to in into on onto at by for from with without within up down off out over under above below around across through
throughout along against between among beside behind toward towards about per via upon near away back forth be is
are was were been being am do does did doing done have has had having will would shall should can could may might
must need ought let's not n't 's 're 've 'll 'd 'm s t re ve ll d m ca wo then now next first second third fourth
fifth last finally again also too just very really quite almost even still yet already always never often here
there where everywhere how why well however afterwards maybe perhaps okay ok use uses using used put puts putting
take takes taking get gets getting go goes going make makes making made give gives keep keeps set start starts
starting become becomes help see call ask show remember like part step amount side top bottom front together
carefully careful full nice extra easy adult video two three four five six seven eight nine ten eleven twelve
"""
STOP_WORDS = frozenset(STOP_TEXT.split())


@dataclass(frozen=True, kw_only=True)
class Count:
    """Of one word: n(w) and a(w)."""

    alone: int
    abstract: int

    @property
    def share(self) -> float:
        return self.alone / (self.alone + self.abstract) if self.alone + self.abstract else 0.0


def counts(pairs: Iterable[Pair]) -> dict[str, Count]:
    """
    >>> pair = Pair(abstract=("drain", "pasta"), steps=(("drain", "it", "with", "a", "strainer"),))
    >>> counted = counts([pair, pair])
    >>> counted["strainer"], counted["drain"].share
    (Count(alone=2, abstract=0), 0.0)
    """
    alone: Counter[str] = Counter()
    abstract: Counter[str] = Counter()
    for pair in pairs:
        abstract.update(pair.abstract)
        alone.update(word for word in pair.concrete if word not in pair.abstract)
    return {word: Count(alone=alone[word], abstract=abstract[word]) for word in abstract | alone}


def whitelist(counted: Mapping[str, Count], *, share: float, least: int) -> list[str]:
    """Words that may be left out, the most frequent (by n) first; ties in falling alphabetical order."""
    kept = (word for word, count in counted.items() if not refused(word, count, share=share, least=least))
    return sorted(kept, key=lambda word: (counted[word].alone, word), reverse=True)


def refused(word: str, count: Count, *, share: float, least: int) -> str:
    """Why a word is not on the whitelist; empty where it is."""
    if count.alone < least:
        return f"fewer than {least} times without its abstract line"
    if word in STOP_WORDS:
        return "a stop word here"
    if not is_word(word):
        return "a number or a sign"
    return f"share on the concrete side below {share:g}" if count.share < share else ""


def runs(pair: Pair, words: Collection[str]) -> list[Span]:
    """The longest runs of whitelisted words that the abstract line does not have.

    >>> pair = Pair(abstract=("mix", "eggs"), steps=(("get", "a", "wire", "whisk", "to", "mix", "eggs"),))
    >>> runs(pair, {"wire", "whisk", "mix"})
    [(2, 4)]
    """
    return _true_runs(word in words and word not in pair.abstract for word in pair.concrete)


def blanks(pair: Pair, words: Collection[str], *, most: int = 5) -> list[Span]:
    """The spans to leave out: of the distinct runs the `most` longest, all their occurrences (0: every run).

    >>> steps = (tuple("put a large pot on the stove and a lid on the pot".split()),)
    >>> pair = Pair(abstract=("boil", "water"), steps=steps)
    >>> blanks(pair, {"large", "pot", "stove", "lid"}, most=2)
    [(2, 4), (6, 7)]
    """
    result = runs(pair, words)
    if most:
        texts = {(end - start, " ".join(pair.concrete[start:end])) for start, end in result}
        kept = {text for _, text in sorted(texts, reverse=True)[:most]}
        result = [span for span in result if " ".join(pair.concrete[slice(*span)]) in kept]
    return result


def tagged(tags: Sequence[int]) -> list[Span]:
    """The spans that released tags leave out: runs of 0.

    >>> tagged([1, 0, 0, 1, 0])
    [(1, 3), (4, 5)]
    """
    return _true_runs(tag == 0 for tag in tags)


def _true_runs(marks: Iterable[bool]) -> list[Span]:
    results: list[Span] = []
    for marked, run in groupby(enumerate(marks), key=lambda at: at[1]):
        places = [at for at, _ in run]
        if marked:
            results.append((places[0], places[-1] + 1))
    return results


# ---- what a blank asks for: a tool, a unit, a place, an action, or something else ----------------------------------
#
# A blank's category is that of its last word that has one, because an English compound ends with its head (*wooden
# spoon* is a tool, *stove burner* a place). A word's category stands in data/script/categories.tsv; a word not listed
# there is looked up without a plural or verbal ending (*ladles*, *stirring*, *chopped*). A few compounds are listed
# whole (a *cup* is a unit, a *measuring cup* a tool). What is left is `other`: manner, state, ingredients. A word that
# may be noun or verb has the kind it mostly has in instructions: *place* and *scoop* are actions, *stove* is a place.


CATEGORIES = ("tool", "action", "unit", "place", "other")


@cache
def lexicon() -> Mapping[str, str]:
    """word -> category, from data/script/categories.tsv (category, tab, words)."""
    text = files("proband").joinpath("data/script/categories.tsv").read_text(encoding="utf-8")
    results: dict[str, str] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            category, words = line.split("\t")
            for word in words.split():
                results.setdefault(word, category)
    return results


def stems(word: str) -> Iterator[str]:
    """A word and what it may be a form of.

    >>> list(stems("knives")), list(stems("stirring"))
    (['knives', 'knive', 'kniv', 'knife'], ['stirring', 'stirr', 'stirre', 'stir'])
    """
    yield word
    for ending in ("s", "es", "ed", "ing"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            yield stem
            if ending in ("ed", "ing"):
                yield stem + "e"
                if stem[-1] == stem[-2]:
                    yield stem[:-1]
    if word.endswith("ves"):
        yield word[:-3] + "fe"
    if word.endswith(("ies", "ied")):
        yield word[:-3] + "y"


def category(words: Sequence[str]) -> str:
    """
    >>> category(["wooden", "spoon"]), category(["stirring"]), category(["teaspoons"]), category(["golden"])
    ('tool', 'action', 'unit', 'other')
    """
    known = lexicon()
    if "_".join(words[-2:]) in known:
        return known["_".join(words[-2:])]
    for word in reversed(words):
        for stem in stems(word):
            if stem in known:
                return known[stem]
    return "other"


# ---- our blanks beside released ones: words shared, positions shared, and a reason for every difference ------------


def overlap(ours: Collection[Any], theirs: Collection[Any]) -> dict[str, float]:
    """
    >>> overlap({1, 2, 3}, {2, 3, 4, 5})
    {'ours': 3, 'theirs': 4, 'both': 2, 'precision': 0.6667, 'recall': 0.5, 'f1': 0.5714}
    """
    both = len(set(ours) & set(theirs))
    return {
        "ours": len(ours),
        "theirs": len(theirs),
        "both": both,
        "precision": round(both / len(ours), 4) if ours else 0.0,
        "recall": round(both / len(theirs), 4) if theirs else 0.0,
        "f1": round(2 * both / (len(ours) + len(theirs)), 4) if ours or theirs else 0.0,
    }


def tokens_of(spans: Iterable[Sequence[Span]]) -> set[tuple[int, int]]:
    """(pair, position) of every token left out."""
    return {(n, at) for n, each in enumerate(spans) for span in each for at in range(*span)}


def same_tags(pairs: Sequence[Pair], words: Collection[str], *, most: int) -> int:
    """Pairs whose blanks are exactly the released ones."""
    return sum(blanks(pair, words, most=most) == tagged(pair.tags or ()) for pair in pairs)


def with_released(
    pairs: Sequence[Pair],
    words: Sequence[str],
    *,
    most: int,
    counted: Mapping[str, Count],
    folder: Path | None,
    share: float,
    least: int,
) -> dict[str, Any]:
    """The comparison for the manifest; nothing where no tags were released."""
    released_pairs = [pair for pair in pairs if pair.tags is not None]
    ours, theirs = frozenset(words), frozenset(released_whitelist(folder) or ())
    if not released_pairs or not theirs:
        return {}

    def why_word(word: str) -> str:
        if word in ours:
            return "not on theirs: removed by hand, for it passes every stated condition"
        count = counted.get(word, Count(alone=0, abstract=0))
        return f"not on ours: {refused(word, count, share=share, least=least) or 'unexplained'}"

    def why_token(side: str, other: str, *, listed: bool) -> str:
        if listed:
            return f"{side} only: the word is on both, other runs fill {other} five"
        return f"{side} only: the word is not on {other} whitelist"

    left_out = tokens_of(blanks(pair, ours, most=most) for pair in released_pairs)
    released = tokens_of(tagged(pair.tags or ()) for pair in released_pairs)
    reasons = [
        why_token("ours", "their", listed=released_pairs[n].concrete[at] in theirs) for n, at in left_out - released
    ]
    reasons += [
        why_token("theirs", "our", listed=released_pairs[n].concrete[at] in ours) for n, at in released - left_out
    ]
    return {
        "released": {
            "words": overlap(ours, theirs),
            "word_differences": dict(sorted(Counter(map(why_word, ours ^ theirs)).items())),
            "positions": overlap(left_out, released),
            "position_differences": dict(sorted(Counter(reasons).items())),
            "pairs": len(released_pairs),
            "pairs_same": same_tags(released_pairs, ours, most=most),
            "pairs_same_with_their_whitelist": same_tags(released_pairs, theirs, most=most),
        }
    }
