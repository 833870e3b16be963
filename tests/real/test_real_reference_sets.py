"""Reference sets of real rounds: H as published, and sets by a CCA trained on the published H of train."""

from pathlib import Path

import numpy as np
import pytest

from voirdire.answers.cca.training import pairs_of_references
from voirdire.answers.exam import OverlapOptions, SetOptions
from voirdire.answers.overlap import overlap
from voirdire.answers.references import reference_sets
from voirdire.formats.option_numbers import Dense, read_dense
from voirdire.formats.references import References, read_references
from voirdire.formats.visdial import VisDial, read_visdial

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dialogues(real_data: Path) -> VisDial:
    return read_visdial(real_data / "visdial/visdialconv/visdial_1.0_val_crowdsourced.json")


@pytest.fixture(scope="module")
def dense(real_data: Path) -> Dense:
    return read_dense(real_data / "visdial/visdialconv/visdial_1.0_val_dense_annotations_crowdsourced.json")


@pytest.fixture(scope="module")
def published(real_data: Path) -> References:
    return read_references(real_data / "visdial/dense/refs_H_human_val.json")


def test_h_is_the_published_h_of_the_same_rounds(dialogues: VisDial, dense: Dense, published: References) -> None:
    sets, warnings = reference_sets(dialogues, SetOptions("H"), dense=dense)
    assert warnings == ()
    assert len(sets) == 97
    rows = {
        pair: row for row, pair in enumerate(zip(published.image_ids.tolist(), published.rounds.tolist(), strict=True))
    }
    for row, pair in enumerate(zip(sets.image_ids.tolist(), sets.rounds.tolist(), strict=True)):
        theirs = rows[pair]
        np.testing.assert_array_equal(sets.in_set[row], published.in_set[theirs])
        assert sets.of(row) == published.of(theirs)
        assert sets.questions[row] == published.questions[theirs]
        assert sets.gt_answers[row] == published.gt_answers[theirs]


def test_the_training_pairs_of_table_3(real_data: Path) -> None:
    pairs = pairs_of_references(read_references(real_data / "visdial/dense/refs_H_human_train.json"))
    assert len(pairs) == 15_317


@pytest.mark.parametrize(("sets", "iou"), [("H", 100.0), ("S", 26.2)])
def test_published_sets_judged_by_people_s_relevance(real_data: Path, sets: str, iou: float) -> None:
    folder = real_data / "visdial"
    names = ("visdial_1.0_val_crowdsourced.json", "visdial_1.0_val_dense_annotations_crowdsourced.json")
    dialogues, annotations = (folder / "visdialconv" / name for name in names)
    judged = read_references(folder / f"dense/refs_{sets}_human_val.json")
    people = {"visdial": read_visdial(dialogues), "dense": read_dense(annotations)}
    run = overlap(judged, **people, options=OverlapOptions(common=True))
    assert run.measures["iou"].value == pytest.approx(iou, abs=0.05)
    assert run.measures["iou"].n == 97
