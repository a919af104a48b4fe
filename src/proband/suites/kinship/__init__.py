"""Suite `kinship`: composition of relations in a story (Sinha 2022, chapter 3; CLUTRR, Sinha et al. 2019).

world/       relations, axioms and worlds (the trusted kernel), rules, families and names
logic/       closure under the rules, noise, certificates; the search for a counter-family, which uses no rules
reading/     English to facts
telling/     facts to English: template language, the bank and its check, stories, questions
clutrr/      CLUTRR's CSV files and rows, our items as rows
generate/    options and plan, build (rounds of stories, wording, manifest), a story as logic, pairs, hold-outs, release
variations/  the same question asked differently, verified
audit/       its prover and forms of rows for `proband audit`
nets/        the networks of the thesis, and two that go beyond it
verify/      re-checking the certificates of items: a small checker that shares nothing with the generator
paper/       tables, findings and published figures of the thesis

shortcuts.py, item_views.py, replies.py baselines for a score; views of an item; reading a reply
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proband.core.metrics import ACCURACY
from proband.core.suite import Claim, Contrast, Demo, Suite, Verb
from proband.solvers import DIRECT, LIKELIHOOD
from proband.suites.kinship.audit.read_and_prove import READ_AND_PROVE
from proband.suites.kinship.clutrr.items import export
from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import BuildOptions, example_options
from proband.suites.kinship.item_views import draw_item, show
from proband.suites.kinship.logic.closure import Symbolic
from proband.suites.kinship.nets import NETS
from proband.suites.kinship.paper.claims import CLAIMS
from proband.suites.kinship.paper.comparisons import COMPARISONS, NOISE_TABLES
from proband.suites.kinship.paper.tables import ABSTENTION, TABLES, TELLING_OPEN_APART, published
from proband.suites.kinship.reading.reader import Read
from proband.suites.kinship.replies import CHOOSE, GENERATE
from proband.suites.kinship.shortcuts import SHORTCUTS
from proband.suites.kinship.verify.items import verify as verify_item
from proband.suites.kinship.world.rules import check


def audited_in_words(headlines: Mapping[str, Any]) -> str:
    """The share of labels that follow from their stories, as an audit of stories with CLUTRR's rules reports it.

    >>> audited_in_words({"rows": 80, "verdicts": {"entailed": 60}})
    "Of 80 stories labelled by CLUTRR's rules, 20 labels do not follow from the story."
    """
    rows, entailed = headlines["rows"], headlines["verdicts"]["entailed"]
    return f"Of {rows} stories labelled by CLUTRR's rules, {rows - entailed} labels do not follow from the story."


SUITE = Suite(
    name="kinship",
    question="Can it compose relations in a story that is longer and noisier than its training stories?",
    variations="proband.suites.kinship.variations:VARIATIONS",
    cites="Sinha, Sodhani, Dong, Pineau and Hamilton 2019, CLUTRR; Sinha 2022, chapter 3",
    build=build,
    stream="proband.suites.kinship.generate.build:stream",
    options=BuildOptions,
    examples=example_options,
    solvers=(DIRECT, LIKELIHOOD, GENERATE, CHOOSE, READ_AND_PROVE),
    metrics=(ACCURACY, TELLING_OPEN_APART),
    tables=(*TABLES, ABSTENTION, COMPARISONS, NOISE_TABLES),
    check=check,
    show=show,
    tag_titles={
        "task": "kind of story",
        "k": "facts to combine (k)",
        "depth": "length of the shortest proof",
        "possible": "relations that are possible",
        "target": "relation asked for",
        "kind": "form of the item",
        "facts": "sides that facts are stated from",
        "slice": "slice of a release",
        "verdict": "audit verdict on the label",
    },
    demo=(
        Demo(
            options={"k": "2,3,4", "per_k": 60, "hold_out": "clauses,paraphrases", "test_k": "2..10", "test_per_k": 16},
            runs=(
                *(
                    (f"net:{net}{seed}", None)
                    for net in ("composer", "gat", "bilstm-attention")
                    for seed in ("", "-1", "-2")
                ),
                ("solver:read", None),
                ("embedded:smollm2", "likelihood"),
                *((f"baseline:{name}", None) for name in ("ends", "path", "kin-words", "near")),
            ),
            of_models={"embedded:smollm2": {"where": {"k": "2,3"}, "limit": 12}},
            findings=(
                Claim(
                    statement="Trained on stories of two to four facts, the composer, which is given the facts, is "
                    "ahead of the BiLSTM, which reads words, on stories of eight to ten.",
                    source="Figure 3.5 of the thesis: what is learned from short stories, asked of long ones.",
                    contrasts=(
                        Contrast(
                            above={"run.model": "net:composer"},
                            below={"run.model": "net:bilstm-attention"},
                            where={"k": (8, 9, 10)},
                            pair="item",
                        ),
                    ),
                    per=(),
                ),
                Claim(
                    statement="On stories of two and three facts, rules of grammar and kinship are right more often "
                    "than SmolLM2.",
                    source="The reader was written for these stories: it shows that they contain the answer, not "
                    "that it reads English.",
                    contrasts=(
                        Contrast(
                            above={"run.model": "solver:read"},
                            below={"run.model": "embedded:smollm2"},
                            where={"k": (2, 3)},
                            pair="item",
                        ),
                    ),
                    per=(),
                ),
            ),
        ),
        Demo(
            name="clutrr-rules",
            options={"rules": "clutrr", "certify": "none", "k": "2..6", "per_k": 40},
            audit=audited_in_words,
        ),
    ),
    published=published,
    claims=CLAIMS,
    nets=NETS,
    own_models={"symbolic": Symbolic, "read": Read},
    baselines=SHORTCUTS,
    draw=draw_item,
    tasks={
        "write": "proband_annotate.kinds.write:WRITE",
        "review": "proband_annotate.kinds.review:REVIEW",
        "solve": "proband_annotate.kinds.solve:SOLVE",
    },
    verbs=(Verb(name="freeze", run="proband.suites.kinship.generate.release:freeze"),),
    audit="proband.suites.kinship.audit.row_formats:AUDIT",
    verify=verify_item,
    export={"clutrr": export},
)
