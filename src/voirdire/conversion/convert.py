"""Convert a model's outputs from any tool's layout to an official one, and report what was done.

    records ──> roles (which key is which) ──> ids (by `values`, or found in --against) ──> the official layout

Nothing is dropped silently. A record that cannot be mapped is an error that names it, unless it may be left out; then
it is counted under its reason. What is written is read again strictly before it is written.
"""

import difflib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from voirdire.conversion.datasets import ANNOTATIONS, DATASETS, MADE, dataset_of, dataset_records, document_of
from voirdire.conversion.layouts import (
    LOOKED_AT,
    PLAIN,
    USABLE,
    ConvertOptions,
    choose_paths,
    layout_of,
    layouts_by_name,
    listed,
)
from voirdire.conversion.question_ids import (
    AS_THEY_ARE,
    KnownQuestions,
    QuestionFinder,
    QuestionId,
    Unmapped,
    read_known,
)
from voirdire.conversion.rows import MISSING, RawRecord, RawRecords, answer_texts, find, read_rows, whole_number
from voirdire.errors import UsageError, shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import named_format
from voirdire.formats.files import Source, open_source, same_place
from voirdire.formats.round_files import parse_with_base
from voirdire.formats.strict import Problems

SHOWN = 3
"""How many examples are shown."""
SURROGATE = re.compile("[\\ud800-\\udfff]")
LEAVE_OUT = "`leave_out` writes the others and counts these."
AGAIN = "a second record of the same"


@dataclass(frozen=True)
class Conversion:
    """What a conversion did.

    layout     what the file was taken for, in words
    read       how many records it has
    written    how many of them went into what was written
    records    how many records were written, of how many questions or rounds
    paths      from a role to the path that its values came from
    ids        how many ids were found how: "as they are", "by image and question", …
    left_out   from a reason to how many records, and the places of the first
    examples   the first records: the place, and what was written for it
    notes      what a reader should know
    holds      what was written, as `validate` describes it
    """

    source: str
    output: str
    to: str
    layout: str
    read: int
    written: int
    records: int
    paths: Mapping[str, str]
    ids: Mapping[str, int]
    left_out: Mapping[str, tuple[int, tuple[str, ...]]]
    examples: tuple[tuple[str, Mapping[str, Any]], ...]
    notes: tuple[str, ...]
    holds: str

    def to_dict(self) -> dict[str, Any]:
        """For programs: plain values only."""
        left_out = {reason: {"count": count, "first": list(first)} for reason, (count, first) in self.left_out.items()}
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {
            "left_out": left_out,
            "paths": dict(self.paths),
            "ids": dict(self.ids),
            "examples": [{"from": place, "written": dict(record)} for place, record in self.examples],
            "notes": list(self.notes),
        }


def convert(path: str | Path, output: str | Path, options: ConvertOptions) -> Conversion:
    """Read any tool's file, write an official one, and report what was done."""
    if str(output) != "-" and str(path) != "-" and same_place(path, output):
        raise UsageError(f"{output} is the file that is read; name another one to write")
    source = open_source(path)
    rows = read_rows(source)
    if options.to in MADE:
        return _of_dataset(source, rows, options.to, output)
    known = read_known(options.against, options.target.rounds) if options.against else None
    converter = _Converter(source, rows, options, known)
    records = converter.run()
    data = Source(f"what was made of {source.name}", msgspec.json.encode(records))
    format_ = named_format(options.to)
    # Rounds that were found in dialogues are counted from 0.
    by_text = known is not None and AS_THEY_ARE not in converter.ids
    record = parse_with_base(format_, data, 0 if by_text else options.round_base)
    assert format_.write is not None
    format_.write(record, output)
    return converter.report(str(output), records, format_.describe(record))


def _of_dataset(source: Source, rows: RawRecords, to: str, output: str | Path) -> Conversion:
    """VQA questions or annotations of a dataset in a layout of its own."""
    layout = dataset_of(rows)
    if layout is None:
        known = " or ".join(layout.title for layout in DATASETS)
        raise source.fail("", "", f"{rows.kind} with the keys {listed(rows.keys())}", known)
    records = dataset_records(source, rows, layout, to)
    format_ = named_format(to)
    record = format_.parse(Source(f"what was made of {source.name}", msgspec.json.encode(document_of(records, to))))
    assert format_.write is not None
    format_.write(record, output)
    paths = {"question_id": "question_id", "image_id": layout.image, "question": layout.question}
    if to == ANNOTATIONS:
        paths["answer"] = layout.answers
    return Conversion(
        source=source.name,
        output=str(output),
        to=to,
        layout=f"{layout.title} ({layout.name}), {rows.kind}",
        read=len(rows.rows),
        written=len(records),
        records=len(records),
        paths=paths,
        ids={"as they are, or numbers made of letters": len(records)},
        left_out={},
        examples=tuple((row.place, made) for row, made in zip(rows.rows[:SHOWN], records, strict=False)),
        notes=(),
        holds=format_.describe(record),
    )


