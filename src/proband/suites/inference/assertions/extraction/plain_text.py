"""Plain text through a spaCy pipeline: any English one that is installed, by default our own small one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError, not_installed
from proband.core.files import read_json
from proband.suites.inference.assertions.extraction.rules import extract
from proband.suites.inference.assertions.extraction.tally import Assertion, assertions
from proband.suites.inference.assertions.extraction.trees import Tree, token, tree, universal_pos

OURS = "proband_english"
NEEDED = ("tok2vec", "transformer", "tagger", "morphologizer", "attribute_ruler", "parser", "senter")
SPACES = re.compile(r"\s+")
SHORTEST = 20  # characters of a paragraph that may hold a sentence; shorter ones without an end mark are titles
LONGEST = 20_000  # characters handed over at once


class TextParser:
    """`pipeline`: the name of an installed pipeline, or a folder with one."""

    def __init__(self, pipeline: str = OURS) -> None:
        try:
            import spacy
        except ModuleNotFoundError as error:
            raise not_installed(error, "reading plain text") from None
        if pipeline == OURS and find_spec(OURS) is None:
            raise ProbandError(
                "our English pipeline is not installed: pip install ./weights/proband-english, or name another one"
            )
        try:
            self.nlp: Any = spacy.load(pipeline)
        except OSError:
            raise ProbandError(
                f"spaCy has no pipeline {pipeline!r}; python -m spacy info lists what is there"
            ) from None
        if "parser" not in self.nlp.pipe_names:
            raise ProbandError(f"the spaCy pipeline {pipeline!r} has no parser")
        self.nlp.select_pipes(enable=[name for name in self.nlp.pipe_names if name in NEEDED])

    def trees(self, paragraphs: Iterable[str]) -> Iterator[tuple[list[str], Tree]]:
        """Each sentence's words and tree."""
        for sentences in self.by_paragraph(paragraphs):
            yield from sentences

    def by_paragraph(self, paragraphs: Iterable[str]) -> Iterator[list[tuple[list[str], Tree]]]:
        """The words and trees of each paragraph's sentences."""
        for doc in self.nlp.pipe(paragraphs, batch_size=64):
            yield [([one.text for one in sentence], _tree(sentence)) for sentence in doc.sents]

    def assertions(self, paragraphs: Iterable[str]) -> Iterator[Assertion]:
        for words, parsed in self.trees(paragraphs):
            yield from assertions(words, extract(parsed))


def parser_version(pipeline: str) -> str:
    """Name and version of a pipeline, without loading it."""
    folder = Path(pipeline)
    if not folder.is_dir():
        return f"{pipeline} {getattr(import_module(pipeline), '__version__', '')}" if find_spec(pipeline) else pipeline
    meta = read_json(folder / "meta.json") if (folder / "meta.json").is_file() else {}
    return f"{meta.get('lang', '')}_{meta.get('name', '')} {meta.get('version', '')}"


def _tree(sentence: Any) -> Tree:
    first = sentence.start
    return tree(
        token(
            one.text,
            universal_pos(one.pos_, str(one.morph)),
            one.dep_,
            -1 if one.head.i == one.i else one.head.i - first,
        )
        for one in sentence
    )


def paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """Lines as paragraphs, without titles and without the `<doc>` lines of WikiExtractor.

    >>> list(paragraphs(["<doc id='1'>", "Paris", "", "Paris is the capital of  France.", "</doc>"]))
    ['Paris is the capital of France.']
    """
    for line in lines:
        line = SPACES.sub(" ", line).strip()
        if (len(line) >= SHORTEST or line.endswith((".", "!"))) and not line.startswith(("<doc ", "</doc")):
            for at in range(0, len(line), LONGEST):
                yield line[at : at + LONGEST]
