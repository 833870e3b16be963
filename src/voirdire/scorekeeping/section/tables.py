"""Tables and charts of exam 4: the paper's Tables 2, 7 and 3 and its Figures 3, 8 and 9, what scoreboards are like,
sentences that a probe knew, rules.
"""

from collections.abc import Sequence

from voirdire.figures import NONE, show_count
from voirdire.metrics.key import Key
from voirdire.metrics.scoreboard import OPPOSITES_AGREE, SHIFT_ONLY_RIGHT, SHIFT_RIGHT, TRUTH_STABLE
from voirdire.runs.view import ASKED
from voirdire.scorekeeping.humans import FLEISS_KAPPA, JUDGED, judged_runs
from voirdire.scorekeeping.judge import UNREAD
from voirdire.scorekeeping.measures import (
    POLARITIES,
    RIGHT,
    SEEN,
    TURN,
    by_dialogue_key,
    confusion_key,
    rule_key,
    source_key,
)
from voirdire.scorekeeping.points import TASKS
from voirdire.scorekeeping.probe.measures import (
    ALPHA,
    TYPES_IN_TRAIN,
    WORDS,
    WORDS_IN_TRAIN,
    control_mark,
    tested_key,
    valid_key,
)
from voirdire.scorekeeping.section.probes import Probe
from voirdire.scorekeeping.tables import ROWS
from voirdire.section.charts import data_table, heat_map, interval_chart, line_chart
from voirdire.section.content import Cell, Chart, Model, Row, Table, cell_of
from voirdire.section.phrases import percent, percent_cell

AT_TURN = RIGHT.key.at(TURN)
TESTED = (
    f"* real states are better than this control, ! they are worse, p < {ALPHA} (paired permutation test of accuracy "
    f"at turn {TURN}, or over all turns where no dialogue comes so far; whole dialogues swapped)."
)


def table_2(probes: Sequence[Probe]) -> list[Table]:
    """Accuracy at turn 5 and over all turns of each task, on test and on valid, with real states and both controls."""
    if not any(probe.options.all for probe in probes):
        return []
    whose = "In percent, of the answerer's states (A) or the questioner's (Q)."
    at_turn, over_all = f"Accuracy at turn {TURN}", "Accuracy over all turns"
    return [
        _of_tasks(probes, AT_TURN, "scorekeeping-table-2", at_turn, f"{whose} {TESTED} The paper's Table 2."),
        _of_tasks(probes, RIGHT.key, "scorekeeping-table-7", over_all, f"{whose} The paper's Table 7."),
        *(
            _of_tasks(
                probes,
                valid_key(key),
                f"scorekeeping-table-{number}",
                f"{title}, on the validation points",
                f"{whose} The points that chose the epoch. The paper's Table {number}.",
            )
            for key, number, title in ((AT_TURN, 8, at_turn), (RIGHT.key, 9, over_all))
        ),
    ]


def _of_tasks(probes: Sequence[Probe], key: Key, name: str, title: str, note: str) -> Table:
    by_row: dict[tuple[str, str], dict[str, Probe]] = {}
    for probe in probes:
        if probe.options.all:
            by_row.setdefault((probe.model.key, probe.control), {})[probe.task.name] = probe
    rows: tuple[Row, ...] = tuple(
        (
            f"{(first := next(iter(tasks.values()))).model.label} ({first.options.role}), {ROWS[control]}",
            *(_task_cell(tasks[task], key) if task in tasks else NONE for task in TASKS),
        )
        for (_, control), tasks in by_row.items()
    )
    return Table(name, title, ("states", *TASKS), rows, note)


def _task_cell(probe: Probe, key: Key) -> Cell:
    spread = probe.model.figure(probe.key(key).as_variant("std"))
    after = "" if spread.value is None else f" ± {percent(spread.value)}"
    measures, task = probe.model.run.measures, probe.task.name
    mark = control_mark(measures, task, probe.control) if key == tested_key(measures, task) else ""
    return percent_cell(probe.model, probe.key(key), f"{after} {mark}".rstrip(), "bad" if mark == "!" else "plain")


