"""Our blanks beside released ones: words shared, positions shared, and a reason for every difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from proband.suites.script.cloze import blanks
from proband.suites.script.corpus import readers
from proband.suites.script.corpus.readers import Pair
from proband.suites.script.corpus.tokens import is_word


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


def positions(pairs: Sequence[Pair], words: Collection[str], *, most: int) -> dict[str, float]:
    """Overlap of the tokens left out by our rule with those that the tags leave out."""
    ours = {(n, i) for n, pair in enumerate(pairs) for s in blanks.blanks(pair, words, most=most) for i in range(*s)}
    theirs = {(n, i) for n, pair in enumerate(pairs) for i, tag in enumerate(pair.tags or ()) if tag == 0}
    return overlap(ours, theirs)


def same_tags(pairs: Sequence[Pair], words: Collection[str], *, most: int) -> int:
    """Pairs whose blanks are exactly the released ones."""
    return sum(blanks.blanks(pair, words, most=most) == blanks.tagged(pair.tags or ()) for pair in pairs)


def why_word(word: str, counted: Mapping[str, blanks.Count], *, share: float, least: int, ours: bool) -> str:
    """Why a word is on one whitelist only."""
    if ours:
        return "not on theirs: removed by hand, for it passes every stated condition"
    count = counted.get(word)
    if count is None or count.alone < least:
        return f"not on ours: fewer than {least} times without its abstract line"
    if word in blanks.STOP_WORDS:
        return "not on ours: a stop word here"
    if not is_word(word):
        return "not on ours: a number or a sign"
    if count.share < share:
        return f"not on ours: share on the concrete side below {share:g}"
    return "not on ours: unexplained"


def why_token(pair: Pair, at: int, *, ours: Collection[str], theirs: Collection[str], released: Collection[int]) -> str:
    """Why a token is left out on one side only."""
    word = pair.concrete[at]
    if at not in released:
        if word not in theirs:
            return "ours only: the word is not on their whitelist"
        return "ours only: the word is on both, other runs fill their five"
    if word not in ours:
        return "theirs only: the word is not on our whitelist"
    return "theirs only: the word is on both, other runs fill our five"


def classes(pairs: Sequence[Pair], ours: Collection[str], theirs: Collection[str], *, most: int) -> dict[str, int]:
    """Every token left out on one side only, by reason."""
    found: Counter[str] = Counter()
    for pair in pairs:
        released = {i for i, tag in enumerate(pair.tags or ()) if tag == 0}
        made = {i for span in blanks.blanks(pair, ours, most=most) for i in range(*span)}
        for at in released ^ made:
            found[why_token(pair, at, ours=ours, theirs=theirs, released=released)] += 1
    return dict(sorted(found.items()))


def with_released(
    pairs: Sequence[Pair],
    words: Sequence[str],
    *,
    most: int,
    counted: Mapping[str, blanks.Count],
    folder: Path | None,
    share: float,
    least: int,
) -> dict[str, Any]:
    """The comparison for the manifest; nothing where no tags were released."""
    tagged = [pair for pair in pairs if pair.tags is not None]
    path = folder / "slot_whitelist.txt" if folder is not None and folder.is_dir() else None
    if not tagged or path is None or not path.exists():
        return {}
    theirs = {line.strip() for _, line in readers.lines_of(path) if line.strip()}
    ours = frozenset(words)
    reasons = Counter(
        why_word(word, counted, share=share, least=least, ours=word in ours) for word in sorted(ours ^ theirs)
    )
    return {
        "released": {
            "words": overlap(ours, theirs),
            "word_differences": dict(sorted(reasons.items())),
            "positions": positions(tagged, ours, most=most),
            "position_differences": classes(tagged, ours, theirs, most=most),
            "pairs": len(tagged),
            "pairs_same": same_tags(tagged, ours, most=most),
            "pairs_same_with_their_whitelist": same_tags(tagged, theirs, most=most),
        }
    }
