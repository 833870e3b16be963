"""Noise carries its identity: from the files of questions into the run, and between two runs."""

from dataclasses import replace

import pytest
from ranking_records import ranking_of
from robustness_records import annotations, answers, results

from voirdire import compare_runs
from voirdire.errors import InputError, UsageError
from voirdire.robustness.exam import PerturbOptions, RobustnessOptions
from voirdire.robustness.noise import perturb
from voirdire.robustness.pool import Pool
from voirdire.robustness.score import score_robustness, score_table

COUNT = 12
LASSO = {"ranker": "lasso", "lambda": 1e-6, "encoder": "minilm", "encoder_hash": "e" * 64, "pool": "a" * 64}
LASSO |= {"yes_no": False, "fill_up": False, "version": "0.1.0", "main": "m" * 64, "top": 21}
BLEU = {name: value for name, value in LASSO.items() if name in ("pool", "yes_no", "version")} | {"ranker": "bleu1"}
# Question 0 is longest: with its noise it has 30 words, all others have 10.
LISTS = {
    ("long " * 21 + "q0" if not at else f"q{at} or not"): [(f"is b{at} {rank}", 1 / rank) for rank in range(1, 10)]
    for at in range(COUNT)
}
TRUTH = annotations(["yes"] * COUNT)
CLEAN = results(answers(range(10)))
NOISY = [results(answers(range(8))), results(answers(range(6))), results(answers(range(5)))]


def asked(signature=LASSO, partitions=("1", "2", "3"), **options):
    """The files of some partitions, as they would be read back."""
    ranking = ranking_of(LISTS, signature, first_id=100)
    pool = Pool(tuple(f"is p{at} {at}" for at in range(200)), 200, 0)
    noisy = [perturb(ranking, name, PerturbOptions(**options), pool).questions for name in partitions]
    return [replace(one, name=f"{name}.json") for one, name in zip(noisy, partitions, strict=True)]


def score(questions=(), noisy=NOISY, control=None, **options):
    return score_robustness(TRUTH, CLEAN, noisy, control, RobustnessOptions(**options), questions=questions)


def compared(first, second):
    (comparison,) = compare_runs(["first", "second"], [first, second], slices=False, resamples=20)
    return comparison


def test_a_file_says_what_its_noise_is() -> None:
    info = asked()[0].meta["info"]
    assert info["ranking"] == LASSO
    assert (info["partition"], info["max_words"], info["cut"], info["cut_questions"]) == ("1", 26, 1, [100])
    assert info["made_by"].startswith("voirdire ")


def test_a_run_carries_the_noise_of_its_questions() -> None:
    signature = score(asked()).signature
    noise = signature.options["noise"]
    for name in ("ranker", "lambda", "encoder", "encoder_hash", "pool", "yes_no", "version"):
        assert noise[name] == LASSO[name]
    assert noise["max_words"] == 26
    assert not {"main", "top", "control"} & set(noise)
    assert f"options.noise.pool:{'a' * 12}|" in str(signature)
    assert score().signature.options["noise"] == "unknown"


def test_the_order_of_the_files_does_not_matter() -> None:
    assert score(asked()[::-1]).signature == score(asked()).signature


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (asked(BLEU), "options.noise.ranker: lasso against bleu1"),
        (asked(LASSO | {"lambda": 0.1}), "options.noise.lambda: 1e-06 against 0.1"),
        (asked(LASSO | {"pool": "b" * 64}), "options.noise.pool: aaaaaaaaaaaa against bbbbbbbbbbbb"),
        (asked(LASSO | {"encoder_hash": "f" * 64}), "options.noise.encoder_hash: eeeeeeeeeeee against ffffffffffff"),
        (asked(LASSO | {"version": "0.0.9"}), "options.noise.version: 0.1.0 against 0.0.9"),
        (asked(max_words=0), "options.noise.max_words: 26 against 0"),
        (asked(LASSO | {"yes_no": True}), "options.dataset: general against yesno; options.noise.yes_no"),
    ],
)
def test_runs_under_other_noise_are_not_compared(other, named) -> None:
    with pytest.raises(UsageError, match="cannot be compared") as error:
        compared(score(asked()), score(other))
    assert named in str(error.value)


def test_runs_under_the_same_noise_are_compared_without_a_word() -> None:
    assert not any("unknown" in text for text in compared(score(asked()), score(asked())).warnings)


