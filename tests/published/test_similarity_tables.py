"""dense-visdial, Tables 4 (left) and 6: CCA-AQ-G at k = 1, A_gt and Γ_H, from the released sets and generations.

Every figure is compared with the printed digits, ours rounded at the last of them. What the released files do not give
is in the last test, with its distance, so that it cannot change unseen.
"""

import pytest

from voirdire.answers.exam import BoundOptions, ScoreAnswersOptions
from voirdire.answers.score import score_answers, score_bounds
from voirdire.formats.generations import read_generations
from voirdire.formats.references import read_references

pytestmark = pytest.mark.slow

OVERLAP = ("cider", "bleu", "meteor")
CIDER, BLEU = ([f"{family}{n}" for n in range(1, 5)] for family in ("cider", "bleu"))


@pytest.fixture(scope="module")
def human(real_data):
    return read_references(real_data / "visdial" / "dense" / "refs_H_human_val.json")


@pytest.fixture(scope="module")
def cca_aq_g(real_data):
    return read_generations(real_data / "visdial" / "dense" / "cca_aq_g_val_generations.json")


@pytest.fixture(scope="module")
def scored(cca_aq_g, human):
    return score_answers(cca_aq_g, human, ScoreAnswersOptions(common=True, measures=OVERLAP))


@pytest.fixture(scope="module")
def bounds(human):
    return score_bounds(human, BoundOptions(measures=OVERLAP))


def printed(run, names, form="{}"):
    return [f"{run.measures[form.format(name)].value:.4f}".removeprefix("0") for name in names]


def test_table_4_left_cca_aq_g(scored):
    assert printed(scored, [*CIDER, "meteor"]) == [".0721", ".0434", ".0298", ".0226", ".2713"]
    assert scored.measures["cider1"].n == 2064


def test_table_6_cca_aq_g_bleu(scored):
    assert printed(scored, BLEU) == [".4323", ".1461", ".0345", ".0138"]


def test_table_6_cca_aq_g_spread_over_rounds(scored):
    assert printed(scored, ["bleu1", "meteor"], "{}:std") == [".3839", ".3083"]


def test_table_6_cca_aq_g_spread_of_cider_is_that_of_respelt_references(cca_aq_g, human):
    """The printed spread, of orders 1, 2 and 4, is met where references are respelt, too; the means are the same."""
    options = ScoreAnswersOptions(common=True, measures=("cider",), respell_references=True)
    run = score_answers(cca_aq_g, human, options)
    assert printed(run, CIDER) == [".0721", ".0434", ".0298", ".0226"]
    assert printed(run, ["cider1", "cider2", "cider4"], "{}:std") == [".1187", ".0726", ".0389"]


def test_table_6_ground_truths(bounds):
    assert printed(bounds, [*BLEU, "meteor"], "{}[a_gt]") == [".9961", ".4840", ".3934", ".2916", ".9971"]


def test_tables_4_and_6_members(bounds):
    words = [*BLEU, "meteor"]
    assert printed(bounds, words, "{}[gamma]") == ["1.0000", ".7633", ".5974", ".3371", "1.0000"]
    assert printed(bounds, ["bleu1", "bleu3", "bleu4", "meteor"], "{}[gamma]:std") == [
        ".0000",
        ".1538",
        ".1675",
        ".0000",
    ]
    assert printed(bounds, words, "{}[gamma]:best") == ["1.0000", ".9898", ".9826", ".9300", "1.0000"]


@pytest.mark.parametrize(
    ("form", "names", "in_print", "ours"),
    [
        ("{}[a_gt]", CIDER[1:], [0.1253, 0.0986, 0.0819], [0.0010, 0.0004, 0.0005]),
        ("{}[gamma]", CIDER, [0.1915, 0.1437, 0.1165, 0.0962], [0.0067, 0.0046, 0.0044, 0.0035]),
        ("{}[gamma]:std", ["cider1", "cider2", "cider4"], [0.1490, 0.1051, 0.0772], [-0.0008, -0.0002, -0.0007]),
        ("{}[gamma]:best", CIDER, [0.2765, 0.2151, 0.1810, 0.1513], [0.0101, 0.0079, 0.0059, 0.0041]),
    ],
)
def test_what_remains_unexplained_and_by_how_much(bounds, form, names, in_print, ours):
    """CIDEr of A_gt and of Γ_H, whose BLEU and METEOR come out to the digit on the same sets."""
    distances = [bounds.measures[form.format(name)].value - value for name, value in zip(names, in_print, strict=True)]
    assert [round(distance, 4) for distance in distances] == ours
