"""The hidden split of a release: questions that anyone can answer, and a key that only its maintainers have.

The generator is open, so a split that follows from a seed in the repository hides nothing. The stories of the hidden
split are drawn with a secret of 256 random bits beside the seed. The repository has the questions, without answers,
facts, proofs or clauses, and the sha256 of the key, which contains the secret: nobody can try answers against the hash,
and nobody can change an answer later. Whoever has the key can make the split again, certificates included.

What it protects against: answers in training data, and tuning on the test. Not against a program that reads the stories
and reasons: they are provable, and `solver:read` answers them all.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import decode, encode, read_answers, write_json, write_text
from proband.core.metrics import chosen_answer
from proband.core.plugins import Meta
from proband.core.tables import read_table
from proband.core.types import Item
from proband.stats import Scores
from proband.suites.kinship.generate.build import BuildTally, items_of
from proband.suites.kinship.generate.release import HIDDEN, Definition, Release, load_release
from proband.suites.kinship.verify.items import verify

SHOWN: Final = ("names", "genders", "query", "canary")  # of the facts: what a reader of the story is told anyway
KEPT_TAGS: Final = ("task", "k", "split", "slice")


class Key(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answers and clauses (clusters of the statistics) by item, and the secret that the stories were drawn with."""

    release: str
    secret: str
    answers: dict[str, str]
    clauses: dict[str, str]

    def commitment(self) -> str:
        """What a definition states of the key: sha256 of its canonical JSON."""
        text = json.dumps(msgspec.to_builtins(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def hide(definition: Definition, secret: str) -> tuple[list[bytes], Key]:
    """The hidden questions and their key. Every item is verified before its certificate is taken away."""
    items = list(_certified(definition, secret))
    for item in items:
        checked = verify(item)
        if checked.problem or checked.uncertified:
            raise ProbandError(f"item {item.id!r}: {checked.problem or checked.uncertified}")
    key = Key(
        release=f"{definition.name} {definition.version}",
        secret=secret,
        answers={item.id: str(item.facts["target"]) for item in items},
        clauses={item.id: str(item.facts["clusters"][0]) for item in items},
    )
    return [encode(question(item)) for item in items], key


def _certified(definition: Definition, secret: str) -> Iterator[Item]:
    for part in definition.slice:
        if part.split == HIDDEN:
            plan = definition.plan(part, secret=secret)
            for item in items_of(plan, plan.cells, BuildTally()):
                yield decode(Item, encode(definition.marked(item)), file=definition.path)  # as it is read from a file


def question(item: Item) -> Item:
    """The item without its answer and without what leads to it.

    >>> facts = {"names": ["Al", "Bea"], "genders": ["male", "female"], "query": [0, 1], "edges": [[0, "mother", 1]]}
    >>> question(Item(id="a", suite="kinship", prompt="...", choices=("x", "y"), gold=1, facts=facts)).facts
    {'names': ['Al', 'Bea'], 'genders': ['male', 'female'], 'query': [0, 1]}
    """
    return msgspec.structs.replace(
        item,
        gold=None,
        tags={name: item.tags[name] for name in KEPT_TAGS if name in item.tags},
        facts={name: item.facts[name] for name in SHOWN if name in item.facts},
    )


# ---- proband kinship freeze ----------------------------------------------------------------------------------------


def freeze(
    definition: Annotated[Path, Meta(description="Definition of a release, a TOML file.")],
    /,
    *,
    key: Annotated[Path, Meta(title="FILE", description="Answer key of the hidden split: read if there, else made.")],
    workers: Annotated[int, Meta(ge=1, description="Processes; the result does not depend on it.")] = 1,
) -> dict[str, Any]:
    """Freeze a release: draw its hidden split, and write the hashes of all splits and of the key into its definition.

    The key stays with you: whoever has it has the answers.

    Example: proband kinship freeze mine.toml --key mine-key.json
    """
    release = load_release(str(definition))
    secret = read_key(key).secret if key.exists() else secrets.token_hex(32)
    questions, sealed = hide(release, secret)
    making = Release(release, release.slices(""), workers=workers)
    stories = sum(1 for _ in making.items(check=False))
    lines = b"".join(line + b"\n" for line in questions)
    hashes = {**making.sha256, HIDDEN: hashlib.sha256(lines).hexdigest()}
    release.questions.write_bytes(gzip.compress(lines, compresslevel=9, mtime=0))
    write_json(key, sealed)
    text = definition.read_text(encoding="utf-8")
    write_text(definition, with_hashes(text, hashes, sealed.commitment(), generator=metadata.version("proband")))
    return {"release": sealed.release, "stories": stories, HIDDEN: len(questions), "sha256": hashes, "key": str(key)}


def with_hashes(text: str, hashes: Mapping[str, str], commitment: str, *, generator: str) -> str:
    """A definition with these hashes instead of those it had.

    >>> text = 'seed = 1\\n\\n[[slice]]\\nsplit = "train"\\n'
    >>> print(with_hashes(text, {"train clean": "ab"}, "cd", generator="0.1.0"))
    generator = "0.1.0"
    key-sha256 = "cd"
    seed = 1
    <BLANKLINE>
    [[slice]]
    split = "train"
    <BLANKLINE>
    [sha256]
    "train clean" = "ab"
    <BLANKLINE>
    """
    bare = re.sub(r"(?m)^(?:generator|key-sha256) = .*\n", "", text)
    bare = re.sub(r"(?ms)^\[sha256\]\n.*?(?=^\[|\Z)", "", bare).rstrip() + "\n"
    comments = re.match(r"(?:#.*\n|\n)*", bare)
    at = comments.end() if comments else 0
    own = f'generator = "{generator}"\nkey-sha256 = "{commitment}"\n'
    lines = [f'"{name}" = "{sha}"\n' for name, sha in hashes.items()]
    return bare[:at] + own + bare[at:] + "\n[sha256]\n" + "".join(lines)


# ---- proband kinship score -----------------------------------------------------------------------------------------


def score(
    answers: Annotated[Path, Meta(description="Folder of a run on hidden/, or a CSV or JSON lines file: id, answer.")],
    /,
    *,
    key: Annotated[Path, Meta(title="FILE", description="The answer key, which the maintainers of the release have.")],
    release: Annotated[str, Meta(title="N", description="The release, or its definition.")] = "1",
) -> dict[str, Any]:
    """Score answers to the hidden split of a release, once the key is shown to be the frozen one.

    Example: proband kinship score runs/mine --key release1-key.json
    """
    definition, given = load_release(release), read_key(key)
    if given.commitment() != definition.key_sha256:
        raise ProbandError(
            f"is not the key that release {release} was frozen with (sha256 {given.commitment()[:16]}, "
            f"not {definition.key_sha256[:16]})",
            file=key,
        )
    questions = [
        decode(Item, line, file=definition.questions)
        for line in gzip.decompress(definition.questions.read_bytes()).splitlines()
    ]
    replies = dict(read_replies(answers, questions))
    missing = [item.id for item in questions if item.id not in replies]
    if missing:
        raise ProbandError(f"has no answer to {missing[0]!r} and {len(missing) - 1} more hidden items", file=answers)
    scores = Scores.of(
        [replies[item.id] == given.answers[item.id] for item in questions],
        clusters=[given.clauses[item.id] for item in questions],  # stories of one clause are no independent evidence
        tags={name: [str(item.tags[name]) for item in questions] for name in ("slice", "k")},
    )
    groups = {"all": scores, **scores.by("slice")}
    groups |= {f"clean k={k}": part for k, part in scores.where(slice="clean").by("k").items()}
    return {
        "release": given.release,
        "answers": str(answers),
        "accuracy": {name: _estimate(part) for name, part in groups.items()},
    }


def _estimate(scores: Scores) -> dict[str, float | int]:
    """A mean with its 95 % interval."""
    found = scores.interval()
    ends = {} if found.few else {"low": round(found.low, 4), "high": round(found.high, 4)}
    return {"mean": round(found.mean, 4), **ends, "n": found.n}


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['release']}, hidden split: {result['answers']}"
    for name, each in result["accuracy"].items():
        ends = f" [{100 * each['low']:.1f}, {100 * each['high']:.1f}]" if "low" in each else ""
        yield f"  {name:14}  {100 * each['mean']:5.1f} %{ends}  of {each['n']}"


def read_key(path: Path) -> Key:
    if not path.is_file():
        raise ProbandError("no such file", file=path)
    key: Key = decode(Key, path.read_bytes(), file=path)
    return key


def read_replies(path: Path, questions: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The relation that was answered to each item, or nothing of one that was not answered in one word."""
    if path.is_dir():
        by_id = {item.id: item for item in questions}
        for answer in read_answers(path / "answers.jsonl"):
            if answer.item_id not in by_id:
                raise ProbandError(f"{answer.item_id!r} is no item of the hidden split", file=path / "answers.jsonl")
            yield answer.item_id, chosen_answer(by_id[answer.item_id], answer)
        return
    for row in read_table(path):
        if not row.cells.get("id") or "answer" not in row.cells:
            raise row.error("wants 'id' and 'answer'")
        yield str(row.cells["id"]), str(row.cells["answer"]).strip().lower()
