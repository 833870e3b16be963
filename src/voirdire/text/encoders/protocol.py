"""What an encoder is, and how one is made by its name.

    encoder("minilm").encode(["is there a dog?", "yes"])  ->  float32[2, 384]

A *backend* turns distinct strings into vectors. `DistinctEncoder` adds what all of them share: a string that comes many
times is encoded once, and a vector that is in the cache is read, not computed. `encode_pieces` does the same on an
engine, piece by piece: a vector depends on its own text only, to the last bit, so pieces may be encoded anywhere. The
cache is read and written here alone: on other machines it would be another one, or a file on a network.

The text after a provider's colon is a path, then options as in a web address: `PATH?pool=mean&max_tokens=16`. Other
packages add encoders through the entry-point group `voirdire.encoders`.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Protocol, runtime_checkable
from urllib.parse import parse_qsl

import numpy as np
import numpy.typing as npt

from voirdire.engine import Engine, Here
from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.files import check_file
from voirdire.providers import Registry
from voirdire.text.cache import VectorCache, default_cache


class Identified(Protocol):
    """What an encoder and its backend say of themselves.

    name       in tables and signatures: "minilm", "bert"
    dimension  length of a vector
    signature  hash of the weights and the options: two encoders with the same signature give the same vectors
    """

    @property
    def name(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    @property
    def signature(self) -> str: ...


@runtime_checkable
class Encoder(Identified, Protocol):
    """Texts in, one vector per text out."""

    def encode(self, texts: Sequence[str]) -> np.ndarray: ...


class Backend(Identified, Protocol):
    """What a provider implements.

    costly  whether a vector is worth keeping on disk (a neural model's is, a mean of word vectors is not)

    A vector of `encode_distinct` may depend on its own text only, to the last bit: not on the texts beside it, their
    order or the number of threads.
    """

    @property
    def costly(self) -> bool: ...
    def encode_distinct(self, texts: Sequence[str]) -> np.ndarray: ...


ENCODERS: Registry[Backend] = Registry("encoder", "voirdire.encoders")


class DistinctEncoder:
    """A backend that gets only distinct texts which are not in the cache."""

    # Vectors reach the cache in pieces of this many, so that a run that is stopped keeps most of its work.
    PIECE = 4096

    def __init__(self, backend: Backend, cache: VectorCache | None = None, spec: str | None = None) -> None:
        """`spec` is the name under which the backend can be made again, in another process."""
        self.backend = backend
        self.spec = spec
        self._cache = cache if backend.costly else None

    @property
    def name(self) -> str:
        return self.backend.name

    @property
    def dimension(self) -> int:
        return self.backend.dimension

    @property
    def signature(self) -> str:
        return self.backend.signature

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """One float32 row per text, in the order of `texts`; no text gives an array of shape (0, dimension)."""
        if isinstance(texts, str):
            raise ValueError(f"`texts` must be a sequence of strings, got one string {texts!r}")
        rows: dict[str, int] = {}
        order = np.fromiter((rows.setdefault(text, len(rows)) for text in texts), dtype=np.intp, count=len(texts))
        distinct = list(rows)
        if not distinct:
            return np.empty((0, self.dimension), dtype=np.float32)
        return self._encode_distinct(distinct)[order]

    def _encode_distinct(self, texts: list[str]) -> np.ndarray:
        if self._cache is None:
            return self.backend.encode_distinct(texts)
        known = self.known(texts)
        missing = [text for text in texts if text not in known]
        for start in range(0, len(missing), self.PIECE):
            piece = missing[start : start + self.PIECE]
            vectors = self.backend.encode_distinct(piece)
            self.keep(piece, vectors)
            known.update(zip(piece, vectors, strict=True))
        return np.stack([known[text] for text in texts])

    def known(self, texts: list[str]) -> dict[str, np.ndarray]:
        """Those vectors of distinct texts that are in the cache."""
        return {} if self._cache is None else self._cache.of(self.name, self.signature).read(texts)

    def keep(self, texts: list[str], vectors: np.ndarray) -> None:
        """Put vectors into the cache, where there is one."""
        if self._cache is not None:
            self._cache.of(self.name, self.signature).write(texts, vectors)


def encoder(spec: str = "minilm", cache: VectorCache | None = None) -> DistinctEncoder:
    """The encoder that `spec` names, with its vectors kept in `cache` (the user's own cache where none is given)."""
    return DistinctEncoder(ENCODERS.make(spec), default_cache() if cache is None else cache, spec)


def split_argument(provider: str, argument: str | None, options: Collection[str] = ()) -> tuple[Path, dict[str, str]]:
    """The path and the options, of which only those named in `options` are known."""
    if not argument:
        raise UsageError(f"`encoder` {provider} needs a path, as in {provider}:PATH")
    path, _, query = argument.partition("?") if options else (argument, "", "")
    values = dict(parse_qsl(query, keep_blank_values=True))
    for name in values:
        if name not in options:
            raise UsageError(f"{provider} has no option {name!r}; there are: {', '.join(sorted(options))}")
    where = Path(path).expanduser()
    if not where.exists():
        raise InputError(path, [Problem("", "", "nothing", "a file or a folder", "Check the path.")])
    if not where.is_dir():
        check_file(where)
    return where, values


def no_argument(provider: str, argument: str | None) -> None:
    """Refuse an argument for a provider that has none."""
    if argument is not None:
        raise UsageError(f"{provider} takes no argument, got {argument!r}")


def whole_number(provider: str, name: str, value: str, least: int) -> int:
    """An option's value as a whole number that is at least `least`."""
    try:
        number = int(value)
    except ValueError:
        number = least - 1
    if number < least:
        raise UsageError(f"`{name}` of {provider} must be a whole number of at least {least}, got {value!r}")
    return number


Float32 = npt.NDArray[np.float32]


def encode_pieces(encoder: Encoder, pieces: Iterable[Sequence[str]], engine: Engine) -> Iterator[Float32]:
    """The vectors of each piece, in order: those that `encoder.encode` gives. The caller takes all of them.

    Only an encoder that was asked for by name can be made again in workers; any other works in this process.
    """
    if isinstance(engine, Here) or not isinstance(encoder, DistinctEncoder) or encoder.spec is None:
        yield from map(encoder.encode, pieces)
        return
    looked_up = (_Piece.of(encoder, texts) for texts in pieces)
    for first in looked_up:
        if not first.missing:
            yield first.whole()
            continue
        waiting: deque[_Piece] = deque()

        def items(first: "_Piece" = first, waiting: "deque[_Piece]" = waiting) -> Iterator[list[str]]:
            for piece in chain([first], looked_up):
                waiting.append(piece)
                yield piece.missing

        with engine.map(partial(_prepare, encoder.spec, encoder.signature), items()) as encoded:
            for vectors in encoded:
                piece = waiting.popleft()
                if piece.missing:
                    encoder.keep(piece.missing, vectors)
                    piece.found.update(zip(piece.missing, vectors, strict=True))
                yield piece.whole()


@dataclass(frozen=True)
class _Piece:
    """Texts, the vectors that are known of them, and the distinct ones of which none is."""

    texts: Sequence[str]
    found: dict[str, np.ndarray]
    missing: list[str]

    @classmethod
    def of(cls, encoder: DistinctEncoder, texts: Sequence[str]) -> "_Piece":
        distinct = list(dict.fromkeys(texts))
        known = encoder.known(distinct)
        return cls(texts, known, [text for text in distinct if text not in known])

    def whole(self) -> Float32:
        return np.stack([self.found[text] for text in self.texts])


def _prepare(spec: str, signature: str) -> Callable[[list[str]], Float32]:
    """In a worker: from texts to their vectors."""
    backend: Backend = ENCODERS.make(spec)
    if backend.signature != signature:
        raise RuntimeError(f"the encoder {spec} is another one where this worker is")

    def encode(texts: list[str]) -> Float32:
        return backend.encode_distinct(texts) if texts else np.empty((0, backend.dimension), np.float32)

    return encode
