"""The pool: what counts as one question, the yes/no pool, and what annotations must be."""

import pytest

from voirdire.errors import InputError
from voirdire.formats.vqa_annotations import VqaAnnotation, VqaAnnotations, VqaAnswer
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions
from voirdire.robustness.pool import Pool, fold, make_pool, yes_no_questions


def asked(*texts: str, first: int = 1) -> VqaQuestions:
    return VqaQuestions.from_rows(VqaQuestion(first + at, 10 * (first + at), text) for at, text in enumerate(texts))


def annotated(*kinds: str, first: int = 1, image: int = 10) -> VqaAnnotations:
    answers = tuple(VqaAnswer("yes", "yes", number) for number in range(1, 11))
    return VqaAnnotations.from_rows(
        VqaAnnotation(first + at, image * (first + at), "is", kind, answers)  # type: ignore[arg-type]
        for at, kind in enumerate(kinds)
    )


@pytest.mark.parametrize("text", ["Is it red?", " is  it red ", "IS IT RED ?", "Is it red.?!", "is\tit\nred"])
def test_case_spacing_and_final_punctuation_do_not_count(text: str) -> None:
    assert fold(text) == "is it red"


@pytest.mark.parametrize("text", ["Is it, red?", "Is it red)", "Isit red?", 'Is it "red"?'])
def test_other_characters_count(text: str) -> None:
    assert fold(text) != "is it red"


def test_distinct_questions_in_the_order_of_their_first_appearance() -> None:
    pool = make_pool([asked("B?", "a?", "b", "?"), asked("C c?", "A ?", "d", " ")])
    assert pool.texts == ("B?", "a?", "C c?", "d")
    assert (pool.asked, pool.blank, len(pool)) == (8, 2, 4)
    assert [pool.find(text) for text in ("b!", "c  C", "e", "")] == [0, 2, None, None]


def test_the_fingerprint_is_of_texts_and_order() -> None:
    pool = make_pool([asked("a", "b")]).fingerprint
    assert pool == make_pool([asked("a"), asked("b", "A?")]).fingerprint
    assert len({pool, Pool(("b", "a"), 2, 0).fingerprint, Pool(("ab",), 1, 0).fingerprint}) == 3


@pytest.mark.parametrize(
    ("files", "message"),
    [([], "no question"), ([asked()], "no question"), ([asked("?", " ")], "2 questions, none with text")],
)
def test_an_empty_pool_is_an_error(files: list[VqaQuestions], message: str) -> None:
    with pytest.raises(
        InputError, match=f"pool: field `questions`: found {message}, expected at least one basic question"
    ):
        make_pool(files)


def test_yes_no_questions_are_those_that_one_annotation_says_are() -> None:
    files = [asked("Red or blue?", "Is it?", "How many?"), asked("red or blue", "Why?", first=8)]
    kept = yes_no_questions(files, [annotated("other", "yes/no", "number"), annotated("yes/no", "other", first=8)])
    assert [file.questions for file in kept] == [("Is it?",), ("red or blue",)]
    assert kept[1].question_ids.tolist() == [8]
    assert make_pool(kept).texts == ("Is it?", "red or blue")


def test_annotations_must_cover_the_pool() -> None:
    with pytest.raises(InputError, match=r"pool annotations: 2 problems\n  question 2: found no annotation"):
        yes_no_questions([asked("a", "b", "c")], [annotated("yes/no")])


def test_annotations_of_another_split_are_named() -> None:
    with pytest.raises(InputError, match=r"found no question of the pool, .* another split or dataset"):
        yes_no_questions([asked("a", "b")], [annotated("yes/no", "other", first=50)])
    with pytest.raises(InputError, match="found no question of the pool"):
        yes_no_questions([asked("a", "b")], [])


def test_annotations_of_another_dataset_with_the_same_ids_are_named() -> None:
    with pytest.raises(InputError, match="question 1, field `image_id`: found 11, expected 10"):
        yes_no_questions([asked("a")], [annotated("yes/no", image=11)])


def test_annotations_that_do_not_agree_are_named() -> None:
    with pytest.raises(InputError, match="question 1: found two annotations that do not agree"):
        yes_no_questions([asked("a")], [annotated("yes/no"), annotated("other")])
    (kept,) = yes_no_questions([asked("a")], [annotated("yes/no"), annotated("yes/no")])
    assert kept.questions == ("a",)
