"""Propositions of dialogues: what each round establishes, with its negation.

    {orig_data, set, dialogues: {dialogue: {place: {proposition, a_thinks_true, turn_shared, rule, qa_fact}}},
     turns: {dialogue: number}}

A dialogue is identified by its index in its file, a proposition by its place in the dialogue, both from 0. A set that
was not balanced has entailments at even places and their contradictions right after. `turns` says how many turns each
dialogue has, its caption among them; the published files do not have it. The same as Parquet: one row per proposition,
in the same order, with the columns of a record and `orig_data`, `set`, `dialogue` and `turns`.
"""

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample
from voirdire.formats.documents import decode_document
from voirdire.formats.files import Source, write_bytes, write_json
from voirdire.formats.parquet import PARQUET_MAGIC, check_columns, parquet_table
from voirdire.formats.record import Record
from voirdire.formats.strict import Problems, attempt, note_unknown, prune
from voirdire.lazy import pl

TURNS = 10

Polarity = Literal["positive", "negative"]


class Proposition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence, whether the answerer thinks it true, the turn that establishes this, and how the sentence was made.

    turn_shared  0 is the caption, 1 to 10 the rounds
    qa_fact      the polarity of the answer; None where the question was no polar one
    """

    proposition: Annotated[str, msgspec.Meta(min_length=1)]
    a_thinks_true: Annotated[int, msgspec.Meta(ge=0, le=1)]
    turn_shared: Annotated[int, msgspec.Meta(ge=0, le=TURNS)]
    rule: Annotated[str, msgspec.Meta(min_length=1)]
    qa_fact: Polarity | None


class _Document(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    orig_data: str
    set: str
    dialogues: dict[str, dict[str, Any]]
    turns: dict[str, Any] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class PropositionSet(Record):
    """The propositions of some dialogues.

    split      the dialogues' split, such as val
    source     where the dialogues come from
    dialogues  by the dialogue's index in its file, in that order; dialogues without propositions are not there
    file       the name of the file that they were read from, as it was given; empty where there is none
    turns      how many turns each dialogue has, its caption among them; empty where that is not known
    """

    split: str
    source: str
    dialogues: Mapping[int, tuple[Proposition, ...]]
    file: str = field(default="", compare=False)
    turns: Mapping[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return sum(map(len, self.dialogues.values()))


def parse_propositions(source: Source) -> PropositionSet:
    """Propositions from a file's bytes."""
    parquet = source.data.startswith(PARQUET_MAGIC)
    propositions = _parse_parquet(source) if parquet else _parse_json(source)
    if not len(propositions):
        raise source.fail("", "dialogues", "no proposition", "at least one")
    return replace(propositions, file=source.name)


def _parse_json(source: Source) -> PropositionSet:
    document, notes = decode_document(source, _Document)
    problems, unknown = Problems(source.name), Counter[str]()
    dialogues: dict[int, tuple[Proposition, ...]] = {}
    gaps = 0
    for name, records in document.dialogues.items():
        dialogue = _number(name, "dialogues", problems)
        places: dict[int, Proposition | None] = {}
        for key, record in records.items():
            place = _number(key, f"dialogues.{name}", problems)
            places[place] = _record(record, f"dialogue {name}, proposition {key} (both from 0)", problems, unknown)
        gaps += bool(places) and max(places) >= len(places)
        dialogues[dialogue] = tuple(record for place in sorted(places) if (record := places[place]) is not None)
    turns = _turns(
        {dialogue: document.turns.get(str(dialogue)) for dialogue, records in dialogues.items() if records},
        dialogues,
        problems,
    )
    problems.check()
    if gaps:
        notes += (f"{counted(gaps, 'dialogue')} with places left out; propositions are numbered anew there",)
    in_order = {dialogue: dialogues[dialogue] for dialogue in sorted(dialogues) if dialogues[dialogue]}
    if empty := len(dialogues) - len(in_order):
        notes += (f"{counted(empty, 'dialogue')} without propositions",)
    notes += note_unknown(unknown)
    return PropositionSet(
        document.set, document.orig_data, in_order, turns=turns, fingerprint=source.fingerprint, notes=notes
    )


def _turns(
    given: Mapping[int, Any], dialogues: Mapping[int, Sequence[Proposition]], problems: Problems
) -> dict[int, int]:
    """How many turns each dialogue has, where the file says so: for all of them, or for none."""
    if all(number is None for number in given.values()):
        return {}
    for dialogue, number in given.items():
        where = f"dialogue {dialogue} (from 0)"
        least = 1 + max((record.turn_shared for record in dialogues[dialogue]), default=0)
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= TURNS + 1:
            found = "nothing" if number is None else shorten(number)
            problems.add(where, "turns", found, f"how many turns it has, 1 to {TURNS + 1} with its caption")
        elif number < least:
            problems.add(where, "turns", f"{number} turns", f"at least {least}: a proposition is of turn {least - 1}")
    return dict(sorted(given.items()))


def _record(record: Any, where: str, problems: Problems, unknown: Counter[str]) -> Proposition | None:
    try:
        return msgspec.convert(record, Proposition)
    except msgspec.ValidationError:
        fact = record.get("qa_fact") if isinstance(record, dict) else None
        if isinstance(fact, str) and fact not in get_args(Polarity):
            problems.add(where, "qa_fact", shorten(fact), f"{' or '.join(get_args(Polarity))}, or null")
            return None
        return attempt(prune(record, Proposition, unknown), Proposition, where, problems)


