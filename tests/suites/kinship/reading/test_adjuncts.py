"""What opens or follows a clause about kin and may take it back: none of these stories is read."""

from __future__ import annotations

import pytest

from proband.suites.kinship.reading.story import read_story

NOT_SO = """
When the test comes back, Ann is Bob's sister.
With the test positive, Ann is Bob's sister.
Once the papers are signed, Ann is Bob's wife.
Given the test, Ann is Bob's sister.
Assuming the letter is genuine, Ann is Bob's sister.
From what the neighbours say, Ann is Bob's sister.
Come spring, Ann is Bob's wife.
By her own account, Ann is Bob's mother.
Judging by the nose, Ann is Bob's mother.
Ann is Bob's mother, judging by her nose.
Ann is Bob's wife when it suits her.
Ann is Bob's mother for tax purposes.
Ann is Bob's mother, on paper.
Ann is Bob's mother in the register.
Ann is Bob's sister as far as he knows.
Ann is Bob's sister, as far as anyone remembers.
Ann is Bob's wife until Friday.
Next year Ann is Bob's wife.
Tomorrow Ann marries Bob.
On Saturday, Ann marries Bob.
In the sequel, Ann marries Bob.
In season two, Ann married Bob.
At the costume party Ann was Bob's mother.
To the neighbours, Ann is Bob's sister.
For the children, Ann is Bob's aunt.
Online, Ann is Bob's sister.
Legally, Ann is Bob's mother.
Technically Ann is Bob's mother.
Emotionally, Ann is Bob's mother.
Ann is almost Bob's sister.
Ann is basically Bob's sister.
Ann, basically Bob's sister, moved in.
Ann is Bob's work wife.
Ann was Bob's wife before he met Carla.
Ann had been Bob's wife.
Ann became Bob's wife in the third act.
Ann has a son. It could be Bob.
The twins, Ann and Bob, look alike but are not related.
Ann and Bob are like brother and sister.
Ann wants to be Bob's wife.
Ann hopes to marry Bob.
Ann almost married Bob.
Ann will marry Bob next week.
Ann married Bob to Carla at the chapel.
The priest Ann married Bob and Carla.
Ann married into Bob's family. Bob has a sister, Ann.
Half the town says Ann is Bob's mother.
Ann's mother is either Bea or Cleo.
Ann thinks Bob is her father. Her mother is Cleo.
Ann isn't Bob's sister. Bob's sister is Cleo.
Nobody believes that Ann is Bob's sister.
Ann used to be Bob's wife.
Ann was Bob's wife. She is now married to Carl.
Imagine Ann is Bob's sister.
Suppose Ann is Bob's sister. Then her mother, Cleo, is his mother.
Let's say Ann is Bob's sister.
Say Ann is Bob's sister.
Unless I am wrong, Ann is Bob's sister.
If memory serves, Ann is Bob's sister.
Wikipedia says Ann is Bob's sister.
Father Bob baptised Ann.
Sister Ann nursed Bob.
Brother Bob and Sister Ann pray together.
Mother Teresa met Bob.
Ann's brother in Christ, Bob, sings.
Ann is Bob's sister from another mother.
Ann is the mother of Bob's invention.
Ann mothers Bob.
Ann's baby is called Bob. Bob is a motorbike.
Ann's children's book stars Bob.
Ann is Bob's sister. Or so she says.
Ann is Bob's sister. That turned out to be wrong.
Ann is Bob's sister. I made that up.
Ann is Bob's sister. Wait, no, his aunt.
Ann is Bob's sister - well, half-sister.
Ann is Bob's sister (by marriage).
Ann is Bob's sister-in-law to be.
Ann introduced herself as Bob's mother.
Ann passed for Bob's sister.
Ann is old enough to be Bob's mother.
Ann, who could be Bob's mother, smiled.
"Bob is my son," lied Ann.
"Bob is my son," Ann joked.
"If Bob is my son, I am happy," said Ann.
"Bob, my son," said Father Ann, "go in peace."
"My brother," said Ann to Bob, "we shall win."
Uncle Bob's is a restaurant that Ann likes.
Ann calls Bob her uncle.
Ann has a brother named Bob in the game.
Ann plays Bob's wife.
Ann's character's husband is Bob.
Ann's ex is Bob. Ann's mother is Cleo.
Ann had a husband, Bob. Now she is alone.
Ann separated from her husband Bob.
I would call Ann Bob's sister.
Everyone says that I am Ann's brother. My name is Bob.
My name is Bob in the play. My mother is Ann.
Ann's is Bob. Cara's mother is Dee.
"""
SO = """
In 1980 Zack married Amber.
Last spring Zack married Amber in Porto.
Zack has been married to Amber for thirty years.
Two years later Amber gave birth to Leo.
Amber is Zack's wife, and Leo is their son.
Amber, who is Zack's wife, lives in Rome.
Zack is married to Amber, and they have a son called Leo.
"""


@pytest.mark.parametrize("text", NOT_SO.strip().splitlines())
def test_what_may_not_be_so_is_not_read(text: str) -> None:
    story = read_story(text, names=["Ann", "Bob"])
    assert not [fact for fact in story.facts if {fact.owner, fact.person} == {"Ann", "Bob"}]


@pytest.mark.parametrize("text", SO.strip().splitlines())
def test_times_and_places_change_nothing(text: str) -> None:
    assert read_story(text).facts
