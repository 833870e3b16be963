"""MRR and recall at 1, 5 and 10 of 20,640 rounds of 100 scores, beside ranx's evaluate.

Bar: at least 100 times as fast as ranx, once both are warm, with equal bits in all four figures. ranx gets its own
structures ready made, so that only `evaluate` is timed; what it compiles on its first call is timed apart. One thread.

The scores of a round are distinct. Where scores tie, ours take the worst rank of the group and ranx the order of its
sort, so that a tie has no figure on which the two could agree.

ranx is not among our dependencies: pip install ranx, into an environment that has Voir Dire in it.
"""

import os
import sys
import time
from collections.abc import Callable

os.environ.setdefault("NUMBA_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from voirdire.metrics.ranks import MRR, RECALLS, true_ranks

ROUNDS, CANDIDATES, REPEATS, BAR = 20_640, 100, 5, 100
THEIR_NAMES = {"mrr": "mrr", "recall@1": "hit_rate@1", "recall@5": "hit_rate@5", "recall@10": "hit_rate@10"}

Figures = dict[str, float]


def ours(scores: np.ndarray, truth: np.ndarray) -> Figures:
    """Ranks, statistics and means."""
    ranks = true_ranks(scores, truth)
    return {measure.name: float(measure.statistic(ranks).mean()) for measure in (MRR, *RECALLS)}


def timed(function: Callable[[], Figures], repeats: int = REPEATS) -> tuple[float, Figures]:
    """The best wall time of some repeats, and the figures."""
    best = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        figures = function()
        best = min(best, time.perf_counter() - start)
    return best, figures


def main() -> int:
    """Run both, check that their bits are equal, print times and the bar; 1 where it is missed."""
    try:
        from ranx import Qrels, Run, evaluate
    except ImportError:
        print("ranx is not installed, so there is nothing to compare with: pip install ranx")
        return 0
    rng = np.random.default_rng(20640)
    scores, truth = rng.normal(size=(ROUNDS, CANDIDATES)), rng.integers(0, CANDIDATES, ROUNDS)
    names = [str(place) for place in range(CANDIDATES)]
    qrels = Qrels({f"{row:05}": {names[place]: 1} for row, place in enumerate(truth.tolist())})
    run = Run({f"{row:05}": dict(zip(names, values, strict=True)) for row, values in enumerate(scores.tolist())})

    def theirs() -> Figures:
        found = evaluate(qrels, run, list(THEIR_NAMES.values()), threads=1)
        return {name: float(found[their]) for name, their in THEIR_NAMES.items()}

    first, _ = timed(theirs, 1)
    our_time, our_figures = timed(lambda: ours(scores, truth), 10 * REPEATS)
    peer_time, peer_figures = timed(theirs)

    print(f"MRR and recall of {ROUNDS:,} rounds of {CANDIDATES} scores; best of several, one thread")
    for name, seconds, figures in (("ours", our_time, our_figures), ("ranx", peer_time, peer_figures)):
        print(f"  {name:5} {1000 * seconds:9.2f} ms   " + "  ".join(f"{n} {v!r}" for n, v in figures.items()))
    print(f"  ranx's first call, with compiling or loading what it compiled before: {first:.1f} s")
    equal = our_figures == peer_figures
    print(f"  figures equal to the bit: {'yes' if equal else 'NO'}; a tie would take the worst rank of its group")
    print(f"  ratio to ranx {peer_time / our_time:.0f} (bar: at least {BAR})")
    met = equal and peer_time >= BAR * our_time
    print("  bar met" if met else "  BAR MISSED")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
