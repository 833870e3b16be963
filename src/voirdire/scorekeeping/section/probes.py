"""The probes of runs of exam 4, and models that were asked: each with its task and its control, its figures by their
plain keys, and its title.

A run of one task names its measures plainly and has all of them. A run of all tasks has only the headline ones, with
the task in brackets; what else a page shows of it the exam makes of its items. Of a sample of dialogues it shows the
scoreboards, gold and predicted, with the errors that run through their rows.

A run does not name the file of dialogues that a probe's propositions were made from, and a report may be given several:
those of another exam, or of another split. The right one is found by its words. A proposition shares some with the
round that established it; where that holds for fewer than three quarters of them, the file is another one, and no
dialogue is better than a wrong one. (Of VisDial's validation dialogues, and of the world's, 99 of 100 propositions do;
with dialogues in another order, 12 of 100 at most.)
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from voirdire.exam import options_of
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.lazy import pl
from voirdire.metrics.key import Key
from voirdire.runs import Estimate
from voirdire.runs.estimate import Measures
from voirdire.scorekeeping.board import ERRORS, GAP, Board, make_boards
from voirdire.scorekeeping.exam import JudgeOptions, ProbeOptions
from voirdire.scorekeeping.judge import judge_figures
from voirdire.scorekeeping.measures import RIGHT, TURN, confusion_turn, of_task, rules_of, turns_of
from voirdire.scorekeeping.points import TASKS, ScoreTask, tasks_of
from voirdire.scorekeeping.probe.measures import probe_figures
from voirdire.scorekeeping.probe.sample import CONTROLS
from voirdire.scorekeeping.tables import ROWS
from voirdire.section.charts import Point
from voirdire.section.content import Block, Cell, Drill, Grid, Item, Model, SmallTable, Tone
from voirdire.section.context import Context, by_whom, evenly
from voirdire.section.phrases import of_all, percent

ASKED = "judge"
"""The part in which a model is asked itself."""


@dataclass(frozen=True, eq=False)
class Probe:
    """One kind of probe of a run, or a model that was asked itself; `title` is what the reader calls it."""

    model: Model
    task: ScoreTask
    control: str
    title: str = ""

    @cached_property
    def options(self) -> ProbeOptions | JudgeOptions:
        """The options of its run."""
        options: ProbeOptions | JudgeOptions = options_of(self.model.run)
        return options

    @property
    def asked(self) -> bool:
        """Whether the model was asked itself, and no states were read."""
        return self.model.run.part == ASKED

    def key(self, key: Key) -> Key:
        """What the run calls a figure of this probe."""
        return of_task(key, self.task.name, self.control) if self.options.all else key

    def figure(self, key: Key) -> Estimate:
        """A figure by its plain key; one without a value where there is none."""
        estimate = self.model.run.measures.get(self.key(key))
        return estimate if estimate is not None else self.details.figure(key)

    @property
    def main_key(self) -> Key:
        """Accuracy at turn 5, or over all turns where dialogues are shorter, or a sample has few points of any turn."""
        at = RIGHT.key.at(TURN)
        return RIGHT.key if self.sampled or self.model.figure(self.key(at)).value is None else at

    @property
    def sampled(self) -> bool:
        """Whether it is of a sample of points, so that hardly a sentence has all its turns."""
        return bool(self.model.run.signature.options.get("points", "all") != "all")

    @cached_property
    def items(self) -> "pl.DataFrame":
        """The points that it was asked."""
        items = self.model.run.items
        own = items.filter(pl.col("task") == self.task.name)
        return own if self.asked else own.filter(pl.col("control") == self.control)

    @cached_property
    def details(self) -> Measures:
        """All figures by their plain keys."""
        if not self.options.all:
            return self.model.run.measures
        return (judge_figures if self.asked else probe_figures)(self.items, self.task, self.options.seed)

    @property
    def turns(self) -> list[int]:
        """The turns for which there are figures."""
        return turns_of(self.details)

    @property
    def confusion_turn(self) -> int | None:
        """The turn at which classes are mistaken; None for all."""
        return confusion_turn(self.details)

    @cached_property
    def rules(self) -> list[str]:
        """The rules that its propositions come from."""
        return rules_of(self.items)

    def _origin(self, key: Key) -> tuple[str, str]:
        """The run, and what it calls the figure; empty where it was made of its items."""
        own = self.key(key)
        return self.model.key, str(own) if own in self.model.run.measures else ""

    def cell(self, key: Key, after: str = "", mark: Tone = "plain") -> Cell:
        """A figure in percent."""
        figure = self.figure(key)
        text = percent(figure.value) + (after if figure.value is not None else "")
        return Cell(text, *self._origin(key), figure.value, figure.low, figure.high, mark, scale=100)

    def point(self, key: Key, at: str | int, series: str = "", text: str = "") -> Point:
        """A figure in a chart, in percent."""
        figure = self.figure(key)
        series = series or self.title
        return Point(series, at, figure.value, figure.low, figure.high, *self._origin(key), text, scale=100)


def probes_of(models: Iterable[Model]) -> list[Probe]:
    """All probes of runs, and for models that were asked all tasks, with distinct titles."""
    probes = []
    for model in models:
        options = options_of(model.run)
        if model.run.part == ASKED:
            probes += [Probe(model, TASKS[task], "") for task in model.run.items["task"].unique(maintain_order=True)]
        elif options.all:
            probes += [Probe(model, task, control) for task in tasks_of(options.role) for control in CONTROLS]
        else:
            probes.append(Probe(model, TASKS[options.task], options.control or ""))
    return titled(probes)


def titled(probes: Sequence[Probe]) -> list[Probe]:
    """Each titled by its model's label, and by what else makes it distinct."""
    parts: list[list[str]] = [[probe.model.label] for probe in probes]
    differences = (
        [probe.task.name for probe in probes],
        [probe.options.role for probe in probes],
        ["asked" if probe.asked else "states" for probe in probes],
    )
    for values in differences:
        if len(set(values)) > 1:
            parts = [[*title, value] for title, value in zip(parts, values, strict=True)]
    controls = [[ROWS[probe.control]] if probe.control else [] for probe in probes]
    names = [", ".join(title + control) for title, control in zip(parts, controls, strict=True)]
    names = [
        f"{name} ({probe.model.key})" if names.count(name) > 1 else name
        for name, probe in zip(names, probes, strict=True)
    ]
    return [replace(probe, title=name) for probe, name in zip(probes, names, strict=True)]


