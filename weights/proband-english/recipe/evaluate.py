"""Figures of a pipeline on a treebank: python evaluate.py DATA [--pipeline NAME] [--split ewt-test] [--speed TEXT].

DATA: what treebanks.py wrote. With the treebank's words and sentences: attachment of all words and without punctuation,
tags. From raw text, eight sentences a document: spaCy's scorer. `--speed` parses the sentences of the split, or a text
with a paragraph a line, in one thread and counts CPU seconds.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import spacy
from spacy.tokens import Doc
from spacy.training import Example

Sentence = dict[str, list[Any]]


def read(data: Path, split: str) -> list[Sentence]:
    with gzip.open(data / f"{split}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [sentence for line in file for sentence in json.loads(line)]


def gold(vocab: Any, group: list[Sentence]) -> Doc:
    first, heads, starts = 0, [], []
    for each in group:
        count = len(each["words"])
        heads += [first + (at if head < 0 else head) for at, head in enumerate(each["heads"])]
        starts += [at == 0 for at in range(count)]
        first += count
    column = {
        name: [one for each in group for one in each[name]] for name in ("words", "spaces", "tags", "fine", "labels")
    }
    split = [each.partition(" ") for each in column["tags"]]
    return Doc(
        vocab, words=column["words"], spaces=[*column["spaces"][:-1], True], tags=column["fine"], heads=heads,
        pos=[pos for pos, _, _ in split], morphs=[features for _, _, features in split], sent_starts=starts,
        deps=["ROOT" if label == "root" else label for label in column["labels"]],
    )  # fmt: skip


def blank(vocab: Any, sentence: Sentence) -> Doc:
    starts = [True] + [False] * (len(sentence["words"]) - 1)
    return Doc(vocab, words=sentence["words"], spaces=sentence["spaces"], sent_starts=starts)


def with_given_words(nlp: Any, sentences: list[Sentence]) -> dict[str, float]:
    total: Counter[str] = Counter()
    for doc, each in zip(nlp.pipe(blank(nlp.vocab, one) for one in sentences), sentences, strict=True):
        for token, head, label, tag in zip(doc, each["heads"], each["labels"], each["tags"], strict=True):
            right = (token.head.i if token.head.i != token.i else -1) == head
            both = right and ("root" if token.dep_ == "ROOT" else token.dep_) == label
            inner = not tag.startswith("PUNCT")
            total.update(words=1, uas=right, las=both, upos=token.pos_ == tag.split()[0])
            total.update(inner=inner, inner_uas=inner and right, inner_las=inner and both)
    return {
        **{name: round(100 * total[name] / total["words"], 2) for name in ("uas", "las", "upos")},
        **{
            f"{name}, no punctuation": round(100 * total[f"inner_{name}"] / total["inner"], 2)
            for name in ("uas", "las")
        },
    }


def from_raw_text(nlp: Any, sentences: list[Sentence]) -> dict[str, float]:
    def examples() -> Iterator[Example]:
        groups = [sentences[at : at + 8] for at in range(0, len(sentences), 8)]
        golds = [gold(nlp.vocab, group) for group in groups]
        for doc, reference in zip(nlp.pipe(one.text for one in golds), golds, strict=True):
            yield Example(doc, reference)

    from spacy.scorer import Scorer

    some = list(examples())
    scores = {
        **Scorer.score_tokenization(some),
        **Scorer.score_token_attr(some, "pos"),
        **Scorer.score_token_attr(some, "morph"),
    }
    options = {"getter": lambda token, name: getattr(token, f"{name}_", ""), "ignore_labels": ("punct", "p")}
    scores |= Scorer.score_deps(some, "dep", **options)
    scores |= Scorer.score_spans(some, "sents", getter=lambda doc, _: doc.sents)
    names = ("token_acc", "pos_acc", "morph_acc", "dep_uas", "dep_las", "sents_f")
    return {name: round(100 * scores[name], 2) for name in names}


def speed(nlp: Any, texts: list[str]) -> dict[str, float]:
    list(nlp.pipe(texts[:50]))
    began, cpu = time.monotonic(), time.process_time()
    docs = list(nlp.pipe(texts))
    spent, seconds = time.process_time() - cpu, time.monotonic() - began
    counted = {"sentences": sum(len(list(doc.sents)) for doc in docs), "words": sum(map(len, docs))}
    a_minute = {f"{name} a CPU minute": round(60 * count / spent) for name, count in counted.items()}
    return {"texts": len(texts), **counted, "CPU seconds": round(spent, 1), "seconds": round(seconds, 1), **a_minute}


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("data", type=Path)
    options.add_argument("--pipeline", default="proband_english")
    options.add_argument("--split", default="ewt-test")
    options.add_argument("--speed", nargs="?", const="", help="a text; without one the split's sentences")
    chosen = options.parse_args()
    nlp = spacy.load(chosen.pipeline)
    sentences = read(chosen.data, chosen.split)
    if chosen.speed is None:
        print(json.dumps({"words and sentences given": with_given_words(nlp, sentences), "raw text": from_raw_text(nlp, sentences)}, indent=1))  # fmt: skip
    else:
        own = ["".join(word + " " * space for word, space in zip(one["words"], one["spaces"])) for one in sentences]
        texts = Path(chosen.speed).read_text(encoding="utf-8").splitlines() if chosen.speed else own
        print(json.dumps(speed(nlp, [text for text in texts if text.strip()]), indent=1))


if __name__ == "__main__":
    main()
