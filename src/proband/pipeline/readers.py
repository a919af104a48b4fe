"""Models that read rows for a prover (`--reader MODEL`): each reading is a run over the texts, with all that runs have
(cache, forecast, budget, resume, errors). OUT/readings has the texts as items and a folder per reading.

Two readings are made: by two models, or by one with both prompts that ship (english/prompts).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import NamedTuple

from proband import models
from proband.core.errors import ProbandError
from proband.core.files import atomic, encode, read_answers
from proband.core.types import Answer, Item
from proband.english.model_reader import NAMES, PROMPTS, SCHEMA, read_reply, values_for
from proband.english.reading import Reading, Unread
from proband.pipeline.asking.setup import sum_usage
from proband.pipeline.run import Forecast, PartOfCommand, forecast, run_once, used_before
from proband.pipeline.run_options import RunOptions
from proband.proof.rows import AuditRow
from proband.proof.verdicts import Judge, RowJudge, RowReader, RowText

MAX_TOKENS = 2048  # of a reply, unless the user says otherwise


class ModelReading(NamedTuple):
    """One reading of all texts: a model with a prompt."""

    model: str
    prompt: str

    @property
    def name(self) -> str:
        return f"{self.model} ({self.prompt})"

    @property
    def folder(self) -> str:
        return re.sub(r"[^\w.-]+", "_", f"{self.model}-{self.prompt}")


def readings_of(specs: Sequence[str]) -> list[ModelReading]:
    """
    >>> [each.prompt for each in readings_of(["openai:a"])], [each.name for each in readings_of(["openai:a", "hf:b"])]
    (['facts', 'sentences'], ['openai:a (facts)', 'hf:b (sentences)'])
    """
    if len(set(specs)) < len(specs):
        raise ProbandError("--reader names one model twice: two readings need two models, or one (with two prompts)")
    if len(specs) == 1:
        return [ModelReading(specs[0], prompt) for prompt in NAMES]
    return [ModelReading(spec, NAMES[place % len(NAMES)]) for place, spec in enumerate(specs)]


class ModelReaders:
    """The readings of one command, for the prover of a domain. The texts that need reading are written, each once, as
    items of the suite `questions`."""

    def __init__(
        self, specs: Sequence[str], prover: Judge, rows: Iterable[AuditRow], out: Path, how: RunOptions
    ) -> None:
        if not isinstance(prover, RowJudge):
            raise ProbandError(f"--reader: texts of {prover.name} are read by their templates, not by models")
        self.readings, self.prover, self.how, self.folder = readings_of(specs), prover, how, out / "readings"
        seen: set[str] = set()
        with atomic(self.folder / "items.jsonl", mode="wb") as file:
            for row in rows:
                if row.bad or (row.facts and row.pair) or _id(row) in seen:
                    continue
                seen.add(_id(row))
                facts = {"reading": values_for(prover.domain, row.text, row.question), "json": True, "answers": []}
                item = Item(id=_id(row), suite="questions", prompt=f"{row.text}\n{row.question}".strip(), facts=facts)
                file.write(encode(item) + b"\n")

    def forecasts(self) -> list[Forecast]:
        """What each reading would ask."""
        return [
            forecast(self.folder, each.model, self.folder / each.folder, self._how(each), name=each.prompt)
            for each in self.readings
        ]

    def judge(self) -> RowJudge:
        """Ask the models for what is not there yet, and give the judge that reads by what they replied."""
        readers = []
        for each in self.readings:
            others = [used_before(self.folder / other.folder) for other in self.readings if other is not each]
            part = PartOfCommand(folder=self.folder / each.folder, options=self._how(each), name=each.name)
            run_once(self.folder, model=each.model, part=part, others=sum_usage(others))
            answers = {answer.item_id: answer for answer in read_answers(part.folder / "answers.jsonl")}
            readers.append(RowReader(each.name, self._reader(answers)))
        known = self.prover
        return RowJudge(known.domain, known.prover, known.named, readers=readers)

    def _how(self, each: ModelReading) -> RunOptions:
        kind = models.kind_of(each.model.partition(":")[0])
        takes_schema = kind is not None and any(field.name == "schema" for field in fields(kind.options))
        schema = {"schema": dict(SCHEMA)} if takes_schema else {}
        options = {"max-tokens": MAX_TOKENS, **self.how.options, "prompt": str(PROMPTS / f"{each.prompt}.jinja")}
        own = {**schema, **self.how.model_options}
        return replace(self.how, solver="generate", split="all", options=options, model_options=own)

    def _reader(self, answers: dict[str, Answer]) -> Callable[[AuditRow, RowText], Reading]:
        def read(row: AuditRow, text: RowText) -> Reading:
            answer = answers.get(_id(row))
            if answer is None or answer.status in ("error", "content_filter", "skipped"):
                why = "" if answer is None else f": {answer.text or answer.status}"[:160]
                return Reading(unread=Unread(f"the model gave no reading{why}"))
            return read_reply(answer.text or "", domain=self.prover.domain, text=row.text, question=row.question)

        return read


def _id(row: AuditRow) -> str:
    text = f"{row.text}\0{row.question}"
    return hashlib.blake2b(text.encode(errors="surrogateescape"), digest_size=12).hexdigest()
