"""The measures of a probe's run, and what they are made of.

    accuracy@t              share of points of turn t that are right; turn 5 is the paper's, Table 2
    accuracy                over all turns, Table 7; also [seen] and [unseen] sentences, [positive], [negative] and
                            [none] by the polarity of the answer, by [rule], and by polarity and source turn together
                            ([positive, said at 3], Figure 8)
    words_accuracy          of a classifier that knows the words alone, also @5
    dialogue_accuracy@t     mean over dialogues of their accuracy at turn t, Figure 9
    confusion[g → p]        share of the points of class g that are taken for class p, at turn 5 as in Figure 3
    shift_right, …          see `metrics.scoreboard`
    permutation_p           of real states against a control, in a run of all tasks: whole dialogues are swapped;
                            `permutation_p…:points` swaps single points, as the paper does
    accuracy…:asked         with the points of dialogues without states as wrong, where states are of fewer dialogues
    accuracy…:valid         of the kept epoch on the points that chose it, Tables 8 and 9
    types_in_train[test]    share of a part's different sentences that are among those of train; words_in_train of words

A figure of a run of all tasks has its task, and its control if there is one, in brackets: `accuracy@5[TFxPS, random]`.
Intervals draw whole dialogues. Between two models the real states are compared, task by task; what a probe makes of a
control's states is no figure of the model. One probe is also compared by turn, polarity, rule, and seen and unseen
sentences.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from voirdire.metrics.accuracy import ACCURACY
from voirdire.metrics.measure import Key, Measure
from voirdire.metrics.scoreboard import OPPOSITES_AGREE, SHIFT_ONLY_RIGHT, SHIFT_RIGHT, TRUTH_STABLE
from voirdire.runs.coverage import ASKED
from voirdire.runs.estimate import Measures
from voirdire.runs.view import Role, View, estimate_views
from voirdire.scorekeeping.exam import ProbeOptions
from voirdire.scorekeeping.probe.tasks import TASKS, ProbeTask
from voirdire.stats.aggregate import FloatArray

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "ALPHA",
    "PERMUTATION_P",
    "POLARITIES",
    "PROBE_MEASURES",
    "RIGHT",
    "SEEN",
    "TURN",
    "TYPES_IN_TRAIN",
    "WORDS",
    "WORDS_IN_TRAIN",
    "asked_figures",
    "by_dialogue_key",
    "confusion_key",
    "confusion_turn",
    "control_mark",
    "headline",
    "headline_figures",
    "of_task",
    "points_key",
    "probe_figures",
    "probe_views",
    "rule_key",
    "rules_of",
    "source_key",
    "tested_key",
    "turns_of",
    "valid_figures",
    "valid_key",
]

TURN = 5
"""At this turn about as many facts have been said as have not."""
ALPHA = 0.01
"""Below it real states and a control are called different."""

UNIT = ("dialogue", "index", "turn")
"""A point; with several seeds each of its predictions is a row."""

POLARITIES = ("positive", "negative", "none")
SEEN = ("seen", "unseen")

RIGHT = replace(
    ACCURACY,
    of=("right",),
    description="share of points that are right",
    citation="scorekeeping, Table 2",
    leads=1,
)
WORDS = RIGHT.named(
    "words_accuracy",
    of=("words_right",),
    label="words alone",
    description="share of points that a classifier that knows the words alone gets right",
    citation="scorekeeping, §4",
    leads=0,
)
BY_DIALOGUE = Measure.averaged(
    "dialogue_accuracy",
    "higher",
    description="accuracy of a dialogue at a turn, mean over dialogues",
    citation="scorekeeping, Figure 9",
    share=True,
)
CONFUSION = Measure.figure(
    "confusion",
    "neither",
    description="share of the points of one class that are taken for another",
    citation="scorekeeping, Figure 3",
    share=True,
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


def of_task(key: Key, task: str, control: str = "") -> Key:
    """`accuracy@5[TFxPS, random]`: the key of a figure in a run of all tasks."""
    return key.on(task, *([control] if control else []))


def valid_key(key: Key) -> Key:
    """`accuracy@5:valid`: the same figure on the points that chose the epoch."""
    return key.under("valid")


def points_key(task: str, control: str) -> Key:
    """`permutation_p[TFxPS, random]:points`: the test that swaps single points."""
    return of_task(PERMUTATION_P.key, task, control).under("points")


def by_dialogue_key(turn: int) -> Key:
    """`dialogue_accuracy@3`"""
    return BY_DIALOGUE.key.at(turn)


def source_key(polarity: str, turn: int) -> Key:
    """`accuracy[positive, said at 3]`"""
    return RIGHT.key.on(polarity, f"said at {turn}")


def rule_key(rule: str) -> Key:
    """`accuracy[there]`; with the word before the rule's name where another slice is called so, too."""
    return RIGHT.key.on(f"rule {rule}" if rule in (*POLARITIES, *SEEN) else rule)


