"""scorekeeping: Table 3's human row and Fleiss' κ, from the published judgements with the six points left out."""

import re
from math import floor

import pytest

from voirdire.formats.judgements import read_judgements
from voirdire.scorekeeping.exam import JudgedPropositionsOptions
from voirdire.scorekeeping.humans import score_judges

pytestmark = pytest.mark.slow

# Points that the paper leaves out (footnote 13).
LEFT_OUT = "14,798,1310,6447,7054,7417"
ROUNDED = {"tfxps": 91.84, "tf": 94.33, "ps": 97.52, "pxtsfs": 96.10}


@pytest.fixture(scope="module")
def run(real_data):
    return score_judges(
        read_judgements(real_data / "scorekeeping" / "human_judgements.csv"),
        options=JudgedPropositionsOptions(exclude=LEFT_OUT),
    )


def test_the_figures(run):
    assert {name: round(100 * run.measures[name].value, 2) for name in ROUNDED} == ROUNDED
    assert {run.measures[name].n for name in ROUNDED} == {94}
    assert round(run.measures["fleiss_kappa"].value, 2) == 0.86


def test_table_3_prints_them_cut_after_two_digits(run, paper):
    text = paper("scorekeeping")
    row = re.search(r"^human\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s*$", text, re.MULTILINE)
    printed = [float(number) for number in row.groups()]
    assert printed == [91.84, 94.32, 97.51, 96.09]
    assert [floor(10_000 * run.measures[name].value) / 100 for name in ROUNDED] == printed
    assert "0.86 Fleiss" in text


def test_the_models_of_table_3_are_shares_of_94_points_cut_alike(paper):
    """Their predictions are not published; what can be checked is that each figure is a share of the 94 points."""
    text = paper("scorekeeping")
    rows = re.findall(
        r"^(?:[AQ]?\s+)(?:RL_DIV|SL|ICCV_RL)\s+([\d.\- \t]+)$", text[text.index("human\t") :], re.MULTILINE
    )
    numbers = [float(cell) for row in rows[:6] for cell in row.split() if cell != "-"]
    assert len(numbers) == 18
    possible = {floor(10_000 * count / 94) / 100 for count in range(95)}
    assert set(numbers) <= possible


def test_without_the_exclusion_the_figures_are_others(real_data):
    everything = score_judges(read_judgements(real_data / "scorekeeping" / "human_judgements.csv"))
    assert round(100 * everything.measures["tfxps"].value, 2) == 89.0
    assert everything.measures["tfxps"].n == 100
