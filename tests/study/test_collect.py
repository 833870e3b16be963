"""Simulated judges, three truthful and two not: the figures that come out are those of their decisions, and the rule
names the two and nobody else."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benches import Judging, Served, judge_all, plain_tasks, sets, write_study
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from voirdire.answers.humans import judge_sets
from voirdire.errors import OutputError
from voirdire.formats.judgements import read_judgements
from voirdire.formats.selections import read_selections
from voirdire.scorekeeping.humans import score_judges
from voirdire.stats import krippendorff_alpha
from voirdire.study.collect import agree, collect_study, report_judges
from voirdire.study.database import JudgedStore
from voirdire.study.design import CollectOptions, StudyTask
from voirdire.study.folder import OpenedStudy
from voirdire.study.stored_judgements import Kept

pytest.importorskip("starlette", reason="needs the extra study: pip install -e '.[study]'")

TASKS, CHECKS, SEEDS = 200, 20, 20
WRONG = {"judge-4": "at random in one task of five", "judge-5": "always yes"}
Decide = Callable[[Any], Sequence[str]]
Said = dict[tuple[str, str], tuple[str, ...]]


def people(truth: dict[str, tuple[str, ...]], rng: np.random.Generator) -> list[Decide]:
    def truthful(task: Any) -> Sequence[str]:
        return truth[task["text"]]

    def careless(task: Any) -> Sequence[str]:
        true = truth[task["text"]]
        return true if rng.random() >= 0.2 else [("yes", "no")[int(bit)] for bit in rng.integers(2, size=len(true))]

    return [truthful, truthful, truthful, careless, lambda task: ["yes"] * len(truth[task["text"]])]


def tasks_of(kind: str, seed: int) -> tuple[list[StudyTask], dict[str, tuple[str, ...]]]:
    rng = np.random.default_rng(seed)
    if kind == "sets":
        tasks, true = sets(TASKS, CHECKS, rng)
        return tasks, {task.text: one for task, one in zip(tasks, true, strict=True)}
    tasks = plain_tasks(TASKS, CHECKS)
    gold = {task.text: (task.key["true_gold"], task.key["shared_gold"]) for task in tasks}
    return tasks, {text: tuple("yes" if answer else "no" for answer in both) for text, both in gold.items()}


def judge(study: OpenedStudy, deciding: Sequence[Decide]) -> Said:
    """All judge all, at the same time, each over a connection of their own to the study's server."""
    store = JudgedStore(study)
    invited = store.invite(len(deciding))
    store.close()
    with Served(study.folder) as served, ThreadPoolExecutor(len(deciding)) as pool:
        bench = [Judging(served.wire(), one.token) for one in invited]
        shown = list(pool.map(Judging.judge_all, bench, deciding))
    return {
        (task["text"], one.name): tuple(answers)
        for one, seen in zip(invited, shown, strict=True)
        for task, answers in seen
    }


def direct(tasks: Sequence[StudyTask], message: Said, proper: bool = True) -> dict[str, list[tuple[str, ...]]]:
    """What was said to each task, without a study."""
    found = defaultdict(list)
    wanted = {task.text for task in tasks if not (proper and task.truth)}
    for (text, _), answers in message.items():
        if text in wanted:
            found[text].append(answers)
    return found


def check_scores(tasks: Sequence[StudyTask], message: Said, out: Path, made: Any) -> None:
    """The files and the run hold what was decided: the shares computed by hand, κ and α by other people's code."""
    found = direct(tasks, message)
    if tasks[0].way == "deselect":
        units = [
            [answer[place] for answer in answers] for answers in found.values() for place in range(len(answers[0]))
        ]
        for name in "HS":
            shares = [
                np.mean([[answer == "yes" for answer in answers] for answers in found[task.text]])
                for task in tasks
                if not task.truth and task.key["set"] == name
            ]
            any_ = [
                np.mean(np.any([[answer == "yes" for answer in answers] for answers in found[task.text]], axis=0))
                for task in tasks
                if not task.truth and task.key["set"] == name
            ]
            assert made.run.measures[f"selected[{name}]"].value == pytest.approx(np.mean(shares))
            assert made.run.measures[f"selected_any[{name}]"].value == pytest.approx(np.mean(any_))
            assert made.run.measures[f"selected[{name}]:var"].value == pytest.approx(np.var(shares, ddof=1))
        again = judge_sets(read_selections(out / "selections.csv"))
    else:
        units = [[" ".join(answer) for answer in answers] for answers in found.values()]
        gold = {task.text: (task.key["true_gold"], task.key["shared_gold"]) for task in tasks}
        right = [
            np.mean([(a == "yes", b == "yes") == gold[text] for a, b in answers]) for text, answers in found.items()
        ]
        assert made.run.measures["tfxps"].value == pytest.approx(np.mean(right))
        again = score_judges(read_judgements(out / "judgements.csv"))
        assert again.measures["fleiss_kappa"].value == pytest.approx(made.agreement.kappa.value)
    assert {str(key): figure.value for key, figure in again.measures.items()} == {
        str(key): figure.value for key, figure in made.run.measures.items()
    }
    numbers = np.unique(np.array(units), return_inverse=True)[1].reshape(np.array(units).shape)
    assert made.agreement.kappa.value == pytest.approx(fleiss_kappa(aggregate_raters(numbers)[0]))
    assert made.agreement.alpha.value == pytest.approx(krippendorff_alpha(numbers))
    assert made.agreement.units == len(units)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sets", "sentences"])
