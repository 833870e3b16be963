"""Files beside runs: each is known by its content, texts are found by id, and what cannot be used is said."""

from dataclasses import replace

import pytest

from voirdire.errors import InputError
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions, write_vqa_questions
from voirdire.section.context import Context, read_context
from voirdire.world.build import build_world


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("context") / "world"
    build_world(folder, 12, 3)
    return folder


def asked(folder, name, texts, partition=None):
    rows = [VqaQuestion(id_, id_ // 10, text) for id_, text in texts.items()]
    info = {} if partition is None else {"info": {"partition": partition}}
    write_vqa_questions(VqaQuestions.from_rows(rows, info), folder / name)
    return folder / name


def test_a_world_is_read_whole(world):
    names = ("visdial_val.json", "guesswhat_val.jsonl", "scenes.jsonl")
    found = read_context([world / name for name in names])
    (file,) = found.dialogues
    first = file[0]
    assert found.dialogue(first.image_id) == first
    assert first.image_id in found.scenes
    game = next(iter(found.games.values()))
    assert game.image.id in found.scenes


def test_dialogues_of_two_files_are_found_by_their_image(world):
    found = read_context([world / "visdial_val.json", world / "visdial_train.json"])
    val, train = found.dialogues
    assert found.dialogue(train[0].image_id) == train[0]
    assert found.dialogue(val[0].image_id) == val[0]


def test_of_two_dialogues_about_an_image_the_question_decides(world):
    (file,) = read_context([world / "visdial_val.json"]).dialogues
    first = file[0]
    other = replace(first, rounds=(("is this another one?", "yes"), *first.rounds[1:]), pending="what else?")
    found = Context((file, replace(file, dialogues=(other,))))
    assert found.dialogue(first.image_id) == first
    assert found.dialogue(first.image_id, (0, "is this another one?")) == other
    assert found.dialogue(first.image_id, (0, first.rounds[0][0])) == first
    assert found.dialogue(first.image_id, (len(other.rounds), "what else?")) == other
    assert found.dialogue(first.image_id, (0, "who knows?")) is None
    assert found.dialogue(first.image_id, (99, "who knows?")) is None


def test_questions_say_their_noise_themselves(tmp_path):
    found = read_context(
        [
            asked(tmp_path, "a.json", {1: "is it red?"}),
            asked(tmp_path, "b.json", {1: "is it red? is it big?"}, "3"),
            asked(tmp_path, "c.json", {1: "is it red? who is it?"}, "control1"),
            asked(tmp_path, "d.json", {2: "is it wet?"}, "clean"),
        ]
    )
    assert found.question(1) == "is it red?"
    assert found.question(2) == "is it wet?"
    assert found.question(1, "partition3") == "is it red? is it big?"
    assert found.question(1, "control") == "is it red? who is it?"
    assert found.question(1, "partition1") is None
    assert found.question(2, "partition3") is None


def test_the_same_file_twice_is_no_conflict_and_two_texts_are_one(tmp_path):
    first = asked(tmp_path, "first.json", {1: "is it red?"}, "1")
    assert read_context([first, first]).question(1, "partition1") == "is it red?"
    second = asked(tmp_path, "second.json", {1: "is it blue?"}, "1")
    with pytest.raises(InputError) as error:
        read_context([first, second])
    assert str(error.value).startswith(f"{second}: question 1, partition1: found 'is it blue?', and 'is it red?' in ")
    assert "first.json" in str(error.value)


@pytest.mark.parametrize("said", ["8", "noisy", 0])
def test_an_unknown_noise_is_named(tmp_path, said):
    with pytest.raises(InputError, match=r"info\.partition"):
        read_context([asked(tmp_path, "odd.json", {1: "is it red?"}, said)])


def test_a_file_that_tells_nothing_is_refused_by_its_name(world, tmp_path):
    with pytest.raises(InputError, match=r"vqa_annotations.*expected dialogues"):
        read_context([world / "vqa_val_annotations.json"])
    with pytest.raises(InputError, match="no such file"):
        read_context([tmp_path / "none.json"])
    (tmp_path / "odd.txt").write_text("nothing of ours")
    with pytest.raises(InputError, match="known formats"):
        read_context([tmp_path / "odd.txt"])


def test_nothing_is_known_without_files():
    assert read_context([]).dialogue(1) is None
    assert Context().question(1) is None
