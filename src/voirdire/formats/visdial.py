"""VisDial v0.9 and v1.0 dialogues, all splits.

    {version, split, data: {questions[], answers[], dialogs[{image_id, caption, dialog[{question, answer, gt_index,
    answer_options[100]}]}]}}

All numbers are places in the two pools. The official files have 100 options per round; any other number up to 1,000
will do, the same in all rounds that have options. Errors: a place outside its pool, a `gt_index` that does not point at
the answer, a list of options that is longer or shorter than most of its file, a dialogue without rounds or with more
than ten, an image id that occurs twice. A file of train or val gets a note for each round without answer, `gt_index` or
options and for each dialogue of fewer than ten rounds; the test split lacks these on purpose. Missing values stay -1.
Rounds are counted from 0, also in messages.
"""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats import strict
from voirdire.formats.catalogue import Format
from voirdire.formats.documents import Id, named, parse_record
from voirdire.formats.files import Source, write_chunks
from voirdire.formats.record import Notes, Record, entries
from voirdire.formats.round_files import MOST, ROUNDS, Fault, dialogue_keys, fill_rows, from_zero, width_of
from voirdire.formats.strict import Problems, count_colons, escapes_colons, outermost, refuse_repeated_keys

VERSIONS = ("0.9", "1.0", "")  # The last where a file does not say it.

_Place = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
_Option = Annotated[int, msgspec.Meta(ge=0, lt=MOST)]
_NO_OPTIONS = msgspec.Raw()


class _Round(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    question: _Place
    answer: _Place = -1
    gt_index: _Option = -1
    answer_options: msgspec.Raw = _NO_OPTIONS


class _Dialogue(msgspec.Struct, forbid_unknown_fields=True):
    image_id: Id
    caption: str
    dialog: Annotated[list[_Round], msgspec.Meta(min_length=1, max_length=ROUNDS)]


class _Data(msgspec.Struct, forbid_unknown_fields=True):
    questions: list[str]
    answers: list[str]
    dialogs: Annotated[list[_Dialogue], msgspec.Meta(min_length=1)]


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    data: _Data
    version: str = ""
    split: str = ""


class _OutlineData(msgspec.Struct):
    questions: list[str]
    answers: list[str]
    dialogs: Annotated[list[msgspec.Raw], msgspec.Meta(min_length=1)]


class _Outline(msgspec.Struct):
    data: _OutlineData
    version: str = ""
    split: str = ""


@dataclass(frozen=True, eq=False)
class VisDial(Record):
    """A file of dialogues as flat arrays over all rounds.

    questions, answers  the pools
    image_ids           int64[n], one per dialogue
    captions            n texts
    first_round         int64[n + 1]; the rounds of dialogue i are first_round[i]:first_round[i + 1]
    question            int32[r], a place in the pool of questions
    answer              int32[r], a place in the pool of answers; -1 where not given
    gt_index            int16[r], the place of the answer among the options; -1 where not given
    options             int32[r, m], places in the pool of answers, m = 100 in VisDial; a row of -1 where not given
    """

    version: str
    split: str
    questions: list[str]
    answers: list[str]
    image_ids: npt.NDArray[np.int64]
    captions: list[str]
    first_round: npt.NDArray[np.int64]
    question: npt.NDArray[np.int32]
    answer: npt.NDArray[np.int32]
    gt_index: npt.NDArray[np.int16]
    options: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.image_ids)

    def only(self, rows: npt.NDArray[np.intp]) -> Self:
        """The same with these dialogues alone; the pools stay."""
        kept = np.concatenate([np.arange(0), *(np.asarray(self.rounds(row)) for row in rows.tolist())]).astype(np.intp)
        lengths = np.diff(self.first_round)[rows]
        return replace(
            self,
            image_ids=self.image_ids[rows],
            captions=entries(self.captions, rows),
            first_round=np.append(0, np.cumsum(lengths)).astype(np.int64),
            question=self.question[kept],
            answer=self.answer[kept],
            gt_index=self.gt_index[kept],
            options=self.options[kept],
        )

    def rounds(self, dialogue: int) -> range:
        """The rounds of a dialogue."""
        return range(int(self.first_round[dialogue]), int(self.first_round[dialogue + 1]))

    def round_dialogues(self) -> npt.NDArray[np.int64]:
        """int64[r]: the dialogue of each round."""
        return np.repeat(np.arange(len(self)), np.diff(self.first_round))

    def round_numbers(self) -> npt.NDArray[np.int64]:
        """int64[r]: the number of each round in its dialogue, from 0."""
        return np.arange(len(self.question)) - self.first_round[self.round_dialogues()]

    def label(self, round_: int) -> str:
        """A round's name in messages: its image and its number, from 0."""
        dialogue = int(np.searchsorted(self.first_round, round_, side="right")) - 1
        return f"image {self.image_ids[dialogue]}, {from_zero(round_ - self.first_round[dialogue])}"

    def question_text(self, round_: int) -> str:
        """The question of a round."""
        return self.questions[int(self.question[round_])]

    def answer_text(self, round_: int) -> str | None:
        """The answer of a round; None where the file does not give it."""
        place = int(self.answer[round_])
        return self.answers[place] if place >= 0 else None

    def option_texts(self, round_: int) -> list[str]:
        """The candidate answers of a round; none where the file does not give them."""
        row = self.options[round_].tolist()
        return [self.answers[place] for place in row] if row[0] >= 0 else []


