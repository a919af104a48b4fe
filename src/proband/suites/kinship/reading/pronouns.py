"""Who is being talked about: the topic of each place in a sentence, and what pronouns mean by it.

The topic is the first person of a sentence who is not an owner (`Bea` in `Ann's sister Bea left`), or the one meant by
its subject pronoun. `who`, and a conjunction followed by a name, move it. A pronoun means the topic.
"""

from __future__ import annotations

from proband.suites.kinship.reading.lexicon import OWNING, PRONOUN, SAYING, SUBJECT, SWITCH
from proband.suites.kinship.reading.sentence import Line, WordToken


class Discourse:
    """What carries over from one sentence to the next. Strict: every breach of the rule is noted as a problem."""

    def __init__(self, genders: dict[str, str | None], strict: bool) -> None:
        self.genders, self.strict = genders, strict
        self.problems: list[str] = []
        self.line = Line([])
        self.topic: str | None = None
        self.topics: list[str | None] = []
        self.recent: list[str] = []  # people by last mention, newest last
        self.group: tuple[str, ...] = ()  # whom "their" means
        self.speaker: str | None = None

    def problem(self, what: str) -> None:
        if what not in self.problems:
            self.problems.append(what)

    def begin(self, tokens: list[WordToken]) -> None:
        self.line = Line(tokens, strict=self.strict)
        self.topics, self.topic = self._topics()
        self._find_speaker()
        self._check_pronouns()

    def mention(self, name: str) -> None:
        if name in self.recent:
            self.recent.remove(name)
        self.recent.append(name)

    def end(self) -> None:
        first = next((i for i, token in enumerate(self.line.tokens) if token.name), len(self.line.tokens))
        listed = self.line.names_from(first)
        if len(listed) > 1:
            self.group = listed

    def _topics(self) -> tuple[list[str | None], str | None]:
        """The topic at each token, and the one the next sentence starts from."""
        topic, first, settled = self.topic, self.topic, False
        out: list[str | None] = []
        for i, token in enumerate(self.line.tokens):
            if not settled and token.text in SUBJECT and not token.name:
                topic = first = self._resolve_subject(token, topic)
                settled = True
            elif token.text == "who":
                topic = self.line.name_before(i) or topic
            elif token.name and not self.line.is_owner(i):
                before = self.line.at(i - 1).text
                if not settled and not (before == "of" and self.line.at(i - 2).kin is not None):
                    topic = first = token.text
                    settled = True
                elif settled and (before in SWITCH or self.line.new_clause(i)):
                    topic = token.text
            out.append(topic)
        return out, first if settled else topic

    def _resolve_subject(self, token: WordToken, topic: str | None) -> str | None:
        if self.strict or topic is None or self.genders.get(topic) in (None, PRONOUN[token.text]):
            return topic
        return self.nearest(PRONOUN[token.text]) or topic

    def _find_speaker(self) -> None:
        for i, token in enumerate(self.line.tokens):
            if token.text in SAYING:
                near = self.line.at(i + 1) if self.line.at(i + 1).name else self.line.at(i - 1)
                if near.name:
                    self.speaker = near.text

    def _check_pronouns(self) -> None:
        for i, token in enumerate(self.line.tokens):
            if self.strict and not token.name and token.text in PRONOUN:
                topic = self.topics[i]
                if topic is None:
                    self.problem(f"nobody for {token.text!r} to refer to")
                elif self.genders.get(topic) not in (None, PRONOUN[token.text]):
                    self.problem(f"{token.text!r} refers to {topic}, who is {self.genders[topic]}")

    def check_rivals(self, i: int) -> None:
        """`Ann's sister Bea rang her aunt`: whose aunt? The owner of the topic is too near to be ruled out."""
        topic, gender = self.topics[i], PRONOUN[self.line.at(i).text]
        first = next((j for j, t in enumerate(self.line.tokens) if t.name), i)
        for j, token in enumerate(self.line.tokens[:i] if self.strict else []):
            named = self.line.is_owner(j) or (self.line.at(j - 1).text == "of" and self.line.at(j - 2).kin is not None)
            rival = token.text if token.name and named else None
            if token.text in OWNING and j < first:  # Her sister Bea rang her aunt
                rival = self.topics[j]
            if rival not in (None, topic) and self.genders.get(rival or "") in (None, gender):
                self.problem(f"{self.line.at(i).text!r} may mean {topic} or {rival}")

    def nearest(self, gender: str) -> str | None:
        return next((n for n in reversed(self.recent) if self.genders.get(n) in (None, gender)), None)

    def antecedent(self, i: int) -> str | None:
        """Whom the pronoun at i means."""
        topic = self.topics[i]
        if self.strict or (topic is not None and self.genders.get(topic) in (None, PRONOUN[self.line.at(i).text])):
            return topic
        return self.nearest(PRONOUN[self.line.at(i).text])
