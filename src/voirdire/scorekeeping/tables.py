"""Runs of `probe` and `judge` as text tables: the paper's Table 2, its Figures 3, 8 and 9 in numbers, and the rules.

Figures are in percent, as the paper gives them. In Table 2 a star marks a control that the main task beats with
p < 0.01, an exclamation mark one that beats the main task.
"""

from collections.abc import Sequence
from functools import partial

from voirdire.exam import options_of
from voirdire.figures import NONE
from voirdire.lazy import pl
from voirdire.metrics.key import Key
from voirdire.metrics.scoreboard import OPPOSITES_AGREE, SHIFT_ONLY_RIGHT, SHIFT_RIGHT, TRUTH_STABLE
from voirdire.runs import Estimate, Run
from voirdire.runs.estimate import Measures
from voirdire.runs.view import ASKED
from voirdire.scorekeeping.judge import judge_figures
from voirdire.scorekeeping.measures import (
    BY_DIALOGUE,
    CONFUSION,
    POLARITIES,
    RIGHT,
    SEEN,
    TURN,
    by_dialogue_key,
    confusion_key,
    confusion_turn,
    of_task,
    rule_key,
    rules_of,
    source_key,
    turns_of,
)
from voirdire.scorekeeping.points import TASKS, ScoreTask
from voirdire.scorekeeping.probe.measures import (
    ALPHA,
    PERMUTATION_P,
    TYPES_IN_TRAIN,
    WORDS,
    WORDS_IN_TRAIN,
    control_mark,
    points_key,
    tested_key,
    valid_key,
)
from voirdire.scorekeeping.probe.sample import CONTROLS
from voirdire.tables import aligned, text_table

ROWS = {"": "main", "random": "random r", "null": "null r"}
"""What the paper's Table 2 calls real states and the controls."""
_HEADLINE = {measure.name for measure in (SHIFT_RIGHT, SHIFT_ONLY_RIGHT, TRUTH_STABLE, OPPOSITES_AGREE, RIGHT, WORDS)}

_OVERLAP = {measure.name for measure in (TYPES_IN_TRAIN, WORDS_IN_TRAIN)}


def probe_tables(run: Run) -> str:
    """What the paper shows in tables and figures, then the headline measures; of a run of all tasks all measures."""
    options = options_of(run)
    if options.all:
        return f"{table_2(run)}\n\n{text_table(run)}"
    details = detail_tables(run.measures, TASKS[options.task], rules_of(run.items))
    return f"{details}\n\n{text_table(run, headline_only(run.measures))}"


def table_2(run: Run) -> str:
    """Accuracy at turn 5 and over all turns of every task, on test and on valid, with real states and with both
    controls, and the tests of one against the other: the paper's Tables 2 and 7 to 9."""
    role = options_of(run).role
    blocks = []
    keys = ((RIGHT.key.at(TURN), f"accuracy at turn {TURN}"), (RIGHT.key, "accuracy, all turns"))
    for key, title in (*keys, *((valid_key(key), f"{title}, valid") for key, title in keys)):
        rows = [
            [f"   {ROWS[control]}", *(_cell(run.measures, key, task, control) for task in TASKS)]
            for control in CONTROLS
        ]
        blocks.append(joined([[f"{role}  {title}", *TASKS], *rows]))
    rows = [
        [f"   {ROWS[control]}, {how} swapped", *(_p(run.measures.figure(key_of(task, control))) for task in TASKS)]
        for control in CONTROLS
        if control
        for how, key_of in (("dialogues", partial(of_task, PERMUTATION_P.key)), ("points", points_key))
    ]
    blocks.append(joined([[f"{role}  p of main against", *TASKS], *rows]))
    tested = f"paired permutation test of accuracy at turn {TURN}, whole dialogues swapped"
    return "\n\n".join([*blocks, f"* main is better, ! main is worse, p < {ALPHA} ({tested})"])


def _p(figure: Estimate) -> str:
    return NONE if figure.value is None else f"{figure.value:.4f} "


def headline_only(measures: Measures) -> Measures:
    """The measures that the other tables do not show."""
    return Measures({key: figure for key, figure in measures.items() if _is_headline(key)})