def parse_visdial(source: Source) -> VisDial:
    """VisDial dialogues from a file's bytes."""
    with ThreadPoolExecutor(1) as executor:
        # The digest of a large file takes a while and needs no lock of Python's.
        fingerprint = executor.submit(lambda: source.fingerprint)
        visdial = _parse(source)
        return replace(visdial, fingerprint=fingerprint.result())


def _parse(source: Source) -> VisDial:
    unknown: tuple[str, ...] = ()
    problems = Problems(source.name)
    try:
        visdial, faults = _flatten(msgspec.json.decode(source.data, type=_Document))
        good = source.data.count(b":") == _count_colons(visdial) and not escapes_colons(source.data)
    except msgspec.ValidationError:
        good = False
    except strict.UNREADABLE as error:
        raise strict.malformed(source, error) from None
    if not good:
        document, unknown = _examine(source, problems)
        visdial, faults = _flatten(document)
    for row, place, found, expected in faults:
        problems.add(visdial.label(row), f"answer_options{place}", found, expected)
    _check(visdial, problems)
    problems.check()
    return replace(visdial, notes=unknown + _notes(visdial))


def _flatten(document: _Document) -> tuple[VisDial, list[Fault]]:
    """The document as arrays, and the lists of options that could not be read."""
    data = document.data
    rounds = [round_ for dialogue in data.dialogs for round_ in dialogue.dialog]
    raws = [None if round_.answer_options is _NO_OPTIONS else round_.answer_options for round_ in rounds]
    options = np.full((len(rounds), width_of(raws)), -1, np.int32)
    faults = fill_rows(options, raws, len(data.answers))
    visdial = VisDial(
        document.version,
        document.split,
        data.questions,
        data.answers,
        np.fromiter((dialogue.image_id for dialogue in data.dialogs), np.int64, len(data.dialogs)),
        [dialogue.caption for dialogue in data.dialogs],
        np.cumsum([0, *(len(dialogue.dialog) for dialogue in data.dialogs)], dtype=np.int64),
        np.fromiter((round_.question for round_ in rounds), np.int32, len(rounds)),
        np.fromiter((round_.answer for round_ in rounds), np.int32, len(rounds)),
        np.fromiter((round_.gt_index for round_ in rounds), np.int16, len(rounds)),
        options,
    )
    return visdial, faults


def _count_colons(visdial: VisDial) -> int:
    """How many colons the text of the dialogues has, if it gives each field once."""
    outer = 4 + (visdial.version != "") + (visdial.split != "") + 3 * len(visdial)
    columns = visdial.question, visdial.answer, visdial.gt_index, visdial.options[:, 0]
    texts = [visdial.version, visdial.split], visdial.questions, visdial.answers, visdial.captions
    return outer + sum(int((column >= 0).sum()) for column in columns) + sum(map(count_colons, texts))


def _examine(source: Source, problems: Problems) -> tuple[_Document, tuple[str, ...]]:
    """The document read dialogue by dialogue, and notes on the fields not known; those with faults are left out."""
    strict.refuse_other_encodings(source)  # Also in fields that are not known, which are not decoded otherwise.
    outline = strict.decode_outline(source, _Outline)
    unknown = Counter[str]()
    top = msgspec.json.decode(source.data, type=dict[str, msgspec.Raw])
    for text, type_, path in ((source.data, _Outline, ""), (bytes(top["data"]), _OutlineData, "data.")):
        strict.prune(msgspec.json.decode(text, type=dict[str, msgspec.Raw]), type_, unknown, path)
        outer = outermost(text)
        refuse_repeated_keys(strict.parse(Source(source.name, outer)), outer, "", problems, path)
    dialogues: list[_Dialogue] = []
    for number, raw in enumerate(outline.data.dialogs, start=1):
        before = problems.total
        parsed = parse_record(bytes(raw), f"record {number} of dialogs", named(image="image_id"), problems)
        if parsed is None:
            continue
        where, value = parsed[0], strict.prune(parsed[1], _Dialogue, unknown, "data.dialogs.")
        rounds = value.get("dialog") if isinstance(value, dict) else None
        for index, round_ in enumerate(rounds if isinstance(rounds, list) else ()):
            strict.attempt(round_, _Round, f"{where}, {from_zero(index)}", problems)
        if problems.total == before and (dialogue := strict.attempt(value, _Dialogue, where, problems)) is not None:
            dialogues.append(dialogue)
    data = _Data(outline.data.questions, outline.data.answers, dialogues)
    return _Document(data, outline.version, outline.split), strict.note_unknown(unknown)