@pytest.mark.parametrize("files", [((), ()), (asked(), ()), ((), asked())])
def test_noise_that_is_unknown_is_said(files) -> None:
    comparison = compared(*map(score, files))
    (said,) = (text for text in comparison.warnings if "is unknown" in text)
    assert said.startswith("What was added to the questions of first or of second is unknown")


def test_another_draw_of_the_control_is_said() -> None:
    control = results(answers(range(4)))
    first, second = (score(asked(partitions=("1", "2", "3", "control1"), seed=s), control=control) for s in (0, 1))
    assert first.signature.options["noise"]["control"] == "control1, seed 0"
    assert any("not the same draw" in text for text in compared(first, second).warnings)
    assert not any("draw" in text for text in compared(first, first).warnings)


def test_the_dataset_is_known_from_the_files() -> None:
    yes_no = asked(LASSO | {"yes_no": True})
    run = score(yes_no)
    assert run.signature.options["dataset"] == run.options["dataset"] == "yesno"
    assert score(yes_no, dataset="yesno").signature == run.signature
    assert score().signature.options["dataset"] == "general"
    with pytest.raises(InputError, match=r"1\.json.*the basic questions of yesno, expected those of general, as `dat"):
        score(yes_no, dataset="general")


def test_files_of_other_questions_are_refused() -> None:
    ranking = ranking_of(LISTS, LASSO, first_id=101)
    other = replace(perturb(ranking, "1").questions, name="other.json")
    with pytest.raises(InputError) as error:
        score([other])
    assert "other.json" in str(error.value)
    assert "question 100, field `question_id`: found no such question, but an answer" in str(error.value)
    assert f"question {100 + COUNT}, field `question_id`: found a question without an answer" in str(error.value)


def test_a_question_without_an_answer_is_allowed_with_common_alone() -> None:
    short = [results([*answers(range(8))[:-1], None]), *NOISY[1:]]
    assert score(asked(), short, common=True).signature.options["noise"]["ranker"] == "lasso"
    with pytest.raises(InputError, match="a question without an answer"):
        score(asked(), short)


def test_files_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(InputError, match=r"2\.json.*ranker: lasso against bleu1"):
        score([asked()[0], asked(BLEU)[1], asked()[2]])
    with pytest.raises(InputError, match=r"the questions of partition1, which 1\.json has in another way"):
        score([*asked(), asked(BLEU)[0]])
    assert score([*asked(), asked()[0]]).signature == score(asked()).signature
    strange = asked()[0]
    strange.meta["info"]["partition"] = "8"
    with pytest.raises(InputError, match=r"info\.partition.*'8'"):
        score([strange])


def test_some_partitions_alone_do_not_tell_the_noise() -> None:
    run = score(asked()[:2])
    assert run.signature.options["noise"] == "unknown"
    assert any("given for partition3, so the noise" in text for text in run.warnings)


def test_a_ranking_of_another_tool_has_unknown_noise() -> None:
    run = score(asked({}))
    assert run.signature.options["noise"] == "unknown"
    assert any("does not say which ranking" in text for text in run.warnings)


def test_items_say_which_questions_were_cut() -> None:
    run = score(asked()[:1])
    assert run.items.filter(run.items["cut:partition1"])["question_id"].to_list() == [100]
    assert run.measures["cut:partition1"].value == pytest.approx(1 / COUNT)
    assert "cut:partition2" not in run.items.columns
    assert "cut (%)" in score_table(run)
    assert "cut (%)" not in score_table(score())
    broken = asked()[0]
    broken.meta["info"]["cut_questions"] = "all"
    with pytest.raises(InputError, match="a list of question ids"):
        score([broken])


def test_accuracy_by_type_in_every_condition() -> None:
    run = score()
    items = run.items
    for kind in ("yes/no", "number", "other"):
        for condition in ("partition1", "partition3"):
            mine = items.filter(items["answer_type"] == kind)[f"accuracy:{condition}"]
            assert run.measures[f"accuracy[{kind}]:{condition}"].value == pytest.approx(mine.mean())
    mine = items.filter(items["question_type"] == "what 1")["accuracy:partition2"]
    assert run.measures["accuracy[what 1]:partition2"].value == pytest.approx(mine.mean())
    table = score_table(run).splitlines()
    head = next(line for line in table if line.startswith("accuracy (%)"))
    assert head.split() == ["accuracy", "(%)", "other", "number", "yes/no", "all"]
    assert not any(line.startswith("accuracy[what 1]") for line in table)
