"""Small games with every answer known, for the tests of the exam."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from voirdire.formats.coco import GameImage
from voirdire.formats.guesswhat import ANSWERS, Game, GameObject, Qa
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.twenty_questions import TwentyQuestionsGame
from voirdire.progress import Progress, silent

__all__ = ["AGAIN", "COWS", "FIGURE", "FIGURE_ANSWERS", "WELL", "GivenAnswers", "codes", "game", "given", "twenty"]

LETTERS = {"y": 0, "n": 1, "a": 2, "s": 3}


@dataclass(frozen=True, eq=False)
class GivenAnswers:
    """Answers that are at hand, one record per game, in the order of the games that are asked about."""

    answers: Sequence[ObjectAnswers]
    identity: str = ""

    def answer(self, games: Sequence[Game], progress: Progress = silent) -> list[ObjectAnswers]:
        """All of them; of fewer games, theirs."""
        asked = {game.id for game in games}
        return [answers for answers in self.answers if len(games) >= len(self.answers) or answers.game_id in asked]


def codes(*rows):
    """int8[questions, objects] from one word per question, one letter per object: y, n, a (n/a), s (sometimes)."""
    return np.array([[LETTERS[letter] for letter in row] for row in rows], dtype=np.int8)


def game(rows, target=0, id_=1, status="success", recorded=None, image=None, objects=None, guess=None):
    """A game and its answers: `rows` as in `codes`; the recorded answers are the target's where they are not given."""
    count = len(rows[0]) if rows else objects or 2
    things = tuple(
        GameObject(100 + place, "cup", 47, 25.0, (10.0 * (place % 6), 5.0, 8.0, 8.0)) for place in range(count)
    )
    answers = codes(*rows) if rows else np.zeros((0, count), np.int8)
    said = [LETTERS[letter] for letter in recorded] if recorded else answers[:, target].tolist()
    qas = tuple(Qa(f"question {place}?", ANSWERS[code]) for place, code in enumerate(said))
    shown = GameImage(id_ if image is None else image, 64, 48, "5.png")
    return Game(id_, shown, things, 100 + target, qas, status, guess), ObjectAnswers(id_, answers)


def given(*pairs, identity=""):
    """Games, and an oracle that has their answers."""
    return [pair[0] for pair in pairs], GivenAnswers([pair[1] for pair in pairs], identity)


def twenty(rows, target=0, id_=1, **fields):
    """A game of 20 questions; `fields` are further ones of it."""
    names = tuple(["elk", "hen", "fox", "owl", "bee", "cat", "dog", "eel"][: len(rows[0])])
    asked = tuple(f"question {place}?" for place in range(len(rows)))
    made = TwentyQuestionsGame(id_, names, names[target], asked, codes(*rows), (*ANSWERS, "sometimes"))
    return replace(made, **fields)


# Figure 1: a cow is to be found among six others and a stick. One cow is in the middle, two interview to the left, the
# target and one on the left interview in front, and the last question has the answer yes for the target alone.
COWS = (
    ("one of the cows?", "yyyyyyyn"),
    ("the tall one amid the others?", "nynnnnnn"),
    ("one to the left?", "nnyynnnn"),
    ("does it interview in front?", "ynynnnnn"),
    ("the nearest to us, right side?", "ynnnnnnn"),
)
FIGURE_ANSWERS = codes(*(row for _, row in COWS))
_boxes = [(40.0, 30.0), (26.0, 12.0), (2.0, 28.0), (4.0, 10.0), (40.0, 8.0), (50.0, 10.0), (34.0, 4.0), (20.0, 40.0)]
FIGURE = Game(
    7,
    GameImage(70, 64, 48, "herd.png"),
    tuple(
        GameObject(20 + place, "cow" if place < 7 else "stick", 21 if place < 7 else 90, 48.0, (x, y, 8.0, 6.0))
        for place, (x, y) in enumerate(_boxes)
    ),
    20,
    tuple(Qa(question, answer) for (question, _), answer in zip(COWS, ("yes", "no", "no", "yes", "yes"), strict=True)),
    "success",
    20,
)

# Six games on six images, played twice: once well, once with a question that is asked again and again.
WELL = given(
    *(game(["yyn", "nny", "ynn"], id_=id_, status="success" if id_ < 6 else "failure") for id_ in range(1, 7)),
    identity="table 00",
)
AGAIN = given(
    *(game(["yyn", "yyn", "yyn"], id_=id_, status="failure" if id_ < 6 else "success") for id_ in range(1, 7)),
    identity="table 00",
)
