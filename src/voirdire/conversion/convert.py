"""From whatever a model wrote to an official layout, with a report of what became what.

    records ──> roles (which key is which) ──> ids (by `values`, or found in --against) ──> the official layout

Nothing is dropped silently. A record that cannot be mapped is an error that names it, unless it may be left out; then
it is counted under its reason. What is written is read again strictly before it is written.
"""

import difflib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from voirdire.conversion.known import Known, Name, read_known
from voirdire.conversion.layouts import PLAIN, Layout, layout_of
from voirdire.conversion.naming import AS_THEY_ARE, Naming, Unmapped
from voirdire.conversion.outcome import Conversion
from voirdire.conversion.request import ConvertOptions, Target, layouts_by_name
from voirdire.conversion.rows import KEY, RawRecord, RawRecords, read_rows
from voirdire.conversion.values import MISSING, find, image_id_of, question_text, said_texts, whole_number
from voirdire.errors import UsageError, shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, formats
from voirdire.formats.files import Source, open_source, same_place
from voirdire.formats.rounds import parse_with_base
from voirdire.formats.strict import Problems

SHOWN, LOOKED_AT = 3, 100
"""How many examples are told, and how many records are looked at to see which keys there are."""
_Made = dict[Name, tuple[str, dict[str, Any]]]
"""What is to be written, by what names it: the place of the record in its file, and what was made of it."""
HALF_SIGN = re.compile("[\\ud800-\\udfff]")
LEAVE_OUT = "`leave_out` writes the others and counts these."


def convert(path: str | Path, output: str | Path, options: ConvertOptions) -> Conversion:
    """Read any tool's file, write an official one, and tell what was done."""
    if str(output) != "-" and str(path) != "-" and same_place(path, output):
        raise UsageError(f"{output} is the file that is read; name another one to write")
    source = open_source(path)
    rows = read_rows(source)
    known = read_known(options.against, options.target.rounds) if options.against else None
    work = _Work(source, rows, options, known)
    made = work.run()
    data = Source(f"what was made of {source.name}", msgspec.json.encode(made))
    format_ = _format(options.to)
    # Rounds that were found in dialogues are counted from 0.
    found = 0 if known is not None and AS_THEY_ARE not in work.ids else None
    record = parse_with_base(format_, data, options.round_base if found is None else found)
    if format_.write is None:
        raise AssertionError(f"{format_.name} has a writer")
    format_.write(record, output)
    return work.report(str(output), made, format_.describe(record))


def _format(name: str) -> Format:
    return next(one for one in formats() if one.name == name)


def choose_paths(rows: RawRecords, layout: Layout, target: Target, maps: Mapping[str, str]) -> dict[str, str]:
    """Where each role stands: as it was asked for, or the first of the layout's paths with values that will do.

    A number called `id` that only counts the records from the file's beginning is no id of a question.
    """
    first = [row.values for row in rows.rows[:LOOKED_AT]]
    paths = {}
    for role in (
        *(("image_id", "round_id") if target.rounds else ("question_id", "image_id")),
        "question",
        target.role,
    ):
        if role in maps:
            paths[role] = maps[role]
            continue
        for path in layout.paths.get(role, ()):
            values = [value for row in first if (value := find(row, path)) is not MISSING]
            if any(USABLE[role](value) for value in values) and not (role == "question_id" and _counts(path, values)):
                paths[role] = path
                break
    return paths


USABLE: dict[str, Callable[[Any], bool]] = {
    "question_id": lambda value: whole_number(value) is not None or (isinstance(value, str) and value != ""),
    "image_id": lambda value: image_id_of(value) is not None,
    "question": lambda value: bool(question_text(value)),
    "round_id": lambda value: whole_number(value) is not None,
    "answer": lambda value: bool(said_texts(value)),
    "ranks": lambda value: isinstance(value, list),
    "scores": lambda value: isinstance(value, list),
}
"""Whether a value may be what a role stands for."""


def _counts(path: str, values: Sequence[Any]) -> bool:
    """Whether a key that does not say that it is a question's holds 0, 1, 2 … or 1, 2, 3 …, the places of records."""
    numbers = list(dict.fromkeys(whole_number(value) for value in values))
    start = numbers[0] if numbers else None
    return (
        path.rpartition(".")[2] in ("id", "uid", KEY)
        and start in (0, 1)
        and numbers == [*range(start, start + len(numbers))]
    )


