"""Our blanks beside released ones: words shared, positions shared, and a reason for every difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from proband.suites.script.cloze import blanks
from proband.suites.script.corpus.readers import Pair, released_whitelist


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


def tokens_of(spans: Iterable[Sequence[blanks.Span]]) -> set[tuple[int, int]]:
    """(pair, position) of every token left out."""
    return {(n, at) for n, found in enumerate(spans) for span in found for at in range(*span)}


def same_tags(pairs: Sequence[Pair], words: Collection[str], *, most: int) -> int:
    """Pairs whose blanks are exactly the released ones."""
    return sum(blanks.blanks(pair, words, most=most) == blanks.tagged(pair.tags or ()) for pair in pairs)


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
    ours, theirs = frozenset(words), frozenset(released_whitelist(folder) or ())
    if not tagged or not theirs:
        return {}

    def why_word(word: str) -> str:
        if word in ours:
            return "not on theirs: removed by hand, for it passes every stated condition"
        count = counted.get(word, blanks.Count(alone=0, abstract=0))
        return f"not on ours: {blanks.refused(word, count, share=share, least=least) or 'unexplained'}"

    def why_token(side: str, other: str, *, listed: bool) -> str:
        if listed:
            return f"{side} only: the word is on both, other runs fill {other} five"
        return f"{side} only: the word is not on {other} whitelist"

    left_out = tokens_of(blanks.blanks(pair, ours, most=most) for pair in tagged)
    released = tokens_of(blanks.tagged(pair.tags or ()) for pair in tagged)
    reasons = [why_token("ours", "their", listed=tagged[n].concrete[at] in theirs) for n, at in left_out - released]
    reasons += [why_token("theirs", "our", listed=tagged[n].concrete[at] in ours) for n, at in released - left_out]
    return {
        "released": {
            "words": overlap(ours, theirs),
            "word_differences": dict(sorted(Counter(map(why_word, ours ^ theirs)).items())),
            "positions": overlap(left_out, released),
            "position_differences": dict(sorted(Counter(reasons).items())),
            "pairs": len(tagged),
            "pairs_same": same_tags(tagged, ours, most=most),
            "pairs_same_with_their_whitelist": same_tags(tagged, theirs, most=most),
        }
    }
