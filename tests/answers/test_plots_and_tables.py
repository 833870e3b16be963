"""The tables of dense-visdial from figures of runs: columns, decimals and spreads as printed."""

import polars as pl
import pytest

from voirdire.answers.plots_and_tables import (
    generation_tables,
    judged_tables,
    overlap_tables,
    rank_tables,
    similarity_tables,
)
from voirdire.metrics.key import Key
from voirdire.runs import Estimate, Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.section.content import Model


def model(label, part, figures, items=None, **signature):
    measures = Measures({Key.parse(name): Estimate(value, None, None, 2064) for name, value in figures.items()})
    rows = pl.DataFrame({"image_id": [1]}) if items is None else items
    return Model(label, f"1-{label}-{part}", Run("answers", {}, rows, measures, Signature("0", **signature), part=part))


def texts(table):
    return [[cell if isinstance(cell, str) else cell.text for cell in row] for row in table.rows]


def test_sets_have_their_spread_in_brackets():
    figures = {
        "iou": 24.13,
        "iou:std": 16.73,
        "precision": 62.48,
        "precision:std": 31.24,
        "size": 7.17,
        "size:std": 6.94,
    }
    (table,) = overlap_tables([model("Σ", "overlap", figures)])
    assert table.columns == ("model", "IoU", "precision", "|C|")
    assert texts(table) == [["Σ", "24.13 (16.73)", "62.48 (31.24)", "7.17 (6.94)"]]


def test_what_judges_keep_is_a_column_for_each_kind_of_set():
    figures = {
        "selected[H]": 0.8148,
        "selected[H]:var": 0.0215,
        "selected_any[H]": 0.988,
        "selected_any[H]:var": 0.0037,
    }
    items = pl.DataFrame({"set": ["H", "H"], "judges": [5, 5]})
    (table,) = judged_tables([model("people", "humans", figures, items)])
    assert table.columns == ("", "C = H")
    assert texts(table) == [
        ["# tasks", "2,064"],
        ["# judges per task", "5"],
        ["% C selected", "81.48 (2.15)"],
        ["% C selected (≥ 1 judge)", "98.80 (0.37)"],
    ]


def test_ranks_in_percent_but_reciprocal_ones():
    figures = {"mr": 17.07, "recall@1": 0.1618, "recall@5": 0.4018, "recall@10": 0.5535, "mrr": 0.2845, "ndcg": 0.3493}
    (table,) = rank_tables([model("CCA-AQ", "rank", figures, data={"visdial": "a"})])
    assert texts(table) == [["CCA-AQ", "17.07", "16.18", "40.18", "55.35", "0.2845", "0.3493"]]
    assert table.columns[1:] == ("MR ↓", "R@1 ↑", "R@5 ↑", "R@10 ↑", "MRR ↑", "NDCG ↑")


@pytest.fixture
def against_both():
    human, machine = ({"data": {"references": name}, "references": f"2 sets of {name}"} for name in "ab")
    several = {
        f"cider1{k}{variant}": 0.1 for k in ("", "@1", "@5") for variant in ("", ":std", ":best") if k or not variant
    }
    return [
        model("RVA", "score", {"cider1": 0.1042, "cider1:std": 0.13}, **human),
        model("HCIAE", "score", {**several, "cider1@1": 0.1338, "cider1": 0.1309}, **human),
        model("sets", "bounds", {"cider1[gamma]": 0.3, "cider1[gamma]:best": 0.2765}, **human),
        model("RVA", "score", {"cider1": 0.1209}, **machine),
    ]


def test_table_4_has_the_first_answer_and_a_table_for_each_kind_of_set(against_both):
    left, right = similarity_tables(against_both)
    assert texts(left) == [
        ["valid answers, mean (Γ)", "0.3000"],
        ["valid answers, best (Γ)", "0.2765"],
        ["RVA", "0.1042"],
        ["HCIAE", "0.1338"],
    ]
    assert texts(right) == [["RVA", "0.1209"]]


def test_tables_6_and_7_have_the_statistics_of_each_k_and_of_the_bounds(against_both):
    """As printed: of one answer there is no best, and a run whose rounds have one answer is at k = 1."""
    human, machine = generation_tables(against_both)
    assert texts(human) == [
        ["valid answers (Γ)", "μ", "0.3000"],
        ["valid answers (Γ)", "γ", "0.2765"],
        ["RVA (k=1)", "μ", "0.1042"],
        ["RVA (k=1)", "σ", "0.1300"],
        ["HCIAE (k=1)", "μ", "0.1338"],
        ["HCIAE (k=1)", "σ", "0.1000"],
        *(["HCIAE (k=5)", sign, "0.1000"] for sign in "μσγ"),
    ]
    assert texts(machine) == [["RVA (k=1)", "μ", "0.1209"]]
