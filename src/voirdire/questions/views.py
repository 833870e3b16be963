"""What the figures of this exam's runs are made of: games, drawn by image, or one by one where they have none.

Between two questioners on the same games their figures are compared; effectiveness also by turn, and like task success
by the number of objects. Which questions a game has is the questioner's own doing, so a game as a whole is what two
runs have in common.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from voirdire.metrics.accuracy import (
    EFFECTIVENESS,
    EFFECTIVENESS_FAILURE,
    EFFECTIVENESS_MICRO,
    EFFECTIVENESS_SUCCESS,
    LAST_EFFECTIVE,
    LAST_REFERRING,
    REFERRING,
    REFERRING_OTHER,
    SUCCESS_IF_NOT,
    SUCCESS_IF_REFERRING,
    TASK_SUCCESS,
    at_turn,
)
from voirdire.metrics.measure import Measure, identity, mean, of_means
from voirdire.questions.kinds import KINDS, ORDER
from voirdire.runs.view import Role, View
from voirdire.stats.aggregate import FloatArray

if TYPE_CHECKING:
    import polars as pl

__all__ = ["AGAINST", "EFFECTIVENESS_CORRECTED", "kinds_views", "score_views"]

TURNS = 20
"""Effectiveness is given for so many turns; the items have all."""

AGAINST = ":against"
"""The ending of the columns of types by another lexicon."""

UNIT = ("game_id",)

EFFECTIVENESS_CORRECTED = EFFECTIVENESS.variant("_corrected", of=("effectiveness_corrected",))
QUESTIONS = Measure("questions", identity, mean, "neither", of=("questions",), description="questions a game")


def _gone(target_left: npt.NDArray[np.bool_]) -> FloatArray:
    return np.asarray(~target_left, dtype=np.float64)


TARGET_DROPPED = Measure(
    "target_dropped",
    _gone,
    mean,
    "lower",
    where=("last", True),
    description="share of games whose recorded answers exclude the target",
)


def _given_up(ends: npt.NDArray[np.int64], status: npt.NDArray[np.str_]) -> FloatArray:
    return np.asarray(status == "incomplete", dtype=np.float64)


# The number of questions stands in each game's last row alone, so that a game is counted once.
INCOMPLETE = Measure(
    "incomplete", _given_up, mean, "lower", of=("questions", "status"), description="share of games that were given up"
)


def score_views(items: "pl.DataFrame", options: Mapping[str, Any]) -> tuple[View, View]:
    """Of `questions score`: the games that ended, and for the share that did not, all."""
    clusters = "game_id" if items["image_id"][0] is None else "image_id"
    ended = items.filter(items["status"].is_null() | (items["status"] != "incomplete"))
    longest = ended["turn"].max() if ended.height else None
    turns = min(longest, TURNS) if isinstance(longest, int) else 0
    by_turn = [at_turn(turn) for turn in range(1, turns + 1)]
    measures = (
        QUESTIONS,
        TASK_SUCCESS,
        EFFECTIVENESS,
        *([EFFECTIVENESS_CORRECTED] if EFFECTIVENESS_CORRECTED.name in items.columns else []),
        EFFECTIVENESS_SUCCESS,
        EFFECTIVENESS_FAILURE,
        EFFECTIVENESS_MICRO,
        LAST_EFFECTIVE,
        LAST_REFERRING,
        REFERRING,
        REFERRING_OTHER,
        SUCCESS_IF_REFERRING,
        SUCCESS_IF_NOT,
        *by_turn,
        *([TARGET_DROPPED] if options["answers"] == "recorded" else []),
    )
    roles: dict[str, Role] = {TASK_SUCCESS.name: "headline", EFFECTIVENESS.name: "headline"}
    roles |= {measure.name: "slice" for measure in by_turn}
    given = ("objects",)
    return (
        View(ended, measures, UNIT, clusters, roles, ("objects",), given),
        View(items, (INCOMPLETE,), UNIT, clusters, given=given),
    )


def kinds_views(items: "pl.DataFrame", options: Mapping[str, Any]) -> tuple[View]:
    """Of `questions kinds`: the share of every type and, where there is a second lexicon, the agreement about it."""
    shares = [_share(kind) for kind in (*KINDS, ORDER)]
    agreements: list[Measure] = []
    if "agreement" in items.columns:
        agreements = [_AGREEMENT, *(one for kind in KINDS for one in _agreement(kind))]
    roles: dict[str, Role] = {measure.name: "aside" for measure in agreements}
    return (View(items, (*shares, *agreements), UNIT, "game_id", roles, given=("image_id",)),)


def _share(kind: str) -> Measure:
    description = f"share of questions of the type {kind}"
    return Measure(kind, identity, mean, "neither", of=(kind,), description=description)


def _both(ours: FloatArray, theirs: FloatArray) -> FloatArray:
    first, second = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    return np.column_stack([first, second, first * second])


def _observed(ours: FloatArray, theirs: FloatArray, both: FloatArray) -> FloatArray:
    return 1 - ours - theirs + 2 * both


def _kappa(ours: FloatArray, theirs: FloatArray, both: FloatArray) -> FloatArray:
    chance = ours * theirs + (1 - ours) * (1 - theirs)
    return (_observed(ours, theirs, both) - chance) / (1 - chance)


_AGREEMENT = Measure(
    "agreement", identity, mean, "higher", of=("agreement",), description="questions with the same set of types"
)


def _agreement(kind: str) -> tuple[Measure, Measure]:
    of = (kind, kind + AGAINST)
    share = Measure(f"agreement[{kind}]", _both, of_means(_observed, 3, "agreement"), "higher", of=of)
    return share, share.variant(":kappa", aggregate=of_means(_kappa, 3, "kappa"))
