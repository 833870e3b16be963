"""Small records: annotations whose ten people agree, and results by question id."""

import numpy as np

from voirdire.formats.vqa_annotations import VqaAnnotation, VqaAnnotations, VqaAnswer
from voirdire.formats.vqa_results import VqaResult, VqaResults

KINDS = ("yes/no", "number", "other")


def annotations(truths, people=None):
    """Question i is about image i // 2; all ten say truths[i], or what `people` has for i."""
    rows = []
    for number, truth in enumerate(truths):
        said = (people or {}).get(number, [truth] * 10)
        answers = tuple(VqaAnswer(answer, "yes", at) for at, answer in enumerate(said, start=1))
        rows.append(VqaAnnotation(100 + number, number // 2, f"what {number % 2}", KINDS[number % 3], answers, truth))
    return VqaAnnotations.from_rows(rows)


def results(answers, first=100):
    """One answer a question, None for no answer."""
    rows = [VqaResult(first + number, answer) for number, answer in enumerate(answers) if answer is not None]
    return VqaResults.from_rows(rows)


def answers(right, count=12):
    """`yes` for questions that are right, `no` for the others; the truth is `yes`."""
    flags = np.isin(np.arange(count), right)
    return ["yes" if flag else "no" for flag in flags]


COUNT = 12
TRUTH = annotations(["yes"] * COUNT)
CLEAN = results(answers(range(10)))
FALLING = [results(answers(range(10 - number))) for number in range(1, 8)]
"""Answers to seven partitions, each with one right answer fewer than the one before."""
LEVEL = [results(answers([(at + number) % COUNT for at in range(6)])) for number in (3, 0, 5, 1, 6, 2, 4)]
"""Answers to seven partitions, all with six right ones."""


def value(run, name):
    return run.measures[name].value
