"""COCO: its images and boxes, its eighty categories, and the files that hold them.

    coco             {"images": [{"id", "width", "height", "file_name"}], "annotations": [{"id", "image_id",
                     "category_id", "area", "bbox": [x, y, w, h], "iscrowd"}], "categories": [{"id", "name",
                     "supercategory"}]}: which objects each image holds, and where
    coco_categories  [{"id", "name", "supercategory"}]: the categories alone

The origin of a box is the upper left corner. Segments, licences and addresses are not read.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import RECORDS, Format
from voirdire.formats.documents import (
    Id,
    Ignored,
    Unset,
    decode_document,
    decode_records,
    given,
    id_array,
    named,
    note_duplicates,
)
from voirdire.formats.files import Source, write_json, write_records
from voirdire.formats.record import Notes, Record, Rows
from voirdire.formats.strict import Problems

_TABLE = """
1 person, 2 bicycle, 3 car, 4 motorcycle, 5 airplane, 6 bus, 7 train, 8 truck, 9 boat, 10 traffic light,
11 fire hydrant, 13 stop sign, 14 parking meter, 15 bench, 16 bird, 17 cat, 18 dog, 19 horse, 20 sheep, 21 cow,
22 elephant, 23 bear, 24 zebra, 25 giraffe, 27 backpack, 28 umbrella, 31 handbag, 32 tie, 33 suitcase,
34 frisbee, 35 skis, 36 snowboard, 37 sports ball, 38 kite, 39 baseball bat, 40 baseball glove, 41 skateboard,
42 surfboard, 43 tennis racket, 44 bottle, 46 wine glass, 47 cup, 48 fork, 49 knife, 50 spoon, 51 bowl,
52 banana, 53 apple, 54 sandwich, 55 orange, 56 broccoli, 57 carrot, 58 hot dog, 59 pizza, 60 donut, 61 cake,
62 chair, 63 couch, 64 potted plant, 65 bed, 67 dining table, 70 toilet, 72 tv, 73 laptop, 74 mouse, 75 remote,
76 keyboard, 77 cell phone, 78 microwave, 79 oven, 80 toaster, 81 sink, 82 refrigerator, 84 book, 85 clock,
86 vase, 87 scissors, 88 teddy bear, 89 hair drier, 90 toothbrush
"""

COCO_NAMES: dict[int, str] = {
    int(number): name for number, _, name in (entry.strip().partition(" ") for entry in _TABLE.split(","))
}
"""The official name of each category."""

Box = tuple[float, float, float, float]

SLACK = 1.0  # Published boxes are rounded, so that some end a fraction of a pixel beyond the border.


class GameImage(msgspec.Struct, frozen=True, omit_defaults=True):
    """An image with boxes, which a game may be about."""

    id: Id
    width: int
    height: int
    file_name: str | None = None


def check_box(where: str, box: Sequence[float], image: GameImage, problems: Problems) -> None:
    """Note a box that leaves its image."""
    x, y, width, height = box
    inside = x >= -SLACK and y >= -SLACK and x + width <= image.width + SLACK and y + height <= image.height + SLACK
    if not inside or width < 0 or height < 0:
        expected = f"a box [x, y, w, h] inside the image of {image.width} × {image.height} pixels"
        problems.add(where, "bbox", str(list(box)), expected)


class Category(msgspec.Struct, frozen=True, omit_defaults=True):
    """A category, and the wider one that it belongs to."""

    id: Id
    name: str
    supercategory: str | None = None


class _Category(msgspec.Struct, forbid_unknown_fields=True):
    """A category as a file has it."""

    id: Id
    name: str
    supercategory: str | Unset = msgspec.UNSET

    def value(self) -> Category:
        """The category, with None for what is absent."""
        return Category(self.id, self.name, given(self.supercategory))


def parse_coco_categories(source: Source) -> Rows[Category]:
    """Categories from a file's bytes."""
    problems = Problems(source.name)
    rows, unread = decode_records(source, _Category, named(category="id"), problems)
    categories = tuple(row.value() for row in rows)
    _check_categories(categories, problems)
    problems.check()
    return Rows(categories, fingerprint=source.fingerprint, notes=unread)


def _check_categories(categories: Sequence[Category], problems: Problems) -> None:
    """Note ids and names that occur more than once."""
    for id_, count in Counter(category.id for category in categories).items():
        if count > 1:
            problems.add(f"category {id_}", "id", f"{count} categories with this id", "one")
    for name, count in Counter(category.name for category in categories).items():
        if count > 1:
            problems.add(f"category {shorten(name)}", "name", f"{count} categories with this name", "one")


def _describe_categories(categories: Sequence[Category]) -> str:
    wider = len({category.supercategory for category in categories})
    return f"{counted(len(categories), 'category', 'categories')} in {counted(wider, 'wider one')}"


CATEGORIES = Format(
    name="coco_categories",
    title="COCO categories",
    matches=lambda sample: sample.has(RECORDS, "id", "name", "supercategory"),
    parse=parse_coco_categories,
    describe=_describe_categories,
    write=write_records,
)


