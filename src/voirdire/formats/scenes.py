"""The ground truth of a made-up world.

scenes  {id, file_name, width, height, setting, indoors, weather, time, in_colour, things: [{id, category,
        category_id, bbox, size, …}]}, JSON lines: one picture per line. `bbox` is [x, y, width, height] in pixels
        from the upper left corner; `on` and `holds` name another thing of the scene by its id. A field that does
        not apply to a thing (the action of a chair, the material of a dog) is an empty string
world   {"version", "seed", "scenes", "text_only", "splits": {name: {"scenes", "vqa": {…}, "visdial": {…}}}}: the
        manifest of a world, `world.json`. It is written last, so that a folder with it has a whole world
"""

from collections import Counter

import msgspec

from voirdire.figures import counted
from voirdire.formats.catalogue import LINES, Format
from voirdire.formats.documents import Id, decode_each_line, id_array, named
from voirdire.formats.files import Source, write_json, write_lines
from voirdire.formats.strict import Problems, decode

__all__ = [
    "FORMAT",
    "MANIFEST",
    "Garment",
    "Scene",
    "Thing",
    "WorldManifest",
    "WorldSplit",
    "parse_scenes",
    "parse_world_manifest",
    "read_scenes",
    "read_world_manifest",
]


class Garment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that a person wears."""

    kind: str
    colour: str


class Thing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing of a scene.

    size      small, medium or large: the share of the picture that the box takes
    on        the thing that this one stands, lies or sits on
    holds     the thing in this person's hand
    """

    id: Id
    category: str
    category_id: Id
    bbox: tuple[float, float, float, float]
    size: str
    colour: str = ""
    material: str = ""
    action: str = ""
    gender: str = ""
    age: str = ""
    wears: tuple[Garment, ...] = ()
    on: Id | None = None
    holds: Id | None = None


class Scene(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of one picture."""

    id: Id
    file_name: str
    width: int
    height: int
    setting: str
    indoors: bool
    weather: str
    time: str
    in_colour: bool
    things: tuple[Thing, ...]


def parse_scenes(source: Source) -> list[Scene]:
    """The scenes from a file's bytes, with every id and box checked."""
    problems, unknown = Problems(source.name), Counter[str]()
    scenes: list[Scene] = []
    ids: set[int] = set()
    for _, scene in decode_each_line(source, Scene, named(scene="id"), problems, unknown):
        where = f"scene {scene.id}"
        if scene.id in ids:
            problems.add(where, "id", str(scene.id), "an id that no other scene has")
        ids.add(scene.id)
        _check_things(scene, where, problems)
        scenes.append(scene)
    for field, count in unknown.items():
        problems.add("", field, f"this field, in {counted(count, 'place')}", "no field but those of a scene")
    problems.require(scenes, "scene")
    problems.check()
    return scenes


def _check_things(scene: Scene, where: str, problems: Problems) -> None:
    ids = [thing.id for thing in scene.things]
    if len(set(ids)) < len(ids):
        twice = sorted({i for i in ids if ids.count(i) > 1})
        problems.add(where, "things", f"things that share the ids {twice}", "an id of its own for each thing")
    for index, thing in enumerate(scene.things):
        for field, other in (("on", thing.on), ("holds", thing.holds)):
            if other is not None and (other == thing.id or other not in ids):
                problems.add(where, f"things[{index}].{field}", str(other), "the id of another thing of the scene")
        x, y, width, height = thing.bbox
        inside = x >= 0 and y >= 0 and x + width <= scene.width + 0.01 and y + height <= scene.height + 0.01
        if not (inside and width > 0 and height > 0):
            expected = f"a box inside {scene.width} × {scene.height}"
            problems.add(where, f"things[{index}].bbox", str(list(thing.bbox)), expected)


FORMAT = Format(
    name="scenes",
    title="scenes of a made-up world",
    matches=lambda sample: sample.has(LINES, "things", "setting"),
    parse=parse_scenes,
    describe=lambda scenes: (
        f"{counted(len(scenes), 'scene')}, {counted(sum(len(scene.things) for scene in scenes), 'thing')}"
    ),
    keys=lambda scenes: {
        "image": id_array(scene.id for scene in scenes),
        "object": id_array(thing.id for scene in scenes for thing in scene.things),
    },
    notes=lambda scenes: (),
    write=write_lines,
)

read_scenes = FORMAT.read
"""Read the scenes of a world."""


class WorldSplit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The size of one split.

    vqa      questions, and how many of them are distinct
    visdial  dialogues, and how many distinct questions and answers they hold; empty where the world is text alone
    """

    scenes: int
    vqa: dict[str, int]
    visdial: dict[str, int] = msgspec.field(default_factory=dict)


class WorldManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A world: the version that made it, its seed and its size."""

    version: str
    seed: int
    scenes: int
    text_only: bool
    splits: dict[str, WorldSplit]


def parse_world_manifest(source: Source) -> WorldManifest:
    """The same from a file's bytes."""
    manifest = decode(source, WorldManifest)
    total = sum(split.scenes for split in manifest.splits.values())
    if total != manifest.scenes:
        raise source.fail(
            "", "splits", f"{counted(total, 'scene')} in all splits", f"{manifest.scenes:,}, as `scenes` says"
        )
    return manifest


def _describe_world(manifest: WorldManifest) -> str:
    parts = ", ".join(f"{split.scenes:,} {name}" for name, split in manifest.splits.items())
    size = f"{counted(manifest.scenes, 'scene')} ({parts})"
    return f"a world of {size}, seed {manifest.seed}, made by version {manifest.version}"


MANIFEST = Format(
    name="world",
    title="what a made-up world says of itself",
    matches=lambda sample: sample.has("object", "seed", "scenes", "splits"),
    parse=parse_world_manifest,
    describe=_describe_world,
    notes=lambda manifest: (),
    write=write_json,
)

read_world_manifest = MANIFEST.read
"""Read the manifest of a world."""
