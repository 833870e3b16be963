"""What is ranked and what is found: main questions and pool made ready, and the neighbours of all ranked texts.

The result of a shard is bytes; the lists of all shards together are arrays, also where some shards are not finished.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.engine import Span
from voirdire.errors import VoirDireError
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.robustness.pool import Pool, fold
from voirdire.robustness.rankers import Neighbours

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MainAndPool:
    """Main questions and the pool in which their neighbours are looked for.

    A main question's text is ranked once however often it is asked; one without text is not ranked.

    main    the main questions
    pool    the questions of the pool
    ranked  the distinct texts of the main questions, in the order of their first appearance
    text    int64[main questions]: the place in `ranked`, −1 where there is no text
    itself  int64[ranked]: the place in the pool of a text, −1 where the pool does not hold it
    kept    whether a text may have itself as a neighbour
    """

    main: VqaQuestions
    pool: Pool
    ranked: list[str]
    text: Int64
    itself: Int64
    kept: bool

    @property
    def own(self) -> Int64:
        """int64[ranked]: the place in the pool that a text may not have, −1 where there is none."""
        return np.full_like(self.itself, -1) if self.kept else self.itself

    @classmethod
    def of(cls, main: VqaQuestions, pool: Pool, keep_main: bool) -> "MainAndPool":
        """Find the distinct texts, and those of them that are in the pool."""
        ranked, text = distinct_texts(main.questions)
        itself = [-1 if (place := pool.find(question)) is None else place for question in ranked]
        return cls(main, pool, ranked, text, np.array(itself, np.int64), keep_main)


def distinct_texts(questions: Sequence[str]) -> tuple[list[str], Int64]:
    """`ranked` and `text` of main questions."""
    places: dict[str, int] = {}
    text = [places.setdefault(question, len(places)) if fold(question) else -1 for question in questions]
    return list(places), np.array(text, np.int64)


def longest(top: int, pool: int) -> int:
    """How long a list can be at most: a question has no more neighbours than the pool has questions."""
    return min(top, max(pool, 1))


def fingerprint(main: VqaQuestions) -> str:
    """SHA-256 of the main questions with their ids, however the file spells them."""
    digest = hashlib.sha256(main.question_ids.tobytes() + main.image_ids.tobytes())
    digest.update("\0".join(main.questions).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


class _Part(msgspec.Struct, frozen=True):
    """The result of a shard: the places (int32) and scores (float64) row by row, and the signature of the ranker."""

    signature: dict[str, Any]
    places: bytes
    scores: bytes
    certificates: dict[str, list[Any]]


@dataclass(frozen=True, eq=False)
class FoundLists:
    """Neighbours of D texts.

    places        int32[D, longest], best first; −1 where the list is over
    scores        float64[D, longest]
    certificates  by name, one value per text; None where the text is not ranked yet
    done          bool[D]: whether the text is ranked
    signature     of the ranker
    filled        int64[D]: how many of the last places are no neighbours but fill the list up, at score 0
    """

    places: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]
    certificates: Mapping[str, list[Any]]
    done: npt.NDArray[np.bool_]
    signature: Mapping[str, Any]
    filled: Int64

    def lengths(self) -> Int64:
        """How long each list is."""
        return np.asarray((self.places >= 0).sum(axis=1), np.int64)


def packed(batches: Sequence[Neighbours], signature: Mapping[str, Any]) -> bytes:
    """The result of a shard as bytes."""
    names = list(batches[0].certificates)
    return msgspec.msgpack.encode(
        _Part(
            dict(signature),
            np.concatenate([batch.places for batch in batches]).astype("<i4").tobytes(),
            np.concatenate([batch.scores for batch in batches]).astype("<f8").tobytes(),
            {name: [value for batch in batches for value in batch.certificates[name].tolist()] for name in names},
        )
    )


def collect(parts: Iterable[bytes | None], spans: Sequence[Span], top: int) -> FoundLists:
    """The results of all shards together; None for one that is not finished."""
    count = spans[-1].stop if spans else 0
    places = np.full((count, top), -1, np.int32)
    scores = np.zeros((count, top))
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
        rows = np.frombuffer(part.places, "<i4").reshape(span.stop - span.start, -1)
        places[here, : rows.shape[1]] = rows
        scores[here, : rows.shape[1]] = np.frombuffer(part.scores, "<f8").reshape(rows.shape)
        done[here] = True
        for name, values in part.certificates.items():
            certificates[name][here] = values
    return FoundLists(places, scores, certificates, done, signature or {}, np.zeros(count, np.int64))


def itself_first(lists: FoundLists, itself: Int64, alone: bool) -> FoundLists:
    """The lists with each text itself before the others of its score.

    alone  whether these others go: of equal vectors LASSO's solution is not unique, and all is given to the text itself
    """
    places, scores = lists.places.copy(), lists.scores.copy()
    for row in np.flatnonzero(itself >= 0).tolist():
        at = np.flatnonzero(places[row] == itself[row])
        if not len(at) or scores[row, at[0]] != scores[row, 0]:
            continue
        others = np.flatnonzero((places[row] >= 0) & (places[row] != itself[row]))
        if alone:
            others = others[scores[row, others] < scores[row, 0]]
        order = np.concatenate([at, others])
        places[row], scores[row] = _row(places[row, order], -1, places), _row(scores[row, order], 0.0, scores)
    return replace(lists, places=places, scores=scores)


def _row(values: npt.NDArray[Any], rest: float, like: npt.NDArray[Any]) -> npt.NDArray[Any]:
    row = np.full(like.shape[1], rest, like.dtype)
    row[: len(values)] = values
    return row


def fill_up(lists: FoundLists, own: Int64, pool: int) -> FoundLists:
    """The lists filled up with questions of the pool in its order, at score 0: never one that is listed, or `own`."""
    places, lengths = lists.places.copy(), lists.lengths()
    top = places.shape[1]
    for row in np.flatnonzero(lengths < top).tolist():
        barred = {int(own[row]), *places[row, : lengths[row]].tolist()}
        others = list(islice((place for place in range(pool) if place not in barred), top - int(lengths[row])))
        places[row, lengths[row] : lengths[row] + len(others)] = others
    filled = replace(lists, places=places)
    return replace(filled, filled=filled.lengths() - lengths)
