"""Does a model keep track of what is true and of what is shared? Its answers to these two questions are scored.

Where a probe reads a model's states, here the model itself is asked, so no state, no training and no control is needed:

    score    established as true, established as false, or open?   asked with the dialogue so far
    truth    is the sentence true of the picture?                  asked with the picture, too, where it is open

    class of a point = the one that both answers leave: shared unless it is open; true by the score of what is shared,
                       and by the truth of what is open

A file may have two yes/no questions instead: `truth`, and `sharing`, has it been settled whether it is true?

A task needs what it asks for: TF the truth, PS the sharing, TFxPS both, and PxTSFS the truth only of what is shared. A
point that a task lacks an answer for is no item of it. Measures are those of predicted points (`measures`), of all
tasks the headline ones, with the task in brackets, and how much could be read:

    accuracy…          over what could be read; `accuracy…:asked` over all that was asked, the rest as wrong
    unread             share of the judgements of which nothing could be read; also [score], [truth] and [sharing]

(scorekeeping, §5.)
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.figures import counted
from voirdire.formats.dialogues import Dialogues
from voirdire.formats.model_judgements import OPEN, SCORE, SHARING, TRUTH, VALUES, ModelJudgement
from voirdire.formats.propositions import PropositionSet
from voirdire.formats.record import Rows
from voirdire.formats.strict import Problems
from voirdire.lazy import pl
from voirdire.metrics.key import Key
from voirdire.metrics.measure import Measure
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Estimate, Run
from voirdire.runs.estimate import Measures
from voirdire.runs.view import View, cover, estimate_views
from voirdire.scorekeeping.asked_points import AskedPoints, asked_points
from voirdire.scorekeeping.exam import EXAM, JudgeOptions
from voirdire.scorekeeping.measures import (
    NOTHING,
    POINT_MEASURES,
    TURN,
    asked_figures,
    headline,
    item_frame,
    of_task,
    point_view,
    points_frame,
    task_views,
    view_of_task,
)
from voirdire.scorekeeping.points import TASKS, ScoreTask

UNREAD = Measure.figure(
    "unread",
    "lower",
    label="not read",
    description="share of a model's judgements of which no answer could be read",
    share=True,
)
JUDGE_MEASURES = (*POINT_MEASURES, UNREAD)
"""All measures that a run of `scorekeeping judge` may have."""


def judge_views(items: "pl.DataFrame", options: JudgeOptions) -> tuple[View, ...]:
    """All measures of one task or, of all tasks, the headline ones of each."""
    if options.task is not None:
        return task_views(items, TASKS[options.task])
    return tuple(
        view_of_task(point_view(items.filter(pl.col("task") == kind), headline(TASKS[kind])), kind)
        for kind in items["task"].unique(maintain_order=True)
    )


def main_figures(items: "pl.DataFrame", task: ScoreTask, seed: int) -> Measures:
    """The headline figures of one task's items."""
    return estimate_views((point_view(items, headline(task)),), seed=seed)


def judge_figures(items: "pl.DataFrame", task: ScoreTask, seed: int) -> Measures:
    """All figures of one task's items."""
    return estimate_views(task_views(items, task), seed=seed)


ROLE = "judgements"
CODES = {"yes": 1, "no": 0}
UNKNOWN = 2
"""Beside 0 for no and 1 for yes."""


