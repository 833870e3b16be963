"""Runs with a known share of right answers, for the tests of the section and of whole pages."""

from voirdire.formats.vqa_annotations import VqaAnnotation, VqaAnnotations, VqaAnswer
from voirdire.formats.vqa_results import VqaResult, VqaResults
from voirdire.robustness.exam import RobustnessOptions
from voirdire.robustness.score import score_robustness

COUNT = 60
KINDS = ("yes/no", "number", "other")


def annotated(count=COUNT, images=None):
    """Question i is about image i // 2; nine people say yes, one says no."""
    answers = tuple(VqaAnswer("yes" if at else "no", "yes", at + 1) for at in range(10))
    return VqaAnnotations.from_rows(
        VqaAnnotation(100 + at, at // 2 if images is None else images, f"type {at % 2}", KINDS[at % 3], answers, "yes")
        for at in range(count)
    )


def said(right, count=COUNT, only=None):
    """`yes` to the questions for which `right` holds, `who` to the others; no answer where `only` does not hold."""
    rows = [VqaResult(100 + at, "yes" if right(at) else "who") for at in range(count) if only is None or only(at)]
    return VqaResults.from_rows(rows)


def everything(at):
    return True


def below(share):
    """A share of all, in no order that another share keeps."""
    return lambda at: (at * 37 % COUNT) < share * COUNT


def robust(clean, noisy, control=None, **options):
    return score_robustness(annotated(), clean, noisy, control, RobustnessOptions(**options))
