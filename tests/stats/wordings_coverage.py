"""How often the interval over wordings holds the true figure, where that is known: a simulation with seeds.

    score of item i in wording j = wording_j + item_i + chance_ij,   each normal; the truth is 0

A share is simulated, too: each item has a chance of a right answer, which the wording moves on the logistic scale.

    python tests/stats/wordings_coverage.py [TRIALS]
"""

import sys
from dataclasses import dataclass

import numpy as np

from voirdire.stats.bootstrap import drawn_sums
from voirdire.stats.over_wordings import over_wordings

ITEMS, RESAMPLES, TRIALS, SEED = 100, 300, 4_000, 29


@dataclass(frozen=True)
class Case:
    """How many wordings there are, and the standard deviations of a figure: by wordings, by items, by chance alone."""

    wordings: int
    by_wording: float
    by_item: float
    by_chance: float
    share: bool = False


CASES = (
    *(Case(count, 1.0, 0.0, 0.0) for count in (3, 5)),
    *(Case(count, 1.0, size, 0.3) for count in (3, 4, 5) for size in (0.3, 0.6, 0.9, 2.0)),
    *(Case(count, 0.0, 1.0, 0.5) for count in (3, 5)),
    *(Case(3, size, 1.0, 0.0, share=True) for size in (0.0, 0.3, 1.0)),
)


def coverage(case: Case, trials: int, seed: int = SEED) -> float:
    """The share of the trials in which the interval holds the truth."""
    rng = np.random.default_rng([seed, case.wordings, trials])
    hits = 0
    for trial in range(trials):
        scores = _shares(case, rng) if case.share else _scores(case, rng)
        drawn = drawn_sums(scores, np.random.default_rng([seed, trial]), RESAMPLES) / ITEMS
        interval = over_wordings(scores.mean(axis=1), drawn)
        hits += interval is not None and interval.low <= (0.5 if case.share else 0.0) <= interval.high
    return hits / trials


def _scores(case: Case, rng: np.random.Generator) -> np.ndarray:
    """Scores (wordings, items), whose spread by item is that of a figure times the root of their number."""
    root = np.sqrt(ITEMS)
    wording = rng.normal(0, case.by_wording, (case.wordings, 1))
    items = rng.normal(0, case.by_item * root, ITEMS)
    return wording + items + rng.normal(0, case.by_chance * root, (case.wordings, ITEMS))


def _shares(case: Case, rng: np.random.Generator) -> np.ndarray:
    """Right and wrong answers; by symmetry a half is right over all wordings and items."""
    wording = rng.normal(0, case.by_wording, (case.wordings, 1))
    chance = 1 / (1 + np.exp(-(wording + rng.normal(0, case.by_item, ITEMS))))
    return (rng.random((case.wordings, ITEMS)) < chance).astype(float)


def main() -> None:
    """Print the coverage of every case."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else TRIALS
    found = []
    for case in CASES:
        found.append(coverage(case, trials))
        print(f"{found[-1]:.4f}  {case}")
    print(f"from {min(found):.1%} to {max(found):.1%} in {trials:,} trials each")


if __name__ == "__main__":
    main()
