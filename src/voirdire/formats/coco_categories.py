"""The list of COCO's categories: `[{"id", "name", "supercategory"}]`."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.documents import Id, Unset, decode_records, given, named
from voirdire.formats.files import Source, write_records
from voirdire.formats.record import Rows
from voirdire.formats.strict import Problems

__all__ = [
    "FORMAT",
    "Category",
    "WireCategory",
    "check_categories",
    "parse_coco_categories",
    "read_coco_categories",
    "write_coco_categories",
]


class Category(msgspec.Struct, frozen=True, omit_defaults=True):
    """A category, and the wider one that it belongs to."""

    id: Id
    name: str
    supercategory: str | None = None


class WireCategory(msgspec.Struct, forbid_unknown_fields=True):
    """A category as a file has it."""

    id: Id
    name: str
    supercategory: str | Unset = msgspec.UNSET

    def value(self) -> Category:
        """Without the distinction of what is absent."""
        return Category(self.id, self.name, given(self.supercategory))


def read_coco_categories(path: str | Path) -> Rows[Category]:
    """Read a list of categories."""
    return read_file(path, FORMAT, parse_coco_categories)


def parse_coco_categories(source: Source) -> Rows[Category]:
    """Categories from a file's bytes."""
    problems = Problems(source.name)
    rows, unread = decode_records(source, WireCategory, named("category", "id"), problems)
    categories = tuple(row.value() for row in rows)
    check_categories(categories, problems)
    problems.check()
    return Rows(categories, source.fingerprint, unread)


def check_categories(categories: Sequence[Category], problems: Problems) -> None:
    """Note ids and names that occur more than once."""
    for id_, count in Counter(one.id for one in categories).items():
        if count > 1:
            problems.add(f"category {id_}", "id", f"{count} categories with this id", "one")
    for name, count in Counter(one.name for one in categories).items():
        if count > 1:
            problems.add(f"category {shorten(name)}", "name", f"{count} categories with this name", "one")


def write_coco_categories(categories: Sequence[Category], path: str | Path) -> None:
    """Write the list."""
    write_records(categories, path)


def _matches(sample: Sample) -> bool:
    return sample.kind in ("list", "lines", "object") and {"id", "name", "supercategory"} <= sample.keys


def _describe(categories: Sequence[Category]) -> str:
    wider = len({one.supercategory for one in categories})
    return f"{counted(len(categories), 'category', 'categories')} in {counted(wider, 'wider one')}"


FORMAT = Format(
    name="coco_categories",
    title="COCO categories",
    exams=("questions",),
    matches=_matches,
    parse=parse_coco_categories,
    describe=_describe,
)
