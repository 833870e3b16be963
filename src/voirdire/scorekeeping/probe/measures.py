"""The measures of a probe's run: those of predicted points, and what only a probe has.

    accuracy…[seen]         on sentences that the probe learnt from; [unseen] on others
    words_accuracy          of a classifier that knows the words alone, also @5
    permutation_p           of real states against a control, in a run of all tasks: whole dialogues are swapped;
                            `permutation_p…:points` swaps single points, as the paper does
    accuracy…:asked         with the points of dialogues without states as wrong, where states are of fewer dialogues
    accuracy…:valid         of the kept epoch on the points that chose it, Tables 8 and 9
    types_in_train[test]    share of a part's different sentences that are among those of train; words_in_train of words

A figure of a run of all tasks has its task, and its control if there is one, in brackets: `accuracy@5[TFxPS, random]`.
Between two models the real states are compared, task by task; what a probe makes of a control's states is no figure of
the model. One probe is also compared by turn, polarity, rule, and seen and unseen sentences.
"""

from dataclasses import replace

from voirdire.lazy import pl
from voirdire.metrics.measure import Key, Measure
from voirdire.metrics.scoreboard import OPPOSITES_AGREE, SHIFT_ONLY_RIGHT, SHIFT_RIGHT, TRUTH_STABLE
from voirdire.runs.estimate import Measures
from voirdire.runs.view import View, estimate_views
from voirdire.scorekeeping.exam import ProbeOptions
from voirdire.scorekeeping.measures import (
    BY_DIALOGUE,
    CONFUSION,
    RIGHT,
    SEEN,
    TURN,
    at_turn,
    headline,
    of_task,
    point_view,
    task_views,
    view_of_task,
)
from voirdire.scorekeeping.points import TASKS, ScoreTask

ALPHA = 0.01
"""Below it real states and a control are called different."""

WORDS = RIGHT.named(
    "words_accuracy",
    of=("words_right",),
    label="words alone",
    description="share of points that a classifier that knows the words alone gets right",
    citation="scorekeeping, §4",
    leads=0,
)
PERMUTATION_P = Measure.figure(
    "permutation_p",
    "neither",
    "p",
    label="p against a control",
    description="probability that real states differ so much from a control by chance: paired permutation test",
    citation="scorekeeping, §6",
)
TYPES_IN_TRAIN, WORDS_IN_TRAIN = (
    Measure.figure(
        name,
        "neither",
        description=f"share of the different {things} of a part that are among those that the probe learns from",
        citation="scorekeeping, appendix A",
        share=True,
    )
    for name, things in (("types_in_train", "sentences"), ("words_in_train", "words"))
)
PROBE_MEASURES = (
    *(RIGHT, SHIFT_RIGHT, SHIFT_ONLY_RIGHT, TRUTH_STABLE, OPPOSITES_AGREE),
    *(WORDS, BY_DIALOGUE, CONFUSION, PERMUTATION_P, TYPES_IN_TRAIN, WORDS_IN_TRAIN),
)
"""All measures that a run of `scorekeeping probe` may have."""
_BY_WORDS = (at_turn(WORDS, TURN), WORDS)


def valid_key(key: Key) -> Key:
    """`accuracy@5:valid`: the same figure on the points that chose the epoch."""
    return key.under("valid")


def points_key(task: str, control: str) -> Key:
    """`permutation_p[TFxPS, random]:points`: the test that swaps single points."""
    return of_task(PERMUTATION_P.key, task, control).under("points")


def tested_key(measures: Measures, task: str) -> Key:
    """What real states and controls are compared by: accuracy at turn 5, or over all turns where none comes so far."""
    at = RIGHT.key.at(TURN)
    return RIGHT.key if measures.figure(of_task(at, task)).value is None else at


def control_mark(measures: Measures, task: str, control: str) -> str:
    """How real states did beside a control: `*` where they are better with p < 0.01, `!` where they are worse."""
    tested = tested_key(measures, task)
    p = measures.figure(of_task(PERMUTATION_P.key, task, control)).value
    main, other = measures.get(of_task(tested, task)), measures.get(of_task(tested, task, control))
    if p is None or p >= ALPHA or main is None or other is None:
        return ""
    return "*" if (main.value or 0) > (other.value or 0) else "!"


def probe_views(items: "pl.DataFrame", options: ProbeOptions) -> tuple[View, ...]:
    """Of `scorekeeping probe`: all measures of its task or, of a run of all tasks, the headline ones of each."""
    if not options.all:
        return _task_views(items, TASKS[options.task])
    real = items.filter(pl.col("control") == "")
    return tuple(
        view_of_task(_headline_view(of_kind, TASKS[kind]), kind)
        for kind in real["task"].unique(maintain_order=True)
        for of_kind in (real.filter(pl.col("task") == kind),)
    )


def headline_figures(items: "pl.DataFrame", task: ScoreTask, seed: int) -> Measures:
    """The headline figures of one probe's items, or of those of one task's probes with several seeds."""
    return estimate_views((_headline_view(items, task),), seed=seed)


def valid_figures(items: "pl.DataFrame", seed: int) -> Measures:
    """Accuracy at turn 5 and over all turns on the validation points."""
    measures = [replace(measure, key=valid_key(measure.key)) for measure in (at_turn(RIGHT, TURN), RIGHT)]
    return estimate_views((point_view(items, measures),), seed=seed)


def probe_figures(items: "pl.DataFrame", task: ScoreTask, seed: int) -> Measures:
    """All figures of these items."""
    return estimate_views(_task_views(items, task), seed=seed)


def _headline_view(items: "pl.DataFrame", task: ScoreTask) -> View:
    return point_view(items, [*headline(task), *_BY_WORDS], aside=_BY_WORDS)


def _task_views(items: "pl.DataFrame", task: ScoreTask) -> tuple[View, View, View]:
    """With what the words alone give, and by whether the probe knew the sentence."""
    known, other = SEEN
    table = items.with_columns(pl.when("seen").then(pl.lit(known)).otherwise(pl.lit(other)).alias("seen"))
    return task_views(table, task, _BY_WORDS, [RIGHT.slice("seen", kind) for kind in SEEN])
