"""Templates and the messages that come of them."""

import os

import pytest

from voirdire.errors import InputError
from voirdire.live.model import AnswerTask, AskTask, BoxedObject, GuessTask, JudgeTask, PointTask, VisualInput
from voirdire.live.prompts import FIELDS, read_template, shipped_templates

SEEN = VisualInput(7, picture="ab", told="There are two dogs.")
PLAIN, TWO = read_template(), read_template("two-questions")
NEXT = "What is your next question?"
THINGS = (BoxedObject("dog", (0.1, 0.2, 0.3, 0.4)), BoxedObject("cup", (0.0, 0.0, 1.0, 0.5)))


def roles(messages):
    return [(one["role"], one["content"]) for one in messages]


def test_a_question_alone_with_a_picture():
    system, user = PLAIN.messages(AnswerTask(VisualInput(7), "is it red?", alone=True), "data:image/png;base64,AA")
    assert "one word" in system["content"]
    assert user["content"] == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
        {"type": "text", "text": "is it red?"},
    ]


def test_a_dialogue_is_real_turns_with_the_scene_first():
    task = AnswerTask(SEEN, "and the other?", caption="dogs", rounds=(("is one brown?", "yes"), ("big?", "no")))
    assert roles(PLAIN.messages(task))[1:] == [
        ("user", "There are two dogs.\nThe picture: dogs\nis one brown?"),
        ("assistant", "yes"),
        ("user", "big?"),
        ("assistant", "no"),
        ("user", "and the other?"),
    ]


def test_in_a_game_the_questions_are_the_models_own():
    first = roles(PLAIN.messages(AskTask(VisualInput(1), (), 5)))
    assert first[1:] == [("user", f"You may ask 5 more questions. {NEXT}")]
    task = AskTask(SEEN, (("is it a dog?", "yes"), ("left?", "no")), 3)
    assert roles(PLAIN.messages(task))[1:] == [
        ("user", "There are two dogs.\nLet us begin."),
        ("assistant", "is it a dog?"),
        ("user", "yes"),
        ("assistant", "left?"),
        ("user", f"no\nYou may ask 3 more questions. {NEXT}"),
    ]
    guess = roles(PLAIN.messages(GuessTask(SEEN, task.rounds, THINGS)))[-1][1]
    assert "1. dog, from 10 % to 40 % of the width and from 20 % to 60 % of the height\n2. cup" in guess


def test_an_object_and_a_sentence():
    assert (
        "of the height. is it red? Answer with"
        in PLAIN.messages(PointTask(SEEN, "is it red?", THINGS[0]))[-1]["content"]
    )
    true, shared = (
        TWO.messages(JudgeTask(SEEN, "c", (), "it is red.", about))[-1]["content"] for about in ("truth", "sharing")
    )
    assert "Statement: it is red.\nIs this statement true of the picture?" in true
    assert "Statement: it is red.\nIs it settled by what has been said" in shared


def test_who_judges_is_told_the_dialogue_as_a_text():
    task = JudgeTask(SEEN, "two dogs in a park", (("are they big?", "no"), ("sunny?", "yes")), "it is red.", "sharing")
    (_, system), (role, said) = roles(TWO.messages(task))
    assert "yes or no" in system
    assert role == "user"
    start = "There are two dogs.\nWhat both were told at the start: two dogs in a park\n"
    assert said.startswith(f"{start}What was asked and answered since:\nQ: are they big?\nA: no\nQ: sunny?\nA: yes\n")
    ((_, _), (_, early)) = roles(PLAIN.messages(JudgeTask(SEEN, "c", (), "it is red.", "truth")))
    assert "since:\nnothing yet\nStatement" in early


def test_a_score_names_its_labels_in_the_order_of_the_task():
    assert PLAIN.asks_score
    assert not TWO.asks_score
    task = JudgeTask(SEEN, "c", (), "it is red.", "score", ("open", "true", "false"))
    (_, system), (_, said) = roles(PLAIN.messages(task))
    assert "yes" not in system
    assert said.endswith(
        "Statement: it is red.\nWhat has been established about this statement by what was said so far?\n"
        "- open: neither is established yet\n- true: it is established as true\n- false: it is established as false\n"
        "Answer with one word: open, true or false."
    )
    assert PLAIN.question_text(task) == said[said.index("Statement") :]


def test_nothing_steers_what_is_asked_in_a_game():
    for template in map(read_template, shipped_templates()):
        for table in ("ask", "ask_words"):
            words = " ".join(template.words[table].values()).lower()
            assert "is it" not in words
            assert "does it" not in words


def test_objects_are_listed_in_the_order_of_the_task():
    guess = PLAIN.messages(GuessTask(SEEN, (), THINGS, order=(1, 0)))[-1]["content"]
    assert "1. cup, from 0 %" in guess
    assert "2. dog, from 10 %" in guess


def test_boxes_that_are_drawn_are_not_told():
    seen = VisualInput(7, picture="cd", marks=tuple(one.box for one in THINGS))
    guess = PLAIN.messages(GuessTask(seen, (), THINGS))[-1]["content"]
    assert "numbers in the picture:\n1. dog\n2. cup\n" in guess
    point = PLAIN.messages(PointTask(VisualInput(7, "cd", marks=seen.marks[:1]), "is it red?", THINGS[0]))[-1][
        "content"
    ]
    assert "the dog in the red box. is it red? Answer" in point
    assert "%" not in guess + point


