"""Lists of objects for games that came without: those of an original game on the same image, or COCO's instances.

    target by its id          the object of this id
    target by its category and the centre of its box (pixels, y from the bottom)
                              the object of this category whose centre is nearest, at most a pixel away

COCO's crowds are no candidates: such a box stands for many objects at once.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.coco import CocoInstances, GameImage
from voirdire.formats.files import Source
from voirdire.formats.game_logs import GameLog
from voirdire.formats.guesswhat import Game, GameObject
from voirdire.formats.record import Rows
from voirdire.formats.strict import UNREADABLE, Problems

__all__ = ["Lists", "coco_lists", "join_logs", "original_lists", "put_objects"]

NEAR = 1.0
"""Pixels by which the centre of a box may be off: published boxes are rounded."""


@dataclass(frozen=True)
class Lists:
    """Lists of objects by the image's id; `title` is what messages call them, `fingerprint` that of their file."""

    title: str
    images: Mapping[int, tuple[GameImage, tuple[GameObject, ...]]]
    fingerprint: str = ""

    def categories(self) -> frozenset[str]:
        """All names of categories."""
        return frozenset(one.category for _, objects in self.images.values() for one in objects)


def coco_lists(coco: CocoInstances) -> Lists:
    """The instances of every image, crowds left out."""
    names = {one.id: one.name for one in coco.categories}
    objects: dict[int, list[GameObject]] = defaultdict(list)
    columns = (coco.ids, coco.image_ids, coco.category_ids, coco.areas, coco.boxes, coco.crowd)
    for id_, image, category, area, box, crowd in zip(*(column.tolist() for column in columns), strict=True):
        if not crowd:
            objects[image].append(GameObject(id_, names[category], category, area, tuple(box)))
    images = {image.id: (image, tuple(objects[image.id])) for image in coco.images}
    return Lists("COCO's instances", images, coco.fingerprint)


def original_lists(games: Rows[Game]) -> Lists:
    """The candidates of every image, from games that have them: all that any game on the image lists."""
    images: dict[int, GameImage] = {}
    objects: dict[int, dict[int, GameObject]] = defaultdict(dict)
    for game in games:
        images[game.image.id] = game.image
        objects[game.image.id] |= {one.id: one for one in game.objects}
    found = {id_: (image, tuple(objects[id_].values())) for id_, image in images.items()}
    return Lists("the original games", found, games.fingerprint)


def join_logs(logs: Iterable[GameLog], lists: Lists, name: str = "games") -> tuple[Game, ...]:
    """Logged games with their candidates; `name` is what errors call the logs.

    A game's id is its index, or its place in the file, from 1, where it has none.
    """
    problems = Problems(name)
    categories = lists.categories()
    games = []
    for number, log in enumerate(logs, start=1):
        id_ = number if log.index is None else log.index
        where = f"game {id_}"
        known = lists.images.get(log.image_id)
        if known is None:
            problems.add(where, "image_id", f"{log.image_id}, which {lists.title} do not have", "an image of theirs")
            continue
        image, objects = known
        target = _target(where, log, image, objects, categories, problems)
        if target is None:
            continue
        if log.guess_id is not None and log.guess_id not in {one.id for one in objects}:
            found = f"{log.guess_id}, which is none of the {counted(len(objects), 'object')} of image {image.id}"
            problems.add(where, "guess_id", found, "one of them")
        games.append(Game(id_, image, objects, target, log.qas, log.status, log.guess_id))
    problems.check()
    return tuple(games)


def _target(
    where: str,
    log: GameLog,
    image: GameImage,
    objects: tuple[GameObject, ...],
    categories: frozenset[str],
    problems: Problems,
) -> int | None:
    """The id of the target; None, which is noted, where it is not among the objects."""
    if log.target_id is not None:
        if log.target_id in {one.id for one in objects}:
            return log.target_id
        found = f"{log.target_id}, which is none of the {counted(len(objects), 'object')} of image {image.id}"
        problems.add(where, "target_id", found, "one of them")
        return None
    if log.target_category not in categories:
        problems.add(where, "target_category", shorten(log.target_category), "a category of the joined file")
        return None
    x, y = log.target_center or (0.0, 0.0)
    near = [
        (max(abs(one.bbox[0] + one.bbox[2] / 2 - x), abs(image.height - one.bbox[1] - one.bbox[3] / 2 - y)), one.id)
        for one in objects
        if one.category == log.target_category
    ]
    distance, id_ = min(near, default=(NEAR + 1, 0))
    if distance > NEAR:
        found = f"{[x, y]}, where image {image.id} has no {log.target_category}"
        problems.add(where, "target_center_xy_ybottom", found, "the centre of one, y from the bottom")
        return None
    return id_


def put_objects(source: Source, lists: Lists) -> Source:
    """Games of a released layout that lack their `objects`, with those of their images.

    Lines that are no game stay as they are for the strict reading to name.
    """
    problems = Problems(source.name)
    lines = enumerate(source.data.splitlines(), start=1)
    joined = b"\n".join(_with_objects(f"line {number}", line, lists, problems) for number, line in lines)
    problems.check()
    return Source(source.name, joined)


def _with_objects(where: str, line: bytes, lists: Lists, problems: Problems) -> bytes:
    try:
        game = msgspec.json.decode(line)
    except UNREADABLE:
        return line
    if not isinstance(game, dict) or game.get("objects"):
        return line
    image = game.get("image")
    field, key = ("image.id", image.get("id")) if isinstance(image, dict) else ("picture_id", game.get("picture_id"))
    if not isinstance(key, int):
        return line
    known = lists.images.get(key)
    if known is None:
        problems.add(where, field, f"{key}, which {lists.title} do not have", "an image of theirs")
        return line
    objects = list(known[1])
    return msgspec.json.encode(game | {"objects": objects if "id" in game else {str(one.id): one for one in objects}})
