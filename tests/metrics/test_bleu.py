"""BLEU by hand, and on degenerate texts."""

import math

import numpy as np
import pytest

from voirdire.metrics.bleu import bleu, caption_bleu
from voirdire.metrics.ngrams import compare_texts


def compare(*pairs):
    first = [0, *np.cumsum([len(references) for _, references in pairs])]
    return compare_texts([text for text, _ in pairs], [text for _, texts in pairs for text in texts], first)


def test_bleu_by_hand():
    (scores,) = bleu(compare(("the the dog runs", ["the dog", "a dog runs fast here"])))
    # Matches: the, dog, runs of 4 words; `the dog`, `dog runs` of 3 pairs; none of 2 triples. The nearest length is 5.
    penalty = math.exp(1 - 5 / 4)
    assert scores == pytest.approx([penalty * 3 / 4, penalty * math.sqrt(3 / 4 * 2 / 3), 0, 0])


def test_the_shorter_of_two_references_that_are_as_near():
    (scores,) = bleu(compare(("a b c", ["a b c d", "a b"])))
    assert scores[0] == 1.0
    (scores,) = bleu(compare(("a b c", ["a b c d"])))
    assert scores[0] == pytest.approx(math.exp(1 - 4 / 3))


def test_a_word_counts_as_often_as_one_reference_has_it():
    scores = bleu(compare(("a a a", ["a a b", "a b b"]), ("a a a", ["a b b", "a c c"])))
    assert scores[:, 0] == pytest.approx([2 / 3, 1 / 3])


def test_an_order_without_a_match_or_without_ngrams_is_zero():
    scores = bleu(compare(("yes", ["yes"]), ("no", ["yes"]), ("", ["yes"]), ("yes", [""]), ("", [""])))
    assert scores.tolist() == [[1, 0, 0, 0], [0] * 4, [0] * 4, [0] * 4, [0] * 4]


def test_no_hypotheses():
    assert bleu(compare_texts([], ["a"], [0, 1])).shape == (0, 4)


def test_captions_by_hand():
    references = ["a dog runs"]
    scores = caption_bleu(compare(*((text, references) for text in ("a dog runs", "a dog", "a cat", "no", ""))))
    short = math.exp(1 - 3 / 2)
    assert scores[0] == pytest.approx([1, 1, 1, 1e-6 ** (1 / 4)], abs=1e-9)
    assert scores[1] == pytest.approx([short, short, short * 1e-6 ** (1 / 3), short * 1e-12 ** (1 / 4)], abs=1e-9)
    assert scores[2] == pytest.approx([short / 2, 0, 0, 0], abs=2e-5)
    assert (scores[2] > 0).all()
    assert scores[3:].tolist() == [[0] * 4] * 2
    assert scores[0, 0] == 1
