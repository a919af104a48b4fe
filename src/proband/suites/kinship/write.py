"""An item as a line of items.jsonl, straight from a draft: byte for byte what core.files.dumps gives.

Most of a line is a few words over and over (relations, genders, names, the choices), so their JSON is remembered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from proband.suites.kinship.draft import Draft
from proband.suites.kinship.lazy import Lazy

ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
QUOTED: Lazy[Any, str] = Lazy(ENCODE, most=20_000)


def listed(texts: Sequence[str]) -> str:
    """
    >>> listed(["a", 'b"'])
    '["a","b\\\\""]'
    """
    return f"[{','.join([QUOTED[text] for text in texts])}]"


def line(
    draft: Draft,
    *,
    name: str,
    prompt: str,
    choices: tuple[str, ...],
    gold: int,
    task: str,
    more: Mapping[str, str],
    names: Sequence[str],
    certified_by: tuple[str, ...],
    clause: str,
    cluster: str,
    templates: Sequence[str],
    groups: Sequence[Sequence[int]],
    rules: str,
) -> str:
    """The line; `more` are further tags, left out where they are empty."""
    quoted = QUOTED
    told = [f"[{i},{quoted[word]},{j}]" for i, word, j in draft.edges]
    noise = [f"[[{i},{quoted[word]},{j}],{quoted[kind]}]" for (i, word, j), kind in draft.noise]
    proof = [f"[[{i},{quoted[u]},{m}],[{m},{quoted[v]},{j}],[{i},{quoted[w]},{j}]]" for i, u, m, v, j, w in draft.proof]
    tellings = [f"[{','.join(map(str, group))}]" for group in groups]
    tags = "".join([f",{quoted[tag]}:{quoted[value]}" for tag, value in more.items() if value])
    x, z = draft.query
    return (
        f'{{"id":{ENCODE(name)},"suite":"kinship","prompt":{ENCODE(prompt)},"choices":{quoted[choices]},"gold":{gold},'
        f'"tags":{{"task":{quoted[task]},"k":{draft.k},"depth":{draft.depth},"target":{quoted[draft.target]}{tags}}},'
        f'"facts":{{"names":{listed(names)},"genders":{listed(draft.genders)},"edges":[{",".join(told)}],'
        f'"query":[{x},{z}],"target":{quoted[draft.target]},"k":{draft.k},"depth":{draft.depth},'
        f'"noise":[{",".join(noise)}],"proof":[{",".join(proof)}],"proofs":{draft.proofs},'
        f'"certificate":{quoted[draft.verdict]},"certified_by":{quoted[certified_by]},"clause":{ENCODE(clause)},'
        f'"clusters":[{ENCODE(cluster)}],"templates":{listed(templates)},"groups":[{",".join(tellings)}],'
        f'"rules":{quoted[rules]}}}}}'
    )
