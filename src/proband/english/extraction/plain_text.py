"""Plain text through a spaCy pipeline: any English one that is installed, by default our own small one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError, not_installed
from proband.core.files import read_json
from proband.english.extraction.rules import extract
from proband.english.extraction.tally import Assertion, assertions
from proband.english.extraction.trees import Tree, token, tree, universal_pos
from proband.english.unreal import listed

OURS = "proband_english"
NEEDED = ("tok2vec", "transformer", "tagger", "morphologizer", "attribute_ruler", "parser", "senter")
SPACES = re.compile(r"\s+")
WRAPPED_WORD = re.compile(r"(?<=\w)-[ \t]*\n[ \t]*(?=\w)")
SHORTEST = 20  # least characters of a paragraph; shorter ones without an end mark are titles
LONGEST = 20_000  # most characters passed at once
LONG_SENTENCE = 60  # most words of a sentence from which assertions are taken
# abbreviations before a name never end a sentence; the others may
BEFORE_NAMES = listed(
    """
Adm Brig Capt Cmdr Col Cpl Dr Fig Figs Gen Gov Hon Lieut Lt Maj Messrs Mme Mr Mrs Ms Msgr Mt Pres Prof Rep Rev Sen Sgt
St Ste Supt approx ca cf fig figs prof viz vs
"""
)
ABBREVIATIONS = BEFORE_NAMES | listed(
    """
Assoc Ave Bldg Blvd Bros Dept Dist Esq Hosp Inst Intl Jr Ltd Mfg Mtn Natl Rd Sect Soc Sr Univ Vol Vols al dept eds eq
eqs hosp incl misc pp pts refs resp sect spp univ vol vols yr yrs
"""
)
ABBREVIATED = re.compile(rf"\b(?:{'|'.join(sorted(ABBREVIATIONS))}|[A-Z])\.$")


class TextParser:
    """`pipeline`: the name of an installed spaCy pipeline, or its folder."""

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
        for word in ABBREVIATIONS:
            self.nlp.tokenizer.add_special_case(f"{word}.", [{"ORTH": f"{word}."}])

    def trees(self, paragraphs: Iterable[str]) -> Iterator[tuple[list[str], Tree]]:
        """The words and the tree of each sentence."""
        for sentences in self.by_paragraph(paragraphs):
            yield from sentences

    def by_paragraph(self, paragraphs: Iterable[str]) -> Iterator[list[tuple[list[str], Tree]]]:
        """The words and trees of each paragraph's sentences."""
        for doc in self.nlp.pipe(self._docs(paragraphs), batch_size=64):
            yield [([one.text for one in sentence], _tree(sentence)) for sentence in doc.sents]

    def _docs(self, paragraphs: Iterable[str]) -> Iterator[Any]:
        """Paragraphs as spaCy's documents. No sentence begins after an abbreviation, or in lower case after a full
        stop."""
        for paragraph in paragraphs:
            doc = self.nlp.make_doc(SPACES.sub(" ", WRAPPED_WORD.sub("-", paragraph)).strip())
            for before, one in pairwise(doc):
                stop = before.text.endswith(".") and not one.is_punct
                if stop and (one.text[:1].islower() or before.text.rstrip(".") in BEFORE_NAMES):
                    one.is_sent_start = False
            yield doc

    def assertions(self, paragraphs: Iterable[str]) -> Iterator[Assertion]:
        """The assertions of sentences, except very long ones, in which a parser confuses subjects."""
        for words, parsed in self.trees(paragraphs):
            yield from assertions(words, extract(parsed)) if len(words) <= LONG_SENTENCE else ()


@cache
def our_parser() -> TextParser | str:
    """Our own pipeline, loaded once; or why it cannot be loaded."""
    try:
        return TextParser()
    except ProbandError as error:
        return str(error)


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
    """Lines as paragraphs, without titles and without WikiExtractor's `<doc>` lines.

    >>> list(paragraphs(["<doc id='1'>", "Paris", "", "Paris is the capital of  France.", "</doc>"]))
    ['Paris is the capital of France.']
    """
    for line in lines:
        line = SPACES.sub(" ", line).strip()
        if (len(line) >= SHORTEST or line.endswith((".", "!"))) and not line.startswith(("<doc ", "</doc")):
            while len(line) > LONGEST:
                end = line.rfind(". ", 0, LONGEST) + 1 or LONGEST
                yield line[:end]
                line = line[end:].lstrip()
            yield line


# ---- lines that wrap -------------------------------------------------------------------------------------------------


BULLET = re.compile(r"[-*\u2022#|<=]|\(?[0-9A-Za-z]{1,2}[.)]\s")
WRAPPED = range(45, 160)  # lengths of lines that may have been wrapped


def continues(line: str, after: str) -> bool:
    """Does a sentence continue in the next line? The line has no end mark, or ends with an abbreviation, and the next
    begins in lower case or the line is long enough to be wrapped. Titles are short.

    >>> continues("The company that Smith had founded sold its factory", "in Leeds to the bank.")
    True
    >>> continues("History of Paris", "Paris is the capital of France."), continues("It rained.", "The Nile rose.")
    (False, False)
    """
    if not line or not after or BULLET.match(after) or line.startswith(("<doc", "</doc")):
        return False
    ended = line.rstrip("\"')]\u201d\u2019").endswith((".", "!", "?", ":", ";"))
    if ended and not ABBREVIATED.search(line):
        return False
    return after[0].islower() or len(line) in WRAPPED


def join(line: str, after: str) -> str:
    """
    >>> join("a well-", "known city"), join("a city", "in Spain")
    ('a well-known city', 'a city in Spain')
    """
    return f"{line}{after}" if re.search(r"\w-$", line) else f"{line} {after}"
