"""Table 5: whole texts as a model fills them greedily, with the right words below."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.suite import Analysis, Results, Sheet
from proband.core.types import Answer, Item, Run
from proband.suites.script.corpus.running_text import running

EXAMPLES = 3


def greedy_texts(results: Results, seed: int) -> Sequence[Sheet]:
    """Some validation texts (or others, where there are none), filled by the strongest kind of model among the runs."""
    filling = [at for at, run in enumerate(results.runs) if run.solver != "align"]
    if not filling:
        return ()
    chosen = min(filling, key=lambda at: (strength(results.runs[at]), at))
    pairs = [pair for pair in results.answers(chosen) if any("guess" in blank for blank in pair[1].blanks)]
    pairs = [pair for pair in pairs if pair[0].split == "valid"] or pairs
    rows: list[tuple[str, str]] = []
    for n in range(min(EXAMPLES, len(pairs))):
        item, answer = pairs[n * len(pairs) // EXAMPLES]
        rows += [("abstract", running(item.facts["abstract"])), ("model", filled(item, answer))]
        rows += [("right", filled(item, None))]
    title = f"Table 5: blanks filled greedily by {results.labels[chosen]}"
    return (Sheet(name="table5", title=title, header=("", "text"), rows=tuple(rows), note="[in brackets]: the blanks"),)


def strength(run: Run) -> int:
    """A fine-tuned language model, then one as it comes, then a net, then a baseline."""
    if run.net:
        return 0 if run.solver == "cloze" else 2
    return 1 if run.solver in ("cloze", "generate") else 3


def filled(item: Item, answer: Answer | None) -> str:
    """The concrete text with its blanks in brackets: filled by the model, or with the gold words.

    >>> facts = {"concrete": ["use", "a", "wire", "whisk"], "blanks": [[2, 4]]}
    >>> item = Item(id="a", suite="script", prompt="", facts=facts)
    >>> filled(item, Answer(item_id="a", blanks=({"guess": ["wooden"]},))), filled(item, None)
    ('use a [wooden ____]', 'use a [wire whisk]')
    """
    words = list(item.facts["concrete"])
    for n, (start, end) in enumerate(item.facts["blanks"]):
        said = list(answer.blanks[n].get("guess", ())) if answer is not None else words[start:end]
        said += ["____"] * (end - start - len(said))
        words[start:end] = [f"[{said[0]}", *said[1:]]
        words[end - 1] += "]"
    return running(words)


GREEDY = Analysis(name="table5", help="texts as a model fills them greedily (table 5)", of=greedy_texts)
