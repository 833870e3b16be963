"""Holm's correction: p-values of several tests, so that the chance of any false finding stays at the level.

    p̃_(i) = max_{j ≤ i} min( (m − j + 1) · p_(j), 1 )        p_(1) ≤ … ≤ p_(m)

A test without a p-value (None) is no test: it stays None and does not count in m (Holm 1979).
"""

from collections.abc import Sequence

__all__ = ["holm"]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The corrected p-values, in the order given."""
    for index, p in enumerate(p_values):
        if p is not None and not 0 <= p <= 1:
            raise ValueError(f"p_values: number {index} (counted from 0) is {p}; each is between 0 and 1, or None")
    ordered = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, index) in enumerate(ordered):
        largest = max(largest, min((len(ordered) - rank) * p, 1.0))
        corrected[index] = largest
    return corrected
