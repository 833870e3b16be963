"""What the figures of `score` and of `kinds` are made of, and all that is to be said of their measures.

Of `score` these are games, drawn by image, or one by one where they have none. Between two questioners on the same
games their figures are compared; effectiveness also by turn, and like task success by the number of objects. Which
questions a game has is the questioner's own doing, so a game as a whole is what two runs have in common.
"""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from voirdire.metrics.games import (
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
from voirdire.metrics.measure import Key, Measure, mean, of_means
from voirdire.questions.exam import KindsOptions, ScoreQuestionsOptions
from voirdire.questions.lexicon import KINDS, ORDER
from voirdire.runs.view import Role, View
from voirdire.stats.aggregate import FloatArray

if TYPE_CHECKING:
    import polars as pl

TURNS = 20
"""Effectiveness is given for so many turns; the items have all."""

UNIT, NOUN = ("game_id",), "game"
WORDS = {"status": "outcome"}

EFFECTIVENESS_CORRECTED = EFFECTIVENESS.named(
    "effectiveness_corrected",
    of=("effectiveness_corrected",),
    label="effectiveness, corrected for the oracle's errors",
    description="what effectiveness would be with true answers, as far as the oracle's confusion can tell",
)
QUESTIONS = Measure.averaged(
    "questions", "neither", description="questions per game", citation="effective-questions, Table 1"
)


def _gone(target_left: npt.NDArray[np.bool_]) -> FloatArray:
    return np.asarray(~target_left, dtype=np.float64)


TARGET_DROPPED = Measure(
    Key("target_dropped"),
    _gone,
    mean,
    "lower",
    where=("last", True),
    description="share of games whose recorded answers exclude the target",
    share=True,
)


def _given_up(ends: npt.NDArray[np.int64], status: npt.NDArray[np.str_]) -> FloatArray:
    return np.asarray(status == "incomplete", dtype=np.float64)


# The number of questions stands in each game's last row alone, so that a game is counted once.
INCOMPLETE = Measure(
    Key("incomplete"),
    _given_up,
    mean,
    "lower",
    of=("questions", "status"),
    label="given up",
    description="share of games that were given up",
    share=True,
)

SCORE_MEASURES = (
    QUESTIONS,
    TASK_SUCCESS,
    EFFECTIVENESS,
    EFFECTIVENESS_CORRECTED,
    EFFECTIVENESS_SUCCESS,
    EFFECTIVENESS_FAILURE,
    EFFECTIVENESS_MICRO,
    LAST_EFFECTIVE,
    LAST_REFERRING,
    REFERRING,
    REFERRING_OTHER,
    SUCCESS_IF_REFERRING,
    SUCCESS_IF_NOT,
    TARGET_DROPPED,
    INCOMPLETE,
)
"""In the order of a run's figures, but for effectiveness by turn, which stands before the last two."""


def score_views(items: "pl.DataFrame", options: ScoreQuestionsOptions) -> tuple[View, View]:
    """Of `questions score`: the games that are judged, and for the share that was given up, all."""
    clusters = "game_id" if items["image_id"][0] is None else "image_id"
    ended = items
    if options.incomplete == "apart":
        ended = items.filter(items["status"].is_null() | (items["status"] != "incomplete"))
    longest = ended["turn"].max() if ended.height else None
    turns = min(longest, TURNS) if isinstance(longest, int) else 0
    by_turn = [at_turn(turn) for turn in range(1, turns + 1)]
    corrected = EFFECTIVENESS_CORRECTED.name in items.columns
    measures = (
        *(one for one in SCORE_MEASURES[:-2] if corrected or one is not EFFECTIVENESS_CORRECTED),
        *by_turn,
        *([TARGET_DROPPED] if options.answers == "recorded" else []),
    )
    roles: dict[Key, Role] = {TASK_SUCCESS.key: "headline", EFFECTIVENESS.key: "headline"}
    roles |= {measure.key: "slice" for measure in by_turn}
    given = ("objects",)
    cuts = {EFFECTIVENESS.key: ("status", "turn")}
    return (
        View(ended, measures, UNIT, NOUN, clusters, roles, ("objects",), given, cuts, WORDS),
        View(items, (INCOMPLETE,), UNIT, NOUN, clusters, given=given),
    )


def by_against(kind: str) -> str:
    """The column of a type by another lexicon: `color:against`."""
    return str(Key(kind).under("against"))


def _both(ours: FloatArray, theirs: FloatArray) -> FloatArray:
    first, second = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    return np.column_stack([first, second, first * second])


def _observed(ours: FloatArray, theirs: FloatArray, both: FloatArray) -> FloatArray:
    return 1 - ours - theirs + 2 * both


def _kappa(ours: FloatArray, theirs: FloatArray, both: FloatArray) -> FloatArray:
    chance = ours * theirs + (1 - ours) * (1 - theirs)
    return (_observed(ours, theirs, both) - chance) / (1 - chance)


SHARES = tuple(
    Measure.averaged(
        kind,
        "neither",
        description=f"share of questions of the type {kind}",
        citation="effective-questions, Table 2",
        share=True,
    )
    for kind in (*KINDS, ORDER)
)
AGREEMENT = Measure.averaged(
    "agreement",
    "higher",
    description="share of questions to which both lexicons give the same set of types",
    share=True,
)
KINDS_MEASURES = (*SHARES, AGREEMENT)


def kinds_views(items: "pl.DataFrame", options: KindsOptions) -> tuple[View]:
    """Of `questions kinds`: the share of every type and, where there is a second lexicon, the agreement about it."""
    agreements: list[Measure] = []
    if AGREEMENT.name in items.columns:
        agreements = [AGREEMENT, *(one for kind in KINDS for one in _agreement(kind))]
    roles: dict[Key, Role] = {measure.key: "aside" for measure in agreements}
    return (View(items, (*SHARES, *agreements), UNIT, NOUN, "game_id", roles, given=("image_id",)),)


def _agreement(kind: str) -> tuple[Measure, Measure]:
    of = (kind, by_against(kind))
    share = Measure(AGREEMENT.key.on(kind), _both, of_means(_observed, 3, "agreement"), "higher", of=of)
    return share, share.variant("kappa", aggregate=of_means(_kappa, 3, "kappa"))