def test_it_may_be_told_that_it_may_stop():
    last = PLAIN.messages(AskTask(VisualInput(1), (), 5, may_stop=True))[-1]["content"]
    assert last.startswith(f"You may ask 5 more questions. {NEXT} If you know")


def test_a_game_without_a_picture_tells_its_words_first():
    task = AskTask(VisualInput(0), (("is it a bird?", "no"),), 19, ("elk", "fox"))
    system, *rest = roles(PLAIN.messages(task))
    assert "picture" not in system[1]
    assert rest == [
        ("user", "The candidates: elk, fox.\nLet us begin."),
        ("assistant", "is it a bird?"),
        ("user", f"no\nYou may ask 19 more questions. {NEXT}"),
    ]
    system, user = roles(PLAIN.messages(PointTask(VisualInput(0), "is it a bird?", "fox")))
    assert "picture" not in system[1]
    assert user[1] == "Think of this: fox. is it a bird? Answer with yes, no or n/a."


def test_what_is_said_is_never_a_place():
    task = AnswerTask(VisualInput(1), "{caption} {left.__class__} {0}", alone=True)
    assert PLAIN.messages(task)[-1]["content"] == "{caption} {left.__class__} {0}"


def test_its_identity_changes_with_every_byte(tmp_path):
    own = tmp_path / "own.toml"
    text = (__import__("importlib.resources").resources.files("voirdire.live") / "templates/plain.toml").read_text()
    own.write_text(text)
    assert read_template(own) == PLAIN
    own.write_text(text + "\n")
    assert read_template(own).identity != PLAIN.identity
    assert PLAIN.identity.startswith("plain-2:")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[guess]", "[guesses]", r"no table \[guess\]"),
        ('user = "{question}"', 'user = "{question} {secret}"', "places question, secret at"),
        ('user = "{question}"', 'user = "what?"', "places none at"),
        ('user = "{question}"', "user = 3", "found int at"),
        ("version = 2", "version = ", "no TOML"),
        ('score = "Statement', '# "Statement', r"neither judge\.score nor judge\.sharing"),
    ],
)
def test_templates_that_are_refused(tmp_path, old, new, said):
    own = tmp_path / "own.toml"
    text = (__import__("importlib.resources").resources.files("voirdire.live") / "templates/plain.toml").read_text()
    own.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=said):
        read_template(own)


def test_no_such_template():
    with pytest.raises(InputError, match="nothing that can be read"):
        read_template("nowhere")


@pytest.mark.parametrize("name", shipped_templates())
def test_every_template_of_ours_has_words_for_every_task(name):
    template = read_template(name)
    assert template.name == name
    assert set(template.words) == set(FIELDS)
    assert template.identity.startswith(f"{name}-")


def test_templates_of_ours_differ_in_every_task_that_more_than_one_has_words_for():
    ours = [read_template(name) for name in ("plain", "explicit", "brief")]
    for task in ("answer", "alone", "noisy", "ask", "guess", "point", "ask_words", "point_word"):
        assert len({str(one.words[task]) for one in ours}) == 3, task
    assert len({one.identity for one in ours}) == 3


def test_a_template_takes_from_its_base_what_it_lacks(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('base = "plain"\n[alone]\nuser = "Look: {question}"\n')
    template = read_template(own)
    assert template.words["guess"] == PLAIN.words["guess"]
    assert template.words["alone"] == {**PLAIN.words["alone"], "user": "Look: {question}"}
    assert template.name == "own"
    # Other words of the base are other words of this template.
    own.write_text(own.read_text().replace("plain", "brief"))
    other = read_template(own)
    assert other.words["guess"] != template.words["guess"]
    assert other.identity != template.identity


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('base = "nowhere"', "'nowhere' at base"),
        ("base = 3", "3 at base"),
        ('base = "plain"\n[gues]\nuser = "{things}"', r"a table \[gues\]"),
        (
            'base = "plain"\n[noisy]\nuser = "{main}"',
            "places main at noisy.user, expected {question}, or {main}, {added}",
        ),
    ],
)
def test_templates_on_a_base_that_are_refused(tmp_path, text, said):
    own = tmp_path / "own.toml"
    own.write_text(text)
    with pytest.raises(InputError, match=said):
        read_template(own)


def test_a_template_that_is_no_plain_file_or_has_no_end_of_brackets_is_a_line(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text("a = " + "[" * 100_000)
    with pytest.raises(InputError, match="nested too deeply"):
        read_template(own)
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="found a pipe"):
        read_template(pipe)


def test_a_noisy_question_is_joined_or_its_main_one_is_named():
    joined = "is it red? is it big? who? why?"
    task = AnswerTask(VisualInput(7), joined, alone=True, main="is it red?", added=("is it big?", "who?", "why?"))
    assert PLAIN.messages(task)[-1]["content"] == joined
    named = read_template("explicit").messages(task)
    assert (
        named[-1]["content"] == "Main question: is it red?\nFurther questions, not to be answered: is it big? who? why?"
    )
    assert "main question alone" in named[0]["content"]
