"""Which question or round a record is about: by its ids, or by image and text among those that were asked.

An id counts where the dataset has it and, if the record has the text of its question, where that is the same; else the
text is looked for. So numbers that are mere places in a run are not taken for ids, whatever they are called. Where the
same is asked twice about an image, the first record is of the first question.
"""

from collections.abc import Mapping
from typing import Any

from voirdire.conversion.known import Known, Name
from voirdire.conversion.request import Target
from voirdire.conversion.rows import RawRecord
from voirdire.conversion.values import MISSING, find, image_id_of, question_text, whole_number
from voirdire.errors import shorten

AS_THEY_ARE = "as they are"


class Unmapped(Exception):
    """A record that cannot be mapped: the field, what was found, what was expected, and the reason in short."""

    def __init__(self, field: str, found: str, expected: str, reason: str) -> None:
        self.field, self.found, self.expected, self.reason = field, found, expected, reason
        super().__init__(reason)


class Naming:
    """Names for the records of one file.

    paths  role to where it stands
    known  what was asked, if that is given
    """

    def __init__(self, target: Target, paths: Mapping[str, str], known: Known | None) -> None:
        self.target, self.paths, self.known = target, paths, known
        self._alike: set[Name] = set()

    def can_name(self) -> bool:
        """Whether the records have what names them."""
        by_text = self.known is not None and "question" in self.paths
        if self.target.rounds:
            return by_text or {"image_id", "round_id"} <= set(self.paths)
        return by_text or "question_id" in self.paths

    def name(self, row: RawRecord) -> tuple[Name, str]:
        """What names a record's question or round, and how that was found."""
        return self._named_round(row) if self.target.rounds else self._named_question(row)

    def _text(self, row: RawRecord) -> str | None:
        value = find(row.values, self.paths["question"]) if "question" in self.paths else MISSING
        return None if value is MISSING else question_text(value)

    def _image(self, row: RawRecord) -> int | None:
        value = find(row.values, self.paths["image_id"]) if "image_id" in self.paths else MISSING
        return None if value is MISSING else image_id_of(value)

    def _named_question(self, row: RawRecord) -> tuple[Name, str]:
        value = find(row.values, self.paths["question_id"]) if "question_id" in self.paths else MISSING
        number = whole_number(value)
        text = self._text(row)
        if self.known is None:
            if number is None:
                raise self._no_id("question_id", value, "a whole number; others are found with `against` QUESTIONS")
            return (number,), AS_THEY_ARE
        if number is not None and (number,) in self.known.texts:
            asked = self.known.texts[(number,)]
            if not text or not asked or self.known.agrees((number,), text):
                return (number,), AS_THEY_ARE
        return self._by_text(row, text, value)

    def _named_round(self, row: RawRecord) -> tuple[Name, str]:
        image = self._image(row)
        value = find(row.values, self.paths["round_id"]) if "round_id" in self.paths else MISSING
        number = whole_number(value)
        if image is not None and number is not None:
            return (image, number), AS_THEY_ARE
        if self.known is not None and (text := self._text(row)):
            return self._by_text(row, text, value)
        if image is None:
            given = find(row.values, self.paths.get("image_id", ""))
            raise self._no_id("image_id", given, "a whole number, or a name that ends in one")
        raise self._no_id("round_id", value, "a whole number")

    def _by_text(self, row: RawRecord, text: str | None, value: Any) -> tuple[Name, str]:
        """Find a record's question among those that were asked."""
        if self.known is None:
            raise AssertionError("only asked where questions are known")
        if not text:
            field = "round_id" if self.target.rounds else "question_id"
            raise self._no_id(field, value, f"one of {self.known.name}, or the text of a question to find it by")
        image = self._image(row)
        found = self.known.find(text, image)
        one = self.known.kind[:-1]
        if len(found) == 1:
            return found[0], "by image and question" if image is not None else "by the text of the question"
        about = "" if image is None else f" about image {image}"
        if not found:
            raise Unmapped(
                "question", f"{shorten(text)}{about}", f"a {one} of {self.known.name}", f"no such {one} there"
            )
        if image is not None and (left := [name for name in found if name not in self._alike]):
            self._alike.add(left[0])
            return left[0], "by image and question, in their order where one is asked twice"
        raise Unmapped(
            "question",
            f"{shorten(text)}{about}, which is that of {len(found)} {one}s",
            "the text of one alone, or an id or image that tells them apart",
            f"several {one}s with that text",
        )

    def _no_id(self, field: str, value: Any, expected: str) -> Unmapped:
        found = "nothing" if value is MISSING else shorten(value)
        return Unmapped(field, found, expected, f"no {field}" if value is MISSING else f"{field} that is no number")
