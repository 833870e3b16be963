"""The questions of a pool as sequences of numbered tokens, each distinct sequence once, and where each n-gram stands.

    question  →  tokens  →  sequence d, of which the pool's questions members[group_first[d] : group_first[d + 1]] are

Tokens are the words of a question (`text.tokens.words`): lower case, no punctuation. Sequences are numbered by length,
and in the pool's order among those of one length: a length is then one range of numbers, which a search can leave out
as a whole.

    number of an n-gram = place of (number of its first n − 1 tokens, its last token) among all such pairs of the pool

Numbers of an order start at 0. A text that is not of the pool is numbered by the same pairs: an n-gram that the pool
does not have is −1.

    list l = (g, k)  →  the sequences that hold n-gram g more than k times, ascending
                     =  holders[list_first[l] : list_first[l + 1]]

With lists by occurrence, counting is adding 1: the n-grams that a sequence shares with a question, each counted as
often as both have it, are the lists of the question's own (g, k) that hold the sequence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from voirdire.text.tokens import words

TOKENISER = "treebank, lower case, without punctuation"
"""What `spaced` does, for signatures."""

LONGEST = 64
"""The most tokens of a main question that the searches take: its places are the bits of a word."""

SHIFT = 32
"""Of the first number of a pair: both are below 2³¹."""

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]


def spaced(text: str) -> str:
    """The words of a text with single spaces between them: a text for metrics that part tokens at white space."""
    return " ".join(words(text))


@dataclass(frozen=True, eq=False)
class Questions:
    """Main questions in the pool's numbers: the tokens of question i are tokens[first[i] : first[i + 1]].

    A word that the pool does not have gets a number from len(vocabulary) on, good within its question alone.
    """

    first: Int64
    tokens: Int32


@dataclass(frozen=True, eq=False)
class Sequences:
    """The distinct sequences of a pool.

    vocabulary            the number of each token
    texts                 each sequence, its tokens joined by single spaces
    first, tokens         the tokens of sequence d are tokens[first[d] : first[d + 1]]
    lengths, range_first  the lengths that occur, ascending; that of range_first[b] to below range_first[b + 1] is b's
    group_first, members  the places in the pool where it stands, ascending
    """

    vocabulary: dict[str, int]
    texts: list[str]
    first: Int64
    tokens: Int32
    lengths: Int64
    range_first: Int64
    group_first: Int64
    members: Int64

    @property
    def places(self) -> int:
        """How many questions the pool has."""
        return len(self.members)

    @property
    def earliest(self) -> Int64:
        """The first place of each sequence, by which equal scores are ordered."""
        return self.members[self.group_first[:-1]]

    def number(self, texts: Sequence[str]) -> Questions:
        """Number the tokens of main questions, which are `spaced`."""
        first, tokens = np.zeros(len(texts) + 1, np.int64), []
        for at, text in enumerate(texts):
            unknown: dict[str, int] = {}
            for token in text.split():
                known = self.vocabulary.get(token)
                if known is None:
                    known = unknown.setdefault(token, len(self.vocabulary) + len(unknown))
                tokens.append(known)
            first[at + 1] = len(tokens)
        return Questions(first, np.array(tokens, np.int32))


def number_pool(texts: Sequence[str]) -> Sequences:
    """Number the tokens of a pool and find its distinct sequences."""
    if isinstance(texts, str):
        raise ValueError(f"`texts` must be a sequence of strings, got one string {texts!r}")
    numbers: dict[str, int] = {}
    of = np.fromiter((numbers.setdefault(spaced(text), len(numbers)) for text in texts), np.int64, len(texts))
    distinct = list(numbers)
    sizes = np.fromiter((text.count(" ") + bool(text) for text in distinct), np.int64, len(distinct))
    by_length = np.argsort(sizes, kind="stable")
    ordered = [distinct[at] for at in by_length.tolist()]
    place = np.empty_like(by_length)
    place[by_length] = np.arange(len(distinct))
    vocabulary: dict[str, int] = {}
    every = chain.from_iterable(text.split() for text in ordered)
    tokens = np.fromiter((vocabulary.setdefault(token, len(vocabulary)) for token in every), np.int32, sizes.sum())
    lengths, starts = np.unique(sizes[by_length], return_index=True)
    return Sequences(
        vocabulary=vocabulary,
        texts=ordered,
        first=np.append(0, np.cumsum(sizes[by_length])),
        tokens=tokens,
        lengths=lengths,
        range_first=np.append(starts, len(distinct)).astype(np.int64),
        group_first=np.append(0, np.cumsum(np.bincount(place[of], minlength=len(distinct)))),
        members=np.argsort(place[of], kind="stable"),
    )


@dataclass(frozen=True, eq=False)
class Numbering:
    """words: how many tokens the vocabulary has;  pairs[n − 2]: the pairs of order n, ascending."""

    words: int
    pairs: tuple[Int64, ...]

    def size(self, order: int) -> int:
        """How many n-grams of that order the pool has."""
        return self.words if order == 1 else len(self.pairs[order - 2])

    def numbers(self, first: Int64, tokens: Int32) -> list[Int64]:
        """For each order from 1 on, the number of the n-gram that starts at each token; −1 where there is none."""
        by_order = [_words(tokens, self.words)]
        for order, known in enumerate(self.pairs, start=2):
            by_order.append(_look_up(_join(first, by_order[0], by_order[-1], order), known))
        return by_order


def number_ngrams(pool: Sequences, highest: int) -> Numbering:
    """Number the n-grams of orders up to `highest`."""
    words = _words(pool.tokens, len(pool.vocabulary))
    numbers, pairs = words, []
    for order in range(2, highest + 1):
        joined = _join(pool.first, words, numbers, order)
        pairs.append(np.unique(joined[joined >= 0]))
        numbers = _look_up(joined, pairs[-1])
    return Numbering(len(pool.vocabulary), tuple(pairs))


def _words(tokens: Int32, words: int) -> Int64:
    return np.where(tokens < words, tokens, -1).astype(np.int64)


def _join(first: Int64, words: Int64, prefixes: Int64, order: int) -> Int64:
    """The pair that starts at each token, −1 where the text ends too soon or a part of it has no number."""
    last = np.full(len(words), -1)
    last[: max(len(words) - order + 1, 0)] = words[order - 1 :]
    inside = np.arange(len(words)) + order <= np.repeat(first[1:], np.diff(first))
    return np.where(inside & (prefixes >= 0) & (last >= 0), (prefixes << SHIFT) | last, -1)


def _look_up(joined: Int64, known: Int64) -> Int64:
    if not len(known):
        return np.full(len(joined), -1)
    places = np.minimum(np.searchsorted(known, joined), len(known) - 1)
    return np.where(known[places] == joined, places, -1)


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Every n-gram of some texts that the pool has, one after the other by number and then by text.

    grams   its number in the index;  before  how often it stood in its text before
    texts   the text;                 places  the token at which it starts
    """

    grams: Int64
    before: Int64
    texts: Int64
    places: Int64