class _Converter:
    """One conversion at work.

    made      by its question or round: the record's place in its file, and what is to be written for it
    left_out  from a reason to how many records, and the places of the first
    faults    from a reason to what is wrong, and the records' places
    """

    def __init__(self, source: Source, rows: RawRecords, options: ConvertOptions, known: KnownQuestions | None) -> None:
        self.source, self.rows, self.options, self.known = source, rows, options, known
        self.target = options.target
        self.layout = layouts_by_name()[options.layout] if options.layout else layout_of(rows.keys())
        self.paths = choose_paths(rows, self.layout, self.target, options.maps)
        self.finder = QuestionFinder(self.target, self.paths, known)
        self.ids = Counter[str]()
        self.made: dict[QuestionId, tuple[str, dict[str, Any]]] = {}
        self.left_out: dict[str, tuple[int, tuple[str, ...]]] = {}
        self.faults: dict[str, list[tuple[Unmapped, str]]] = {}
        self.notes: list[str] = []
        self.written = 0

    def run(self) -> list[dict[str, Any]]:
        """The records to write, in the order of the file."""
        self._check_paths()
        for place, fault in self.rows.faults:
            self._leave_out(place, Unmapped("", fault, "a whole record", fault.partition(" (")[0]))
        shift = self._rank_base()
        for row in self.rows.rows:
            try:
                question, how = self.finder.find(row)
                if self._put(row, question, self._record(row, question, shift)):
                    self.ids[how] += 1
            except Unmapped as error:
                self._leave_out(row.place, error)
        self._refuse()
        if not self.made:
            reasons = "; ".join(
                f"{reason}: {count:,} ({', '.join(first)})" for reason, (count, first) in self.left_out.items()
            )
            raise self.source.fail("", "", "no record that can be mapped", "at least one", reasons)
        return [record for _, record in self.made.values()]

    def report(self, output: str, records: Sequence[dict[str, Any]], holds: str) -> Conversion:
        """What was done."""
        self._note_extent(records)
        inside = f", under `{self.rows.inside}`" if self.rows.inside else ""
        return Conversion(
            source=self.source.name,
            output=output,
            to=self.target.name,
            layout=f"{self.layout.title} ({self.layout.name}), {self.rows.kind}{inside}",
            read=len(self.rows.rows) + len(self.rows.faults),
            written=self.written,
            records=len(records),
            paths=self.paths,
            ids=dict(self.ids),
            left_out=self.left_out,
            examples=tuple(self.made.values())[:SHOWN],
            notes=tuple(self.notes),
            holds=holds,
        )

    # Which key is which.

    def _check_paths(self) -> None:
        """Refuse a call that cannot succeed, once, instead of every record."""
        keys, role = self.rows.keys(), self.target.role
        for mapped, path in self.options.maps.items():
            if mapped in self.paths and all(find(row.values, path) is MISSING for row in self.rows.rows):
                near = difflib.get_close_matches(path.partition(".")[0], keys, n=1)
                hint = f"Did you mean {near[0]}?" if near else ""
                found = f"no record with {shorten(path)}, mapped to {mapped}"
                raise self.source.fail("", "", found, f"one of the keys {listed(keys)}, or a path into one", hint)
        missing = [role] if role not in self.paths else []
        if not self.finder.can_find():
            missing += ["image_id and round_id"] if self.target.rounds else ["question_id"]
        if missing:
            found = f"{self.layout.title} with the keys {listed(keys)}"
            raise self.source.fail("", "", found, f"what can be {' and '.join(missing)}", self._how_to_map(missing))
        chosen = self.paths[role]
        others = [
            path
            for path in PLAIN.paths.get(role, ())
            if path in keys
            and path != chosen
            and role not in self.options.maps
            and any(USABLE[role](row.values.get(path)) for row in self.rows.rows[:LOOKED_AT])
        ]
        if others and not chosen.startswith("@"):
            truth = ", which may be the truth" if others == ["answer"] else ""
            self.notes.append(f"{role} is `{chosen}`, not {listed(others)}{truth}; `map` {role}=KEY chooses another")

    def _how_to_map(self, missing: Sequence[str]) -> str:
        hints = []
        rows = self.rows.rows[:LOOKED_AT]
        ids = self.layout.paths.get("question_id", ())
        present = [path for path in ids if any(find(row.values, path) is not MISSING for row in rows)]
        counts = [name for name in (*self.layout.counts, *present) if "question_id" in missing]
        if counts:
            hints.append(
                f"`{counts[0]}` is the place of a record in its run, not the id of a question; if it is one here, "
                f"say `map` question_id={counts[0]}."
            )
        if self.target.role in missing:
            hints.append(f"Say where it is with `map` {self.target.role}=KEY; KEY may be a path, as outputs.0.text.")
        if missing[-1] != self.target.role and "question" in self.paths and self.known is None:
            kind = "dialogues" if self.target.rounds else "questions"
            hints.append(f"With `against`, the {kind} of the dataset, records are found by image and question.")
        elif missing[-1] != self.target.role and not counts:
            hints.append(f"Say where it is with `map` {missing[-1].split()[0]}=KEY.")
        return " ".join(hints)

    # The model's answer.

    def _record(self, row: RawRecord, question: QuestionId, shift: int) -> dict[str, Any]:
        role = self.target.role
        value = find(row.values, self.paths[role])
        if value is MISSING or value is None:
            raise Unmapped(self.paths[role], "nothing", f"what the model said ({role})", "no answer")
        if not self.target.rounds:
            return {"question_id": question[0], "answer": self._answer(value)}
        ids = {"image_id": question[0], "round_id": question[1]}
        if role == "answer":
            return ids | {"generations": self._texts(value)}
        return ids | {self.target.name: self._numbers(value, shift)}

    def _texts(self, value: Any) -> list[str]:
        path = self.paths["answer"]
        texts = [""] if self.layout.joined and value == [] else answer_texts(value)
        if texts is None:
            raise Unmapped(path, shorten(value), "a text, or a list of texts", "no text as its answer")
        if any(SURROGATE.search(text) for text in texts):
            raise Unmapped(path, "a lone surrogate (half of a character)", "text in UTF-8", "text that is not UTF-8")
        return [" ".join(texts)] if self.layout.joined else texts

    def _answer(self, value: Any) -> str:
        texts, path = self._texts(value), self.paths["answer"]
        if len(texts) > 1:
            expected = f"one; `map` answer={path}.0 takes the first"
            raise Unmapped(path, f"{len(texts)} answers", expected, "several answers")
        return texts[0]

    def _numbers(self, value: Any, shift: int) -> list[float] | list[int]:
        path = self.paths[self.target.role]
        if not isinstance(value, list):
            raise Unmapped(path, shorten(value), "a list of numbers, one per option", "no list of numbers")
        if self.target.name == "scores":
            return value
        ranks = [whole_number(rank) for rank in value]
        if None in ranks:
            bad = value[ranks.index(None)]
            raise Unmapped(path, shorten(bad), "whole numbers", "ranks that are not whole numbers")
        return [rank + shift for rank in ranks if rank is not None]

    def _rank_base(self) -> int:
        """1 where all rankings are from 0, as programs count; the official ones are from 1."""
        if self.target.name != "ranks":
            return 0
        rankings = [find(row.values, self.paths["ranks"]) for row in self.rows.rows]
        from_zero = bool(rankings) and all(
            isinstance(ranks, list) and 0 in map(whole_number, ranks) for ranks in rankings
        )
        if from_zero:
            self.notes.append("ranks were counted from 0 and are now counted from 1")
        return int(from_zero)

    # Records of the same question or round, and what is left out.

    def _put(self, row: RawRecord, question: QuestionId, record: dict[str, Any]) -> bool:
        """Whether a record is among those to be written; there may already be one of the same question or round."""
        how = self.options.duplicates
        if question not in self.made:
            self.made[question] = (row.place, record)
            self.written += 1
            return True
        first, earlier = self.made[question]
        if how == "error":
            name = f"image {question[0]}, round_id {question[1]}" if self.target.rounds else f"question {question[0]}"
            choices = "first, last or all" if self.target.name == "generations" else "first or last"
            expected = f"one record each, or `duplicates` {choices}"
            raise Unmapped("", f"{name}, which {first} has, too", expected, AGAIN)
        if how == "all":
            earlier["generations"] += record["generations"]
            self.written += 1
            return True
        self._count(AGAIN, row.place if how == "first" else first)
        if how == "last":
            self.made[question] = (row.place, record)
        return False

    def _leave_out(self, place: str, error: Unmapped) -> None:
        self._count(error.reason, place)
        if not self.options.leave_out:
            self.faults.setdefault(error.reason, []).append((error, place))

    def _refuse(self) -> None:
        """Raise all records that cannot be mapped, one line for each kind of fault."""
        problems = Problems(self.source.name)
        for faults in self.faults.values():
            shown = faults[:SHOWN]
            places, more = ", ".join(place for _, place in shown), ", …" if len(faults) > SHOWN else ""
            where = places if len(faults) == 1 else f"{len(faults):,} records ({places}{more})"
            found = "; ".join(dict.fromkeys(error.found for error, _ in shown)) + more
            first = faults[0][0]
            problems.add(where, first.field, found, first.expected, "" if problems.total else LEAVE_OUT)
        problems.check()

    def _count(self, reason: str, place: str) -> None:
        count, first = self.left_out.get(reason, (0, ()))
        self.left_out[reason] = (count + 1, (*first, place) if len(first) < SHOWN else first)

    def _note_extent(self, records: Sequence[dict[str, Any]]) -> None:
        """Note what the dataset has and the file has not, and ids that look like mere positions."""
        if self.known is not None:
            lacking = len(self.known) - len(records)
            if lacking > 0:
                more = counted(lacking, self.known.kind[:-1])
                self.notes.append(f"{self.known.name} has {more} more, without an answer here")
        elif not self.target.rounds and len(records) > 1:
            ids = sorted(record["question_id"] for record in records)
            if ids in (list(range(len(ids))), list(range(1, len(ids) + 1))):
                self.notes.append(
                    f"question ids are {ids[0]} to {ids[-1]:,}: maybe places in a run and no ids of the dataset; "
                    "`against` QUESTIONS finds out"
                )
