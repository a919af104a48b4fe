"""The audit as one page: self-contained, light and dark, readable on a phone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final

from proband.suites.kinship.audit.sources import Seen
from proband.suites.kinship.audit.verdicts import Verdict, counter
from proband.suites.kinship.world.family_svg import family_svg
from proband.suites.kinship.world.kernel import NONE
from proband.suites.kinship.world.relations import NEUTRAL

Judged = tuple[Seen, Verdict]
SHOWN: Final = {"false": 9, "ambiguous": 9, "inconsistent": 4}  # cards per verdict
MEANING: Final = {
    "entailed": "the label holds in every family in which the story is true",
    "ambiguous": "it holds in some such families and not in others",
    "false": "it holds in none of them",
    "inconsistent": "there is no such family",
    "unreadable": "the row could not be read",
}
WORLD_NAMES: Final = {
    "one-generation": "nobody marries into another generation",
    "uncles-by-marriage": "an uncle or aunt may be a parent's sibling's spouse",
    "remarriage": "people may marry again: step-parents, half-siblings",
    "cousins-marry": "spouses may be of one family",
    "all-three": "the last three together",
}

CSS: Final = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1c1917;--soft:#57534e;--line:#e7e5e4;--wash:#fafaf9;--accent:#b45309;
--on-accent:#fff;--entailed:#0f766e;--ambiguous:#d97706;--false:#be123c;--inconsistent:#6d28d9;--unreadable:#78716c}
@media(prefers-color-scheme:dark){:root{--paper:#171412;--ink:#f5f5f4;--soft:#a8a29e;--line:#3a3532;--wash:#1f1b18;
--accent:#fbbf24;--on-accent:#1c1917;--entailed:#2dd4bf;--ambiguous:#fbbf24;--false:#fb7185;--inconsistent:#a78bfa;
--unreadable:#a8a29e}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:66rem;margin:0 auto;padding:1.5rem 1rem 4rem}h1{font-size:1.8rem;line-height:1.2;margin:.5rem 0}
h2{margin:2.6rem 0 .6rem;font-size:1.25rem}p{max-width:44rem}.soft{color:var(--soft)}small{color:var(--soft)}
.bar{display:flex;height:1.6rem;border-radius:.35rem;overflow:hidden;background:var(--line)}.bar i{display:block}
.thin{height:.7rem}.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.7rem;margin:1rem 0}
.tile{background:var(--wash);border:1px solid var(--line);border-radius:.6rem;padding:.7rem .9rem}
.tile b{display:block;font-size:1.5rem;line-height:1.3}.tile span{font-size:.85rem;color:var(--soft)}
.dot{display:inline-block;width:.7em;height:.7em;border-radius:50%;margin-right:.35em}
.scroll{overflow-x:auto;margin:.6rem 0}table{border-collapse:collapse;font-size:.9rem;min-width:100%}
th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;
font-variant-numeric:tabular-nums}th{font-weight:600;color:var(--soft);font-size:.8rem}
th.text,td.text{text-align:left}td.wide{min-width:9rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:.9rem}
.card{border:1px solid var(--line);border-radius:.7rem;padding:.9rem;background:var(--wash);--paper:var(--wash);
display:flex;flex-direction:column;gap:.5rem}.card ul{margin:0;padding-left:1.1rem;font-size:.9rem}.card p{margin:0}
.card figure{margin:auto 0 0;text-align:center}.tag{font-size:.75rem;font-weight:700;letter-spacing:.03em}
.card s{text-decoration-color:var(--false)}summary{cursor:pointer;color:var(--soft)}
.labels{display:grid;grid-template-columns:max-content 1fr max-content;gap:.1rem .6rem;font-size:.8rem;
align-items:center}
.labels i{display:block;height:.55rem;border-radius:.2rem;background:var(--entailed)}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,18rem),1fr));gap:1.4rem}
"""


def page(figures: Mapping[str, Any], judged: Sequence[Judged], *, name: str) -> str:
    title = f"Audit of {name}"
    body = [
        f"<p class=soft>Proband · kinship</p><h1>{escape(title)}</h1>",
        _head(figures),
        _by(figures, "split", "Train and test rows") if len(figures["by_split"]) > 1 else "",
        _by(figures, "k", "By number of facts k"),
        _rules(figures),
        _cards(judged),
        _by_release(figures),
        _depth(figures),
        _labels(figures),
        _overlap(figures),
        _text(figures),
        _worlds(figures),
        _basis(figures),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{CSS}</style></head><body><main>{''.join(body)}</main></body></html>\n"
    )


# ---- small parts ---------------------------------------------------------------------------------------------------


