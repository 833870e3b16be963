"""Answering witnesses: each has its own flaw and no other."""

from functools import cache
from math import comb
from random import Random

import numpy as np
import pytest

from voirdire.errors import UsageError
from voirdire.formats.scenes import Scene, Thing
from voirdire.world.build import make_vqa
from voirdire.world.dialogue import SceneDialogue, draw_candidates, make_dialogue, seed_pool
from voirdire.world.meaning import Meaning, Ref
from voirdire.world.scene import make_scene
from voirdire.world.truth import Answer, answers
from voirdire.world.witnesses import WITNESSES, History, make_witness
from voirdire.world.witnesses.answerers import prior_answer, wrong_answers

SCENES = 120


def car(number: int, colour: str, x: float, width: float) -> Thing:
    return Thing(number, "car", 3, (x, 200.0, width, 100.0), "large", colour, "metal")


STREET = Scene(
    id=7,
    file_name="x.png",
    width=640,
    height=480,
    setting="street",
    indoors=False,
    weather="sunny",
    time="day",
    in_colour=True,
    things=(
        car(701, "red", 10, 180),
        car(702, "blue", 300, 300),
        Thing(703, "dog", 18, (220.0, 300.0, 60.0, 50.0), "small", "black", action="sitting"),
    ),
)


@cache
def dialogues() -> tuple[tuple[Scene, SceneDialogue], ...]:
    scenes = [make_scene(41, index) for index in range(SCENES)]
    return tuple((scene, make_dialogue(scene, Random(f"w/{scene.id}"))) for scene in scenes)


@cache
def heard_from(name: str, seed: int = 0) -> list[tuple[str, bool]]:
    """Every answer in the dialogues, and whether it is valid."""
    witness, said = make_witness(name, seed), []
    for scene, dialogue in dialogues():
        history = History(dialogue.caption)
        for round_ in dialogue.rounds:
            text = witness.answer(scene, round_.question, history)
            said.append((text, text in round_.valid))
            history = History(history.caption, (*history.rounds, (round_.question, round_.answer)))
    return said


def right(name: str, seed: int = 0) -> list[bool]:
    return [valid for _, valid in heard_from(name, seed)]


def sign_test(first: list[bool], second: list[bool]) -> float:
    """The chance that of the pairs that differ at least as many favour the first, if none were better."""
    wins = sum(a > b for a, b in zip(first, second, strict=True))
    losses = sum(a < b for a, b in zip(first, second, strict=True))
    n = wins + losses
    return sum(comb(n, k) for k in range(wins, n + 1)) / 2**n


def test_names() -> None:
    assert WITNESSES.names() == ["blind", "distractible", "forgetful", "truthful", "uncertain", "verbose"]
    with pytest.raises(UsageError, match=r"there is no witness 'nobody'; there are: blind"):
        make_witness("nobody")


@pytest.mark.parametrize("name", ["truthful", "distractible"])
def test_those_who_listen_and_look_are_always_right_in_a_dialogue(name: str) -> None:
    assert all(right(name))


def test_truthful_then_forgetful_then_blind() -> None:
    truthful, forgetful, blind = right("truthful"), right("forgetful"), right("blind")
    assert 0.7 < sum(forgetful) / len(forgetful) < 0.95
    assert 0.25 < sum(blind) / len(blind) < 0.55
    assert sign_test(truthful, forgetful) < 1e-6
    assert sign_test(forgetful, blind) < 1e-6


def overlap(text: str, references: tuple[str, ...]) -> float:
    """The mean over references of the share of words in common (Jaccard)."""
    words = [(set(text.split()), set(reference.split())) for reference in references]
    return float(np.mean([len(a & b) / len(a | b) for a, b in words]))


def test_the_same_order_by_words_in_common() -> None:
    valid = [round_.valid for _, dialogue in dialogues() for round_ in dialogue.rounds]
    means = []
    for name in ("truthful", "forgetful", "blind"):
        said = [text for text, _ in heard_from(name)]
        means.append(np.mean([overlap(text, texts) for text, texts in zip(said, valid, strict=True)]))
    assert means[0] > 1.05 * means[1] > 1.2 * means[2]


def test_forgetful_errs_only_on_pronouns() -> None:
    meanings = [round_.meaning for _, dialogue in dialogues() for round_ in dialogue.rounds]
    for meaning, fine in zip(meanings, right("forgetful"), strict=True):
        pronoun = any(ref is not None and ref.pronoun for ref in (meaning.of, meaning.to))
        assert fine or pronoun, meaning


def test_uncertain_is_right_four_times_in_five_by_its_seed() -> None:
    one, two = right("uncertain", 1), right("uncertain", 2)
    n = len(one)
    slack = 4 * (0.8 * 0.2 / n) ** 0.5
    assert abs(sum(one) / n - 0.8) < slack
    assert abs(sum(two) / n - 0.8) < slack
    # Independent errors: both are wrong one time in twenty-five.
    both = sum(not a and not b for a, b in zip(one, two, strict=True)) / n
    assert abs(both - 0.04) < 4 * (0.04 * 0.96 / n) ** 0.5
    assert min(sign_test(one, two), sign_test(two, one)) > 0.001


@pytest.mark.slow
@pytest.mark.parametrize("name", WITNESSES.names())
def test_same_seed_same_answers(name: str) -> None:
    assert heard_from.__wrapped__(name, 5) == heard_from.__wrapped__(name, 5)


