"""The words of the authors, and corrected English behind the rules."""

import pytest

from voirdire.scorekeeping.propositions.rule import Pair
from voirdire.scorekeeping.propositions.wording import worded
from voirdire.text.tagging import HanTa

CASES = """
there is boats. | there is no boats. | there are boats. | there are no boats.
there is a water bottle. | there is no water bottle. | there is a water bottle. | there is no water bottle.
there is a snow. | there is no snow. | there is snow. | there is no snow.
there are many boats. | there are no many boats. | there are many boats. | there are not many boats.
there are a lot of boats. | there are no a lot of boats. | there are a lot of boats. | there are not a lot of boats.
there is something old. | there is no thing old. | there is something old. | there is nothing old.
there is a barn. | there is not a barn. | there is a barn. | there is not a barn.
one can see an another hen. | one cannot see any another hen. | one can see another hen. | one cannot see another hen.
one can see a sky. | one cannot see any sky. | one can see the sky. | one cannot see the sky.
one can see a grey snow. | one cannot see a grey snow. | one can see grey snow. | one cannot see grey snow.
the a goat is old. | the a goat is not old. | the goat is old. | the goat is not old.
the floors is grey. | the floors is not grey. | the floors are grey. | the floors are not grey.
owls and hens are old. | owls and hens are not old. | owls and hens are old. | owls and hens are not old.
some boats are visible. | some boats are not visible. | some boats are visible. | no boats are visible.
the doors looks new. | the doors does not look new. | the doors look new. | the doors do not look new.
the barn has any doors. | the barn does not have any doors. | the barn has doors. | the barn does not have any doors.
it is sunny. | it is not sunny. | it is sunny. | it is not sunny.
"""


@pytest.fixture(scope="module")
def hanta() -> HanTa:
    return HanTa()


@pytest.mark.parametrize("line", CASES.strip().splitlines())
def test_corrected_english(line: str, hanta: HanTa) -> None:
    yes, no, right_yes, right_no = line.split(" | ")
    assert worded(Pair(yes, no, "positive"), "corrected", hanta) == Pair(right_yes, right_no, "positive")
    assert worded(Pair(no, yes, "negative"), "corrected", hanta) == Pair(right_no, right_yes, "negative")
    assert worded(Pair(right_yes, right_no), "corrected", hanta) == Pair(right_yes, right_no)


def test_the_authors_words_stay_but_for_three(hanta: HanTa) -> None:
    pair = Pair("there is boats.", "there is no boats.", "positive")
    assert worded(pair, "authors", hanta) == pair
    pair = worded(Pair("one cannot see any thing.", "there is a water.", "negative"), "authors", hanta)
    assert pair == Pair("one cannot see anything.", "there is water.", "negative")
    assert worded(Pair("there is no thing.", "there is."), "authors", hanta).entailment == "there is nothing."


def test_people_who_are_not_there_stay_away(hanta: HanTa) -> None:
    pair = Pair("there are no people.", "there are people.")
    assert worded(pair, "corrected", hanta) == pair