def _n(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else "–" if value is None else escape(str(value))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _bar(counts: Mapping[str, int], total: int, *, thin: bool = False) -> str:
    parts = "".join(
        f'<i style="width:{100 * counts[name] / total:.3f}%;background:var(--{name})" '
        f'title="{name}: {counts[name]:,}"></i>'
        for name in MEANING
        if total and counts.get(name)
    )
    return f'<div class="bar{" thin" if thin else ""}">{parts}</div>'


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]], *, text: int = 1) -> str:
    """`text` columns of words, then figures. Cells that are already marked up come as `Markup`."""

    def cell(tag: str, at: int, value: Any) -> str:
        shown = value if isinstance(value, Markup) else _n(value)
        return f"<{tag}{' class=text' if at < text else ''}>{shown}</{tag}>"

    lines = [f"<tr>{''.join(cell('th', i, h) for i, h in enumerate(head))}</tr>"]
    lines += [f"<tr>{''.join(cell('td', i, v) for i, v in enumerate(row))}</tr>" for row in rows]
    return f'<div class="scroll"><table>{"".join(lines)}</table></div>'


class Markup(str):
    """Text that is HTML already."""


# ---- sections ------------------------------------------------------------------------------------------------------


def _head(figures: Mapping[str, Any]) -> str:
    total, counts = figures["rows"], figures["verdicts"]
    tiles = "".join(
        f'<div class=tile><b style="color:var(--{name})">{_share(counts[name], total)}</b>'
        f"{name} <small>{counts[name]:,}</small><br><span>{MEANING[name]}</span></div>"
        for name in MEANING
        if counts[name] or name in ("entailed", "ambiguous", "false")
    )
    return (
        f"<p>{total:,} rows. Each label was held against every family in which its story is true.</p>"
        f"{_bar(counts, total)}<div class=tiles>{tiles}</div>"
        f"<p>cleaned.csv keeps the {figures['cleaned']['cleaned.csv']:,} entailed rows as they are; corrected.csv "
        f"holds {figures['cleaned']['corrected.csv']:,} rows whose label is false and whose right label is certain.</p>"
    )


def _by(figures: Mapping[str, Any], group: str, title: str) -> str:
    """A bar and the counts for each value of `group`."""
    names = [name for name in MEANING if name != "unreadable"]
    rows = [
        (
            line[group] or "–",
            Markup(f"<div style='min-width:8rem'>{_bar(line, line['rows'], thin=True)}</div>"),
            line["rows"],
            *(line[name] for name in names),
            Markup(_share(line["entailed"], line["rows"])),
        )
        for line in figures[f"by_{group}"]
    ]
    return f"<h2>{title}</h2>" + _table([group, "", "rows", *names, "entailed share"], rows, text=2)


def _rules(figures: Mapping[str, Any]) -> str:
    rules, total = figures["rules"], figures["rows"]
    if not rules["rows with a proof"]:
        return ""
    names = dict.fromkeys([*rules["used"], *rules["blamed"]])
    rows = [(rule, rules["used"].get(rule, 0), rules["blamed"].get(rule, 0)) for rule in names]
    using, fine = rules["rows that use an unsound rule"], rules["of these entailed all the same"]
    return (
        "<h2>Rules to blame</h2>"
        f"<p>{using:,} rows ({_share(using, total)}) have a proof with a rule that does not hold in general; "
        f"in {fine:,} of them the label follows all the same. Blamed is the first step of a row's proof whose "
        "conclusion does not follow from the row's facts.</p>"
        + (_table(["rule", "rows that use it", "blamed for a label that does not follow"], rows) if rows else "")
    )


def _cards(judged: Sequence[Judged]) -> str:
    """The commonest flawed patterns, one card for each up to gender."""
    groups: dict[tuple[str, Any], list[Judged]] = {}
    for seen, verdict in judged:
        if verdict.verdict in SHOWN:
            shape = (tuple((i, NEUTRAL[r], j) for i, r, j in seen.case.pattern[1]), NEUTRAL[seen.target])
            groups.setdefault((verdict.verdict, shape), []).append((seen, verdict))
    parts = []
    for name, most in SHOWN.items():
        found = [rows for (verdict, _), rows in groups.items() if verdict == name]
        found.sort(key=lambda rows: (-len(rows), rows[0][0].source, rows[0][0].line))
        parts += [_card(rows) for rows in found[:most]]
    if not parts:
        return ""
    intro = "the commonest flawed patterns, each with a family in which its story is true and its label is not."
    return (
        f"<h2>Families to look at</h2><p>Shown are {intro} Dots are people the story does not name.</p>"
        f"<div class=cards>{''.join(parts)}</div>"
    )


def _card(rows: Sequence[Judged]) -> str:
    seen, verdict = rows[0]
    names = [seen.names[x] for x in seen.order]
    facts = "".join(
        f"<li>{escape(names[j])} is the {relation} of {escape(names[i])}</li>"
        for i, relation, j in seen.case.pattern[1]
    )
    asker, asked = escape(names[0]), escape(names[1])
    others = ", ".join("no relation of the 22" if r == NONE else r for r in verdict.possible if r != seen.target)
    said = {
        "ambiguous": f"Label: {asked} is the <b>{seen.target}</b> of {asker}. As possible: <b>{others}</b>.",
        "false": f"Label: <s>{asked} is the {seen.target} of {asker}</s>. What holds: <b>{others}</b>.",
        "inconsistent": f"Label: {seen.target}. No family makes these facts true.",
    }[verdict.verdict]
    shown = counter(verdict)
    picture = ""
    if shown:
        relation, family = shown
        answer = "no relation" if relation == NONE else relation
        picture = (
            f"<figure>{family_svg(family, names, query=(0, 1), answer=answer, title=f'{asked}: {answer}')}</figure>"
        )
    return (
        f'<div class=card><div class=tag style="color:var(--{verdict.verdict})">{verdict.verdict.upper()} '
        f"<small>{len(rows):,} {'row' if len(rows) == 1 else 'rows'} of this shape</small></div>"
        f"<ul>{facts}</ul><p>{said}</p>{picture}<small>{escape(seen.source)} line {seen.line}</small></div>"
    )


