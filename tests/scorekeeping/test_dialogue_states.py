"""States of a text encoder: what each role hears, shapes, dialogues of other lengths, and work that was interrupted."""

import json
from dataclasses import replace

import h5py
import numpy as np
import pytest

from voirdire.engine import Processes
from voirdire.errors import UsageError
from voirdire.formats.dialogues import Dialogue, Dialogues, read_dialogues
from voirdire.formats.states import read_states
from voirdire.scorekeeping import dialogue_states as module
from voirdire.scorekeeping.dialogue_states import encode_states
from voirdire.scorekeeping.exam import StatesOptions
from voirdire.text.encoders import encoder
from voirdire.text.turn_states import dialogue_turns

pytestmark = pytest.mark.slow

STATIC = StatesOptions("static")
ROUNDS = (("is it sunny", "yes"), ("any people?", "no."), ("a dog", "2 dogs"))


@pytest.fixture
def dialogues():
    made = tuple(Dialogue(place, f"scene {place}", ROUNDS[: 1 + place % 3]) for place in range(70))
    return Dialogues(made, "val", fingerprint="f" * 64)


def test_what_each_role_hears():
    dialogue = Dialogue(1, "a beach", ROUNDS)
    caption, first, second = "a beach.", "is it sunny? yes.", "any people? no."
    assert dialogue_turns(dialogue, "Q").texts() == [
        caption,
        f"{caption} {first}",
        f"{caption} {first} {second}",
        f"{caption} {first} {second} a dog? 2 dogs.",
    ]
    assert dialogue_turns(dialogue, "A").texts() == [
        f"{caption} is it sunny?",
        f"{caption} {first} any people?",
        f"{caption} {first} {second} a dog?",
        f"{caption} {first} {second} a dog? 2 dogs. ?",
    ]


def test_a_pending_question_is_heard_by_the_answerer_alone():
    dialogue = Dialogue(1, "a beach", ROUNDS[:1], pending="any waves")
    assert dialogue_turns(dialogue, "A").texts()[-1] == "a beach. is it sunny? yes. any waves?"
    assert dialogue_turns(dialogue, "Q").texts()[-1] == "a beach. is it sunny? yes."


@pytest.mark.parametrize("ending", [".h5", ".npz"])
def test_states_are_the_encoders_vectors(dialogues, tmp_path, ending):
    out = tmp_path / f"states{ending}"
    made = encode_states(dialogues, STATIC, output=out)
    assert made.states.shape == (70, 11, encoder("static").dimension)
    assert read_states(out) == made
    for place in (0, 1, 2, 40):
        texts = dialogue_turns(dialogues[place], "A").texts()
        assert np.array_equal(made.states[place, : len(texts)], encoder("static").encode(texts))
        assert not made.states[place, len(texts) :].any()
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_a_split_without_last_answers_has_the_turns_of_a_whole_one(tmp_path):
    """As those of VisDial's test split, whose last questions are open."""
    whole = Dialogue(1, "a beach", ROUNDS * 4)
    made = [
        encode_states(Dialogues((one,), fingerprint=name * 64), STATIC, output=tmp_path / f"{name}.npz")
        for name, one in (
            ("a", replace(whole, rounds=whole.rounds[:10])),
            ("b", replace(whole, rounds=whole.rounds[:9], pending="is it cold")),
        )
    ]
    train, test = (np.argwhere(one.states.any(axis=2)).shape[0] for one in made)
    assert made[0].states.shape == made[1].states.shape
    assert (train, test) == (11, 10)


def test_hdf5_is_float32_under_one_name(dialogues, tmp_path):
    encode_states(dialogues, StatesOptions("static", role="Q"), output=tmp_path / "s.h5")
    with h5py.File(tmp_path / "s.h5") as file:
        assert list(file) == ["states"]
        assert file["states"].dtype == np.float32


def test_the_same_bytes_for_any_number_of_workers(dialogues, tmp_path):
    encode_states(dialogues, STATIC, output=tmp_path / "one.npz")
    encode_states(dialogues, STATIC, output=tmp_path / "two.npz", engine=Processes(2))
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_an_interrupted_run_goes_on(dialogues, tmp_path, monkeypatch):
    out = tmp_path / "s.npz"
    calls = []

    class Counting(module.DistinctEncoder):
        def encode(self, texts):
            calls.append(len(texts))
            if len(calls) == 3:
                raise KeyboardInterrupt
            return super().encode(texts)

    monkeypatch.setattr(module, "DistinctEncoder", Counting)
    with pytest.raises(KeyboardInterrupt):
        encode_states(dialogues, STATIC, output=out)
    assert not out.exists()
    assert (tmp_path / "s.npz.work").is_dir()
    told = []
    made = encode_states(dialogues, STATIC, output=out, progress=lambda done, total: told.append((done, total)))
    # Two shards of 32 dialogues were kept; the third, of six, is done now.
    assert told == [(64, 70), (70, 70)]
    assert calls[3:] == calls[2:3]
    monkeypatch.undo()
    assert made == encode_states(dialogues, STATIC, output=tmp_path / "again.npz")
    assert not (tmp_path / "s.npz.work").exists()


def test_bad_calls(dialogues, tmp_path):
    with pytest.raises(UsageError, match=r"`output` must end in \.h5 or \.hdf5 or \.npz"):
        encode_states(dialogues, STATIC, output=tmp_path / "s.json")
    with pytest.raises(UsageError, match="`role` must be one of A, Q, got 'B'"):
        encode_states(dialogues, StatesOptions("static", role="B"), output=tmp_path / "s.npz")
    with pytest.raises(UsageError, match="there is no encoder"):
        encode_states(dialogues, StatesOptions("nobody"), output=tmp_path / "s.npz")
    assert not list(tmp_path.iterdir())


def test_from_the_text_layout(tmp_path):
    path = tmp_path / "d.json"
    path.write_text(json.dumps([{"img": "a_0001.jpg", "dialog": ["a beach", "is it sunny? yes"]}]))
    made = encode_states(read_dialogues(path), STATIC, output=tmp_path / "s.npz")
    assert made.states.shape[:2] == (1, 11)
    assert made.states[0].any(axis=1).sum() == 2
