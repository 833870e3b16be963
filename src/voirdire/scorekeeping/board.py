"""A dialogue's scoreboard, gold and predicted: what is true or false, private or shared, turn by turn.

    T true and shared    t true and private    F false and shared    f false and private     (TFxPS)
    T true, F false (TF)          S shared, p private (PS)          T, F, p (PxTSFS)

A row is a proposition, a column a turn; a dot is where a model was not asked, or its answer could not be read. Three
kinds of errors run through a whole row, and have numbers as in Figure 4:

    1   at some turn it has the same truth value as its opposite
    2   it goes back from shared to private
    3   its truth value changes
"""

import itertools
import shutil
import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from voirdire.drawings import check_drawing
from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.lazy import pl
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Run
from voirdire.scorekeeping.exam import BoardOptions
from voirdire.scorekeeping.measures import NOTHING, predictions
from voirdire.scorekeeping.points import TASKS, ScoreTask

ERRORS = {
    1: "the same truth value as its opposite",
    2: "back from shared to private",
    3: "its truth value changes",
}
GAP = "·"
"""Stands where nothing is predicted."""
NARROWEST = 24
"""The fewest characters in which a proposition is set, however narrow the terminal."""


@dataclass(frozen=True, slots=True)
class Row:
    """A proposition: places of classes turn by turn, and the numbers of the errors that run through the row.

    predicted  NOTHING at a turn at which there is no prediction
    """

    index: int
    proposition: str
    rule: str
    turn_shared: int
    gold: tuple[int, ...]
    predicted: tuple[int, ...]
    errors: tuple[int, ...] = ()

    @property
    def wrong(self) -> tuple[bool, ...]:
        """Turn by turn, whether the prediction is wrong."""
        return tuple(taken not in (NOTHING, gold) for gold, taken in zip(self.gold, self.predicted, strict=True))


@dataclass(frozen=True)
class Board:
    """The scoreboard of one dialogue.

    run     what the run is called
    seed    of the probe; None where the model was asked itself
    spoken  what was said turn by turn, the caption first; empty where the dialogue is not at hand
    """

    run: str
    dialogue: int
    task: ScoreTask
    control: str
    seed: int | None
    rows: tuple[Row, ...]
    spoken: tuple[str, ...] = ()

    @property
    def turns(self) -> int:
        """How many turns the dialogue has, with its caption."""
        return len(self.rows[0].gold)

    @property
    def right(self) -> int:
        """How many cells are predicted right."""
        return self.cells - sum(sum(row.wrong) for row in self.rows)

    @property
    def cells(self) -> int:
        """How many are predicted."""
        return sum(taken != NOTHING for row in self.rows for taken in row.predicted)

    def result(self) -> str:
        """How many cells are right, for a person."""
        return f"{self.right} of {self.cells} right ({100 * self.right / self.cells:.1f} %)"

    def head(self) -> str:
        """The title, for a person."""
        control = f", control {self.control}" if self.control else ""
        seed = "" if self.seed is None else f", seed {self.seed}"
        return f"dialogue {self.dialogue}, {self.task.name}{control}{seed}: {self.result()}"

    def legend(self) -> str:
        """What the letters mean."""
        return ", ".join(f"{sign} {name}" for sign, name in self.signs())

    def signs(self) -> list[tuple[str, str]]:
        """Each letter with what it means."""
        signs = [(letter(self.task, place), name) for place, name in enumerate(self.task.classes)]
        return [*signs, (GAP, "nothing")] if self.cells < len(self.rows) * self.turns else signs

    def lines(self, width: int = 100) -> list[str]:
        """The scoreboard for a terminal of this width; each cell that is wrong has a mark below it."""
        numbers = "".join(str(turn % 10) for turn in range(self.turns))
        room = max(NARROWEST, width - 2 * self.turns - 14)
        room = min(room, max(len(row.proposition) for row in self.rows))
        lines = [self.head(), self.legend(), ""]
        lines.append(f"{'':{room}}  {'gold':{self.turns}}  {'predicted':{max(9, self.turns)}}  errors".rstrip())
        lines.append(f"{'':{room}}  {numbers}  {numbers}")
        for row in self.rows:
            parts = textwrap.wrap(row.proposition, room, break_on_hyphens=False) or [""]
            gold, predicted = (self.letters(places) for places in (row.gold, row.predicted))
            errors = " ".join(map(str, row.errors))
            tail = f"  {gold}  {predicted:{max(9, self.turns)}}  {errors}"
            marks = "".join("^" if wrong else " " for wrong in row.wrong)
            lines.append(f"{parts[0]:{room}}{tail}".rstrip())
            rest = parts[1:] or [""]
            below = [f"{rest[0]:{room}}  {'':{self.turns}}  {marks}", *rest[1:]]
            lines += [line.rstrip() for line in below if line.strip()]
        errors_ = sorted({error for row in self.rows for error in row.errors})
        lines += [""] * bool(errors_) + [f"{error}  {ERRORS[error]}" for error in errors_]
        if self.spoken:
            lines += ["", *(f"{turn:>2}  {text}" for turn, text in enumerate(self.spoken))]
        return lines

    def letters(self, places: Sequence[int]) -> str:
        """One letter per turn."""
        return "".join(letter(self.task, place) for place in places)

    def plain(self) -> dict[str, Any]:
        """The scoreboard for programs."""
        names = self.task.classes
        rows: list[dict[str, Any]] = [
            {
                "index": row.index,
                "proposition": row.proposition,
                "rule": row.rule,
                "turn_shared": row.turn_shared,
                "gold": [names[place] for place in row.gold],
                "predicted": [None if place == NOTHING else names[place] for place in row.predicted],
                "errors": [ERRORS[error] for error in row.errors],
            }
            for row in self.rows
        ]
        return {
            "exam": "scorekeeping",
            "dialogue": self.dialogue,
            "task": self.task.name,
            "control": self.control,
            "seed": self.seed,
            "spoken": self.spoken,
            "propositions": rows,
        }


