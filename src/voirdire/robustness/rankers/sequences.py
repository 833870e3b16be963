"""The questions of a pool as sequences of numbered tokens, each distinct sequence once.

    question  →  tokens  →  sequence d, of which the pool's questions members[group_first[d] : group_first[d + 1]] are

Tokens are the words of a question (`text.tokens.words`): lower case, no punctuation. Sequences are numbered by length,
and in the pool's order among those of one length: a length is then one range of numbers, which a search can leave out
as a whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from voirdire.text.tokens import words

__all__ = ["LONGEST", "TOKENISER", "Questions", "Sequences", "number_pool", "spaced"]

TOKENISER = "treebank, lower case, without punctuation"
"""What `spaced` does, for signatures."""

LONGEST = 64
"""The most tokens of a main question that the searches take: its places are the bits of a word."""

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
        raise ValueError(f"texts: got one string {texts!r}, expected a sequence of strings")
    numbers: dict[str, int] = {}
    of = np.fromiter((numbers.setdefault(spaced(text), len(numbers)) for text in texts), np.int64, len(texts))
    found = list(numbers)
    sizes = np.fromiter((text.count(" ") + bool(text) for text in found), np.int64, len(found))
    by_length = np.argsort(sizes, kind="stable")
    ordered = [found[at] for at in by_length.tolist()]
    place = np.empty_like(by_length)
    place[by_length] = np.arange(len(found))
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
        range_first=np.append(starts, len(found)).astype(np.int64),
        group_first=np.append(0, np.cumsum(np.bincount(place[of], minlength=len(found)))),
        members=np.argsort(place[of], kind="stable"),
    )
