"""A small ranker for tests: the share of words that two questions have in common, by comparing every pair."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions
from voirdire.progress import Progress, Stages, silent
from voirdire.robustness.rankers import Neighbours
from voirdire.text.encoders.protocol import Encoder

__all__ = ["CERTIFIED", "At", "WordRanker", "make", "make_slow", "make_stuck", "questions", "words"]

CERTIFIED = "certified"

THINGS = ("dog", "cat", "bus", "tree", "boat", "cup", "lamp", "kite", "horse", "chair")
COLOURS = ("red", "green", "blue", "white", "black")
FORMS = (
    "Is the {0} {1}?",
    "What colour is the {0} near the {1} box?",
    "Where is the {1} {0}?",
    "How many {0}s are {1}?",
)


class At(Stages):
    """Stages of which some, by their names, are listened to."""

    def __init__(self, **told: Progress) -> None:
        self._told = told

    def __call__(self, name: str, unit: str) -> Progress:
        return self._told.get(name, silent)


def questions(start: int = 0, count: int = 200, first_id: int = 1) -> VqaQuestions:
    """`count` of 200 different questions, from the one numbered `start` on; further ones come round again."""
    made = [form.format(thing, colour) for form in FORMS for thing in THINGS for colour in COLOURS]
    texts = [made[(start + at) % len(made)] for at in range(count)]
    return VqaQuestions.from_rows(VqaQuestion(first_id + at, 7 + at // 3, text) for at, text in enumerate(texts))


def words(text: str) -> frozenset[str]:
    return frozenset(text.lower().rstrip("?").split())


@dataclass(frozen=True)
class WordRanker:
    """Jaccard's index of the words, where it is above a third."""

    pool: Sequence[str]
    stuck_at: str | None = None
    batch: int = 8

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"reading": "words in common"}

    def rank(self, questions: Sequence[str], left_out: Sequence[npt.NDArray[np.int64]], top: int) -> Neighbours:
        if self.stuck_at in questions:
            time.sleep(600)
        places = np.full((len(questions), top), -1, np.int64)
        scores = np.zeros((len(questions), top))
        sets = [words(text) for text in self.pool]
        for row, text in enumerate(questions):
            ours = words(text)
            found = np.array([len(ours & words) / len(ours | words) for words in sets])
            found[left_out[row]] = 0
            order = np.argsort(-found, kind="stable")[:top]
            order = order[found[order] > 1 / 3]
            places[row, : len(order)] = order
            scores[row, : len(order)] = found[order]
        open_ = np.array(["horse" in text for text in questions])
        proof = {
            "gap": np.full(len(questions), 1e-9),
            "status": np.where(open_, "uncertified", CERTIFIED),
            "reason": np.where(open_, "the gap is open", ""),
        }
        return Neighbours(places, scores, proof)


def make(pool: Sequence[str], encoder: Encoder | None, lam: float) -> WordRanker:
    return WordRanker(pool)


def make_slow(pool: Sequence[str], encoder: Encoder | None, lam: float) -> WordRanker:
    """One that takes a while to be made."""
    time.sleep(0.3)
    return WordRanker(pool)


def make_stuck(pool: Sequence[str], encoder: Encoder | None, lam: float) -> WordRanker:
    """One that does not come past the 41st of `questions(90)`, so that its run is at work whenever it is stopped."""
    return WordRanker(pool, questions(90).questions[40])