@dataclass(frozen=True, eq=False)
class Inverted:
    """The lists of one pool.

    orders      of the n-grams that have lists; those of orders[i] have numbers from bounds[i] to below bounds[i + 1]
    repeated    keys (k · number of n-grams + g) of the lists with k ≥ 1, ascending; they follow the lists (g, 0)
    list_first  int64[lists + 1];  holders  int32
    """

    numbering: Numbering
    orders: tuple[int, ...]
    bounds: Int64
    repeated: Int64
    list_first: Int64
    holders: Int32

    @property
    def grams(self) -> int:
        """How many n-grams have lists."""
        return int(self.bounds[-1])

    def lists(self, grams: Int64, before: Int64) -> Int64:
        """The list of each (g, k), −1 where no sequence holds g so often."""
        at = np.searchsorted(self.repeated, before * self.grams + grams)
        listed = np.append(self.repeated, -1)[at] == before * self.grams + grams
        return np.where(before == 0, grams, np.where(listed, self.grams + at, -1))

    def occurrences(self, first: Int64, tokens: Int32) -> Occurrences:
        """The n-grams of texts, of the orders that have lists."""
        return _occurrences(self.numbering, self.orders, self.bounds, first, tokens)


def invert(pool: Sequences, orders: Sequence[int]) -> Inverted:
    """Index the n-grams of the given orders."""
    numbering = number_ngrams(pool, max(orders))
    bounds = np.append(0, np.cumsum([numbering.size(order) for order in orders]))
    occurrences = _occurrences(numbering, orders, bounds, pool.first, pool.tokens)
    keys = occurrences.before * bounds[-1] + occurrences.grams
    ascending = np.argsort(keys, kind="stable")
    repeated = np.unique(keys[occurrences.before > 0])
    ends = np.searchsorted(keys[ascending], np.append(np.arange(bounds[-1]), repeated), side="right")
    holders = occurrences.texts[ascending].astype(np.int32)
    return Inverted(numbering, tuple(orders), bounds, repeated, np.append(0, ends), holders)


def _occurrences(
    numbering: Numbering, orders: Sequence[int], bounds: Int64, first: Int64, tokens: Int32
) -> Occurrences:
    numbers = numbering.numbers(first, tokens)
    places = [np.flatnonzero(numbers[order - 1] >= 0) for order in orders]
    grams = np.concatenate(
        [numbers[order - 1][at] + start for order, at, start in zip(orders, places, bounds[:-1], strict=True)]
    )
    ascending = np.argsort(grams, kind="stable")
    grams, where = grams[ascending], np.concatenate(places)[ascending]
    texts = np.repeat(np.arange(len(first) - 1), np.diff(first))[where]
    new = np.ones(len(grams), bool)
    new[1:] = (grams[1:] != grams[:-1]) | (texts[1:] != texts[:-1])
    starts = np.flatnonzero(new)
    before = np.arange(len(grams)) - np.repeat(starts, np.diff(np.append(starts, len(grams))))
    return Occurrences(grams, before, texts, where)
