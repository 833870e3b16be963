"""People's judgements of propositions: is it true, and is it shared? A table: one row per judge and proposition.

    username,timestamp,split,dlg_idx,turn_idx,prop_idx,content,content_gold,shared,shared_gold,turn_shared,
    rule,type,qa_fact,question,answer,prop

`content` is 1 where the judge finds the proposition true, `shared` 1 where shared at turn `turn_idx`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format
from voirdire.formats.csv_and_npz import Column, ReadTable, choice, note_unread, read_table, text, whole, write_table
from voirdire.formats.files import Source
from voirdire.formats.record import Notes, Record
from voirdire.formats.strict import Problems

BINARY = {"0": 0, "1": 1}
FACTS = {"positive": "positive", "negative": "negative", "none": None}
KINDS = {"direct entailment": "entailment", "direct contradiction": "contradiction"}
COLUMNS: tuple[Column, ...] = (
    text("username"),
    text("timestamp"),
    text("split"),
    whole("dlg_idx"),
    whole("turn_idx", high=10),
    whole("prop_idx"),
    choice("content", BINARY),
    choice("content_gold", BINARY),
    choice("shared", BINARY),
    choice("shared_gold", BINARY),
    whole("turn_shared", high=10),
    text("rule"),
    choice("type", KINDS),
    choice("qa_fact", FACTS),
    text("question"),
    text("answer"),
    text("prop"),
)
NUMBERS = {
    **dict.fromkeys(("dlg_idx", "turn_idx", "prop_idx", "turn_shared"), np.int64),
    **dict.fromkeys(("content", "content_gold", "shared", "shared_gold"), np.bool_),
}
GOLD = ("content_gold", "shared_gold", "turn_shared", "rule", "type", "prop")


@dataclass(frozen=True, eq=False)
class Judgements(Record):
    """n judgements, all columns in the file's order.

    judges, times, splits, rules, kinds, facts, questions, answers, propositions   texts; a fact may be None
    dialogues, turns, indices, turns_shared                                 int64[n]
    true, true_gold, shared, shared_gold                                    bool[n]
    """

    judges: tuple[str, ...]
    times: tuple[str, ...]
    splits: tuple[str, ...]
    dialogues: np.ndarray
    turns: np.ndarray
    indices: np.ndarray
    true: np.ndarray
    true_gold: np.ndarray
    shared: np.ndarray
    shared_gold: np.ndarray
    turns_shared: np.ndarray
    rules: tuple[str, ...]
    kinds: tuple[str, ...]
    facts: tuple[str | None, ...]
    questions: tuple[str, ...]
    answers: tuple[str, ...]
    propositions: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.judges)

    def points(self) -> list[tuple[str, int, int, int]]:
        """The point of each judgement: split, dialogue, turn and proposition."""
        columns = (self.splits, self.dialogues.tolist(), self.turns.tolist(), self.indices.tolist())
        return list(zip(*columns, strict=True))


def parse_judgements(source: Source) -> Judgements:
    """People's judgements from a file's bytes."""
    problems = Problems(source.name)
    table = read_table(source, COLUMNS, problems)
    _check(table, problems)
    problems.check()
    values: list[Any] = [
        np.array(column, NUMBERS[name]) if name in NUMBERS else tuple(column) for name, column in table.columns.items()
    ]
    # The fields of the record are in the order of the columns.
    return Judgements(*values, fingerprint=source.fingerprint, notes=note_unread(table))


def _check(table: ReadTable, problems: Problems) -> None:
    """Each judge judges a point once, all rows of a point have the same gold labels, and these fit the turns."""
    columns = table.columns
    first: dict[Any, int] = {}
    judged: dict[Any, int] = {}
    for row, line in enumerate(table.lines):
        point = tuple(columns[name][row] for name in ("split", "dlg_idx", "turn_idx", "prop_idx"))
        judge = columns["username"][row]
        if (earlier := judged.setdefault((judge, *point), line)) != line:
            problems.add(
                f"line {line}", "username", f"{shorten(judge)} on the point of line {earlier} again", "once per judge"
            )
        known = first.setdefault(point, row)
        for name in GOLD:
            if columns[name][row] != columns[name][known]:
                found = (
                    f"{shorten(columns[name][row])}, but {shorten(columns[name][known])} on line {table.lines[known]}"
                )
                problems.add(f"line {line}", name, found, "the same for all judges of a point")
        due = int(columns["turn_idx"][row] >= columns["turn_shared"][row])
        if columns["shared_gold"][row] != due:
            found = f"{columns['shared_gold'][row]} at turn {columns['turn_idx'][row]}"
            expected = f"{due}, as it is shared from turn {columns['turn_shared'][row]} on"
            problems.add(f"line {line}", "shared_gold", found, expected)


def write_judgements(record: Judgements, path: str | Path) -> None:
    """Write the table."""
    kinds = {kind: written for written, kind in KINDS.items()}
    columns: tuple[Iterable[Any], ...] = (
        record.judges,
        record.times,
        record.splits,
        *(ids.tolist() for ids in (record.dialogues, record.turns, record.indices)),
        *(marks.astype(int).tolist() for marks in (record.true, record.true_gold, record.shared, record.shared_gold)),
        record.turns_shared.tolist(),
        record.rules,
        [kinds[kind] for kind in record.kinds],
        [fact or "none" for fact in record.facts],
        record.questions,
        record.answers,
        record.propositions,
    )
    write_table({column.name: values for column, values in zip(COLUMNS, columns, strict=True)}, path)


def _describe(record: Judgements) -> str:
    judges, points = len(set(record.judges)), len(set(record.points()))
    return f"{counted(len(record), 'judgement')} of {counted(points, 'proposition')} by {counted(judges, 'judge')}"


def _notes(record: Judgements) -> Sequence[str]:
    notes = Notes()
    counts = Counter(record.points())
    usual = max(counts.values(), default=0)
    for (split, dialogue, turn, index), count in counts.items():
        if count != usual:
            where = f"{shorten(split)}, dialogue {dialogue}, turn {turn}, proposition {index}"
            notes.add(f"{counted(count, 'judgement')}, others have {usual}", where)
    return record.notes + notes.collect()


FORMAT = Format(
    name="judgements",
    title="judgements of propositions",
    matches=lambda sample: sample.has("csv", "dlg_idx", "prop_idx", "content", "shared", "username"),
    parse=parse_judgements,
    describe=_describe,
    keys=lambda record: {"dialogue": np.unique(record.dialogues)},
    notes=_notes,
    write=write_judgements,
)

read_judgements = FORMAT.read
"""Read people's judgements."""
