"""Encoders made of word vectors: `fasttext:PATH`, `glove:PATH`, `words:PATH`.

    vector(text) = 1/n · Σ_i v(w_i)

w_1 … w_n  the Penn-Treebank tokens of the text that have a vector; those that have none are left out of sum and count.
A token is looked up as it is written and, where that fails, in lower case. A text without a known token is a zero
vector. There is no end token and no weight.

Published distances between answers were made of other words of the same tables, which `SpokenWords` takes: digits
become words, all is in lower case, and white space alone parts.

FastText's vectors come from a `.bin` model with subwords or from its `.vec` table, which has only its own words:

    v(w) = 1/|G(w)| · Σ_{g ∈ G(w)} z_g

G(w)  of a word in the dictionary: its own row and the rows of its character n-grams; of another word: its n-grams only
z_g   a row of the model's input matrix; the row of an n-gram is its hash modulo the number of buckets

With a `.bin` every word has a vector unless the model has no n-grams that fit it. The reader follows the model's
published layout (versions 11 and 12). The matrix is mapped, not read: a model of eight gigabytes costs the pages that
are touched.
"""

import hashlib
import mmap
import struct
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from voirdire.bundled import digest_file
from voirdire.errors import InputError, Problem, UsageError, shorten
from voirdire.formats.files import check_file
from voirdire.formats.strict import Problems
from voirdire.text.encoders.protocol import ENCODERS, split_argument
from voirdire.text.tokens import digits_in_words, treebank

# Of FastText's models: their first number, versions that are read, kinds of a model and of an entry.
MAGIC = 793712314
VERSIONS = (11, 12)
SUPERVISED = 3
WORD = 0
END_OF_SENTENCE = b"</s>"


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
        """One float32 row per token, looked up as written, then in lower case; zeros where there is no vector."""
        rows = np.zeros((len(tokens), self.dimension), dtype=np.float32)
        for row, token in zip(rows, tokens, strict=True):
            if (vector := self._look_up(token)) is not None:
                row[:] = vector
        return rows

    def encode_distinct(self, texts: Sequence[str]) -> np.ndarray:
        return self.means(map(treebank, texts), len(texts))

    def means(self, texts: Iterable[list[str]], count: int) -> np.ndarray:
        """The mean vector of each of `count` lists of tokens, those without a vector left out; zeros where none has."""
        vectors: dict[str, np.ndarray | None] = {}
        out = np.zeros((count, self.dimension), dtype=np.float32)
        for row, tokens in zip(out, texts, strict=True):
            for token in tokens:
                if token not in vectors:
                    vectors[token] = self._look_up(token)
            known = [vector for token in tokens if (vector := vectors[token]) is not None]
            if known:
                row[:] = np.mean(known, axis=0, dtype=np.float64)
        return out

    def _look_up(self, token: str) -> np.ndarray | None:
        vector = self.vector(token if token in self else token.lower())
        if vector is not None and (vector.shape != (self.dimension,) or not np.isfinite(vector).all()):
            found, expected = f"other numbers for {shorten(token)}", f"{self.dimension} finite numbers"
            raise InputError(str(self.path), [Problem("", "", found, expected)])
        return vector


class SpokenWords:
    """The encoder of a table as published distances were made: "2 dogs" is the mean of `two` and `dogs`.

        vector(text) = 1/n · Σ_i v(w_i)     w_1 … w_n what white space parts of the text in lower case, digits in words

    A mark stays with its word, `yes,`: FastText's models have vectors of such words, a table may have none.
    """

    WAY = "digits in words, lower case, white space"

    def __init__(self, table: WordTable) -> None:
        self._table = table
        self.name, self.dimension = table.name, table.dimension

    @cached_property
    def signature(self) -> str:
        return hashlib.sha256(f"{self._table.signature}\n{self.WAY}".encode()).hexdigest()

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return self._table.means((digits_in_words(text).lower().split() for text in texts), len(texts))


class TextTable(WordTable):
    """One word per line, then its numbers: `word 0.1 -0.2 …`, with a first line `words dimension` or without one.

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


def _file(provider: str, argument: str | None) -> Path:
    path, _ = split_argument(provider, argument)
    check_file(path)
    return path


@ENCODERS.register("glove")
def glove(argument: str | None) -> TextTable:
    """GloVe's text layout: no first line."""
    path = _file("glove", argument)
    return TextTable("glove", path, header=False)


@ENCODERS.register("words")
def words(argument: str | None) -> WordTable:
    """word2vec's layouts, with a first line: text, or binary where the name ends in .bin."""
    path = _file("words", argument)
    if path.suffix == ".bin":
        try:
            return BinaryTable(path)
        except ValueError:
            raise InputError(
                str(path),
                [Problem("", "", "no line with two numbers", "word2vec's binary layout", "Is it fasttext:PATH?")],
            ) from None
    return TextTable("words", path, header=True)


