"""An item as a line of items.jsonl, straight from a draft: byte for byte what core.files.dumps gives.

Most of a line is a few words over and over (relations, genders, names, the choices), so their JSON is remembered.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from proband.suites.kinship.generate.story_logic import Draft
from proband.suites.kinship.world.lazy_table import Lazy

ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
quoted = Lazy(ENCODE, most=20_000).__getitem__  # words, names, lists of choices, facts: what comes again and again


def line(
    draft: Draft,
    *,
    name: str,
    prompt: str,
    choices: tuple[str, ...],
    gold: int,
    task: str,
    split: str,
    kind: str,
    names: Sequence[str],
    certified_by: tuple[str, ...],
    clause: str,
    cluster: str,
    templates: Sequence[str],
    groups: Sequence[tuple[int, ...]],
    rules: str,
) -> str:
    """The line; `split` and `kind` are tags only where they are not empty."""
    join = ",".join
    target, depth, (x, z) = quoted(draft.target), draft.depth, draft.query
    proof = [f"[{quoted(first)},{quoted(second)},{quoted(third)}]" for first, second, third in draft.proof]
    noise = [f"[{quoted(edge)},{quoted(kind)}]" for edge, kind in draft.noise]
    more = (f',"split":{quoted(split)}' if split else "") + (f',"kind":{quoted(kind)}' if kind else "")
    return (
        f'{{"id":{ENCODE(name)},"suite":"kinship","prompt":{ENCODE(prompt)},"choices":{quoted(choices)},"gold":{gold},'
        f'"tags":{{"task":{quoted(task)},"k":{draft.k},"depth":{depth},"target":{target}{more}}},'
        f'"facts":{{"names":[{join(map(quoted, names))}],"genders":[{join(map(quoted, draft.genders))}],'
        f'"edges":[{join(map(quoted, draft.edges))}],"query":[{x},{z}],"target":{target},"k":{draft.k},"depth":{depth},'
        f'"noise":[{join(noise)}],"proof":[{join(proof)}],"proofs":{draft.proofs},'
        f'"certificate":{quoted(draft.verdict)},"certified_by":{quoted(certified_by)},'
        f'"clause":{quoted(clause)},"clusters":[{quoted(cluster)}],"templates":[{join(map(quoted, templates))}],'
        f'"groups":[{join(map(quoted, groups))}],"rules":{quoted(rules)}}}}}'
    )