def board_part(
    run: tuple[str, Run],
    dialogues: Dialogues | None = None,
    *,
    options: BoardOptions,
    output: str | None = None,
    stages: Stages = UNSEEN,
) -> Outcome:
    """Show the scoreboard of a dialogue of a run, which is given with its name, and draw it."""
    from voirdire.scorekeeping.board_drawing import draw_board

    if output is not None:
        check_drawing(output)
    place = options.dialogue
    if dialogues is not None and place >= len(dialogues):
        raise UsageError(f"`dialogue` {place}: {dialogues.file} has {len(dialogues):,} dialogues, counted from 0")
    name, probed = run
    board = make_board(probed, place, options.task, name, None if dialogues is None else dialogues[place])
    lines = board.lines(shutil.get_terminal_size((100, 24)).columns)
    if output is not None:
        lines.append(f"drawn: {draw_board(board, output)}")
    return Outcome(tuple(lines), board.plain())


def letter(task: ScoreTask, place: int) -> str:
    """One letter for a class: capital where it is shared, or where nothing is said of that."""
    if place == NOTHING:
        return GAP
    truth, shared = task.truth[place], task.shared[place]
    if truth < 0:
        return "S" if shared else "p"
    mark = "T" if truth else "F"
    return mark.lower() if shared == 0 else mark


def make_board(
    run: Run, dialogue: int, task: str | None = None, name: str = "run", spoken: Dialogue | None = None
) -> Board:
    """The scoreboard of a dialogue of a probe's run; of several seeds the first, of several tasks the first or `task`.

    name    what an error calls the run
    spoken  the dialogue itself, to be printed with it
    """
    items = _predicted(run, task, name)
    board = next(_boards(items, [dialogue], name), None)
    if board is None:
        some = ", ".join(map(str, items["dialogue"].unique().sort().head(8).to_list()))
        raise UsageError(f"`dialogue` {dialogue}: {name} predicts nothing of it; it has {some}, …")
    if spoken is None:
        return board
    if len(spoken.rounds) < board.turns - 1:
        found = f"{len(spoken.rounds)} rounds there, and {board.turns - 1} in {name}"
        raise UsageError(f"`dialogues`: dialogue {dialogue} has {found}; are they the same dialogues?")
    return replace(board, spoken=_as_said(spoken, board.turns - 1))