def _is_headline(key: Key) -> bool:
    if key.measure in _OVERLAP:
        return True
    return key.measure in _HEADLINE and key.k in (None, TURN) and key.slice in ((), *((kind,) for kind in SEEN))


def _cell(measures: Measures, key: Key, task: str, control: str) -> str:
    text = percent(measures.figure(of_task(key, task, control)))
    spread = measures.figure(of_task(key, task, control).as_variant("std")).value
    if spread is not None:
        text += f" ± {100 * spread:.2f}"
    return text + ((control_mark(measures, task, control) if key == tested_key(measures, task) else "") or " ")


_IN_DETAIL = {BY_DIALOGUE.key.measure, CONFUSION.key.measure}


def judge_tables(run: Run) -> str:
    """Accuracy by task, then by turn, polarity, rule and class of the one with the most classes, then all measures."""
    options = options_of(run)
    if options.task is not None:
        details = detail_tables(run.measures, TASKS[options.task], rules_of(run.items))
        leading = Measures(
            {
                key: figure
                for key, figure in run.measures.items()
                if key.measure not in _IN_DETAIL and key.k in (None, TURN) and not key.slice
            }
        )
        return f"{details}\n\n{text_table(run, leading)}"
    task = next(iter(TASKS.values()))
    items = run.items.filter(pl.col("task") == task.name)
    blocks = [task_table(run)]
    if items.height:
        details = detail_tables(judge_figures(items, task, options.seed), task, rules_of(items))
        blocks += [f"{task.name}, in percent:", details]
    return "\n\n".join([*blocks, text_table(run)])


def task_table(run: Run) -> str:
    """Accuracy at turn 5 and over all turns of every task; with what was not read as wrong, where that is any."""
    keys = {f"accuracy at turn {TURN}": RIGHT.key.at(TURN), "accuracy, all turns": RIGHT.key}
    asked = {f"{name}, unread as wrong": key.as_variant(ASKED) for name, key in keys.items()}
    rows = []
    for name, key in {**keys, **asked}.items():
        figures = [run.measures.figure(of_task(key, task)) for task in TASKS]
        if any(figure.value is not None for figure in figures):
            rows.append([name, *map(percent, figures)])
    return joined([["asked, in percent", *TASKS], *rows])


def detail_tables(measures: Measures, task: ScoreTask, rules: Sequence[str]) -> str:
    """By turn, by polarity and source turn, by rule, and which classes are taken for which."""
    turns = turns_of(measures)
    by_turn = [
        ["turn", *map(str, turns)],
        ["accuracy", *(percent(measures.figure(RIGHT.key.at(turn))) for turn in turns)],
        ["mean over dialogues", *(percent(measures.figure(by_dialogue_key(turn))) for turn in turns)],
    ]
    by_source = [["said at turn", *map(str, turns), "all"]]
    for polarity in POLARITIES:
        cells = [percent(measures.figure(source_key(polarity, turn))) for turn in turns]
        by_source.append([polarity, *cells, percent(measures.figure(RIGHT.key.on(polarity)))])
    turn = confusion_turn(measures)
    confusion = [[f"{'' if turn is None else f'at turn {turn}, '}gold ↓ predicted →", *task.classes]]
    for gold in task.classes:
        cells = [percent(measures.figure(confusion_key(gold, taken, turn))) for taken in task.classes]
        confusion.append([gold, *cells])
    by_rule = [["rule", "accuracy", "points"]]
    for rule in rules:
        figure = measures.figure(rule_key(rule))
        by_rule.append([rule, percent(figure), f"{figure.n:,}"])
    return "\n\n".join(map(joined, (by_turn, by_source, confusion, by_rule)))


def percent(figure: Estimate) -> str:
    """A share in percent, or a dash."""
    return "–" if figure.value is None else f"{100 * figure.value:.2f}"


def joined(rows: Sequence[Sequence[str]]) -> str:
    """The lines of a table whose first row is its head."""
    return "\n".join(aligned(rows[0], rows[1:], rule=False))
