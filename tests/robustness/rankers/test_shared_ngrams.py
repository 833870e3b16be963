"""N-grams that two texts share, and the longest common subsequence, by bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranker_cases import ngrams

from voirdire.robustness.rankers.shared_ngrams import common_subsequence, lowest, mark, matched, ones, unmark

TOKENS = st.lists(st.integers(0, 4), max_size=64)


@given(st.integers(0, 2**64 - 1))
def test_bits_of_a_word(word):
    assert ones(np.uint64(word)) == bin(word).count("1")
    assert lowest(np.uint64(word)) == ((word & -word).bit_length() - 1 if word else 64)


@pytest.mark.slow
@given(TOKENS, st.lists(st.integers(0, 6), max_size=100), st.integers(1, 4))
def test_shared_ngrams_count_as_often_as_both_have_them(question, sequence, order):
    where = np.zeros(7, np.uint64)
    mark(where, np.array(question, np.int32), 0, len(question))
    got = matched(where, np.array(sequence, np.int32), 0, len(sequence), order)
    assert got == np.prod([(ngrams(question, n) & ngrams(sequence, n)).total() for n in range(1, order + 1)])
    unmark(where, np.array(question, np.int32), 0, len(question))
    assert not where.any()


@given(TOKENS, st.lists(st.integers(0, 6), max_size=80))
def test_the_longest_common_subsequence(question, sequence):
    where = np.zeros(7, np.uint64)
    mark(where, np.array(question, np.int32), 0, len(question))
    row = [0] * (len(question) + 1)
    for token in sequence:
        corner = 0
        for j, other in enumerate(question):
            above = row[j + 1]
            row[j + 1] = corner + 1 if other == token else max(row[j], above)
            corner = above
    assert common_subsequence(where, np.array(sequence, np.int32), 0, len(sequence)) == row[-1]