class _Work:
    """One conversion at work."""

    def __init__(self, source: Source, rows: RawRecords, options: ConvertOptions, known: Known | None) -> None:
        self.source, self.rows, self.options, self.known = source, rows, options, known
        self.target = options.target
        self.layout = layouts_by_name()[options.layout] if options.layout else layout_of(rows.keys())
        self.paths = choose_paths(rows, self.layout, self.target, options.maps)
        self.naming = Naming(self.target, self.paths, known)
        self.ids = Counter[str]()
        self.left_out: dict[str, tuple[int, tuple[str, ...]]] = {}
        self.notes: list[str] = []
        self.faults: dict[str, list[tuple[Unmapped, str]]] = {}
        self.places: list[str] = []
        self.written = 0

    def run(self) -> list[dict[str, Any]]:
        """The records to write, in the order of the file."""
        self._check_paths()
        for place, what in self.rows.faults:
            self._leave_out(place, Unmapped("", what, "a whole record", what.partition(" (")[0]))
        shift = self._rank_base()
        made: _Made = {}
        for row in self.rows.rows:
            try:
                name, how = self.naming.name(row)
                if self._put(made, row, name, self._record(row, name, shift)):
                    self.ids[how] += 1
            except Unmapped as error:
                self._leave_out(row.place, error)
        self._refuse()
        if not made:
            raise self.source.fail("", "", "no record that can be mapped", "at least one", self._reasons())
        self.places = [place for place, _ in made.values()]
        return [record for _, record in made.values()]

    def report(self, output: str, made: Sequence[dict[str, Any]], holds: str) -> Conversion:
        """What was done."""
        self._note_extent(made)
        inside = f", under `{self.rows.inside}`" if self.rows.inside else ""
        return Conversion(
            source=self.source.name,
            output=output,
            to=self.target.name,
            layout=f"{self.layout.title} ({self.layout.name}), {self.rows.kind}{inside}",
            read=len(self.rows.rows) + len(self.rows.faults),
            written=self.written,
            records=len(made),
            paths=self.paths,
            ids=dict(self.ids),
            left_out=self.left_out,
            examples=tuple(zip(self.places[:SHOWN], made[:SHOWN], strict=True)),
            notes=tuple(self.notes),
            holds=holds,
        )

    # Which key is which.

    def _check_paths(self) -> None:
        """Refuse a call that cannot succeed, once, instead of every record."""
        keys = self.rows.keys()
        for role, path in self.options.maps.items():
            if role in self.paths and all(find(row.values, path) is MISSING for row in self.rows.rows):
                near = difflib.get_close_matches(path.partition(".")[0], keys, n=1)
                hint = f"Did you mean {near[0]}?" if near else ""
                found = f"no record with {shorten(path)}, mapped to {role}"
                raise self.source.fail("", "", found, f"one of the keys {listed(keys)}, or a path into one", hint)
        missing = [self.target.role] if self.target.role not in self.paths else []
        if not self.naming.can_name():
            missing += ["image_id and round_id"] if self.target.rounds else ["question_id"]
        if not missing:
            self._note_choices(keys)
            return
        found = f"{self.layout.title} with the keys {listed(keys)}"
        raise self.source.fail("", "", found, f"what can be {' and '.join(missing)}", self._how_to_name(missing))

    def _how_to_name(self, missing: Sequence[str]) -> str:
        hints = []
        plain = [path for path in self.layout.paths.get("question_id", ()) if self._holds(path)]
        counts = [name for name in (*self.layout.counts, *plain) if "question_id" in missing]
        if counts:
            hints.append(
                f"`{counts[0]}` is the place of a record in its run, not the id of a question; if it is one here, "
                f"say `map` question_id={counts[0]}."
            )
        if self.target.role in missing:
            hints.append(f"Say where it is with `map` {self.target.role}=KEY; KEY may be a path, as outputs.0.text.")
        if missing[-1] != self.target.role and "question" in self.paths and self.known is None:
            what = "dialogues" if self.target.rounds else "questions"
            hints.append(f"With `against`, the {what} of the dataset, records are found by image and question.")
        elif missing[-1] != self.target.role and not counts:
            hints.append(f"Say where it is with `map` {missing[-1].split()[0]}=KEY.")
        return " ".join(hints)

    def _holds(self, path: str) -> bool:
        return any(find(row.values, path) is not MISSING for row in self.rows.rows[:LOOKED_AT])

    def _note_choices(self, keys: Sequence[str]) -> None:
        """Say where another key might have been meant."""
        chosen = self.paths[self.target.role]
        others = [
            path
            for path in PLAIN.paths.get(self.target.role, ())
            if path in keys
            and path != chosen
            and self.target.role not in self.options.maps
            and any(USABLE[self.target.role](row.values.get(path)) for row in self.rows.rows[:LOOKED_AT])
        ]
        if others and not chosen.startswith("@"):
            truth = ", which may be the truth" if others == ["answer"] else ""
            self.notes.append(
                f"{self.target.role} is `{chosen}`, not {listed(others)}{truth}; "
                f"`map` {self.target.role}=KEY chooses another"
            )

    # What the model said.

    def _record(self, row: RawRecord, name: Name, shift: int) -> dict[str, Any]:
        value = find(row.values, self.paths[self.target.role])
        if value is MISSING or value is None:
            raise Unmapped(
                self.paths[self.target.role], "nothing", f"what the model said ({self.target.role})", "no answer"
            )
        if not self.target.rounds:
            return {"question_id": name[0], "answer": self._answer(value)}
        ids = {"image_id": name[0], "round_id": name[1]}
        if self.target.role == "answer":
            return ids | {"generations": self._texts(value)}
        return ids | {self.target.name: self._numbers(value, shift)}

    def _texts(self, value: Any) -> list[str]:
        texts = [""] if self.layout.joined and value == [] else said_texts(value)
        if texts is None:
            raise Unmapped(self.paths["answer"], shorten(value), "a text, or a list of texts", "no text as its answer")
        if any(HALF_SIGN.search(text) for text in texts):
            raise Unmapped(
                self.paths["answer"], "half of a sign (a lone surrogate)", "text in UTF-8", "text that is none"
            )
        return [" ".join(texts)] if self.layout.joined else texts

    def _answer(self, value: Any) -> str:
        texts = self._texts(value)
        if len(texts) > 1:
            raise Unmapped(
                self.paths["answer"],
                f"{len(texts)} answers",
                f"one; `map` answer={self.paths['answer']}.0 takes the first",
                "several answers",
            )
        return texts[0]

    def _numbers(self, value: Any, shift: int) -> list[float] | list[int]:
        field = self.paths[self.target.role]
        if not isinstance(value, list):
            raise Unmapped(field, shorten(value), "a list of numbers, one per option", "no list of numbers")
        if self.target.name == "scores":
            return value
        ranks = [whole_number(one) for one in value]
        if None in ranks:
            bad = value[ranks.index(None)]
            raise Unmapped(field, shorten(bad), "whole numbers", "ranks that are no whole numbers")
        return [rank + shift for rank in ranks if rank is not None]

    def _rank_base(self) -> int:
        """1 where all rankings are from 0, as programs count; the official ones are from 1."""
        if self.target.name != "ranks":
            return 0
        lists = [find(row.values, self.paths["ranks"]) for row in self.rows.rows]
        from_zero = bool(lists) and all(isinstance(one, list) and 0 in map(whole_number, one) for one in lists)
        if from_zero:
            self.notes.append("ranks were counted from 0 and are now counted from 1")
        return int(from_zero)

    # Records of the same question or round, and what is left out.

    def _put(
        self, made: dict[Name, tuple[str, dict[str, Any]]], row: RawRecord, name: Name, record: dict[str, Any]
    ) -> bool:
        """Whether a record is among those to be written; one of the same question or round may be there already."""
        how = self.options.duplicates
        if name not in made:
            made[name] = (row.place, record)
            self.written += 1
            return True
        first = made[name][0]
        if how == "error":
            what = f"image {name[0]}, round_id {name[1]}" if self.target.rounds else f"question {name[0]}"
            choices = "first, last or all" if self.target.name == "generations" else "first or last"
            expected = f"one record each, or `duplicates` {choices}"
            raise Unmapped("", f"{what}, which {first} has, too", expected, "a second record of the same")
        if how == "all":
            made[name][1]["generations"] += record["generations"]
            self.written += 1
            return True
        self._count("a second record of the same", row.place if how == "first" else first)
        if how == "last":
            made[name] = (row.place, record)
        return False

    def _leave_out(self, place: str, error: Unmapped) -> None:
        self._count(error.reason, place)
        if not self.options.leave_out:
            self.faults.setdefault(error.reason, []).append((error, place))

    def _refuse(self) -> None:
        """All records that cannot be mapped, one line for each kind of fault."""
        problems = Problems(self.source.name)
        for some in self.faults.values():
            shown = some[:SHOWN]
            places, more = ", ".join(place for _, place in shown), ", …" if len(some) > SHOWN else ""
            where = places if len(some) == 1 else f"{len(some):,} records ({places}{more})"
            found = "; ".join(dict.fromkeys(error.found for error, _ in shown)) + more
            problems.add(where, some[0][0].field, found, some[0][0].expected, "" if problems.total else LEAVE_OUT)
        problems.check()

    def _count(self, reason: str, place: str) -> None:
        count, first = self.left_out.get(reason, (0, ()))
        self.left_out[reason] = (count + 1, (*first, place) if len(first) < SHOWN else first)

    def _reasons(self) -> str:
        said = (f"{reason}: {count:,} ({', '.join(first)})" for reason, (count, first) in self.left_out.items())
        return "; ".join(said)

    def _note_extent(self, made: Sequence[dict[str, Any]]) -> None:
        """What the dataset has and the file has not; and ids that look like mere places."""
        if self.known is not None:
            lacking = len(self.known) - len(made)
            if lacking > 0:
                self.notes.append(
                    f"{self.known.name} has {counted(lacking, self.known.kind[:-1])} more, without an answer here"
                )
        elif not self.target.rounds and len(made) > 1:
            ids = sorted(record["question_id"] for record in made)
            if ids in (list(range(len(ids))), list(range(1, len(ids) + 1))):
                self.notes.append(
                    f"question ids are {ids[0]} to {ids[-1]:,}: maybe places in a run and no ids of the dataset; "
                    "`against` QUESTIONS finds out"
                )


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names in a sentence, the first of many."""
    return ", ".join(shorten(name)[1:-1] for name in names[:most]) + (", …" if len(names) > most else "")
