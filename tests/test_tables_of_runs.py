"""How a run is printed: rows, variants, slices, figures that are not there."""

import polars as pl

from voirdire.metrics.key import Key
from voirdire.runs import Estimate, Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.tables import latex_table, text_table


def run(measures):
    figures = Measures({Key.parse(name): figure for name, figure in measures.items()})
    return Run("robustness", {}, pl.DataFrame(), figures, Signature("1"), part="rankers")


def test_variants_stand_in_the_measure_s_row():
    text = text_table(
        run(
            {
                "l2[glove:x]": Estimate(0.5, 0.25, 0.75, 1200),
                "l2[glove:x]:std": Estimate(0.125, None, None, 1200),
                "size": Estimate(12.767, None, None, 3),
                "none": Estimate(None, None, None, 0),
            }
        )
    )
    assert text.splitlines() == [
        "measure       value    95 % interval     std      n",
        "───────────  ──────  ───────────────  ──────  ─────",
        "l2[glove:x]  0.5000  0.2500 … 0.7500  0.1250  1,200",
        "size          12.77                –       –      3",
        "none              –                –       –      0",
        "",
        "robustness rankers|version:1",
    ]


def test_latex_is_escaped():
    lines = latex_table(run({"rouge_l": Estimate(0.5, 0.25, 0.75, 2)})).splitlines()
    assert lines[0] == "% robustness rankers|version:1"
    assert r"rouge\_l & 0.5000 & 0.2500 \dots{} 0.7500 & 2 \\" in lines


def test_conditions_have_rows_and_small_p_values_their_power():
    lines = text_table(
        run(
            {
                "accuracy": Estimate(60.5, 50.0, 70.0, 8),
                "accuracy:partition1": Estimate(54.6, 45.0, 65.0, 8),
                "accuracy:control": Estimate(40.0, 30.0, 50.0, 7),
                "trend_p": Estimate(3.2e-18, None, None, 8),
            }
        )
    ).splitlines()
    assert [line.split() for line in lines[2:6]] == [
        ["accuracy", "60.50", "50.00", "…", "70.00", "8"],
        ["accuracy:partition1", "54.60", "45.00", "…", "65.00", "8"],
        ["accuracy:control", "40.00", "30.00", "…", "50.00", "7"],
        ["trend_p", "3.2e-18", "–", "8"],
    ]


def test_conditions_of_slices_have_rows_and_their_p_values_a_column():
    lines = text_table(
        run(
            {
                "accuracy[lasso]:partition1": Estimate(54.6, 45.0, 65.0, 8),
                "accuracy[a:b]:partition2": Estimate(50.0, 45.0, 65.0, 8),
                "trend_p[lasso]": Estimate(0.25, None, None, 8),
                "trend_p[lasso]:holm": Estimate(0.0005, None, None, 8),
            }
        )
    ).splitlines()
    assert lines[0].split() == ["measure", "value", "95", "%", "interval", "holm", "n"]
    assert lines[2].split() == ["accuracy[lasso]:partition1", "54.60", "45.00", "…", "65.00", "–", "8"]
    assert lines[3].split() == ["accuracy[a:b]:partition2", "50.00", "45.00", "…", "65.00", "–", "8"]
    assert lines[4].split() == ["trend_p[lasso]", "0.2500", "–", "5.0e-04", "8"]
