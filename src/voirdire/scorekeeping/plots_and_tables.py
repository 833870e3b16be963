"""Of scorekeeping, from runs of the probe: accuracy by layer drawn, and the tables as printed.

Accuracy by layer has one line per name of runs, and of these one per task and control where all were asked; vertical
bars for the 95 % intervals. A layer's point is `accuracy@5`, or `accuracy` where no scored dialogue comes so far.

Tables: accuracy by task (2, 7, 8 and 9), human judgement (3). Runs of `probe --all` are columns below each task; rows
are the answerer (A) and the questioner (Q), each with real states and with both controls. A run of A and one of Q with
the same label are one pair of bots. Claim: Q is above A.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from voirdire.drawings import chart, check_drawing, write_chart
from voirdire.errors import UsageError
from voirdire.exam import Outcome, options_of, read_run, views_of
from voirdire.figures import NONE
from voirdire.lazy import pl
from voirdire.metrics.key import Key
from voirdire.options import Options
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Run
from voirdire.scorekeeping.exam import PROBE
from voirdire.scorekeeping.measures import RIGHT, TURN, of_task
from voirdire.scorekeeping.points import TASKS
from voirdire.scorekeeping.probe.measures import ALPHA, control_mark, tested_key, valid_key
from voirdire.scorekeeping.probe.sample import CONTROLS
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


LAYER = "{}"
"""The placeholder of the layer's number in the name of the runs."""
Line = tuple[str, Mapping[int, Run]]
"""What a line is called, and its runs by layer."""


def read_line(name: str) -> Line:
    """The runs of a line, called as it is without the number."""
    if name.count(LAYER) != 1 or LAYER not in Path(name).name:
        raise UsageError(f"`run` must have {LAYER} for the layer's number in the name of its folders, got {name}")
    above, inside = Path(name).parent, Path(name).name
    number = re.compile(r"(\d{1,4})".join(map(re.escape, inside.split(LAYER))), re.ASCII)
    folders = [path for path in above.iterdir() if path.is_dir()] if above.is_dir() else []
    layers = {int(match[1]): folder for folder in sorted(folders) if (match := number.fullmatch(folder.name))}
    if not layers:
        raise UsageError(f"{name}: no folder of this name with a number in place of {LAYER}")
    return name, {layer: _checked(read_run(layers[layer]), layers[layer]) for layer in sorted(layers)}


def _checked(run: Run, folder: Path) -> Run:
    if (run.exam, run.part) != ("scorekeeping", PROBE.name):
        raise UsageError(
            f"{folder}: a run of `{run.title}`, which has no accuracy of a probe; `scorekeeping probe` has"
        )
    return run


def draw_layers(
    run: Sequence[Line], options: Options | None = None, stages: Stages = UNSEEN, *, output: str | Path
) -> Outcome:
    """Draw lines to a file whose ending says how: .svg, .png, .html."""
    check_drawing(output)
    return Outcome((f"drawn: {write_chart(drawing(dict(run)), output)}",))


def drawing(lines: Mapping[str, Mapping[int, Run]]) -> dict[str, Any]:
    """The drawing as a Vega-Lite specification, with its data inside."""
    runs = [run for line in lines.values() for run in line.values()]
    turn = TURN if all(_keys(run, TURN) for run in runs) else None
    points = [point for name, line in lines.items() for point in _points(name, line, turn)]
    if not points:
        raise UsageError(f"{', '.join(lines)}: runs without any accuracy")
    across = {"field": "layer", "type": "ordinal", "title": "layer", "axis": {"labelAngle": 0}}
    title = "accuracy" if turn is None else f"accuracy at turn {turn}"
    up = {"field": "accuracy", "type": "quantitative", "title": title, "scale": {"zero": False}}
    return chart(points, across, up, "runs")


def _points(name: str, line: Mapping[int, Run], turn: int | None) -> list[dict[str, Any]]:
    """The points of a name's runs, which must have been made in the same way of the same data."""
    first, *others = line.items()
    for layer, run in others:
        if run.signature != first[1].signature:
            raise UsageError(
                f"{name}: the runs of the layers {first[0]} and {layer} differ in what was asked or of which data; "
                "`voirdire compare` says in what"
            )
    return [
        {
            "runs": ", ".join([name, *key.slice]),
            "layer": layer,
            "accuracy": run.measures.figure(key).value,
            "low": run.measures.figure(key).low,
            "high": run.measures.figure(key).high,
        }
        for layer, run in line.items()
        for key in _keys(run, turn)
    ]


def _keys(run: Run, turn: int | None) -> list[Key]:
    """The keys of a run's accuracy at a turn; in a run of all tasks, of each task and control."""
    return [
        key
        for key, figure in run.measures.of(RIGHT.key.measure).items()
        if key.k == turn
        and not (key.condition or key.variant)
        and figure.value is not None
        and (key.slice[:1] and key.slice[0] in TASKS if run.options["all"] else not key.slice)
    ]
