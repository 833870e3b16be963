"""How often oracles give the answer that people gave.

    agreement[O]              = share of questions where oracle O's answer is the human one
    agreement[O]:answerable   = the same over the questions whose human answer is yes or no
    agreement[O]@t            = the same over the questions asked at turn t, from 1

An oracle that never says n/a is wrong on every question that people answered so; the second measure leaves these out.
Later questions lean more on what was said before, so that agreement falls by turn. Intervals draw whole games.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from voirdire._version import __version__
from voirdire.errors import InputError, Problem
from voirdire.formats.guesswhat import ANSWERS
from voirdire.formats.oracle_answers import OracleAnswers
from voirdire.metrics.accuracy import rightness
from voirdire.metrics.measure import Measure, mean
from voirdire.runs import Run, Signature, estimate

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TURNS", "score_agreement"]

TURNS = 5
"""Turns for which agreement is given; the items have all."""


def score_agreement(record: OracleAnswers, seed: int = 0) -> Run:
    """The agreement of every oracle of the file with the human answers."""
    if not len(record) or not record.oracles:
        found = "no question" if not len(record) else "no oracle"
        raise InputError("oracles' answers", [Problem("", "", found, "at least one")])
    items = _items(record)
    measures = [one for oracle in record.oracles for one in _measures(oracle, record.positions)]
    data = {"answers": record.fingerprint}
    return Run(
        exam="questions",
        part="agreement",
        options={"seed": seed},
        items=items,
        measures=estimate(items, measures, seed=seed, clusters="game_id"),
        signature=Signature(version=__version__, data=data, seed=seed, options={"clusters": "game_id"}),
        fingerprints=data,
    )


def _items(record: OracleAnswers) -> "pl.DataFrame":
    import polars as pl

    said = np.array(ANSWERS)
    right = record.answers == record.human[:, None]
    return pl.DataFrame(
        {
            "game_id": record.game_ids,
            "turn": record.positions + 1,
            "question_id": record.question_ids,
            "human": said[record.human],
            "answerable": record.human != ANSWERS.index("n/a"),
            **{f"right:{name}": right[:, place] for place, name in enumerate(record.oracles)},
        }
    )


def _measures(oracle: str, positions: np.ndarray) -> Sequence[Measure]:
    whole = Measure(
        f"agreement[{oracle}]",
        rightness,
        mean,
        "higher",
        of=(f"right:{oracle}",),
        description=f"share of questions to which {oracle} gives the human answer",
    )
    turns = min(TURNS, int(positions.max()) + 1)
    return [
        whole,
        whole.variant(":answerable", where=("answerable", True)),
        *(replace(whole, name=f"{whole.name}@{turn}", where=("turn", turn)) for turn in range(1, turns + 1)),
    ]
