"""The exam of robustness, declared."""

from voirdire.exam import Exam

__all__ = ["EXAM"]

EXAM = Exam(
    name="robustness",
    question="Does its accuracy hold when related questions are added as noise?",
    papers=("vqa-robustness", "vqa"),
    parts=(),
    section="voirdire.robustness.section:robustness_section",
    help="Rank related questions, add them to a model's questions as noise, and score what it still gets right.",
    method="accuracy was measured on clean questions and with ranked related questions added as noise",
    clusters="images",
)
