"""The tables of scorekeeping, as printed: accuracy by task (2, 7, 8 and 9), human judgement (3).

Runs of `probe --all` are columns below each task; rows are the answerer (A) and the questioner (Q), each with real
states and with both controls. A run of A and one of Q with the same label are one pair of bots. Claim: Q is above A.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from voirdire.exam import options_of, views_of
from voirdire.figures import NONE
from voirdire.lazy import pl
from voirdire.metrics.key import Key
from voirdire.scorekeeping.measures import RIGHT, TURN, of_task
from voirdire.scorekeeping.probe.measures import ALPHA, control_mark, tested_key, valid_key
from voirdire.scorekeeping.probe.sample import CONTROLS
from voirdire.scorekeeping.score_tasks import TASKS
from voirdire.scorekeeping.section.tables import human_table
from voirdire.scorekeeping.tables import ROWS
from voirdire.section.content import Cell, Model, Row, Table
from voirdire.section.phrases import of_part, percent_cell
from voirdire.section.printed import Groups, PaperClaim
from voirdire.stats import mean, paired_bootstrap, paired_permutation

ROLES = ("A", "Q")
AT_TURN = RIGHT.key.at(TURN)
TABLES = {
    "2": (AT_TURN, f"accuracy at turn {TURN}, test set"),
    "7": (RIGHT.key, "accuracy on the test set, all turns"),
    "8": (valid_key(AT_TURN), f"accuracy at turn {TURN}, validation set"),
    "9": (valid_key(RIGHT.key), "accuracy on the validation set, all turns"),
}


def task_tables(models: Sequence[Model]) -> list[Table]:
    """Tables 2, 7, 8 and 9."""
    probes = _of_all_tasks(models)
    labels = list(dict.fromkeys(model.label for model in probes))
    by_place = {(options_of(model.run).role, model.label): model for model in probes}
    tables = []
    for number, (key, title) in TABLES.items():
        rows: list[Row] = []
        for role in ROLES:
            own = {label: by_place[role, label] for label in labels if (role, label) in by_place}
            for control in CONTROLS if own else ():
                cells = (_cell(own.get(label), key, task, control) for task in TASKS for label in labels)
                rows.append((f"{role}, {ROWS[control]}", *cells))
        if rows:
            head = ("model", *(f"{task} {label}" for task in TASKS for label in labels))
            note = f"In percent. Beside a control: § the real states are better, ! worse, with p < {ALPHA}."
            tables.append(Table(f"scorekeeping-table-{number}", f"Table {number}: {title}", head, tuple(rows), note))
    return tables


def _of_all_tasks(models: Iterable[Model]) -> list[Model]:
    return [model for model in models if options_of(model.run).all]


def _cell(model: Model | None, key: Key, task: str, control: str) -> Cell | str:
    if model is None or model.figure(of_task(key, task, control)).value is None:
        return NONE
    measures = model.run.measures
    mark = control_mark(measures, task, control) if key == tested_key(measures, task) else ""
    # A star is the mark of a comparison between models.
    return percent_cell(model, of_task(key, task, control), mark.replace("*", "§"))


def task_claims(models: Sequence[Model], groups: Groups, seed: int) -> list[PaperClaim]:
    """That Q is above A at turn 5 in each task that both do, of each pair of bots with the same label."""
    probes = _of_all_tasks(models)
    by_place = {(options_of(model.run).role, model.label): model for model in probes}
    claims = []
    for label in dict.fromkeys(model.label for model in probes):
        answerer, questioner = (by_place.get((role, label)) for role in ROLES)
        if answerer is not None and questioner is not None:
            claims += [_q_above_a(label, task, answerer, questioner, seed) for task in ("PS", "PxTSFS")]
    return claims


def _q_above_a(label: str, task: str, answerer: Model, questioner: Model, seed: int) -> PaperClaim:
    """Accuracy of Q less that of A on the points at turn 5 that both have; whole dialogues are swapped."""
    says = f"{label}: {task}, Q above A"
    sides = []
    for model in (questioner, answerer):
        view = next(view for view in views_of(model.run) if any(m.key.slice == (task,) for m in view.measures))
        at_turn = view.items.filter(pl.col("turn") == TURN) if (view.items["turn"] == TURN).any() else view.items
        unit = [*dict.fromkeys([*view.unit, "dialogue"])]
        sides.append(at_turn.group_by(unit).agg(pl.col("right").mean()))
    both = sides[0].join(sides[1], on=unit, suffix=" of A").sort(unit)
    test = "paired, dialogues swapped"
    if not both.height:
        return PaperClaim(says, None, None, None, None, test, 2, 100)
    first, second, clusters = (both[name].to_numpy() for name in ("right", "right of A", "dialogue"))
    drawn = paired_bootstrap(first, second, mean, seed=seed, clusters=clusters)
    swapped = paired_permutation(first, second, mean, seed=seed, clusters=clusters)
    low, high = (None, None) if drawn.interval is None else (drawn.interval.low, drawn.interval.high)
    return PaperClaim(says, swapped.difference, low, high, swapped.p, test, 2, 100)


def judged_table(models: Sequence[Model]) -> list[Table]:
    """Table 3: people, and models on the points that they judged."""
    table = human_table(of_part(models, "humans"))
    return [replace(table, name="scorekeeping-table-3", title="Table 3: human judgement")]
