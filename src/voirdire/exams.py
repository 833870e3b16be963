"""The four examinations: what each asks, what it reads, and what it would do with the files at hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["EXAMS", "Exam", "Need", "Plan", "plan"]


@dataclass(frozen=True, slots=True)
class Need:
    """One kind of file that an exam reads.

    formats   the names of the formats that will do, as `voirdire validate` says them
    purpose   what the exam does with such a file, to be read after the file's name
    model     whether the file comes from the model on the stand, not from a dataset
    optional  whether the exam can do without it
    """

    formats: tuple[str, ...]
    purpose: str
    model: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Exam:
    """One published examination."""

    name: str
    asks: str
    needs: tuple[Need, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What an exam would do with a set of files: (file, purpose) pairs, and the needs that no file meets."""

    exam: Exam
    uses: tuple[tuple[str, str], ...]
    missing: tuple[Need, ...]


EXAMS = (
    Exam(
        "answers",
        "Are the answers that it generates among the valid ones?",
        (
            Need(("visdial",), "questions, candidate answers and ground truths"),
            Need(("dense",), "human relevance of the candidates, from which reference sets are made", optional=True),
            Need(("references",), "sets of valid answers to compare with", optional=True),
            Need(("generations", "ranks", "scores"), "the model's answers, rankings or scores", model=True),
        ),
    ),
    Exam(
        "robustness",
        "Does its accuracy hold when related questions are added as noise?",
        (
            Need(("vqa_questions",), "main questions, and the pool of basic questions to rank by LASSO"),
            Need(("vqa_annotations",), "ten human answers a question"),
            Need(("vqa_results",), "the model's answers to the clean and the seven noisy files", model=True),
        ),
    ),
    Exam(
        "questions",
        "Does each question that it asks narrow the candidates?",
        (
            Need(
                ("guesswhat", "twenty_questions", "game_logs"),
                "games: questions, answers, objects and the target",
                model=True,
            ),
            Need(("coco",), "object lists for games that were logged without them", optional=True),
            Need(("object_answers",), "an oracle's answers about every object", optional=True),
            Need(("scenes",), "the world's truth, as an oracle that never errs", optional=True),
        ),
    ),
    Exam(
        "scorekeeping",
        "Does it keep track of what is true and of what has been said?",
        (
            Need(("visdial", "visdial_text"), "dialogues, whose rounds become propositions"),
            Need(("propositions",), "propositions made of dialogues", optional=True),
            Need(("states",), "the model's dialogue states, turn by turn", model=True),
            Need(("judgements",), "people's judgements of propositions", optional=True),
        ),
    ),
)


def plan(files: Mapping[str, str], exams: Sequence[Exam] = EXAMS) -> list[Plan]:
    """What each exam would do with `files`, a mapping of file name to the name of its format."""
    plans = []
    for exam in exams:
        uses = [(name, need.purpose) for need in exam.needs for name, kind in files.items() if kind in need.formats]
        held = set(files.values())
        missing = [need for need in exam.needs if not need.optional and held.isdisjoint(need.formats)]
        plans.append(Plan(exam, tuple(uses), tuple(missing)))
    return plans
