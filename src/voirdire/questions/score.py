"""What did the questions of guessing games contribute? From games and an oracle's answers about every object.

    questions             mean number of questions per game
    task_success          see `metrics.games`, also for success_if_referring and success_if_not
    effectiveness         see `metrics.games`, also for _success, _failure, _micro, last_effective and @turn
    referring             see `metrics.games`, also for referring_other and last_referring
    target_dropped        share of games in which the recorded answers exclude the target (with `recorded` only)
    incomplete            share of games that were given up; these are in the items, but in no other measure, or else
                          failures (`incomplete`)

So effectiveness = task_success · effectiveness_success + (1 − task_success) · effectiveness_failure, where every game
has a question and an outcome. Items are questions; a game's own figures are in the row of its last question, and a
game without a question has one row whose turn is null. Intervals draw whole images, since several games may be played
on one; games of 20 questions, which have no image, are drawn one by one. (effective-questions, §3.2 and §4.2.)
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem, UsageError
from voirdire.figures import counted
from voirdire.formats.guesswhat import ANSWERS, Game, Status
from voirdire.formats.record import Rows
from voirdire.formats.twenty_questions import TwentyQuestionsGame
from voirdire.lazy import pl
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
from voirdire.metrics.measure import Key, Measure, mean
from voirdire.progress import UNSEEN, Stages
from voirdire.questions.correction import DRAWS, EFFECTIVENESS_CORRECTED, Confusion, corrected_items, gains_of
from voirdire.questions.exam import EXAM, ScoreQuestionsOptions
from voirdire.questions.games import GamesFile, ObjectLists, limited, names, with_lists
from voirdire.questions.oracles import Asked, Oracle, ask
from voirdire.questions.reference_sets import AnsweredGame, answered_games
from voirdire.runs import Run
from voirdire.runs.view import Coverage, Role, View, estimate_views
from voirdire.stats.aggregate import FloatArray

CARRIED = "carried by the games"
"""The oracle of games that hold an answer for every candidate."""

TURNS = 20
"""Effectiveness is given for so many turns; the items have all."""

PLAYED = "played"
"""What two models have in common with a game."""

FEWEST = 20
"""The fewest games whose effectiveness can rank a model."""

QUESTIONS = Measure.averaged(
    "questions", "neither", description="questions per game", citation="effective-questions, Table 1"
)


def _dropped(target_left: npt.NDArray[np.bool_]) -> FloatArray:
    # Of games that were all given up there is none left, and an empty column has no type.
    return np.asarray(~target_left.astype(bool), dtype=np.float64)


TARGET_DROPPED = Measure(
    Key("target_dropped"),
    _dropped,
    mean,
    "lower",
    where=("last", True),
    description="share of games whose recorded answers exclude the target",
    share=True,
)


# The number of questions is in each game's last row alone, so that a game is counted once.
INCOMPLETE = Measure(
    Key("incomplete"),
    lambda ends, status: np.asarray(status == "incomplete", dtype=np.float64),
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
"""In the order of a run's figures, but for effectiveness by turn, which comes before the last two."""


EFFECTIVENESSES = (
    *(EFFECTIVENESS, EFFECTIVENESS_CORRECTED, EFFECTIVENESS_SUCCESS, EFFECTIVENESS_FAILURE),
    *(EFFECTIVENESS_MICRO, LAST_EFFECTIVE),
)


def caveats(run: Run) -> dict[Key, str]:
    """Each effectiveness, which cannot rank models by few games, with the reason."""
    games = run.measures.figure(EFFECTIVENESS.key).n
    if games is None or games >= FEWEST:
        return {}
    names = {measure.key.measure for measure in EFFECTIVENESSES}
    reason = (
        f"{counted(games, 'game')} with a question, fewer than {FEWEST}, cannot tell how effective its questions are"
    )
    return {key: reason for key in run.measures if key.measure in names}


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
        *(measure for measure in SCORE_MEASURES[:-2] if corrected or measure is not EFFECTIVENESS_CORRECTED),
        *by_turn,
        *([TARGET_DROPPED] if options.answers == "recorded" else []),
    )
    roles: dict[Key, Role] = {TASK_SUCCESS.key: "headline", EFFECTIVENESS.key: "headline"}
    roles |= {measure.key: "slice" for measure in by_turn}
    unit, objects, slices = ("game_id",), ("objects",), {EFFECTIVENESS.key: ("status", "turn")}
    return (
        View(ended, measures, unit, "game", clusters, roles, objects, objects, slices, {"status": "outcome"}, PLAYED),
        View(items, (INCOMPLETE,), unit, "game", clusters, given=objects, did=PLAYED),
    )


