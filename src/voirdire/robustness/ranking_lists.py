"""The neighbours of all ranked texts as arrays, from the results of shards: all, or those that are there yet."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.engine import Span
from voirdire.errors import VoirDireError
from voirdire.robustness.rankers import Neighbours

__all__ = ["Lists", "collect", "packed"]


class _Part(msgspec.Struct, frozen=True):
    """The result of a shard: the places (int32) and scores (float64) row by row, and what the ranker says of itself."""

    signature: dict[str, Any]
    places: bytes
    scores: bytes
    certificates: dict[str, list[Any]]


@dataclass(frozen=True, eq=False)
class Lists:
    """Neighbours of D texts.

    places        int32[D, top], best first; −1 where the list is over
    scores        float64[D, top]
    certificates  by name, one value a text; None where the text is not ranked yet
    done          bool[D]: whether the text is ranked
    signature     what the ranker says of itself
    """

    places: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]
    certificates: Mapping[str, list[Any]]
    done: npt.NDArray[np.bool_]
    signature: Mapping[str, Any]

    def lengths(self) -> npt.NDArray[np.int64]:
        """How many neighbours each text has."""
        return np.asarray((self.places >= 0).sum(axis=1), np.int64)


def packed(found: Sequence[Neighbours], signature: Mapping[str, Any]) -> bytes:
    """The result of a shard as bytes."""
    names = list(found[0].certificates)
    return msgspec.msgpack.encode(
        _Part(
            dict(signature),
            np.concatenate([one.places for one in found]).astype("<i4").tobytes(),
            np.concatenate([one.scores for one in found]).astype("<f8").tobytes(),
            {name: [value for one in found for value in one.certificates[name].tolist()] for name in names},
        )
    )


def collect(parts: Iterable[bytes | None], spans: Sequence[Span], top: int, folder: Path | None = None) -> Lists:
    """The results of all shards together; one that is None is not there yet.

    folder  where the arrays are kept on disk; in memory where None
    """
    count = spans[-1].stop if spans else 0
    places = _array(folder, "places", np.dtype("<i4"), (count, top))
    scores = _array(folder, "scores", np.dtype("<f8"), (count, top))
    places[:] = -1
    done = np.zeros(count, np.bool_)
    certificates: dict[str, list[Any]] = {}
    signature: dict[str, Any] | None = None
    for span, data in zip(spans, parts, strict=True):
        if data is None:
            continue
        part, here = msgspec.msgpack.decode(data, type=_Part), slice(span.start, span.stop)
        if signature is None:
            signature = part.signature
            certificates = {name: [None] * count for name in part.certificates}
        elif part.signature != signature:
            raise VoirDireError(
                "two shards of this ranking were made by rankers that differ. Remove its work and run it again."
            )
        places[here] = np.frombuffer(part.places, "<i4").reshape(-1, top)
        scores[here] = np.frombuffer(part.scores, "<f8").reshape(-1, top)
        done[here] = True
        for name, values in part.certificates.items():
            certificates[name][here] = values
    return Lists(places, scores, certificates, done, signature or {})


def _array(folder: Path | None, name: str, dtype: np.dtype[Any], shape: tuple[int, int]) -> npt.NDArray[Any]:
    if folder is None or 0 in shape:
        return np.zeros(shape, dtype)
    return np.lib.format.open_memmap(folder / f"{name}.npy", mode="w+", dtype=dtype, shape=shape)
