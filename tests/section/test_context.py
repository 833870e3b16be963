"""Files beside runs: each is known by its content, texts are found by id, and what cannot be used is said."""

from dataclasses import replace

import pytest

from voirdire.errors import InputError
from voirdire.section.context import Context, read_context
from voirdire.world.build import build_world


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("context") / "world"
    build_world(folder, 12, 3)
    return folder


def test_a_world_is_read_whole(world):
    names = ("visdial_val.json", "guesswhat_val.jsonl")
    found = read_context([world / name for name in names])
    (file,) = found.dialogues
    first = file[0]
    assert found.dialogue(first.image_id) == first
    (games,) = found.of("guesswhat")
    assert games.name == str(world / "guesswhat_val.jsonl")
    assert len(games.record) > 0


def test_dialogues_of_two_files_are_found_by_their_image(world):
    found = read_context([world / "visdial_val.json", world / "visdial_train.json"])
    val, train = found.dialogues
    assert found.dialogue(train[0].image_id) == train[0]
    assert found.dialogue(val[0].image_id) == val[0]


def test_of_two_dialogues_about_an_image_the_question_decides(world):
    (file,) = read_context([world / "visdial_val.json"]).dialogues
    first = file[0]
    other = replace(first, rounds=(("is this another one?", "yes"), *first.rounds[1:]), pending="what else?")
    found = Context()
    found.__dict__["dialogues"] = (file, replace(file, dialogues=(other,)))
    assert found.dialogue(first.image_id) == first
    assert found.dialogue(first.image_id, (0, "is this another one?")) == other
    assert found.dialogue(first.image_id, (0, first.rounds[0][0])) == first
    assert found.dialogue(first.image_id, (len(other.rounds), "what else?")) == other
    assert found.dialogue(first.image_id, (0, "who knows?")) is None
    assert found.dialogue(first.image_id, (99, "who knows?")) is None


def test_a_file_that_tells_nothing_is_refused_by_its_name(world, tmp_path):
    with pytest.raises(InputError, match=r"vqa_annotations.*expected one of guesswhat, visdial"):
        read_context([world / "vqa_val_annotations.json"])
    with pytest.raises(InputError, match="no such file"):
        read_context([tmp_path / "none.json"])
    (tmp_path / "odd.txt").write_text("nothing of ours")
    with pytest.raises(InputError, match="known formats"):
        read_context([tmp_path / "odd.txt"])


def test_nothing_is_known_without_files():
    assert read_context([]).dialogue(1) is None