def _number(text: str, where: str, problems: Problems) -> int:
    """The number of a key that is a whole number from 0, without leading zeros."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else -1
    if number < 0 or str(number) != text:
        problems.add("", where, f"the key {shorten(text)}", "whole numbers from 0 as keys")
    return number


COLUMNS = {
    "orig_data": "texts",
    "set": "texts",
    "dialogue": "whole numbers",
    "proposition": "texts",
    "a_thinks_true": "whole numbers",
    "turn_shared": "whole numbers",
    "rule": "texts",
    "qa_fact": "texts",
}
LENGTH = "turns"
"""A column that files of earlier versions do not have."""


def _parse_parquet(source: Source) -> PropositionSet:
    table = parquet_table(source)
    check_columns(
        source.name, table.schema, COLUMNS | {LENGTH: "whole numbers"}, optional=(LENGTH,), empty=("qa_fact",)
    )
    problems = Problems(source.name)
    for name in ("orig_data", "set"):
        if table.height and (table[name].n_unique() > 1 or table[name][0] is None):
            problems.add("", name, f"{table[name].n_unique()} values", "one text, the same in all rows")
    dialogues: dict[int, list[Proposition]] = {}
    unknown = Counter({name: table.height for name in table.columns if name not in (*COLUMNS, LENGTH)})
    fields = table.select(name for name in COLUMNS if name not in ("orig_data", "set", "dialogue"))
    for row, (dialogue, record) in enumerate(zip(table["dialogue"], fields.iter_rows(named=True), strict=True)):
        where = f"row {row + 1}"
        if dialogue is None or dialogue < 0:
            problems.add(where, "dialogue", str(dialogue), "a whole number from 0")
        elif (proposition := _record(record, where, problems, Counter())) is not None:
            dialogues.setdefault(dialogue, []).append(proposition)
    problems.check()
    turns: dict[int, int] = {}
    if LENGTH in table.columns:
        lengths = table.select("dialogue", LENGTH).unique()
        if lengths.height > len(dialogues):
            problems.add("", LENGTH, "several numbers for one dialogue", "one, the same in all of its rows")
        turns = _turns(dict(lengths.iter_rows()), dialogues, problems)
        problems.check()
    in_order = {dialogue: tuple(dialogues[dialogue]) for dialogue in sorted(dialogues)}
    split, origin = (table[name][0] if table.height else "" for name in ("set", "orig_data"))
    return PropositionSet(
        split, origin, in_order, turns=turns, fingerprint=source.fingerprint, notes=note_unknown(unknown)
    )


def write_propositions(propositions: PropositionSet, path: str | Path) -> None:
    """Write the published layout, or Parquet where the name ends in `.parquet`."""
    if str(path).endswith(".parquet"):
        _write_parquet(propositions, path)
        return
    dialogues = {
        str(dialogue): {str(place): record for place, record in enumerate(records)}
        for dialogue, records in propositions.dialogues.items()
    }
    turns = {str(dialogue): number for dialogue, number in _lengths(propositions).items()}
    document = {"orig_data": propositions.source, "set": propositions.split, "dialogues": dialogues}
    write_json({**document, "turns": turns} if turns else document, path)


def _lengths(propositions: PropositionSet) -> dict[int, int]:
    """The lengths of the dialogues that have propositions."""
    turns = propositions.turns
    return {dialogue: turns[dialogue] for dialogue in propositions.dialogues if dialogue in turns}


def _write_parquet(propositions: PropositionSet, path: str | Path) -> None:
    pairs = [(number, record) for number, records in propositions.dialogues.items() for record in records]
    table = pl.DataFrame(
        {
            "orig_data": pl.Series([propositions.source] * len(pairs), dtype=pl.String),
            "set": pl.Series([propositions.split] * len(pairs), dtype=pl.String),
            "dialogue": pl.Series([number for number, _ in pairs], dtype=pl.Int64),
            "proposition": pl.Series([record.proposition for _, record in pairs], dtype=pl.String),
            "a_thinks_true": pl.Series([record.a_thinks_true for _, record in pairs], dtype=pl.Int8),
            "turn_shared": pl.Series([record.turn_shared for _, record in pairs], dtype=pl.Int8),
            "rule": pl.Series([record.rule for _, record in pairs], dtype=pl.String),
            "qa_fact": pl.Series([record.qa_fact for _, record in pairs], dtype=pl.String),
        }
    )
    if turns := _lengths(propositions):
        table = table.with_columns(pl.Series(LENGTH, [turns.get(number) for number, _ in pairs], dtype=pl.Int8))
    packed = io.BytesIO()
    table.write_parquet(packed)
    write_bytes(packed.getvalue(), path)


def _matches(sample: Sample) -> bool:
    if sample.kind == "binary":
        return sample.first == "Parquet" and sample.has("binary", "a_thinks_true", "turn_shared")
    return sample.has("object", "orig_data", "set", "dialogues")


def _describe(propositions: PropositionSet) -> str:
    counts = f"{counted(len(propositions), 'proposition')} of {counted(len(propositions.dialogues), 'dialogue')}"
    return f"{counts}, split {propositions.split}" if propositions.split else counts


FORMAT = Format(
    name="propositions",
    title="propositions of dialogues",
    matches=_matches,
    parse=parse_propositions,
    describe=_describe,
    keys=lambda propositions: {"dialogue": np.fromiter(propositions.dialogues, np.int64)},
    write=write_propositions,
)

read_propositions = FORMAT.read
"""Read propositions, as JSON or as Parquet."""
