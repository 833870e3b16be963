"""Where does a model fail: slices of one run's headline measures, and a user's own labels."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

sys.path.append(str(Path(__file__).parents[1] / "report"))

from small_report import ranked

from voirdire.errors import InputError, UsageError
from voirdire.exam import views_of
from voirdire.metrics.key import Key
from voirdire.runs import Run, Signature
from voirdire.runs.estimate import estimate
from voirdire.runs.view import estimate_views
from voirdire.verdict.labels import MOST, read_labels
from voirdire.verdict.slices import LEAST, _classes, ids_of, slice_run

IDS = {"image_id", "round"}


def by_name(sliced):
    return {(part.facet, part.value): part for part in sliced.slices}


def test_slices_are_the_figures_of_their_items_alone():
    run = ranked(0, count=80)
    (sliced, *_) = slice_run(run)
    assert sliced.measure.name == "mrr"
    assert sliced.whole == run.measures["mrr"]
    found = by_name(sliced)
    assert set(found) == {("round", "0"), ("round", "1")}
    for number in (0, 1):
        items = run.items.filter(pl.col("round") == number)
        part = found["round", str(number)]
        assert part.figure == estimate(items, [sliced.measure], seed=0, clusters="image_id")[Key("mrr")]
        assert part.figure.n == 40
        assert not part.few


def test_slices_of_few_items_say_so():
    run = robustness()
    kinds = pl.when(pl.col("question_id") < LEAST - 1).then(pl.lit("few")).otherwise(pl.lit("many"))
    (accuracy, _) = slice_run(replace(run, items=run.items.with_columns(question_type=kinds)))
    found = by_name(accuracy)
    few, many = (found["question type", kind] for kind in ("few", "many"))
    assert (few.few, few.figure.n) == (True, LEAST - 1)
    assert (many.few, many.figure.n) == (False, 60 - LEAST + 1)


def robustness():
    """Sixty questions on thirty images, of two types; those of type `what` are wrong under noise."""
    count = 60
    kinds = np.where(np.arange(count) % 2 == 0, "what", "is")
    items = pl.DataFrame(
        {
            "image_id": np.arange(count) // 2,
            "question_id": np.arange(count),
            "answer_type": np.where(kinds == "is", "yes/no", "other"),
            "question_type": kinds,
            "accuracy": np.full(count, 100.0),
            "accuracy:partition1": np.where(kinds == "what", 0.0, 100.0),
        }
    )
    bare = Run("robustness", {}, items, {}, Signature("0.1.0", seed=0), part="score")
    return replace(bare, measures=estimate_views(views_of(bare), seed=0))


def test_a_slice_that_the_run_has_is_the_runs_own():
    run = robustness()
    accuracy, drop = slice_run(run)
    assert (accuracy.measure.name, drop.measure.name) == ("accuracy", "drop:partition1")
    found = by_name(accuracy)
    assert found["answer type", "yes/no"].key == Key("accuracy", slice=("yes/no",))
    assert found["answer type", "yes/no"].figure == run.measures["accuracy[yes/no]"]
    assert found["question type", "what"].key == Key("accuracy", slice=("what",))
    assert by_name(drop)["question type", "what"].key is None
    assert by_name(drop)["question type", "what"].figure.value == 100.0
    assert by_name(drop)["question type", "is"].figure.value == 0.0


def table(tmp_path, *lines, name="labels.csv"):
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_users_labels_are_slices(tmp_path):
    run = ranked(0, count=80)
    rows = [f"{image},{'odd' if image % 2 else 'even'}" for image in range(35)]
    labels = read_labels(table(tmp_path, "image_id,hall", *rows), ids_of([run]))
    assert (labels.ids, labels.columns) == (("image_id",), ("hall",))
    found = by_name(slice_run(run, labels)[0])
    assert found["hall", "even"].figure.n == 36
    assert found["hall", "odd"].figure.n == 34
    ranks = run.items.filter((pl.col("image_id") < 35) & (pl.col("image_id") % 2 == 1))["rank"]
    assert found["hall", "odd"].figure.value == pytest.approx((1 / ranks).mean())


def test_labels_of_other_items_leave_a_run_alone(tmp_path):
    run = ranked(0, count=80)
    labels = read_labels(table(tmp_path, "game_id,hall", "1,a"), {"game_id"})
    assert set(by_name(slice_run(run, labels)[0])) == {("round", "0"), ("round", "1")}


def test_tabs_and_empty_labels(tmp_path):
    labels = read_labels(table(tmp_path, "image_id\thall", "1\ta", "2\t ", name="labels.tsv"), IDS)
    assert labels.table.rows() == [(1, "a"), (2, None)]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([""], "found an empty file, expected a column of ids among image_id, round"),
        (["image,hall", "1,a"], "expected a column of ids among image_id, round"),
        (["image_id,round", "1,1"], "found only ids (image_id, round), expected a column of labels"),
        (["image_id,hall", "one,a"], "line 2, field `image_id`: found 'one', expected a whole number"),
        (["image_id,hall", "1,a,b"], "line 2: found 3 cells, expected 2"),
        (["image_id,hall", "1,a", "1,b"], "line 3: found image_id 1 again, as in line 2, expected each item once"),
        (["image_id,hall,hall", "1,a,b"], "this column twice"),
        (["image_id,n", *(f"{at},{at}" for at in range(MOST + 1))], f"{MOST + 1} different labels, expected at most"),
    ],
)
def test_faults_are_told(tmp_path, lines, told):
    with pytest.raises(InputError) as error:
        read_labels(table(tmp_path, *lines), IDS)
    assert told in str(error.value)


def test_a_label_must_not_be_called_as_a_column_of_the_run(tmp_path):
    run = ranked(0, count=80)
    labels = read_labels(table(tmp_path, "image_id,rank", "1,a"), IDS)
    with pytest.raises(UsageError, match="column 'rank': `answers rank` has a column of this name already"):
        slice_run(run, labels)


def test_whole_numbers_of_few_units_are_taken_together():
    counts = {4: 3, 5: 6, 6: 12, 7: 6, 8: 30, 9: 3}
    assert _classes(counts) == [[4, 5, 6], [7, 8, 9]]
    assert _classes({0: 25, 1: 20, 2: 19}) == [[0], [1, 2]]
    assert _classes({0: 3}) == [[0]]
    assert _classes({"a": 3, "b": 4}) == [["a"], ["b"]]
    assert _classes({}) == []


def test_one_slice_of_all_is_none():
    assert slice_run(ranked(0, count=36)) == []
    items = pl.DataFrame({"image_id": np.arange(60) // 4, "round": np.arange(60) % 4, "rank": 1 + np.arange(60) % 7})
    bare = replace(ranked(0), items=items)
    run = replace(bare, measures=estimate_views(views_of(bare), seed=0))
    (sliced, *_) = slice_run(run)
    assert [(part.value, part.figure.n, part.few) for part in sliced.slices] == [
        ("0 to 1", 30, False),
        ("2 to 3", 30, False),
    ]
