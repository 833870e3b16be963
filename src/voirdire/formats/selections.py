"""Judges' selections from reference sets: which of a set's answers each judge finds valid. A table.

    image_id,round_id,set,judge,candidate,selected

One row per judge and candidate. `set` says which method proposed the candidate (H, S, …), `candidate` is the answer or
any name for it, and `selected` is 1 where the judge kept it, 0 where not. A task is one set of one round: each of its
judges judges all of its candidates once, so a table that lists only what was kept is refused. Rounds only have to
differ, so it does not matter whether they are counted from 0 or 1.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire.errors import shorten
from voirdire.formats.catalogue import Format
from voirdire.formats.csv_and_npz import ReadTable, choice, note_unread, read_table, text, whole, write_table
from voirdire.formats.documents import id_array
from voirdire.formats.files import Source
from voirdire.formats.record import Record
from voirdire.formats.strict import Problems

COLUMNS = (
    whole("image_id"),
    whole("round_id", high=10),
    text("set"),
    text("judge"),
    text("candidate"),
    choice("selected", {"0": 0, "1": 1}),
)
NAMES = tuple(column.name for column in COLUMNS)


@dataclass(frozen=True, eq=False)
class Selections(Record):
    """n judgements, in the file's order.

    image_ids, round_ids      int64[n], rounds as the file counts them
    sets, judges, candidates  n texts each
    selected                  bool[n]
    """

    image_ids: npt.NDArray[np.int64]
    round_ids: npt.NDArray[np.int64]
    sets: tuple[str, ...]
    judges: tuple[str, ...]
    candidates: tuple[str, ...]
    selected: npt.NDArray[np.bool_]
    per_row = ("image_ids", "round_ids", "sets", "judges", "candidates", "selected")

    def __len__(self) -> int:
        return len(self.image_ids)

    def tasks(self) -> list[tuple[int, int, str]]:
        """The task of each judgement: image, round and set."""
        return list(zip(self.image_ids.tolist(), self.round_ids.tolist(), self.sets, strict=True))


def parse_selections(source: Source) -> Selections:
    """Judges' selections from a file's bytes."""
    problems = Problems(source.name)
    table = read_table(source, COLUMNS, problems)
    problems.check()
    columns = table.columns
    record = Selections(
        id_array(columns["image_id"]),
        id_array(columns["round_id"]),
        tuple(columns["set"]),
        tuple(columns["judge"]),
        tuple(columns["candidate"]),
        np.array(columns["selected"], dtype=np.bool_),
        fingerprint=source.fingerprint,
        notes=note_unread(table),
    )
    _check(record, table, problems)
    return record


def _check(record: Selections, table: ReadTable, problems: Problems) -> None:
    """No cell is empty, no judgement is made twice, and each judge of a task judges all of its candidates."""
    problems.require(record, "judgement")
    for name in ("set", "judge", "candidate"):
        for line, cell in zip(table.lines, table.columns[name], strict=True):
            if not cell.strip():
                problems.add(f"line {line}", name, "nothing", "a name")
    problems.check()
    tasks = record.tasks()
    first: dict[tuple[object, ...], int] = {}
    for line, task, judge, candidate in zip(table.lines, tasks, record.judges, record.candidates, strict=True):
        if (earlier := first.setdefault((task, judge, candidate), line)) != line:
            found = f"the candidate of line {earlier}, by the same judge, again"
            problems.add(f"line {line}", "candidate", found, "once per judge")
    problems.check()
    sizes = Counter(task for task, _ in set(zip(tasks, record.candidates, strict=True)))
    for (task, judge), judged in Counter(zip(tasks, record.judges, strict=True)).items():
        if judged != sizes[task]:
            where = f"image {task[0]}, round_id {task[1]}, set {shorten(task[2])}"
            found = f"{judged} judged by {shorten(judge)}"
            problems.add(
                where, "candidate", found, f"all {sizes[task]}", "What a judge did not select is a row with 0."
            )
    problems.check()


def write_selections(record: Selections, path: str | Path) -> None:
    """Write the table."""
    columns = (
        record.image_ids.tolist(),
        record.round_ids.tolist(),
        record.sets,
        record.judges,
        record.candidates,
        record.selected.astype(int).tolist(),
    )
    write_table(dict(zip(NAMES, columns, strict=True)), path)


def _describe(record: Selections) -> str:
    tasks, judges = len(set(record.tasks())), len(set(record.judges))
    return f"{len(record):,} judgements of {tasks:,} sets by {judges:,} judges"


FORMAT = Format(
    name="selections",
    title="judges' selections from reference sets",
    fields=("image_id", "round_id", "set", "judge", "candidate", "selected"),
    matches=lambda sample: sample.has("csv", *NAMES),
    parse=parse_selections,
    describe=_describe,
    keys=lambda record: {"image": np.unique(record.image_ids)},
    write=write_selections,
)

read_selections = FORMAT.read
"""Read judges' selections."""
