"""VisDial dialogues as plain text.

    [{img, dialog: [caption, "question? answer" × 10]}]

A turn is split at its first "? ": the question before it, the answer after it. A turn that has none, or nothing on
either side, is an error; one that has several is split at the first and noted. The image id is the number in the file
name.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import RECORDS, Format
from voirdire.formats.documents import decode_records
from voirdire.formats.files import Source, write_records
from voirdire.formats.record import Notes, Record
from voirdire.formats.round_files import ROUNDS, dialogue_keys, from_zero
from voirdire.formats.strict import Problems

SEPARATOR = "? "

_NUMBER = re.compile(r"(?:^|[/\\_])([0-9]{1,18})\.[A-Za-z]+$", re.ASCII)


class _Dialogue(msgspec.Struct, forbid_unknown_fields=True):
    img: str
    dialog: Annotated[list[str], msgspec.Meta(min_length=2, max_length=ROUNDS + 1)]


@dataclass(frozen=True, eq=False)
class VisDialText(Record):
    """Dialogues as text, flat over all rounds.

    images       n file names
    image_ids    int64[n], the numbers in them
    captions     n texts
    first_round  int64[n + 1]; the rounds of dialogue i are first_round[i]:first_round[i + 1]
    questions    r texts, without the question mark
    answers      r texts
    """

    images: list[str]
    image_ids: npt.NDArray[np.int64]
    captions: list[str]
    first_round: npt.NDArray[np.int64]
    questions: list[str]
    answers: list[str]

    def __len__(self) -> int:
        return len(self.images)

    def rounds(self, dialogue: int) -> range:
        """The rounds of a dialogue."""
        return range(int(self.first_round[dialogue]), int(self.first_round[dialogue + 1]))


def image_number(name: str) -> int | None:
    """The number at the end of an image's file name: 42 for `val2018/VisualDialog_val2018_000000000042.jpg`."""
    match = _NUMBER.search(name)
    return int(match[1]) if match else None


def parse_visdial_text(source: Source) -> VisDialText:
    """Dialogues in the text layout from a file's bytes."""
    problems, notes = Problems(source.name), Notes()
    rows, unknown = decode_records(source, _Dialogue, _label, problems)
    problems.require(rows, "record")
    image_ids: list[int] = []
    turns: list[tuple[str, str]] = []
    seen: set[int] = set()
    for row in rows:
        number = image_number(row.img)
        if number is None:
            problems.add("", "img", shorten(row.img), "a file name that ends in the image's number, such as 0042.jpg")
        elif number in seen:
            problems.add(f"image {number}", "img", "more than one dialogue of this image", "one")
        else:
            seen.add(number)
        image_ids.append(-1 if number is None else number)
        for index, turn in enumerate(row.dialog[1:]):
            question, _, answer = turn.partition(SEPARATOR)
            if not question.strip() or not answer.strip():
                where = f"image {row.img if number is None else number}, {from_zero(index)}"
                problems.add(where, f"dialog[{index + 1}]", shorten(turn), 'a question, "? " and an answer')
            elif SEPARATOR in answer:
                notes.add("cut at the first of several question marks", f"image {number}, {from_zero(index)}")
            turns.append((question, answer))
    problems.check()
    return VisDialText(
        [row.img for row in rows],
        np.array(image_ids, np.int64),
        [row.dialog[0] for row in rows],
        np.cumsum([0, *(len(row.dialog) - 1 for row in rows)], dtype=np.int64),
        [question for question, _ in turns],
        [answer for _, answer in turns],
        fingerprint=source.fingerprint,
        notes=unknown + notes.collect(),
    )


def write_visdial_text(text: VisDialText, path: str | Path) -> None:
    """Write the text layout."""
    write_records(
        (
            {
                "img": text.images[dialogue],
                "dialog": [
                    text.captions[dialogue],
                    *(text.questions[round_] + SEPARATOR + text.answers[round_] for round_ in text.rounds(dialogue)),
                ],
            }
            for dialogue in range(len(text))
        ),
        path,
    )


def _label(record: Any) -> str:
    return f"image {record['img']}" if isinstance(record, dict) and isinstance(record.get("img"), str) else ""


FORMAT = Format(
    name="visdial_text",
    title="VisDial dialogues as text",
    fields=("img", "dialog"),
    matches=lambda sample: sample.has(RECORDS, "img", "dialog"),
    parse=parse_visdial_text,
    describe=lambda text: f"{counted(len(text), 'dialogue')}, {counted(len(text.questions), 'round')}",
    keys=lambda text: dialogue_keys(text.image_ids, text.first_round),
    write=write_visdial_text,
)