def _as_said(dialogue: Dialogue, turn: int) -> tuple[str, ...]:
    """What was said up to a turn: the caption, then one line per round."""
    rounds = ((question.strip(), answer) for question, answer in dialogue.rounds[:turn])
    asked = ((question if question.endswith("?") else f"{question}?", answer) for question, answer in rounds)
    return dialogue.caption, *(f"{question} {answer}" for question, answer in asked)


def make_boards(run: Run, dialogues: Collection[int], task: str | None = None, name: str = "run") -> Iterator[Board]:
    """The scoreboards of those dialogues that the run predicts, in their order; otherwise as `make_board`."""
    return _boards(_predicted(run, task, name), dialogues, name)


def _predicted(run: Run, task: str | None, name: str) -> "pl.DataFrame":
    """The predictions of one task and seed, of real states where there are some."""
    items = predictions(run, name)
    asked = items["task"].unique(maintain_order=True).to_list()
    if task is not None and task not in asked:
        raise UsageError(f"`task` must be one of {', '.join(asked)}, which {name} has, got {task!r}")
    items = items.filter(pl.col("task") == (task or asked[0]))
    controls = items["control"].unique(maintain_order=True).to_list()
    items = items.filter(pl.col("control") == ("" if "" in controls else controls[0]))
    return items.filter(pl.col("seed").eq_missing(items["seed"][0]))


def _boards(items: "pl.DataFrame", dialogues: Collection[int], name: str) -> Iterator[Board]:
    wanted = items.filter(pl.col("dialogue").is_in(list(dialogues))).sort("dialogue", "index", "turn")
    for dialogue in wanted.partition_by("dialogue", maintain_order=True):
        task, turns = TASKS[dialogue["task"][0]], int(dialogue["turn"].to_numpy().max()) + 1
        rows = [_row(part, task, turns) for part in dialogue.partition_by("index", maintain_order=True)]
        place, seed = int(dialogue["dialogue"][0]), dialogue["seed"][0]
        yield Board(name, place, task, dialogue["control"][0], seed, _with_errors(rows, task))


def _row(part: "pl.DataFrame", task: ScoreTask, turns: int) -> Row:
    places = {name: place for place, name in enumerate(task.classes)}
    predicted = dict(zip(part["turn"], part["predicted"], strict=True))
    true, turn_shared = bool(part["true"][0]), int(part["turn_shared"][0])
    return Row(
        int(part["index"][0]),
        part["proposition"][0],
        part["rule"][0],
        turn_shared,
        tuple(task.labels[true][turn >= turn_shared] for turn in range(turns)),
        tuple(places[predicted[turn]] if turn in predicted else NOTHING for turn in range(turns)),
    )


def _with_errors(rows: Sequence[Row], task: ScoreTask) -> tuple[Row, ...]:
    """The rows with the numbers of the errors that run through them."""
    by_index = {row.index: row for row in rows}
    marked = []
    for row in rows:
        truth, shared = _signs(task.truth, row), [sign for sign in _signs(task.shared, row) if sign >= 0]
        # Entailments have even places, and their contradictions follow them.
        other = by_index.get(row.index ^ 1)
        errors = []
        if other is not None and (other.turn_shared, other.rule) == (row.turn_shared, row.rule):
            theirs = _signs(task.truth, other)
            if any(sign == another >= 0 for sign, another in zip(truth, theirs, strict=True)):
                errors.append(1)
        if any(before > after for before, after in itertools.pairwise(shared)):
            errors.append(2)
        if {0, 1} <= set(truth):
            errors.append(3)
        marked.append(replace(row, errors=tuple(errors)))
    return tuple(marked)


def _signs(of: Sequence[int], row: Row) -> list[int]:
    """What the predicted classes say turn by turn, -1 where they say nothing or there is none."""
    return [-1 if place == NOTHING else of[place] for place in row.predicted]