def _by_release(figures: Mapping[str, Any]) -> str:
    lines = figures["by_release"]
    names = [name for name in lines[0] if name not in ("release", "split", "k")] if lines else []
    groups: dict[tuple[str, str], Counter[str]] = {}
    for line in lines:
        groups.setdefault((line["release"], line["split"]), Counter()).update({n: line[n] for n in names})
    rows = [(*group, *(counts[n] for n in names)) for group, counts in groups.items()]
    fine = [(line["release"], line["split"], line["k"], *(line[n] for n in names)) for line in lines]
    return (
        "<h2>By release and split</h2>"
        + _table(["release", "split", *names], rows, text=2)
        + f"<details><summary>and by k</summary>{_table(['release', 'split', 'k', *names], fine, text=2)}</details>"
    )


def _depth(figures: Mapping[str, Any]) -> str:
    lines = figures["depth"]
    names = list(next(iter(lines.values()), {}))
    rows = [(k, *(line[name] for name in names)) for k, line in lines.items()]
    return (
        "<h2>Is k the depth?</h2><p>Where a chain meets a person twice, fewer than k facts may connect the two people "
        "asked about, and the label may follow from fewer.</p>" + _table(["k", *names], rows)
    )


def _labels(figures: Mapping[str, Any]) -> str:
    parts = []
    for group, line in figures["labels"].items():
        most = max(line["counts"].values()) or 1
        bars = "".join(
            f'<span>{r}</span><i style="width:{100 * n / most:.1f}%"></i><span>{n:,}</span>'
            for r, n in line["counts"].items()
        )
        parts.append(
            f"<div><b>{escape(group)}</b><br><small>majority {line['majority']} {100 * line['majority share']:.1f} %, "
            f"entropy {line['entropy in bits']} of {line['uniform over 22 would be']} bits</small>"
            f"<div class=labels>{bars}</div></div>"
        )
    return f"<h2>Labels</h2><div class=two>{''.join(parts)}</div>"


def _overlap(figures: Mapping[str, Any]) -> str:
    found = {release: line for release, line in figures["overlap"].items() if line["train rows"] and line["test rows"]}
    if not found:
        return ""
    names = list(next(iter(found.values())))
    rows = [(name, *(line[name] for line in found.values())) for name in names]
    return "<h2>What test shares with train</h2>" + _table(["", *found], rows)


def _text(figures: Mapping[str, Any]) -> str:
    rows = [*figures["text"].items()]
    noise = figures["noise"]
    if noise["rows with noise"]:
        rows += [(name, noise[name]) for name in ("rows with noise", "all noise facts typed by the text")]
        rows += [
            (f"… verdict without -> with them: {move}", n) for move, n in noise["verdict without and with them"].items()
        ]
    return (
        "<h2>Text against columns</h2><p>A cautious reader takes only the plainest constructions, so these count "
        "what it found, not of all there is.</p>" + _table(["", ""], rows)
    )


def _worlds(figures: Mapping[str, Any]) -> str:
    moves = sorted({move for line in figures["worlds"].values() for move in line})
    rows = [(move, *(line.get(move, 0) for line in figures["worlds"].values())) for move in moves]
    told = "; ".join(f"<i>{name}</i>: {WORLD_NAMES[name]}" for name in figures["worlds"])
    return f"<h2>How far the verdicts rest on the world</h2><p>The same rows in other worlds. {told}.</p>" + _table(
        ["verdict: strict -> other", *figures["worlds"]], rows
    )


def _basis(figures: Mapping[str, Any]) -> str:
    inputs = "".join(
        f"<li>{escape(name)} <small>sha256 {digest[:16]}…</small></li>" for name, digest in figures["inputs"].items()
    )
    bad = "".join(f"<li>{escape(reason)}</li>" for reason in figures["unreadable"])
    return (
        "<h2>What a verdict means</h2><p>Two genders; at most one father and one mother, married to each other; one "
        "spouse, of another family; full siblings; no cycle of ancestry; uncles and aunts by blood; different "
        "names are different people. Verdicts are about the facts in the columns, found by a complete search, and "
        "every family shown was checked against the axioms and the facts.</p>"
        + (f"<h2>Unreadable rows</h2><ul>{bad}</ul>" if bad else "")
        + f"<details><summary>Files</summary><ul>{inputs}</ul></details>"
    )
