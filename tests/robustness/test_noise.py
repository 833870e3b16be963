"""Noise: partitions in rank order, the cut at 26 words, questions that a partition does not reach, and the control."""

from pathlib import Path

import numpy as np
import pytest
from ranking_records import ranking_of
from word_ranker import make, questions

from voirdire.errors import InputError, UsageError
from voirdire.formats.question_ranking import read_ranking
from voirdire.formats.vqa_questions import read_vqa_questions, write_vqa_questions
from voirdire.robustness.exam import PerturbOptions, RankQuestionsOptions
from voirdire.robustness.noise import ALL, file_name, perturb, put_together, reached, write_noise
from voirdire.robustness.noise_identity import as_whole
from voirdire.robustness.pool import Pool, fold, make_pool
from voirdire.robustness.ranking.rank import rank_questions

FULL = [(f"n{rank}?", 1 / rank) for rank in range(1, 22)]
RANKING = ranking_of({"Full?": FULL, "Five?": FULL[:5], "None?": [], "Six?": FULL[5:11]}, {"ranker": "words"})


@pytest.mark.parametrize("partition", range(1, 8))
def test_a_partition_is_three_ranks_in_order(partition: int) -> None:
    noisy = perturb(RANKING, str(partition))
    first = 3 * partition - 2
    assert noisy.questions.questions[0] == f"Full? n{first}? n{first + 1}? n{first + 2}?"
    assert noisy.questions.question_ids[0] == 1
    assert noisy.partition == str(partition)


def test_questions_that_a_partition_does_not_reach_are_left_out_and_counted() -> None:
    first, second, third = (perturb(RANKING, name) for name in ("1", "2", "3"))
    assert first.questions.question_ids.tolist() == [1, 2, 4]
    assert first.questions.image_ids.tolist() == [0, 1, 2]
    assert first.left_out == 1
    assert second.questions.questions == ("Full? n4? n5? n6?", "Six? n9? n10? n11?")
    assert second.left_out == 2
    assert (len(third.questions), third.left_out) == (1, 3)
    assert str(third) == "partition 3: 1 question, 3 left out, which have too few neighbours"


@pytest.mark.parametrize("name", ["clean", "0"])
def test_the_clean_file_has_every_main_question_as_it_is(name: str) -> None:
    long = " ".join(["very"] * 40)
    noisy = perturb(ranking_of({"Full?": FULL, long: []}), name)
    assert noisy.questions.questions == ("Full?", long)
    assert (noisy.partition, noisy.left_out, noisy.cut) == ("clean", 0, 0)


def test_a_question_is_cut_after_26_words_and_what_is_cut_is_counted() -> None:
    nine = "a b c d e f g h i"
    ranking = ranking_of({"one two": [(nine, 0.5), (nine + "?", 0.4), (nine + "!", 0.3)], "x": FULL})
    noisy = perturb(ranking, "1")
    assert noisy.questions.questions[0] == f"one two {nine} {nine}? a b c d e f"
    assert (noisy.cut, noisy.words) == (1, 3)
    assert str(noisy) == "partition 1: 2 questions, 1 cut, by 3 words together"
    assert perturb(ranking, "1", PerturbOptions(max_words=0)).questions.questions[0].split()[-1] == "i!"
    assert perturb(ranking, "1", PerturbOptions(max_words=29)).cut == 0


def test_the_questions_that_are_joined_stand_whole_beside_the_cut_text(tmp_path: Path) -> None:
    nine = "a b c d e f g h i"
    ranking = ranking_of({"one two": [(nine, 0.5), (nine + "?", 0.4), (nine + "!", 0.3)], "x": FULL})
    noisy = perturb(ranking, "1").questions
    assert noisy.parts[0] == ("one two", nine, nine + "?", nine + "!")
    write_vqa_questions(noisy, tmp_path / "noisy.json")
    assert read_vqa_questions(tmp_path / "noisy.json") == noisy
    whole = as_whole(noisy)
    assert whole.questions == perturb(ranking, "1", PerturbOptions(max_words=0)).questions.questions
    assert whole.meta["info"]["max_words"] == 0
    clean = perturb(ranking, "clean").questions
    assert set(clean.parts) == {()}
    assert as_whole(clean) is clean


def test_what_is_not_cut_keeps_its_spacing() -> None:
    assert put_together("a  b", ["c"], 3) == ("a  b c", 0)
    assert put_together("a  b", ["c"], 2) == ("a b", 1)


def test_the_file_says_what_it_is() -> None:
    info = perturb(RANKING, "2", PerturbOptions(max_words=20)).questions.meta["info"]
    assert info["description"] == "Main questions, each followed by its basic questions of partition 2."
    assert (info["partition"], info["max_words"], info["left_out"]) == ("2", 20, 2)
    assert info["ranking"] == {"ranker": "words"}
    assert "max_words" not in perturb(RANKING, "clean").questions.meta["info"]


def a_pool() -> Pool:
    rng = np.random.default_rng(5)
    texts = [" ".join(f"w{word}" for word in rng.integers(1000, size=size)) for size in range(1, 9) for _ in range(50)]
    return Pool(tuple(texts), len(texts), 0)