def _check(visdial: VisDial, problems: Problems) -> None:
    """Places inside the pools, ground truths that point at the answer, images that occur once."""
    images, counts = np.unique(visdial.image_ids, return_counts=True)
    for image in images[counts > 1].tolist():
        problems.add(f"image {image}", "image_id", "more than one dialogue with this id", "one")
    for name, pool in (("question", visdial.questions), ("answer", visdial.answers)):
        places = getattr(visdial, name)
        for row in np.flatnonzero(places >= len(pool)).tolist():
            expected = f"a place in the pool of {len(pool):,} {name}s"
            problems.add(visdial.label(row), name, str(places[row]), expected)
    given = (visdial.gt_index >= 0) & (visdial.options[:, 0] >= 0)
    beyond = visdial.gt_index >= visdial.options.shape[1]
    for row in np.flatnonzero(given & beyond).tolist():
        expected = f"a place among the {visdial.options.shape[1]} options, from 0"
        problems.add(visdial.label(row), "gt_index", str(visdial.gt_index[row]), expected)
    rows = np.flatnonzero(given & ~beyond & (visdial.answer >= 0))
    pointed = visdial.options[rows, visdial.gt_index[rows]]
    for row in rows[pointed != visdial.answer[rows]].tolist():
        place, answer = visdial.gt_index[row], visdial.answer[row]
        found = f"{place}, where the options have {visdial.options[row, place]}"
        problems.add(visdial.label(row), "gt_index", found, f"the place of the answer {answer}")


def _notes(visdial: VisDial) -> tuple[str, ...]:
    """An unknown version, and what a file lacks, unless it is of the test split, which lacks it on purpose."""
    notes = Notes()
    if visdial.version not in VERSIONS:
        notes.add(f"version {shorten(visdial.version)} is not known; it was read as 0.9 and 1.0 are")
    if visdial.split.startswith("test"):
        return notes.collect()
    sizes = np.diff(visdial.first_round)
    for dialogue in np.flatnonzero(sizes < ROUNDS).tolist():
        notes.add(f"{counted(sizes[dialogue], 'round')} instead of {ROUNDS}", f"image {visdial.image_ids[dialogue]}")
    columns: dict[str, npt.NDArray[Any]] = {
        "answer": visdial.answer,
        "gt_index": visdial.gt_index,
        "answer_options": visdial.options[:, 0],
    }
    missing: dict[str, npt.NDArray[np.bool_]] = {name: column < 0 for name, column in columns.items()}
    for row in np.flatnonzero(np.logical_or.reduce([*missing.values()])).tolist():
        names = ", ".join(name for name, absent in missing.items() if absent[row])
        notes.add(f"no {names}", visdial.label(row))
    return notes.collect()


def write_visdial(visdial: VisDial, path: str | Path) -> None:
    """Write the official layout; what is -1 is left out."""
    write_chunks(_chunks(visdial), path)


def _chunks(visdial: VisDial) -> Iterator[bytes]:
    encode = msgspec.json.encode
    yield b'{"version":' + encode(visdial.version)
    if visdial.split:
        yield b',"split":' + encode(visdial.split)
    yield b',"data":{"questions":' + encode(visdial.questions)
    yield b',"answers":' + encode(visdial.answers) + b',"dialogs":['
    for dialogue, image in enumerate(visdial.image_ids.tolist()):
        rounds = [_round(visdial, round_) for round_ in visdial.rounds(dialogue)]
        value = {"image_id": image, "caption": visdial.captions[dialogue], "dialog": rounds}
        yield (b",\n" if dialogue else b"\n") + encode(value)
    yield b"]}}\n"


def _round(visdial: VisDial, round_: int) -> dict[str, Any]:
    value: dict[str, Any] = {"question": int(visdial.question[round_])}
    if visdial.answer[round_] >= 0:
        value["answer"] = int(visdial.answer[round_])
    if visdial.gt_index[round_] >= 0:
        value["gt_index"] = int(visdial.gt_index[round_])
    if visdial.options[round_, 0] >= 0:
        value["answer_options"] = visdial.options[round_].tolist()
    return value


def _describe(visdial: VisDial) -> str:
    origin = " ".join(part for part in ("VisDial", visdial.version, visdial.split) if part)
    rounds, given = len(visdial.question), int((visdial.options[:, 0] >= 0).sum())
    width = counted(visdial.options.shape[1], "option")
    options = f"{width} each" if given == rounds else f"{width} in {given:,} of them" if given else "no options"
    return f"{origin}: {counted(len(visdial), 'dialogue')}, {counted(rounds, 'round')}, {options}"


FORMAT = Format(
    name="visdial",
    title="VisDial dialogues",
    matches=lambda sample: sample.has("object", "data.dialogs"),
    parse=parse_visdial,
    describe=_describe,
    keys=lambda visdial: dialogue_keys(visdial.image_ids, visdial.first_round),
    write=write_visdial,
)

read_visdial = FORMAT.read
"""Read a file of VisDial dialogues."""
