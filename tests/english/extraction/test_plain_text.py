"""Plain text through our own pipeline, and what is said where a pipeline is missing."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.english.extraction.plain_text import OURS, TextParser, paragraphs
from proband.suites.inference.assertions.sources import SourceUnit, joined_lines

TEXT = [
    "The Nile flows through Egypt.",
    "Italy invaded Ethiopia in 1935.",
    "Paris is the capital of France.",
    "The telephone was invented by Bell.",
]


@pytest.mark.skipif(find_spec(OURS) is None, reason="weights/proband-english is not installed")
def test_sentences_any_parser_must_read() -> None:
    found = set(TextParser().assertions(TEXT))
    assert ("The Nile", "flows through", "Egypt") in found
    assert ("Italy", "invaded", "Ethiopia") in found
    assert ("Paris", "is the capital of", "France") in found
    assert ("The telephone", "was invented by", "Bell") in found


# what each sentence asserts; of those that assert nothing, what a careless reader would take for an assertion
CONSTRUCTIONS = {
    "The war ended on 11 November 1918.": ["The war | ended on | 11 November 1918"],
    "The museum has been closed since October 2019.": ["The museum | has been closed since | October 2019"],
    "Mozart was born on January 27, 1756.": ["Mozart | was born on | January 27 1756"],
    "The committee met on Monday, 7 April 2003.": ["The committee | met on | Monday 7 April 2003"],
    "The comet was seen on the evening of 25 July 1995.": ["The comet | was seen on | the evening of 25 July 1995"],
    "The bridge was opened in the summer of 1912.": ["The bridge | was opened in | the summer of 1912"],
    "The church was built between 1990 and 1994.": ["The church | was built between | 1990 and 1994"],
    "The king died two years later.": [],
    "Born on 14 March 1879 in Ulm, the physicist moved to Munich.": [
        "the physicist | was born on | 14 March 1879",
        "the physicist | was born in | Ulm",
        "the physicist | moved to | Munich",
    ],
    "The company opened a factory on 3 May 1998.": ["The company | opened | a factory"],
    "The union did not strike in November 1921.": ["The union | did not strike in | November 1921"],
    "The crisis of 1929 destroyed the bank.": ["The crisis of 1929 | destroyed | the bank"],
    "The river flows between Austria and Hungary.": ["The river | flows between | Austria and Hungary"],
    "There are three lighthouses in Norway.": ["three lighthouses | are in | Norway"],
    "There is no bridge over the Severn.": [],
    "Two of the five prisoners escaped from the fortress.": ["Two of the five prisoners | escaped from | the fortress"],
    "None of the bishops signed the petition.": [],
    "A few of the sailors caught malaria.": ["A few of the sailors | caught | malaria"],
    "More than half of the orchards produce cherries.": ["More than half of the orchards | produce | cherries"],
    "Nearly a third of the glaciers lost ice.": ["Nearly a third of the glaciers | lost | ice"],
    "The treaty was rejected by most of the delegates.": ["The treaty | was rejected by | most of the delegates"],
    "Reviewers called the opera a failure.": ["Reviewers | called the opera | a failure"],
    "The court found the sailor guilty of murder.": ["The court | found the sailor guilty of | murder"],
    "The court found the sailor not guilty of murder.": [],
    "Raised in Ghent, the painter sold portraits.": [
        "the painter | was raised in | Ghent",
        "the painter | sold | portraits",
    ],
    "Compared with cats, dogs chase rabbits.": ["dogs | chase | rabbits"],
    "The oil comes from wells in Texas.": ["The oil | comes from | wells"],
    "The paste does not protect teeth that are cracked.": [],
    "The famine forced hundreds of weavers to leave the valley.": [
        "The famine | forced | hundreds of weavers",
        "The famine | forced hundreds of weavers to leave | the valley",
    ],
    "The choir sang in some of the churches of Rome.": ["The choir | sang in | some of the churches of Rome"],
    "The price of bread rose by more than half.": ["The price of bread | rose by | more than half"],
    "The wardens burn dry grass at night, a custom that harms birds.": [
        "The wardens | burn | dry grass",
        "a custom | harms | birds",
    ],
    "The settlers named the harbour Port Egmont.": [
        "The settlers | named | the harbour",
        "The settlers | named the harbour | Port Egmont",
    ],
    "The oldest of the four chapels was built by monks.": ["The oldest of the four chapels | was built by | monks"],
    "Pilots who smoke have a higher risk of stroke.": [],
    "Miners who lost their jobs blocked the road.": ["Miners | lost | their jobs", "Miners | blocked | the road"],
    "The archive in the abbey, a former school, keeps maps.": ["The archive | keeps | maps"],
    "The firm's owner, Rita Moss, sold the factory.": [
        "The firm's owner | is | Rita Moss",
        "The firm's owner | sold | the factory",
    ],
    "The chapel stands at the top of Mount Hermon.": ["The chapel | stands at | the top of Mount Hermon"],
    "The syrup does not help babies under nine months.": ["The syrup | does not help | babies under nine months"],
    "The pupils went to Kiel by train, a trip of two hours.": [
        "The pupils | went to | Kiel",
        "The pupils | went by | train",
    ],
    "The widow of the sailor killed in Malta sued the navy.": ["The widow of the sailor | sued | the navy"],
    "The school, built by monks and repaired by soldiers, attracts tourists.": [
        "The school | is built by | monks",
        "The school | is repaired by | soldiers",
        "The school | attracts | tourists",
    ],
    "Divers took samples of mud from the bay.": [
        "Divers | took | samples of mud",
        "Divers | took samples of mud from | the bay",
    ],
    "The settlers made Lagos their capital.": [],
    "The Duke of Norfolk owned the castle.": ["The Duke of Norfolk | owned | the castle"],
    "The ambassador met the Earl of Essex.": ["The ambassador | met | the Earl of Essex"],
    "The mill was bought by the Bank of Scotland.": ["The mill | was bought by | the Bank of Scotland"],
    "The net prevents mosquitoes from biting sleepers.": ["The net | prevents mosquitoes from biting | sleepers"],
    "The pirates were prevented from reaching Malta.": ["The pirates | were prevented from reaching | Malta"],
    "According to Hansen, garlic cures malaria.": [],
    "Garlic, according to the herbalist, cures malaria.": [],
    "The vicar's sister painted the church's ceiling.": ["The vicar's sister | painted | the church's ceiling"],
    "The farmers' union opposed the tax.": ["The farmers' union | opposed | the tax"],
    "The nurse worked at St. Luke's Hosp. in Cork.": ["The nurse | worked at | St. Luke's Hosp."],
    "The statute requires brewers to label bottles.": ["The statute | requires brewers to label | bottles"],
    "The river Volga crosses Russia.": ["The river Volga | crosses | Russia"],
    "The delegates elected Larsen chairman.": [
        "The delegates | elected | Larsen",
        "The delegates | elected larsen | chairman",
    ],
    "The king appointed Thomas Wolsey chancellor.": [
        "The king | appointed | Thomas Wolsey",
        "The king | appointed thomas wolsey | chancellor",
    ],
    "Voters chose Anna Berg mayor of the town.": [
        "Voters | chose | Anna Berg",
        "Voters | chose anna berg | mayor of the town",
    ],
    "The council elected a new president.": ["The council | elected | a new president"],
    "Parliament elected the former general president.": [],
    "The council wants the museum to stay open.": [],
    "Analysts expect the bank to cut its dividend.": ["Analysts | expect the bank to cut | its dividend"],
    "The coach persuaded the players to accept the offer.": [
        "The coach | persuaded | the players",
        "The coach | persuaded the players to accept | the offer",
    ],
    "The storm left thousands of homes without electricity.": [
        "The storm | left thousands of homes without | electricity"
    ],
    "The jury found the defendant not guilty.": [],
    "Unemployment rose by 3 per cent in May.": ["Unemployment | rose by | 3 per cent"],
    "Acme Inc. bought Zeta Corp. in Jan. 2010.": ["Acme Inc. | bought | Zeta Corp."],
    "Almost 40 per cent of the pupils speak two languages.": [
        "Almost 40 per cent of the pupils | speak | two languages"
    ],
    "The explosion killed at least forty people.": ["The explosion | killed | at least forty people"],
    "The 20-year-old driver hit a parked car.": ["The 20-year-old driver | hit | a parked car"],
    "Apple bought the start-up for 400 million dollars.": [
        "Apple | bought | the start-up",
        "Apple | bought the start-up for | 400 million dollars",
    ],
    "The bridge, built in 1890, crosses the Severn.": [
        "The bridge | was built in | 1890",
        "The bridge | crosses | the Severn",
    ],
    "A man carrying a suitcase boarded the train.": [
        "A man | was carrying | a suitcase",
        "A man | boarded | the train",
    ],
    "Coffee beans grown in Ethiopia are exported to Japan.": [
        "Coffee beans | are grown in | Ethiopia",
        "Coffee beans | are exported to | Japan",
    ],
    "The painter whose work the gallery bought lives in Ghent.": ["The painter | lives in | Ghent"],
    "The prisoners, most of whom were farmers, built the road.": ["The prisoners | built | the road"],
    "The queen awarded the scientist a medal.": ["The queen | awarded the scientist | a medal"],
    "The nurse brought Mr. Hill a cup of tea.": ["The nurse | brought mr. hill | a cup of tea"],
    "The drug, doctors believe, causes cancer.": [],
    "In the opinion of many experts, the drug prolongs life.": [],
    "There have been several attacks on the embassy.": [],
    "Prof. Novak of the Inst. of Physics built the telescope.": [
        "Prof. Novak of the Inst. of Physics | built | the telescope"
    ],
    "Vienna became the capital of the empire in 1867.": ["Vienna | became the capital of | the empire"],
    "Volkswagen, Europe's largest carmaker, recalled 700,000 cars.": [
        "Volkswagen | is | Europe's largest carmaker",
        "Volkswagen | recalled | 700,000 cars",
    ],
    "The king fined the owner of the tanker, a Greek shipowner.": ["The king | fined | the owner of the tanker"],
    "Diving is the main source of income.": ["Diving | is the main source of | income"],
    "Children under six should not eat mussels.": ["Children under six | should not eat | mussels"],
    "All ferries to Skye stop at Mallaig.": ["All ferries to Skye | stop at | Mallaig"],
    "Sailors who drink seawater should not row the boat.": ["Sailors | drink | seawater"],
    "Every pupil who failed the exam took another course.": [],
    "Hardly any of the lawyers read the contract.": [],
    "The ointment does not cure infections in horses.": ["The ointment | does not cure infections in | horses"],
    "Three in four farmers rejected the plan.": ["Three in four farmers | rejected | the plan"],
    "Larsen, formerly the head of the library, joined the navy.": [
        "Larsen | was the head of | the library",
        "Larsen | joined | the navy",
    ],
    "Bergen, not the capital of Norway, attracts tourists.": ["Bergen | attracts | tourists"],
    "Ivan the Terrible killed his son.": ["Ivan the Terrible | killed | his son"],
    "The library bought the atlas from a dealer for 900 euros.": [
        "The library | bought | the atlas",
        "The library | bought the atlas from | a dealer",
        "The library | bought the atlas for | 900 euros",
    ],
    "There is a fountain in front of the theatre.": ["a fountain | is in front of | the theatre"],
    "The pump stands next to the chapel.": ["The pump | stands next to | the chapel"],
    "The college appointed Ruth Hill chief librarian.": [
        "The college | appointed | Ruth Hill",
        "The college | appointed ruth hill | chief librarian",
    ],
}


@pytest.mark.skipif(find_spec(OURS) is None, reason="weights/proband-english is not installed")
def test_constructions_give_what_they_say_and_nothing_else() -> None:
    parser = TextParser()
    found = {text: sorted(" | ".join(one) for one in parser.assertions([text])) for text in CONSTRUCTIONS}
    assert found == {text: sorted(expected) for text, expected in CONSTRUCTIONS.items()}


@pytest.mark.skipif(find_spec(OURS) is None, reason="weights/proband-english is not installed")
def test_wherever_lines_wrap_the_assertions_are_the_same() -> None:
    parser = TextParser()
    for text in (
        LONG,
        "The 20-year-old driver of the well-known firm sold its hearing-aid business to Siemens in 2003.",
    ):
        whole = list(parser.assertions([text]))
        words = text.split(" ")
        for every in (1, 2, 5, 13):
            lines = "\n".join(" ".join(words[at : at + every]) for at in range(0, len(words), every))
            assert list(parser.assertions([lines])) == whole
        assert list(parser.assertions([text.replace("-", "-\n")])) == whole


LONG = (
    "The abbey on the cliff, which was founded by a group of monks who had fled the war, owns a library that "
    "holds rare maps, and although its warden, a former captain, resigned in spring after the trustees rejected "
    "his plan, the county approved a grant, several merchants donated money, volunteers repaired the roof, "
    "carpenters built new shelves, the bishop lent a carpet, and the abbey, which attracts more than half of the "
    "pilgrims who visit the coast, reopened its gates in June with an exhibition of letters that the curator, who "
    "had worked in Vienna for ten years, had borrowed from the state archive, while the old chapel beside the "
    "harbour, where two of the five original monks lie, still houses the bells, the tenants of the farm below the "
    "cliff sell honey, two brothers repair boats, a smith makes hinges, and the miller grinds oats for the "
    "villagers, who pay him with eggs, wool and cider."
)


@pytest.mark.skipif(find_spec(OURS) is None, reason="weights/proband-english is not installed")
def test_from_a_sentence_of_150_words_nothing_is_taken() -> None:
    assert len(LONG.split()) >= 150
    assert not list(TextParser().assertions([LONG]))


def test_lines_that_wrap_are_joined_and_titles_are_not(tmp_path: Path) -> None:
    text = (
        "\ufeffA short history of Whitby\n\nThe abbey that the monks had founded on the cliff sold its\nlibrary to the "
        "county. The bishop, who was advised by Dr.\nLarsen, opposed the sale of the well-\nknown maps.\n"
        "- carpets\nPrices\nThe monks bought land.\n"
    )
    path = tmp_path / "a.txt"
    path.write_text(text, "utf-8")
    whole = SourceUnit(path=path, format="text", start=0, end=len(text.encode()), name="a")
    assert list(joined_lines(whole)) == [
        "A short history of Whitby",
        "The abbey that the monks had founded on the cliff sold its library to the county. The bishop, who was advised "
        "by Dr. Larsen, opposed the sale of the well-known maps.",
        "- carpets",
        "Prices",
        "The monks bought land.",
    ]
    for cut in range(1, len(text.encode())):  # wherever a file is divided, a paragraph is read once and whole
        parts = [replace(whole, end=cut), replace(whole, start=cut)]
        assert [line for part in parts for line in joined_lines(part)] == list(joined_lines(whole)), cut


def test_no_such_pipeline() -> None:
    with pytest.raises(ProbandError, match="spaCy has no pipeline 'en_nothing'"):
        TextParser("en_nothing")


def test_long_paragraphs_are_cut_and_titles_left_out() -> None:
    assert list(paragraphs(["Title", "", "A sentence that is long enough."])) == ["A sentence that is long enough."]
    assert [len(piece) for piece in paragraphs(["x" * 45_000])] == [20_000, 20_000, 5_000]
