"""Seeds of a made-up world's own files for the mutation of formats."""

import tempfile
from pathlib import Path

import msgspec
from format_cases import Case

from voirdire.formats.files import write_lines
from voirdire.formats.scenes import WorldManifest, WorldSplit
from voirdire.world.scene import make_scene

__all__ = ["CASES"]


def scenes() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenes.jsonl"
        write_lines([make_scene(1, index) for index in range(3)], path)
        return [path.read_bytes()]


def manifest() -> list[bytes]:
    splits = {"train": WorldSplit(4, {"questions": 24, "distinct": 23}, {"dialogues": 4}), "val": WorldSplit(1, {})}
    return [msgspec.json.encode(WorldManifest("0.1.0", 7, 5, False, splits))]


CASES = (
    Case("scenes", scenes, suffix=".jsonl"),
    Case("world", manifest),
)
