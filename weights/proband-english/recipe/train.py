"""Trains the parser: python train.py DATA MLM OUT [--layers 4] [--minutes 8] [--epochs 60].

DATA: what treebanks.py and sentences.py wrote; MLM: the folder of proband-mlm's weights, whose first layers are the
encoder. Its word pieces stay as they are. One pass over a window of one to eight sentences gives every word's tag, whether
it begins a sentence, and scores of heads and labels within its sentence (Dozat and Manning 2017). OUT/NAME.npz has the
weights in half precision, without the word pieces (export.py adds them).
"""

from __future__ import annotations

import argparse
import copy
import gzip
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src" / "proband_english"))
from pieces import SHAPES, Pieces, shape

LONGEST = 250  # pieces of a window
ARC, LABEL = 256, 96
MASK = 103


class Encoder(nn.Module):
    def __init__(self, layers: int, weights: dict[str, Tensor], dropout: float) -> None:
        super().__init__()
        name = "bert.embeddings."
        word, position = (
            weights[name + "word_embeddings.weight"],
            weights[name + "position_embeddings.weight"][: LONGEST + 6],
        )
        width = word.shape[1]
        self.word = nn.Embedding.from_pretrained(word.float(), freeze=True)
        self.position = nn.Parameter(position.float() + weights[name + "token_type_embeddings.weight"][:1].float())
        self.case = nn.Embedding(len(SHAPES), width)
        nn.init.zeros_(self.case.weight)
        self.norm = _norm(weights, name + "LayerNorm")
        self.layers = nn.ModuleList(Layer(weights, f"bert.encoder.layer.{at}.", dropout) for at in range(layers))
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor, shapes: Tensor, mask: Tensor) -> Tensor:
        x = self.word(ids) + self.case(shapes) + self.position[: ids.shape[1]]
        x = self.dropout(self.norm(x))
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :])
        return x


class Layer(nn.Module):
    HEADS = 12

    def __init__(self, weights: dict[str, Tensor], name: str, dropout: float) -> None:
        super().__init__()
        parts = [name + f"attention.self.{part}" for part in ("query", "key", "value")]
        self.qkv = _linear(
            torch.cat([weights[part + ".weight"] for part in parts]),
            torch.cat([weights[part + ".bias"] for part in parts]),
        )
        self.out = _linear(
            weights[name + "attention.output.dense.weight"], weights[name + "attention.output.dense.bias"]
        )
        self.norm1 = _norm(weights, name + "attention.output.LayerNorm")
        self.up = _linear(weights[name + "intermediate.dense.weight"], weights[name + "intermediate.dense.bias"])
        self.down = _linear(weights[name + "output.dense.weight"], weights[name + "output.dense.bias"])
        self.norm2 = _norm(weights, name + "output.LayerNorm")
        self.rate, self.dropout = dropout, nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        size = x.shape
        q, k, v = self.qkv(x).view(size[0], size[1], 3, self.HEADS, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=self.rate if self.training else 0.0)
        x = self.norm1(x + self.dropout(self.out(y.transpose(1, 2).reshape(size))))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x), approximate="tanh"))))


def _linear(weight: Tensor, bias: Tensor) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0])
    layer.weight.data, layer.bias.data = weight.float(), bias.float()
    return layer


def _norm(weights: dict[str, Tensor], name: str) -> nn.LayerNorm:
    norm = nn.LayerNorm(weights[name + ".weight"].shape[0], eps=1e-12)
    norm.weight.data, norm.bias.data = weights[name + ".weight"].float(), weights[name + ".bias"].float()
    return norm


