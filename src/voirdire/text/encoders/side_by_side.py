"""Many texts to vectors on an engine: pieces of them side by side, what the cache holds not at all.

A vector depends on its own text only, to the last bit (`Backend`), so pieces may be made anywhere. The cache is read
and written here alone: on other machines it would be another one, or a file on a network.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np
import numpy.typing as npt

from voirdire.engine import Engine, Here
from voirdire.text.encoders.protocol import ENCODERS, Backend, DistinctEncoder, Encoder

Float32 = npt.NDArray[np.float32]


def encode_pieces(encoder: Encoder, pieces: Iterable[Sequence[str]], engine: Engine) -> Iterator[Float32]:
    """The vectors of each piece, in order: those that `encoder.encode` gives. The caller takes all of them.

    Only an encoder that was asked for by name can be made again in workers; any other works in this process.
    """
    if isinstance(engine, Here) or not isinstance(encoder, DistinctEncoder) or encoder.spec is None:
        yield from map(encoder.encode, pieces)
        return
    looked = (_Piece.of(encoder, texts) for texts in pieces)
    for first in looked:
        if not first.missing:
            yield first.whole()
            continue
        waiting: deque[_Piece] = deque()

        def items(first: "_Piece" = first, waiting: "deque[_Piece]" = waiting) -> Iterator[list[str]]:
            for piece in chain([first], looked):
                waiting.append(piece)
                yield piece.missing

        with engine.map(partial(_prepare, encoder.spec, encoder.signature), items()) as made:
            for vectors in made:
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
        found = encoder.known(distinct)
        return cls(texts, found, [text for text in distinct if text not in found])

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
