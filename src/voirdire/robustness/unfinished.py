"""The part of a ranking that is finished while the rest is still at work, or after it was stopped."""

from pathlib import Path

import numpy as np

from voirdire.engine import Span, shards
from voirdire.engine.mapping import Store
from voirdire.formats.question_ranking import Ranking, read_ranking, work_folder
from voirdire.robustness.ranking_lists import collect
from voirdire.robustness.ranking_work import SHARD, rank_task, read_laid

__all__ = ["read_either", "read_unfinished"]


def read_either(path: str | Path) -> Ranking:
    """A ranking; where it is not there yet but at work, as much of it as is finished."""
    unfinished = None if Path(path).exists() else read_unfinished(path)
    return read_ranking(path) if unfinished is None else unfinished


def read_unfinished(output: str | Path) -> Ranking | None:
    """The lists that a ranking which is at work on `output`, or was stopped, has finished so far; None if none is."""
    found = read_laid(work_folder(output))
    if found is None:
        return None
    laid, signature = found
    task = rank_task(signature, lambda: _nothing)
    store, spans = Store.of(work_folder(output), task), shards(len(laid.ranked), SHARD)
    lists = collect((store.read(task.key(span)) for span in spans), spans, int(signature["top"]))
    text = np.asarray(laid.array("text"))
    rows = np.flatnonzero(np.append(lists.done, True)[text])
    kept = np.append(lists.places, np.full((1, lists.places.shape[1]), -1, np.int32), axis=0)[text[rows]]
    scores = np.append(lists.scores, np.zeros((1, lists.scores.shape[1])), axis=0)[text[rows]]
    there, asked = kept >= 0, laid.questions()
    return Ranking(
        np.asarray(laid.array("image_ids")[rows]),
        np.asarray(laid.array("question_ids")[rows]),
        [asked[row] for row in rows.tolist()],
        np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64),
        kept[there].astype(np.int64),
        kept[there].astype(np.int64),
        scores[there],
        laid.pool,
        len(text),
        {**signature, **lists.signature},
        str(output),
        (f"{output}: {len(text) - len(rows):,} of {len(text):,} main questions are not ranked yet.",),
    )


def _nothing(_: Span) -> bytes:
    return b""
