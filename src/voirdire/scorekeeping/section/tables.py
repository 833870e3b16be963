"""Tables of exam 4: the paper's Tables 2, 7 and 3, what scoreboards are like, sentences that a probe knew, rules."""

from collections.abc import Sequence

from voirdire.figures import NONE, show_count
from voirdire.section.content import Cell, Model, Row, Table, cell_of
from voirdire.scorekeeping.section.probes import Probe
from voirdire.section.phrases import percent, percent_cell
from voirdire.scorekeeping.probe.tasks import TASKS
from voirdire.scorekeeping.probe_measures import TURN
from voirdire.scorekeeping.probe_names import ALPHA, control_mark, rule_names, tested_measure
from voirdire.scorekeeping.probe_tables import ROWS

__all__ = ["board_table", "human_table", "rule_table", "seen_table", "table_2"]

AT_TURN = f"accuracy@{TURN}"
TESTED = (
    f"* real states are better than this control, ! they are worse, p < {ALPHA} (paired permutation test of accuracy "
    f"at turn {TURN}, or over all turns where no dialogue comes so far; whole dialogues swapped)."
)


def table_2(probes: Sequence[Probe]) -> list[Table]:
    """Accuracy at turn 5 and over all turns of each task, with real states and with both controls."""
    if not any(probe.every for probe in probes):
        return []
    whose = "In percent, of the answerer's states (A) or the questioner's (Q)."
    at_turn, over_all = f"Accuracy at turn {TURN}", "Accuracy over all turns"
    return [
        _of_tasks(probes, AT_TURN, "scorekeeping-table-2", at_turn, f"{whose} {TESTED} The paper's Table 2."),
        _of_tasks(probes, "accuracy", "scorekeeping-table-7", over_all, f"{whose} The paper's Table 7."),
    ]


def _of_tasks(probes: Sequence[Probe], measure: str, name: str, title: str, note: str) -> Table:
    by_row: dict[tuple[str, str], dict[str, Probe]] = {}
    for probe in probes:
        if probe.every:
            by_row.setdefault((probe.model.key, probe.control), {})[probe.task.name] = probe
    rows: tuple[Row, ...] = tuple(
        (
            f"{(one := next(iter(tasks.values()))).model.label} ({one.role}), {ROWS[control]}",
            *(_task_cell(tasks[task], measure) if task in tasks else NONE for task in TASKS),
        )
        for (_, control), tasks in by_row.items()
    )
    return Table(name, title, ("states", *TASKS), rows, note)


def _task_cell(probe: Probe, measure: str) -> Cell:
    spread = probe.model.figure(f"{probe.name(measure)}:std")
    after = "" if spread.value is None else f" ± {percent(spread.value)}"
    measures, task = probe.model.run.measures, probe.task.name
    mark = control_mark(measures, task, probe.control) if measure == tested_measure(measures, task) else ""
    return percent_cell(probe.model, probe.name(measure), f"{after} {mark}".rstrip(), "bad" if mark == "!" else "plain")


BOARD = {
    f"accuracy at turn {TURN}": AT_TURN,
    "accuracy": "accuracy",
    "words alone": "words_accuracy",
    "shared at the right turn": "shift_right",
    "and only then": "shift_only_right",
    "one truth value throughout": "truth_stable",
    "opposites with the same value": "opposites_agree",
}


def board_table(probes: Sequence[Probe]) -> Table:
    """Accuracy beside what the words alone give, and whether scoreboards are such as a dialogue could have."""
    shown = [probe for probe in probes if not (probe.every and probe.control)]
    rows: tuple[Row, ...] = tuple(
        (probe.title, *(percent_cell(probe.model, probe.name(name)) for name in BOARD.values())) for probe in shown
    )
    note = (
        "In percent: points that are right, and those that a classifier that knows the words alone gets right; "
        "propositions that turn from private to shared at the turn in which they are said, and at no other; "
        "propositions with one truth value at all turns; turns at which a proposition and its contradiction have the "
        "same one. A dash where a task says nothing of it."
    )
    tasks = {probe.task.name for probe in shown}
    title = "What is read off the states" + (f", {tasks.pop()}" if len(tasks) == 1 else "")
    return Table("scorekeeping-boards", title, ("states", *BOARD), rows, note)


def seen_table(probes: Sequence[Probe]) -> list[Table]:
    """Accuracy on sentences that a probe learnt from and on others, where there are others."""
    kinds = ("accuracy[seen]", "accuracy[unseen]")
    if all(probe.figure(kinds[1]).value is None for probe in probes):
        return []
    rows: tuple[Row, ...] = tuple((probe.title, *(probe.cell(kind) for kind in kinds)) for probe in probes)
    note = "In percent, over all turns: sentences that are among those that the probe learnt from, and others."
    return [Table("scorekeeping-seen", "Sentences that the probe knew", ("states", "seen", "unseen"), rows, note)]


def rule_table(probes: Sequence[Probe], rules: Sequence[str]) -> Table:
    """Accuracy on the propositions of each rule, and how many points they make."""
    rows: tuple[Row, ...] = tuple(
        (
            rule,
            show_count(max(probe.figure(name).n or 0 for probe in probes if (name := _rule(probe, rule)))),
            *(probe.cell(name) if (name := _rule(probe, rule)) else NONE for probe in probes),
        )
        for rule in rules
    )
    note = "In percent, over all turns, of the propositions that a rule made."
    return Table("scorekeeping-rules", "By rule", ("rule", "n", *(probe.title for probe in probes)), rows, note)


def _rule(probe: Probe, rule: str) -> str:
    return rule_names(probe.details).get(rule, "")


def human_table(humans: Sequence[Model]) -> Table:
    """Table 3: people, and probes on the points that they judged."""
    rows: list[Row] = []
    for model in humans:
        rows.append(
            (
                model.label,
                *(percent_cell(model, task.lower()) for task in TASKS),
                cell_of(model, "fleiss_kappa"),
                show_count(model.figure("tfxps").n),
            )
        )
        for name in model.run.options.get("runs", ()):
            cells = [percent_cell(model, f"{task.lower()}[{name}]") for task in TASKS]
            count = next((model.figure(cell.measure).n for cell in cells if cell.measure), None)
            rows.append((f"{model.label}: probe of {name}", *cells, NONE, show_count(count)))
    note = "Mean over the judges, in percent, and a probe's accuracy on the same points. κ is Fleiss', on TFxPS. The "
    note += "paper's Table 3."
    columns = ("who", *TASKS, "κ", "n")
    return Table("scorekeeping-humans", "Human judgement", columns, tuple(rows), note)
