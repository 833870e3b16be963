"""Text metrics of other packages: one module and one entry point, and they are scored as ours; none is a default."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from score_records import Letters, generations, references

from voirdire.answers.exam import BoundOptions, ScoreAnswersOptions
from voirdire.answers.score import score_answers, score_bounds
from voirdire.errors import UsageError
from voirdire.metrics import text_metric
from voirdire.metrics.measure import Key, Measure
from voirdire.metrics.text_metric import TEXT_METRICS, TextMetric
from voirdire.progress import Stages
from voirdire.runs import read_run, write_run

SETS = [["a cab", "a b"], ["bad", "a bad dab"], ["c"], ["d a", "d"]]

MODULE = '''
"""Exact match: whether a hypothesis is one of its references."""
import numpy as np
from voirdire.metrics.measure import Key, Measure, identity, mean
from voirdire.metrics.text_metric import TextMetric

EXACT = Measure(Key("exact"), identity, mean, "higher", description="share of texts that are a reference")

def score(compared, resources):
    sets = np.split(compared.members, compared.set_first[1:-1])
    return np.array([[float(one in sets[at])] for one, at in zip(compared.hypotheses, compared.sets, strict=True)])

TEXT_METRIC = TextMetric("exact", lambda encoders: [EXACT], score)
'''


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package, where Python finds packages."""
    (tmp_path / "exact_match.py").write_text(MODULE)
    about = tmp_path / "exact_match-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: exact-match\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[voirdire.text_metrics]\nexact = exact_match:TEXT_METRIC\n")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("installed")
def test_a_metric_of_another_package_is_scored(tmp_path):
    options = ScoreAnswersOptions(measures=("exact", "bleu"))
    generated = [["a b", "b"], ["a bad dab", "bad"], ["d", "d"], ["a d", "d a"]]
    result = score_answers(generations(generated), references(SETS), options)
    # Ours come first, whatever the order of the call.
    assert [str(key) for key in result.measures if str(key) in ("bleu1", "exact")] == ["bleu1", "exact"]
    assert result.items["exact"].to_list() == [0.5, 1.0, 0.0, 0.5]
    assert result.items["exact@1"].to_list() == [1.0, 1.0, 0.0, 0.0]
    assert result.measures["exact@2:best"].value == 0.75
    back = read_run(write_run(result, tmp_path / "run"))
    assert list(back.measures) == list(result.measures)
    bounds = score_bounds(references(SETS), BoundOptions(measures=("exact",)))
    assert bounds.measures["exact[gamma]"].value == 1.0


@pytest.mark.usefixtures("installed")
def test_a_new_metric_changes_no_default(monkeypatch):
    """The default is the paper's: neither another package, nor this process, nor a new module of ours is in it."""
    paper = ("cider", "bleu", "meteor", "rouge", "distance")
    monkeypatch.setattr(TEXT_METRICS, "_added", {})
    TEXT_METRICS.register(TextMetric("length", lambda encoders: [], lambda compared, resources: np.zeros((1, 0))))
    monkeypatch.setattr(text_metric, "MODULES", (*text_metric.MODULES, "spice"))
    assert TEXT_METRICS.names() == (*paper, "spice", "exact", "length")
    assert paper == text_metric.FAMILIES
    for options in (BoundOptions, ScoreAnswersOptions):
        assert options().measures == paper
        (declared,) = (field for field in fields(options) if field.name == "measures")
        assert declared.default == paper


def test_without_the_package_the_family_is_not_there():
    with pytest.raises(UsageError, match="there is no family of measures 'exact'"):
        score_answers(generations([["a"]] * 4), references(SETS), ScoreAnswersOptions(measures=("exact",)))


class Told(Stages):
    """Writes down what is told of the only stage."""

    def __init__(self, told):
        self.told = told

    def __call__(self, name, unit):
        return lambda *at: self.told.append(at)


def test_a_metric_of_vectors_is_given_the_encoders_and_tells_how_far_it_is(monkeypatch):
    def measures(encoders):
        return [Measure.averaged(Key("length", slice=(name,)), "neither") for name in encoders]

    def score(compared, resources):
        columns = []
        for number, encoder in enumerate(resources.encoders, start=1):
            columns.append(np.linalg.norm(encoder.encode(compared.distinct), axis=1)[compared.hypotheses])
            resources.progress(number * len(compared.distinct), len(resources.encoders) * len(compared.distinct))
        return np.stack(columns, axis=1)

    monkeypatch.setattr(TEXT_METRICS, "_added", {})
    TEXT_METRICS.register(TextMetric("length", measures, score, encodes=True))
    options = ScoreAnswersOptions(measures=("distance", "length", "rouge"))
    reports = []
    generated = generations([["a b"], ["dd"], ["c"], ["d"]])
    result = score_answers(generated, references(SETS), options, [Letters()], Told(reports))
    assert result.items["length[letters]"].to_list() == pytest.approx([np.sqrt(2), 2, 1, 1])
    assert [str(key) for key in result.measures if not key.variant] == [
        *("rouge_l", "l2[letters]", "cosine[letters]", "length[letters]", "sentences", "usual_sentences")
    ]
    texts = 8
    assert reports == [(texts, 3 * texts), (2 * texts, 3 * texts), (3 * texts, 3 * texts)]
    assert result.signature.encoder == "letters:letters-1"


def test_a_metric_whose_columns_are_not_its_measures_is_refused(monkeypatch):
    monkeypatch.setattr(TEXT_METRICS, "_added", {})
    each = Measure.averaged("one", "neither")
    TEXT_METRICS.register(TextMetric("odd", lambda encoders: [each], lambda compared, resources: np.zeros((4, 2))))
    with pytest.raises(ValueError, match=r"text metric odd must make 1 columns of 4 rows, got shape \(4, 2\)"):
        score_answers(generations([["a"]] * 4), references(SETS), ScoreAnswersOptions(measures=("odd",)))
