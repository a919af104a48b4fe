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

from proband import models
from proband.core.errors import ProbandError
from proband.core.files import read_answers, write_jsonl
from proband.core.types import Answer, Item
from proband.english.model_reader import NAMES, PROMPTS, SCHEMA, read_reply, values_for
from proband.english.reading import Reading, Unread
from proband.pipeline.asking.setup import PlannedRun
from proband.pipeline.run import Forecast, forecast, run_planned
from proband.pipeline.run_options import RunOptions
from proband.proof.rows import AuditRow
from proband.proof.verdicts import Judge, RowJudge, RowReader, RowText

MAX_TOKENS = 2048  # of a reply, unless the user says otherwise


def readings_of(specs: Sequence[str]) -> list[tuple[str, str]]:
    """The model and the prompt of each reading.

    >>> readings_of(["openai:a"]), readings_of(["openai:a", "hf:b"])
    ([('openai:a', 'facts'), ('openai:a', 'sentences')], [('openai:a', 'facts'), ('hf:b', 'sentences')])
    """
    if len(set(specs)) < len(specs):
        raise ProbandError("--reader names one model twice: two readings need two models, or one (with two prompts)")
    if len(specs) == 1:
        return [(specs[0], prompt) for prompt in NAMES]
    return [(spec, NAMES[place % len(NAMES)]) for place, spec in enumerate(specs)]


class ModelReaders:
    """The readings of one command, for the prover of a domain. The texts that need reading are written, each once, as
    items of the suite `questions`."""

    def __init__(
        self, specs: Sequence[str], prover: Judge, rows: Iterable[AuditRow], out: Path, options: RunOptions
    ) -> None:
        if not isinstance(prover, RowJudge):
            raise ProbandError(f"--reader: texts of {prover.name} are read by their templates, not by models")
        self.prover, self.folder = prover, out / "readings"
        self.readings = [self._planned(model, prompt, options) for model, prompt in readings_of(specs)]
        texts = {_id(row): row for row in rows if not row.bad and not (row.facts and row.pair)}
        write_jsonl(self.folder / "items.jsonl", (self._item(*each) for each in texts.items()))

    def _item(self, name: str, row: AuditRow) -> Item:
        facts = {"reading": values_for(self.prover.domain, row.text, row.question), "json": True, "answers": []}
        return Item(id=name, suite="questions", prompt=f"{row.text}\n{row.question}".strip(), facts=facts)

    def _planned(self, model: str, prompt: str, options: RunOptions) -> PlannedRun:
        kind = models.kind_of(model.partition(":")[0])
        takes_schema = kind is not None and any(field.name == "schema" for field in fields(kind.options))
        of_model = {**({"schema": dict(SCHEMA)} if takes_schema else {}), **options.model_options}
        of_solver = {"max-tokens": MAX_TOKENS, **options.options, "prompt": str(PROMPTS / f"{prompt}.jinja")}
        asked = replace(options, solver="generate", split="all", options=of_solver, model_options=of_model)
        folder = self.folder / re.sub(r"[^\w.-]+", "_", f"{model}-{prompt}")
        return PlannedRun(items=self.folder, model=model, folder=folder, options=asked, name=prompt)

    def forecasts(self) -> list[Forecast]:
        """What each reading would ask."""
        return [forecast(each) for each in self.readings]

    def judge(self) -> RowJudge:
        """Ask the models for what is not there yet, and give the judge that reads by what they replied."""
        readers = []
        for each in self.readings:
            run_planned(each, among=self.readings)
            answers = {answer.item_id: answer for answer in read_answers(each.folder / "answers.jsonl")}
            readers.append(RowReader(f"{each.model} ({each.name})", self._reader(answers)))
        known = self.prover
        return RowJudge(known.domain, known.prover, known.named, readers=readers)

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
