"""Table 2 of effective-questions: shares of types, in per cent, and what they say about how questions were counted.

The table is read from the paper's text at run time, which lies in the folder `papers` beside the real data.
"""

import re
from collections.abc import Callable

import pytest

from voirdire.questions.exam import KindsOptions
from voirdire.questions.kinds import KINDS, QuestionTexts, score_kinds

pytestmark = pytest.mark.slow

ROWS = ("Obj", "Color", "Shape", "Size", "Tex", "Loc", "Act", "Other")
PLAYERS = ("BL", "SL", "RL", "CL", "VDST", "H")

TEXTS = ("the white one on the left?", "is it a red car?", "is it a dog?", "why?")


def total(exclusive: bool) -> float:
    asked = QuestionTexts((1, 2, 3, 4), (None,) * 4, (1,) * 4, TEXTS, 4)
    figures = score_kinds(asked, options=KindsOptions(exclusive)).measures
    return sum(figures[kind].value or 0 for kind in KINDS)


@pytest.fixture
def printed(paper: Callable[[str], str]) -> dict[str, dict[str, float]]:
    """Each player's column: a type to its share in per cent."""
    text = paper("effective-questions")
    columns: dict[str, dict[str, float]] = {player: {} for player in PLAYERS}
    for name, kind in zip(ROWS, KINDS, strict=True):
        (row,) = re.findall(rf"^{name} \d+((?: \d+\.\d+){{6}})$", text, re.MULTILINE)
        for player, share in zip(PLAYERS, row.split(), strict=True):
            columns[player][kind] = float(share)
    return columns


def test_a_question_is_counted_in_each_of_its_types(printed: dict[str, dict[str, float]]) -> None:
    """Every column adds up to more than 100, as it must where each question has one type at least and some have two."""
    sums = {player: round(sum(column.values()), 2) for player, column in printed.items()}
    assert min(sums.values()) > 100
    assert sums["H"] == 112.38


def test_ours_add_up_in_the_same_way() -> None:
    """Two types, two types, one and one are six among four questions; without the object of the red car, five."""
    assert total(exclusive=False) == pytest.approx(6 / 4)
    assert total(exclusive=True) == pytest.approx(5 / 4)


def test_models_ask_less_about_looks_and_two_of_them_more_about_place(printed: dict[str, dict[str, float]]) -> None:
    for player in PLAYERS[:-1]:
        assert all(printed[player][kind] < printed["H"][kind] for kind in ("color", "shape", "size", "texture"))
    above = {player for player in PLAYERS if printed[player]["location"] > printed["H"]["location"]}
    assert above >= {"RL", "VDST"}
