"""Scoreboards of a sample of dialogues, gold and predicted, with the errors that run through their rows.

A run does not name the file of dialogues that a probe's propositions were made from, and a report may be given several:
those of another exam, or of another split. The right one is found by its words. A proposition shares some with the
round that established it; where that holds for fewer than three quarters of them, the file is another one, and no
dialogue is better than a wrong one. (Of VisDial's validation dialogues, and of the world's, 99 of 100 propositions do;
with dialogues in another order, 12 of 100 at most.)
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.scorekeeping.board import ERRORS, GAP, Board, make_boards
from voirdire.scorekeeping.section.probes import Probe
from voirdire.section.content import Block, Drill, Grid, Item, SmallTable
from voirdire.section.context import Context, by_whom, evenly
from voirdire.section.phrases import of_all

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
    every = sorted({place for probe in probes for place in probe.model.run.items["dialogue"].unique()})
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
        and not _words(row.proposition).isdisjoint(_said(file[board.dialogue], row.turn_shared))
        for board in boards
        for row in board.rows
    ]
    return sum(shared) / len(shared) if shared else 0.0


def _said(dialogue: Dialogue, turn: int) -> frozenset[str]:
    if turn == 0:
        return _words(dialogue.caption)
    return _words(" ".join(dialogue.rounds[turn - 1])) if turn <= len(dialogue.rounds) else frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]+", text.lower())) - _COMMON
