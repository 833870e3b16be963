"""Which part of a reply is the answer to the first of several questions."""

import pytest

from voirdire.robustness.several_answers import first_of_several

ASKED = ("Is the dog brown?", "What is on the table?", "How many people are there?", "Is it sunny?")


@pytest.mark.parametrize(
    "reply",
    [
        "1. yes\n2. a cup\n3. 2\n4. no",
        "1) yes\n2) a cup\n3) 2\n4) no",
        "1. yes 2. a cup 3. two 4. no",
        "1. yes, 2. a cup, 3. two, 4. no",
        "**1.** yes\n\n**2.** a cup\n\n**3.** two\n\n**4.** no",
        "Here are the answers:\n1. yes\n2. a cup",
        "Answers: 1. yes 2. a cup 3. two 4. no",
        "Q1: yes\nQ2: a cup\nQ3: two\nQ4: no",
        "1. Is the dog brown? yes\n2. What is on the table? a cup",
        "1. **Is the dog brown?** – yes\n2. **What is on the table?** – a cup",
        "yes\na cup\ntwo\nno",
        "- yes\n- a cup\n- two\n- no",
        "Is the dog brown? yes What is on the table? a cup How many people are there? 2 Is it sunny? no",
        "Q: Is the dog brown?\nA: yes\nQ: What is on the table?\nA: a cup",
        "is the dog brown: yes\nwhat is on the table: a cup\nhow many people are there: 2\nis it sunny: no",
        "yes, a cup, two, no",
        "yes; a cup; 2; no",
        '["yes", "a cup", 2, "no"]',
        '```json\n["yes", "a cup", "2", "no"]\n```',
        '{"answers": ["yes", "a cup", "2", "no"]}',
        '{"Is the dog brown?": "yes", "table": "a cup", "people": 2, "sunny": "no"}',
        '[{"answer": "yes"}, {"answer": "a cup"}, {"answer": 2}, {"answer": "no"}]',
        "[true, false, 1, 2]",
    ],
)
def test_the_first_of_several_answers(reply: str) -> None:
    assert first_of_several(reply, ASKED) == "yes"


def test_sentences_keep_their_marks() -> None:
    assert first_of_several("Yes, it is. A cup is. There are two. No.", ASKED) == "Yes, it is."


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "yes",
        "Yes, the dog is brown.",
        "a cup, a fork and a knife",
        "apples, pears, plums, grapes",
        "1",
        "2.5",
        "1. yes",
        "There are 2. 1 is red.",
        "The dog is brown. It stands on the left side of a very large and old table.",
        "Is the dog brown? Yes, it is.",
        '{"answer": "yes"}',
        '{\n  "question": "Is the dog brown?",\n  "answer": "yes"\n}',
        '{"task": 1, "why": "it is so", "answer": "yes", "confidence": 0.9}',
        "Is the dog brown? What is on it? Is it day? Yes.",
        "Brown? A cup? Two? No.",
        "Yes.\n\nThe dog has brown fur.",
        "I see:\n1. a dog\n2. a cat\n3. a cup\n4. a man\n5. a tree",
        "It has 2 things:\n1. man, young, wearing an orange shirt, black pants and green skis, medium, at the "
        "right, holding number 2\n2. green skis",
    ],
)
def test_one_answer_is_left_as_it_is(reply: str) -> None:
    assert first_of_several(reply, ASKED) is None


def test_repeated_questions_are_no_lines_of_answers() -> None:
    assert first_of_several("**Is the dog brown? Is it sunny?**\n\nYes", (ASKED[0], ASKED[3])) is None


def test_a_question_that_begins_as_another_is_no_answer_to_it() -> None:
    asked = ("Is there a dog on it?", "Is there a dog?", "Is it sunny?")
    assert first_of_several("Q: Is there a dog on it? Is there a dog? Is it sunny?\nA: no", asked) is None


def test_one_question_has_one_answer() -> None:
    assert first_of_several("1. yes\n2. no", ()) is None
    assert first_of_several("1. yes\n2. no", ASKED[:1]) is None


def test_hostile_texts_take_no_time() -> None:
    # Bounded work on texts as long as a reply may be; the test would not end if it were not.
    for text in ("1. " * 30_000, "? " * 40_000, "[" * 90_000, "Is the dog " * 9_000):
        first_of_several(text, ASKED)
