"""Propositions and states that do not belong together, and how dialogues are dealt out."""

from dataclasses import replace

import numpy as np
import pytest
from probe_dialogues import dialogue, material

from voirdire.errors import InputError, UsageError
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.formats.states import States
from voirdire.options import SampleOptions
from voirdire.scorekeeping.points import SentenceNumbers, points_of
from voirdire.scorekeeping.probe.splits import ProbeData, read_lengths, split_data


def propositions_of(count: int, split: str = "val") -> PropositionSet:
    rng = np.random.default_rng(0)
    return PropositionSet(split, "made", {at: tuple(dialogue(rng)[0]) for at in range(count)})


def states(count: int, turns: int = 11, width: int = 3) -> States:
    return States(np.ones((count, turns, width), np.float32))


def test_states_of_fewer_dialogues() -> None:
    found = ProbeData.of("train", propositions_of(30), states(20))
    assert (list(found.propositions.dialogues), list(found.stateless)) == ([*range(20)], [*range(20, 30)])
    # All are dealt out, so that the parts are those of a model that has all states.
    parts, whole = (
        split_data(ProbeData.of("train", propositions_of(30), states(count)), None, None, 0) for count in (20, 30)
    )
    for some, every in ((parts.train, whole.train), (parts.valid, whole.valid), (parts.test, whole.test)):
        assert sorted(some.dialogues) == every.dialogues
        assert set(some.propositions.dialogues) == {one for one in every.dialogues if one < 20}
    message = r"train states: .*dialogue 29 \(from 0\) and states of 20 dialogues.*split"
    with pytest.raises(InputError, match=message):
        ProbeData.of("train", propositions_of(30), states(20), options=SampleOptions(strict=True))
    with pytest.raises(InputError, match=r"no state of the \d+ dialogues that are dealt out to \w+"):
        split_data(ProbeData.of("train", propositions_of(30), states(1)), None, None, 0)


def test_states_of_many_more_dialogues_are_of_another_split() -> None:
    with pytest.raises(InputError, match=r"states of 200 dialogues, and propositions of none after dialogue 29.*split"):
        ProbeData.of("valid", propositions_of(30), states(200))
    common = ProbeData.of("valid", propositions_of(30), states(200), options=SampleOptions(common=True))
    assert len(common.propositions.dialogues) == 30
    # Some dialogues at the end may have no propositions.
    assert ProbeData.of("valid", propositions_of(30), states(32)).lengths.tolist() == [11] * 32


def test_propositions_of_train_are_not_scored() -> None:
    with pytest.raises(InputError, match="test propositions: field `set`: found propositions of the split train"):
        ProbeData.of("test", propositions_of(30, "train"), states(30))


def test_states_that_are_not_numbers() -> None:
    broken = states(30)
    broken.states[4, 7, 1] = np.nan
    broken.states[5, 0, 0] = np.inf
    with pytest.raises(InputError, match=r"dialogue 4, turn 7 \(both from 0\)") as caught:
        ProbeData.of("train", propositions_of(30), broken)
    assert caught.value.total == 2


def test_states_of_fewer_turns_than_the_propositions_speak_of() -> None:
    with pytest.raises(InputError, match=r"train states: found 3 turns.* propositions up to turn \d") as caught:
        ProbeData.of("train", propositions_of(30), states(30, turns=3))
    assert caught.value.total == 1


def test_errors_name_the_files() -> None:
    strict = SampleOptions(strict=True)
    with pytest.raises(InputError, match=r"^a/s\.h5 \(train states\): found propositions of dialogue 29"):
        ProbeData.of("train", propositions_of(30), replace(states(20), file="a/s.h5"), options=strict)
    with pytest.raises(InputError, match=r"^a/p\.json \(test propositions\): field `set`"):
        ProbeData.of("test", replace(propositions_of(30, "train"), file="a/p.json"), states(30))


def test_a_dialogue_ends_where_its_states_are_zero_from_there_on() -> None:
    made = states(6)
    made.states[2, 8:] = 0
    made.states[3, 4] = 0  # In the midst: a state that happens to be zero.
    assert read_lengths(made.states).tolist() == [11, 11, 8, 11, 11, 11]
    records = propositions_of(6).dialogues
    short = tuple(record for record in records[2] if record.turn_shared < 8)
    found = ProbeData.of("test", PropositionSet("test", "made", {**records, 2: short}), made)
    assert found.ended == 1
    points = points_of(found.propositions.dialogues.items(), found.lengths, SentenceNumbers())
    assert points.turn[points.point_dialogue == 2].max() == 7
    assert len(points) == 5 * 8 * 11 + 8 * len(short)


def short_dialogues(count: int = 6, turns: int = 8) -> PropositionSet:
    """Propositions of dialogues that end after so many turns."""
    rng = np.random.default_rng(1)
    return PropositionSet("test", "made", {at: tuple(dialogue(rng, turns)[0]) for at in range(count)})


