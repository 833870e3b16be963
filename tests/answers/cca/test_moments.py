"""The three ways to the sums of a covariance agree."""

import numpy as np
import pytest

from voirdire.answers.cca import moments as moments_module
from voirdire.answers.cca import solve
from voirdire.answers.cca.moments import DenseMoments, DistinctMoments, Moments, TokenMoments
from voirdire.answers.cca.sentences import Bags

pytestmark = pytest.mark.slow


def bags(rng: np.random.Generator, texts: int, vocabulary: int) -> Bags:
    lengths = rng.integers(1, 6, texts)
    first = np.concatenate([[0], np.cumsum(lengths)])
    # Zipf's law, so that most tokens are frequent ones.
    tokens = np.minimum(rng.zipf(1.5, first[-1]) - 1, vocabulary - 1)
    return Bags(tokens.astype(np.int32), first)


def dense(table: np.ndarray, text: Bags) -> np.ndarray:
    rows = [table[text.tokens[a:b]].mean(axis=0) for a, b in zip(text.first[:-1], text.first[1:], strict=True)]
    return np.array(rows)


def close(ours: Moments, theirs: Moments) -> None:
    assert ours.sizes == theirs.sizes
    assert ours.count == theirs.count
    scale = np.abs(theirs.product).max()
    assert np.abs(ours.product - theirs.product).max() <= 1e-9 * scale
    assert np.abs(ours.total - theirs.total).max() <= 1e-9 * np.abs(theirs.total).max()
    assert np.abs(ours.covariance() - theirs.covariance()).max() <= 1e-9 * np.abs(theirs.covariance()).max()


@pytest.mark.parametrize(("frequent", "many"), [(1, 0), (7, 0), (4096, 0), (4096, 101)])
def test_tokens_and_distinct_vectors_give_the_moments_of_dense_pairs(
    frequent: int, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moments_module, "FREQUENT", frequent)
    monkeypatch.setattr(moments_module, "MANY", many)
    rng = np.random.default_rng(0)
    table = rng.normal(0.3, 1.0, (50, 12))
    answers, questions = bags(rng, 40, 50), bags(rng, 60, 50)
    x, y = dense(table, answers), dense(table, questions)
    expected, tokens, distinct = (
        DenseMoments((12, 12)),
        TokenMoments(table, answers, questions),
        DistinctMoments([x, y]),
    )
    for size in (1, 700, 3000):
        a, q = rng.integers(0, 40, size), rng.integers(0, 60, size)
        expected.add(x[a], y[q])
        tokens.add(a, q)
        distinct.add(a, q)
    close(tokens.moments(), expected.moments())
    close(distinct.moments(), expected.moments())
    assert tokens.moments().count == 3701


def test_three_views_and_folding_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voirdire.answers.cca.moments.PENDING", 100)
    rng = np.random.default_rng(1)
    views = [rng.normal(size=(n, d)).astype(np.float32) for n, d in ((30, 4), (20, 6), (10, 9))]
    expected, distinct = DenseMoments((4, 6, 9)), DistinctMoments(views)
    for size in (70, 80, 5):
        places = [rng.integers(0, len(view), size) for view in views]
        expected.add(*(view[place] for view, place in zip(views, places, strict=True)))
        distinct.add(*places)
    close(distinct.moments(), expected.moments())
    close(distinct.moments(), expected.moments())


def test_blocks_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(ValueError, match=r"`blocks` must have the shapes .*, got \[\(3, 2\), \(4, 2\)\]"):
        DenseMoments((2, 2)).add(np.ones((3, 2)), np.ones((4, 2)))
    with pytest.raises(ValueError, match="`places` must be 2 arrays of equal length, got 1"):
        DistinctMoments([np.ones((3, 2)), np.ones((4, 2))]).add(np.zeros(3, int))
    with pytest.raises(ValueError, match="at least 2 pairs, got 1"):
        solve(Moments((1, 1), 1, np.ones(2), np.eye(2)))
