"""The role of each column: guessed from common column names, or set by the user."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from proband.core.errors import ProbandError
from proband.core.files import group_by_key
from proband.core.tables import plain_name

NONE = "none"
# names of columns, in the order of preference, without case, spaces and underscores
NAMES = {
    "prompt": (
        *("prompt", "question", "questiontext", "query", "stem", "questionstem", "goal", "problem", "instruction"),
        *("input", "sentence", "text", "frage", "pregunta", "domanda", "q"),
    ),
    "context": ("context", "passage", "paragraph", "story", "article", "document", "documenttext", "ctx", "premise"),
    "choices": ("choices", "options", "endings", "candidates", "mc1targets"),
    "answers": (
        *("answers", "acceptedanswers", "accepted", "answer", "bestanswer", "solution", "target", "gold", "antwort"),
        *("ans", "key", "a"),
    ),
    "gold": (
        *("gold", "correct", "label", "answerkey", "goldlabel", "correctanswer", "correctoption", "correctchoice"),
        *("answeridx", "answerindex", "goldindex", "key", "solution", "target", "answer", "rightanswer", "antwort"),
        *("richtig", "richtigeantwort", "lösung", "correcta", "respuestacorrecta", "respuesta", "bonneréponse"),
        *("réponse", "rispostacorretta", "risposta", "ans", "correctkey", "goldkey"),
    ),
    "cluster": ("cluster", "clusters", "group", "groupid", "documentid", "passageid", "docid", "storyid", "sourceid"),
    "split": ("split", "fold", "partition", "subset"),
    "id": ("id", "itemid", "questionid", "qid", "uid", "uuid", "item", "nr", "no"),
    "tags": (
        *("tag", "tags", "category", "subject", "topic", "difficulty", "level", "type", "domain", "language", "lang"),
        *("skill", "area", "thema", "kategorie"),
    ),
}
ONE_EACH = re.compile(  # a column for each choice: option_a, choice 2, answer_b, A, ending0, sol1
    r"(?:(?:option|choice|answer|ending|sol|candidate|opt|antwort|wahl|respuesta|opción|réponse|risposta)s?)?"
    r"([a-z]|\d{1,2})"
)


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The columns by role; "" and () if there is none."""

    prompt: str
    context: str = ""
    choices: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    gold: str = ""
    cluster: tuple[str, ...] = ()
    split: str = ""
    id: str = ""
    tags: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    def described(self) -> dict[str, str | list[str]]:
        """The columns by role, for the manifest and the screen."""
        return {
            name.replace("unused", "not used"): list(value) if isinstance(value, tuple) else value
            for name, value in vars(self).items()
            if value
        }


def guess(names: Sequence[str], named: dict[str, str]) -> Columns:
    """The columns of a table with these names; `named` are the user's (several with commas, "none" for none).

    >>> guess(["Question", "A", "B", "C", "Correct answer", "Topic"], {}).described()
    {'prompt': 'Question', 'choices': ['A', 'B', 'C'], 'gold': 'Correct answer', 'tags': ['Topic']}
    >>> guess(["question", "answer"], {}).answers
    ('answer',)
    """
    plain = {plain_name(name): name for name in reversed(names)}
    given = {role: _named(role, value, names) for role, value in named.items() if value}
    taken = {name for columns in given.values() for name in columns}

    def first(role: str, *, several: bool = False) -> tuple[str, ...]:
        if role in given:
            return given[role]
        matching = [plain[name] for name in NAMES[role] if name in plain and plain[name] not in taken]
        if not matching and role in ("prompt", "gold"):  # "Question (English)", "The correct answer"
            likely, rest = set(NAMES[role][:3]), (name for name in names if name not in taken)
            matching = [name for name in rest if likely & set(re.findall(r"\w+", name.casefold()))]
        chosen = tuple(matching if several else matching[:1])
        taken.update(chosen)
        return chosen

    prompt = first("prompt") or first("context")
    if not prompt:
        raise ProbandError(f"no column looks like the question; name it with --prompt: there are {', '.join(names)}")
    context = first("context")
    choices = given["choices"] if "choices" in given else first("choices") or _one_each(names, taken)
    taken.update(choices)
    gold = first("gold") if choices else given.get("gold", ())
    answers = given.get("answers", ()) if choices else gold or first("answers")
    more = {role: first(role, several=role in ("tags", "cluster")) for role in ("cluster", "split", "id", "tags")}
    if not gold and not answers:
        raise ProbandError(
            f"no column looks like the right answer; name it with --gold (one of the choices) or --answers: "
            f"there are {', '.join(names)}"
        )
    used = {*prompt, *context, *choices, *gold, *answers, *(name for each in more.values() for name in each)}
    single = {"context": context, "gold": gold if choices else (), "split": more["split"], "id": more["id"]}
    return Columns(
        prompt=prompt[0],
        **{role: columns[0] for role, columns in single.items() if columns},
        choices=choices,
        answers=answers,
        cluster=more["cluster"],
        tags=more["tags"],
        unused=tuple(name for name in names if name not in used),
    )


def _named(role: str, value: str, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that a user names for one role; a name may itself have a comma."""
    if value == NONE:
        return ()
    if value in names:
        return (value,)
    columns = tuple(name.strip() for name in value.split(","))
    absent = next((name for name in columns if name not in names), None)
    if absent is not None:
        raise ProbandError(f"--{role} {value}: no column {absent!r}; there are {', '.join(names)}")
    return columns


def _one_each(names: Sequence[str], taken: set[str]) -> tuple[str, ...]:
    """Columns with one choice each, if two or more have consecutive letters or numbers."""
    matches = [(ONE_EACH.fullmatch(plain_name(name)), name) for name in names if name not in taken]
    of_stem = group_by_key((match.string[: match.start(1)], (match[1], name)) for match, name in matches if match)
    rows = [sorted(each, key=lambda pair: (len(pair[0]), pair[0])) for each in of_stem.values() if len(each) > 1]
    chosen = max((row for row in rows if _in_a_row([mark for mark, _ in row])), key=len, default=[])
    return tuple(name for _, name in chosen)


def _in_a_row(marks: list[str]) -> bool:
    places = [int(mark) if mark.isdigit() else ord(mark) - ord("a") + 1 for mark in marks]
    return places[0] in (0, 1) and places == list(range(places[0], places[0] + len(places)))
