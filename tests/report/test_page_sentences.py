"""Every sentence of a page is true: read back and tested against items and intervals, for random sets of runs."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from random_runs import random_set
from sentence_checker import Checker, Fault

from voirdire.report.make import make_report, models_of
from voirdire.report.page import render
from voirdire.section.context import Context

SAMPLE, ALL = range(10), range(10, 310)


def page_of(runs) -> str:
    report = make_report(models_of(runs.items()), Context(()))
    # Sentences stand outside of tables and charts, which take long to draw.
    bare = [replace(section, contents=(), drills=()) for section in report.sections]
    return render(replace(report, sections=bare))


def check(seed: int) -> Counter[str]:
    runs = random_set(seed)
    try:
        return Checker(page_of(runs), runs).check()
    except Fault as fault:
        raise AssertionError(f"seed {seed}: {fault}") from None


def test_no_sentence_of_a_sample_is_false() -> None:
    read = sum(map(check, SAMPLE), Counter())
    assert read.total() > 100
    assert {"alone", "tie", "f_compared"} <= set(read)


@pytest.mark.slow
def test_no_sentence_of_300_sets_is_false() -> None:
    read = sum(map(check, ALL), Counter())
    assert read.total() > 3_000


def test_a_sentence_that_cannot_be_read_is_a_fault() -> None:
    runs = random_set(0)
    page = page_of(runs)
    with pytest.raises(Fault, match="nothing reads"):
        Checker(page.replace("exclude a candidate", "are fine"), runs).check()


FALSE = {
    "alike": "m0 and m1 are alike in every headline figure.",
    "tied": "On task success these are tied: m0 (99.0 %) and m1 (99.0 %).",
    "not ranked": "m0 is not ranked by effectiveness (0.0 %): 3 games with a question, fewer than 20, cannot tell how "
    "effective its questions are.",
}


@pytest.mark.parametrize("sentence", FALSE.values(), ids=FALSE)
def test_a_false_sentence_is_a_fault(sentence: str) -> None:
    runs = two_of_games()
    page = page_of(runs)
    Checker(page, runs).check()
    planted = page.replace('<div class="scroll"', f'<p class="more">{sentence}</p><div class="scroll"', 1)
    with pytest.raises(Fault, match="false"):
        Checker(planted, runs).check()


def two_of_games():
    """The first set of two models of games that differ."""
    for seed in range(400, 500):
        runs = random_set(seed)
        figures = {run.measures["effectiveness"].value for run in runs.values() if run.exam == "questions"}
        if len(runs) == len(figures) == 2:
            return runs
    raise AssertionError("no set of two models of games")


def test_a_group_at_the_top_of_another_size_is_a_fault() -> None:
    for seed in range(400, 600):
        runs = random_set(seed)
        page = page_of(runs) if len(runs) > 3 else ""
        if found := re.search(r"(\d+) models are at the top", page):
            with pytest.raises(Fault, match="size"):
                Checker(page.replace(found[0], f"{int(found[1]) + 1} models are at the top"), runs).check()
            return
    raise AssertionError("no group at the top")


def test_a_false_figure_is_a_fault() -> None:
    runs = random_set(5)
    page = page_of(runs)
    with pytest.raises(Fault, match="false"):
        Checker(page.replace("the tenth place in 0.0 %", "the tenth place in 50.0 %"), runs).check()