def test_five_judges_over_http(kind: str, tmp_path: Path) -> None:
    tasks, truth = tasks_of(kind, 1)
    study = write_study(tmp_path / "study", tasks, judges=5, seed=1)
    said = judge(study, people(truth, np.random.default_rng(1)))
    made = collect_study(study, tmp_path / "out")
    check_scores(tasks, said, tmp_path / "out", made)
    assert {one.judge for one in made.judges if one.named} == set(WRONG)
    assert made.warnings == ()


def named_in(kind: str, seed: int, folder: Path) -> set[str]:
    """Whom the rule names in the study of a seed, in which everything that was said is kept, once."""
    tasks, truth = tasks_of(kind, seed)
    study = write_study(folder / str(seed), tasks, judges=5, seed=seed)
    said = judge(study, people(truth, np.random.default_rng(seed)))
    assert len(said) == 5 * (TASKS + CHECKS)
    store = JudgedStore(study)
    kept = store.read().kept
    store.close()
    assert {(tasks[one.task].text, one.judge): one.answers for one in kept} == said
    assert Counter(one.task for one in kept) == dict.fromkeys(range(TASKS + CHECKS), 5)
    return {one.judge for one in report_judges(tasks, kept) if one.named}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sets", "sentences"])
def test_the_rule_names_the_two_and_nobody_else(kind: str, tmp_path: Path) -> None:
    """Each seed's study by a server of its own, two of them side by side."""
    with ThreadPoolExecutor(2) as pool:
        named = list(pool.map(lambda seed: named_in(kind, seed, tmp_path), range(SEEDS)))
    assert named == [set(WRONG)] * SEEDS


@pytest.mark.slow
def test_named_judges_can_be_left_out(tmp_path: Path) -> None:
    tasks, truth = tasks_of("sentences", 3)
    study = write_study(tmp_path / "study", tasks, judges=5)
    judge(study, people(truth, np.random.default_rng(3)))
    made = collect_study(study, tmp_path / "out", CollectOptions(without_named=True))
    assert made.left_out == tuple(WRONG)
    assert made.run.measures["tfxps"].value == 1.0
    assert set(read_judgements(tmp_path / "out" / "judgements.csv").judges) == {"judge-1", "judge-2", "judge-3"}
    assert made.agreement.kappa.value == 1.0


@pytest.mark.slow
def test_judges_who_are_as_good_as_each_other_are_seldom_named() -> None:
    """Five judges who err in one task of ten: over a hundred studies hardly anybody is named."""
    tasks, named = plain_tasks(100, 10), 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        kept = []
        for number, task in enumerate(tasks):
            gold = tuple("yes" if one else "no" for one in (task.key["true_gold"], task.key["shared_gold"]))
            for place in range(5):
                flipped = (("no" if gold[0] == "yes" else "yes"), gold[1])
                message = flipped if rng.random() < 0.1 else gold
                kept.append(Kept(number, f"judge-{place}", message, "", 1.0, ""))
        named += sum(bool(one.named) for one in report_judges(tasks, kept))
    assert named <= 25  # Of five hundred.


def test_where_all_answer_at_random_all_are_named() -> None:
    tasks, rng = plain_tasks(50, 20), np.random.default_rng(0)
    kept = [
        Kept(number, f"judge-{place}", tuple(("yes", "no")[bit] for bit in rng.integers(2, size=2)), "", 1.0, "")
        for number in range(len(tasks))
        for place in range(4)
    ]
    assert all("attention checks" in one.named for one in report_judges(tasks, kept))


def test_who_cannot_be_compared_is_not_named() -> None:
    tasks = plain_tasks(2, 1)
    alone = [Kept(0, "judge-1", ("yes", "yes"), "", 1.0, ""), Kept(2, "judge-1", ("no", "no"), "", 1.0, "")]
    (report,) = report_judges(tasks, alone)
    assert (report.agreement, report.checks, report.failed, report.named) == (None, 1, 1, "")
    assert agree(tasks, alone).kappa.value is None


def test_a_folder_that_was_not_collected_is_not_overwritten(tmp_path: Path) -> None:
    study = write_study(tmp_path / "study", sets(3, 0, np.random.default_rng(0))[0], judges=1)
    judge_all(study, 1, lambda task, number: ("yes",) * len(task.items))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("all of it")
    with pytest.raises(OutputError, match="was not collected from a study"):
        collect_study(study, tmp_path / "mine", overwrite=True)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "all of it"