def test_states_after_the_end_are_not_read_where_the_end_is_known() -> None:
    records = short_dialogues()
    made = states(6)
    guessed = ProbeData.of("test", records, made)
    assert guessed.lengths.tolist() == [11] * 6
    assert (guessed.guessed, guessed.after) == ("test_dialogues", ())
    told = ProbeData.of("test", replace(records, turns=dict.fromkeys(range(6), 8)), made)
    heard = Dialogues(tuple(Dialogue(at, "a goat", (("is it old", "no"),) * 7) for at in range(6)))
    read = ProbeData.of("test", records, made, heard)
    for one in (told, read):
        assert one.lengths.tolist() == [8] * 6
        assert (one.guessed, one.after, one.ended) == ("", tuple(range(6)), 6)
    made.states[:, 8:] = 0
    assert ProbeData.of("test", records, made, heard).after == ()


def test_dialogues_that_are_not_those_of_the_propositions() -> None:
    heard = Dialogues(tuple(Dialogue(at, "a goat", (("is it old", "no"),) * 7) for at in range(6)), file="d.json")
    told = replace(short_dialogues(), turns=dict.fromkeys(range(6), 9))
    message = r"d\.json \(test dialogues\): 6 problems\n  dialogue 0 \(from 0\): found 8 turns .* expected 9 turns, as"
    with pytest.raises(InputError, match=message):
        ProbeData.of("test", told, states(6), heard)
    with pytest.raises(InputError, match="found 6 dialogues, and propositions of dialogue 8"):
        ProbeData.of("test", short_dialogues(9), states(9), heard)


def test_a_turn_beyond_the_end_of_a_short_dialogue() -> None:
    made = states(6)
    made.states[2, 8:] = 0
    late = (Proposition("there is a dog", 1, 9, "there", "positive"),)
    with pytest.raises(InputError, match=r"dialogue 2, proposition 0.*turn 9.*8 turns with its caption, after which"):
        ProbeData.of("test", PropositionSet("test", "made", {**propositions_of(6).dialogues, 2: late}), made)


def test_a_dialogue_without_any_state() -> None:
    made = states(6)
    made.states[1] = 0
    with pytest.raises(InputError, match=r"train states: dialogue 1 \(from 0\): .* all zeros.*`control` null"):
        ProbeData.of("train", propositions_of(6), made)


def test_one_split_is_dealt_out_by_dialogue() -> None:
    whole = material(50)
    parts = split_data(whole, None, None, 3)
    dealt = [set(one.propositions.dialogues) for one in (parts.train, parts.valid, parts.test)]
    assert [len(one) for one in dealt] == [30, 10, 10]
    assert set.union(*dealt) == set(range(50))
    assert [one.name for one in (parts.train, parts.valid, parts.test)] == ["train", "valid", "test"]
    assert "dealt out by seed 3: 30 to learn from, 10 to choose the epoch, 10 to score" in parts.warnings[0]
    again, other = split_data(whole, None, None, 3), split_data(whole, None, None, 4)
    assert set(again.test.propositions.dialogues) == dealt[2] != set(other.test.propositions.dialogues)
    with pytest.raises(InputError, match="propositions of 4 dialogues, expected at least 5"):
        split_data(material(4), None, None, 0)


def test_what_is_given_is_used_as_it_is() -> None:
    train, valid, test = (material(20, seed, name=name) for seed, name in enumerate(("train", "valid", "test")))
    parts = split_data(train, valid, test, 0)
    assert (parts.train, parts.valid, parts.test, parts.warnings) == (train, valid, test, ())
    held = split_data(train, None, test, 0)
    assert (len(held.train.propositions.dialogues), len(held.valid.propositions.dialogues)) == (16, 4)
    assert held.test is test
    assert "held out to choose the epoch" in held.warnings[0]
    scored = split_data(train, valid, None, 0)
    assert scored.test.propositions is valid.propositions
    assert "the scores are those on valid" in scored.warnings[0]


def test_the_same_dialogues_are_not_learnt_from_and_scored() -> None:
    train = material(20, name="train", split="val")
    with pytest.raises(UsageError, match="the propositions of test are those of train"):
        split_data(train, None, replace(train, name="test"), 0)
    marked = replace(train.propositions, fingerprint="ab")
    with pytest.raises(UsageError, match="the propositions of valid are those of train"):
        split_data(replace(train, propositions=marked), replace(train, name="valid", propositions=marked), None, 0)


def test_states_of_another_model() -> None:
    train = material(20)
    with pytest.raises(InputError, match="test states: found 11 turns of 3 numbers, expected 11 turns of 12 numbers"):
        split_data(train, None, ProbeData.of("test", propositions_of(20), states(20)), 0)
    with pytest.raises(InputError, match="6 turns of 12 numbers"):
        split_data(train, None, material(20, 1, name="test", turns=6), 0)
