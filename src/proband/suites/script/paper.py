"""`proband paper script --data KIDSCOOK -m net:DIR ...`: tables 1, 3, 4, 5, figure 2 and the claims, ours beside the
published figures.

Models come with -m (nets, fine-tuned and plain language models) and from `nets`, a folder of trained nets; with
`epochs`, nets that are missing are trained first. Answers are kept in OUT/answers, so that the command can be repeated.
What a model answered elsewhere, on a machine that suits it, comes in with `runs`; beside the run.json of a fine-tuned
model lies a copy of the net.json that its training wrote.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import load_items, read_json, write_json, write_lines, write_text
from proband.core.types import Item
from proband.suites.script import claims, layout, table4
from proband.suites.script.build import BuildOptions, build
from proband.suites.script.corpus import readers
from proband.suites.script.corpus.statistics import new_words, overlaps, table1
from proband.suites.script.nets import NETS
from proband.suites.script.results import IN_DOMAIN, answered, collect, ordered
from proband.training.folder import train_into

SETTINGS: Mapping[str, Any] = {
    "nets": None,  # folder with model folders that `proband train` wrote
    "runs": None,  # folder with answers that `proband run` wrote, here or elsewhere
    "epochs": 0,  # train the in-domain nets that are missing for so many epochs
    "split": "test",  # of the claims; table 4 has both
    "limit": None,  # items per split for language models
    "align": 0,  # training texts to align for table 3 (0: all)
    "captions": None,  # YouCook2's annotations
}


def paper(
    *,
    data: Path,
    out: Path,
    models: Sequence[tuple[str, Any]] = (),
    seed: int = 0,
    progress: Any = None,
    **settings: Any,
) -> Mapping[str, Any]:
    """Write the tables into `out`; returns what was found in short."""
    wanted = checked(settings)
    folder = data / "kidscook" if (data / "kidscook").is_dir() else data
    say = teller(progress)
    write_text(out / "table1.md", first_table(folder, captions_of(wanted["captions"], folder)))
    items = build_once(folder, out / "items", seed=seed)
    nets = trained(wanted["nets"], out / "items", out=out / "nets", epochs=wanted["epochs"], seed=seed, say=say)
    asked = collect([*nets, *models], items, out=out, seed=seed, limit=wanted["limit"], say=say)
    results = ordered([*asked, *answered(wanted["runs"], items)])
    write_text(out / "table4.md", table4.table4(results, seed=seed))
    write_text(out / "table4.csv", table4.table4_csv(results, seed=seed))
    write_text(out / "breakdown.md", table4.breakdown(results, split=wanted["split"], seed=seed))
    write_text(out / "table5.md", layout.table5(results))
    aligned = layout.knowledge_files(results, items, most=wanted["align"], say=say)
    for name, text in aligned.items():
        write_text(out / name, text)
    verdicts = claims.judged(results, split=wanted["split"], seed=seed)
    write_json(out / "claims.json", {"split": wanted["split"], "claims": [asdict(v) for v in verdicts]})
    write_text(out / "claims.md", claims.markdown(verdicts, split=wanted["split"]))
    return {
        "tables": str(out / "table4.md"),
        "models": [result.name for result in results],
        "files": sorted(path.name for path in out.iterdir() if path.is_file()),
        "claims": {v.claim: v.verdict for v in verdicts},
    }


def checked(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, which come as text from the command line.

    >>> checked({"epochs": "2"})["epochs"]
    2
    """
    wanted = dict(SETTINGS)
    for name, value in settings.items():
        if name not in wanted:
            raise ProbandError(f"paper script has no option {name!r}; it has {', '.join(wanted)}")
        if name in ("epochs", "limit", "align") and value is not None:
            if not str(value).isdigit():
                raise ProbandError(f"{name!r} is {value!r}, not a whole number")
            value = int(value)
        wanted[name] = value
    if wanted["split"] not in ("valid", "test"):
        raise ProbandError(f"'split' is {wanted['split']!r}, not valid or test")
    return wanted


def teller(progress: Any) -> Callable[[str], None]:
    def say(text: str) -> None:
        if progress is not None:
            print(text, file=sys.stderr, flush=True)

    return say


def captions_of(named: Any, folder: Path) -> Path | None:
    """YouCook2's annotations: named, or in the folder beside KidsCook's."""
    if named is not None:
        return Path(named)
    beside = folder.parent / "youcook2" / "youcookii_annotations_trainval.json.gz"
    return beside if beside.exists() else None


def first_table(folder: Path, captions: Path | None) -> str:
    """Table 1 from the sequences (which are the paper's) and from the cloze texts, and the new words."""
    texts = readers.read(folder)
    files = [folder / f"{split}.sequences.jsonl.gz" for split in readers.SPLITS]
    sequences = [pair for path in files if path.exists() for pair in readers.read(path)]
    lines = readers.read_captions(captions) if captions else ()
    return layout.table1_text(
        cloze=table1(texts),
        sequences=table1(sequences),
        words={"abstract lines": new_words(texts), **({"and YouCook2": new_words(texts, lines)} if lines else {})},
        leaks=overlaps(texts),
    )


def build_once(folder: Path, out: Path, *, seed: int) -> list[Item]:
    """The released blanks as items, for nets to train on and models to answer."""
    built = build(BuildOptions(data=folder, released=True), seed=seed)
    write_lines(out / "items.jsonl", built.items)
    for name, text in built.files().items():
        write_text(out / name, text)
    return load_items(out)


def trained(
    folder: Any, items: Path, *, out: Path, epochs: int, seed: int, say: Callable[[str], None]
) -> list[tuple[str, Any]]:
    """The nets of a folder (any depth), and those trained now."""
    found: list[tuple[str, Any]] = []
    if folder is not None:
        if not Path(folder).is_dir():
            raise ProbandError("no such folder of nets", file=folder)
        for note in sorted(Path(folder).glob("**/net.json")):
            kind = read_json(note).get("net")
            net = next((net for net in NETS if net.name == kind), None)
            if net is not None and (note.parent / "model.safetensors").exists():
                found.append((f"net:{note.parent}", net.load(note.parent)))
    have = {model.kind for _, model in found}
    for net in NETS:
        if epochs and net.name not in have and net.name in IN_DOMAIN:
            say(f"training {net.name}, {epochs} epochs")
            place = out / net.name
            task = net.task(items, options=net.options(epochs=epochs), seed=seed)
            train_into([place], [task], seeds=[seed], notes=[{"suite": "script", "net": net.name, "epochs": epochs}])
            found.append((f"net:{place}", net.load(place)))
    return found
