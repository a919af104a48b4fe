"""Facts of BEAR recalled by Proband and by lm-pub-quiz: the same facts, wordings and answers, in one run.

    python benchmarks/facts.py --data BEAR --model FOLDER [--facts 10] [--relations P30] [--device cuda] [--json FILE]
    python benchmarks/facts.py --data BEAR --published examples/gpt2_results

Both read the same folder in BEAR's format, with some facts of six relations, and load the same transformers folder
(fp32, one thread, no cache of answers). The settings are lm-pub-quiz's: all wordings, sums over the tokens of a
sentence that begins with a capital letter; behind a causal model's BOS; of a masked model each token with the rest of
its word masked. Time is CPU time (with --device cuda: time by the clock, the shorter of two) without loading the model,
the relations in turn by one and by the other; lm-pub-quiz at the best of several batch sizes, found on the first facts.
A prediction is the preferred answer of a fact in one wording.

With --published, the scores that lm-pub-quiz's repository publishes for GPT-2 are scored by Proband's metric.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

METADATA = "metadata_relations.json"
RELATIONS = ("P30", "P36", "P50", "P103", "P178", "P412")
BATCHES = {"cpu": (1, 4, 16), "cuda": (16, 64, 256, 1024)}
WARM_UP = {"cpu": 2, "cuda": 10}  # facts on which batch sizes are compared
TIMES = {"cpu": 1, "cuda": 2}  # other programs may be using the GPU: the shorter of two


def some_facts(data: Path, out: Path, relation: str, facts: int) -> Path:
    """A folder like BEAR's with the first facts of one relation."""
    about = json.loads((data / METADATA).read_text(encoding="utf-8"))
    out.mkdir(parents=True)
    (out / METADATA).write_text(json.dumps({relation: about[relation]}), encoding="utf-8")
    lines = (data / f"{relation}.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (out / f"{relation}.jsonl").write_text("".join(lines[:: max(1, len(lines) // facts)][:facts]), encoding="utf-8")
    return out


class Peer:
    """lm-pub-quiz."""

    name = "lm-pub-quiz"

    def __init__(self, folder: Path, *, masked: bool, device: str) -> None:
        import torch
        from lm_pub_quiz import Evaluator

        kind, fp32 = "MLM" if masked else "CLM", {"dtype": torch.float32}  # otherwise as the file has it
        self.evaluator = Evaluator.from_model(str(folder), model_type=kind, device=device, model_kw=fp32)
        self.device, self.batch = device, 1

    def choose_batch(self, data: Path) -> None:
        taken = {}
        for size in BATCHES[self.device]:
            self.batch = size
            taken[size], _ = timed(partial(self.scores, data), self.device)
        self.batch = min(taken, key=taken.__getitem__)

    def scores(self, data: Path) -> list[list[float]]:
        """A row of scores for each fact and wording."""
        from lm_pub_quiz import Dataset

        (result,) = self.evaluator.evaluate_dataset(Dataset.from_path(str(data)), batch_size=self.batch)
        return [list(scores) for scores in result.instance_table["pll_scores"]]


class Ours:
    """`proband build facts` and `proband run`, whole."""

    name = "Proband"

    def __init__(self, folder: Path, *, masked: bool, device: str) -> None:
        import proband

        more = {} if masked else {"bos": "always"}
        self.model = proband.load_model(f"hf:{folder}", {"device": device, "dtype": "float32", **more})
        self.options = {"method": "pll-word-l2r"} if masked else {}

    def scores(self, data: Path) -> list[list[float]]:
        import proband

        with tempfile.TemporaryDirectory() as folder:
            items, out = Path(folder, "items"), Path(folder, "run")
            proband.build("facts", out=items, data=str(data))
            proband.run(items, model=self.model, out=out, solver="likelihood", options=self.options, cache=False)
            answers = [json.loads(line) for line in (out / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
        return [blank["scores"] for answer in answers for blank in answer["blanks"]]


def timed(work: Callable[[], Any], device: str) -> tuple[float, Any]:
    """Seconds, and the result; scores have come back from the GPU when it is there."""
    clock = time.process_time if device == "cpu" else time.perf_counter
    taken = []
    for _ in range(TIMES[device]):
        begun = clock()
        result = work()
        taken.append(clock() - begun)
    return min(taken), result


def compared(theirs: Sequence[Sequence[float]], ours: Sequence[Sequence[float]]) -> dict[str, Any]:
    """How often both prefer the same answer, and how far their scores of one fact and wording differ beyond a constant
    (what stands before the answer is the same in all sentences)."""
    same, gaps, other = 0, [], []
    for row, (a, b) in enumerate(zip(theirs, ours, strict=True)):
        first, second = np.array(a), np.array(b)
        gaps.append(float(np.ptp(first - second)))
        if int(first.argmax()) == int(second.argmax()):
            same += 1
        else:
            best = np.sort(first)[::-1]
            other.append({"row": row, "lead of lm-pub-quiz's answer": float(best[0] - best[1]), "gap": gaps[-1]})
    return {"predictions": len(gaps), "same": same, "largest gap": max(gaps), "other": other}


def side_by_side(given: argparse.Namespace, work: Path) -> dict[str, Any]:
    import torch
    from transformers import AutoConfig

    if given.device == "cpu":
        torch.set_num_threads(1)
    masked = "MaskedLM" in str(AutoConfig.from_pretrained(given.model).architectures)
    options: dict[str, Any] = {"masked": masked, "device": given.device}
    peer, ours = Peer(given.model, **options), Ours(given.model, **options)
    relations = given.relations.split(",")
    trial = some_facts(given.data, work / "trial", relations[0], WARM_UP[given.device])
    peer.choose_batch(trial)
    ours.scores(trial)
    lines = []
    for relation in relations:
        data = some_facts(given.data, work / relation, relation, given.facts)
        answers = len(json.loads((data / METADATA).read_text(encoding="utf-8"))[relation]["answer_space_labels"])
        (their_time, theirs), (our_time, own) = (timed(partial(who.scores, data), given.device) for who in (peer, ours))
        line = {"relation": relation, "answers": answers, peer.name: their_time, ours.name: our_time}
        lines.append({**line, **compared(theirs, own)})
        print(json.dumps(lines[-1]), file=sys.stderr, flush=True)
    return {"model": given.model.name, "masked": masked, "batch": peer.batch, "relations": lines}


def table(result: dict[str, Any]) -> str:
    lines = [f"{result['model']}, lm-pub-quiz in batches of {result['batch']}", ""]
    lines += [
        "| relation | answers | predictions | the same | difference, nats | lm-pub-quiz, s | Proband, s | ratio |"
    ]
    lines += ["|---|--:|--:|--:|--:|--:|--:|--:|"]
    rows = result["relations"]
    total = {name: sum(row[name] for row in rows) for name in ("predictions", "same", Peer.name, Ours.name)}
    widest = max(row["largest gap"] for row in rows)
    for row in [*rows, {"relation": "all", "answers": "", "largest gap": widest, **total}]:
        lines.append(
            f"| {row['relation']} | {row['answers']} | {row['predictions']} | {row['same']} | {row['largest gap']:.1e} "
            f"| {row[Peer.name]:.1f} | {row[Ours.name]:.1f} | {row[Peer.name] / row[Ours.name]:.1f} |"
        )
    return "\n".join(lines)


def published(data: Path, folder: Path) -> str:
    """The published scores of the first wording as answers to our items of BEAR, by our metric."""
    from proband.core.types import Answer, Item
    from proband.suites.facts.build import BuildOptions, build
    from proband.suites.facts.recall import recalled

    items: dict[str, list[Item]] = {}
    for item in build(BuildOptions(data=str(data)), seed=0).items:
        assert isinstance(item, Item)
        items.setdefault(str(item.tags["relation"]), []).append(item)
    spaces = json.loads((folder / "metadata_results.json").read_text(encoding="utf-8"))
    rights, means = [], {}
    for relation, own in items.items():
        rows = map(json.loads, (folder / f"{relation}_results.jsonl").read_text(encoding="utf-8").splitlines())
        by_subject = {(" ".join(row["sub_label"].split()), row["answer_idx"]): row["pll_scores"] for row in rows}
        space = spaces[relation]["answer_space_labels"]
        right = []
        for item in own:
            scores = dict(zip(space, by_subject[item.facts["subject"], space.index(item.facts["object"])], strict=True))
            answer = Answer(item_id=item.id, scores=tuple(scores[choice] for choice in item.choices))
            right.append(recalled(item, answer) or 0.0)
        rights += right
        means[relation] = sum(right) / len(right)
    first = ", ".join(f"{name} {100 * mean:.2f}" for name, mean in list(means.items())[:5])
    return (
        f"{len(rights):,} facts of {len(means)} relations: accuracy {100 * np.mean(rights):.2f} %, mean of relations "
        f"{100 * np.mean(list(means.values())):.2f} %; {first}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--relations", default=",".join(RELATIONS))
    parser.add_argument("--facts", type=int, default=10, help="of each relation")
    parser.add_argument("--device", choices=tuple(BATCHES), default="cpu")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--published", type=Path)
    given = parser.parse_args()
    if given.published:
        print(published(given.data, given.published))
        return
    with tempfile.TemporaryDirectory() as work:
        result = side_by_side(given, Path(work))
    print(table(result))
    if given.json:
        given.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
