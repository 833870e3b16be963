"""VQA accuracy on real questions: every answer of every annotator, and the totals of a real model."""

import numpy as np
import pytest

from voirdire.formats.vqa_annotations import read_vqa_annotations
from voirdire.formats.vqa_results import VQA_ACCURACIES, VQA_GROUPED_ACCURACIES, VQA_TOTALS
from voirdire.metrics.vqa_accuracy import EQ6, VQA_ACCURACY, HumanAnswers, accuracies, process_answers
from voirdire.runs import estimate

pytestmark = pytest.mark.slow


def shares(prediction, answers):
    """Both definitions, read word for word, in thirds so that they are whole numbers."""
    said, given = process_answers(prediction, answers)
    by_subset = []
    for left_out in range(len(given)):
        others = [answer for person, answer in enumerate(given) if person != left_out]
        by_subset.append(min(others.count(said), 3))
    return 100 * sum(by_subset) / 30, 100 * min(given.count(said), 3) / 3


@pytest.mark.parametrize(("split", "size"), [("train", 48_061), ("valid", 8_977)])
def test_every_answer_of_every_annotator(real_data, split, size):
    annotations = read_vqa_annotations(real_data / "vqa" / f"vqa2_subset_{split}_annotations.json.gz")
    assert len(annotations) == size
    people = HumanAnswers(annotations.answers, annotations.pool)
    found = np.stack(
        [people.matches([annotations.pool[place] for place in annotations.answers[:, j].tolist()]) for j in range(10)],
        axis=1,
    )
    known: dict[tuple[str, ...], dict[str, tuple[float, float]]] = {}
    expected = np.empty((size, 10, 2))
    for row in range(size):
        answers = annotations.answers_of(row)
        # Many questions have the same ten answers, and many people the same one.
        read = known.setdefault(answers, {})
        for answer in answers:
            if answer not in read:
                read[answer] = shares(answer, answers)
        expected[row] = [read[answer] for answer in answers]
    np.testing.assert_array_equal(accuracies(found), expected[..., 0])
    np.testing.assert_allclose(accuracies(found, EQ6), expected[..., 1], rtol=0, atol=1e-12)


def test_totals_of_a_real_model(real_data):
    folder = real_data / "vqa" / "lstm_baseline_val100k"
    by_question = VQA_ACCURACIES.read(folder / "eval_qa.json")
    totals = VQA_TOTALS.read(folder / "accuracy.json")
    items = {"accuracy": by_question.accuracies}
    assert len(by_question) == 100_000
    measures = [VQA_ACCURACY]
    order = np.argsort(by_question.question_ids)
    for column, name in (("answer_type", "ans_type"), ("question_type", "ques_type")):
        groups = VQA_GROUPED_ACCURACIES.read(folder / f"{name}.json")
        theirs = np.argsort(groups.question_ids)
        assert (groups.question_ids[theirs] == by_question.question_ids[order]).all()
        assert (groups.accuracies[theirs] == by_question.accuracies[order]).all()
        kinds = np.empty(len(order), dtype=object)
        kinds[order] = np.array(groups.names, dtype=object)[groups.groups[theirs]]
        items[column] = kinds
        measures += [VQA_ACCURACY.slice(column, kind) for kind in groups.names]
    found = {str(key): round(figure.value, 2) for key, figure in estimate(items, measures, seed=0, resamples=2).items()}
    assert found.pop("accuracy") == totals.overall == 45.89
    assert found == {
        f"accuracy[{kind}]": value for kind, value in (totals.by_answer_type | totals.by_question_type).items()
    }


def test_answers_are_short(real_data):
    """Printed of all of VQA: about 90 % of one word, 98 % of at most three. This part has as many numbers as others."""
    lengths = []
    for split in ("train", "valid"):
        annotations = read_vqa_annotations(real_data / "vqa" / f"vqa2_subset_{split}_annotations.json.gz")
        lengths += [len(text.split()) for row in range(len(annotations)) for text in annotations.answers_of(row)]
    assert len(lengths) == 570_380
    assert round(100 * sum(length == 1 for length in lengths) / len(lengths), 1) == 91.9
    assert round(100 * sum(length <= 3 for length in lengths) / len(lengths), 1) == 99.2
