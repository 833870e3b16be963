"""The items of a report as the page carries them: packed small, and unpacked in the browser when they are asked for.

A drill has an index, by which its items are searched, filtered and sorted, and their details in chunks, of which one is
unpacked when an item of it is opened. Both are JSON, compressed by gzip, in Base64: letters that no parser of HTML
takes for anything else. The same items give the same bytes.
"""

import base64
import gzip
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from voirdire.section.content import Block, Boxes, Drill, Grid, Item, Lines, Reference, SmallTable, Text

CHUNK = 500
"""Items whose details are unpacked at once."""

Json = dict[str, object] | list[object]


@dataclass(frozen=True, slots=True)
class Packed:
    """A drill in pieces that stand in the page: the index, the shared blocks, and the chunks of details in order.

    images  the ids of the pictures that items show
    """

    index: str
    shared: str
    chunks: tuple[str, ...]
    images: frozenset[int]


def pack(value: object) -> str:
    """Any JSON value, compressed, as letters."""
    return base64.b64encode(gzip.compress(msgspec.json.encode(value), 6, mtime=0)).decode()


def unpack(text: str) -> object:
    """What `pack` packed."""
    return msgspec.json.decode(gzip.decompress(base64.b64decode(text)))


def pack_drill(drill: Drill) -> Packed:
    """Go through the items once; no more than a chunk of their details is held at a time."""
    index = _Index(drill)
    chunks = [pack(list(map(_details, index.noted(chunk)))) for chunk in _chunks(drill.items)]
    shared = {key: [_block(block) for block in blocks] for key, blocks in drill.shared.items()}
    return Packed(pack(index.made()), pack(shared), tuple(chunks), index.shown())


def _chunks(items: Iterable[Item]) -> Iterator[list[Item]]:
    chunk: list[Item] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


class _Index:
    """Columns of all items: names, facets as numbers of values, scores of each model, texts."""

    def __init__(self, drill: Drill) -> None:
        self.drill = drill
        self.names: list[str] = []
        self.texts: list[str] = []
        self.images: list[int | None] = []
        self.said: list[list[str]] = [[] for _ in drill.labels]
        self.values: list[dict[str, int]] = [{} for _ in drill.facets]
        self.facets: list[list[int]] = [[] for _ in drill.facets]
        self.scores: list[list[list[float | None]]] = [[[] for _ in drill.labels] for _ in drill.scores]

    def noted(self, items: list[Item]) -> list[Item]:
        """The same items, noted."""
        for item in items:
            self._note(item)
        return items

    def _note(self, item: Item) -> None:
        drill = self.drill
        if len(item.facets) != len(drill.facets) or len(item.scores) != len(drill.scores):
            raise ValueError(
                f"items: {item.name} has {len(item.facets)} facets and {len(item.scores)} scores, "
                f"drill {drill.name} {len(drill.facets)} and {len(drill.scores)}"
            )
        self.names.append(item.name)
        self.texts.append(item.text)
        self.images.append(item.image)
        for text, texts in zip(item.said or [""] * len(self.said), self.said, strict=True):
            texts.append(text)
        for value, codes, known in zip(item.facets, self.facets, self.values, strict=True):
            codes.append(known.setdefault(value, len(known)))
        for given, columns in zip(item.scores, self.scores, strict=True):
            for number, column in zip(given, columns, strict=True):
                column.append(number if number is not None and math.isfinite(number) else None)

    def shown(self) -> frozenset[int]:
        """The images of all items."""
        return frozenset(image for image in self.images if image is not None)

    def made(self) -> Json:
        """The columns as they are packed."""
        drill = self.drill
        return {
            "labels": drill.labels,
            "names": self.names,
            "texts": self.texts,
            "images": self.images if self.shown() else [],
            "said": self.said if any(map(any, self.said)) else [],
            "facets": [
                {"name": name, "values": list(known), "codes": codes}
                for name, known, codes in zip(drill.facets, self.values, self.facets, strict=True)
            ],
            "scores": [
                {"name": name, "columns": columns, "lower": name in drill.lower}
                for name, columns in zip(drill.scores, self.scores, strict=True)
            ],
        }


def _details(item: Item) -> list[Json]:
    return [_block(block) for block in item.blocks]


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
