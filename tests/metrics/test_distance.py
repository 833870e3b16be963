"""L2 and cosine to a set of references, by hand."""

import numpy as np
import pytest

from voirdire.metrics import distance
from voirdire.metrics.distance import distances, measures
from voirdire.metrics.ngrams import compare_texts

VECTORS = {"a": [3.0, 4.0], "b": [0.0, 0.0], "c": [4.0, 3.0], "d": [-3.0, -4.0]}


def made(hypotheses, references, first, sets=None):
    compared = compare_texts(hypotheses, references, first, sets)
    texts = [*hypotheses, *references]
    vectors = np.array([VECTORS[texts[place]] for place in compared.ngrams.firsts], np.float32)
    return distances(compared, vectors)


def test_by_hand():
    l2, cosine = made(["a", "b", "a"], ["a", "c", "b", "d", "a"], [0, 2, 4, 5], [0, 1, 2])
    assert l2 == pytest.approx([np.sqrt(2) / 2, 2.5, 0.0])
    assert cosine == pytest.approx([(1 + 24 / 25) / 2, 0.0, 1.0])


def test_pieces_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    words = [f"w{n}" for n in range(40)]
    references = [words[n] for n in rng.integers(0, 40, 300)]
    compared = compare_texts(words, references, np.append(np.arange(0, 280, 7), 300))
    vectors = rng.normal(size=(len(compared.ngrams.firsts), 16)).astype(np.float32)
    whole = distances(compared, vectors)
    monkeypatch.setattr(distance, "PAIRS", 13)
    pieces = distances(compared, vectors)
    assert all((a == b).all() for a, b in zip(whole, pieces, strict=True))


def test_vectors_that_cannot_be():
    compared = compare_texts(["a"], ["b"], [0, 1])
    with pytest.raises(ValueError, match="one for each of 2 distinct texts, got 1"):
        distances(compared, np.ones((1, 2)))
    with pytest.raises(ValueError, match="`vectors` must be finite"):
        distances(compared, np.array([[1.0, np.nan], [1.0, 1.0]]))
    assert [len(each) for each in distances(compare_texts([], ["a"], [0, 1]), np.ones((1, 2)))] == [0, 0]


def test_names_and_directions():
    l2, cosine = measures("minilm")
    assert (l2.name, l2.better, cosine.name, cosine.better) == ("l2[minilm]", "lower", "cosine[minilm]", "higher")
