"""The parts of the rankers by shared n-grams, each alone."""

from collections import Counter

import numpy as np
import pytest
from called import from_python
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.robustness.rankers.index import invert, number_pool
from voirdire.robustness.rankers.neighbours import enter
from voirdire.robustness.rankers.shared_ngrams import common_subsequence, lowest, mark, matched, ones, unmark

enter_best = from_python(enter)

TOKENS = st.lists(st.integers(0, 4), max_size=64)


def ngrams(tokens, order):
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))


@given(st.integers(0, 2**64 - 1))
def test_bits_of_a_word(word):
    assert ones(np.uint64(word)) == bin(word).count("1")
    assert lowest(np.uint64(word)) == ((word & -word).bit_length() - 1 if word else 64)


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


def test_sequences_by_length_then_by_place():
    pool = number_pool(["b c", "a", " b  c ", "", "c", "a b c"])
    assert pool.texts == ["", "a", "c", "b c", "a b c"]
    assert pool.lengths.tolist() == [0, 1, 2, 3]
    assert pool.range_first.tolist() == [0, 1, 3, 4, 5]
    groups = [pool.members[pool.group_first[d] : pool.group_first[d + 1]].tolist() for d in range(5)]
    assert groups == [[3], [1], [4], [0, 2], [5]]
    assert pool.earliest.tolist() == [3, 1, 4, 0, 5]
    words = {number: word for word, number in pool.vocabulary.items()}
    spelt = [[words[t] for t in pool.tokens[pool.first[d] : pool.first[d + 1]]] for d in range(5)]
    assert spelt == [text.split() for text in pool.texts]


def test_words_that_the_pool_does_not_have_are_told_apart_within_a_question():
    asked = number_pool(["a b"]).number(["x a y x", "y", ""])
    assert asked.tokens.tolist() == [2, 0, 3, 2, 2]
    assert asked.first.tolist() == [0, 4, 5, 5]


@settings(max_examples=50)
@given(
    st.lists(st.lists(st.sampled_from("abc"), max_size=6).map(" ".join), min_size=1, max_size=8),
    st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join),
    st.sampled_from([(1,), (2,), (4,), (1, 2, 3, 4)]),
)
def test_lists_hold_who_has_an_ngram_so_often(texts, question, orders):
    pool = number_pool(texts)
    index = invert(pool, orders)
    asked = pool.number([question])
    found = index.occurrences(asked.first, asked.tokens)
    shared = np.zeros(len(pool.texts), int)
    for held_by in index.lists(found.grams, found.before).tolist():
        if held_by >= 0:
            held = index.held[index.list_first[held_by] : index.list_first[held_by + 1]]
            assert (np.diff(held) > 0).all()
            shared[held] += 1
    expected = [
        sum((ngrams(text.split(), n) & ngrams(question.split(), n)).total() for n in orders) for text in pool.texts
    ]
    assert shared.tolist() == expected


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), max_size=40), st.integers(1, 6))
def test_the_best_so_far(offered, wanted):
    keys_of = dict(offered)
    earliest = np.arange(10)[::-1].copy()
    sequences, keys, filled = np.zeros(wanted, np.int64), np.zeros(wanted), 0
    for sequence, _ in offered:
        filled = enter_best(sequence, float(keys_of[sequence]), earliest, sequences, keys, filled, wanted)
    expected = sorted(keys_of, key=lambda one: (-keys_of[one], earliest[one]))[:wanted]
    assert sequences[:filled].tolist() == expected
    assert keys[:filled].tolist() == [keys_of[one] for one in expected]


def test_one_string_is_no_pool():
    with pytest.raises(ValueError, match="one string"):
        number_pool("is it?")
