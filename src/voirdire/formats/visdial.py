"""VisDial v0.9 and v1.0 dialogues, all splits.

    {version, split, data: {questions[], answers[], dialogs[{image_id, caption, dialog[{question, answer, gt_index,
    answer_options[100]}]}]}}

All numbers are places in the two pools. Errors: a place outside its pool, a `gt_index` that does not point at the
answer, a list of options that has not 100 entries, a dialogue without rounds or with more than ten, an image id that
occurs twice. A file of train or val gets a note for each round without answer, `gt_index` or options and for each
dialogue of fewer than ten rounds; in the test split these are as they should be. Nothing that is missing is filled in:
it stays -1. Rounds are counted from 0, also in messages.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.formats.record import Record
from voirdire.formats.sink import write_chunks

__all__ = ["OPTIONS", "VisDial", "write_visdial"]

OPTIONS = 100


@dataclass(frozen=True, eq=False)
class VisDial(Record):
    """A file of dialogues as flat arrays over all rounds.

    questions, answers  the pools
    image_ids           int64[n], one a dialogue
    captions            n texts
    first_round         int64[n + 1]; the rounds of dialogue i are first_round[i]:first_round[i + 1]
    question            int32[r], a place in the pool of questions
    answer              int32[r], a place in the pool of answers; -1 where not given
    gt_index            int16[r], the place of the answer among the options; -1 where not given
    options             int32[r, 100], places in the pool of answers; a row of -1 where not given
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
    fingerprint: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.image_ids)

    def rounds(self, dialogue: int) -> range:
        """The rounds of a dialogue."""
        return range(int(self.first_round[dialogue]), int(self.first_round[dialogue + 1]))

    def round_dialogues(self) -> npt.NDArray[np.int64]:
        """int64[r]: the dialogue of each round."""
        return np.repeat(np.arange(len(self)), np.diff(self.first_round))

    def round_numbers(self) -> npt.NDArray[np.int64]:
        """int64[r]: the number of each round in its dialogue, from 0."""
        return np.arange(len(self.question)) - self.first_round[self.round_dialogues()]

    def question_text(self, round_: int) -> str:
        """The question of a round."""
        return self.questions[int(self.question[round_])]

    def answer_text(self, round_: int) -> str | None:
        """The answer of a round; None where the file does not give it."""
        place = int(self.answer[round_])
        return self.answers[place] if place >= 0 else None

    def option_texts(self, round_: int) -> list[str]:
        """The 100 candidate answers of a round; none where the file does not give them."""
        row = self.options[round_].tolist()
        return [self.answers[place] for place in row] if row[0] >= 0 else []


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
