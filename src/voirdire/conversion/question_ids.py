"""Which question or round a record is about: by its ids, or by image and text among the questions of the dataset.

An id counts where the dataset has it and, if the record has the text of its question, where that is the same; else
the text is looked up. So numbers that are mere positions in a run are not taken for ids, whatever they are called.
Where the same is asked twice about an image, the first record belongs to the first question.

Texts are compared without regard to case, spacing and final punctuation. A prompt has its question on one of its lines,
maybe behind a label ("Question: …"): the line counts that is a question of the dataset. Where a record names its image,
only questions about that image count; where it does not, a text must be that of one question alone.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from voirdire.conversion.datasets import number_of
from voirdire.conversion.layouts import Target
from voirdire.conversion.rows import MISSING, RawRecord, find, image_id_of, question_text, whole_number
from voirdire.errors import UsageError, shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import detect
from voirdire.formats.dialogues import from_text, from_visdial
from voirdire.formats.files import open_source
from voirdire.formats.visdial import VisDial

AS_THEY_ARE = "as they are"

_LABEL = re.compile(r"^(?:<[^>]{1,30}>\s*)*(?:user|human|question|q)?\s*[:>]?\s*(?:<[^>]{1,30}>\s*)*", re.IGNORECASE)

QuestionId = tuple[int, ...]
"""What identifies a question: (question id,) of VQA, (image id, round from 0) of VisDial."""


@dataclass
class KnownQuestions:
    """The questions of a dataset by their ids.

    name     the file's
    kind     "questions" or "rounds"
    texts    the text of each question; empty where the file has none
    """

    name: str
    kind: str
    texts: dict[QuestionId, str] = field(default_factory=dict)
    images: dict[QuestionId, int] = field(default_factory=dict)
    _by_text: dict[str, list[QuestionId]] = field(default_factory=lambda: defaultdict(list))

    def add(self, question: QuestionId, image: int, text: str) -> None:
        """Add one question."""
        self.texts[question], self.images[question] = text, image
        if text:
            self._by_text[_normalise(text)].append(question)

    def find(self, text: str, image: int | None) -> list[QuestionId]:
        """All questions that the text may be, about the image where one is given."""
        for line in (text, *text.splitlines()):
            same = self._by_text.get(_normalise(line)) or self._by_text.get(_normalise(_LABEL.sub("", line, count=1)))
            if matching := [question for question in same or () if image is None or self.images[question] == image]:
                return matching
        return []

    def agrees(self, question: QuestionId, text: str) -> bool:
        """Whether a text may be that of this question."""
        return question in self.find(text, self.images[question])

    def __len__(self) -> int:
        return len(self.texts)


def _normalise(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(" .?!")


def read_known(path: str, rounds: bool) -> KnownQuestions:
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
    known = KnownQuestions(source.name, "rounds" if rounds else "questions")
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


class Unmapped(Exception):
    """A record that cannot be mapped: the field, what was found, what was expected, and the reason in short."""

    def __init__(self, field: str, found: str, expected: str, reason: str) -> None:
        self.field, self.found, self.expected, self.reason = field, found, expected, reason
        super().__init__(reason)


class QuestionFinder:
    """Finds the question or round of each record of one file.

    paths  from a role to where its value is
    known  the questions of the dataset, if they are given
    """

    def __init__(self, target: Target, paths: Mapping[str, str], known: KnownQuestions | None) -> None:
        self.target, self.paths, self.known = target, paths, known
        self._taken: set[QuestionId] = set()

    def can_find(self) -> bool:
        """Whether the records have what identifies their questions."""
        by_text = self.known is not None and "question" in self.paths
        by_id = {"image_id", "round_id"} if self.target.rounds else {"question_id"}
        return by_text or by_id <= set(self.paths)

    def find(self, row: RawRecord) -> tuple[QuestionId, str]:
        """The id of a record's question or round, and how it was found."""
        return self._round(row) if self.target.rounds else self._question(row)

    def _value(self, row: RawRecord, role: str) -> Any:
        return find(row.values, self.paths[role]) if role in self.paths else MISSING

    def _question(self, row: RawRecord) -> tuple[QuestionId, str]:
        value, text = self._value(row, "question_id"), question_text(self._value(row, "question"))
        number = whole_number(value) if self.known is None else number_of(value)
        if self.known is None:
            if number is None:
                raise _no_id("question_id", value, "a whole number; others are found with `against` QUESTIONS")
            return (number,), AS_THEY_ARE
        if number is not None and (number,) in self.known.texts:
            asked = self.known.texts[(number,)]
            if not text or not asked or self.known.agrees((number,), text):
                return (number,), AS_THEY_ARE
        return self._by_text(self.known, row, text, value)

    def _round(self, row: RawRecord) -> tuple[QuestionId, str]:
        image, value = image_id_of(self._value(row, "image_id")), self._value(row, "round_id")
        number = whole_number(value)
        if image is not None and number is not None:
            return (image, number), AS_THEY_ARE
        if self.known is not None and (text := question_text(self._value(row, "question"))):
            return self._by_text(self.known, row, text, value)
        if image is None:
            raise _no_id("image_id", self._value(row, "image_id"), "a whole number, or a name that ends in one")
        raise _no_id("round_id", value, "a whole number")

    def _by_text(self, known: KnownQuestions, row: RawRecord, text: str | None, value: Any) -> tuple[QuestionId, str]:
        """Look up a record's question in the dataset."""
        if not text:
            field = "round_id" if self.target.rounds else "question_id"
            raise _no_id(field, value, f"one of {known.name}, or the text of a question to find it by")
        image = image_id_of(self._value(row, "image_id"))
        matching = known.find(text, image)
        kind = known.kind[:-1]
        if len(matching) == 1:
            return matching[0], "by image and question" if image is not None else "by the text of the question"
        about = "" if image is None else f" about image {image}"
        if not matching:
            raise Unmapped("question", f"{shorten(text)}{about}", f"a {kind} of {known.name}", f"no such {kind} there")
        if image is not None and (free := [question for question in matching if question not in self._taken]):
            self._taken.add(free[0])
            return free[0], "by image and question, in their order where one is asked twice"
        raise Unmapped(
            "question",
            f"{shorten(text)}{about}, which is that of {len(matching)} {kind}s",
            "the text of one alone, or an id or image that tells them apart",
            f"several {kind}s with that text",
        )


def _no_id(field: str, value: Any, expected: str) -> Unmapped:
    found = "nothing" if value is MISSING else shorten(value)
    return Unmapped(field, found, expected, f"no {field}" if value is MISSING else f"{field} that is no number")
