"""The views of every part: a run's figures come from its items and options alone, also after it was stored."""

import numpy as np
import pytest
import robustness_records as vqa
from probe_dialogues import Table, material
from probe_dialogues import given as probed
from question_games import game, given
from score_records import Letters, generations, references

from voirdire import compare_runs
from voirdire.answers.exam import ScoreAnswersOptions
from voirdire.answers.score import score_answers
from voirdire.errors import UsageError
from voirdire.exam import views_of
from voirdire.questions.exam import ScoreQuestionsOptions
from voirdire.questions.kinds import QuestionTexts, own_lexicon, score_kinds
from voirdire.questions.score import score_questions
from voirdire.robustness.accuracy import score_vqa
from voirdire.robustness.score import score_robustness
from voirdire.runs import read_run, write_run
from voirdire.runs.view import estimate_views
from voirdire.scorekeeping.exam import ProbeOptions
from voirdire.scorekeeping.probe.score import probe_states

SETS = [["a cab", "a b"], ["bad", "a bad dab"], ["c"], ["d a", "d"]]
FAMILIES = ("cider", "bleu", "rouge", "distance")
SMALL = {"epochs": 2, "batch": 256, "rate": 1e-2, "hidden": 8}


def answers(words):
    texts = [[f"{word} {at}" for at in range(3)] for word in words]
    where = {"images": [0, 0, 1, 2], "rounds": [0, 1, 0, 0]}
    return score_answers(
        generations(texts, **where),
        references(SETS, **where),
        ScoreAnswersOptions(measures=FAMILIES, within=True),
        [Letters()],
    )


def robustness(right):
    truth = vqa.annotations(["yes"] * 12)
    clean, *noisy = (vqa.results(vqa.answers(range(right - lost))) for lost in range(5))
    return score_robustness(truth, clean, noisy[:3], noisy[3])


def accuracy(right):
    return score_vqa(vqa.annotations(["yes"] * 12), vqa.results(vqa.answers(range(right))))


