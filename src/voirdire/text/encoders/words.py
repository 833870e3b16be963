"""Encoders made of word vectors.

    vector(text) = 1/n · Σ_i v(w_i)

w_1 … w_n  the Penn-Treebank tokens of the text that have a vector; those that have none are left out of sum and count.
A token is looked up as it is written and, where that fails, in lower case. A text without a known token is a zero
vector. There is no end token and no weight.
"""

import mmap
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.strict import Problems
from voirdire.text.encoders.argument import digest_file, split_argument
from voirdire.text.encoders.protocol import ENCODERS
from voirdire.text.tokens import treebank

__all__ = ["TextTable", "WordTable", "word_table"]


class WordTable(ABC):
    """A table of word vectors, and the encoder that it makes."""

    costly = False
    name: str
    dimension: int

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def signature(self) -> str:
        return digest_file(self.path)

    @abstractmethod
    def __contains__(self, token: object) -> bool:
        """Whether the table has a row for the token itself."""

    @abstractmethod
    def vector(self, token: str) -> np.ndarray | None:
        """The token's vector, or None where it has none."""

    def vectors_of(self, tokens: Sequence[str]) -> np.ndarray:
        """One float32 row a token, looked up as written, then in lower case; zeros where there is no vector."""
        rows = np.zeros((len(tokens), self.dimension), dtype=np.float32)
        for row, token in zip(rows, tokens, strict=True):
            if (vector := self._look_up(token)) is not None:
                row[:] = vector
        return rows

    def encode_distinct(self, texts: Sequence[str]) -> np.ndarray:
        seen: dict[str, np.ndarray | None] = {}
        out = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(out, texts, strict=True):
            tokens = treebank(text)
            for token in tokens:
                if token not in seen:
                    seen[token] = self._look_up(token)
            known = [vector for token in tokens if (vector := seen[token]) is not None]
            if known:
                row[:] = np.mean(known, axis=0, dtype=np.float64)
        return out

    def _look_up(self, token: str) -> np.ndarray | None:
        return self.vector(token if token in self else token.lower())


class TextTable(WordTable):
    """One word a line, then its numbers: `word 0.1 -0.2 …`, with a first line `words dimension` or without one.

    The file is scanned once for the places of its lines; numbers are read only of words that are asked for, so a
    table of two million words costs its index. Of a word that stands twice the first line holds.
    """

    def __init__(self, name: str, path: Path, header: bool) -> None:
        super().__init__(path)
        self.name = name
        self._places: dict[bytes, tuple[int, int, int]] = {}
        with path.open("rb") as file:
            if path.stat().st_size == 0:
                raise InputError(str(path), [Problem("", "", "an empty file", "a line for each word")])
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._index(header)

    def _index(self, header: bool) -> None:
        problems = Problems(str(self.path))
        number, start = 0, 0
        words = None
        self._data.seek(0)
        if header:
            number, first = 1, self._data.readline()
            start = len(first)
            try:
                words, self.dimension = map(int, first.split())
            except ValueError:
                problems.add(
                    "line 1", "", repr(first[:60].decode(errors="replace")), "two numbers: words and dimension"
                )
                problems.check()
        else:
            first = self._data.readline()
            self._data.seek(0)
            self.dimension = len(first.split()) - 1
        if self.dimension < 1:
            problems.add("line 1", "", f"{self.dimension} numbers", "a word and its numbers")
            problems.check()
        for line in iter(self._data.readline, b""):
            number += 1
            body = line.rstrip()
            word, gap, _ = body.partition(b" ")
            spaces = body.count(b" ")
            if spaces > self.dimension:
                # A few published tables have words with spaces inside.
                word, gap = body.rsplit(b" ", self.dimension)[0], b" "
            if not gap or spaces < self.dimension:
                problems.add(f"line {number}", "", f"{spaces} numbers", f"a word and {self.dimension} numbers")
            else:
                self._places.setdefault(word, (number, start + len(word), start + len(body)))
            start += len(line)
        if words is not None and words != number - 1:
            problems.add("line 1", "", f"{words:,} words announced", f"{number - 1:,}, as there are lines")
        problems.check()

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str) and token.encode() in self._places

    def vector(self, token: str) -> np.ndarray | None:
        place = self._places.get(token.encode())
        if place is None:
            return None
        number, start, end = place
        try:
            row = np.array(self._data[start:end].split(), dtype=np.float32)
        except ValueError as error:
            raise InputError(
                str(self.path), [Problem(f"line {number}", "", str(error), f"{self.dimension} numbers")]
            ) from None
        return row


class BinaryTable(WordTable):
    """The binary layout of word2vec: a line `words dimension`, then for each word its bytes, a space and its floats."""

    name = "words"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        first = data.readline()
        words, self.dimension = map(int, first.split())
        if self.dimension < 1:
            raise ValueError("dimension")
        self._data, self._places = data, dict[bytes, int]()
        at, size = len(first), 4 * self.dimension
        for number in range(1, words + 1):
            gap = data.find(b" ", at)
            if gap < 0 or gap + 1 + size > len(data):
                raise InputError(str(path), [Problem(f"word {number}", "", "the end of the file", f"{words:,} words")])
            # Some writers end each row with a line feed, some do not.
            self._places.setdefault(data[at:gap].lstrip(b"\n"), gap + 1)
            at = gap + 1 + size

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str) and token.encode() in self._places

    def vector(self, token: str) -> np.ndarray | None:
        at = self._places.get(token.encode())
        if at is None:
            return None
        return np.frombuffer(self._data[at : at + 4 * self.dimension], dtype="<f4").astype(np.float32)


@ENCODERS.register("glove")
def glove(argument: str | None) -> TextTable:
    """GloVe's text layout: no first line."""
    path, _ = split_argument("glove", argument)
    return TextTable("glove", path, header=False)


@ENCODERS.register("words")
def words(argument: str | None) -> WordTable:
    """word2vec's layouts, with a first line: text, or binary where the name ends in .bin."""
    path, _ = split_argument("words", argument)
    if path.suffix == ".bin":
        try:
            return BinaryTable(path)
        except ValueError:
            raise InputError(
                str(path),
                [Problem("", "", "no line with two numbers", "word2vec's binary layout", "Is it fasttext:PATH?")],
            ) from None
    return TextTable("words", path, header=True)


def word_table(spec: str) -> WordTable:
    """The table of word vectors that `spec` names, for those who need the vectors of single tokens."""
    backend = ENCODERS.make(spec)
    if not isinstance(backend, WordTable):
        raise UsageError(f"encoder {spec!r} has no vectors of single words; fasttext:, glove: and words:PATH have")
    return backend
