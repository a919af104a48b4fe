"""How long all of BATS takes: 40 relations, three probes, zero-shot and supervised.

    python benchmarks/analogy.py --data BATS --model embedded:glove --zero-shot all --supervised all --json vec.json
    python benchmarks/analogy.py --data BATS --model embedded:mlm --zero-shot 100 --supervised all --json mlm.json
    python benchmarks/analogy.py --data BATS --shape large --device cuda --zero-shot all --faithful --json gpu.json

`--shape` takes a RoBERTa of that shape with random weights (speed does not depend on what they are) and a byte-level
tokenizer trained on the lists. Time is given by the clock and as CPU time, the building of the items apart. Each
relation's items go to the solver together, as a run's chunks do, and every distinct sentence is scored once.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from proband.core.metrics import accuracy_of
from proband.core.types import Item
from proband.pipeline.asking.setup import choose_solver
from proband.suites.analogy import SUITE, sources
from proband.suites.analogy.build import BuildOptions

SHAPES = {
    "tiny": {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 256},
    "base": {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072},
    "large": {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096},
}
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def random_roberta(shape: str, data: str, folder: Path) -> str:
    """A model folder with random weights; most of the lists' words are one or two tokens, as RoBERTa's are."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaForMaskedLM

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    text = [f"What {t.head} is to {t.tail}, {t.head} is to {t.tail}." for r in sources.read(data)[0] for t in r.tuples]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        text,
        trainers.BpeTrainer(vocab_size=4000, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False),
    )
    made.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=True),
            processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]),
        ]
    )
    names = dict(zip(("cls", "pad", "sep", "unk", "mask"), SPECIAL, strict=True))
    kind: Any = PreTrainedTokenizerFast
    kind(tokenizer_object=made, model_max_length=512, **{f"{k}_token": v for k, v in names.items()}).save_pretrained(
        folder
    )
    torch.manual_seed(0)
    made_config: Any = RobertaConfig
    config = made_config(vocab_size=50265, max_position_embeddings=514, type_vocab_size=1, **SHAPES[shape])
    network: Any = RobertaForMaskedLM
    network(config).save_pretrained(folder)
    return f"hf:{folder}"


def measure(model: Any, options: BuildOptions) -> dict[str, Any]:
    began, cpu_began = time.perf_counter(), time.process_time()
    items = [item for item in SUITE.build(options, seed=0).items if isinstance(item, Item)]
    ready, cpu = time.perf_counter(), time.process_time()
    solver = choose_solver(SUITE, model, None, setting=options.setting)
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(str(item.tags["relation"]), []).append(item)
    values: list[float] = []
    for own in groups.values():
        answers = solver.solve(own, model, seed=0, options=solver.options())
        values += [v for i, a in zip(own, answers, strict=True) if (v := accuracy_of(i, a)) is not None]
    told = {
        "setting": options.setting,
        "solver": solver.name,
        "relations": len(groups),
        "items": len(items),
        "distinct_sentences": len(set().union(*(sentences(item) for item in items))),
        "build_s": round(ready - began, 2),
        "build_cpu_s": round(cpu - cpu_began, 2),
        "solve_s": round(time.perf_counter() - ready, 2),
        "solve_cpu_s": round(time.process_time() - cpu, 2),
        "accuracy": round(sum(values) / len(values), 4),
    }
    print(json.dumps(told), flush=True)
    return told


def sentences(item: Item) -> set[tuple[str, ...]]:
    facts = item.facts
    options = facts["options"] if "options" in facts else [facts["option"]]
    return {(*facts["query"], *option) for option in options}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--model")
    parser.add_argument("--shape", choices=SHAPES)
    parser.add_argument("--device")
    parser.add_argument("--zero-shot", default="100", help="positives per relation and probe, all, or no")
    parser.add_argument("--supervised", default="all")
    parser.add_argument("--faithful", action="store_true")
    parser.add_argument("--relations", default="", help="only some, by parts of their names")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    from proband import models

    options = BuildOptions(data=given.data, faithful=given.faithful, relations=given.relations)
    amounts = {"zero-shot": given.zero_shot, "supervised": given.supervised}
    with tempfile.TemporaryDirectory() as folder:
        name = given.model or random_roberta(given.shape or "tiny", given.data, Path(folder))
        began = time.perf_counter()
        model = models.load(name, {"device": given.device or None})
        loaded = time.perf_counter() - began
        runs = [
            measure(model, replace(options, setting=setting, per_relation=0 if amount == "all" else int(amount)))
            for setting, amount in amounts.items()
            if amount != "no"
        ]
    told = {
        "model": given.model or f"RoBERTa-{given.shape or 'tiny'} shape, random weights",
        "device": given.device or "cpu",
        "load_s": round(loaded, 2),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "total_s": round(loaded + sum(r["build_s"] + r["solve_s"] for r in runs), 2),
        "runs": runs,
    }
    if given.json:
        given.json.write_text(json.dumps(told, indent=2) + "\n")
    print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()
