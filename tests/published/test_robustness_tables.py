"""vqa-robustness: Table 4, every `diff` of Tables 2, 3 and 8 to 22, and the trend that the printed tables show.

The tables are read from the paper's text at run time, which lies in the folder `papers` beside the real data.
"""

import re

import numpy as np
import pytest

from voirdire.metrics.r_score import r_score
from voirdire.stats import page_trend

pytestmark = pytest.mark.slow

PARTITIONS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh")
ALL = 3
# The shares of other, number and yes/no questions in the two splits, fitted to the tables.
SHARES = {"dev": np.array([0.4814, 0.1081, 0.4104]), "std": np.array([0.4839, 0.1041, 0.4121])}
MU, HAV, MLB, MUA, HAR, LQI = (
    "MUTAN without Attention",
    "HieCoAtt (Alt,VGG19)",
    "MLB with Attention",
    "MUTAN with Attention",
    "HieCoAtt (Alt,Resnet200)",
    "LSTM Q+I",
)
OTHERS = ("bleu1", "bleu2", "bleu3", "bleu4", "rouge", "cider", "meteor")

# As printed, and as the printed accuracies give it.
MISPRINTS = {
    (3, MU, "First", "dev"): (10.13, 10.20),
    (3, MU, "Second", "dev"): (11.18, 11.49),
    (3, MU, "Third", "dev"): (11.36, 13.89),
    (3, MU, "Fourth", "dev"): (11.53, 13.86),
    (3, MU, "Fifth", "dev"): (11.81, 13.75),
    (3, MU, "Sixth", "dev"): (12.00, 13.94),
    (3, MU, "Seventh", "dev"): (12.18, 14.59),
    (3, MU, "First", "std"): (10.43, 10.52),
    (10, MLB, "Seventh", "dev"): (54.13, 54.24),
    (14, HAV, "First", "std"): (59.01, 47.94),
    (19, HAV, "First", "std"): (47.48, 47.58),
}
# Where the accuracy over all questions is not that of the three types, beyond the rounding of both and of the shares.
ODD_TOTALS = {
    *((3, MU, partition, "dev") for partition in PARTITIONS),
    (3, MU, "First", "std"),
    (9, MUA, "Fourth", "dev"),
    (11, HAR, "Second", "dev"),
    (13, MUA, "Second", "dev"),
    (14, MU, "Sixth", "dev"),
    (14, HAV, "First", "std"),
    (17, HAV, "First", "std"),
}


@pytest.fixture(scope="module")
def tables(paper):
    """Table number to {(model, partition, split): numbers}: other, number, yes/no, all and, but for originals, diff."""
    row = re.compile(r"(?P<partition>\w+)-(?P<split>dev|std)(?P<numbers>( [\d.]+){4,5})(?: -)?")
    found, block, model = {}, {}, ""
    for line in paper("vqa-robustness").splitlines():
        if line.startswith("Method "):
            model = line.removeprefix("Method ").strip()
        elif match := row.fullmatch(line):
            block[model, match["partition"], match["split"]] = [float(number) for number in match["numbers"].split()]
        elif (match := re.match(r"Table (\d+):", line)) and block:
            found[int(match[1])], block = block, {}
    assert sorted(found) == [2, 3, *range(8, 23)]
    return found


def diffs(tables):
    """Every printed diff: its place, the number, and the one that the printed accuracies give."""
    for table, rows in tables.items():
        for (model, partition, split), numbers in rows.items():
            if partition != "Original":
                ours = rows[model, "Original", split][ALL] - numbers[ALL]
                yield (table, model, partition, split), numbers[4], round(ours, 2)


def test_775_differences_of_which_11_are_misprints(tables):
    every = list(diffs(tables))
    assert len(every) == 775
    assert {place: (printed, ours) for place, printed, ours in every if printed != ours} == MISPRINTS


def test_totals_that_do_not_go_with_their_types(tables):
    odd = {
        (table, *place)
        for table, rows in tables.items()
        for place, numbers in rows.items()
        if abs(np.dot(numbers[:ALL], SHARES[place[2]]) - numbers[ALL]) > 0.015
    }
    assert odd == ODD_TOTALS


def test_table_3a_restored(tables):
    """Its totals are those of 2a. The printed diffs, and the shares of the types to 0.01, agree on what they were."""
    original = tables[3][MU, "Original", "dev"][ALL]
    by_diff = [round(original - tables[3][MU, partition, "dev"][4], 2) for partition in PARTITIONS]
    assert by_diff == [50.03, 48.98, 48.80, 48.63, 48.35, 48.16, 47.98]
    by_type = [float(np.dot(tables[3][MU, partition, "dev"][:ALL], SHARES["dev"])) for partition in PARTITIONS]
    assert by_type == pytest.approx(by_diff, abs=0.01)
    assert [tables[3][MU, partition, "dev"][ALL] for partition in PARTITIONS] == [
        tables[2][MU, partition, "dev"][ALL] for partition in PARTITIONS
    ]


@pytest.mark.parametrize(
    ("table", "printed"),
    [
        (2, {LQI: 0.19, HAV: 0.48, HAR: 0.45, MU: 0.30, MUA: 0.34, MLB: 0.36}),
        (3, {LQI: 0.08, HAV: 0.48, HAR: 0.53, MU: 0.30, MUA: 0.23, MLB: 0.37}),
    ],
)
def test_table_4(tables, table, printed):
    rows = tables[table]
    scores = {}
    for model in printed:
        clean = rows[model, "Original", "dev"][ALL]
        noisy = (
            clean - rows[model, "First", "dev"][4] if (table, model) == (3, MU) else rows[model, "First", "dev"][ALL]
        )
        scores[model] = round(float(r_score(clean, noisy)), 2)
    assert scores == printed


def trend(tables, table):
    """Page's test: models as rows, the accuracy over all questions of dev from the first to the seventh partition."""
    rows = tables[table]
    models = sorted({model for model, _, _ in rows})
    assert len(models) == 6
    # Table 3a by its differences, which restores it.
    restored = {model: (table, model) == (3, MU) for model in models}
    totals = [[-row[4] if restored[m] else row[ALL] for p in PARTITIONS if (row := rows[m, p, "dev"])] for m in models]
    return page_trend(totals, "falling")


def test_lasso_orders_by_noise(tables):
    general, yes_no = trend(tables, 2), trend(tables, 3)
    assert general.exact
    assert yes_no.exact
    assert general.p == pytest.approx(5.0e-16, rel=0.01)
    assert yes_no.p == pytest.approx(3.2e-18, rel=0.01)


@pytest.mark.parametrize("first", [9, 16])
def test_no_other_ranker_does(tables, first):
    found = {ranker: trend(tables, first + place).p for place, ranker in enumerate(OTHERS)}
    assert min(found.values()) > 0.1, found
    if first == 16:
        assert min(found, key=found.get) == "bleu3"
        assert found["bleu3"] == pytest.approx(0.13, abs=0.005)


def test_who_is_most_and_least_accurate(tables):
    """§5: 65.77 and 58.18 without noise; attention is with the most accurate."""
    clean = {
        model: numbers[ALL]
        for (model, partition, split), numbers in tables[2].items()
        if (partition, split) == ("Original", "std")
    }
    assert max(clean, key=clean.get) == MUA
    assert min(clean, key=clean.get) == LQI
    assert (clean[MUA], clean[LQI]) == (65.77, 58.18)
