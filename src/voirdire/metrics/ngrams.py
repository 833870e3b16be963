"""Texts as numbers: each distinct text once, its tokens, and its n-grams of orders 1 to 4.

    text  →  number of a distinct text  →  tokens[first[d] : first[d + 1]]
                                        →  grams[gram_first[d] : gram_first[d + 1]], ascending, with their counts

Tokens are split at white space (`str.split`). An n-gram's number is exact: it is looked up by the number of its first
n − 1 tokens and that of its last one. Numbers of order n lie in bounds[n − 1] to bounds[n], so that one merge of two
texts' lists serves all orders. Metrics that compare texts are merges of such lists, and cost no string work.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

__all__ = ["ORDERS", "ComparedTexts", "Ngrams", "compare_texts", "intern_texts"]

ORDERS = 4

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Ngrams:
    """All texts, interned.

    texts       int64[n], the number of each text among the distinct ones, in order of first appearance
    firsts      int64[m], where each distinct text comes first
    first       int64[m + 1], tokens int32: the tokens of distinct text d are tokens[first[d]:first[d + 1]]
    gram_first  int64[m + 1], grams int32, counts int32: likewise its n-grams
    bounds      int64[5]: n-grams of order n have numbers from bounds[n − 1] to below bounds[n]
    """

    texts: Int64
    firsts: Int64
    first: Int64
    tokens: Int32
    gram_first: Int64
    grams: Int32
    counts: Int32
    bounds: Int64

    @property
    def lengths(self) -> Int64:
        """Tokens of each distinct text."""
        return np.diff(self.first)


def intern_texts(texts: Sequence[str]) -> Ngrams:
    """Number the distinct texts, their tokens and their n-grams."""
    from voirdire.metrics import text_kernels as kernels

    if isinstance(texts, str):
        raise ValueError(f"`texts` must be a sequence of strings, got one string {texts!r}")
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    numbers, firsts = np.empty(len(texts), np.int64), np.empty(len(texts), np.int64)
    table = np.zeros(_slots(len(texts)), np.int64)
    count = kernels.distinct_texts(points, ends, table, np.empty(len(texts), np.uint64), numbers, firsts)
    firsts = firsts[:count].copy()

    first = np.zeros(count + 1, np.int64)
    tokens = np.empty(len(points) // 2 + count, np.int32)
    bounds = np.zeros(ORDERS + 1, np.int64)
    bounds[1] = kernels.intern_tokens(points, ends, firsts, first, tokens)
    tokens = tokens[: first[-1]].copy()

    by_order = np.empty((ORDERS, len(tokens)), np.int32)
    by_order[0] = tokens
    room = len(tokens)
    for order in range(2, ORDERS + 1):
        places = int(np.maximum(np.diff(first) - order + 1, 0).sum())
        room += places
        by_order[order - 1] = by_order[order - 2]
        pairs = np.zeros((_slots(places), 2), np.uint64)
        bounds[order] = kernels.number_ngrams(first, tokens, order, by_order[order - 1], pairs, bounds[order - 1])
    gram_first = np.empty(count + 1, np.int64)
    grams, counts = np.empty(room, np.int32), np.empty(room, np.int32)
    used = kernels.pack_ngrams(first, by_order, gram_first, grams, counts)
    return Ngrams(numbers, firsts, first, tokens, gram_first, grams[:used], counts[:used], bounds)


def _slots(entries: int) -> int:
    """Room for a hash table that stays at most three quarters full."""
    return 1 << max(4, (entries + entries // 3).bit_length())


@dataclass(frozen=True, eq=False)
class ComparedTexts:
    """Hypotheses, each with the set of references that it is compared with, all interned together.

    hypotheses  int64[h], the distinct text of each hypothesis
    sets        int64[h], the number of its set
    set_first   int64[s + 1], members int64: the distinct texts of set s are members[set_first[s]:set_first[s + 1]]
    beside      int64, the distinct texts of further texts that were interned along
    texts       all texts as they came: hypotheses, references, those beside
    """

    ngrams: Ngrams
    hypotheses: Int64
    sets: Int64
    set_first: Int64
    members: Int64
    beside: Int64
    texts: Sequence[str]

    @cached_property
    def distinct(self) -> list[str]:
        """The distinct texts of hypotheses and references, by number."""
        count = len(self.texts) - len(self.beside)
        return [self.texts[place] for place in self.ngrams.firsts.tolist() if place < count]


def compare_texts(
    hypotheses: Sequence[str],
    references: Sequence[str],
    first: npt.ArrayLike,
    sets: npt.ArrayLike | None = None,
    beside: Sequence[str] = (),
) -> ComparedTexts:
    """Intern all texts for a comparison.

    references, first  the references of set s are references[first[s]:first[s + 1]]
    sets               the set of each hypothesis; by default there are as many and they go together in order
    """
    starts = np.asarray(first, dtype=np.int64)
    of = np.arange(len(hypotheses)) if sets is None else np.asarray(sets, dtype=np.int64)
    count = len(starts) - 1
    if count < 0 or starts[0] != 0 or starts[-1] != len(references) or (np.diff(starts) < 1).any():
        raise ValueError(
            f"`first` must rise from 0 to {len(references)}, the number of references, at each of its places, "
            f"got {len(starts)} places from {starts[:1].tolist()} to {starts[-1:].tolist()}"
        )
    if of.shape != (len(hypotheses),) or (len(of) and (of.min() < 0 or of.max() >= count)):
        raise ValueError(
            f"`sets` must be the number of a set, 0 to {count - 1}, for each of {len(hypotheses)} hypotheses, "
            f"got shape {of.shape}, {of.min(initial=0)} to {of.max(initial=0)}"
        )
    texts = [*hypotheses, *references, *beside]
    ngrams = intern_texts(texts)
    ours, theirs, rest = np.split(ngrams.texts, [len(hypotheses), len(hypotheses) + len(references)])
    return ComparedTexts(ngrams, ours, of, starts, theirs, rest, texts)
