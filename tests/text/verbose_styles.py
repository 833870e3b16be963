"""Five ways in which a model may say a short answer at length, fixed before the rule that undoes them was written.

    full_stop       "Yes."  "Two."  "A skateboard."
    the_answer_is   "The answer is yes."  "Answer: red"
    short_sentence  "Yes, it is."  "There are two."  "It's a skateboard."
    scene           "Yes, there is one in the background of the image."  "The color of the bus is red."
    assistant       "Based on the image, the answer is **red**. This can be seen in the foreground."

Each style has several templates for each kind of answer; a question's id says which one it gets. Nothing here may be
changed to suit the rule: a template that it cannot undo stays and counts against it.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

__all__ = ["STYLES", "Asked", "say"]

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
COLOURS = frozenset(
    {
        *("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "gray", "grey"),
        *("silver", "gold", "tan", "beige", "maroon", "teal"),
    }
)
HOW_MANY = re.compile(
    r"how many (?P<noun>.+?)"
    r"(?: (?:is|are|do|does|can|could|have|has|will|were|was|in|on|at|of|with|that|there|you)\b.*)?\?*$"
)
WHAT_COLOUR = re.compile(r"what colou?r (?:is|are) (?:the |this |that |these |those )?(?P<subject>.+?)\?*$")


class Asked(NamedTuple):
    """A question and the answer that most people gave."""

    question_id: int
    question: str
    answer: str

    @property
    def kind(self) -> str:
        """Yes, no, a number of things, a colour, or anything else."""
        if self.answer in ("yes", "no"):
            return self.answer
        question = self.question.lower().strip()
        if self.answer.isdigit() and HOW_MANY.match(question):
            return "number"
        return "colour" if WHAT_COLOUR.match(question) else "other"

    @property
    def words(self) -> dict[str, str]:
        """What the templates are filled with."""
        question = self.question.lower().strip()
        how_many, colour = HOW_MANY.match(question), WHAT_COLOUR.match(question)
        number = NUMBERS[int(self.answer)] if self.answer.isdigit() and int(self.answer) < 11 else self.answer
        thing = _with_article(self.answer)
        return {
            "a": self.answer,
            "A": _capital(self.answer),
            "w": number,
            "W": _capital(number),
            "thing": thing,
            "Thing": _capital(thing),
            "noun": how_many["noun"] if how_many else "of them",
            "subject": colour["subject"] if colour else "thing",
        }


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _with_article(answer: str) -> str:
    """Single words that may be the name of one thing get an article, as people write it; the others stay."""
    if not answer.isalpha() or answer in COLOURS or answer.endswith(("s", "ing", "y", "ed")):
        return answer
    return ("an " if answer[0] in "aeiou" else "a ") + answer


Templates = dict[str, Sequence[str]]

FULL_STOP: Templates = {
    "yes": ["Yes."],
    "no": ["No."],
    "number": ["{W}.", "{A}."],
    "colour": ["{A}."],
    "other": ["{Thing}.", "{A}."],
}
IS = (
    "The answer is {a}.",
    "Answer: {a}",
    "The correct answer is {a}.",
    "My answer is {a}.",
    "The answer would be {a}.",
)
THE_ANSWER_IS: Templates = {"yes": IS, "no": IS, "number": IS, "colour": IS, "other": IS}
SHORT_SENTENCE: Templates = {
    "yes": ["Yes, it is.", "Yes, there is.", "Yes, they are.", "Yes, that is correct.", "Yes it does."],
    "no": ["No, it is not.", "No, there isn't.", "No, they are not.", "No, I don't see any.", "No it doesn't."],
    "number": ["There are {w}.", "It is {a}.", "I can see {w}.", "There are {a} in total.", "There's {w}."],
    "colour": ["It is {a}.", "It's {a}.", "They are {a}.", "It looks {a}.", "They're {a}."],
    "other": ["It is {thing}.", "It's {thing}.", "That is {thing}.", "This is {thing}.", "They are {a}."],
}
SCENE: Templates = {
    "yes": [
        "Yes, there is one in the background of the image.",
        "Yes, the picture clearly shows this in the foreground.",
        "Yes, you can see it on the left side of the photo.",
        "Yes, it appears so, judging by the light in the scene.",
    ],
    "no": [
        "No, there is nothing like that in the image.",
        "No, the picture does not show anything of the kind.",
        "No, it does not look that way, judging by the light in the scene.",
        "No, that cannot be seen in this photo.",
    ],
    "number": [
        "There are {w} {noun} in the image.",
        "{W} {noun} can be seen in the picture.",
        "I can count {w} {noun} in this photo.",
        "The image shows {a} {noun}.",
    ],
    "colour": [
        "The {subject} is {a} in this image.",
        "The color of the {subject} is {a}.",
        "The {subject} appears to be {a}, as far as one can see.",
        "It is {a} with some shadow on it.",
    ],
    "other": [
        "It is {thing} in the middle of the picture.",
        "In the image, it is {thing}.",
        "It appears to be {thing}, which can be seen on the left.",
        "The picture shows {thing}.",
    ],
}
ASSISTANT: Templates = {
    "yes": [
        "Based on the image, the answer is **yes**. This can be seen in the foreground.",
        "Yes\n\nThe image shows this clearly, since the area is well lit.",
        "Certainly! Yes, that is the case. Let me know if you have any other questions.",
        "**Yes.** The scene has several signs of it.",
    ],
    "no": [
        "Based on the image, the answer is **no**. Nothing in the foreground suggests it.",
        "No\n\nThe image does not show this, although the area is well lit.",
        "Looking at the picture, no, that is not the case. Let me know if you have any other questions.",
        "**No.** The scene has no sign of it.",
    ],
    "number": [
        "Based on the image, there are **{a}** {noun}. Some more may be hidden.",
        "Sure! I count {w} {noun} in the picture. Let me know if you have any other questions.",
        "In this photo, there appear to be {w} {noun}. The light makes it hard to be certain.",
        "{A}\n\nThe image shows them in the foreground.",
    ],
    "colour": [
        "Based on the image, the {subject} is **{a}**. It stands out in the foreground.",
        "Sure! The {subject} is {a}. Let me know if you have any other questions.",
        "Looking at the picture, the color appears to be {a}. The light makes it hard to be certain.",
        "{A}\n\nThe image shows this in the foreground.",
    ],
    "other": [
        "Based on the image, the answer is **{a}**. This can be seen in the foreground.",
        "Sure! It is {thing}. Let me know if you have any other questions.",
        "Looking at the picture, it appears to be {thing}. The light makes it hard to be certain.",
        "{A}\n\nThe image shows this in the foreground.",
    ],
}


def _draw(question_id: int) -> int:
    """Official ids are a thousand times the image's id and a small number; both have a part."""
    return question_id // 1000 + question_id


def _style(templates: Templates) -> Callable[[Asked], str]:
    def styled(asked: Asked) -> str:
        choices = templates[asked.kind]
        return choices[_draw(asked.question_id) % len(choices)].format(**asked.words)

    return styled


STYLES: dict[str, Callable[[Asked], str]] = {
    "full_stop": _style(FULL_STOP),
    "the_answer_is": _style(THE_ANSWER_IS),
    "short_sentence": _style(SHORT_SENTENCE),
    "scene": _style(SCENE),
    "assistant": _style(ASSISTANT),
}


def say(style: str, question_id: int, question: str, answer: str) -> str:
    """An answer in one of the styles."""
    return STYLES[style](Asked(question_id, question, answer))
