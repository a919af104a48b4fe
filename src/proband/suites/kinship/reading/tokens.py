"""A text as sentences of tokens: names, kin words, other words, marks, and what is said in quotation marks.

Letters are normalised first (full width becomes plain); a letter of another script than Latin, or one that cannot be
seen, is not understood. Names are what is written with a capital where no sentence begins, unless it is a day, a month
or a place; at the beginning of a sentence, what is a name elsewhere in the text or a known first name.

>>> [[t.text for t in s.tokens] for s in sentences_of("Ann's mother in law Bea left. She isn't at home!")]
[['Ann', "'s", 'mother-in-law', 'Bea', 'left', '.'], ['she', 'is', "n't", 'at', 'home', '!']]
>>> sentences_of('"That is my aunt Bea," said Ann.')[0].quotes[0][0].tokens[3].kin.neutral
'pibling'
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from proband.suites.kinship.reading.first_names import gender_of_name, is_first_name
from proband.suites.kinship.reading.lexicon import STORY_KIN, Kin, word_set
from proband.suites.kinship.reading.plain_words import SMALL, is_plain
from proband.suites.kinship.world.relations import FEMALE, MALE

NAME, KIN, WORD, MARK, QUOTE, PLACE = "name", "kin", "word", "mark", "quote", "place"


class Token(NamedTuple):
    kind: str
    text: str  # names as they are written, all else in small letters; of a quotation its number
    kin: Kin | None = None
    title: bool = False  # written with a capital letter
    gender: str | None = None  # of a name with a title: Aunt May, Mr Hill
    kin_title: bool = False  # the title is of kin: whose, must be told


class NotUnderstood(Exception):
    """The words of a sentence that were not understood."""


@dataclass(frozen=True)
class Sentence:
    text: str
    tokens: tuple[Token, ...]
    quotes: tuple[tuple[Sentence, ...], ...] = ()


# ---- letters -------------------------------------------------------------------------------------------------------

SPELLING: Final = str.maketrans(
    dict.fromkeys("’‘ʼ`", "'") | dict.fromkeys("“”„«»", '"') | dict.fromkeys("–—", " - ") | dict.fromkeys("−‐‑", "-")
)
IN_LAW: Final = re.compile(r"(?<!')\b(\w+)[ -]+in[ -]+laws?\b", re.IGNORECASE)
GRAND: Final = re.compile(r"\b(grand)[ -]+(\w+)", re.IGNORECASE)


def normalised(text: str) -> str:
    """The text in plain letters.

    >>> normalised("Ｔｏｍ’s daughter\\u00a0Sue")
    "Tom's daughter Sue"
    """
    if text.isascii():
        plain = text
    else:
        plain = unicodedata.normalize("NFKC", text.translate(SPELLING)).translate(SPELLING)
    plain = " ".join(plain.replace("``", '"').replace("''", '"').split())
    plain = GRAND.sub(lambda m: m[1] + m[2] if (m[1] + m[2]).lower() in STORY_KIN else m[0], plain)
    return IN_LAW.sub(lambda m: f"{m[1]}-in-law" + ("s" if m[0].lower().endswith("s") else ""), plain)


def foreign_letter(text: str) -> str | None:
    """A letter that is not of the Latin alphabet, or one that cannot be seen.

    >>> foreign_letter("M\\u0430ria"), foreign_letter("daugh\\u200bter"), foreign_letter("José")
    ('а', '\\u200b', None)
    """
    if text.isascii():
        return None
    return next((c for c in text if _is_foreign(c)), None)


def _is_foreign(letter: str) -> bool:
    if letter.isalpha():
        return not unicodedata.name(letter, "").startswith("LATIN")
    return unicodedata.category(letter) in ("Cf", "Cc", "Mn", "Me")


# ---- sentences -----------------------------------------------------------------------------------------------------

ABBREVIATED: Final = re.compile(r"\b(Mr|Mrs|Ms|Dr|St)\.")
DOUBLE: Final = re.compile(r'"([^"]*)"')
SINGLE: Final = re.compile(r"(?<![\w'])'((?:[^']|(?<=\w)'(?=\w))*[,.!?])'(?!\w)")
END: Final = re.compile(r"(?<=[.!?;\n])\s+|\n+")
MASK: Final = re.compile(r"\x00(\d+)\x00")
PIECE: Final = re.compile(
    r"\x00\d+\x00|[^\W\d_]+(?:[-'.](?=[^\W\d_])[^\W\d_]+)*|\d[\d,.:]*\d(?:\w+)?|\d\w*|_+|\.\.\.|[^\w\s]"
)
CLITIC: Final = re.compile(r"(?i)(.+?)(n't|'s|'re|'ve|'ll|'d|'m)")
SAYING: Final = word_set("""
    said says say asked asks told tells replied answered explained announced added called shouted whispered cried
    exclaimed laughed yelled remarked continued began smiled declared muttered mumbled boasted groaned begged sighed
    grumbled murmured chuckled beamed admitted
    """)


@dataclass
class _Cut:
    """A sentence before its names are known."""

    text: str
    pieces: list[str]
    quotes: list[list[_Cut]]


def _cut(text: str, quoted: list[str]) -> list[_Cut]:
    parts: list[_Cut] = []
    for part in END.split(text):
        if not part.strip():
            continue
        pieces = list(_pieces(part))
        for cut in _after_quotes(pieces, quoted):
            inner = [_cut(quoted[int(p[1:-1])], quoted) for p in cut if p.startswith("\x00")]
            shown = MASK.sub(lambda m: f'"{quoted[int(m[1])]}"', part)
            parts.append(_Cut(shown, cut, inner))
    return parts


def _pieces(part: str) -> Iterator[str]:
    for piece in PIECE.findall(part):
        while (clitic := CLITIC.fullmatch(piece)) and not piece.startswith("\x00"):
            head, tail = clitic[1], clitic[2]
            if tail.lower() == "n't" and head.lower() in ("ca", "wo"):
                head = {"ca": "can", "wo": "will"}[head.lower()]
            yield head
            piece = tail
            if CLITIC.fullmatch(piece) is None or piece.startswith("'") or piece.lower() == "n't":
                break
        yield piece


def _after_quotes(pieces: list[str], quoted: list[str]) -> Iterator[list[str]]:
    """A quotation that ends with a full stop ends its sentence, unless the words behind it say who speaks and those
    before do not."""
    begin = 0
    for at, piece in enumerate(pieces[:-1]):
        if not piece.startswith("\x00") or not quoted[int(piece[1:-1])].rstrip().endswith((".", "!", "?")):
            continue
        if not (pieces[at + 1][0].isupper() or pieces[at + 1].startswith("\x00")):
            continue
        behind = next((n for n in range(at + 1, len(pieces)) if pieces[n].startswith("\x00")), len(pieces))
        told_before = any(each.lower() in SAYING for each in pieces[begin:at])
        if told_before or not any(each.lower() in SAYING for each in pieces[at + 1 : behind]):
            yield pieces[begin : at + 1]
            begin = at + 1
    yield pieces[begin:]


# ---- names ---------------------------------------------------------------------------------------------------------

NO_PERSON: Final = word_set("""
    I I'm Mr Mrs Ms Dr Sir Lady Lord Madame Sergeant Professor
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mondays Tuesdays
    Wednesdays Thursdays
    Fridays Saturdays Sundays January February March July September October November December Christmas Easter
    Thanksgiving Halloween God English French German Italian Spanish Irish Scottish Welsh Dutch Russian Polish Greek
    Turkish Chinese Japanese Indian African American British European Canadian Mexican TV DNA OK
    """)
# written with a capital, and nobody
COUNTRIES: Final = word_set("""
    Canada France Germany Spain Italy England Scotland Wales Ireland Britain America Australia Austria Switzerland
    Belgium Holland Portugal Greece Turkey Russia Poland Ukraine Norway Sweden Denmark Finland Iceland Hungary Romania
    Bulgaria Croatia Serbia Egypt Morocco Nigeria Ghana Kenya Uganda Tanzania Ethiopia India Pakistan Bangladesh Nepal
    China Japan Korea Vietnam Thailand Malaysia Singapore Indonesia Philippines Mexico Brazil Argentina Chile Peru
    Colombia Cuba Africa Asia Europe London Manchester Liverpool Glasgow Edinburgh Dublin Cardiff Leeds Birmingham
    Berlin Munich Hamburg Vienna Zurich Geneva Rome Milan Naples Venice Madrid Barcelona Lisbon Porto Athens Istanbul
    Moscow Warsaw Prague Budapest Oslo Stockholm Copenhagen Helsinki Brussels Amsterdam Tokyo Beijing Shanghai Seoul
    Delhi Mumbai Lagos Nairobi Cairo Toronto Montreal Vancouver Chicago Boston Denver Seattle Dallas Houston
    """)
WHERE: Final = word_set("in at from near outside around across through into to reach reached reaching")
MOVING: Final = word_set(
    "went go goes going gone moved moves moving move emigrated sailed"
    " drove flew came trip back travelled traveled train bus road way ran"
)
MONTHS: Final = frozenset({"April", "May", "June", "August"})
WHEN: Final = word_set("in of since until till last next every this by each early late before after from")
AT_FIRST: Final = word_set("""
    yesterday today little old young dear poor finally later suddenly meanwhile yes oh well okay sorry thanks hello hi
    please
    """)
NAME_BEFORE: Final = frozenset({",", "and", "'s", "'", "(", "married", "wed", "fathered", "gave"})


def _is_name_shaped(piece: str) -> bool:
    return piece[0].isupper() and piece not in NO_PERSON and piece.lower() not in STORY_KIN and piece != "A"


def _is_where(pieces: list[str], at: int) -> bool:
    """Does a place or a month stand here: `in Porto`, `moved to Denver`, `every August`?"""
    before, piece = pieces[at - 1].lower(), pieces[at]
    if piece in COUNTRIES:
        return before in WHERE or before in ("of", "for", "the", "to", "leave", "left")
    if piece in MONTHS:
        return before in WHEN
    if before == "to":
        return at > 1 and pieces[at - 2].lower() in MOVING and not is_first_name(piece)
    return before in ("in", "the") or (before in WHERE and not is_first_name(piece))


def _begins_with_a_name(pieces: list[str]) -> bool:
    """Does a sentence that begins with an everyday word begin with a name all the same: `Ade and Bola`, `Ray's`?"""
    following = pieces[1].lower() if len(pieces) > 1 else ""
    told = following in ("is", "was", "has", "had", "became") and any(
        piece.lower() in STORY_KIN or piece == "married" for piece in pieces
    )
    return told or following in NAME_BEFORE


@lru_cache(maxsize=10_000)
def _is_english(word: str) -> bool:
    """Does a dictionary have it?"""
    from simplemma import is_known

    return is_known(word, lang="en")


def names_in(cuts: list[_Cut], given: Collection[str]) -> tuple[frozenset[str], frozenset[str]]:
    """What is written like a name where no sentence begins; and, where one does, known first names and what is a name
    elsewhere. The second set: places."""
    inside: dict[str, bool] = {}  # may it be a place: it stands only after words such as `in`
    first: dict[str, bool] = {}  # at the beginning of a sentence: must it be a name?
    before_a_name: set[str] = set()  # a name may be a verb there: `Imagine Ann`

    def look(parts: list[_Cut]) -> None:
        for cut in parts:
            begins = True
            for at, piece in enumerate(cut.pieces):
                if piece.startswith("\x00") or not piece[0].isalpha():
                    begins = begins or piece in (":", "-") or piece.startswith("\x00")
                    continue
                if _is_name_shaped(piece):
                    if begins:
                        first[piece] = first.get(piece, False) or _begins_with_a_name(cut.pieces[at:])
                        if len(cut.pieces) > at + 1 and _is_name_shaped(cut.pieces[at + 1]):
                            before_a_name.add(piece)
                    else:
                        where = _is_where(cut.pieces, at)
                        owns = at + 1 < len(cut.pieces) and cut.pieces[at + 1] in ("'s", "'")
                        inside[piece] = inside.get(piece, True) and where and not owns
                begins = False
            for quote in cut.quotes:
                look(quote)

    look(cuts)
    known = {name for part in given for name in part.split()}
    people = {piece for piece, place in inside.items() if not place} | known
    places = {piece for piece, place in inside.items() if place and piece not in known}
    for piece, must in first.items():
        lower = piece.lower()
        if piece in people or piece in places or lower in SMALL or lower in AT_FIRST:
            continue
        if is_plain(lower) or (piece in before_a_name and _is_english(lower)):
            is_person = must or gender_of_name(piece, certain=True) is not None
        else:
            is_person = is_first_name(piece) or not _is_english(lower)
        if is_person:
            people.add(piece)
    return frozenset(people), frozenset(places)


# ---- titles --------------------------------------------------------------------------------------------------------

MALE_TITLES: Final = word_set(
    "mr sir lord king prince duke monsieur signor senor herr uncle grandpa granddad grandad papa dad daddy"
)
FEMALE_TITLES: Final = word_set(
    "mrs ms miss lady queen princess duchess madame signora frau dame"
    " aunt auntie aunty grandma granny nana mama mum mom mommy"
)
OPEN_TITLES: Final = word_set("dr doctor professor sergeant captain colonel major inspector constable reverend cousin")
TITLES: Final = dict.fromkeys(MALE_TITLES, MALE) | dict.fromkeys(FEMALE_TITLES, FEMALE) | dict.fromkeys(OPEN_TITLES)
OWNER: Final = word_set("'s ' his her my our your their the a an whose")
_TITLE = "|".join(sorted(each.title() for each in TITLES))
TITLED: Final = re.compile(rf"\b({_TITLE})\.? (?:and (Mrs|Mr)\.? )?([A-Z][\w-]+)")


def titles_of(text: str) -> dict[str, set[str]]:
    """Names with the titles they have.

    >>> titles_of("Papa Nwosu and Mama Nwosu met Aunt May.") == {"Nwosu": {"Papa", "Mama"}, "May": {"Aunt"}}
    True
    """
    found: dict[str, set[str]] = {}
    for match in TITLED.finditer(text):
        found.setdefault(match[3], set()).update(filter(None, (match[1], match[2])))
    return found


def without_titles(question: str, text: str) -> str:
    """The question with names as the story has them: without a title, where the name has one title alone."""
    titles = titles_of(text)
    return TITLED.sub(lambda m: m[0] if len(titles.get(m[3], ())) > 1 or m[2] else m[3], question)


# ---- tokens --------------------------------------------------------------------------------------------------------

BRACKETED: Final = re.compile(r"\[([A-Z][\w-]*(?: [A-Z][\w-]*)*)\]")


def sentences_of(text: str, names: Collection[str] = (), *, nobody_else: bool = False) -> tuple[Sentence, ...]:
    """The sentences of a text. `names`: people who are known to be spoken of; a name may have several words.
    `nobody_else`: these are all, and whatever else is written with a capital is no person.

    A name in brackets is known, and ends with them.

    >>> [token.text for token in sentences_of("[Adelle] met her sister [Lella] [May] left.")[0].tokens]
    ['Adelle', 'met', 'her', 'sister', 'Lella', 'May', 'left', '.']
    """
    names = tuple(dict.fromkeys((*names, *BRACKETED.findall(normalised(text)))))
    cuts = _cut_text(text, names)
    people, places = names_in(cuts, [*names, *map(_as_word, names)])
    if nobody_else:
        known = frozenset(part for name in (*names, *map(_as_word, names)) for part in name.split())
        people, places = people & known, places | (people - known)
    titles = titles_of(normalised(text)) if not nobody_else else {}
    return tuple(_sentence(cut, people, places, names, titles) for cut in cuts)


def _cut_text(text: str, names: Collection[str]) -> list[_Cut]:
    plain = normalised(text)
    if letter := foreign_letter(plain):
        raise NotUnderstood(f"{letter!r} is no letter of English ({unicodedata.name(letter, '?').lower()})")
    quoted: list[str] = []

    def mask(match: re.Match[str]) -> str:
        if re.fullmatch(r"[a-z][a-z ]{1,30}", match[1]) and not set(match[1].split()) & set(STORY_KIN):
            return match[1]  # calls him "the new guy"
        quoted.append(match[1].strip())
        return f" \x00{len(quoted) - 1}\x00 "

    masked = SINGLE.sub(mask, DOUBLE.sub(mask, ABBREVIATED.sub(r"\1", plain)))
    if '"' in masked:
        raise NotUnderstood("a quotation mark without another")
    for name in sorted(names, key=len, reverse=True):  # names that are no words: @entity-1, Anne-Marie B.
        if not re.fullmatch(r"[^\W\d_]+(?:[-' ][^\W\d_]+)*", name):
            masked = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", _as_word(name), masked)
    masked = re.sub(r"\[([^\][]{1,80})\]", r"\1", masked)
    return _cut(masked, quoted)


def _as_word(name: str) -> str:
    """A name that is no word, in letters: they are put back when the tokens are made."""
    return "Q" + "".join(c if c.isalpha() else f"q{ord(c):x}q".translate(DIGITS) for c in name) + "Q"


DIGITS: Final = str.maketrans("0123456789", "ghijklmnop")


def _titled(pieces: list[str], at: int, people: frozenset[str], titles: dict[str, set[str]]) -> list[Token]:
    """The names of somebody with a title that begins here: `Aunt May`, `Mr and Mrs Hill`; of two people with one name
    the title is a part of it. Whose aunt she is, is not told."""
    if pieces[at].lower() not in TITLES or not pieces[at][0].isupper() or (at and pieces[at - 1].lower() in OWNER):
        return []
    both = len(pieces) > at + 3 and pieces[at + 1] == "and" and pieces[at + 2].lower() in TITLES
    name = pieces[at + 1 + 2 * both] if len(pieces) > at + 1 + 2 * both else ""
    if name not in people or (both and len(titles.get(name, ())) < 2):
        return []

    def token(title: str) -> Token:
        longer = f"{title} {name}" if len(titles.get(name, ())) > 1 else name
        kin = title.lower() in STORY_KIN
        return Token(NAME, longer, title=True, gender=TITLES[title.lower()], kin_title=kin)

    return [token(pieces[at]), _word("and"), token(pieces[at + 2])] if both else [token(pieces[at])]


def _sentence(
    cut: _Cut,
    people: frozenset[str],
    places: frozenset[str],
    names: Collection[str],
    titles: dict[str, set[str]],
    *,
    quoted: bool = False,
) -> Sentence:
    spelling = {_as_word(name): name for name in names if not re.fullmatch(r"[^\W\d_]+(?:[-' ][^\W\d_]+)*", name)}
    tokens: list[Token] = []
    quotes = passed = 0
    for at, piece in enumerate(cut.pieces):
        if at < passed:
            continue
        if not quoted and (titled := _titled(cut.pieces, at, people, titles)):
            tokens += titled
            passed = at + len(titled) + 1
        elif piece in spelling:
            tokens.append(Token(NAME, spelling[piece]))
        elif piece.startswith("\x00"):
            tokens.append(Token(QUOTE, str(quotes)))
            quotes += 1
        elif piece in people and piece[0].isalpha():
            before = tokens[-1] if tokens else None
            if (
                before
                and before.kind == NAME
                and before.text not in spelling.values()
                and not before.title
                and _joined(before.text, piece, people, names)
            ):
                tokens[-1] = Token(NAME, f"{before.text} {piece}")
            else:
                tokens.append(Token(NAME, piece))
        else:
            tokens.append(Token(PLACE, piece) if piece in places else _word(piece))
    inner = tuple(
        tuple(_sentence(one, people, places, names, titles, quoted=True) for one in quote) for quote in cut.quotes
    )
    return Sentence(cut.text, tuple(tokens), inner)


def _joined(one: str, other: str, people: frozenset[str], names: Collection[str]) -> bool:
    """Are two names in a row one? Yes, unless each is known alone."""
    return f"{one} {other}" in names or not (one in names and other in names)


@lru_cache(maxsize=50_000)
def _word(piece: str) -> Token:
    lower = piece.lower()
    if not piece[0].isalnum() and piece[0] != "'" and lower != "n't":
        return Token(MARK, piece)
    kin = STORY_KIN.get(lower)
    return Token(KIN if kin else WORD, lower, kin, piece[0].isupper())
