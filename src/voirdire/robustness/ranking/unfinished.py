"""What a ranking keeps beside its output while it runs and after it was stopped, and a look at it.

    OUT.parquet.work/
        signature.json       what this run is: a run with other options may not go on here
        questions.msgpack    its main questions and its pool, for a look at what is finished
        vectors.npy          the vectors of both, where several processes share them, sealed
        main.npy, columns/   of a pool that is cut into parts: the vectors of the main questions, and those of the pool,
                             laid out for the parts (`robustness.lasso.layout`); until that is done, `pool.npy`
        robustness.rank-…/   the finished shards

The folder is there until the ranking is whole; what it holds can be looked at all the time.
"""

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from voirdire.atomic import lock_folder, read_sealed, sweep, write_atomic, write_sealed
from voirdire.engine import Span, Task, shards
from voirdire.engine.mapping import Store
from voirdire.errors import UsageError
from voirdire.formats.question_ranking import Ranking, read_ranking, work_folder
from voirdire.robustness.ranking.files import unlike
from voirdire.robustness.ranking.lists import MainAndPool, collect, distinct_texts, longest

SHARD = 128
"""Distinct main questions per shard: part of what is kept."""
VERSION = 4
HEAD, QUESTIONS = "signature.json", "questions.msgpack"


class _Kept(msgspec.Struct, frozen=True):
    """Main questions, with their ids as int64, and the texts of the pool."""

    question_ids: bytes
    image_ids: bytes
    questions: tuple[str, ...]
    pool: tuple[str, ...]


def vectors_file(work: Path, cut: bool = False) -> Path:
    """Where the vectors are that several processes share: those of the pool, then those of the ranked texts.

    cut  whether the pool is cut into parts: then those of the ranked texts alone
    """
    return work / ("main.npy" if cut else "vectors.npy")


def pool_vectors(work: Path) -> Path:
    """Where the vectors of a pool are that is cut into parts, until they are laid out."""
    return work / "pool.npy"


def columns_folder(work: Path) -> Path:
    """Where they are afterwards."""
    return work / "columns"


def _forget_vectors(work: Path) -> None:
    for path in (vectors_file(work), vectors_file(work, cut=True), pool_vectors(work)):
        path.unlink(missing_ok=True)
    shutil.rmtree(columns_folder(work), ignore_errors=True)


def rank_task(signature: Mapping[str, Any], prepare: Callable[[], Callable[[Span], bytes]]) -> Task[Span]:
    """The map from spans of ranked texts to their neighbours."""
    return Task("robustness.rank", VERSION, prepare, signature)


@contextlib.contextmanager
def opened(work: Path, signature: Mapping[str, Any], asked: MainAndPool) -> Iterator[None]:
    """Hold `work` for one run; what another run has finished is not touched."""
    kept = work / QUESTIONS
    before = _run_of(work)
    if before not in (None, signature) and next(work.glob("*/[!.]*.shard"), None) is not None:
        raise UsageError(
            f"{work}: holds the unfinished work of another run ({unlike(before or {}, signature)}). "
            "Call with the options of that run to go on with it, write to another file, or remove the folder."
        )
    with Store(work).opened(rank_task(signature, _nothing)):
        if before != signature:
            _forget_vectors(work)
        write_atomic(work / HEAD, (json.dumps(signature, indent=2, ensure_ascii=False) + "\n").encode())
        ids, images = (np.asarray(one, "<i8").tobytes() for one in (asked.main.question_ids, asked.main.image_ids))
        data = msgspec.msgpack.encode(_Kept(ids, images, asked.main.questions, asked.pool.texts))
        if read_sealed(kept) != data:
            write_sealed(kept, [data], len(data))
        yield


def _run_of(work: Path) -> dict[str, Any] | None:
    """What the run in this folder is; None where there is none, or nobody can tell."""
    try:
        said = json.loads((work / HEAD).read_bytes())
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) else None


def tidy(work: Path, signature: Mapping[str, Any]) -> None:
    """Remove what this run kept, and nothing else that may be there."""
    shutil.rmtree(Store.of(work, rank_task(signature, _nothing)).folder, ignore_errors=True)
    # By the last of them a later call still knows whose folder it is.
    _forget_vectors(work)
    for path in (work / name for name in (QUESTIONS, "run.json", "lock", HEAD)):
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        work.rmdir()


def tidy_finished(work: Path, signature: Mapping[str, Any]) -> None:
    """Remove what a run that was killed after its last file kept; not where another is at work, or it is another's."""
    with contextlib.suppress(UsageError, OSError):
        if _run_of(work) == signature:
            with lock_folder(work):
                sweep(work)
                tidy(work, signature)
        else:
            work.rmdir()  # Only where it is empty.


def read_either(path: str | Path) -> Ranking:
    """A ranking; where it is not there yet but at work, as much of it as is finished."""
    unfinished = None if Path(path).exists() else read_unfinished(path)
    return read_ranking(path) if unfinished is None else unfinished


def read_unfinished(output: str | Path) -> Ranking | None:
    """The lists that a ranking which is at work on `output`, or was stopped, has finished so far; None if none is."""
    work = work_folder(output)
    signature, held = _run_of(work), read_sealed(work / QUESTIONS)
    if signature is None or held is None:
        return None
    asked = msgspec.msgpack.decode(held, type=_Kept)
    ranked, text = distinct_texts(asked.questions)
    task = rank_task(signature, _nothing)
    store, spans = Store.of(work, task), shards(len(ranked), SHARD)
    top = longest(int(signature["top"]), len(asked.pool))
    lists = collect((store.read(task.key(span)) for span in spans), spans, top)
    # A question without text has no place: a last entry stands for it, which is finished and empty.
    rows = np.flatnonzero(np.append(lists.done, True)[text])
    places = np.append(lists.places, np.full((1, lists.places.shape[1]), -1, np.int32), axis=0)[text[rows]]
    scores = np.append(lists.scores, np.zeros((1, lists.scores.shape[1])), axis=0)[text[rows]]
    there = places >= 0
    return Ranking(
        np.frombuffer(asked.image_ids, "<i8")[rows],
        np.frombuffer(asked.question_ids, "<i8")[rows],
        [asked.questions[row] for row in rows.tolist()],
        np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64),
        places[there].astype(np.int64),
        places[there].astype(np.int64),
        scores[there],
        asked.pool,
        len(text),
        {**signature, **lists.signature},
        str(output),
        (f"{output}: {len(text) - len(rows):,} of {len(text):,} main questions are not ranked yet.",),
    )


def _nothing() -> Callable[[Span], bytes]:
    """In the place of the function of a map that is only looked at."""
    raise NotImplementedError
