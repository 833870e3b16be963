"""Interning against what Python's own split and dictionaries say."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.metrics.ngrams import ORDERS, Ngrams, compare_texts, intern_texts

SPACES = " \t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
NO_SPACES = "\x00\x08\x0e\x1b!\x7f\x84\x86\x9f\xa1\u167f\u1fff\u200b\u200f\u3001\U0001f600\ud800"
TEXTS = st.lists(st.text(st.sampled_from("aab.é" + SPACES + NO_SPACES), max_size=12), max_size=25)


def counted(text: str) -> Counter[tuple[str, ...]]:
    words = text.split()
    return Counter(tuple(words[i : i + n]) for n in range(1, ORDERS + 1) for i in range(len(words) - n + 1))


def check(texts: list[str], made: Ngrams) -> None:
    distinct = list(dict.fromkeys(texts))
    assert [distinct[number] for number in made.texts] == texts
    assert [texts[place] for place in made.firsts] == distinct
    words: dict[int, str] = {}
    for d, text in enumerate(distinct):
        tokens = made.tokens[made.first[d] : made.first[d + 1]].tolist()
        assert len(tokens) == len(text.split())
        for number, word in zip(tokens, text.split(), strict=True):
            assert words.setdefault(number, word) == word
        here = slice(made.gram_first[d], made.gram_first[d + 1])
        numbers, counts = made.grams[here].tolist(), made.counts[here].tolist()
        assert numbers == sorted(set(numbers))
        wanted = counted(text)
        orders = np.searchsorted(made.bounds, numbers, side="right")
        assert Counter(map(len, wanted)) == Counter(orders.tolist())
        assert sorted(counts) == sorted(wanted.values())
    assert len(set(words.values())) == len(words)


@given(TEXTS)
@settings(max_examples=200)
def test_texts_tokens_and_counts(texts):
    check(texts, intern_texts(texts))


@pytest.mark.slow
@given(st.lists(st.lists(st.sampled_from("abc"), max_size=9).map(" ".join), min_size=1, max_size=12))
@settings(max_examples=200)
def test_equal_numbers_are_equal_ngrams(texts):
    interned = intern_texts(texts)
    distinct = [texts[place] for place in interned.firsts]
    seen = [
        dict(zip(interned.grams[a:b].tolist(), interned.counts[a:b].tolist(), strict=True))
        for a, b in zip(interned.gram_first[:-1], interned.gram_first[1:], strict=True)
    ]
    for i, first in enumerate(distinct):
        for j, second in enumerate(distinct):
            shared = counted(first).keys() & counted(second).keys()
            common = seen[i].keys() & seen[j].keys()
            assert len(common) == len(shared)
            assert sorted((seen[i][g], seen[j][g]) for g in common) == sorted(
                (counted(first)[g], counted(second)[g]) for g in shared
            )


def test_many_words_and_long_texts():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{n}" for n in rng.integers(0, 40_000, rng.integers(1, 400))) for _ in range(300)]
    check([*texts, *texts[:5]], intern_texts([*texts, *texts[:5]]))
    repeated = intern_texts(["a b " * 200])
    assert repeated.counts.tolist() == [200, 200, 200, 199, 199, 199, 199, 198]


def test_nothing_at_all():
    interned = intern_texts([])
    assert len(interned.texts) == len(interned.firsts) == len(interned.grams) == 0
    assert intern_texts(["", "  "]).first.tolist() == [0, 0, 0]


def test_wrong_calls():
    with pytest.raises(ValueError, match="`texts` must be a sequence of strings, got one string"):
        intern_texts("a dog")
    with pytest.raises(ValueError, match="`first` must rise from 0 to 2"):
        compare_texts(["a"], ["a", "b"], [0, 1])
    with pytest.raises(ValueError, match="`first` must rise"):
        compare_texts(["a", "b"], ["a", "b"], [0, 0, 2])
    with pytest.raises(ValueError, match="`sets` must be the number of a set, 0 to 0"):
        compare_texts(["a"], ["a", "b"], [0, 2], [1])
