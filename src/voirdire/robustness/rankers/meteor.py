"""Rank by METEOR 1.5 of a pool question (the hypothesis) against the main question (the reference).

    score = F(P, R) · (1 − γ · (chunks / matches)^β)

As `metrics.meteor` defines it, with one reference. Questions of the pool that have the same words after METEOR's own
normalisation are scored once. Exact: a question is left unscored only where a bound of its score (`meteor_bounds`) is
below the last score of a full list.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.metrics.meteor.index import installed_files
from voirdire.metrics.meteor.lexicon import installed_lexicon
from voirdire.metrics.meteor.tables import read_sentences, tables_of
from voirdire.metrics.meteor.words import words_of
from voirdire.robustness.rankers.meteor_pool import lay_out_pool, lists_of
from voirdire.robustness.rankers.protocol import Neighbours

__all__ = ["MeteorRanker"]

Words = tuple[str, ...]
Int64 = npt.NDArray[np.int64]


class MeteorRanker:
    """METEOR over one pool."""

    def __init__(self, pool_texts: Sequence[str]) -> None:
        if isinstance(pool_texts, str):
            raise ValueError(f"pool_texts: got one string {pool_texts!r}, expected a sequence of strings")
        self._lexicon = installed_lexicon()
        sequences = [self._words(text) for text in pool_texts]
        distinct = _by_rare_words(list(dict.fromkeys(sequences)))
        number = {sequence: at for at, sequence in enumerate(distinct)}
        of = np.fromiter(map(number.__getitem__, sequences), np.int64, len(sequences))
        self._group_first = np.append(0, np.cumsum(np.bincount(of, minlength=len(distinct)))).astype(np.int64)
        self._members = np.argsort(of, kind="stable")
        self._sentences = read_sentences(distinct, self._lexicon)
        self._pool = lay_out_pool(self._sentences, self._members[self._group_first[:-1]])

    @property
    def signature(self) -> Mapping[str, Any]:
        return {
            "ranker": "meteor",
            "hypothesis": "pool question",
            "reference": "main question",
            "tokeniser": "METEOR 1.5, -norm",
            "data": installed_files().digest,
        }

    @property
    def batch(self) -> int:
        """Each question is ranked by itself; many at once share what is laid out for all."""
        return 1024

    def rank(self, questions: Sequence[str], left_out: Sequence[Int64], top: int) -> Neighbours:
        """The nearest questions of the pool."""
        if len(left_out) != len(questions):
            raise ValueError(f"left_out: {len(left_out)} came for {len(questions)} questions, one each may come")
        if top < 1:
            raise ValueError(f"top: {top} came, at least 1 may come")
        places, scores = np.full((len(questions), top), -1), np.zeros((len(questions), top))
        if not len(questions) or not len(self._members):
            return Neighbours(places, scores, {})
        from voirdire.robustness.rankers.meteor_search import search
        from voirdire.robustness.rankers.top import spread

        count = len(self._group_first) - 1
        out = [np.unique(np.asarray(these, np.int64)) for these in left_out]
        sizes = np.array([len(these) for these in out], np.int64)
        wanted = np.minimum(top + sizes, count)
        lists = np.full((len(questions), wanted.max()), -1), np.zeros((len(questions), wanted.max()))
        filled = np.zeros(len(questions), np.int64)
        sentences = read_sentences([self._words(text) for text in questions], self._lexicon, self._sentences)
        tables = tables_of(sentences, self._lexicon)
        search(tables, self._pool, lists_of(self._pool, tables), wanted, *lists, filled)
        spread(
            *(*lists, filled, self._group_first, self._members),
            *(np.append(0, np.cumsum(sizes)), np.concatenate(out), places, scores),
        )
        return Neighbours(places, scores, {})

    def _words(self, text: str) -> Words:
        return tuple(words_of(text, self._lexicon.abbreviations))


def _by_rare_words(sequences: list[Words]) -> list[Words]:
    """Order sequences by their rarest words: those that a list names then lie close together in memory."""
    frequency = Counter(chain.from_iterable(sequences))
    rank = {word: at for at, (word, _) in enumerate(reversed(frequency.most_common()))}
    return sorted(sequences, key=lambda sequence: sorted(map(rank.__getitem__, sequence)))
