"""A report's items as they are in the page: packed small, and unpacked in the browser on demand.

A drill has an index, by which its items are searched, filtered and sorted, and their details in chunks; a chunk is
unpacked when an item of it is opened. Both are JSON, compressed by gzip, in Base64, which no HTML parser takes for
markup. The same items give the same bytes.
"""

import base64
import gzip
import math
from dataclasses import dataclass
from itertools import islice

import msgspec

from voirdire.section.content import Block, Boxes, Drill, Grid, Item, Lines, Reference, SmallTable, Text

CHUNK = 500
"""Items whose details are unpacked at once."""

Json = dict[str, object] | list[object]


@dataclass(frozen=True, slots=True)
class Packed:
    """A drill in pieces for the page: the index, the shared blocks, and the chunks of details in order.

    images  the ids of the pictures that items show
    """

    index: str
    shared: str
    chunks: tuple[str, ...]
    images: frozenset[int]


def pack(value: object) -> str:
    """Any JSON value, compressed, in Base64."""
    return base64.b64encode(gzip.compress(msgspec.json.encode(value), 6, mtime=0)).decode()


def pack_drill(drill: Drill) -> Packed:
    """Goes through the items once, with at most one chunk of them in memory."""
    index, items = _Index(drill), iter(drill.items)
    chunks: list[str] = []
    while chunk := list(islice(items, CHUNK)):
        for item in chunk:
            index.add(item)
        chunks.append(pack([[_block(block) for block in item.blocks] for item in chunk]))
    shared = {key: [_block(block) for block in blocks] for key, blocks in drill.shared.items()}
    images = frozenset(image for image in index.images if image is not None)
    return Packed(pack(index.columns(bool(images))), pack(shared), tuple(chunks), images)


class _Index:
    """Columns of all items: names, facets as numbers of values, scores of each model, texts."""

    def __init__(self, drill: Drill) -> None:
        self.drill = drill
        self.names: list[str] = []
        self.texts: list[str] = []
        self.images: list[int | None] = []
        self.outputs: list[list[str]] = [[] for _ in drill.labels]
        self.values: list[dict[str, int]] = [{} for _ in drill.facets]
        self.facets: list[list[int]] = [[] for _ in drill.facets]
        self.scores: list[list[list[float | None]]] = [[[] for _ in drill.labels] for _ in drill.scores]

    def add(self, item: Item) -> None:
        """Append an item to the columns."""
        drill = self.drill
        if len(item.facets) != len(drill.facets) or len(item.scores) != len(drill.scores):
            raise ValueError(
                f"items: {item.name} has {len(item.facets)} facets and {len(item.scores)} scores, "
                f"drill {drill.name} {len(drill.facets)} and {len(drill.scores)}"
            )
        self.names.append(item.name)
        self.texts.append(item.text)
        self.images.append(item.image)
        for text, texts in zip(item.outputs or [""] * len(self.outputs), self.outputs, strict=True):
            texts.append(text)
        for value, codes, known in zip(item.facets, self.facets, self.values, strict=True):
            codes.append(known.setdefault(value, len(known)))
        for by_model, columns in zip(item.scores, self.scores, strict=True):
            for number, column in zip(by_model, columns, strict=True):
                column.append(number if number is not None and math.isfinite(number) else None)

    def columns(self, images: bool) -> Json:
        """The columns as they are packed; `images`: whether any item has one."""
        drill = self.drill
        return {
            "labels": drill.labels,
            "names": self.names,
            "texts": self.texts,
            "images": self.images if images else [],
            "said": self.outputs if any(map(any, self.outputs)) else [],
            "facets": [
                {"name": name, "values": list(known), "codes": codes}
                for name, known, codes in zip(drill.facets, self.values, self.facets, strict=True)
            ],
            "scores": [
                {"name": name, "columns": columns, "lower": name in drill.lower}
                for name, columns in zip(drill.scores, self.scores, strict=True)
            ],
        }


def _block(block: Block) -> Json:
    match block:
        case Text():
            return ["text", block.label, block.text]
        case Lines():
            return ["lines", block.label, list(block.texts)]
        case SmallTable():
            return ["rows", block.label, list(block.columns), list(block.rows), list(block.marked)]
        case Grid():
            return ["grid", block.label, list(block.rows), list(block.legend)]
        case Reference():
            return ["shared", block.key, block.marked]
        case Boxes():
            return ["boxes", block.label, list(block.size), list(block.boxes)]