class _Image(msgspec.Struct, forbid_unknown_fields=True):
    id: Id
    width: int
    height: int
    file_name: str | Unset = msgspec.UNSET
    license: Ignored = msgspec.UNSET
    coco_url: Ignored = msgspec.UNSET
    flickr_url: Ignored = msgspec.UNSET
    date_captured: Ignored = msgspec.UNSET


class _Instance(msgspec.Struct, forbid_unknown_fields=True):
    id: Id
    image_id: Id
    category_id: Id
    area: float
    bbox: Box
    iscrowd: Literal[0, 1]
    segmentation: Ignored = msgspec.UNSET


class _File(msgspec.Struct, forbid_unknown_fields=True):
    images: list[_Image]
    annotations: list[_Instance]
    categories: list[_Category]
    info: Ignored = msgspec.UNSET
    licenses: Ignored = msgspec.UNSET


@dataclass(frozen=True, eq=False)
class CocoInstances(Record):
    """Images and the boxes in them.

    images      in the file's order
    ids, image_ids, category_ids  int64[n], one per box
    boxes       float64[n, 4]: x, y, width, height in pixels
    areas       float64[n], of the segment, not of the box
    crowd       bool[n], where a box holds many objects
    """

    images: tuple[GameImage, ...]
    categories: tuple[Category, ...]
    ids: np.ndarray
    image_ids: np.ndarray
    category_ids: np.ndarray
    boxes: np.ndarray
    areas: np.ndarray
    crowd: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)


def parse_coco(source: Source) -> CocoInstances:
    """COCO instances from a file's bytes."""
    lists = {"images": named(image="id"), "annotations": named(annotation="id")}
    document, unread = decode_document(source, _File, {**lists, "categories": named(category="id")})
    rows = document.annotations
    record = CocoInstances(
        tuple(GameImage(row.id, row.width, row.height, given(row.file_name)) for row in document.images),
        tuple(row.value() for row in document.categories),
        id_array(row.id for row in rows),
        id_array(row.image_id for row in rows),
        id_array(row.category_id for row in rows),
        np.array([row.bbox for row in rows], dtype=np.float64).reshape(-1, 4),
        np.array([row.area for row in rows], dtype=np.float64),
        np.array([row.iscrowd != 0 for row in rows], dtype=bool),
        fingerprint=source.fingerprint,
    )
    problems = Problems(source.name)
    _check_categories(record.categories, problems)
    note_duplicates(problems, id_array(image.id for image in record.images), "image", "id")
    note_duplicates(problems, record.ids, "annotation", "id")
    _check_boxes(record, problems)
    problems.check()
    return replace(record, notes=unread + _notes(record))


def _check_boxes(record: CocoInstances, problems: Problems) -> None:
    """Note boxes of images or categories that are not there, and boxes that leave their image."""
    categories = {category.id for category in record.categories}
    images = {image.id: image for image in record.images}
    columns = (record.ids, record.image_ids, record.category_ids, record.boxes)
    for id_, image_id, category_id, box in zip(*(column.tolist() for column in columns), strict=True):
        where = f"annotation {id_}"
        if category_id not in categories:
            problems.add(where, "category_id", str(category_id), "one of the file's categories")
        if (image := images.get(image_id)) is None:
            problems.add(where, "image_id", str(image_id), "one of the file's images")
            continue
        check_box(where, box, image, problems)


def write_coco(record: CocoInstances, path: str | Path) -> None:
    """Write the official layout, without segments."""
    names = ("id", "image_id", "category_id", "bbox", "area", "iscrowd")
    columns = (record.ids, record.image_ids, record.category_ids, record.boxes, record.areas, record.crowd.astype(int))
    rows = zip(*(column.tolist() for column in columns), strict=True)
    document: dict[str, Any] = {
        "images": record.images,
        "annotations": [dict(zip(names, row, strict=True)) for row in rows],
        "categories": record.categories,
    }
    write_json(document, path)


def _describe(record: CocoInstances) -> str:
    categories = counted(len(record.categories), "category", "categories")
    return f"{counted(len(record.images), 'image')}, {counted(len(record), 'box', 'boxes')}, {categories}"


def _notes(record: CocoInstances) -> tuple[str, ...]:
    notes = Notes()
    for index in np.flatnonzero(record.boxes[:, 2] * record.boxes[:, 3] == 0).tolist():
        notes.add("a box without area", f"annotation {record.ids[index]}")
    empty = len(record.images) - len(np.unique(record.image_ids))
    if empty:
        notes.add(f"{counted(empty, 'image')} without a box")
    return notes.collect()


FORMAT = Format(
    name="coco",
    title="COCO instances",
    matches=lambda sample: sample.has("object", "images", "annotations", "categories"),
    parse=parse_coco,
    describe=_describe,
    keys=lambda record: {"image": id_array(image.id for image in record.images), "object": record.ids},
    write=write_coco,
)

read_coco = FORMAT.read
"""Read COCO instances."""