def questions(status):
    games, oracle = given(
        *(game(["yyn", "yny"][: 1 + number % 2], id_=number, image=number // 2, status=status) for number in range(6)),
        game(["yny"], id_=9, status="incomplete"),
        identity="one",
    )
    return score_questions(games, oracle, options=ScoreQuestionsOptions(answers="recorded"))


def kinds(word):
    texts = [f"is it {word}?", "is it a dog?", "the second?"] * 2
    asked = QuestionTexts((1, 1, 2, 2, 3, 3), (10, 10, 20, 20, 30, 30), (1, 2) * 3, tuple(texts), 3)
    return score_kinds(asked, own_lexicon(), own_lexicon())


def probe(blind, **options):
    return probe_states(**probed(material(40, blind=blind)), encoder=Table(), options=ProbeOptions(**SMALL, **options))


RUNS = {
    "answers score": lambda first: answers(["a", "bad", "c", "d"] if first else ["b", "a", "c", "b"]),
    "robustness score": lambda first: robustness(10 if first else 7),
    "robustness accuracy": lambda first: accuracy(10 if first else 7),
    "questions score": lambda first: questions("success" if first else "failure"),
    "questions kinds": lambda first: kinds("red" if first else "on the left"),
    "scorekeeping probe": lambda first: probe(not first, seeds=2),
    "scorekeeping probe, all": lambda first: probe(not first, all=True),
}


@pytest.fixture(scope="module")
def pairs():
    return {name: (make(True), make(False)) for name, make in RUNS.items()}


def is_spread_over_seeds(key, run):
    return key.variant == "std" and run.exam == "scorekeeping"


def is_test_or_control(key):
    about_training = key.condition == "valid" or key.measure in ("types_in_train", "words_in_train")
    return about_training or key.measure in ("trend_p", "permutation_p") or key.slice[1:] in (("random",), ("null",))


@pytest.mark.parametrize("name", RUNS)
def test_the_figures_of_a_stored_run_come_from_its_views(name, pairs, tmp_path):
    run = pairs[name][0]
    stored = read_run(write_run(run, tmp_path / "run"))
    made = estimate_views(views_of(stored), seed=stored.options["seed"])
    assert made == {key: run.measures[key] for key in made}
    left = [key for key in run.measures if key not in made and not is_spread_over_seeds(key, run)]
    # What is left are tests, and the probes that learnt from a control's states.
    assert all(map(is_test_or_control, left))
    assert {key for view in views_of(stored) for key in view.roles} <= set(made)


@pytest.mark.parametrize("name", RUNS)
def test_two_runs_of_every_part_can_be_compared(name, pairs):
    first, second = pairs[name]
    (found,) = compare_runs(["first", "second"], [first, second])
    assert found.title == first.title
    assert (found.only_first, found.only_second) == (0, 0)
    # Of noise that no file tells of, nobody knows whether it was the same.
    expected = ("no p can be below", "is unknown", ": no rank; ")
    assert all(any(words in warning for words in expected) for warning in found.warnings)
    compared = (*found.measures, *found.slices)
    names = [row.measure.name for row in compared]
    assert len(set(names)) == len(names)
    for row in compared:
        if row.measure.key in first.measures:
            assert (row.first, row.second) == (
                first.measures[row.measure.key].value,
                second.measures[row.measure.key].value,
            )
    assert any(row.difference for row in found.measures)


def names(pairs, part, which):
    (found,) = compare_runs(["first", "second"], pairs[part], resamples=10)
    return [entry.measure.name for entry in getattr(found, which)]


def test_what_is_compared_of_answers(pairs):
    compared = names(pairs, "answers score", "measures")
    assert compared[:5] == ["cider1", "cider1@1", "cider1@1:best", "cider1@3", "cider1@3:best"]
    assert not any(":std" in name or ":within" in name for name in compared)
    slices = names(pairs, "answers score", "slices")
    by_round = [
        f"{name}[round {at}]" if "[" not in name else f"{name[:-1]}, round {at}]"
        for name in ("cider4", "bleu4", "rouge_l", "l2[letters]")
        for at in (0, 1)
    ]
    assert [name for name in slices if "round" in name] == by_round
    # All questions are "what is it": such a slice is the whole.
    assert not {"cider4[what]", "cider4[with a pronoun]", "l2[letters, what]"} & set(slices)


def test_what_is_compared_of_vqa(pairs):
    types = ["yes/no", "number", "other"]
    assert names(pairs, "robustness accuracy", "measures") == ["accuracy", "accuracy:eq6"]
    kinds = [f"accuracy[{kind}]" for kind in (*types, "what 0", "what 1")]
    assert names(pairs, "robustness accuracy", "slices") == kinds
    assert names(pairs, "robustness score", "slices") == [
        *kinds,
        *(f"drop[{kind}]:partition1" for kind in (*sorted(types), "what 0", "what 1")),
    ]


def test_what_is_compared_of_questions(pairs):
    compared = names(pairs, "questions score", "measures")
    assert compared[:3] == ["questions", "task_success", "effectiveness"]
    assert compared[-2:] == ["target_dropped", "incomplete"]
    assert names(pairs, "questions kinds", "measures")[:2] == ["object", "color"]
    assert not any("agreement" in name for name in names(pairs, "questions kinds", "measures"))


def test_what_is_compared_of_probes(pairs):
    headline = ["accuracy@5", "accuracy", "shift_right", "shift_only_right", "truth_stable", "opposites_agree"]
    assert names(pairs, "scorekeeping probe", "measures") == headline
    slices = names(pairs, "scorekeeping probe", "slices")
    assert {"accuracy@0", "accuracy@10", "accuracy[positive]", "accuracy[caption]"} <= set(slices)
    # All points of so small a set are of sentences that the probe learnt from: such a slice is the whole.
    assert "accuracy[seen]" not in slices
    assert not any("said at" in name or "confusion" in name or "words" in name for name in slices)
    every = names(pairs, "scorekeeping probe, all", "measures")
    assert every[:2] == ["accuracy@5[TFxPS]", "accuracy[TFxPS]"]
    assert "opposites_agree[PxTSFS]" in every
    assert not any("random" in name or "null" in name or "words" in name for name in every)


def test_points_of_several_seeds_are_one_unit(pairs):
    first, second = pairs["scorekeeping probe"]
    (found,) = compare_runs(["first", "second"], [first, second])
    points = first.items.select("dialogue", "index", "turn").unique().height
    assert first.items.height == 2 * points == 2 * found.paired
    assert found.changed[0].unit.startswith("dialogue ")
    assert "proposition" in found.changed[0].unit
    assert all(np.isin([changed.first, changed.second], [0, 0.5, 1]).all() for changed in found.changed)


def test_games_of_20_questions_are_drawn_one_by_one(pairs):
    run = score_questions(*given(game(["yyn"], id_=1), game(["yny"], id_=2), identity="one"))
    bare = run.items.with_columns(image_id=None)
    (view, _) = views_of(type(run)(run.exam, run.options, bare, {}, run.signature, part=run.part))
    assert view.clusters == "game_id"


def test_other_parts_are_refused(pairs):
    run = pairs["questions kinds"][0]
    other = type(run)("answers", {}, run.items, {}, run.signature, part="overlap")
    with pytest.raises(UsageError, match=r"`answers overlap` has no figures .* answers score, answers rank"):
        views_of(other)
