"""The best sequences so far."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from ranker_cases import from_python

from voirdire.robustness.rankers.neighbours import enter

enter_best = from_python(enter)


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