def asked_table(probes: Sequence[Probe]) -> Table:
    """Accuracy at turn 5 and over all turns of each task of models that were asked, and what could not be read."""
    by_model: dict[str, dict[str, Probe]] = {}
    for probe in probes:
        by_model.setdefault(probe.model.key, {})[probe.task.name] = probe
    keys_of = {f"at turn {TURN}": AT_TURN, "all turns": RIGHT.key}
    keys_of |= {f"{at}, unread as wrong": key.as_variant(ASKED) for at, key in keys_of.items()}
    rows: list[Row] = []
    for tasks in by_model.values():
        model = next(iter(tasks.values())).model
        for at, key in keys_of.items():
            keys = {task: probe.key(key) for task, probe in tasks.items()}
            if any(model.figure(key).value is not None for key in keys.values()):
                cells = (percent_cell(model, keys[task]) if task in keys else NONE for task in TASKS)
                rows.append((f"{model.label}, {at}", *cells, percent_cell(model, UNREAD.key)))
    note = (
        "In percent. The model was asked about propositions after turns, each in a context of its own: what has been "
        "established by then (true, false, or nothing yet), and of what is open, whether it is true; or, with the "
        "template `two-questions`, whether it is true and whether that is settled. All tasks follow from these "
        "answers. Accuracy is over what could be read; the last column is what could not."
    )
    columns = ("model", *TASKS, UNREAD.label)
    return Table("scorekeeping-asked", "Accuracy of what the model says", columns, tuple(rows), note)


AT = {f"{RIGHT.label} at turn {TURN}": AT_TURN, RIGHT.label: RIGHT.key}
BY_WORDS = {WORDS.label: WORDS.key}
BOARD = {measure.label: measure.key for measure in (SHIFT_RIGHT, SHIFT_ONLY_RIGHT, TRUTH_STABLE, OPPOSITES_AGREE)}


def board_table(probes: Sequence[Probe], asked: bool = False) -> Table:
    """Accuracy, of probes beside what the words alone give, and whether scoreboards are such as a dialogue could have.

    asked  whether it is of models that were asked themselves
    """
    main = [probe for probe in probes if not (probe.options.all and probe.control)]
    columns = {**AT, **({} if asked else BY_WORDS), **BOARD}
    rows: tuple[Row, ...] = tuple(
        (probe.title, *(percent_cell(probe.model, probe.key(key)) for key in columns.values())) for probe in main
    )
    words = "" if asked else ", and those that a classifier that knows the words alone gets right"
    note = (
        f"In percent: points that are right{words}; "
        "propositions that turn from private to shared at the turn in which they are said, and at no other; "
        "propositions with one truth value at all turns; turns at which a proposition and its contradiction have the "
        "same one. A dash where a task says nothing of it."
    )
    tasks = {probe.task.name for probe in main}
    title = "What the model says" if asked else "What is read off the states"
    title += f", {tasks.pop()}" if len(tasks) == 1 else ""
    name = "scorekeeping-asked-boards" if asked else "scorekeeping-boards"
    return Table(name, title, ("model" if asked else "states", *columns), rows, note)


def seen_table(probes: Sequence[Probe]) -> list[Table]:
    """Accuracy on sentences that a probe learnt from and on others, where there are others."""
    kinds = [RIGHT.key.on(kind) for kind in SEEN]
    if all(probe.figure(kinds[1]).value is None for probe in probes):
        return []
    rows: tuple[Row, ...] = tuple((probe.title, *(probe.cell(kind) for kind in kinds)) for probe in probes)
    note = "In percent, over all turns: sentences that are among those that the probe learnt from, and others."
    return [Table("scorekeeping-seen", "Sentences that the probe knew", ("states", *SEEN), rows, note)]


def overlap_table(probes: Sequence[Probe]) -> Table:
    """How much of what was chosen by and scored on was learnt from."""
    parts = ("valid", "test")
    keys = [measure.key.on(part) for measure in (TYPES_IN_TRAIN, WORDS_IN_TRAIN) for part in parts]
    rows: tuple[Row, ...] = tuple((probe.title, *(percent_cell(probe.model, key) for key in keys)) for probe in probes)
    head = ("states", *(f"{things}, {part}" for things in ("sentences", "words") for part in parts))
    note = (
        "In percent, of the different sentences and words of a part: those that are among what the probe learnt from."
    )
    return Table("scorekeeping-overlap", "Overlap with the training propositions", head, rows, note)


