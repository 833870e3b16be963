"""COCO instances and the list of categories."""

import json

import numpy as np
import pytest

from voirdire.errors import InputError
from voirdire.formats import coco
from voirdire.formats.catalogue import detect
from voirdire.formats.coco import (
    CATEGORIES as COCO_CATEGORIES,
)
from voirdire.formats.coco import (
    FORMAT,
    Category,
    GameImage,
    parse_coco,
    parse_coco_categories,
    read_coco,
    write_coco,
)
from voirdire.formats.files import Source

CATEGORIES = [{"id": 47, "name": "cup", "supercategory": "kitchen"}, {"id": 1, "name": "person", "supercategory": "p"}]
IMAGES = [{"id": 5, "width": 64, "height": 48, "file_name": "5.jpg", "license": 3}, {"id": 6, "width": 9, "height": 9}]
BOX = {"category_id": 47, "area": 30.5, "bbox": [1.0, 2.5, 8, 4], "iscrowd": 0}
BOXES = [
    {"id": 10, "image_id": 5, **BOX, "segmentation": [[1, 2]]},
    {"id": 11, "image_id": 5, **BOX, "category_id": 1, "iscrowd": 1},
]
DOCUMENT = {"images": IMAGES, "annotations": BOXES, "categories": CATEGORIES, "info": {"year": 1}}


def source(value):
    return Source("coco.json", json.dumps(value).encode())


def faults(parse, value):
    with pytest.raises(InputError) as caught:
        parse(source(value))
    return [str(problem) for problem in caught.value.problems]


def test_boxes_are_arrays():
    record = parse_coco(source(DOCUMENT))
    assert record.images == (GameImage(5, 64, 48, "5.jpg"), GameImage(6, 9, 9))
    assert record.categories == (Category(47, "cup", "kitchen"), Category(1, "person", "p"))
    assert record.ids.tolist() == [10, 11]
    assert record.image_ids.tolist() == [5, 5]
    assert record.category_ids.tolist() == [47, 1]
    assert record.boxes.tolist() == [[1.0, 2.5, 8.0, 4.0]] * 2
    assert record.areas.tolist() == [30.5, 30.5]
    assert record.crowd.tolist() == [False, True]
    assert FORMAT.describe(record) == "2 images, 2 boxes, 2 categories"
    assert record.notes == ("1 image without a box",)
    assert detect(source(DOCUMENT)).name == "coco"


def test_no_box_is_an_empty_record():
    record = parse_coco(source({"images": [], "annotations": [], "categories": []}))
    assert record.boxes.shape == (0, 4)
    assert record.ids.dtype == np.int64
    assert FORMAT.describe(record) == "0 images, 0 boxes, 0 categories"


def test_ids_that_point_nowhere_and_boxes_outside():
    boxes = [
        {"id": 10, "image_id": 99, **BOX},
        {"id": 11, "image_id": 5, **BOX, "category_id": 99},
        {"id": 12, "image_id": 6, **BOX, "bbox": [0, 0, 20, 2]},
    ]
    assert faults(parse_coco, {**DOCUMENT, "annotations": boxes}) == [
        "annotation 10, field `image_id`: found 99, expected one of the file's images",
        "annotation 11, field `category_id`: found 99, expected one of the file's categories",
        "annotation 12, field `bbox`: found [0.0, 0.0, 20.0, 2.0], expected a box [x, y, w, h] inside the image of "
        "9 × 9 pixels",
    ]


def test_ids_that_occur_twice():
    document = {"images": IMAGES[:1] * 2, "annotations": BOXES[:1] * 2, "categories": CATEGORIES[:1] * 2}
    assert faults(parse_coco, document) == [
        "category 47, field `id`: found 2 categories with this id, expected one",
        "category 'cup', field `name`: found 2 categories with this name, expected one",
        "image 5, field `id`: found 2 records with this id, expected one",
        "annotation 10, field `id`: found 2 records with this id, expected one",
    ]


def test_every_bad_annotation_or_image_is_listed():
    boxes = [{**BOXES[0], "bbox": [1, 2, 3]}, {**BOXES[1], "iscrowd": 2}]
    problems = faults(parse_coco, {**DOCUMENT, "annotations": boxes})
    assert [text.split(":")[0] for text in problems] == [
        "annotation 10, field `bbox`",
        "annotation 11, field `iscrowd`",
    ]
    images = [{**image, "width": "wide"} for image in IMAGES]
    problems = faults(parse_coco, {**DOCUMENT, "images": images})
    assert [text.split(":")[0] for text in problems] == ["image 5, field `width`", "image 6, field `width`"]


def test_an_unknown_field_and_a_box_without_area_are_noted():
    boxes = [{**BOXES[0], "bbox": [1, 2, 0, 3], "colour": "red"}, {**BOXES[1], "image_id": 6, "bbox": [0, 0, 1, 1]}]
    record = parse_coco(source({**DOCUMENT, "annotations": boxes}))
    assert record.notes == (
        "field 'annotations.colour' is not known and was not read (1 time)",
        "annotation 10: a box without area",
    )


def test_written_and_read_again_it_is_the_same(tmp_path):
    record = parse_coco(source(DOCUMENT))
    write_coco(record, tmp_path / "coco.json.gz")
    assert read_coco(tmp_path / "coco.json.gz") == record


def test_the_list_of_categories(tmp_path):
    record = parse_coco_categories(source(CATEGORIES))
    assert tuple(record) == (Category(47, "cup", "kitchen"), Category(1, "person", "p"))
    assert detect(source(CATEGORIES)).name == "coco_categories"
    coco.CATEGORIES.write(record, tmp_path / "categories.json")
    assert COCO_CATEGORIES.read(tmp_path / "categories.json") == record
    assert faults(parse_coco_categories, [*CATEGORIES, {"id": 1, "name": 5}]) == [
        "category 1, field `name`: found 5, expected str"
    ]