def score_questions(
    games: GamesFile | Sequence[Game] | Sequence[TwentyQuestionsGame],
    oracle: str | Oracle | None = None,
    coco: ObjectLists | None = None,
    originals: ObjectLists | None = None,
    confusion: Confusion | None = None,
    options: ScoreQuestionsOptions | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """Score the questions of games.

    oracle           who answers about every object, or its name; None for 20 questions, which carry their answers
    coco, originals  lists of objects, for games of a file that lack them
    confusion        how often the oracle is wrong, to correct effectiveness for its errors
    """
    options = options or ScoreQuestionsOptions()
    played, drawn = limited(with_lists(games, coco, originals, stages), options)
    ended = _won_by_name(played.games) if options.wins == "named" else played.games
    if played.left_out and options.strict:
        expected = "images that the joined file has, as `strict` asks for"
        raise InputError(played.name, [Problem("", "", played.warnings[0], expected)])
    asked = ask(ended, oracle, options.max_questions, stages("ask the oracle", "games"), options)
    answered = answered_games(asked.games, asked.answers)
    gains = None if confusion is None else gains_of(asked, confusion, options, stages("correct", "games"))
    progress = stages("score", "steps")
    progress(0, 2)
    items = _items(answered, options)
    items = items if gains is None else corrected_items(items, gains)
    progress(1, 2)
    views = score_views(items, options)
    figures = estimate_views(views, seed=options.seed)
    progress(2, 2)
    fingerprint = played.games.fingerprint
    run = EXAM.run(
        "score",
        options,
        items,
        figures,
        dict(played.data),
        outputs={"games": fingerprint} if fingerprint else {},
        changing={
            "oracle": CARRIED if asked.answers is None else asked.oracle,
            "answers": options.answers,
            **({} if options.incomplete == "apart" else {"incomplete": options.incomplete}),
            **({} if options.other_answers == "strict" else {"other_answers": options.other_answers}),
            **({} if options.wins == "told" else {"wins": options.wins}),
            "clusters": views[0].clusters,
            **({} if options.max_questions is None else {"max_questions": options.max_questions}),
            **({} if gains is None else {"corrected": f"{DRAWS} draws"}),
        },
        warnings=(
            *played.warnings,
            *asked.warnings,
            *_warnings(answered, views[0].items, options, sum(map(_contradicts, asked.games))),
            *_twenty_warnings(asked.games, options),
        ),
        coverage=_coverage(asked, played.left_out),
    )
    return drawn.sign(run)


def _coverage(asked: Asked, left_out: int) -> Coverage | None:
    """The games that are scored, and those that the oracle, or the lists of objects, do not know."""
    coverage = asked.coverage or (Coverage("game", len(asked.games), len(asked.games)) if left_out else None)
    return None if coverage is None else msgspec.structs.replace(coverage, beyond=coverage.beyond + left_out)


def _items(games: Sequence[AnsweredGame], options: ScoreQuestionsOptions) -> "pl.DataFrame":
    ids = pl.String if isinstance(games[0].objects[0], str) else pl.Int64
    schema: dict[str, Any] = {
        "game_id": pl.Int64,
        "image_id": pl.Int64,
        "turn": pl.Int64,
        "last": pl.Boolean,
        "question": pl.String,
        "answer": pl.String,
        "oracle_answer": pl.String,
        "objects": pl.Int64,
        "distractors": pl.Int64,
        "effective": pl.Boolean,
        "referring": pl.Boolean,
        "referring_other": pl.Boolean,
        "refers_to": ids,
        "target_left": pl.Boolean,
        "status": pl.String,
        "questions": pl.Int64,
        "success": pl.Boolean,
        "effectiveness": pl.Float64,
    }
    rows = [row for game in games for row in _rows(game, options)]
    return pl.DataFrame({name: [row.get(name) for row in rows] for name in schema}, schema=schema)


def _rows(game: AnsweredGame, options: ScoreQuestionsOptions) -> list[dict[str, Any]]:
    turns = game.turns(options.answers == "recorded", options.other_answers == "keep")
    whole: dict[str, Any] = {
        "game_id": game.game_id,
        "image_id": game.image_id,
        "objects": len(game.objects),
        "status": game.status,
    }
    rows = []
    for place, turn in enumerate(turns):
        to_target = turn.refers_to == game.target
        rows.append(
            whole
            | {
                "turn": place + 1,
                "last": place + 1 == len(turns),
                "question": game.questions[place],
                "answer": None if game.recorded is None else ANSWERS[game.recorded[place]],
                "oracle_answer": game.vocabulary[game.answers[place, game.target]],
                "distractors": turn.distractors,
                "effective": turn.effective,
                "referring": to_target,
                "referring_other": turn.refers_to is not None and not to_target,
                "refers_to": None if turn.refers_to is None else game.objects[turn.refers_to],
                "target_left": turn.target_left,
            }
        )
    rows = rows or [whole]
    outcome = {"success": True, "failure": False}
    if options.incomplete == "failure":
        outcome["incomplete"] = False
    rows[-1]["questions"] = len(turns)
    rows[-1]["success"] = None if game.status is None else outcome.get(game.status)
    if turns:
        rows[-1]["effectiveness"] = sum(turn.effective for turn in turns) / len(turns)
    return rows


def _won_by_name(games: Rows[Game] | Rows[TwentyQuestionsGame]) -> Rows[TwentyQuestionsGame]:
    """The games with the outcome of their last question: won where it names the target and the answer is yes."""
    if any(isinstance(game, Game) for game in games):
        raise UsageError("`wins` can be named for games of 20 questions only; GuessWhat?! games say how they ended")
    twenty = cast("Rows[TwentyQuestionsGame]", games)
    return replace(twenty, rows=tuple(replace(game, status=_named(game)) for game in twenty))


def _named(game: TwentyQuestionsGame) -> Status:
    """Whether the last question names the target, as words of its own, in the singular or the plural, and is right."""
    if not game.questions or game.vocabulary[game.answers[-1, game.target_index]] != "yes":
        return "failure"
    return "success" if names(game.questions[-1], game.target) else "failure"


def _twenty_warnings(
    games: Sequence[Game] | Sequence[TwentyQuestionsGame], options: ScoreQuestionsOptions
) -> list[str]:
    """Warnings about games of 20 questions alone."""
    twenty = [game for game in games if isinstance(game, TwentyQuestionsGame)]
    warnings = []
    if others := sum(int((game.answers >= len(ANSWERS)).sum()) for game in twenty):
        strict = "each is an answer of its own" if options.other_answers == "strict" else "they exclude nobody"
        warnings.append(f"{counted(others, 'answer')} beyond yes, no and n/a; {strict}.")
    if wrong := sum(game.misnumbered for game in twenty):
        warnings.append(f"{counted(wrong, 'question')} with a wrong `question_step`; their order in the file counts.")
    return warnings


def _contradicts(game: Game | TwentyQuestionsGame) -> bool:
    """Whether a game says that it was won, and its guess that it was lost, or the other way round."""
    if isinstance(game, TwentyQuestionsGame) or game.guess_object_id is None:
        return False
    return game.status == ("failure" if game.guess_object_id == game.target_id else "success")


def _warnings(
    games: Sequence[AnsweredGame], judged: "pl.DataFrame", options: ScoreQuestionsOptions, contrary: int
) -> list[str]:
    """Warnings about the games; `judged` are the items that the measures are made of."""
    warnings = []

    def count(what: str, number: int, consequence: str, of: int = len(games)) -> None:
        if number:
            warnings.append(f"{number:,} of {of:,} games {what}; {consequence}.")

    given_up = sum(game.status == "incomplete" for game in games)
    apart = "they are in the items and in `incomplete`, but in no other measure"
    count("were given up (incomplete)", given_up, apart if options.incomplete == "apart" else "they count as failures")
    unknown = sum(game.status is None for game in games)
    rest = "task success is that of the others" if unknown < len(games) else "so there is no task success"
    count("do not say how they ended", unknown, rest)
    count("have a guess that contradicts their status", contrary, "the status counts")
    silent = sum(not game.questions for game in games)
    count("have no question", silent, "they have no effectiveness and no last question")
    alone = sum(len(game.objects) == 1 for game in games)
    count("have one object", alone, "no question can be effective there")
    if options.answers == "recorded":
        last = judged.filter(judged["last"])
        dropped = int((~last["target_left"]).sum())
        count("have recorded answers that exclude the target", dropped, "see `target_dropped`", last.height)
    if ties := sum(game.ties for game in games):
        warnings.append(f"The oracle had {counted(ties, 'tie')} between answers; each took the first of yes, no, n/a.")
    return warnings