def score_judgements(
    propositions: PropositionSet,
    judgements: Rows[ModelJudgement],
    options: JudgeOptions | None = None,
    *,
    dialogues: Dialogues | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """Score a model's answers about the propositions.

    dialogues  for the number of turns of each dialogue, where the propositions do not have it
    """
    options = options or JudgeOptions()
    asked = asked_points(propositions, dialogues, options, {row.dialogue for row in judgements})
    answers = _answers(judgements, propositions, asked)
    coverage, warnings = cover(
        "judgement",
        ("propositions", ROLE),
        answers.asked,
        answers.missing,
        answers.beyond,
        strict=options.strict,
        hint="They may be of another split, or of a part of this one: `turns`, `pairs` and `limit` ask for less.",
    )
    tasks = list(TASKS.values()) if options.task is None else [TASKS[options.task]]
    frames: list[pl.DataFrame] = []
    measures: dict[Key, Estimate] = {}
    for task in tasks:
        predicted = np.where(asked.asked, classes(task, answers.truth, answers.sharing), NOTHING)
        items = item_frame(asked.points, asked.texts, task, predicted, how=answers.how(task))
        if not items.height:
            continue
        frames.append(items)
        figures = (main_figures if options.all else judge_figures)(items, task, options.seed)
        lacking = asked.asked & (predicted == NOTHING)
        if lacking.any():
            missing = points_frame(asked.points, np.zeros(len(predicted), np.bool_)).filter(lacking)
            figures |= asked_figures(items, missing, options.seed)
        for key, figure in figures.items():
            measures[of_task(key, task.name) if options.all else key] = figure
    if not frames:
        expected = f"an answer to some question of {' or '.join(task.name for task in tasks)}"
        raise InputError(ROLE, [Problem("", "value", "nothing that could be read", expected)])
    measures |= answers.unread()
    run = EXAM.run(
        "judge",
        options,
        pl.concat(frames),
        Measures(measures),
        {"propositions": propositions.fingerprint},
        outputs={ROLE: judgements.fingerprint},
        changing={
            "task": options.task or "all",
            "questions": " and ".join(answers.counts),
            "turns": ",".join(map(str, options.only_turns)) or "all",
            "pairs": options.pairs,
            "polarity": options.polarity,
            "points": options.points if asked.sampled else "all",
            "clusters": "dialogue",
        },
        warnings=(*warnings, *answers.warnings(), *_warnings(asked, options.seed)),
        coverage=coverage,
    )
    return asked.drawn.sign(run)


def classes(task: ScoreTask, truth: npt.NDArray[np.int64], sharing: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The class of each point that is left by what is known: 1 yes, 0 no, 2 nothing; NOTHING where several are left."""
    table = np.full((3, 3), NOTHING, np.int64)
    both = {0: (0,), 1: (1,), UNKNOWN: (0, 1)}
    for true, either in both.items():
        for shared, other in both.items():
            left = {task.labels[value][sign] for value in either for sign in other}
            if len(left) == 1:
                table[true, shared] = left.pop()
    return table[truth, sharing]


@dataclass(frozen=True, eq=False)
class _Answers:
    """The model's answers at the points.

    truth, sharing          int64[n], 1 yes, 0 no, 2 nothing
    read_by                 for either, how each was read, a text per point; empty where nothing was
    asked                   how many questions were asked
    missing, beyond         questions that were asked and not answered, and answers that nobody asked for, as errors
                            call them
    counts                  of the answers that count: by question how many were read in which way, "" for not at all
    """

    truth: npt.NDArray[np.int64]
    sharing: npt.NDArray[np.int64]
    read_by: dict[str, list[str]]
    asked: int
    missing: Sequence[str]
    beyond: Sequence[str]
    counts: dict[str, Counter[str]]

    def how(self, task: ScoreTask) -> list[str]:
        """By what each point's answers were read; both, where they differ."""
        needed = [
            self.read_by[question]
            for question, signs in ((TRUTH, task.truth), (SHARING, task.shared))
            if max(signs) >= 0
        ]
        return ["+".join(dict.fromkeys(filter(None, some))) for some in zip(*needed, strict=True)]

    def unread(self) -> dict[Key, Estimate]:
        """The share of answers in which nothing could be read."""
        estimates: dict[Key, Estimate] = {}
        every = sum(self.counts.values(), Counter[str]())
        by_question = ((UNREAD.key.on(question), count) for question, count in self.counts.items())
        for key, count in ((UNREAD.key, every), *by_question):
            if total := sum(count.values()):
                estimates[key] = Estimate(count[""] / total, None, None, total)
        return estimates

    def warnings(self) -> list[str]:
        """How the answers were read, where that was in several ways, and how many could not be."""
        every = sum(self.counts.values(), Counter[str]())
        unread = every.pop("", 0)
        warnings = []
        if unread:
            warnings.append(
                f"In {unread:,} of {counted(unread + every.total(), 'judgement')} no answer could be read: `:asked` "
                "counts these as wrong."
            )
        if len(every) > 1:
            ways = ", ".join(f"{count:,} by {how}" for how, count in every.most_common())
            warnings.append(f"Judgements were read in several ways: {ways}.")
        return warnings


def _answers(judgements: Rows[ModelJudgement], propositions: PropositionSet, asked: AskedPoints) -> _Answers:
    """The judgements at the places of the points; those that cannot be of these propositions are refused."""
    points, problems, beyond = asked.points, Problems(ROLE), []
    where = (points.point_dialogue, points.turn, points.index[points.proposition])
    places = {key: place for place, key in enumerate(zip(*(column.tolist() for column in where), strict=True))}
    given: dict[str, dict[int, ModelJudgement]] = {question: {} for question in VALUES}
    left = set(asked.drawn.left.tolist())
    by_score = any(row.question == SCORE for row in judgements)
    for row in judgements:
        if row.dialogue not in propositions.dialogues:
            beyond.append(_called(row))
            continue
        if (fault := _fault(row, propositions, asked.lengths, by_score)) is not None:
            problems.add(_called(row), *fault)
        elif row.dialogue not in left and asked.asked[at := places[row.dialogue, row.turn, row.index]]:
            given[row.question][at] = row
    problems.check()
    every = np.flatnonzero(asked.asked).tolist()
    still_open = [at for at, row in sorted(given[SCORE].items()) if row.value == OPEN]
    needed = {SCORE: every, TRUTH: still_open} if by_score else {TRUTH: every, SHARING: every}
    lacking: list[str] = []
    values = {question: np.full(len(points), UNKNOWN, np.int64) for question in (TRUTH, SHARING)}
    read_by = {question: [""] * len(points) for question in values}
    counts: dict[str, Counter[str]] = {question: Counter() for question in needed}
    for question, needing in needed.items():
        for at in needing:
            if (answer := given[question].get(at)) is None:
                place = f"dialogue {int(where[0][at])}, turn {int(where[1][at])}, proposition {int(where[2][at])}"
                lacking.append(f"{place}: {question}")
                continue
            counts[question][answer.how if answer.value else ""] += 1
            for of, value in answer.says.items():
                values[of][at], read_by[of][at] = CODES[value], answer.how
    asked_for = sum(map(len, needed.values()))
    return _Answers(values[TRUTH], values[SHARING], read_by, asked_for, lacking, beyond, counts)


def _called(row: ModelJudgement) -> str:
    return f"dialogue {row.dialogue}, turn {row.turn}, proposition {row.index}: {row.question}"


def _fault(
    row: ModelJudgement, propositions: PropositionSet, lengths: Any, by_score: bool
) -> tuple[str, str, str, str] | None:
    """What shows that a judgement is of other propositions: field, found, expected, hint."""
    records, turns = propositions.dialogues[row.dialogue], lengths[row.dialogue]
    hint = "Are they judgements of these propositions? Made anew with other options, propositions have other places."
    if by_score and row.question == SHARING:
        return "question", SHARING, "score, and truth of what is open", "A file has `score`, or `truth` and `sharing`."
    if row.index >= len(records):
        return "index", str(row.index), f"one of the dialogue's {counted(len(records), 'proposition')}, from 0", hint
    if row.turn >= turns:
        return "turn", str(row.turn), f"one of the dialogue's {counted(turns, 'turn')}, from 0", hint
    if row.proposition and row.proposition != records[row.index].proposition:
        return "proposition", repr(row.proposition), repr(records[row.index].proposition), hint
    return None


def _warnings(asked: AskedPoints, seed: int) -> list[str]:
    lines = []
    if asked.sampled:
        lines.append(
            f"{int(asked.asked.sum()):,} of {counted(asked.of, 'point')}, a sample drawn by the seed {seed}: intervals "
            "hold for all of them. Shifts and stable truth need every turn of a sentence: `points` all."
        )
    last = int(asked.points.turn[asked.asked].max())
    if not (asked.points.turn[asked.asked] == TURN).any():
        lines.append(f"Nothing is asked of turn {TURN} (the last is {last}), so there is no accuracy@{TURN}.")
    return lines
