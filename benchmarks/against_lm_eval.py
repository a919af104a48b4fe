"""Log-likelihoods and generated texts: Proband beside lm-evaluation-harness, same model, same texts.

    .venv-interop/bin/python benchmarks/against_lm_eval.py --stories 25 --json against-cpu.json     # SmolLM2, CPU
    python benchmarks/against_lm_eval.py --texts texts.json --model random-1b --device cuda --json against-gpu.json

Each tool runs in a process of its own (`--tool`), loads the model once, and is timed on all texts after a pass over a
part of them: CPU time on a CPU (other programs on the machine do not count), the clock on a GPU. The harness's own
model class (HFLM) is called with the requests that its multiple-choice and generation tasks would make, at the best of
several batch sizes, found on all texts (GPU) or a part of them (CPU); Proband chooses its own. `--batch` gives both the
same number of rows. The scores must agree, and so must the texts (CPU, fp32).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

BATCHES = {"cpu": (1, 4, 16), "cuda": (32, 128, 512)}
DTYPES = {"cpu": "float32", "cuda": "bfloat16"}  # unless --dtype names another
WRITTEN = 32  # tokens of a generated text
# the shape of Llama 3.2 1B, with SmolLM2's vocabulary: 1.07 billion parameters
ONE_BILLION = {
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "num_hidden_layers": 16,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "max_position_embeddings": 8192,
    "tie_word_embeddings": True,
}


def make_texts(stories: int, folder: Path) -> list[dict[str, Any]]:
    """Kinship stories as the export for lm-eval gives them: a context and some twenty continuations each."""
    import proband

    proband.build("kinship", out=folder / "items", k="2,3,4,5", per_k=-(-stories // 4))
    proband.export(folder / "items", to="lm-eval", out=folder / "tasks")
    lines = (folder / "tasks" / "test.jsonl").read_text(encoding="utf-8").splitlines()
    rows = list(map(json.loads, lines[:: max(1, len(lines) // stories)]))[:stories]
    return [{"context": row["context"], "continuations": row["continuations"]} for row in rows]


def model_folder(name: str, folder: Path, tokenizer: Path | None, device: str) -> Path:
    """SmolLM2 as an ordinary folder, or a model of random weights with its tokenizer."""
    if name != "random-1b":
        from proband import models

        small = models.load("embedded:smollm2", {"device": "cpu"})
        for part in (small.network.model, small.tokenizer):
            part.save_pretrained(folder / name)
        return folder / name
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    read = AutoTokenizer.from_pretrained(tokenizer or model_folder("smollm2", folder, None, device))
    torch.manual_seed(0)
    ends = {"bos_token_id": read.bos_token_id, "eos_token_id": read.eos_token_id}
    config = AutoConfig.for_model("llama", vocab_size=len(read), **ONE_BILLION, **ends)
    auto: Any = AutoModelForCausalLM
    with torch.device(device):
        made = auto.from_config(config)
    made.to(torch.bfloat16).save_pretrained(folder / name)
    read.save_pretrained(folder / name)
    return folder / name


# ---- the two tools: a list of texts in, numbers or texts out -------------------------------------------------------


def proband_tool(folder: Path, device: str, dtype: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    from proband.core.protocols import Text
    from proband.models import load

    model = load(f"hf:{folder}", {"device": device, "dtype": dtype})

    def score(texts: list[dict[str, Any]], batch: int) -> list[float]:
        model.network.budget.rows = batch or None
        parts = [Text(t["context"] + c, start=len(t["context"])) for t in texts for c in t["continuations"]]
        return [each.total for each in model.score(parts, method="ll")]

    def write(texts: list[dict[str, Any]], batch: int) -> list[str]:
        model.network.writing.rows = batch or None
        prompts = [text["context"] for text in texts]
        return list(model.generate(prompts, max_tokens=WRITTEN, temperature=0.0, seed=0, stop=()))

    return score, write


def lm_eval_tool(folder: Path, device: str, dtype: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model = HFLM(pretrained=str(folder), device=device, dtype=dtype, batch_size=1)

    def requests(kind: str, arguments: list[tuple[Any, ...]], batch: int) -> list[Any]:
        model.batch_size_per_gpu = batch
        return [Instance(request_type=kind, doc={}, arguments=each, idx=at) for at, each in enumerate(arguments)]

    def score(texts: list[dict[str, Any]], batch: int) -> list[float]:
        pairs: list[tuple[Any, ...]] = [(text["context"], each) for text in texts for each in text["continuations"]]
        made = model.loglikelihood(requests("loglikelihood", pairs, batch), disable_tqdm=True)
        return [total for total, _ in made]

    def write(texts: list[dict[str, Any]], batch: int) -> list[str]:
        options = {"until": [], "max_gen_toks": WRITTEN, "do_sample": False}
        prompts: list[tuple[Any, ...]] = [(text["context"], dict(options)) for text in texts]
        return list(model.generate_until(requests("generate_until", prompts, batch), disable_tqdm=True))

    return score, write


TOOLS = {"proband": proband_tool, "lm-eval": lm_eval_tool}


def timed(work: Callable[[], Any], device: str) -> tuple[float, Any]:
    clock = time.process_time if device == "cpu" else time.perf_counter
    start = clock()
    made = work()
    if device == "cuda":
        import torch

        torch.cuda.synchronize()
    return clock() - start, made


def one_tool(name: str, texts: list[dict[str, Any]], given: argparse.Namespace) -> dict[str, Any]:
    """Seconds and results of both kinds of work, at the tool's best batch size (0: Proband's own)."""
    own = ((given.lm_eval_batch,) if given.lm_eval_batch else BATCHES[given.device]) if name == "lm-eval" else (0,)
    batches = (given.batch,) if given.batch else own
    part = texts if given.device == "cuda" else texts[: max(8, len(texts) // 10)]
    both = TOOLS[name](given.folder, given.device, given.dtype or DTYPES[given.device])
    measured: dict[str, Any] = {}
    for work, kind in zip(both, ("likelihood", "generation")):
        best = min(batches, key=partial(_tried, work, part, given.device)) if len(batches) > 1 else batches[0]
        work(part[: 8 if given.device == "cuda" else 1], best)  # warm
        runs = [timed(partial(work, texts, best), given.device) for _ in range(given.repeats)]
        seconds = [each for each, _ in runs]
        measured[kind] = {"seconds": min(seconds), "all": seconds, "batch": best, "made": runs[-1][1]}
        print(f"{name}, {kind}: {min(seconds):.2f} s, batch {best}", file=sys.stderr, flush=True)
    return measured


def _tried(work: Callable[..., Any], part: list[dict[str, Any]], device: str, batch: int) -> float:
    work(part[:1], batch)
    return timed(partial(work, part, batch), device)[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stories", type=int, default=25)
    parser.add_argument("--texts", type=Path, help="texts of an earlier run (--save-texts), instead of stories")
    parser.add_argument("--save-texts", type=Path, help="write the texts and stop")
    parser.add_argument("--model", default="smollm2", choices=["smollm2", "random-1b"])
    parser.add_argument("--tokenizer", type=Path, help="folder with the tokenizer of the model of random weights")
    parser.add_argument("--device", default="cpu", choices=list(BATCHES))
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], help="instead of the device's own")
    parser.add_argument("--batch", type=int, default=0, help="rows in a batch, of both tools (default: the best)")
    parser.add_argument("--lm-eval-batch", type=int, default=0, help="rows in a batch of lm-eval (default: the best)")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--tool", choices=list(TOOLS), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help="a model's folder, instead of --model")
    given = parser.parse_args()
    if given.tool:
        texts = json.loads(given.texts.read_text(encoding="utf-8"))
        given.json.write_text(json.dumps(one_tool(given.tool, texts, given)), encoding="utf-8")
        return
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        texts = json.loads(given.texts.read_text()) if given.texts else make_texts(given.stories, folder)
        if given.save_texts:
            given.save_texts.write_text(json.dumps(texts), encoding="utf-8")
            return
        (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
        model = given.folder or model_folder(given.model, folder, given.tokenizer, given.device)
        both = {name: run_tool(name, model, folder, given) for name in TOOLS}
    report(both, texts, given)


def run_tool(name: str, model: Path, folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    words = ["--tool", name, "--folder", model, "--texts", folder / "texts.json", "--json", folder / f"{name}.json"]
    words += ["--device", given.device, "--repeats", given.repeats, "--batch", given.batch]
    words += ["--lm-eval-batch", given.lm_eval_batch]
    words += ["--dtype", given.dtype] if given.dtype else []
    subprocess.run([sys.executable, __file__, *map(str, words)], check=True)
    measured: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return measured


def report(both: dict[str, Any], texts: list[dict[str, Any]], given: argparse.Namespace) -> None:
    ours, theirs = both["proband"], both["lm-eval"]
    scores, others = ours["likelihood"].pop("made"), theirs["likelihood"].pop("made")
    written, also = ours["generation"].pop("made"), theirs["generation"].pop("made")
    summary = {
        "stories": len(texts),
        "texts scored": len(scores),
        "model": given.model,
        "device": given.device,
        "dtype": given.dtype or DTYPES[given.device],
        "largest difference of scores": max(abs(a - b) for a, b in zip(scores, others, strict=True)),
        "same choice": sum(_choices(texts, scores)[i] == choice for i, choice in enumerate(_choices(texts, others))),
        "same texts written": sum(a.strip() == b.strip() for a, b in zip(written, also, strict=True)),
        **{
            kind: {
                "proband seconds": ours[kind]["seconds"],
                "lm-eval seconds": theirs[kind]["seconds"],
                "times": theirs[kind]["seconds"] / ours[kind]["seconds"],
                "proband batch": ours[kind]["batch"] or "its own",
                "lm-eval batch": theirs[kind]["batch"],
                "all proband seconds": ours[kind]["all"],
                "all lm-eval seconds": theirs[kind]["all"],
            }
            for kind in ("likelihood", "generation")
        },
    }
    print(json.dumps(summary, indent=2))
    if given.json:
        given.json.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")


def _choices(texts: list[dict[str, Any]], scores: list[float]) -> list[int]:
    """The best continuation of each story."""
    each = iter(scores)
    lines = [[next(each) for _ in text["continuations"]] for text in texts]
    return [line.index(max(line)) for line in lines]


if __name__ == "__main__":
    main()
