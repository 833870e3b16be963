"""Dialogues of either layout as one type: a caption and rounds, in the file's order.

The question of a round without an answer, as at the end of a test dialogue, is `pending`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from voirdire.errors import InputError, Problem
from voirdire.formats.catalogue import detect
from voirdire.formats.files import open_source
from voirdire.formats.record import Record
from voirdire.formats.visdial import VisDial
from voirdire.formats.visdial_text import VisDialText


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A dialogue about one image.

    rounds   questions with their answers; turn t is rounds[t - 1], and turn 0 the caption
    pending  a question that has no answer; empty where there is none
    image    the name of the image's file; empty where only its id is known
    """

    image_id: int
    caption: str
    rounds: tuple[tuple[str, str], ...]
    pending: str = ""
    image: str = ""


@dataclass(frozen=True, eq=False)
class Dialogues(Record):
    """The dialogues of a file; propositions and states refer to them by their places in it.

    file  the name of that file, as it was given; empty where they were read from none
    """

    dialogues: tuple[Dialogue, ...]
    split: str = ""
    file: str = field(default="", compare=False)

    def __len__(self) -> int:
        return len(self.dialogues)

    def __getitem__(self, place: int) -> Dialogue:
        return self.dialogues[place]

    def __iter__(self) -> Iterator[Dialogue]:
        return iter(self.dialogues)


def read_dialogues(path: str | Path) -> Dialogues:
    """Read VisDial dialogues, in the official JSON or in the text layout."""
    source = open_source(path)
    format_ = detect(source)
    if format_.name not in ("visdial", "visdial_text"):
        found = f"{format_.title} ({format_.name})"
        raise InputError(source.name, [Problem("", "", found, "VisDial dialogues (visdial) or the same as text")])
    # Standard input is there once; a file that another part has read is not parsed again.
    record = format_.parse(source) if source.name == "-" else format_.read(path)
    dialogues = from_visdial(record) if isinstance(record, VisDial) else from_text(record)
    return replace(dialogues, file=source.name)


def from_visdial(visdial: VisDial) -> Dialogues:
    """The dialogues of an official file."""
    dialogues = []
    for place, image_id in enumerate(visdial.image_ids.tolist()):
        rounds: list[tuple[str, str]] = []
        pending = ""
        for round_ in visdial.rounds(place):
            question, answer = visdial.question_text(round_), visdial.answer_text(round_)
            if answer is None:
                pending = question
                break
            rounds.append((question, answer))
        dialogues.append(Dialogue(image_id, visdial.captions[place], tuple(rounds), pending))
    # Candidate answers are not used here, so it does not matter whether they are missing.
    unused = ("answer_options", "gt_index", "more note")
    notes = tuple(note for note in visdial.notes if not any(word in note for word in unused))
    return Dialogues(tuple(dialogues), visdial.split, fingerprint=visdial.fingerprint, notes=notes)


def from_text(text: VisDialText) -> Dialogues:
    """The dialogues of a file in the text layout; it does not say its split."""
    dialogues = [
        Dialogue(
            image_id,
            text.captions[place],
            tuple((text.questions[round_], text.answers[round_]) for round_ in text.rounds(place)),
            image=text.images[place],
        )
        for place, image_id in enumerate(text.image_ids.tolist())
    ]
    return Dialogues(tuple(dialogues), fingerprint=text.fingerprint, notes=text.notes)
