"""Two worlds never mix, and nobody's files are replaced."""

from pathlib import Path

import pytest

from voirdire.errors import InputError, OutputError, UsageError
from voirdire.world.build import build_world
from voirdire.world.scenes_oracle import make_scenes_oracle
from voirdire.world.world_folder import MARKER, Identity, check_whole, claimed, scenes_by_id

ONE = Identity("1.0", 1, 5, False)


def begin(folder: Path, identity: Identity) -> None:
    """Begin a world and be stopped before its end."""
    with claimed(folder, identity):
        (folder / "scenes.jsonl").write_text("begun")
        raise KeyboardInterrupt


def test_an_unfinished_world_is_known_and_the_same_one_may_go_on(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        begin(tmp_path / "w", ONE)
    with pytest.raises(UsageError, match="was not finished; make it again with the same options"):
        check_whole(tmp_path / "w")
    with claimed(tmp_path / "w", ONE):
        pass
    check_whole(tmp_path / "w")


def test_another_world_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    build_world(tmp_path / "w", 4, seed=1)
    before = {path.name: path.read_bytes() for path in (tmp_path / "w").iterdir()}
    with pytest.raises(
        UsageError, match=r"holds a world of 4 scenes \(seed 1, version .*; a world of 4 scenes \(seed 2"
    ):
        build_world(tmp_path / "w", 4, seed=2)
    with pytest.raises(UsageError, match="text alone"):
        build_world(tmp_path / "w", 4, seed=1, text_only=True)
    build_world(str(tmp_path / "w"), 4, seed=1)
    assert {path.name: path.read_bytes() for path in (tmp_path / "w").iterdir()} == before


def test_files_of_others_are_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "vqa_val_questions.json").write_text("mine")
    with pytest.raises(UsageError, match="holds files that are of no world"):
        build_world(tmp_path, 4, seed=1)
    assert [path.name for path in tmp_path.iterdir()] == ["vqa_val_questions.json"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "w").write_text("mine")
    with pytest.raises(OutputError, match="it is a file; name a folder"):
        build_world(tmp_path / "w", 4, seed=1)
    with pytest.raises(OutputError, match="Not a directory"):
        build_world(tmp_path / "w" / "below", 4, seed=1)


def test_the_marker_is_gone_when_the_world_is_whole(tmp_path: Path) -> None:
    build_world(tmp_path / "w", 4, seed=1)
    assert not (tmp_path / "w" / MARKER).exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"setting":"', '"setting":"zorp', "scene 1, field `setting`: found 'zorp"),
        ('"category":"', '"category":"zorp', "scene 1, field `things[0].category`: found 'zorp"),
        ('"size":"', '"size":"zorp', "field `things[0].size`: found 'zorp"),
        ('"colour":"', '"colour":"zorp', "colour`: found 'zorp"),
        ('"material":"', '"material":"zorp', "material`: found 'zorp"),
        ('"kind":"', '"kind":"zorp', "wears[0].kind`: found 'zorp"),
    ],
)
def test_words_that_the_world_has_no_meaning_for_are_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    build_world(tmp_path / "w", 6, 0)
    file = tmp_path / "w" / "scenes.jsonl"
    scenes_by_id(str(file))
    file.write_text(file.read_text().replace(old, new))
    for read in (scenes_by_id, make_scenes_oracle):
        with pytest.raises(InputError) as error:
            read(str(file))
        assert str(error.value).startswith(str(file))
        assert message in str(error.value)
        assert "of the made-up world" in str(error.value)
