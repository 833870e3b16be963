"""Pictures of one colour at one place, questions about them, and features that show both."""

import numpy as np

from voirdire.formats.picture_features import PictureFeatures
from voirdire.formats.vqa_annotations import VqaAnnotation, VqaAnnotations, VqaAnswer
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions
from voirdire.models.train_network import AnsweredQuestions

COLOURS = ("red", "green", "blue", "white")
PLACES = 4


def annotated(number: int, image: int, answers: list[str]) -> VqaAnnotation:
    """An annotation with ten answers, of which the first is the majority's."""
    kind = "yes/no" if answers[0] in ("yes", "no") else "other"
    given = tuple(VqaAnswer(answer) for answer in answers)
    return VqaAnnotation(number, image, "what", kind, given, answers[0])


def coloured(pictures: int, first: int = 0) -> AnsweredQuestions:
    """Three questions about each picture, whose number says its colour."""
    questions, annotations = [], []
    for image in range(first, first + pictures):
        colour = COLOURS[image % 4]
        for asked in ("what color is it?", "is it red?", "is it green?"):
            number = len(questions) + 10 * first
            answer = colour if asked.startswith("what") else "yes" if colour in asked else "no"
            questions.append(VqaQuestion(number, image, asked))
            annotations.append(annotated(number, image, [answer] * 10))
    return AnsweredQuestions(VqaQuestions.from_rows(questions), VqaAnnotations.from_rows(annotations))


def features(layout: str, pictures: int, first: int = 0) -> PictureFeatures:
    """The colour of each picture, in a grid at a place of its own."""
    ids = np.arange(first, first + pictures)
    colour = np.eye(5, dtype=np.float32)[ids % 4]
    if layout == "global":
        return PictureFeatures("colours", ids, colour)
    grid = np.zeros((pictures, 2, 2, 5), np.float32)
    grid[..., 4] = 1
    grid[np.arange(pictures), ids % 2, ids // 2 % 2] = colour
    return PictureFeatures("colours", ids, grid)
