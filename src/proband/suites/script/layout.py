"""The paper's tables as text, ours beside the published ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from proband.core.types import Answer, Item
from proband.suites.script.analysis import knowledge
from proband.suites.script.analysis.drawing import grid
from proband.suites.script.analysis.metrics import alignment_length
from proband.suites.script.cloze.blanks import STOP_WORDS
from proband.suites.script.corpus.running_text import running
from proband.suites.script.published import rows as published_rows
from proband.suites.script.published import value
from proband.suites.script.results import PLAIN, TUNED, Result, short

TABLE3_WORDS = ("cheese", "macaroni", "egg", "sauce", "oil")
TABLE3_PHRASES = ("whisk", "spatula", "tongs", "cutting board", "preheat")


def lines_of(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    made = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join([*made, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


# ---- table 1 -------------------------------------------------------------------------------------------------------


def table1_text(
    *,
    cloze: Sequence[Mapping[str, Any]],
    sequences: Sequence[Mapping[str, Any]],
    words: Mapping[str, Mapping[str, int]],
    leaks: Mapping[str, int],
) -> str:
    """Sequences, tokens, types and mean lengths: printed, counted in the released sequences, and in the cloze texts."""
    head = ["split", "", "sequences", "tokens", "types", "abstract length", "concrete length"]
    figures = ("sequences", "padded_tokens", "vocabulary", "abstract_length", "padded_length")
    counted: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in published_rows():
        if row["table"] == "table1":
            key = row["row"], "published"
            counted[key] = {**counted.get(key, {}), row["column"]: float(row["value"])}
    counted |= {(row["split"], "released sequences"): row for row in sequences}
    counted |= {(row["split"], "cloze texts"): row for row in cloze}
    rows = [
        [split, source, *(figure(counted[split, source].get(name), name) for name in figures)]
        for split in dict.fromkeys(split for split, source in counted if source == "published")
        for source in ("published", "released sequences", "cloze texts")
        if (split, source) in counted
    ]
    text = "# Table 1\n\n" + lines_of(head, rows)
    text += (
        "\nTokens count one for each of the five steps that is empty. In the released sequences rare words read #UNK#, "
        "so their types are fewer; the cloze texts have full words but lack the texts without blanks.\n\n"
    )
    text += lines_of(
        ["new words against", "types", "lemmas"],
        [
            ["published", f"{value('section2.1', 'new words', 'types'):,.0f}",
             f"{value('section2.1', 'new words', 'lemmas'):,.0f}"],
            *([name, f"{found['types']:,}", f"{found['lemmas']:,}"] for name, found in words.items()),
        ],
    )  # fmt: skip
    return text + "\n" + lines_of(["leak", "count"], [[name, str(count)] for name, count in leaks.items()])


def figure(value: float | None, name: str) -> str:
    """
    >>> figure(307573.0, "tokens"), figure(37.854, "padded_length"), figure(None, "tokens")
    ('307,573', '37.9', '–')
    """
    if value is None:
        return "–"
    return f"{value:,.1f}" if name.endswith("length") else f"{value:,.0f}"


# ---- table 5 -------------------------------------------------------------------------------------------------------


def table5(results: Sequence[Result], *, examples: int = 3) -> str:
    """Greedy decodings of some validation texts by the strongest kind of model at hand."""
    rank = {TUNED: 0, PLAIN: 1}
    if not results:
        return "# Table 5\n\nNo model was given.\n"
    chosen = min(results, key=lambda result: (rank.get(result.row, 2), result.name))
    pairs = [(i, a) for i, a in zip(chosen.items, chosen.answers) if i.tags["split"] == "valid" and a.blanks]
    picked = [pairs[n * len(pairs) // examples] for n in range(min(examples, len(pairs)))]
    rows = []
    for item, answer in picked:
        rows += [["Abs", running(item.facts["abstract"])], ["Pred", filled(item, answer)]]
        rows += [["Gold", filled(item, None)]]
    return f"# Table 5: greedy decoding by {short(chosen.name)}\n\n" + lines_of(["", "text"], rows)


def filled(item: Item, answer: Answer | None) -> str:
    """The concrete text with its blanks filled and underlined: by the model, or with the gold words."""
    words = list(item.facts["concrete"])
    for n, (start, end) in enumerate(item.facts["blanks"]):
        said = list(answer.blanks[n].get("guess", ())) if answer is not None else words[start:end]
        said += ["____"] * (end - start - len(said))
        words[start:end] = [f"<u>{word}</u>" for word in said]
    return running(words)


# ---- table 3 and figure 2 ------------------------------------------------------------------------------------------


def knowledge_files(
    results: Sequence[Result], items: Sequence[Item], *, most: int, say: Callable[[str], None]
) -> dict[str, str]:
    """Table 3, the whole table behind it, figure 2 and twenty alignments to look at, from the transducer at hand."""
    loaded = [r for row in ("transducer", "transducer-param") for r in results if r.row == row and r.model is not None]
    result = loaded[0] if loaded else None
    if result is None:
        return {"table3.md": "# Table 3\n\nNeeds a transducer: -m net:DIR, or --set nets=DIR.\n"}
    training = [item for item in items if item.tags["split"] == "train"]
    training = training[:: max(1, len(training) // most)] if most else training
    say(f"aligning {len(training):,} training texts with {result.name}")
    aligned = result.model.align([(i.facts["abstract"], i.facts["concrete"]) for i in training])
    words = frozenset(result.model.whitelist or ())
    rows = knowledge.table(knowledge.tuples(aligned, words, stop=STOP_WORDS), least=1)
    examples = aligned[:: max(1, len(aligned) // 20)][:20]
    files = {
        "table3.md": table3(rows, name=short(result.name), texts=len(training)),
        "knowledge.csv": knowledge.as_csv([row for row in rows if row.count >= 3]),
        "alignments.md": alignments_text(examples, length=alignment_length([a.path for a in aligned])),
    }
    asked = [item for item in items if item.tags["split"] == "valid"][:30:3]
    files["phrases.md"] = phrases_text(result.model, [item.facts["abstract"] for item in asked])
    for n, one in enumerate(examples[:2], start=1):
        files[f"figure2-{n}.svg"] = grid(one.abstract, one.concrete, one.path, one.posteriors)
    return files


def table3(rows: Sequence[knowledge.Row], *, name: str, texts: int) -> str:
    """Both directions for the words of the paper, each with its PMI and count."""
    to = [
        [word, ", ".join(f"{r.concrete} ({r.pmi:.1f}, {r.count})" for r in knowledge.to_concrete(rows, word)) or "–"]
        for word in TABLE3_WORDS
    ]
    back = [
        [word, ", ".join(f"{r.abstract} ({r.pmi:.1f}, {r.count})" for r in knowledge.to_abstract(rows, word)) or "–"]
        for word in TABLE3_PHRASES
    ]
    top = knowledge.as_markdown([row for row in rows if row.count >= 5], most=30)
    return (
        f"# Table 3: {texts:,} training texts aligned by {name}\n\nIn brackets: PMI and count.\n\n"
        + lines_of(["abstract", "concrete"], to)
        + "\n"
        + lines_of(["concrete", "abstract"], back)
        + "\nHighest PMI among pairs seen five times or more:\n\n"
        + top
    )


def phrases_text(net: Any, lines: Sequence[Sequence[str]]) -> str:
    """What the net would say for each word of some abstract lines."""
    parts = ["# Phrases generated for each abstract word\n"]
    for line in lines:
        said = net.phrases(line)
        spans = "\n".join(f"- **{word}**: {phrase}" for word, phrase in zip(line, said) if phrase)
        parts.append(f"\n{' '.join(line)}\n\n{spans}\n")
    return "".join(parts)


def alignments_text(aligned: Sequence[Any], *, length: float) -> str:
    """Alignments as text: each abstract word with the words it generated."""
    parts = [f"# Viterbi alignments\n\nMean length {length:.2f} (published: 6.18 fixed, 16.61 parameterised).\n"]
    for one in aligned:
        spans = "\n".join(f"- **{one.abstract[i]}**: {phrase}" for i, phrase in one.spans())
        parts.append(f"\n{' '.join(one.abstract)}\n\n{spans}\n")
    return "".join(parts)
