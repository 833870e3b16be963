"""A GuessWhat?! game: an image with objects, one of which is the target, and the questions that were asked."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, get_args

import msgspec

from voirdire.formats.documents import Id
from voirdire.formats.strict import Problems

__all__ = [
    "STATUS",
    "Answer",
    "Box",
    "Game",
    "GameImage",
    "GameObject",
    "Qa",
    "Status",
    "check_box",
    "check_objects",
    "normalise_answer",
]

Answer = Literal["yes", "no", "n/a"]
Status = Literal["success", "failure", "incomplete"]
STATUS: tuple[Status, ...] = get_args(Status)
Box = tuple[float, float, float, float]

SLACK = 1.0  # Published boxes are rounded, so that some end a fraction of a pixel beyond the border.


class GameObject(msgspec.Struct, frozen=True):
    """A candidate: its box as x, y, width, height in pixels from the upper left corner."""

    id: Id
    category: str
    category_id: Id
    area: float
    bbox: Box


class GameImage(msgspec.Struct, frozen=True, omit_defaults=True):
    """The image that a game is about."""

    id: Id
    width: int
    height: int
    file_name: str | None = None


class Qa(msgspec.Struct, frozen=True):
    """A question and its answer; `written` keeps how the file spells the answer, where it came from a file."""

    question: str
    answer: Answer
    id: int | None = None
    written: str | None = None


class Game(msgspec.Struct, frozen=True):
    """One game. `guess_object_id` is there for games of models, and `status` is None where a file does not say it."""

    id: Id
    image: GameImage
    objects: tuple[GameObject, ...]
    target_id: Id
    qas: tuple[Qa, ...]
    status: Status | None
    guess_object_id: int | None = None


def normalise_answer(written: str) -> Answer | None:
    """yes, no or n/a, whatever the case; None for anything else."""
    text = written.strip().lower()
    return text if text in get_args(Answer) else None  # type: ignore[return-value]


def check_objects(where: str, image: GameImage, objects: Sequence[GameObject], problems: Problems) -> None:
    """Note ids that occur twice, an image without extent, and boxes that leave it."""
    for id_, count in Counter(one.id for one in objects).items():
        if count > 1:
            problems.add(f"{where}, object {id_}", "id", f"{count} objects with this id", "one")
    if image.width < 1 or image.height < 1:
        problems.add(where, "image", f"{image.width} × {image.height} pixels", "a width and a height of at least 1")
        return
    for one in objects:
        check_box(f"{where}, object {one.id}", one.bbox, image, problems)


def check_box(where: str, box: Sequence[float], image: GameImage, problems: Problems) -> None:
    """Note a box that leaves its image."""
    x, y, width, height = box
    inside = x >= -SLACK and y >= -SLACK and x + width <= image.width + SLACK and y + height <= image.height + SLACK
    if not inside or width < 0 or height < 0:
        expected = f"a box [x, y, w, h] inside the image of {image.width} × {image.height} pixels"
        problems.add(where, "bbox", str(list(box)), expected)
