"""The short answers inside generated sentences, scored beside the texts as written."""

import pytest
from score_records import generations, references

from voirdire.answers.exam import ScoreAnswersOptions
from voirdire.answers.score import score_answers
from voirdire.text.short_answers import RULE

SETS = [["yes", "yes it is"], ["red"], ["2", "two"]]
WORDY = [["Yes, that can be seen in the image."], ["It is red."], ["There are 2 dogs."]]
SHORT = [["yes"], ["red"], ["2"]]
WHERE = {"images": [1, 2, 3], "rounds": [0, 0, 0]}


def run(texts, **options):
    given = ScoreAnswersOptions(measures=("bleu", "rouge"), **options)
    return score_answers(generations(texts, **WHERE), references(SETS, **WHERE), given)


def test_the_default_is_the_text_as_written_and_says_that_it_is_prose():
    made = run(WORDY)
    assert not [key for key in made.measures if key.variant == "extracted"]
    assert "extracted" not in made.signature.options
    (warning,) = made.warnings
    assert warning.startswith("3 of 3 generations (100 %) are written as sentences with a shorter answer inside")
    assert "`extract`" in warning


def test_extracted_stands_beside_it():
    made, short = run(WORDY, extract=True), run(SHORT)
    plain = run(WORDY)
    for name in ("bleu1", "rouge_l"):
        assert made.measures[name] == plain.measures[name]
        assert made.measures[f"{name}:extracted"] == short.measures[name]
        assert made.measures[f"{name}:extracted"].value > made.measures[name].value
    assert made.items["extracted"].to_list() == SHORT
    assert made.items["answers"].to_list() == plain.items["answers"].to_list()
    assert made.signature.options["extracted"] == RULE
    assert made.warnings[0].startswith("3 of 3 generations (100 %) are sentences with a shorter answer inside")


def test_several_generations_have_it_at_k():
    made = run([["It is blue.", "Yes, it is."], ["It is red."] * 2, ["2", "There are 3."]], extract=True)
    assert made.measures["bleu1@1:extracted"].value == pytest.approx(2 / 3)
    assert made.measures["bleu1@2:extracted"].value == pytest.approx((1 / 2 + 1 + 1 / 2) / 3)
    assert made.measures["bleu1:extracted"].value == made.measures["bleu1@2:extracted"].value


def test_short_generations_get_no_warning():
    assert run(SHORT).warnings == ()
