"""What a fresh process shows: light imports, and the same bytes for any number of threads."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

HEAVY = ("numba", "scipy", "statsmodels", "krippendorff", "polars", "sklearn", "torch")

FIGURES = """
import numpy as np
from voirdire.metrics.measure import Key, Measure, identity, mean, std
from voirdire.runs import estimate
rng = np.random.default_rng(0)
items = {"score": rng.random(30_000), "image": np.repeat(np.arange(3000), 10)}
score = Measure(Key("score"), identity, mean, "higher", of=("score",))
measures = [score, score.variant("std", aggregate=std())]
for clusters in ("image", None):
    for method in ("percentile", "bca"):
        print(dict(estimate(items, measures, seed=0, clusters=clusters, resamples=300, method=method)))
"""


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ | environment
    )
    return done.stdout


@pytest.mark.parametrize("package", ["stats", "metrics", "runs"])
def test_importing_brings_nothing_heavy(package):
    code = f"import sys, voirdire.{package}; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert run(code) == "[]\n"


def test_threads_change_no_bit():
    figures = {
        run(FIGURES, OPENBLAS_NUM_THREADS=number, OMP_NUM_THREADS=number, NUMBA_NUM_THREADS=number)
        for number in ("1", "2")
    }
    assert len(figures) == 1
    assert figures.pop().count("Estimate(value=0.") == 8
