"""Scenes and manifests: written and read back, recognised, and refused with every fault named."""

import msgspec
import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import look
from voirdire.formats.files import open_source, write_json, write_lines
from voirdire.formats.scenes import (
    FORMAT,
    MANIFEST,
    WorldManifest,
    WorldSplit,
    read_scenes,
    read_world_manifest,
)
from voirdire.world.scene import make_scene


@pytest.fixture
def made():
    return [make_scene(1, index) for index in range(20)]


def test_scenes_are_read_as_written(made, tmp_path):
    path = tmp_path / "scenes.jsonl"
    write_lines(iter(made), path)
    assert read_scenes(path) == made
    sample = look(open_source(path))
    assert FORMAT.matches(sample)
    assert not MANIFEST.matches(sample)
    assert FORMAT.describe(made).startswith("20 scenes, ")
    assert FORMAT.keys(made)["image"].tolist() == list(range(1, 21))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": 2}, "scene 2, field `id`"),
        ({"bbox": [600, 10, 100, 10]}, "field `things[0].bbox`"),
        ({"bbox": [0, 0, 0, 10]}, "field `things[0].bbox`"),
        ({"on": 5}, "field `things[0].on`: found 5"),
        ({"holds": 100}, "field `things[0].holds`: found 100"),
        ({"colour": 3}, "things[0].colour"),
        ({"flavour": "sweet"}, "flavour"),
        ({"things": "double"}, "share the ids [100]"),
    ],
)
def test_faults_are_named(made, tmp_path, change, message):
    rows = msgspec.to_builtins(made[:2])
    rows[0].update(width=640, height=480)
    if "things" in change:
        rows[0]["things"] = [*rows[0]["things"], rows[0]["things"][0]]
    elif "id" in change:
        rows[0].update(change)
    else:
        rows[0]["things"][0].update(change)
    path = tmp_path / "scenes.jsonl"
    path.write_bytes(b"\n".join(map(msgspec.json.encode, rows)))
    with pytest.raises(InputError) as raised:
        read_scenes(path)
    assert message in str(raised.value)


def test_manifests_are_read_as_written_and_checked(tmp_path):
    path = tmp_path / "world.json"
    manifest = WorldManifest("0.1", 3, 10, False, {"train": WorldSplit(8, {"questions": 48}), "val": WorldSplit(2, {})})
    write_json(manifest, path)
    assert read_world_manifest(path) == manifest
    assert MANIFEST.matches(look(open_source(path)))
    path.write_bytes(path.read_bytes().replace(b'"scenes":10', b'"scenes":11'))
    with pytest.raises(InputError, match="10 scenes in all splits, expected 11"):
        read_world_manifest(path)