class Parser(nn.Module):
    def __init__(self, encoder: Encoder, tags: int, fine: int, labels: int, dropout: float = 0.33) -> None:
        super().__init__()
        width = encoder.word.weight.shape[1]
        self.encoder = encoder
        self.tag, self.fine, self.start = nn.Linear(width, tags), nn.Linear(width, fine), nn.Linear(width, 1)
        self.root = nn.Parameter(torch.randn(width) * 0.02)
        self.arc_dep, self.arc_head = nn.Linear(width, ARC), nn.Linear(width, ARC)
        self.label_dep, self.label_head = nn.Linear(width, LABEL), nn.Linear(width, LABEL)
        self.arc = nn.Parameter(torch.randn(ARC + 1, ARC) * 0.02)
        self.label = nn.Parameter(torch.randn(LABEL + 1, labels, LABEL + 1) * 0.02)
        self.drop = nn.Dropout(dropout)

    def states(self, batch: dict[str, Tensor]) -> Tensor:
        """One vector a word: the mean of its pieces. The last row is the root's."""
        x = self.encoder(batch["ids"], batch["shapes"], batch["mask"])
        x = x.reshape(-1, x.shape[-1])[batch["piece"]]
        words = int(batch["words"])
        out = torch.zeros(words, x.shape[-1], device=x.device, dtype=torch.float32).index_add_(
            0, batch["word"], x.float()
        )
        return torch.cat([out / batch["size"][:, None], self.root[None]])

    def forward(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        flat = self.drop(self.states(batch))
        sentences = flat[
            batch["sentence"]
        ]  # sentences, 1 + words: the root first, then words, then the root as padding
        dep, head = self.drop(F.gelu(self.arc_dep(sentences[:, 1:]))), self.drop(F.gelu(self.arc_head(sentences)))
        arcs = _one(dep) @ self.arc @ head.transpose(1, 2)
        arcs = arcs.masked_fill(~batch["real"][:, None, :], -1e9)
        dep = _one(self.drop(F.gelu(self.label_dep(sentences[:, 1:]))))
        head = _one(self.drop(F.gelu(self.label_head(sentences))))
        return {
            "tag": self.tag(flat[:-1]), "fine": self.fine(flat[:-1]), "start": self.start(flat[:-1])[:, 0],
            "arc": arcs, "dep": dep, "head": head,
        }  # fmt: skip

    def labels(self, out: dict[str, Tensor], heads: Tensor) -> Tensor:
        head = torch.gather(out["head"], 1, heads.clamp(min=0)[..., None].expand(-1, -1, out["head"].shape[-1]))
        return torch.einsum("smi,ilj,smj->sml", out["dep"], self.label, head)


def _one(x: Tensor) -> Tensor:
    return torch.cat([x, torch.ones_like(x[..., :1])], -1)


# ---- data ----------------------------------------------------------------------------------------------------------


class Sentence:
    def __init__(self, raw: dict[str, list[Any]], cut: Pieces, names: dict[str, dict[str, int]]) -> None:
        pieces = [cut(word) for word in raw["words"]]
        self.sizes = np.array([len(each) for each in pieces])
        self.ids = np.concatenate(pieces)
        self.shapes = np.repeat([shape(word) for word in raw["words"]], self.sizes)
        self.tags = np.array([names["tag"].get(each, 0) for each in raw["tags"]])
        self.fine = np.array([names["fine"].get(each, 0) for each in raw["fine"]])
        self.labels = np.array([names["label"].get(each, 0) for each in raw["labels"]])
        self.heads = np.array(raw["heads"]) + 1  # 0: the root
        self.open_end = len(pieces) > 3 and raw["words"][-1] in (".", "!") and not (self.heads == len(pieces)).any()

    def __len__(self) -> int:
        return len(self.sizes)

    def without_end(self) -> Sentence:
        other = copy.copy(self)
        other.ids, other.shapes = self.ids[: -self.sizes[-1]], self.shapes[: -self.sizes[-1]]
        for name in ("sizes", "tags", "fine", "labels", "heads"):
            setattr(other, name, getattr(self, name)[:-1])
        return other


def read(path: Path) -> list[list[dict[str, list[Any]]]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def windows(documents: list[list[Sentence]], rng: random.Random) -> list[list[Sentence]]:
    """Sentences that follow one another: half of the windows have one, the others two to eight."""
    out = []
    for document in documents:
        at = 0
        while at < len(document):
            many = 1 if rng.random() < 0.6 else rng.randint(2, 8)
            window: list[Sentence] = []
            while at < len(document) and len(window) < many:
                if window and sum(len(each.ids) for each in window) + len(document[at].ids) > LONGEST:
                    break
                window.append(document[at])
                at += 1
            if sum(len(each.ids) for each in window) <= LONGEST:
                if window[-1].open_end and rng.random() < 0.06:
                    window[-1] = window[-1].without_end()
                out.append(window)
    return out


def batches(groups: list[list[Sentence]], size: int, rng: random.Random | None) -> list[list[list[Sentence]]]:
    def length(group: list[Sentence]) -> float:
        return sum(len(each.ids) for each in group) * (rng.uniform(0.85, 1.15) if rng else 1)

    out: list[list[list[Sentence]]] = [[]]
    widest = 0
    for group in sorted(groups, key=length):
        widest = max(widest, sum(len(each.ids) for each in group) + 2)
        if out[-1] and (len(out[-1]) + 1) * widest > size:
            out.append([])
            widest = sum(len(each.ids) for each in group) + 2
        out[-1].append(group)
    if rng:
        rng.shuffle(out)
    return out


def tensors(groups: list[list[Sentence]], device: str, rng: np.random.Generator | None = None) -> dict[str, Tensor]:
    width = max(sum(len(each.ids) for each in group) for group in groups) + 2
    ids, shapes = np.zeros((len(groups), width), np.int64), np.zeros((len(groups), width), np.int64)
    mask = np.zeros((len(groups), width), bool)
    piece, sizes, starts = [], [], []
    sentences = [each for group in groups for each in group]
    for at, group in enumerate(groups):
        some = np.concatenate([each.ids for each in group])
        size = np.concatenate([each.sizes for each in group])
        case = np.concatenate([each.shapes for each in group])
        if rng is not None:
            if rng.random() < 0.05:
                case = np.minimum(case, 1)
            hidden = np.repeat(rng.random(len(size)) < 0.1, size)
            some = np.where(hidden, MASK, some)
        end = len(some) + 1
        ids[at, 0], ids[at, 1:end], ids[at, end] = 101, some, 102
        shapes[at, 1:end], mask[at, : end + 1] = case, True
        piece.append(at * width + np.arange(1, end))
        sizes.append(size)
        begin = np.concatenate([[1.0] + [0.0] * (len(each) - 1) for each in group])
        begin[0] = -1
        starts.append(begin)
    size = np.concatenate(sizes)
    longest, first = max(map(len, sentences)), 0
    index = np.full((len(sentences), longest + 1), len(size))
    real = np.zeros((len(sentences), longest + 1), bool)
    heads, labels = np.full((len(sentences), longest), -1), np.full((len(sentences), longest), -1)
    for at, each in enumerate(sentences):
        count = len(each)
        index[at, 1 : count + 1] = np.arange(first, first + count)
        real[at, : count + 1] = True
        heads[at, :count], labels[at, :count] = each.heads, each.labels
        first += count
    made = {
        "ids": ids, "shapes": shapes, "mask": mask, "piece": np.concatenate(piece),
        "word": np.repeat(np.arange(len(size)), size), "size": size.astype(np.float32), "sentence": index, "real": real,
        "heads": heads, "labels": labels, "start": np.concatenate(starts).astype(np.float32),
        "tag": np.concatenate([each.tags for each in sentences]), "fine": np.concatenate([each.fine for each in sentences]),
    }  # fmt: skip
    out = {name: torch.from_numpy(value).to(device, non_blocking=True) for name, value in made.items()}
    out["words"] = torch.tensor(len(size))  # stays on the CPU: a number
    return out


def loss_of(model: Parser, batch: dict[str, Tensor]) -> Tensor:
    out = model(batch)
    arc = F.cross_entropy(out["arc"].flatten(0, 1), batch["heads"].flatten(), ignore_index=-1)
    label = F.cross_entropy(model.labels(out, batch["heads"]).flatten(0, 1), batch["labels"].flatten(), ignore_index=-1)
    inner = batch["start"] >= 0
    start = F.binary_cross_entropy_with_logits(out["start"][inner], batch["start"][inner]) if inner.any() else 0.0
    return (
        arc
        + label
        + F.cross_entropy(out["tag"], batch["tag"])
        + 0.5 * F.cross_entropy(out["fine"], batch["fine"])
        + 2 * start
    )


@torch.no_grad()
def evaluate(model: Parser, documents: list[list[Sentence]], device: str) -> dict[str, float]:
    """Single sentences with the treebank's words; heads by the highest score, all words counted."""
    model.eval()
    total: Counter[str] = Counter()
    for groups in batches(
        [[each] for document in documents for each in document if len(each.ids) <= LONGEST], 8000, None
    ):
        batch = tensors(groups, device)
        out = model(batch)
        chosen = out["arc"].argmax(-1)
        labels = model.labels(out, chosen).argmax(-1)
        real = batch["heads"] >= 0
        right = (chosen == batch["heads"]) & real
        total["words"] += int(real.sum())
        total["uas"] += int(right.sum())
        total["las"] += int((right & (labels == batch["labels"])).sum())
        total["tag"] += int((out["tag"].argmax(-1) == batch["tag"]).sum())
    starts: Counter[str] = Counter()
    eight = [document[at : at + 8] for document in documents for at in range(0, len(document), 8)]
    for groups in batches([each for each in eight if sum(len(one.ids) for one in each) <= LONGEST], 8000, None):
        batch = tensors(groups, device)
        guess, gold = model(batch)["start"] > 0, batch["start"]
        starts["both"] += int((guess & (gold == 1)).sum())
        starts["guess"] += int((guess & (gold >= 0)).sum())
        starts["gold"] += int((gold == 1).sum())
    model.train()
    shares = {name: round(100 * total[name] / total["words"], 2) for name in ("uas", "las", "tag")}
    return {**shares, "starts": round(200 * starts["both"] / max(1, starts["guess"] + starts["gold"]), 2)}


def save(model: Parser, names: dict[str, dict[str, int]], path: Path) -> None:
    weights = {name: value.detach().cpu().numpy().astype(np.float16) for name, value in model.state_dict().items()}
    weights.pop("encoder.word.weight")
    lists = {f"names_{kind}": np.array(list(table)) for kind, table in names.items()}
    np.savez(path, **weights, **lists)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("data", type=Path)
    options.add_argument("mlm", type=Path)
    options.add_argument("out", type=Path)
    for name, value in (("layers", 4), ("epochs", 60), ("size", 4000), ("seed", 0), ("generated", 1)):
        options.add_argument(f"--{name}", type=int, default=value)
    for name, number in (("minutes", 8.0), ("rate", 3e-4), ("dropout", 0.15)):
        options.add_argument(f"--{name}", type=float, default=number)
    options.add_argument("--name", default="parser")
    chosen = options.parse_args()
    began = time.monotonic()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(chosen.seed)
    rng, noise = random.Random(chosen.seed), np.random.default_rng(chosen.seed)
    torch.set_float32_matmul_precision("high")

    from safetensors.torch import load_file

    raw = {name: read(chosen.data / f"{name}.jsonl.gz") for name in ("ewt-train", "gum-train", "generated", "ewt-dev")}
    names = {
        kind: {
            name: at for at, name in enumerate(sorted({one for s in sentences(raw["ewt-train"]) for one in s[column]}))
        }
        for kind, column in (("tag", "tags"), ("fine", "fine"), ("label", "labels"))
    }
    cut = Pieces((chosen.mlm / "vocab.txt").read_text(encoding="utf-8").split("\n"))
    ready = {
        name: [[Sentence(each, cut, names) for each in document] for document in some] for name, some in raw.items()
    }
    training = ready["ewt-train"] + ready["gum-train"] + ready["generated"] * chosen.generated
    model = Parser(Encoder(chosen.layers, load_file(chosen.mlm / "model.safetensors"), chosen.dropout), *(len(names[kind]) for kind in ("tag", "fine", "label"))).to(device)  # fmt: skip
    average = copy.deepcopy(model)
    slow = [value for name, value in model.named_parameters() if name.startswith("encoder") and value.requires_grad]
    fast = [value for name, value in model.named_parameters() if not name.startswith("encoder")]
    optimiser = torch.optim.AdamW([{"params": slow, "lr": chosen.rate}, {"params": fast, "lr": 3 * chosen.rate}], betas=(0.9, 0.98), weight_decay=0.01)  # fmt: skip
    peaks = [group["lr"] for group in optimiser.param_groups]
    step, total, best = 0, 0, 0.0
    print(chosen.name, "read", round(time.monotonic() - began), "s", flush=True)
    for epoch in range(chosen.epochs):
        some = batches(windows(training, rng), chosen.size, rng)
        total = total or len(some) * chosen.epochs
        for groups in some:
            done = max(step / total, (time.monotonic() - began) / (60 * chosen.minutes))
            if done >= 1:
                break
            for group, peak in zip(optimiser.param_groups, peaks, strict=True):
                group["lr"] = peak * min(1.0, (step + 1) / 300, (1 - done) / 0.9)
            batch = tensors(groups, device, noise)
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                loss = loss_of(model, batch)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimiser.step()
            step += 1
            with torch.no_grad():
                decay = min(0.998, step / (step + 50))
                pairs = [
                    (a, b) for a, b in zip(average.parameters(), model.parameters(), strict=True) if b.requires_grad
                ]
                torch._foreach_lerp_([a for a, _ in pairs], [b for _, b in pairs], 1 - decay)
        done = max(step / total, (time.monotonic() - began) / (60 * chosen.minutes))
        if epoch % 4 == 3 or done >= 1 or epoch + 1 == chosen.epochs:
            scores = evaluate(average, ready["ewt-dev"], device)
            print(chosen.name, "epoch", epoch + 1, "step", step, "s", round(time.monotonic() - began), "loss", round(loss.item(), 3), scores, flush=True)  # fmt: skip
            if scores["las"] > best:
                best = scores["las"]
                save(average, names, chosen.out / f"{chosen.name}.npz")
        if done >= 1:
            break


def sentences(documents: list[list[dict[str, list[Any]]]]) -> list[dict[str, list[Any]]]:
    return [each for document in documents for each in document]


if __name__ == "__main__":
    main()
