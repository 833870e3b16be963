"""Words and classes of a network from its training files."""

import numpy as np
import pytest

from voirdire.models.recipes import WordRule
from voirdire.models.vocabulary import UNKNOWN, QuestionVocabulary, commonest_answers, question_words


@pytest.mark.parametrize(
    ("question", "rule", "words"),
    [
        ("Is the dog's ball red?", "treebank", ["is", "the", "dog", "'s", "ball", "red", "?"]),
        ("Is the dog's ball red?", "marks-off", ["is", "the", "dogs", "ball", "red"]),
        ("Left-hand and/or T.V.: (which)?!", "marks-off", ["left", "hand", "and", "or", "tv", "which"]),
        ('What is "$5"; @home, 50% off', "marks-off", ["what", "is", "5", "home", "50%", "off"]),
        ("", "marks-off", []),
        ("???", "marks-off", []),
    ],
)
def test_words_by_each_rule(question: str, rule: WordRule, words: list[str]) -> None:
    assert question_words(question, rule) == words


def test_unseen_words_are_one_word_and_long_questions_are_cut() -> None:
    known = QuestionVocabulary.of(["is it red", "it is"], "marks-off", 3)
    assert known.words == ("is", "it", "red", UNKNOWN)
    assert known.numbers("it is blue indeed") == [2, 1, 4]
    np.testing.assert_array_equal(known.padded(["red", "", "is it"]), [[3, 0], [0, 0], [1, 2]])
    assert known.padded(["", ""]).shape == (2, 1)


def test_classes_by_count_then_from_the_end_of_the_alphabet() -> None:
    assert commonest_answers(["no", "yes", "yes", "b", "a", "no"], 3) == ("yes", "no", "b")
    assert commonest_answers([], 3) == ()
