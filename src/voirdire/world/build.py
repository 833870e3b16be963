"""A whole world on disk: the truth, and every official file that the exams read.

    scenes.jsonl                             the truth
    coco_instances.json                      all boxes
    visdial_{train,val}.json                 dialogues with 100 options a round
    visdial_{train,val}_dense.json           relevances of one round a dialogue, from five judges
    visdial_val_references_true.json         for every val round the options that are truly valid
    vqa_{train,val}_{questions,annotations}.json
    guesswhat_{train,val}.jsonl
    pictures/                                one PNG a scene, where asked for
    world.json                               seed, counts and version

The first four fifths of the scenes are train, the rest val. Each scene has its own generators, so that a file's bytes
depend on the seed and the number of scenes alone. `world.json` is written last: where it is, the world is whole. A
folder that holds anything but the same world is refused (`claim`).
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from voirdire._version import __version__
from voirdire.errors import UsageError
from voirdire.formats.coco import Category, CocoInstances, GameImage, write_coco
from voirdire.formats.scenes import Scene, WorldManifest, WorldSplit, write_scenes, write_world_manifest
from voirdire.reports import Report
from voirdire.world.categories import CATEGORIES
from voirdire.world.claim import MANIFEST, Identity, claimed
from voirdire.world.scene import make_scene
from voirdire.world.splits import write_dialogues, write_game_files, write_vqa

__all__ = ["TEXT_ONLY_QUESTIONS", "VQA_QUESTIONS", "build_world"]

VQA_QUESTIONS, TEXT_ONLY_QUESTIONS = 6, 20
TRAIN = 0.8
KEPT = 20_000
"""Up to so many scenes are kept in memory; those of a larger world are made again for each file."""


def build_world(
    folder: str | Path,
    scenes: int,
    seed: int,
    pictures: bool = False,
    text_only: bool = False,
    report: Report | None = None,
) -> WorldManifest:
    """Make a world of `scenes` scenes in `folder` and return what `world.json` says of it.

    `text_only` writes VQA questions alone, TEXT_ONLY_QUESTIONS a scene: a large pool of questions in short time.
    `report` is told how many of all steps are done.
    """
    folder = Path(folder)
    if seed < 0:
        raise UsageError(f"a world's seed is 0 or more; asked for: {seed}")
    if scenes < 2:
        raise UsageError(f"a world needs at least two scenes, one to train on and one to test; asked for: {scenes}")
    if text_only and pictures:
        raise UsageError("a world of text alone has no pictures: leave out one of the two options")
    world = _World(scenes, seed, report, passes=2 if text_only else 4 + pictures)
    middle = min(max(int(scenes * TRAIN), 1), scenes - 1)
    splits = {"train": range(middle), "val": range(middle, scenes)}
    each = TEXT_ONLY_QUESTIONS if text_only else VQA_QUESTIONS
    counts: dict[str, WorldSplit] = {}
    with claimed(folder, Identity(__version__, seed, scenes, text_only)):
        _write_truth(folder, world, scenes, boxes=not text_only)
        for split, part in splits.items():
            questions = write_vqa(folder, split, world.scenes(part), seed, each)
            dialogues: dict[str, int] = {}
            if not text_only:
                dialogues = write_dialogues(folder, split, world.scenes(part), len(part), seed)
                write_game_files(folder, split, world.scenes(part), seed)
            counts[split] = WorldSplit(len(part), questions, dialogues)
        if pictures:
            from voirdire.world.draw import write_picture

            for scene in world.scenes(range(scenes)):
                write_picture(scene, folder / "pictures" / scene.file_name)
        manifest = WorldManifest(__version__, seed, scenes, text_only, counts)
        write_world_manifest(manifest, folder / MANIFEST)
    return manifest


class _World:
    """The scenes by number, each made once where they are few."""

    def __init__(self, count: int, seed: int, report: Report | None, passes: int) -> None:
        self.seed, self.report = seed, report
        self.kept: dict[int, Scene] | None = {} if count <= KEPT else None
        self.done, self.total = 0, count * passes

    def scenes(self, part: range) -> Iterator[Scene]:
        """The scenes of a part, one after the other."""
        for index in part:
            scene = None if self.kept is None else self.kept.get(index)
            if scene is None:
                scene = make_scene(self.seed, index)
                if self.kept is not None:
                    self.kept[index] = scene
            yield scene
            self.done += 1
            if self.report is not None and (self.done % 500 == 0 or self.done == self.total):
                self.report(self.done, self.total)


def _write_truth(folder: Path, world: _World, count: int, boxes: bool) -> None:
    """`scenes.jsonl`, and the boxes of all scenes in COCO's layout."""
    images: list[GameImage] = []
    ids: list[tuple[int, int, int]] = []
    rectangles: list[tuple[float, float, float, float]] = []

    def noted() -> Iterator[Scene]:
        for scene in world.scenes(range(count)):
            if boxes:
                images.append(GameImage(scene.id, scene.width, scene.height, scene.file_name))
                ids.extend((thing.id, scene.id, thing.category_id) for thing in scene.things)
                rectangles.extend(thing.bbox for thing in scene.things)
            yield scene

    write_scenes(noted(), folder / "scenes.jsonl")
    if not boxes:
        return
    columns, box = np.array(ids, np.int64), np.array(rectangles)
    categories = tuple(Category(one.id, one.name, one.supercategory) for one in CATEGORIES)
    areas = np.round(box[:, 2] * box[:, 3], 2)
    crowd = np.zeros(len(columns), bool)
    record = CocoInstances(tuple(images), categories, columns[:, 0], columns[:, 1], columns[:, 2], box, areas, crowd)
    write_coco(record, folder / "coco_instances.json")
