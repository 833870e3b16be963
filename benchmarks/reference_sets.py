"""Reference sets (Σ) of 20,640 rounds with 100 candidates each, all at once, beside loops over the rounds.

All start from the same vectors of 34,821 answers in 300 dimensions and the same CCA, and run on one thread. The loop
does a round as the published code does a batch: project its candidates, correlate them with the ground truth, take
maximum and standard deviation, compare. A second loop gets every answer projected beforehand, for nothing.
Candidates are drawn as VisDial's are: 30 that every round has, and 70 from the whole pool, some more often.
Bar: 10 times as fast as the loop, equal sets.
"""

import sys
import time
from collections.abc import Callable

import numba
import numpy as np
import threadpoolctl

from voirdire.answers.cca import Cca, unit_rows
from voirdire.answers.cca.projection import gather_dot
from voirdire.answers.exam import CcaOptions, SetOptions
from voirdire.answers.references import members

ROUNDS, ANSWERS, D, REPEATS = 20_640, 34_821, 300, 3
BAR = 10.0


def candidates(rng: np.random.Generator) -> np.ndarray:
    """int32[rounds, 100]: places in the pool, each round's in an order of its own."""
    often = rng.integers(30, 1000, (ROUNDS, 14))
    seldom = rng.integers(1000, ANSWERS, (ROUNDS, 56))
    every = np.broadcast_to(np.arange(30), (ROUNDS, 30))
    return rng.permuted(np.concatenate([every, often, seldom], axis=1), axis=1).astype(np.int32)


def batched(cca: Cca, vectors: np.ndarray, options: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Ours."""
    answers = unit_rows(cca.project("answer", vectors))
    anchor = options[np.arange(len(options)), truth].astype(np.int64)
    return members(gather_dot(answers, anchor, answers, options), truth, SetOptions("S"))


def loop(project: Callable[[np.ndarray], np.ndarray], options: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Round after round; `project` gives the projections of some places of the pool."""
    sets = np.zeros(options.shape, np.bool_)
    for row, (places, true) in enumerate(zip(options, truth, strict=True)):
        projected = project(places)
        lengths = np.linalg.norm(projected, axis=1)
        correlations = projected @ projected[true] / (lengths * lengths[true])
        others = np.delete(correlations, true)
        inside = others >= others.max() - others.std(ddof=1)
        sets[row] = np.insert(inside, true, True)
    return sets


def timed(function: Callable[[], np.ndarray], repeats: int = 1) -> tuple[float, np.ndarray]:
    """The best wall time, and the sets."""
    best, result = np.inf, np.empty(0)
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - start)
    return best, result


def main() -> int:
    """Run all, compare, print; 1 where the bar is missed."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(ANSWERS, D)) + rng.normal(size=(ANSWERS, 1)) * rng.normal(size=D)
    weights, mean = rng.normal(size=(D, D)) * 0.1, vectors.mean(axis=0)
    cca = Cca(CcaOptions(), np.linspace(1.8, 1.0, D), (weights, weights), (mean, mean), 2)
    options, truth = candidates(rng), rng.integers(0, 100, ROUNDS)
    scaled = weights * cca.eigenvalues
    centre, ready = mean @ scaled, vectors @ scaled - mean @ scaled
    numba.set_num_threads(1)
    with threadpoolctl.threadpool_limits(1):
        batched(cca, vectors, options[:10], truth[:10])
        ours, sets = timed(lambda: batched(cca, vectors, options, truth), REPEATS)
        theirs, expected = timed(lambda: loop(lambda places: vectors[places] @ scaled - centre, options, truth))
        given, _ = timed(lambda: loop(lambda places: ready[places], options, truth), 2)
    apart = int((sets != expected).any(axis=1).sum())
    print(f"{ROUNDS:,} rounds: ours {ours:.3f} s, the loop {theirs:.2f} s; mean size {sets.sum(axis=1).mean():.2f}")
    print(f"  ratio {theirs / ours:.1f}, bar {BAR:.0f}; {apart} sets differ, bar 0")
    print(f"  the loop with answers projected beforehand: {given:.2f} s, {given / ours:.1f} times ours")
    return int(theirs / ours < BAR or apart > 0)


if __name__ == "__main__":
    sys.exit(main())
