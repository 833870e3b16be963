"""Several rankings as one, and the pool that they were drawn from.

Several files are parts of one ranking where all that they depend on, except the main questions, is the same.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.formats.question_ranking import POOL, Ranking, fail, pool_file, read_ranking, read_table
from voirdire.formats.strict import Problems
from voirdire.robustness.pool import Pool
from voirdire.robustness.ranking_signature import unlike

__all__ = ["read_pool", "read_rankings"]

# What may differ between parts of one ranking.
OWN = frozenset({"main"})


def read_rankings(paths: Sequence[str | Path]) -> Ranking:
    """Several files as one ranking, in the order in which they are given."""
    rankings = [read_ranking(path) for path in paths]
    whole = rankings[0]
    for path, part in zip(paths[1:], rankings[1:], strict=True):
        ours, theirs = (
            {name: value for name, value in one.signature.items() if name not in OWN} for one in (whole, part)
        )
        if said := unlike(ours, theirs):
            hint = "Rank all parts with the same options and the same pool."
            raise fail(path, f"a part that differs from {paths[0]} ({said})", "parts of one ranking", hint)
        twice = np.intersect1d(whole.question_ids, part.question_ids)
        if len(twice):
            problems = Problems(str(path))
            for one in twice.tolist():
                problems.add(f"question {one}", "question_id", "a question that an earlier part has", "each once")
            problems.check()
        whole = _joined(whole, part)
    return whole


def read_pool(ranking: str | Path) -> Pool:
    """The whole pool of a ranking, from the file beside it."""
    path = pool_file(ranking)
    if not path.exists():
        hint = "Keep it beside the ranking, or write partitions one by one with --partition."
        raise fail(path, "no such file", "the pool that was ranked, which a control is drawn from", hint)
    table, about = read_table(path, POOL)
    texts = tuple(table["basic_question"].to_list())
    pool = Pool(texts, len(texts), 0)
    if about and pool.fingerprint != about["signature"]["pool"]:
        raise fail(path, "a pool that is not the one that it says it is", "the pool that was ranked")
    return pool


def _joined(a: Ranking, b: Ranking) -> Ranking:
    def both(name: str) -> Any:
        return np.concatenate([getattr(a, name), getattr(b, name)])

    return Ranking(
        both("image_ids"),
        both("question_ids"),
        [*a.questions, *b.questions],
        np.concatenate([a.first, b.first[1:] + a.first[-1]]),
        both("pool_indices"),
        np.concatenate([a.texts, b.texts + len(a.basic)]),
        both("scores"),
        [*a.basic, *b.basic],
        a.asked + b.asked,
        a.signature,
        f"{a.name}, {b.name}",
        a.warnings + b.warnings,
    )
