"""ROUGE-L by hand, and on degenerate texts."""

import numpy as np
import pytest

from voirdire.metrics.ngrams import compare_texts
from voirdire.metrics.rouge import rouge_l


def compare(*pairs):
    first = [0, *np.cumsum([len(references) for _, references in pairs])]
    return compare_texts([text for text, _ in pairs], [text for _, texts in pairs for text in texts], first)


def test_rouge_by_hand():
    # Best precision 2/3 with the first reference, best recall 1 with the second.
    scores = rouge_l(compare(("a b c", ["a x c y", "b"]), ("a b", ["b a"]), ("a", ["b"])))
    precision, recall, square = 2 / 3, 1.0, 1.44
    assert scores == pytest.approx([(1 + square) * precision * recall / (recall + square * precision), 0.5, 0.0])


def test_rouge_of_nothing_is_zero():
    assert rouge_l(compare(("", ["a"]), ("a", [""]), ("", [""]), ("a", ["a"]))).tolist() == [0, 0, 0, 1]


def test_no_hypotheses():
    assert rouge_l(compare_texts([], ["a"], [0, 1])).shape == (0,)