def test_a_wrong_answer_is_of_the_same_sort_and_not_true() -> None:
    for scene, dialogue in dialogues()[:40]:
        for round_ in dialogue.rounds:
            if round_.meaning.of is not None and round_.meaning.of.pronoun:
                continue
            true = answers(round_.meaning, scene)
            sort = ("yes", "no") if true[0].what in ("yes", "no") else (true[0].what,)
            for wrong in wrong_answers(round_.meaning, true):
                assert wrong not in true
                assert wrong.what in (*sort, "unknown")


def test_blind_says_the_same_whatever_the_picture_shows() -> None:
    blind = make_witness("blind")
    for question in ("What color is the car?", "How many dogs are there?", "Is there a cat?", "Where is the dog?"):
        assert (
            len(
                {blind.answer(make_scene(1, index), question) for index in range(20)} | {blind.answer(STREET, question)}
            )
            == 1
        )
    assert blind.answer(STREET, "Is the picture in color?") == "yes"


def test_prior_is_the_most_frequent_answer() -> None:
    assert prior_answer(Meaning("in_colour")) == Answer("yes")
    assert prior_answer(Meaning("black_white")) == Answer("no")
    assert prior_answer(Meaning("time")) == Answer("word", "day")
    assert prior_answer(Meaning("count", Ref(noun="dog"))).what == "number"


def test_forgetful_takes_it_for_the_largest_thing() -> None:
    history = History("a street", (("is there a dog", "yes"),))
    assert make_witness("truthful").answer(STREET, "what color is it", history) == "black"
    assert make_witness("forgetful").answer(STREET, "what color is it", history) == "blue"


def test_several_questions() -> None:
    text = "What color is the dog? How many cars are there? Is it sunny?"
    assert make_witness("distractible").answer(STREET, text) == "yes"
    for name in ("truthful", "forgetful"):
        assert make_witness(name).answer(STREET, text) == "black"
    assert make_witness("verbose").answer(STREET, text).count("black") == 1
    # A question that was cut cannot be read; the last that can be is the second.
    assert make_witness("distractible").answer(STREET, "What color is the dog? How many cars are there? Is it") == "2"
    one = "How many cars are there?"
    assert make_witness("distractible").answer(STREET, one) == make_witness("truthful").answer(STREET, one) == "2"


def test_other_questions_do_not_change_what_uncertain_says_to_the_first() -> None:
    witness = make_witness("uncertain", 3)
    for index in range(30):
        scene = make_scene(5, index)
        for question, _ in make_vqa(scene, 4, Random(index)):
            assert witness.answer(scene, question) == witness.answer(scene, f"{question} Is it sunny? Is there a dog?")


def test_verbose_wraps_the_truth_in_many_words() -> None:
    plain, long = heard_from("truthful"), heard_from("verbose")
    assert all(text in wrapped for (text, _), (wrapped, _) in zip(plain, long, strict=True))
    assert (
        min(len(wrapped.split()) - len(text.split()) for (text, _), (wrapped, _) in zip(plain, long, strict=True)) >= 12
    )


@pytest.mark.parametrize("question", ["", "?", "why is the dog sad?", "qwerty"])
def test_what_cannot_be_read_gets_an_honest_answer(question: str) -> None:
    for name in WITNESSES.names():
        witness = make_witness(name)
        assert witness.read(question) is None
        assert "unknown" in witness.answer(STREET, question)
        assert "can't tell" in witness.answer(STREET, question, History("a street"))


def test_vqa_answers_are_the_annotators_usual_ones() -> None:
    witness, agreed, count = make_witness("truthful"), 0, 0
    for index in range(60):
        scene = make_scene(8, index)
        for question, annotation in make_vqa(scene, 5, Random(index)):
            agreed += witness.answer(scene, question) == annotation.multiple_choice_answer
            count += 1
    assert agreed / count > 0.97


def test_generations_are_distinct_wordings_and_come_again() -> None:
    witness, history = make_witness("truthful"), History("a street")
    texts = witness.generate(STREET, "is there a dog", history, 5)
    assert texts[0] == witness.answer(STREET, "is there a dog", history) == "yes"
    assert len(set(texts)) == 5
    assert all(not text.startswith("no") for text in texts)
    alone = witness.generate(STREET, "What color is the dog?", None, 3)
    assert alone == ["black"] * 3


@pytest.mark.parametrize("name", ["truthful", "verbose"])
def test_valid_options_are_ranked_first(name: str) -> None:
    witness, pool = make_witness(name), seed_pool()
    for scene, dialogue in dialogues()[:15]:
        options, _, valid = draw_candidates(dialogue.rounds, pool, np.random.default_rng(scene.id))
        texts = pool.texts()
        history = History(dialogue.caption)
        for row, round_ in enumerate(dialogue.rounds):
            ranks = witness.rank(scene, round_.question, history, [texts[place] for place in options[row]])
            assert sorted(ranks) == list(range(1, 101))
            assert sorted(np.array(ranks)[valid[row]]) == list(range(1, valid[row].sum() + 1))
            history = History(history.caption, (*history.rounds, (round_.question, round_.answer)))


def test_rank_of_no_options_and_of_unknown_words() -> None:
    witness = make_witness("truthful")
    assert witness.rank(STREET, "is there a dog", History(), []) == []
    assert witness.rank(STREET, "is there a dog", History(), ["blue", "yes", ""])[1] == 1
