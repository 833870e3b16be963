"""dense-visdial, Table 1 (and its rows in Table 10), Table 3's counts of pairs, and the quirks of §3.2.1."""

import pytest

from voirdire.answers.audit import audit
from voirdire.answers.cca.training import pairs_of_references
from voirdire.answers.overlap import overlap
from voirdire.formats.joining import join_rounds
from voirdire.formats.option_numbers import read_dense
from voirdire.formats.references import read_references
from voirdire.formats.visdial import read_visdial

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sets(real_data):
    folder = real_data / "visdial" / "dense"
    return {
        (name, split): read_references(folder / f"refs_{name}_human_{split}.json")
        for name in "HS"
        for split in ("train", "val")
    }


def printed(run, *names):
    """Figures as the paper prints them: mean and standard deviation with two decimals."""
    return {name: (f"{run.measures[name].value:.2f}", f"{run.measures[f'{name}:std'].value:.2f}") for name in names}


def test_table_1_sigma(sets):
    assert printed(overlap(sets["S", "val"], sets["H", "val"]), "iou", "precision", "recall", "size") == {
        "iou": ("24.13", "16.73"),
        "precision": ("62.48", "31.24"),
        "recall": ("32.91", "23.52"),
        "size": ("7.17", "6.94"),
    }


def test_table_1_humans(sets):
    assert printed(overlap(sets["H", "val"], sets["H", "val"]), "iou", "precision", "recall", "size") == {
        "iou": ("100.00", "0.00"),
        "precision": ("100.00", "0.00"),
        "recall": ("100.00", "0.00"),
        "size": ("12.77", "7.24"),
    }


def test_table_10_every_set_holds_the_ground_truth(sets):
    for name in "HS":
        assert printed(overlap(sets[name, "val"], sets["H", "val"]), "contains_gt") == {
            "contains_gt": ("100.00", "0.00")
        }


def test_table_3_training_pairs(sets):
    assert (len(sets["H", "train"]), sets["H", "train"].in_set.sum()) == (1996, 15_317)
    # The paper prints 17,055 for Σ; the released sets hold fewer, so that row was made from others.
    assert (len(sets["S", "train"]), sets["S", "train"].in_set.sum()) == (1996, 14_469)


def test_train_and_val_together(sets):
    """On which the authors trained for Table 4's right half and Table 7."""
    both = join_rounds([sets["H", "train"], sets["H", "val"]], ["train", "val"])
    assert (len(both), len(both.texts), len(pairs_of_references(both))) == (4060, 41_675, 41_675)


def test_sets_that_hold_a_digit(sets):
    """What word vectors make of digits matters in more than a third of the sets."""
    texts = [sets["H", "val"].of(row) for row in range(2064)]
    assert sum(any(map(str.isdigit, "".join(text))) for text in texts) == 780


def test_quirks_on_the_97_dialogues_that_are_at_hand(real_data):
    folder = real_data / "visdial" / "visdialconv"
    found = audit(
        read_visdial(folder / "visdial_1.0_val_crowdsourced.json"),
        read_dense(folder / "visdial_1.0_val_dense_annotations_crowdsourced.json"),
    )
    # §3.2.1 prints 18.15 and 20.69 for val, 47.14 and 9.01 for train: these val rounds look like its train.
    assert f"{100 * found.measures['no_full_relevance'].value:.1f}" == "55.7"
    assert f"{100 * found.measures['irrelevant_gt'].value:.1f}" == "10.3"
    assert found.measures["irrelevant_gt"].n == 97
