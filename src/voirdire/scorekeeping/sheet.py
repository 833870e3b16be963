"""What people are asked to judge, and what they said: sheets, and filled sheets as judgements.

    username,timestamp,split,dlg_idx,turn_idx,image,dialogue,prop,content,shared

A row is a dialogue up to a turn, a proposition, and two questions about it. Points are drawn as in the paper: some
dialogues, of each one proposition, and a turn up to which the dialogue is shown. A sheet holds no label and nothing
that gives one away (a proposition's index would: entailments have the even ones). So a proposition is named by its
words, and only those are drawn whose words are once in their dialogue.

On a table (.csv) a judge fills in `username`, `content` (1 true, 0 false) and `shared` (1 shared, 0 private); the time
may stay empty. A page (.html) has buttons and saves the same table. `collect` adds the labels and what the judges did
not see, and makes the table that `scorekeeping humans` reads.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.atomic import check_output, write_atomic
from voirdire.errors import InputError, Problem, UsageError, shorten
from voirdire.escaping import from_sheet
from voirdire.exam import Outcome, present
from voirdire.figures import counted
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.files import open_source
from voirdire.formats.judgements import Judgements, write_judgements
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.formats.strict import Problems
from voirdire.formats.tables import Column, ReadTable, choice, read_table, whole, write_table
from voirdire.options import Options
from voirdire.progress import UNSEEN, Stages
from voirdire.scorekeeping.exam import SheetOptions
from voirdire.scorekeeping.sheet_page import SheetRow, page

__all__ = [
    "ENDINGS",
    "FilledSheet",
    "check_together",
    "collect",
    "collect_part",
    "draw_rows",
    "read_sheet",
    "sheet_part",
    "spoken",
    "write_sheet",
]

ENDINGS = (".csv", ".html")
GIVEN = ("split", "dlg_idx", "turn_idx", "image", "dialogue", "prop")
COLUMNS = ("username", "timestamp", *GIVEN, "content", "shared")
BINARY = {"0": 0, "1": 1}


def sheet_part(
    propositions: PropositionSet,
    dialogues: Dialogues,
    pictures: str | None = None,
    options: SheetOptions | None = None,
    *,
    output: str,
    stages: Stages = UNSEEN,
) -> Outcome:
    """Draw points and write them as a sheet."""
    options = options or SheetOptions()
    rows = draw_rows(propositions, dialogues, options.points, options.seed)
    return Outcome((f"{len(rows):,} propositions to judge: {write_sheet(rows, output, pictures)}",))


def collect_part(
    sheets: "Sequence[FilledSheet]",
    propositions: PropositionSet,
    dialogues: Dialogues,
    options: Options | None = None,
    *,
    output: str,
    stages: Stages = UNSEEN,
) -> Outcome:
    """Write the judgements of filled sheets; where they go to standard output, what is said of them goes elsewhere."""
    judged = collect(sheets, propositions, dialogues)
    write_judgements(judged, output)
    made = f"{counted(len(judged), 'judgement')} of {counted(len(set(judged.judges)), 'judge')}: {output}"
    if output == "-":
        stages.say(made)
        return Outcome()
    return Outcome((made,))


def draw_rows(propositions: PropositionSet, dialogues: Dialogues, count: int, seed: int) -> list[SheetRow]:
    """`count` points of different dialogues, in the order in which they are to be judged."""
    check_together(propositions, dialogues)
    rng = np.random.default_rng(seed)
    usable = {place: once for place, records in propositions.dialogues.items() if (once := _once(records))}
    if count > len(usable):
        most = f"{len(usable)}, the dialogues with a proposition to judge"
        raise UsageError(f"`points` must be at most {most}, got {count}")
    rows = []
    for place in rng.choice(np.array(list(usable), np.int64), count, replace=False).tolist():
        dialogue = dialogues[place]
        words: str = usable[place][int(rng.integers(len(usable[place])))]
        turn = int(rng.integers(len(dialogue.rounds) + 1))
        image = dialogue.image or str(dialogue.image_id)
        rows.append(SheetRow(propositions.split or "–", place, turn, image, spoken(dialogue, turn), words))
    return rows


def check_together(propositions: PropositionSet, dialogues: Dialogues) -> None:
    """Refuse propositions of dialogues, or of turns, that are not there."""
    problems = []
    for place, records in propositions.dialogues.items():
        turns = len(dialogues[place].rounds) if place < len(dialogues) else -1
        last = max(record.turn_shared for record in records)
        if turns < 0:
            expected = f"places from 0 to {len(dialogues) - 1}"
            problems.append(Problem(f"dialogue {place}", "", "none at this place", expected, "Is it of another split?"))
        elif last > turns:
            found = f"a proposition of turn {last}"
            problems.append(Problem(f"dialogue {place}", "turn_shared", found, f"a turn from 0 to {turns}"))
    if problems:
        raise InputError("propositions", problems)


def _once(records: Sequence[Proposition]) -> list[str]:
    counts = Counter(record.proposition for record in records)
    return [words for words, count in counts.items() if count == 1]


def spoken(dialogue: Dialogue, turn: int) -> tuple[str, ...]:
    """What was said up to a turn: the caption, then one line per round."""
    return dialogue.caption, *(f"{_asked(question)} {answer}" for question, answer in dialogue.rounds[:turn])


def _asked(question: str) -> str:
    question = question.strip()
    return question if question.endswith("?") else question + "?"


def check_sheet(given: Mapping[str, Any], options: SheetOptions | None = None) -> None:
    """Refuse a sheet that is neither a table nor a page, and images that would be seen nowhere."""
    ending = Path(given["output"]).suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"`output` must end in {' or '.join(ENDINGS)}, got {given['output']}")
    if "pictures" not in given:
        return
    if ending != ".html":
        raise UsageError("`pictures` are shown on a page only; `output` must then end in .html")
    if not Path(given["pictures"]).is_dir():
        raise UsageError(f"`pictures`: there is no folder {given['pictures']}")


def write_sheet(rows: Sequence[SheetRow], path: str | Path, pictures: str | Path | None = None) -> Path:
    """Write a sheet as a table or as a page; a page shows the images that the folder `pictures` holds."""
    out = Path(path)
    check_sheet(present(output=path, pictures=pictures))
    check_output(out)
    if out.suffix.lower() == ".html":
        write_atomic(out, page(rows, COLUMNS, None if pictures is None else Path(pictures)).encode())
        return out
    blank = [""] * len(rows)
    given = zip(*(row.cells() for row in rows), strict=True) if rows else ([] for _ in GIVEN)
    columns = dict(zip(GIVEN, given, strict=True))
    write_table({"username": blank, "timestamp": blank, **columns, "content": blank, "shared": blank}, out)
    return out


@dataclass(frozen=True, eq=False)
class FilledSheet:
    """The table that a judge filled in, and the name of its file."""

    file: str
    table: ReadTable


def read_sheet(path: str | Path) -> FilledSheet:
    """Read a filled sheet."""
    source = open_source(path)
    problems = Problems(source.name)
    table = read_table(source, _COLUMNS, problems)
    problems.check()
    if not len(table):
        problems.add("", "", "no judgement", "at least one row below the names of the columns")
    problems.check()
    return FilledSheet(source.name, table)


def collect(sheets: Sequence[FilledSheet], propositions: PropositionSet, dialogues: Dialogues) -> Judgements:
    """The judgements of filled sheets, with the labels of their propositions."""
    check_together(propositions, dialogues)
    found: dict[str, list[object]] = {name: [] for name in _KEPT}
    for sheet in sheets:
        problems = Problems(sheet.file)
        for row in range(len(sheet.table)):
            _add(sheet.table, row, propositions, dialogues, found, problems)
        problems.check()
    arrays = {
        name: np.array(found[name], bool if name in _FLAGS else np.int64) for name in ("dialogues", *_FLAGS, *_NUMBERS)
    }
    texts = {name: tuple(found[name]) for name in _KEPT if name not in arrays}
    return Judgements(**texts, **arrays)  # type: ignore[arg-type]


def _from_sheet(name: str) -> Column:
    """A column of texts as they were before they were written for a spreadsheet."""
    return Column(name, from_sheet, "text")


_COLUMNS = (
    *(_from_sheet(name) for name in ("username", "timestamp", "split")),
    whole("dlg_idx"),
    whole("turn_idx", high=10),
    *(_from_sheet(name) for name in ("dialogue", "prop")),
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
    table: ReadTable,
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
        problems.add(where, "username", f"{shorten(judge)} on a point that they judged already", "once per judge")
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