class FastTextModel(WordTable):
    """The dictionary and the input matrix of one `.bin` model."""

    name = "fasttext"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            self._load(path)
        except struct.error:
            raise self._fail("the end of the file", "a whole model", "Fetch or copy the file again.") from None

    def _load(self, path: Path) -> None:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        at = 0

        def read(layout: str) -> tuple[int, ...]:
            nonlocal at
            values = struct.unpack_from("<" + layout, data, at)
            at += struct.calcsize("<" + layout)
            return values

        magic, version = read("ii")
        if magic != MAGIC or version not in VERSIONS:
            raise self._fail(f"magic number {magic}, version {version}", "a FastText model of version 11 or 12")
        self.dimension, *_, kind, self.buckets, self.shortest, self.longest, _rate = read("12i")
        read("d")
        if version == 11 and kind == SUPERVISED:
            self.longest = 0
        entries, self.words, _labels, _tokens, pruned = read("3i2q")
        self._ids: dict[bytes, int] = {}
        for number in range(entries):
            end = data.find(b"\0", at)
            # An entry is the word, a zero byte, its count and its kind.
            if end < 0 or end + 10 > len(data):
                raise struct.error
            if data[end + 9] == WORD:
                self._ids[data[at:end]] = number
            at = end + 10
        if pruned > 0 or read("?")[0]:
            raise self._fail("a quantised model", "a plain one", "Use the .bin that it was made from.")
        rows, columns = read("2q")
        sound = 0 < self.dimension == columns and max(self._ids.values(), default=0) < self.words
        if not sound or self.buckets < 0 or rows != self.words + self.buckets:
            raise self._fail(f"a matrix of {rows}x{columns}", f"{self.words + self.buckets}x{self.dimension}")
        if len(data) < at + 4 * rows * columns:
            raise struct.error
        self._matrix = np.memmap(path, dtype="<f4", mode="r", offset=at, shape=(rows, columns))

    def _fail(self, found: str, expected: str, hint: str = "") -> InputError:
        return InputError(str(self.path), [Problem("", "", found, expected, hint)])

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str) and token.encode() in self._ids

    def vector(self, token: str) -> np.ndarray | None:
        word = token.encode()
        number = self._ids.get(word)
        rows = [] if number is None else [number]
        if word != END_OF_SENTENCE:
            rows += [self.words + place for place in self.ngrams(word)]
        if not rows:
            return None
        # Rows are added one after the other in float32, as FastText does.
        total = np.add.reduce(self._matrix[rows], axis=0, dtype=np.float32)
        return np.asarray(total * np.float32(1.0 / len(rows)), dtype=np.float32)

    def ngrams(self, word: bytes) -> list[int]:
        """Buckets of the n-grams of `<word>`, `shortest` to `longest` characters of UTF-8 long."""
        if self.longest == 0 or self.buckets == 0:
            return []
        text = b"<" + word + b">"
        places: list[int] = []
        for start in range(len(text)):
            if _continues(text[start]):
                continue
            hashed, end = 2166136261, start
            for length in range(1, self.longest + 1):
                if end == len(text):
                    break
                hashed, end = _hash(hashed, text[end]), end + 1
                while end < len(text) and _continues(text[end]):
                    hashed, end = _hash(hashed, text[end]), end + 1
                bare_bracket = length == 1 and (start == 0 or end == len(text))
                if length >= self.shortest and not bare_bracket:
                    places.append(hashed % self.buckets)
        return places


def _continues(byte: int) -> bool:
    """Whether a byte of UTF-8 goes on with the character before it."""
    return byte & 0xC0 == 0x80


def _hash(hashed: int, byte: int) -> int:
    """One step of FNV-1a in 32 bits, with bytes from 128 up sign-extended, as FastText's C++ does."""
    return ((hashed ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) & 0xFFFFFFFF


@ENCODERS.register("fasttext")
def fasttext(argument: str | None) -> WordTable:
    """A `.bin` model by its first bytes, whatever its name; anything else is read as a `.vec` table."""
    path = _file("fasttext", argument)
    with path.open("rb") as file:
        model = file.read(4) == struct.pack("<i", MAGIC)
    if model:
        return FastTextModel(path)
    if path.suffix in (".bin", ".ftz"):
        raise InputError(str(path), [Problem("", "", "other first bytes", "a FastText model", "Is it words:PATH?")])
    return TextTable("fasttext", path, header=True)


def word_table(spec: str) -> WordTable:
    """The table of word vectors that `spec` names, for those who need the vectors of single tokens."""
    backend = ENCODERS.make(spec)
    if not isinstance(backend, WordTable):
        raise UsageError(f"encoder {spec!r} has no vectors of single words; fasttext:, glove: and words:PATH have")
    return backend