def detailed(probes: Iterable[Probe]) -> list[Probe]:
    """The probes that charts and scoreboards are shown of: of a run of all tasks the one with the most classes."""
    latest: dict[Any, Probe] = {}
    for probe in probes:
        key = probe.model.key
        if not probe.options.all or (
            not probe.control and (key not in latest or len(probe.task.classes) > len(latest[key].task.classes))
        ):
            latest[key] = probe
    return titled(list(latest.values()))


MOST = 200
"""Dialogues whose scoreboards a page holds."""
ENOUGH = 0.75
_COMMON = frozenset(
    (
        *("a", "an", "the", "this", "that", "of", "in", "on", "it", "its", "there", "is"),
        *("are", "was", "be", "no", "not", "any", "one", "can", "cannot", "see", "has", "have"),
        *("does", "do", "image", "photo", "picture"),
    )
)
"""Words that rules bring in themselves, or that any round may have."""


def board_drills(probes: Sequence[Probe], context: Context) -> list[Drill]:
    """One for each file of propositions that probes were scored on, since places of dialogues are those in a file."""
    files: dict[str, list[Probe]] = {}
    for probe in probes:
        data = probe.model.run.signature.data
        files.setdefault(data.get("test propositions") or data.get("propositions", ""), []).append(probe)
    return [
        _drill(some, context, number if len(files) > 1 else 0) for number, some in enumerate(files.values(), start=1)
    ]