def turn_charts(probes: Sequence[Probe]) -> list[Chart]:
    """Figure 9, one chart per task: mean over dialogues of their accuracy at each turn."""
    charts = []
    for task in dict.fromkeys(probe.task.name for probe in probes):
        some = [probe for probe in probes if probe.task.name == task]
        turns = sorted({turn for probe in some for turn in probe.turns})
        points = [probe.point(by_dialogue_key(turn), turn) for turn in turns for probe in some]
        title = f"Accuracy by turn, {task}"
        says = "The accuracy of a dialogue's propositions after each turn, mean over dialogues; turn 0 is the caption. "
        says += "The paper's Figure 9."
        spec = line_chart(points, at="turn", value="accuracy (%)")
        series = "model" if all(probe.asked for probe in some) else "states"
        table = data_table(f"scorekeeping-by-turn-{task.lower()}", title, points, series=series, at="turn")
        charts.append(Chart(title, spec, says, table))
    return charts


def source_chart(probe: Probe) -> Chart:
    """Figure 8: accuracy by polarity of the answer and by the turn at which the fact is said."""
    points = [
        probe.point(key, turn, polarity)
        for turn in probe.turns
        for polarity in POLARITIES
        if probe.figure(key := source_key(polarity, turn)).value is not None
    ]
    title = f"By polarity and by the turn of the fact: {probe.title}"
    says = (
        "Accuracy over all turns on propositions from positive and negative answers, and from answers that are neither "
        "(captions too), by the turn at which their fact is said. The paper's Figure 8."
    )
    table = data_table(f"scorekeeping-sources-{probe.model.key}", title, points, series="polarity", at="said at turn")
    return Chart(title, line_chart(points, at="said at turn", value="accuracy (%)", domain=(0, 100)), says, table)


def confusion_chart(probe: Probe) -> Chart:
    """Figure 3: of each class the share that is taken for each."""
    points = []
    for gold in probe.task.classes:
        for taken in probe.task.classes:
            key = confusion_key(gold, taken, probe.confusion_turn)
            points.append(probe.point(key, taken, gold, percent(probe.figure(key).value, 1)))
    at = "at all turns" if probe.confusion_turn is None else f"at turn {probe.confusion_turn}"
    title = f"Confusion matrix, {at}: {probe.title}"
    says = (
        "Of the points of each class (rows), the share that is taken for each class (columns), in percent. The paper's "
        "Figure 3."
    )
    table = data_table(f"scorekeeping-confusion-{probe.model.key}", title, points, series="gold", at="predicted")
    return Chart(title, heat_map(points, rows="gold", columns="predicted", top=100), says, table)


def rule_chart(probes: Sequence[Probe]) -> Chart:
    """Accuracy by rule with its intervals."""
    rules = sorted({rule for probe in probes for rule in probe.rules})
    points = [probe.point(rule_key(rule), rule) for rule in rules for probe in probes if rule in probe.rules]
    title = "Accuracy by rule"
    says = "Accuracy over all turns on the propositions that each rule made."
    return Chart(title, interval_chart(points, value="accuracy (%)"), says, _rule_table(probes, rules))


def _rule_table(probes: Sequence[Probe], rules: Sequence[str]) -> Table:
    """Accuracy on the propositions of each rule, and how many points they make."""
    rows: tuple[Row, ...] = tuple(
        (
            rule,
            show_count(max(probe.figure(rule_key(rule)).n or 0 for probe in probes if rule in probe.rules)),
            *(probe.cell(rule_key(rule)) if rule in probe.rules else NONE for probe in probes),
        )
        for rule in rules
    )
    note = "In percent, over all turns, of the propositions that a rule made."
    return Table("scorekeeping-rules", "By rule", ("rule", "n", *(probe.title for probe in probes)), rows, note)


def human_table(humans: Sequence[Model]) -> Table:
    """Table 3: people, and models on the points that they judged."""
    rows: list[Row] = []
    for model in humans:
        rows.append(
            (
                model.label,
                *(percent_cell(model, measure.key) for measure in JUDGED),
                cell_of(model, FLEISS_KAPPA.key),
                show_count(model.figure(JUDGED[0].key).n),
            )
        )
        for name in judged_runs(model.run.measures):
            keys = [measure.key.on(name) for measure in JUDGED]
            cells = [percent_cell(model, key) for key in keys]
            count = next((model.figure(key).n for key in keys if key in model.run.measures), None)
            rows.append((f"{model.label}: {name}", *cells, NONE, show_count(count)))
    note = "Mean over the judges, in percent, and the accuracy of models on the same points. κ is Fleiss', on TFxPS. "
    note += "The paper's Table 3."
    columns = ("who", *(measure.label for measure in (*JUDGED, FLEISS_KAPPA)), "n")
    return Table("scorekeeping-humans", "Human judgement", columns, tuple(rows), note)