def rules_of(items: "pl.DataFrame") -> list[str]:
    """The rules that the items' propositions come from, sorted."""
    found: list[str] = sorted(items["rule"].unique())
    return found


def turns_of(measures: Iterable[Key]) -> list[int]:
    """The turns for which there are figures."""
    return sorted(key.k for key in measures if key.measure == BY_DIALOGUE.key.measure and key.k is not None)


def confusion_turn(measures: Iterable[Key]) -> int | None:
    """The turn at which classes are told to be mistaken: 5, or None for all where no dialogue comes so far."""
    return next((key.k for key in measures if key.measure == CONFUSION.key.measure), None)


def confusion_key(gold: str, taken: str, turn: int | None) -> Key:
    """`confusion@5[true → false]`: one class taken for another, at a turn or at all."""
    return Key(CONFUSION.key.measure, turn, (f"{gold} → {taken}",))


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


def headline(task: ProbeTask) -> list[Measure]:
    """The measures by which probes are compared; those that the task's classes say nothing of are left out."""
    says_shared, says_truth = max(task.shared) >= 0, max(task.truth) >= 0
    return [
        _at_turn(RIGHT, TURN),
        RIGHT,
        *([SHIFT_RIGHT, SHIFT_ONLY_RIGHT] if says_shared else []),
        *([TRUTH_STABLE, OPPOSITES_AGREE] if says_truth else []),
        _at_turn(WORDS, TURN),
        WORDS,
    ]


def probe_views(items: "pl.DataFrame", options: ProbeOptions) -> tuple[View, ...]:
    """Of `scorekeeping probe`: all measures of its task or, of a run of all tasks, the headline ones of each."""
    import polars as pl

    if not options.all:
        return task_views(items, TASKS[options.task])
    real = items.filter(pl.col("control") == "")
    return tuple(
        _of_task(_view(of_kind, headline(TASKS[kind])), kind)
        for kind in real["task"].unique(maintain_order=True)
        for of_kind in (real.filter(pl.col("task") == kind),)
    )


def headline_figures(items: "pl.DataFrame", task: ProbeTask, seed: int) -> Measures:
    """The headline figures of one probe's items, or of those of one task's probes with several seeds."""
    return estimate_views((_view(items, headline(task)),), seed=seed)


def valid_figures(items: "pl.DataFrame", seed: int) -> Measures:
    """Accuracy at turn 5 and over all turns on the validation points."""
    measures = [replace(one, key=valid_key(one.key)) for one in (_at_turn(RIGHT, TURN), RIGHT)]
    return estimate_views((_view(items, measures),), seed=seed)


def asked_figures(items: "pl.DataFrame", stateless: "pl.DataFrame", seed: int) -> Measures:
    """The same on all points that were asked: those of dialogues without states are wrong."""
    import polars as pl

    asked = pl.concat(
        [
            items.select(stateless.columns),
            stateless.match_to_schema(items.select(stateless.columns).schema, integer_cast="upcast"),
        ]
    )
    measures = [one.variant(ASKED) for one in (_at_turn(RIGHT, TURN), RIGHT)]
    return estimate_views((_view(asked, measures),), seed=seed)