def test_the_control_has_three_drawn_questions_of_the_same_lengths() -> None:
    pool = a_pool()
    listed = [(pool.texts[place], 1 / (1 + at)) for at, place in enumerate(range(0, 378, 18))]
    ranking = ranking_of({f"main {number}": listed for number in range(40)})
    for number in (1, 7):
        made = perturb(ranking, f"control{number}", pool=pool)
        noisy = perturb(ranking, str(number), PerturbOptions(max_words=0))
        drawn = set()
        for control, text in zip(made.questions.questions, noisy.questions.questions, strict=True):
            assert len(control.split()) == len(text.split())
            assert control.split()[:2] == text.split()[:2]
            drawn.add(" ".join(control.split()[2:]))
        assert len(drawn) == 40
        assert made.partition == f"control{number}"


def test_the_control_never_draws_the_main_question_or_a_neighbour() -> None:
    pool = Pool(("A?", "b", "c", "d", "e", "f", "g"), 7, 0)
    ranking = ranking_of({"a": [("b", 0.9), ("c", 0.8), ("D?", 0.7)]})
    for seed in range(20):
        (text,) = perturb(ranking, "control", PerturbOptions(seed=seed), pool).questions.questions
        assert sorted(text.split()) == ["a", "e", "f", "g"]


def test_draws_depend_on_seed_and_question_alone() -> None:
    pool = a_pool()
    lists = {f"main {number}": FULL for number in range(30)}
    whole = perturb(ranking_of(lists), "control1", PerturbOptions(seed=3), pool).questions.questions
    part = ranking_of(dict(list(lists.items())[20:]), first_id=21)
    assert perturb(part, "control1", PerturbOptions(seed=3), pool).questions.questions == whole[20:]
    assert perturb(ranking_of(lists), "control1", PerturbOptions(seed=4), pool).questions.questions != whole
    assert perturb(ranking_of(lists), "control1", pool=pool).questions.meta["info"]["seed"] == 0


def test_the_nearest_length_where_there_are_too_few() -> None:
    pool = Pool(("one", "one two", "one two three", "a b c d e", "x y z v w"), 5, 0)
    ranking = ranking_of({"main": [("a b c d e", 0.5), ("p q r s", 0.4), ("k", 0.3)]})
    (text,) = perturb(ranking, "control1", pool=pool).questions.questions
    assert text == "main x y z v w one two three one"


def test_a_pool_that_is_too_small_for_a_control() -> None:
    with pytest.raises(InputError, match="too few questions to draw a control from"):
        perturb(ranking_of({"a": [("b", 0.9), ("c", 0.8), ("d", 0.7)]}), "control1", pool=Pool(("b", "e"), 2, 0))


@pytest.mark.parametrize("name", ["8", "-1", "", "control0", "control8", "1.0", "first"])
def test_partitions_that_are_none(name: str) -> None:
    with pytest.raises(
        UsageError,
        match=r"`partition` must be clean \(or 0\), 1 to 7, or control1 .*, got",
    ):
        perturb(RANKING, name)


def test_a_partition_that_nobody_reaches() -> None:
    short = ranking_of({"a?": FULL[:5]})
    with pytest.raises(InputError, match="no main question that has 3 neighbours in partition 2"):
        perturb(short, "2")
    assert reached(short) == ["clean", "1", "control1"]
    assert reached(RANKING) == list(ALL)
    assert [file_name(name) for name in reached(short)] == ["clean.json", "partition1.json", "control1.json"]


def test_options_and_a_control_without_a_pool() -> None:
    with pytest.raises(UsageError, match="a control draws from the pool"):
        perturb(RANKING, "control")
    with pytest.raises(UsageError, match="`max_words` must be at least 0, got -1"):
        PerturbOptions(max_words=-1)
    with pytest.raises(UsageError, match="`seed` must be at least 0, got -2"):
        PerturbOptions(seed=-2)
    assert fold("D?") == "d"


@pytest.mark.slow
def test_all_partitions_to_a_folder_or_one_to_a_file(tmp_path: Path) -> None:
    rank_questions(
        questions(90, 30),
        make_pool([questions(0, 120)]),
        tmp_path / "r.parquet",
        RankQuestionsOptions("words", top=7),
        make=make,
    )
    parts = [read_ranking(tmp_path / "r.parquet")]
    noisy, one = tmp_path / "noisy", tmp_path / "one.json"
    outcome = write_noise(parts, all=str(noisy))
    names = ["clean.json", "partition1.json", "partition2.json", "control1.json"]
    for line, name in zip(outcome.lines, names, strict=True):
        assert line.split(": ")[0].replace(" ", "") == name.removesuffix(".json")
        assert line.endswith(str(noisy / name))
    assert sorted(path.name for path in noisy.iterdir()) == sorted(names)
    assert outcome.warnings[0] == "3 is not written: no main question has neighbours for it"
    assert len(outcome.warnings) == 5
    for name, file in (("control", "control1.json"), ("2", "partition2.json"), ("0", "clean.json")):
        assert write_noise(parts, PerturbOptions(name), output=str(one)).warnings == ()
        assert read_vqa_questions(one).questions == read_vqa_questions(noisy / file).questions


def test_what_is_to_be_written_where_is_said_in_one_of_two_ways(tmp_path: Path) -> None:
    for options, places in (
        (PerturbOptions("1"), {"output": None}),
        (PerturbOptions(), {"output": "q.json"}),
        (PerturbOptions(), {}),
    ):
        with pytest.raises(UsageError, match="give `partition` and `output`, or `all` and a folder"):
            write_noise([RANKING], options, **places)
    for options, output in ((PerturbOptions("1"), None), (PerturbOptions(), "q.json")):
        with pytest.raises(UsageError, match="leave `partition` and `output` out"):
            write_noise([RANKING], options, output=output, all=str(tmp_path))
