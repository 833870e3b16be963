"""Tables 2, 3, 4 and 8 to 22 of vqa-robustness from planted accuracies, and the claim that attention helps."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from voirdire.exam import views_of
from voirdire.robustness.exam import RobustnessOptions
from voirdire.robustness.plots_and_tables import number_of, partition_tables, score_claims, score_table
from voirdire.runs import Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.runs.view import estimate_views
from voirdire.section.content import Model

TYPES = ("other", "number", "yes/no")


def scored(label, clean, *noisy, ranker="lasso", dataset="general", count=300):
    """A model with these accuracies, in percent, the same for all types; each question is right or wrong."""
    rows = {"question_id": range(count), "image_id": [at // 3 for at in range(count)]}
    rows |= {"answer_type": [TYPES[at % 3] for at in range(count)], "question_type": ["what"] * count}
    names = ["accuracy", *(f"accuracy:partition{number}" for number in range(1, len(noisy) + 1))]
    for name, share in zip(names, (clean, *noisy), strict=True):
        rows[name] = np.where(np.arange(count) // 3 * 3 < count * share / 100, 100.0, 0.0)
    options = {"dataset": dataset, "noise": {"ranker": ranker}, "t": 0.05, "m": 20.0}
    signature = Signature("0.1.0", data={"annotations": "a" * 64}, seed=0, options=options)
    bare = Run("robustness", RobustnessOptions().plain(), pl.DataFrame(rows), Measures(), signature, part="score")
    return Model(label, f"1-{label}", replace(bare, measures=estimate_views(views_of(bare), seed=0)))


def test_a_block_is_as_printed():
    (table,) = partition_tables([scored("MLB", 60, 55, 50, 45, 44, 43, 42, 41)])
    assert table.title == "Table 2: MLB"
    assert table.columns == ("Partition", "Other", "Num", "Y/N", "All", "diff")
    shown = [[cell if isinstance(cell, str) else cell.text for cell in row] for row in table.rows]
    assert shown[0] == ["First", "55.00", "55.00", "55.00", "55.00", "5.00"]
    assert shown[6] == ["Seventh", "41.00", "41.00", "41.00", "41.00", "19.00"]
    assert shown[7] == ["Original", "60.00", "60.00", "60.00", "60.00", "-"]
    assert table.note.startswith("Page's test that accuracy falls over the partitions")


@pytest.mark.parametrize(
    ("ranker", "dataset", "number"),
    [
        *(("lasso", "general", "2"), ("lasso", "yesno", "3"), ("bleu1", "general", "9"), ("meteor", "general", "15")),
        *(("bleu1", "yesno", "16"), ("meteor", "yesno", "22"), ("random", "general", "")),
    ],
)
def test_the_noise_says_which_table_it_is(ranker, dataset, number):
    assert number_of(scored("MLB", 60, 50, ranker=ranker, dataset=dataset)) == number


def test_blocks_are_in_the_order_of_the_paper():
    models = [scored("a", 60, 50, ranker=ranker) for ranker in ("cider", "lasso", "bleu2")]
    assert [table.title for table in partition_tables(models)] == ["Table 2: a", "Table 10: a", "Table 14: a"]


def test_table_4_has_a_row_for_each_dataset():
    models = [scored("MU", 60, 50), scored("MUA", 60, 56), scored("MU", 60, 52, dataset="yesno")]
    (table,) = score_table(models)
    assert table.columns == ("", "MU", "MUA")
    assert [[cell if isinstance(cell, str) else cell.text for cell in row] for row in table.rows] == [
        ["R_score1 (GBQD)", "0.31", "0.58"],
        ["R_score2 (YNBQD)", "0.39", "-"],
    ]


def test_models_with_attention_against_those_without():
    strong = [scored(f"s{drop}", 60, 60 - drop) for drop in (2, 3, 4, 5)]
    weak = [scored(f"w{drop}", 60, 60 - drop) for drop in (11, 12)]
    groups = {"attention": [model.label for model in strong], "no attention": [model.label for model in weak]}
    (claim,) = score_claims([*strong, *weak], groups, 0)
    figures = [model.run.measures["r_score"].value for model in (*strong, *weak)]
    assert claim.difference == pytest.approx(np.mean(figures[:4]) - np.mean(figures[4:]))
    # Of the fifteen ways to part six models none is as extreme.
    assert claim.p == pytest.approx(1 / 15)
    assert 0 < claim.low < claim.difference < claim.high
    assert score_claims([*strong, *weak], {}, 0) == []


def test_the_papers_own_scores_allow_no_small_p():
    """With the six models of Table 4 the p of its claim is 2/15 on any basic questions."""
    printed = {"LQI": 0.19, "HAV": 0.48, "HAR": 0.45, "MU": 0.30, "MUA": 0.34, "MLB": 0.36}

    none = ("LQI", "MU")

    def gap(chosen):
        return np.mean([printed[m] for m in printed if m not in chosen]) - np.mean([printed[m] for m in chosen])

    gaps = [abs(gap(chosen)) for chosen in combinations(printed, 2)]
    assert np.mean(np.array(gaps) >= abs(gap(none)) - 1e-9) == pytest.approx(2 / 15)
