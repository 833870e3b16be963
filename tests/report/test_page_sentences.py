"""Every sentence of a page is true: read back and tested against items and intervals, for random sets of runs."""

from collections import Counter
from dataclasses import replace

import pytest
from random_runs import random_set
from sentence_checker import Checker, Fault

from voirdire.report.make import make_report, models_of
from voirdire.report.page import render
from voirdire.section.context import Context

SAMPLE, ALL = range(20), range(20, 320)


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


def test_a_false_figure_is_a_fault() -> None:
    runs = random_set(5)
    page = page_of(runs)
    with pytest.raises(Fault, match="false"):
        Checker(page.replace("the tenth place in 0.0 %", "the tenth place in 50.0 %"), runs).check()
