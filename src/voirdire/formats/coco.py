"""COCO instances: which objects each image holds, and where.

    {"images": [{"id", "width", "height", "file_name"}], "annotations": [{"id", "image_id", "category_id", "area",
     "bbox": [x, y, w, h], "iscrowd"}], "categories": [{"id", "name", "supercategory"}]}

The origin of a box is the upper left corner. Segments, licences and addresses are passed over.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.coco_categories import Category, WireCategory, check_categories
from voirdire.formats.documents import Id, Ignored, Unset, decode_document, given, id_array, named, note_duplicates
from voirdire.formats.files import Source, write_json
from voirdire.formats.games import Box, GameImage, check_box
from voirdire.formats.record import Notes, Record
from voirdire.formats.strict import Problems

__all__ = ["FORMAT", "CocoInstances", "parse_coco", "read_coco", "write_coco"]


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
    categories: list[WireCategory]
    info: Ignored = msgspec.UNSET
    licenses: Ignored = msgspec.UNSET


@dataclass(frozen=True, eq=False)
class CocoInstances(Record):
    """Images and the boxes in them.

    images      in the file's order
    ids, image_ids, category_ids  int64[n], one a box
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
    fingerprint: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.ids)


def read_coco(path: str | Path) -> CocoInstances:
    """Read COCO instances."""
    return read_file(path, FORMAT, parse_coco)


def parse_coco(source: Source) -> CocoInstances:
    """COCO instances from a file's bytes."""
    lists = {"images": named("image", "id"), "annotations": named("annotation", "id")}
    document, unread = decode_document(source, _File, {**lists, "categories": named("category", "id")})
    rows = document.annotations
    record = CocoInstances(
        tuple(GameImage(one.id, one.width, one.height, given(one.file_name)) for one in document.images),
        tuple(one.value() for one in document.categories),
        id_array(row.id for row in rows),
        id_array(row.image_id for row in rows),
        id_array(row.category_id for row in rows),
        np.array([row.bbox for row in rows], dtype=np.float64).reshape(-1, 4),
        np.array([row.area for row in rows], dtype=np.float64),
        np.array([row.iscrowd != 0 for row in rows], dtype=bool),
        source.fingerprint,
    )
    problems = Problems(source.name)
    check_categories(record.categories, problems)
    note_duplicates(problems, id_array(image.id for image in record.images), "image", "id")
    note_duplicates(problems, record.ids, "annotation", "id")
    _check_boxes(record, problems)
    problems.check()
    return replace(record, notes=unread + _notes(record))


def _check_boxes(record: CocoInstances, problems: Problems) -> None:
    """Note boxes of images or categories that are not there, and boxes that leave their image."""
    categories = {one.id for one in record.categories}
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


def _matches(sample: Sample) -> bool:
    return sample.kind == "object" and {"images", "annotations", "categories"} <= sample.keys


def _describe(record: CocoInstances) -> str:
    categories = counted(len(record.categories), "category", "categories")
    return f"{counted(len(record.images), 'image')}, {counted(len(record), 'box', 'boxes')}, {categories}"


def _notes(record: CocoInstances) -> tuple[str, ...]:
    notes = Notes()
    for index in np.flatnonzero(record.boxes[:, 2] * record.boxes[:, 3] == 0).tolist():
        notes.add(f"annotation {record.ids[index]}: a box without area")
    empty = len(record.images) - len(np.unique(record.image_ids))
    if empty:
        notes.add(f"{counted(empty, 'image')} without a box")
    return notes.collect()


FORMAT = Format(
    name="coco",
    title="COCO instances",
    exams=("questions",),
    matches=_matches,
    parse=parse_coco,
    describe=_describe,
    keys=lambda record: {"image": id_array(image.id for image in record.images), "object": record.ids},
)
