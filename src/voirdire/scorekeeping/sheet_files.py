"""Sheets as files, and filled sheets as judgements.

    username,timestamp,split,dlg_idx,turn_idx,image,dialogue,prop,content,shared

On a table (.csv) a judge fills in `username`, `content` (1 true, 0 false) and `shared` (1 shared, 0 private); the time
may stay empty. A page (.html) has buttons and saves the same table. `collect` adds the labels and what the judges did
not see, and makes the table that `scorekeeping humans` reads.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from voirdire.atomic import check_output, write_atomic
from voirdire.errors import UsageError, shorten
from voirdire.formats.files import open_source
from voirdire.formats.judgements import Judgements
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.formats.strict import Problems
from voirdire.formats.tables import Table, choice, read_table, text, whole, write_table
from voirdire.scorekeeping.dialogues import Dialogue, Dialogues
from voirdire.scorekeeping.sheet import Row, check_together, spoken
from voirdire.scorekeeping.sheet_page import page

__all__ = ["ENDINGS", "collect", "write_sheet"]

ENDINGS = (".csv", ".html")
GIVEN = ("split", "dlg_idx", "turn_idx", "image", "dialogue", "prop")
COLUMNS = ("username", "timestamp", *GIVEN, "content", "shared")
BINARY = {"0": 0, "1": 1}


def write_sheet(rows: Sequence[Row], path: str | Path, pictures: str | Path | None = None) -> Path:
    """Write a sheet as a table or as a page; a page shows the images that the folder `pictures` holds."""
    out = Path(path)
    if out.suffix.lower() not in ENDINGS:
        raise UsageError(f"{out}: a sheet may end in {' or '.join(ENDINGS)}")
    check_output(out)
    if out.suffix.lower() == ".html":
        write_atomic(out, page(rows, COLUMNS, None if pictures is None else Path(pictures)).encode())
        return out
    if pictures is not None:
        raise UsageError("--pictures: images are shown on a page only; name an OUT that ends in .html")
    blank = [""] * len(rows)
    values = [[row.split, row.dialogue, row.turn, row.image, "\n".join(row.lines), row.proposition] for row in rows]
    given = zip(*values, strict=True) if values else ([] for _ in GIVEN)
    columns = dict(zip(GIVEN, given, strict=True))
    write_table({"username": blank, "timestamp": blank, **columns, "content": blank, "shared": blank}, out)
    return out


def collect(paths: Sequence[str | Path], propositions: PropositionSet, dialogues: Dialogues) -> Judgements:
    """The judgements of filled sheets, with the labels of their propositions."""
    check_together(propositions, dialogues)
    found: dict[str, list[object]] = {name: [] for name in _KEPT}
    for path in paths:
        source = open_source(path)
        problems = Problems(source.name)
        table = read_table(source, _COLUMNS, problems)
        problems.check()
        if not len(table):
            problems.add("", "", "no judgement", "at least one row below the names of the columns")
        for row in range(len(table)):
            _add(table, row, propositions, dialogues, found, problems)
        problems.check()
    arrays = {
        name: np.array(found[name], bool if name in _FLAGS else np.int64) for name in ("dialogues", *_FLAGS, *_NUMBERS)
    }
    texts = {name: tuple(found[name]) for name in _KEPT if name not in arrays}
    return Judgements(**texts, **arrays)  # type: ignore[arg-type]


_COLUMNS = (
    *(text(name) for name in ("username", "timestamp", "split")),
    whole("dlg_idx"),
    whole("turn_idx", high=10),
    *(text(name) for name in ("dialogue", "prop")),
    choice("content", BINARY),
    choice("shared", BINARY),
)
_POINT = ("judges", "dialogues", "turns", "indices")
_FLAGS = ("true", "true_gold", "shared", "shared_gold")
_NUMBERS = ("turns", "indices", "turns_shared")
_KEPT = (
    *("judges", "times", "splits", "dialogues", "turns", "indices", *_FLAGS, "turns_shared"),
    *("rules", "kinds", "facts", "questions", "answers", "propositions"),
)


def _add(
    table: Table,
    row: int,
    propositions: PropositionSet,
    dialogues: Dialogues,
    found: dict[str, list[object]],
    problems: Problems,
) -> None:
    """Add one judgement, or say why it cannot be."""
    cells = {name: column[row] for name, column in table.columns.items()}
    where, place, turn = f"line {table.lines[row]}", cells["dlg_idx"], cells["turn_idx"]
    if not cells["username"].strip():
        problems.add(where, "username", "nothing", "the judge's name or code")
    records = propositions.dialogues.get(place, ())
    named = [index for index, one in enumerate(records) if one.proposition == cells["prop"]]
    if len(named) != 1:
        how = "no such proposition" if not named else "the same proposition more than once"
        problems.add(where, "prop", f"{shorten(cells['prop'])}: {how}", f"a proposition of dialogue {place}")
        return
    dialogue, one = dialogues[place], records[named[0]]
    if cells["dialogue"].replace("\r\n", "\n") != "\n".join(spoken(dialogue, turn)):
        problems.add(where, "dialogue", shorten(cells["dialogue"]), f"dialogue {place} up to turn {turn}, as it was")
        return
    judge = cells["username"].strip()
    if judge and (judge, place, turn, named[0]) in zip(*(found[name] for name in _POINT), strict=True):
        problems.add(where, "username", f"{shorten(judge)} on a point that they judged already", "once a judge")
        return
    question, answer = _said(dialogue, one)
    values = {
        "judges": judge,
        "times": cells["timestamp"],
        "splits": cells["split"],
        "dialogues": place,
        "turns": turn,
        "indices": named[0],
        "true": cells["content"],
        "true_gold": one.a_thinks_true,
        "shared": cells["shared"],
        "shared_gold": turn >= one.turn_shared,
        "turns_shared": one.turn_shared,
        "rules": one.rule,
        "kinds": "entailment" if one.a_thinks_true else "contradiction",
        "facts": one.qa_fact,
        "questions": question,
        "answers": answer,
        "propositions": one.proposition,
    }
    for name, value in values.items():
        found[name].append(value)


def _said(dialogue: Dialogue, one: Proposition) -> tuple[str, str]:
    """The question and the answer that a proposition was made of; a caption has no question."""
    return dialogue.rounds[one.turn_shared - 1] if one.turn_shared else ("none", dialogue.caption)
