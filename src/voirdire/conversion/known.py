"""The questions that were asked, to find those of a model's answers in: by id, or by image and text.

Texts are compared case, spacing and final marks aside. A prompt holds its question on one of its lines, maybe behind a
label ("Question: …"): the line counts that is a question of the file. Where a record names its image, only questions
about that image count; where it does not, a text must be that of one question alone.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from voirdire.errors import UsageError
from voirdire.figures import counted
from voirdire.formats.catalogue import detect
from voirdire.formats.dialogues import from_text, from_visdial
from voirdire.formats.files import open_source
from voirdire.formats.visdial import VisDial

_LABEL = re.compile(r"^(?:<[^>]{1,30}>\s*)*(?:user|human|question|q)?\s*[:>]?\s*(?:<[^>]{1,30}>\s*)*", re.IGNORECASE)

Name = tuple[int, ...]
"""What names a question: (question id,) of VQA, (image id, round from 0) of VisDial."""


@dataclass
class Known:
    """Questions by their names.

    name     the file's
    kind     "questions" or "rounds"
    texts    of each question its text; empty where the file has none
    """

    name: str
    kind: str
    texts: dict[Name, str] = field(default_factory=dict)
    images: dict[Name, int] = field(default_factory=dict)
    _by_text: dict[str, list[Name]] = field(default_factory=lambda: defaultdict(list))

    def add(self, name: Name, image: int, text: str) -> None:
        """One question."""
        self.texts[name], self.images[name] = text, image
        if text:
            self._by_text[_plain(text)].append(name)

    def find(self, text: str, image: int | None) -> list[Name]:
        """All questions that the text may be, about the image where one is given."""
        lines = [text, *text.splitlines()]
        for line in lines:
            found = self._by_text.get(_plain(line)) or self._by_text.get(_plain(_LABEL.sub("", line, count=1))) or []
            found = [name for name in found if image is None or self.images[name] == image]
            if found:
                return found
        return []

    def agrees(self, name: Name, text: str) -> bool:
        """Whether a text may be that of the question of this name."""
        return name in self.find(text, self.images[name])

    def __len__(self) -> int:
        return len(self.texts)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(" .?!")


def read_known(path: str, rounds: bool) -> Known:
    """The questions of VQA, or the rounds of dialogues, of a file."""
    source = open_source(path)
    format_ = detect(source)
    wanted = ("visdial", "visdial_text") if rounds else ("vqa_questions", "vqa_annotations")
    if format_.name not in wanted:
        raise UsageError(
            f"`against` {path} is {format_.title} ({format_.name}); to find {'rounds' if rounds else 'questions'} in, "
            f"it must be {' or '.join(wanted)}"
        )
    record: Any = format_.parse(source)
    known = Known(source.name, "rounds" if rounds else "questions")
    if rounds:
        for dialogue in from_visdial(record) if isinstance(record, VisDial) else from_text(record):
            questions = [question for question, _ in dialogue.rounds] + [dialogue.pending] * bool(dialogue.pending)
            for number, question in enumerate(questions):
                known.add((dialogue.image_id, number), dialogue.image_id, question)
    else:
        texts = getattr(record, "questions", None) or [""] * len(record)
        for id_, image, text in zip(record.question_ids.tolist(), record.image_ids.tolist(), texts, strict=True):
            known.add((id_,), image, text)
    if not len(known):
        raise source.fail("", "", counted(0, known.kind[:-1]), "at least one")
    return known
