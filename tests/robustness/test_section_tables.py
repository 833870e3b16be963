"""Questions beside runs say their noise themselves; two texts for one question are refused."""

import pytest

from voirdire.errors import InputError
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions, write_vqa_questions
from voirdire.robustness.section_tables import asked_questions
from voirdire.section.context import Context, read_context


def asked(folder, name, texts, partition=None):
    rows = [VqaQuestion(id_, id_ // 10, text) for id_, text in texts.items()]
    info = {} if partition is None else {"info": {"partition": partition}}
    write_vqa_questions(VqaQuestions.from_rows(rows, info), folder / name)
    return folder / name


def found(*paths):
    return asked_questions(read_context(paths))


def test_questions_say_their_noise_themselves(tmp_path):
    assert found(
        asked(tmp_path, "a.json", {1: "is it red?"}),
        asked(tmp_path, "b.json", {1: "is it red? is it big?"}, "3"),
        asked(tmp_path, "c.json", {1: "is it red? who is it?"}, "control1"),
        asked(tmp_path, "d.json", {2: "is it wet?"}, "clean"),
    ) == {
        "": {1: "is it red?", 2: "is it wet?"},
        "partition3": {1: "is it red? is it big?"},
        "control": {1: "is it red? who is it?"},
    }


def test_the_same_file_twice_is_no_conflict_and_two_texts_are_one(tmp_path):
    first = asked(tmp_path, "first.json", {1: "is it red?"}, "1")
    assert found(first, first) == {"partition1": {1: "is it red?"}}
    second = asked(tmp_path, "second.json", {1: "is it blue?"}, "1")
    with pytest.raises(InputError) as error:
        found(first, second)
    assert str(error.value).startswith(f"{second}: question 1, partition1: found 'is it blue?', and 'is it red?' in ")
    assert "first.json" in str(error.value)


@pytest.mark.parametrize("message", ["8", "noisy", 0])
def test_an_unknown_noise_is_named(tmp_path, message):
    with pytest.raises(InputError, match=r"info\.partition"):
        found(asked(tmp_path, "odd.json", {1: "is it red?"}, message))


def test_nothing_is_known_without_files():
    assert asked_questions(Context()) == {}
