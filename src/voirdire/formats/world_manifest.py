"""What a made-up world says of itself, in `world.json`.

    {"version", "seed", "scenes", "text_only", "splits": {name: {"scenes", "vqa": {…}, "visdial": {…}}}}

It is written last, so that a folder that holds it holds a whole world.
"""

from pathlib import Path

import msgspec
import numpy as np

from voirdire.figures import counted
from voirdire.formats.catalogue import Format, read_file
from voirdire.formats.files import Source, write_json
from voirdire.formats.strict import decode

__all__ = [
    "FORMAT",
    "WorldManifest",
    "WorldSplit",
    "parse_world_manifest",
    "read_world_manifest",
    "write_world_manifest",
]


class WorldSplit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How much one split holds.

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


def read_world_manifest(path: str | Path) -> WorldManifest:
    """Read what a world says of itself."""
    return read_file(path, FORMAT, parse_world_manifest)


def parse_world_manifest(source: Source) -> WorldManifest:
    """The same from a file's bytes."""
    manifest = decode(source, WorldManifest)
    total = sum(split.scenes for split in manifest.splits.values())
    if total != manifest.scenes:
        raise source.fail(
            "", "splits", f"{counted(total, 'scene')} in all splits", f"{manifest.scenes:,}, as `scenes` says"
        )
    return manifest


def write_world_manifest(manifest: WorldManifest, path: str | Path) -> None:
    """Write it whole or not at all."""
    write_json(manifest, path)


def _describe(manifest: WorldManifest) -> str:
    parts = ", ".join(f"{split.scenes:,} {name}" for name, split in manifest.splits.items())
    size = f"{counted(manifest.scenes, 'scene')} ({parts})"
    return f"a world of {size}, seed {manifest.seed}, made by version {manifest.version}"


def _keys(manifest: WorldManifest) -> dict[str, np.ndarray]:
    return {}


FORMAT = Format(
    name="world",
    title="what a made-up world says of itself",
    exams=(),
    matches=lambda sample: sample.kind == "object" and {"seed", "scenes", "splits"} <= sample.keys,
    parse=parse_world_manifest,
    describe=_describe,
    keys=_keys,
    notes=lambda manifest: (),
)
