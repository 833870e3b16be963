"""`fasttext:PATH`: FastText's word vectors, from a `.bin` model with subwords or from its `.vec` table.

    v(w) = 1/|G(w)| · Σ_{g ∈ G(w)} z_g

G(w)  of a word in the dictionary: its own row and the rows of its character n-grams; of another word: its n-grams only
z_g   a row of the model's input matrix; the row of an n-gram is its hash modulo the number of buckets

With a `.bin` every word has a vector unless the model has no n-grams that fit it; with a `.vec` only its own words.
The reader follows the model's published layout (versions 11 and 12). The matrix is mapped, not read: a model of eight
gigabytes costs the pages that are touched.
"""

import mmap
import struct
from pathlib import Path

import numpy as np

from voirdire.errors import InputError, Problem
from voirdire.text.encoders.argument import split_argument
from voirdire.text.encoders.protocol import ENCODERS
from voirdire.text.encoders.words import TextTable, WordTable

__all__ = ["FastTextModel", "fasttext"]

MAGIC = 793712314
VERSIONS = (11, 12)
SUPERVISED = 3
WORD = 0
END_OF_SENTENCE = b"</s>"


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
    path, _ = split_argument("fasttext", argument)
    with path.open("rb") as file:
        model = file.read(4) == struct.pack("<i", MAGIC)
    if model:
        return FastTextModel(path)
    if path.suffix in (".bin", ".ftz"):
        raise InputError(str(path), [Problem("", "", "other first bytes", "a FastText model", "Is it words:PATH?")])
    return TextTable("fasttext", path, header=True)
