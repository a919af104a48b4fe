"""Questions in words and in columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.suites.inference.questions import TypedQuestion, parse, read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which food is included in chocolate?", "food | is included in | chocolate"),
        ("Which US president raised taxes?", "US president | raised | taxes"),
        ("Which drug treats headaches?", "drug | treats | headaches"),
        ("Which animals eat grass?", "animals | eat | grass"),
        ("Which ruler fought the Persians?", "ruler | fought | the Persians"),
        ("Which scientist was awarded a Nobel Prize?", "scientist | was awarded | a Nobel Prize"),
        ("Which city is next to the sea?", "city | is next to | the sea"),
        ("Which language has official status in Canada?", "language | has official status in | Canada"),
        ("Which territory is bigger than Vermont?", "territory | is bigger than | Vermont"),
        ("Which state was part of the Confederacy?", "state | was part of | the Confederacy"),
        ("Which solid food is produced from sheep?", "solid food | is produced from | sheep"),
        ("Which country is a republic?", "country | is | a republic"),
        ("who wrote Hamlet", "person | wrote | Hamlet"),
        ("What can cure malaria?", "thing | can cure | malaria"),
        ("What food is included in chocolate?", "food | is included in | chocolate"),
        ("What country borders Ethiopia?", "country | borders | Ethiopia"),
        ("What part of the body is affected by polio?", "part of the body | is affected by | polio"),
        ("What drugs are used in surgery?", "drugs | are used in | surgery"),
        ("What causes headaches?", "thing | causes | headaches"),
        ("What set fire to Rome?", "thing | set fire to | Rome"),
    ],
)
def test_in_words(text: str, expected: str) -> None:
    found = parse(text)
    assert f"{found.q_type} | {found.q_rel} | {found.q_arg}" == expected
    assert parse(found.text) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What animals eat grass?", "animals | eat | grass"),
        ("What farm animals eat grass?", "farm animals | eat | grass"),
        ("Which farm animals eat grass?", "farm animals | eat | grass"),
        ("What large animals live in Africa?", "large animals | live in | Africa"),
        ("What countries border Ethiopia?", "countries | border | Ethiopia"),
        ("What drugs treat headaches?", "drugs | treat | headaches"),
        ("What plants contain caffeine?", "plants | contain | caffeine"),
        ("What vitamins prevent scurvy?", "vitamins | prevent | scurvy"),
        ("What foods contain iron?", "foods | contain | iron"),
        ("What insects carry malaria?", "insects | carry | malaria"),
        ("What companies make phones?", "companies | make | phones"),
        ("What cities lie on the Danube?", "cities | lie on | the Danube"),
        ("What causes heart attacks?", "thing | causes | heart attacks"),
        ("What causes lung cancer?", "thing | causes | lung cancer"),
        ("What kills garden snails?", "thing | kills | garden snails"),
        ("What treats severe pain?", "thing | treats | severe pain"),
        ("What eats grass?", "thing | eats | grass"),
        ("What prevents tooth decay?", "thing | prevents | tooth decay"),
        ("What makes people happy?", "thing | makes | people happy"),
        ("What animal eats grass?", "animal | eats | grass"),
        ("What birds eat fish?", "birds | eat | fish"),
        ("What people speak Basque?", "people | speak | Basque"),
        ("What men wear kilts?", "men | wear | kilts"),
        ("What children like milk?", "children | like | milk"),
        ("What mice eat cheese?", "mice | eat | cheese"),
        ("What helps reduce stress?", "thing | helps reduce | stress"),
        ("What rivers flow through Egypt?", "rivers | flow through | Egypt"),
        ("What diseases affect cattle?", "diseases | affect | cattle"),
        ("What bacteria cause cholera?", "bacteria | cause | cholera"),
        ("What trees produce rubber?", "trees | produce | rubber"),
        ("What metals conduct electricity?", "metals | conduct | electricity"),
        ("What languages use tones?", "languages | use | tones"),
        ("What beats rock?", "thing | beats | rock"),
        ("What fish eat algae?", "fish | eat | algae"),
        ("Which people speak Basque?", "people | speak | Basque"),
        ("Which men wear kilts?", "men | wear | kilts"),
        ("Which fish eat algae?", "fish | eat | algae"),
        ("What kind of animals eat grass?", "kind of animals | eat | grass"),
        ("What types of trees produce rubber?", "types of trees | produce | rubber"),
        ("Who eats grass?", "person | eats | grass"),
        ("What cures bacterial infections?", "thing | cures | bacterial infections"),
        ("What needs light?", "thing | needs | light"),
        ("What needs plant light?", "thing | needs | plant light"),
        ("What animals do not eat meat?", "animals | do not eat | meat"),
        ("What animals can fly over mountains?", "animals | can fly over | mountains"),
        ("What buses run between Leeds and York?", "buses | run between | Leeds and York"),
        ("What glass contains lead?", "glass | contains | lead"),
        ("What gas harms the ozone layer?", "gas | harms | the ozone layer"),
        ("What virus causes measles?", "virus | causes | measles"),
    ],
)
def test_what_and_which_with_plurals_and_without_a_noun(text: str, expected: str) -> None:
    found = parse(text)
    assert f"{found.q_type} | {found.q_rel} | {found.q_arg}" == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Where is Paris?", "must begin with Which, Who or What"),
        ("Which country?", "has no verb after its type"),
        ("Who invented?", "has no argument"),
        ("Who did Rome invade?", "asks for an object"),
        ("a\tb", "must be a question in words or three columns"),
        ("a\t\tb", "must be a question in words or three columns"),
    ],
)
def test_what_does_not_fit(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "q.txt"
    path.write_text(f"# questions\nWho wrote Hamlet?\n{text}\n", encoding="utf-8")
    with pytest.raises(ProbandError, match=rf"q\.txt line 3: .*{message}"):
        read(path)


def test_columns(tmp_path: Path) -> None:
    path = tmp_path / "q.tsv"
    path.write_text(
        "q_type\tq_rel\tq_arg\ncountry\tborders\tEthiopia\n\ncountry\tborders\tEthiopia\n", encoding="utf-8"
    )
    assert read(path) == [TypedQuestion("country", "borders", "Ethiopia")]
    path.write_text("drug, treats, pain\taspirin, relieves, pain\ty\n", encoding="utf-8")
    assert read(path) == [TypedQuestion("drug", "treats", "pain")]
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(ProbandError, match="contains no questions"):
        read(path)


@pytest.mark.data
def test_the_questions_of_the_paper(data: Path) -> None:
    """573 were asked; 564 of them have an example in the released data."""
    assert len(read(data / "levy_dagan2016" / "levy_dagan_all.tsv")) == 564


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which animal is not a vertebrate?", ("animal", "is not", "a vertebrate")),
        ("Which country does not ban smoking?", ("country", "does not ban", "smoking")),
        ("Which chemical helps reduce stress?", ("chemical", "helps reduce", "stress")),
        ("Which country won the war?", ("country", "won", "the war")),
        ("Which mythical being was destroyed by Perseus?", ("mythical being", "was destroyed by", "Perseus")),
        ("Which plant is used to make bread?", ("plant", "is used to make", "bread")),
        ("Which united states president met Stalin?", ("united states president", "met", "Stalin")),
        ("Which animal represents the united states?", ("animal", "represents", "the united states")),
        ("Which healer mends broken bones?", ("healer", "mends", "broken bones")),
    ],
)
def test_negation_chains_of_verbs_and_types_that_look_like_verbs(text: str, expected: tuple[str, str, str]) -> None:
    assert parse(text) == TypedQuestion(*expected)
    assert parse(TypedQuestion(*expected).text) == TypedQuestion(*expected)


@pytest.mark.data
def test_all_questions_of_the_released_data_parse_back(data: Path) -> None:
    questions = read(data / "levy_dagan2016" / "levy_dagan_all.tsv")
    assert len(questions) == 564
    assert [parse(question.text) for question in questions] == questions