def _drill(probes: Sequence[Probe], context: Context, number: int) -> Drill:
    # Of a dialogue in which nothing of a task could be read there is no scoreboard.
    every = sorted({place for probe in probes for place in probe.items["dialogue"].unique()})
    kept = evenly(every, MOST)
    boards = [
        {board.dialogue: board for board in make_boards(probe.model.run, kept, probe.task.name, probe.title)}
        for probe in probes
    ]
    file = fitting(context.dialogues, list(boards[0].values()))
    errors = "; ".join(f"{number} {name}" for number, name in ERRORS.items())
    note = f"{of_all(len(kept), len(every), 'dialogue')}; of several seeds the first. Errors: {errors}."
    if context.dialogues and file is None:
        note += " The dialogues are not shown: no file that was given holds them."
    return Drill(
        name=f"scorekeeping-scoreboards-{number}" if number else "scorekeeping-scoreboards",
        title="Scoreboards" + (f", file {number}" if number else ""),
        labels=tuple(probe.title for probe in probes),
        facets=("propositions", *(f"error {number}" for number in ERRORS)),
        scores=("accuracy", "rows with errors"),
        lower=("rows with errors",),
        items=_Boards(kept, boards, [probe.title for probe in probes], file),
        note=note,
    )


@dataclass(frozen=True, eq=False)
class _Boards:
    dialogues: Sequence[int]
    boards: Sequence[Mapping[int, Board]]
    titles: Sequence[str]
    file: Dialogues | None

    def __len__(self) -> int:
        return len(self.dialogues)

    def __iter__(self) -> Iterator[Item]:
        for place in self.dialogues:
            boards = [of_probe.get(place) for of_probe in self.boards]
            known = [board for board in boards if board is not None]
            dialogue = self.file[place] if self.file is not None and place < len(self.file) else None
            grids = [_grid(title, board) for title, board in zip(self.titles, boards, strict=True) if board is not None]
            tables = [] if dialogue is None else [_spoken(dialogue, known[0].turns - 1)]
            blocks: list[Block] = [*tables, *grids]
            words = [text for table in tables for row in table.rows for text in row[1:]]
            yield Item(
                name=f"dialogue {place}",
                facets=(
                    str(len(known[0].rows)),
                    *(by_whom(self.titles, [error in _errors(board) for board in boards]) for error in ERRORS),
                ),
                scores=(
                    tuple(None if board is None else board.right / board.cells for board in boards),
                    tuple(
                        None if board is None else float(sum(bool(row.errors) for row in board.rows))
                        for board in boards
                    ),
                ),
                text=" ".join([*(row.proposition for row in known[0].rows), *words]),
                blocks=tuple(blocks),
                image=None if dialogue is None else dialogue.image_id,
                ids={"dialogue": place},
            )


def _errors(board: Board | None) -> set[int]:
    return set() if board is None else {error for row in board.rows for error in row.errors}


def _grid(title: str, board: Board) -> Grid:
    rows = tuple(
        (
            row.proposition,
            # A turn at which nothing is predicted is neither right nor wrong.
            "".join(
                GAP if taken == GAP else gold
                for gold, taken in zip(board.letters(row.gold), board.letters(row.predicted), strict=True)
            ),
            board.letters(row.predicted),
            "; ".join(ERRORS[error] for error in row.errors),
        )
        for row in board.rows
    )
    return Grid(f"{title}: {board.result()}", rows, tuple(board.signs()))


def _spoken(dialogue: Dialogue, turn: int) -> SmallTable:
    rounds = enumerate(dialogue.rounds[:turn], start=1)
    rows = [("0", f"caption: {dialogue.caption}", ""), *((str(at), asked, answer) for at, (asked, answer) in rounds)]
    return SmallTable("what was said", ("turn", "questioner asks", "answerer says"), tuple(rows))


def fitting(files: Iterable[Dialogues], boards: Sequence[Board]) -> Dialogues | None:
    """The file whose rounds have the words of the propositions that they established; None where none has."""
    shares = [(_share(file, boards), file) for file in files]
    best, file = max(shares, key=lambda share: share[0], default=(0.0, None))
    return file if best >= ENOUGH else None


def _share(file: Dialogues, boards: Sequence[Board]) -> float:
    shared = [
        board.dialogue < len(file)
        and not _words(row.proposition).isdisjoint(_words_of_turn(file[board.dialogue], row.turn_shared))
        for board in boards
        for row in board.rows
    ]
    return sum(shared) / len(shared) if shared else 0.0


def _words_of_turn(dialogue: Dialogue, turn: int) -> frozenset[str]:
    if turn == 0:
        return _words(dialogue.caption)
    return _words(" ".join(dialogue.rounds[turn - 1])) if turn <= len(dialogue.rounds) else frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]+", text.lower())) - _COMMON
