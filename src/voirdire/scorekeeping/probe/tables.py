"""A probe's run as tables for a person: the paper's Table 2, its Figures 3, 8 and 9 in numbers, and the rules.

Figures are in percent, as the paper gives them. In Table 2 a star marks a control that the main task beats with
p < 0.01, an exclamation mark one that beats the main task.
"""

from voirdire.exam import options_of
from voirdire.figures import NONE
from voirdire.metrics.key import Key
from voirdire.metrics.scoreboard import OPPOSITES_AGREE, SHIFT_ONLY_RIGHT, SHIFT_RIGHT, TRUTH_STABLE
from voirdire.runs import Estimate, Run
from voirdire.runs.estimate import Measures
from voirdire.scorekeeping.measures import RIGHT, SEEN, TURN, of_task, rules_of
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
from voirdire.scorekeeping.tables import detail_tables, joined, percent
from voirdire.scorekeeping.tasks import TASKS
from voirdire.tables import text_table

ROWS = {"": "main", "random": "random r", "null": "null r"}
"""What the paper's Table 2 calls real states and the controls."""
_HEADLINE = {one.key.measure for one in (SHIFT_RIGHT, SHIFT_ONLY_RIGHT, TRUTH_STABLE, OPPOSITES_AGREE, RIGHT, WORDS)}

_OVERLAP = {one.key.measure for one in (TYPES_IN_TRAIN, WORDS_IN_TRAIN)}


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
    shown = ((RIGHT.key.at(TURN), f"accuracy at turn {TURN}"), (RIGHT.key, "accuracy, all turns"))
    for key, title in (*shown, *((valid_key(key), f"{title}, valid") for key, title in shown)):
        rows = [
            [f"   {ROWS[control]}", *(_cell(run.measures, key, task, control) for task in TASKS)]
            for control in CONTROLS
        ]
        blocks.append(joined([[f"{role}  {title}", *TASKS], *rows]))
    rows = [
        [f"   {ROWS[control]}, {how} swapped", *(_p(run.measures.figure(made(task, control))) for task in TASKS)]
        for control in CONTROLS
        if control
        for how, made in (("dialogues", _by_dialogues), ("points", points_key))
    ]
    blocks.append(joined([[f"{role}  p of main against", *TASKS], *rows]))
    tested = f"paired permutation test of accuracy at turn {TURN}, whole dialogues swapped"
    return "\n\n".join([*blocks, f"* main is better, ! main is worse, p < {ALPHA} ({tested})"])


def _by_dialogues(task: str, control: str) -> Key:
    return of_task(PERMUTATION_P.key, task, control)


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
    shown = percent(measures.figure(of_task(key, task, control)))
    spread = measures.figure(of_task(key, task, control).as_variant("std")).value
    if spread is not None:
        shown += f" ± {100 * spread:.2f}"
    return shown + ((control_mark(measures, task, control) if key == tested_key(measures, task) else "") or " ")
