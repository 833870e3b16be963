"""Questions about pictures with their answers as classes: what a network learns from, and what chooses its epoch.

    majority   the class of `multiple_choice_answer`; where that is not given, of the answer that most people gave
    people     the classes of the ten answers
    second     the answer that most other people gave, if at least three did, with p = their number / 10

−1 stands for an answer that is no class.
"""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from voirdire.formats.strict import Problems
from voirdire.formats.vqa_annotations import ANSWERS, VqaAnnotations
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.models.recipes import LabelRule

Int64 = npt.NDArray[np.int64]
SECOND = 3
"""People who must have given a second answer."""


def majority_answers(annotations: VqaAnnotations) -> list[str]:
    """The answer that counts as the right one, per question."""
    return [given or _commonest(annotations.answers_of(row)) for row, given in enumerate(annotations.majority)]


def _commonest(answers: tuple[str, ...]) -> str:
    counts = Counter(answers)
    return max(counts, key=lambda answer: (counts[answer], answer))


@dataclass(frozen=True, eq=False)
class VqaExamples:
    """n questions about pictures.

    texts         the distinct questions
    question      int64[n], places in `texts`
    image         int64[n], numbers of images
    majority      int64[n], a class
    people        int64[n, 10], a class each
    second        int64[n], a class
    second_share  float64[n], of the people who gave it; 0 where there is none
    """

    texts: tuple[str, ...]
    question: Int64
    image: Int64
    majority: Int64
    people: Int64
    second: Int64
    second_share: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.question)

    def only(self, rows: npt.NDArray[np.bool_]) -> "VqaExamples":
        """Some of them, with the questions that these have."""
        used, question = np.unique(self.question[rows], return_inverse=True)
        columns = {name: getattr(self, name)[rows] for name in ("image", "majority", "people", "second")}
        texts = tuple(self.texts[place] for place in used.tolist())
        return replace(self, texts=texts, question=question, second_share=self.second_share[rows], **columns)

    def labels(self, rule: LabelRule, rng: np.random.Generator) -> Int64:
        """A class for each, drawn where the rule draws."""
        chance = rng.random(len(self))
        if rule == "majority":
            return self.majority
        if rule == "second":
            return np.where(chance < self.second_share, self.second, self.majority)
        known = self.people >= 0
        many = known.sum(1)
        # The classes of each question first, in the order of the people.
        first = np.take_along_axis(self.people, np.argsort(~known, axis=1, kind="stable"), 1)
        drawn = first[np.arange(len(self)), np.minimum((chance * many).astype(np.int64), ANSWERS - 1)]
        return np.where(many > 0, drawn, self.majority)


def make_examples(questions: VqaQuestions, annotations: VqaAnnotations, classes: tuple[str, ...]) -> VqaExamples:
    """The questions of a file with their annotations, in its order; both files must have the same questions."""
    _check_same(questions, annotations)
    order = np.argsort(annotations.question_ids)
    rows = order[np.searchsorted(annotations.question_ids, questions.question_ids, sorter=order)]
    number = {answer: place for place, answer in enumerate(classes)}
    of_pool = np.array([number.get(answer, -1) for answer in annotations.pool], np.int64)
    majority = np.array([number.get(answer, -1) for answer in majority_answers(annotations)], np.int64)[rows]
    people = annotations.answers[rows]
    second, share = _second(people, of_pool, majority)
    texts: dict[str, int] = {}
    question = np.array([texts.setdefault(text, len(texts)) for text in questions.questions], np.int64)
    return VqaExamples(tuple(texts), question, questions.image_ids, majority, of_pool[people], second, share)


def _second(people: Int64, of_pool: Int64, majority: Int64) -> tuple[Int64, npt.NDArray[np.float64]]:
    """The second answers that are classes, and the shares of the people who gave them."""
    counts = (people[:, :, None] == people[:, None, :]).sum(2)
    counts[of_pool[people] == majority[:, None]] = 0
    place = counts.argmax(1)[:, None]
    second = of_pool[np.take_along_axis(people, place, 1)[:, 0]]
    many = np.take_along_axis(counts, place, 1)[:, 0]
    return second, np.where((many >= SECOND) & (second >= 0), many / ANSWERS, 0.0)


def _check_same(questions: VqaQuestions, annotations: VqaAnnotations) -> None:
    asked, answered = set(questions.question_ids.tolist()), set(annotations.question_ids.tolist())
    problems, theirs = Problems(annotations.name or "annotations"), questions.name or "the questions"
    for id_ in sorted(asked - answered):
        problems.add(f"question {id_}", "question_id", "nothing", f"an annotation: {theirs} has this question")
    for id_ in sorted(answered - asked):
        problems.add(f"question {id_}", "question_id", "an annotation", f"nothing: {theirs} has no such question")
    problems.check()
