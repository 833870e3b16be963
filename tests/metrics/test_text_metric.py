"""The table of text metrics: its names cost nothing, ours are there, and others come in by entry point or by hand."""

import importlib.metadata
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from voirdire.errors import UsageError
from voirdire.metrics import text_metric
from voirdire.metrics.measure import Measure
from voirdire.metrics.ngrams import compare_texts
from voirdire.metrics.text_metric import FAMILIES, TEXT_METRICS, Resources, TextMetric, TextMetrics

WORDS = Measure.averaged("words", "neither", description="words of a hypothesis")
COUNT = TextMetric(
    "count",
    lambda encoders: (WORDS,),
    lambda compared, resources: compared.ngrams.lengths[compared.hypotheses][:, None],
)


def test_names_load_nothing_heavy():
    heavy = ["numpy", "numba", "torch", "polars", "msgspec", "voirdire.metrics.cider", "voirdire.metrics.measure"]
    code = (
        "import sys; from voirdire.metrics.text_metric import TEXT_METRICS; print(*TEXT_METRICS.names());"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "cider bleu meteor rouge distance\n[]\n"


def test_every_family_of_ours_is_found_under_its_own_name():
    metrics = TEXT_METRICS.choose(FAMILIES)
    assert [metric.family for metric in metrics] == list(FAMILIES)
    assert [metric.family for metric in metrics if metric.weighs] == ["cider"]
    assert [metric.family for metric in metrics if metric.encodes] == ["distance"]
    assert [metric.family for metric in metrics if metric.prepare] == ["meteor"]
    names = [measure.name for metric in metrics for measure in metric.measures(["minilm"])]
    assert len(set(names)) == len(names) == 4 + 4 + 1 + 1 + 2


@pytest.mark.parametrize("family", ["cider", "bleu", "rouge", "distance"])
def test_a_score_has_a_row_per_hypothesis_and_a_column_per_measure(family):
    (metric,) = TEXT_METRICS.choose([family])
    compared = compare_texts(["a b", "c"], ["a", "b a", "c d"], [0, 2, 3])
    assert metric.score(compared, Resources()).shape == (2, len(metric.measures([])))


def test_families_are_chosen_once_and_in_the_order_of_their_columns():
    assert [metric.family for metric in TEXT_METRICS.choose(["rouge", "cider", "rouge"])] == ["cider", "rouge"]
    assert TEXT_METRICS.choose([]) == []
    with pytest.raises(UsageError, match="no family of measures 'spice'; there are: cider, bleu, meteor, rouge, dist"):
        TEXT_METRICS.choose(["bleu", "spice"])


def test_a_family_is_registered_once():
    table = TextMetrics()
    assert table.register(COUNT) is COUNT
    assert table.names() == (*FAMILIES, "count")
    assert table.choose(["count", "bleu"])[1] is COUNT
    with pytest.raises(ValueError, match="`family` must be a new one, got 'count'"):
        table.register(COUNT)
    with pytest.raises(ValueError, match="got 'bleu'"):
        table.register(TextMetric("bleu", COUNT.measures, COUNT.score))


def test_other_packages_add_families_by_entry_point(monkeypatch):
    point = importlib.metadata.EntryPoint("count", "somebodys.metrics:COUNT", "voirdire.text_metrics")
    monkeypatch.setitem(sys.modules, "somebodys.metrics", SimpleNamespace(COUNT=COUNT))

    def entry_points(group: str, name: str | None = None) -> list[importlib.metadata.EntryPoint]:
        assert group == "voirdire.text_metrics"
        return [point] if name in (None, "count") else []

    monkeypatch.setattr(text_metric, "entry_points", entry_points)
    assert TEXT_METRICS.names() == (*FAMILIES, "count")
    assert TEXT_METRICS.choose(["count"]) == [COUNT]


def test_what_a_metric_is_given():
    compared = compare_texts(["a b", "c", "a b"], ["c", "b a", "c d"], [0, 2, 3], [0, 1, 1], ["x", "c"])
    assert compared.distinct == ["a b", "c", "b a", "c d"]
    assert [compared.distinct[at] for at in compared.hypotheses] == ["a b", "c", "a b"]
    assert [compared.distinct[at] for at in compared.members] == ["c", "b a", "c d"]
    assert np.array_equal(COUNT.score(compared, Resources()), [[2], [1], [2]])
