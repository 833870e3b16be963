"""Accuracy by layer, drawn."""

from dataclasses import replace

import pytest
from board_runs import items, probe_run

from voirdire.errors import UsageError
from voirdire.metrics.key import Key
from voirdire.runs.estimate import Estimate, Measures
from voirdire.scorekeeping.plots_and_tables import draw_layers, drawing, read_line


def run(value, everything=False, **more):
    """A run whose accuracies are at and around this one."""
    names = ["[TF]", "[TF, random]", "[PS]"] if everything else [""]
    figures = {f"accuracy@5{name}": value for name in names} | {f"accuracy{name}": value / 2 for name in names}
    figures |= {"accuracy@4": 0.1, "accuracy@5[seen]": 0.2, "accuracy@5:valid": 0.3, "accuracy@5:std": 0.4, **more}
    made = {Key.parse(name): Estimate(figure, value - 0.1, value + 0.1, 9) for name, figure in figures.items()}
    return replace(probe_run(items()), options={"all": everything}, measures=Measures(made))


def test_a_point_per_layer_with_its_interval():
    made = drawing({"runs/layer-{}": {0: run(0.5), 7: run(0.75)}})
    assert made["data"]["values"] == [
        {"runs": "runs/layer-{}", "layer": 0, "accuracy": 0.5, "low": 0.4, "high": 0.6},
        {"runs": "runs/layer-{}", "layer": 7, "accuracy": 0.75, "low": 0.65, "high": 0.85},
    ]
    assert made["layer"][0]["encoding"]["y"]["title"] == "accuracy at turn 5"


def test_a_line_per_name_task_and_control():
    made = drawing({"a-{}": {1: run(0.5)}, "b-{}": {1: run(0.5, everything=True)}})
    assert [point["runs"] for point in made["data"]["values"]] == [
        "a-{}",
        "b-{}, TF",
        "b-{}, TF, random",
        "b-{}, PS",
    ]


def test_where_a_run_has_no_turn_5_it_is_the_accuracy_of_all_turns():
    short = run(0.5, **{"accuracy@5": None})
    made = drawing({"a-{}": {1: run(0.5), 2: short}})
    assert [point["accuracy"] for point in made["data"]["values"]] == [0.25, 0.25]
    assert made["layer"][0]["encoding"]["y"]["title"] == "accuracy"


@pytest.mark.parametrize(("ending", "start"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".html", b"<!DOCTYPE html")])
def test_files(tmp_path, ending, start):
    figure = tmp_path / f"figure{ending}"
    assert draw_layers([("a-{}", {0: run(0.5), 1: run(0.6)})], output=figure).lines == (f"drawn: {figure}",)
    assert figure.read_bytes().lstrip().startswith(start)


def test_runs_that_were_asked_something_else_are_no_line():
    other = run(0.5)
    other = replace(other, signature=replace(other.signature, seed=4))
    with pytest.raises(UsageError, match=r"a-\{\}: the runs of the layers 0 and 3 differ in what was asked"):
        drawing({"a-{}": {0: run(0.5), 3: other}})


def test_names_without_a_place_for_the_number(tmp_path):
    for name in ("runs/layer-3", "runs-{}/layer", "runs/{}-{}"):
        with pytest.raises(UsageError, match=r"`run` must have \{\} for the layer's number in the name of its folders"):
            read_line(name)
    (tmp_path / "layer-three").mkdir()
    (tmp_path / "layer-3.h5").touch()
    for name in (tmp_path / "layer-{}", tmp_path / "absent" / "{}"):
        with pytest.raises(UsageError, match="no folder of this name with a number in place of"):
            read_line(str(name))


def test_runs_without_an_accuracy():
    empty = replace(run(0.5), measures=Measures())
    with pytest.raises(UsageError, match="runs without any accuracy"):
        drawing({"a-{}": {0: empty}})
