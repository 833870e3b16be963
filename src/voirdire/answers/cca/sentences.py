"""Text before CCA: how a question or an answer becomes a vector.

    vector(s) = 1/n · Σ_{i=1..n} v(t_i)          t_1 … t_n the tokens of s, the last of them the end token

Lower case; apostrophes dropped; runs of digits in words (`text.tokens`); Penn-Treebank tokens; words that train has
fewer than 5 times are the unknown token; at most 15 tokens and the end token. A word that the table lacks counts in n
and adds nothing. Published descriptions leave open what the vectors of the end and the unknown token are. Here they are
what the table has for the words `<EOS>` and `<UNK>` (FastText models make them from their letters), and zero where it
has nothing.

A sentence encoder (`minilm`, `static` …) takes the text as it is; nothing of the above applies to it.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem, UsageError, shorten
from voirdire.text.encoders import DistinctEncoder, WordTable, encoder
from voirdire.text.tokens import digits_in_words, treebank

Float64 = npt.NDArray[np.float64]
Floats = npt.NDArray[np.floating]

END, UNKNOWN = "<EOS>", "<UNK>"
LEAST_COUNT = 5
LONGEST = 16
# Texts whose vectors are made at once.
BATCH = 8192


def tokens(text: str) -> list[str]:
    """The words of a text, before rare ones are replaced and long texts are cut."""
    return treebank(digits_in_words(text.replace("'", "")).lower())


def vocabulary(texts: Iterable[tuple[str, int]], least: int = LEAST_COUNT) -> list[str]:
    """The words of (text, how often it occurs) that occur `least` times or more, frequent ones first."""
    counts = Counter[str]()
    for text, times in texts:
        for token in tokens(text):
            counts[token] += times
    kept = [(-count, word) for word, count in counts.items() if count >= least and word not in (END, UNKNOWN)]
    return [word for _, word in sorted(kept)]


class Sentences(Protocol):
    """Texts in, one finite row per text out (float32 from an encoder, float64 from means of word vectors).

    spec       how the encoder was asked for
    signature  hash of all that the vectors depend on: weights, options, vocabulary
    words      the vocabulary, where there is one
    """

    @property
    def spec(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    @property
    def signature(self) -> str: ...
    @property
    def words(self) -> tuple[str, ...] | None: ...
    def vectors(self, texts: Sequence[str]) -> Floats: ...


@dataclass(frozen=True)
class EncoderSentences:
    """Sentences by an encoder of whole texts."""

    spec: str
    encoder: DistinctEncoder
    words: None = None

    @property
    def dimension(self) -> int:
        return self.encoder.dimension

    @property
    def signature(self) -> str:
        return self.encoder.signature

    def vectors(self, texts: Sequence[str]) -> Floats:
        """The encoder's vectors."""
        rows = self.encoder.encode(texts)
        _check_finite(self.spec, rows, texts, "text")
        return rows


@dataclass(frozen=True)
class Bags:
    """Texts as token numbers: those of text i are tokens[first[i]:first[i + 1]]; no text has none."""

    tokens: npt.NDArray[np.int32]
    first: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.first) - 1

    def renumbered(self, number: npt.NDArray[np.int32]) -> "Bags":
        """The same texts, where token i is called number[i]."""
        return Bags(number[self.tokens], self.first)


class WordSentences:
    """Sentences by a table of word vectors. Token 0 is the end, 1 the unknown one, then the words, frequent first."""

    def __init__(self, spec: str, words: Sequence[str], table: WordTable) -> None:
        self.spec = spec
        self.words = tuple(words)
        self.dimension = table.dimension
        self._source = table
        self._numbers = {word: number for number, word in enumerate((END, UNKNOWN, *self.words))}

    @cached_property
    def signature(self) -> str:
        about = "\n".join((self._source.signature, str(LONGEST), *self.words))
        return hashlib.sha256(about.encode()).hexdigest()

    @cached_property
    def table(self) -> Float64:
        """One row per token."""
        rows = np.zeros((len(self._numbers), self.dimension))
        for word, row in zip(self._numbers, rows, strict=True):
            # Words are in lower case already, and the special tokens must not be put into it.
            if (vector := self._source.vector(word)) is not None:
                row[:] = vector
        _check_finite(self.spec, rows, list(self._numbers), "word")
        return rows

    def bags(self, texts: Sequence[str]) -> Bags:
        """The texts as token numbers."""
        numbers: list[int] = []
        first = np.zeros(len(texts) + 1, np.int64)
        for index, text in enumerate(texts):
            numbers += [self._numbers.get(token, 1) for token in tokens(text)[: LONGEST - 1]]
            numbers.append(0)
            first[index + 1] = len(numbers)
        return Bags(np.array(numbers, np.int32), first)

    def vectors(self, texts: Sequence[str]) -> Float64:
        """The mean of each text's token vectors."""
        out = np.empty((len(texts), self.dimension))
        for start in range(0, len(texts), BATCH):
            bags = self.bags(texts[start : start + BATCH])
            sums = np.add.reduceat(self.table[bags.tokens], bags.first[:-1], axis=0)
            out[start : start + BATCH] = sums / np.diff(bags.first)[:, None]
        return out


def sentences(spec: str, words: Sequence[str] | Callable[[], Sequence[str]] | None = None) -> Sentences:
    """Sentences by the encoder that `spec` names.

    words  the vocabulary, or a function that makes it, for a table of word vectors; other encoders do not need it
    """
    chosen = encoder(spec)
    if not isinstance(chosen.backend, WordTable):
        return EncoderSentences(spec, chosen)
    if words is None:
        raise UsageError(f"encoder {spec!r} is a table of word vectors, which needs the words of train")
    return WordSentences(spec, words() if callable(words) else words, chosen.backend)


def _check_finite(spec: str, rows: Floats, names: Sequence[str], kind: str) -> None:
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        where = f"{kind} {shorten(names[int(bad[0])])}"
        more = f" (and {len(bad) - 1:,} more)" if len(bad) > 1 else ""
        raise InputError(spec, [Problem(where, "", f"a number that is not finite{more}", "finite vectors")])
