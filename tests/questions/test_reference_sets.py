"""Reference sets: Figure 1 turn by turn, the corner cases, and the masks against the definitions read on plain sets."""

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from question_games import FIGURE_ANSWERS, codes

from voirdire.questions.reference_sets import Turn, follow, members


def by_oracle(answers, target=0):
    return follow(answers, target, answers[:, target].tolist())


def test_figure_1_turn_by_turn():
    turns = by_oracle(FIGURE_ANSWERS)
    assert [turn.distractors for turn in turns] == [6, 5, 3, 0, 0]
    assert [turn.effective for turn in turns] == [True, True, True, True, False]
    assert [turn.refers_to for turn in turns] == [None, 1, None, None, 0]
    assert all(turn.target_left for turn in turns)
    assert [members(turn.left) for turn in turns] == [[*range(7)], [0, 2, 3, 4, 5, 6], [0, 4, 5, 6], [0], [0]]


def test_one_object_is_never_excluded_and_yes_refers_to_it():
    turns = by_oracle(codes("y", "n", "a"))
    assert [turn.effective for turn in turns] == [False] * 3
    assert [turn.refers_to for turn in turns] == [0, None, None]
    assert [turn.distractors for turn in turns] == [0, 0, 0]


def test_na_is_an_answer_like_the_others():
    assert [turn.effective for turn in by_oracle(codes("aaa", "aaa"))] == [False, False]
    (turn,) = by_oracle(codes("ayn"))
    assert (turn.effective, turn.distractors, turn.refers_to) == (True, 0, None)
    # One yes among n/a is not referring: every other object must have the answer no.
    assert by_oracle(codes("yaa"))[0].refers_to is None
    assert by_oracle(codes("yna"))[0].refers_to is None
    assert by_oracle(codes("ynn"))[0].refers_to == 0


def test_referring_looks_at_all_objects_and_not_only_at_those_left():
    # The second object is out after the first question, but it also has yes to the second.
    turns = by_oracle(codes("yny", "yyn"))
    assert (turns[1].effective, turns[1].refers_to) == (True, None)


def test_no_question():
    assert follow(np.zeros((0, 3), np.int8), 0, []) == []


def test_a_recorded_answer_can_drop_the_target():
    answers = codes("yyn", "ynn")
    first, second = follow(answers, 0, [1, 0])
    # The recorded no keeps the third object alone: two objects leave, one of them the target.
    assert (first.target_left, first.distractors, first.effective) == (False, 1, True)
    # The recorded yes then leaves nobody: the third object goes.
    assert second == Turn(0, 0, True, 0, False)


def test_a_question_that_excludes_the_target_alone_is_not_effective():
    (turn,) = follow(codes("ynn"), 0, [1])
    assert (turn.effective, turn.target_left, turn.distractors) == (False, False, 2)


def test_more_objects_than_a_machine_word_has_bits():
    answers = np.ones((2, 200), np.int8)
    answers[0, :150] = 0
    answers[1, 149] = 0
    first, second = by_oracle(answers, 149)
    assert (first.distractors, first.effective, first.refers_to) == (149, True, None)
    assert (second.distractors, second.effective, second.refers_to) == (0, True, 149)
    assert members(second.left) == [149]


def plain(answers, target, said):
    """The definitions as they are written, on sets."""
    everything = set(range(answers.shape[1]))
    before, told = everything, []
    for row, answer in zip(answers.tolist(), said, strict=True):
        after = {o for o in before if row[o] == answer}
        alone = [o for o in everything if row[o] == 0 and all(row[p] == 1 for p in everything - {o})]
        told.append((after, after - {target} != before - {target}, alone[0] if alone else None))
        before = after
    return told


@st.composite
def any_dialogue(draw):
    objects = draw(st.one_of(st.integers(1, 9), st.integers(60, 70)))
    # Mostly no, so that questions that refer to one object come up.
    row = st.lists(st.sampled_from([0, 1, 1, 1, 1, 2]), min_size=objects, max_size=objects)
    answers = np.array(draw(st.lists(row, max_size=5)), dtype=np.int8).reshape(-1, objects)
    target = draw(st.integers(0, objects - 1))
    said = draw(st.lists(st.sampled_from([0, 1, 2]), min_size=len(answers), max_size=len(answers)))
    return answers, target, said


@pytest.mark.slow
@drawn(any_dialogue())
def test_masks_are_the_definitions_on_plain_sets(dialogue):
    answers, target, said = dialogue
    for given in (said, answers[:, target].tolist()):
        turns = follow(answers, target, given)
        told = plain(answers, target, given)
        assert [(set(members(turn.left)), turn.effective, turn.refers_to) for turn in turns] == told
        assert [turn.distractors for turn in turns] == [len(left - {target}) for left, _, _ in told]
        assert [turn.target_left for turn in turns] == [target in left for left, _, _ in told]


@pytest.mark.slow
@drawn(any_dialogue())
def test_by_the_oracle_the_target_stays_and_effective_is_that_the_set_changed(dialogue):
    answers, target, _ = dialogue
    before = (1 << answers.shape[1]) - 1
    for turn in by_oracle(answers, target):
        assert turn.target_left
        assert turn.effective == (turn.left != before)
        assert turn.left & before == turn.left
        before = turn.left


@pytest.mark.parametrize(("mask", "places"), [(0, []), (1, [0]), (0b1010, [1, 3]), (1 << 99, [99])])
def test_members(mask, places):
    assert members(mask) == places
