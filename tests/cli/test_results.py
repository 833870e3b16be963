"""How a run is printed: rows, variants, slices, figures that are not there."""

import polars as pl

from voirdire.cli.results import latex_table, text_table
from voirdire.runs import Estimate, Run, Signature


def run(measures):
    return Run("exam", {}, pl.DataFrame(), measures, Signature("1"))


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
        "exam|version:1",
    ]


def test_latex_is_escaped():
    lines = latex_table(run({"rouge_l": Estimate(0.5, 0.25, 0.75, 2)})).splitlines()
    assert lines[0] == "% exam|version:1"
    assert r"rouge\_l & 0.5000 & 0.2500 \dots{} 0.7500 & 2 \\" in lines
