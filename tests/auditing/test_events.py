"""Events told by clauses and sizes told as numbers: what is read, and what must not be."""

from __future__ import annotations

from functools import cache

import pytest

from proband.pipeline.checking import provers_of_suites
from proband.proof.decisions import RowVerdict
from proband.proof.rows import AuditRow
from proband.proof.run import judge_for
from proband.proof.verdicts import Judge

READ = """\
temporal || Lena made coffee. After that she fed the cat. Then she left for the office. ||\
    What did Lena do first? || made coffee
temporal || The film began at 8 pm. The dinner was at 6 pm. || Was the dinner before the film? || yes
temporal || Rome was founded before Paris. Berlin was founded after Paris. || Which city was founded last? || Berlin
temporal || Karl was born in 1950, Lisa was born in 1948 and Max was born in 1962. || Who is the youngest? || Max
temporal || The baker arrived at 5 a.m. and the cashier arrived at 7 a.m. || Who arrived first? || the baker
temporal || The parade was followed by a speech. The speech was followed by fireworks. ||\
    Were the fireworks before or after the parade? || after
temporal || Tom brushed his teeth after he had a shower. He had a shower after breakfast. ||\
    Did Tom brush his teeth before breakfast? || no
temporal || First the eggs are beaten, then the flour is added, and finally the milk is poured in. ||\
    What happens last? || the milk is poured in
temporal || The museum opened in 1901. The library opened in 1889. The zoo opened in 1923. ||\
    Which opened first, the museum or the zoo? || the museum
temporal || World War I ended in 1918. The Great Depression began in 1929. ||\
    Did World War I end before the Great Depression began? || yes
temporal || The train departed two hours after the bus. The plane departed an hour before the bus. ||\
    Which departed last? || the train
temporal || Nina finished her homework and then called her friend. Later she watched a film. ||\
    What did Nina do last? || watched a film
temporal || Two days after the storm, the power came back. ||\
    Did the power come back before or after the storm? || after
temporal || Amy arrived before Ben. Ben arrived before Cleo. || Who arrived last? || Cleo
temporal || The first letter came on March 3, 2020. The second letter came on April 1, 2020. ||\
    Which letter came first? || the first letter
temporal || As soon as the bell rang, the children ran outside. ||\
    Did the children run outside after the bell rang? || yes
temporal || We had soup first. Next came the fish. Last was the cake. || What came last? || the cake
temporal || My grandfather retired in 1999. He moved to Spain three years later. ||\
    Did he move to Spain before or after he retired? || after
temporal || The concert is after the lecture but before the dinner. || Is the dinner before the lecture? || no
temporal || Otto woke up at seven. He ate at eight. He went out at nine. ||\
    What did Otto do right after he ate? || went out
temporal || The swimming lesson comes before the piano lesson. The drawing class comes after the piano lesson. ||\
    The drawing class comes ___ the swimming lesson. || after
sizes || Anna is 5 years old. Ben is 8 years old. Cara is 3. || Who is the oldest? || Ben
sizes || Tom is as tall as Jim. Jim is taller than Bob. || Is Tom taller than Bob? || yes
sizes || The red rope is 3 meters long. The blue rope is 5 meters long. || Which rope is longer? || the blue rope
sizes || A car costs more than a bike. A bike costs more than a scooter. || Which costs the least? || a scooter
sizes || Bella is the oldest of the three. Cora is older than Dina. || Who is the youngest? || Dina
sizes || The melon weighs 2 kg and the pumpkin weighs 5 kg. || Does the pumpkin weigh more than the melon? || yes
sizes || Lake Como is deeper than Lake Garda, which is deeper than Lake Orta. ||\
    Which lake is the shallowest? || Lake Orta
sizes || Paul earns more than Nick. Nick earns more than Olga. || Who earns the most? || Paul
sizes || Sue ran faster than Tia. Tia ran faster than Una. || Who was the slowest? || Una
sizes || The phone costs $300, the tablet costs $450 and the laptop costs $900. || Which is the cheapest? || the phone
sizes || A mouse is smaller than a rabbit. A rabbit is not as big as a dog. || Is the dog bigger than the mouse? || yes
sizes || Jack is two inches taller than Kim. Kim is one inch taller than Leo. ||\
    How does Leo compare to Jack in height? || shorter
sizes || Ed is older than Flo by two years. Flo is older than Gus by a year. || Is Gus younger than Ed? || yes
sizes || Box A is larger than box B. Box C is smaller than box B. || Box C is ___ than box A. || smaller
sizes || Everest is higher than K2. K2 is higher than Lhotse. || Which mountain is the second highest? || K2
"""
NOT_READ = """
temporal || Ann probably left before Bob. || Did Ann leave before Bob? || yes
temporal || Ann didn't leave before Bob arrived. || Did Ann leave before Bob arrived? || yes
temporal || If it rains, the match is before lunch. || Is the match before lunch? || yes
temporal || Ann planned to eat before she walked the dog. || Did Ann eat before she walked the dog? || yes
temporal || In the film, Ann died before Bob. || Did Ann die before Bob? || yes
temporal || Ann said that lunch was before the meeting. || Was lunch before the meeting? || yes
temporal || The meeting was moved from 9:00 to 11:00. The call was at 10:00. || Was the meeting before the call? || yes
temporal || The party was on Friday. The exam was on Monday. || Was the exam before the party? || yes
temporal || The bus left at 11. The train left at 1. || Did the train leave before the bus? || yes
temporal || Ann left before Bob or after Cleo. || Did Ann leave before Bob? || yes
temporal || Ann started reading before lunch. || Was reading before lunch? || yes
temporal || Ann ate while Bob slept. Then Cleo came. || Did Ann eat before Bob slept? || yes
temporal || The shop opened in 1990 and closed in 2000. The cafe opened in 1995. ||\
    Did the shop close before the cafe opened? || yes
temporal || Ann usually runs before work. || Does Ann run before work? || yes
temporal || Ann almost left before Bob came. || Did Ann leave before Bob came? || yes
temporal || Ann left in 1990 or 1991. Bob left in 1992. || Did Ann leave before Bob? || yes
temporal || Everyone thought that Ann left before Bob. || Did Ann leave before Bob? || yes
temporal || Ann left before Bob. That is not true. || Did Ann leave before Bob? || yes
temporal || The lecture was after lunch. Actually, it was before lunch. || Was the lecture after lunch? || yes
sizes || Tom is probably taller than Bob. || Is Tom taller than Bob? || yes
sizes || Tom is almost as tall as Bob. || Is Tom as tall as Bob? || yes
sizes || Tom weighs about 50 kilos. Bob weighs 51 kilos. || Is Bob heavier than Tom? || yes
sizes || Tom weighed 50 kilos. Bob weighs 60 kilos. || Is Bob heavier than Tom? || yes
sizes || Tom is 5 feet tall. Bob is 2 meters tall. || Is Bob taller than Tom? || yes
sizes || If Tom is 50 kilos heavy, he is heavier than Bob. || Is Tom heavier than Bob? || yes
sizes || Tom would be taller than Bob in heels. || Is Tom taller than Bob? || yes
sizes || Tom looks taller than Bob. || Is Tom taller than Bob? || yes
sizes || Tom is taller than Bob when he wears his hat. || Is Tom taller than Bob? || yes
sizes || Tom says he weighs 50 kilos. Bob weighs 60 kilos. || Is Bob heavier than Tom? || yes
sizes || Tom is 5. Bob is 7. || Is Bob older than Tom? || yes
sizes || His hat is bigger than her hat. || Is the hat bigger than the hat? || yes
grid || The lamp was left of the sofa. Now it is right of the sofa. || Is the lamp left of the sofa? || yes
grid || The lamp should be left of the sofa. || Is the lamp left of the sofa? || yes
grid || My school is south of the park. Your school is north of the park. || Is my school south of the park? || yes
grid || In the mirror, the lamp is left of the sofa. || Is the lamp left of the sofa? || yes
grid || The lamp is left of the sofa on Mondays. || Is the lamp left of the sofa? || yes
"""


@cache
def judge(domain: str) -> Judge:
    return judge_for(domain, provers_of_suites())


def judged(line: str) -> RowVerdict:
    domain, text, question, answer = (cell.strip() for cell in line.split("||"))
    row = AuditRow(file="", line=1, key="", cells={}, text=text, question=question, answer=answer)
    return judge(domain).judge(row)


@pytest.mark.parametrize("line", READ.strip().splitlines())
def test_a_right_label_is_certified(line: str) -> None:
    assert judged(line).verdict == "entailed"


@pytest.mark.parametrize("line", NOT_READ.strip().splitlines())
def test_what_is_in_doubt_is_unread(line: str) -> None:
    assert judged(line).verdict == "unread"