def probe_figures(items: "pl.DataFrame", task: ProbeTask, seed: int) -> Measures:
    """All figures of these items."""
    return estimate_views(task_views(items, task), seed=seed)


def task_views(items: "pl.DataFrame", task: ProbeTask) -> tuple[View, View, View]:
    """All measures: those that read every item, those by rule, and the confusion at one turn."""
    import polars as pl

    here = items.filter(pl.col("turn") == TURN)
    turn, shown = (TURN, here) if here.height else (None, items)
    table = items.with_columns(
        pl.when("seen").then(pl.lit("seen")).otherwise(pl.lit("unseen")).alias("seen"),
        pl.format("{}, said at {}", "polarity", "turn_shared").alias("source"),
    )
    turns = sorted(table["turn"].unique())
    by_dialogue = [_at_turn(BY_DIALOGUE, turn) for turn in turns]
    by_source = [
        replace(RIGHT, key=source_key(polarity, said), where=("source", source))
        for polarity, said, source in _sources(table)
    ]
    slices = [
        *(RIGHT.slice("seen", kind) for kind in SEEN),
        *(_at_turn(RIGHT, turn) for turn in turns if turn != TURN),
        *by_dialogue,
        *(RIGHT.slice("polarity", kind) for kind in POLARITIES),
        *by_source,
    ]
    whole = _view(table, [*headline(task), *slices], slices, [*by_dialogue, *by_source])
    rules = [replace(RIGHT, key=rule_key(rule), where=("rule", rule)) for rule in rules_of(table)]
    confusion = [_confusion(gold, predicted, turn) for gold in task.classes for predicted in task.classes]
    return whole, _view(table, rules, rules), _view(shown, confusion, aside=confusion)


def _view(
    items: "pl.DataFrame", measures: Sequence[Measure], slices: Sequence[Measure] = (), aside: Sequence[Measure] = ()
) -> View:
    """A view of points; what the words alone give is no figure of a model."""
    roles: dict[Key, Role] = {RIGHT.key: "headline", **{measure.key: "slice" for measure in slices}}
    roles |= {measure.key: "aside" for measure in (*aside, *measures) if measure in aside or measure.of == WORDS.of}
    cuts = {RIGHT.key: ("rule", "turn", "polarity")} if RIGHT in measures else {}
    words = {"index": "proposition"}
    return View(items, tuple(measures), UNIT, "point", "dialogue", roles, given=("gold",), cuts=cuts, words=words)


def _of_task(view: View, task: str) -> View:
    measures = tuple(replace(measure, key=of_task(measure.key, task)) for measure in view.measures)
    roles = {of_task(key, task): role for key, role in view.roles.items()}
    cuts = {of_task(key, task): columns for key, columns in view.cuts.items()}
    return replace(view, measures=measures, roles=roles, cuts=cuts)


def _at_turn(measure: Measure, turn: int) -> Measure:
    """`accuracy@5`: the same at one turn."""
    return measure.at(turn, where=("turn", turn))


def _sources(table: "pl.DataFrame") -> list[tuple[str, int, str]]:
    columns = ("polarity", "turn_shared", "source")
    return table.select(columns).unique().sort("polarity", "turn_shared").rows()


def _confusion(gold: str, taken: str, turn: int | None) -> Measure:
    def statistic(predicted: npt.NDArray[np.str_]) -> FloatArray:
        return np.asarray(predicted == taken, np.float64)

    return replace(
        CONFUSION,
        key=confusion_key(gold, taken, turn),
        statistic=statistic,
        better="higher" if gold == taken else "lower",
        of=("predicted",),
        where=("gold", gold),
        description=f"share of the points of class {gold} that are taken for {taken}",
    )
