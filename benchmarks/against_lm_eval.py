"""Log-likelihoods and generated texts: Proband beside lm-evaluation-harness, same model, same texts.

    .venv-interop/bin/python benchmarks/against_lm_eval.py --stories 25 --json against-cpu.json     # SmolLM2, CPU
    python benchmarks/against_lm_eval.py --texts texts.json --model random-1b --device cuda --json against-gpu.json

Each tool runs in a process of its own (`--tool`), loads the model, warms up on one item, and is timed on all: CPU time
on a CPU (other programs on the machine do not count), the clock on a GPU. The harness's own model class (HFLM) is
called with the requests that its multiple-choice and generation tasks would make, at the best of several batch sizes,
found on a part of the texts. The scores must agree, and so must the texts (CPU, fp32).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

BATCHES = {"cpu": (1, 4, 16), "cuda": (32, 128, 512)}
DTYPES = {"cpu": "float32", "cuda": "bfloat16"}
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


def model_folder(name: str, folder: Path, tokenizer: Path | None) -> Path:
    """SmolLM2 as an ordinary folder, or a model of random weights with its tokenizer."""
    if name != "random-1b":
        from proband.models.checkpoints import unpacked
        from proband.models.embedded import folder_of

        return unpacked(next(folder_of("smollm2").glob("*.gguf")), name=name)
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    read = AutoTokenizer.from_pretrained(tokenizer or model_folder("smollm2", folder, None))
    torch.manual_seed(0)
    ends = {"bos_token_id": read.bos_token_id, "eos_token_id": read.eos_token_id}
    config = AutoConfig.for_model("llama", vocab_size=len(read), **ONE_BILLION, **ends)
    made: Any = AutoModelForCausalLM.from_config(config)  # type: ignore[no-untyped-call]
    made.to(torch.bfloat16).save_pretrained(folder / name)
    read.save_pretrained(folder / name)
    return folder / name


# ---- the two tools: a list of texts in, numbers or texts out -------------------------------------------------------


def proband_tool(folder: Path, device: str, batch: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    from proband.core.protocols import Text
    from proband.models import load

    model = load(f"hf:{folder}", {"device": device, "dtype": DTYPES[device]})

    def score(texts: list[dict[str, Any]]) -> list[float]:
        asked = [Text(t["context"] + c, start=len(t["context"])) for t in texts for c in t["continuations"]]
        return [each.total for each in model.score(asked, method="ll")]

    def write(texts: list[dict[str, Any]]) -> list[str]:
        prompts = [text["context"] for text in texts]
        return list(model.generate(prompts, max_tokens=WRITTEN, temperature=0.0, seed=0, stop=()))

    return score, write


def lm_eval_tool(folder: Path, device: str, batch: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model = HFLM(pretrained=str(folder), device=device, dtype=DTYPES[device], batch_size=batch)

    def requests(kind: str, arguments: list[tuple[Any, ...]]) -> list[Any]:
        return [Instance(request_type=kind, doc={}, arguments=each, idx=at) for at, each in enumerate(arguments)]

    def score(texts: list[dict[str, Any]]) -> list[float]:
        pairs: list[tuple[Any, ...]] = [(text["context"], each) for text in texts for each in text["continuations"]]
        return [found for found, _ in model.loglikelihood(requests("loglikelihood", pairs), disable_tqdm=True)]

    def write(texts: list[dict[str, Any]]) -> list[str]:
        how = {"until": [], "max_gen_toks": WRITTEN, "do_sample": False}
        asked: list[tuple[Any, ...]] = [(text["context"], dict(how)) for text in texts]
        return list(model.generate_until(requests("generate_until", asked), disable_tqdm=True))

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


def one_tool(name: str, folder: Path, texts: list[dict[str, Any]], device: str, repeats: int) -> dict[str, Any]:
    """Seconds and results of both kinds of work, at the tool's best batch size."""
    batches = BATCHES[device] if name == "lm-eval" else (0,)
    part = texts[: max(8, len(texts) // 10)]
    found: dict[str, Any] = {}
    for place, kind in enumerate(("likelihood", "generation")):
        tries = []
        for batch in batches:
            work = TOOLS[name](folder, device, batch)[place]
            work(texts[:1])  # warm-up
            tries.append((timed(lambda work=work: work(part), device)[0] if len(batches) > 1 else 0.0, batch))
        best = min(tries)[1]
        work = TOOLS[name](folder, device, best)[place]
        work(texts[:1])
        runs = [timed(lambda work=work: work(texts), device) for _ in range(repeats)]
        found[kind] = {"seconds": min(seconds for seconds, _ in runs), "batch": best, "made": runs[-1][1]}
        print(f"{name}, {kind}: {found[kind]['seconds']:.1f} s, batch {best}", file=sys.stderr, flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stories", type=int, default=25)
    parser.add_argument("--texts", type=Path, help="texts of an earlier run (--save-texts), instead of stories")
    parser.add_argument("--save-texts", type=Path, help="write the texts and stop")
    parser.add_argument("--model", default="smollm2", choices=["smollm2", "random-1b"])
    parser.add_argument("--tokenizer", type=Path, help="folder with the tokenizer of the model of random weights")
    parser.add_argument("--device", default="cpu", choices=list(BATCHES))
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--tool", choices=list(TOOLS), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.tool:
        texts = json.loads(given.texts.read_text(encoding="utf-8"))
        found = one_tool(given.tool, given.folder, texts, given.device, given.repeats)
        given.json.write_text(json.dumps(found), encoding="utf-8")
        return
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        texts = json.loads(given.texts.read_text()) if given.texts else make_texts(given.stories, folder)
        if given.save_texts:
            given.save_texts.write_text(json.dumps(texts), encoding="utf-8")
            return
        (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
        model = model_folder(given.model, folder, given.tokenizer)
        both = {name: run_tool(name, model, folder, given) for name in TOOLS}
    report(both, texts, given)


def run_tool(name: str, model: Path, folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    words = ["--tool", name, "--folder", model, "--texts", folder / "texts.json", "--json", folder / f"{name}.json"]
    words += ["--device", given.device, "--repeats", str(given.repeats)]
    subprocess.run([sys.executable, __file__, *map(str, words)], check=True)
    found: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return found


def report(both: dict[str, Any], texts: list[dict[str, Any]], given: argparse.Namespace) -> None:
    ours, theirs = both["proband"], both["lm-eval"]
    scores, others = ours["likelihood"].pop("made"), theirs["likelihood"].pop("made")
    written, also = ours["generation"].pop("made"), theirs["generation"].pop("made")
    summary = {
        "stories": len(texts),
        "texts scored": len(scores),
        "model": given.model,
        "device": given.device,
        "dtype": DTYPES[given.device],
        "largest difference of scores": max(abs(a - b) for a, b in zip(scores, others, strict=True)),
        "same texts written": sum(a.strip() == b.strip() for a, b in zip(written, also, strict=True)),
        **{
            kind: {
                "proband seconds": ours[kind]["seconds"],
                "lm-eval seconds": theirs[kind]["seconds"],
                "times": theirs[kind]["seconds"] / ours[kind]["seconds"],
                "lm-eval batch": theirs[kind]["batch"],
            }
            for kind in ("likelihood", "generation")
        },
    }
    print(json.dumps(summary, indent=2))
    if given.json:
        given.json.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
