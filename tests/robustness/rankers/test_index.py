"""The sequences of a pool, and the lists of their n-grams."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ranker_cases import ngrams

from voirdire.robustness.rankers.index import invert, number_pool


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
            holders = index.holders[index.list_first[held_by] : index.list_first[held_by + 1]]
            assert (np.diff(holders) > 0).all()
            shared[holders] += 1
    expected = [
        sum((ngrams(text.split(), n) & ngrams(question.split(), n)).total() for n in orders) for text in pool.texts
    ]
    assert shared.tolist() == expected


def test_one_string_is_no_pool():
    with pytest.raises(ValueError, match="one string"):
        number_pool("is it?")
