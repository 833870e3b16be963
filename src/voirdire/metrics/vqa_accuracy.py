"""VQA accuracy: the agreement of an answer with those of ten people, in percent.

    official   100/10 · Σ_j min( matches without person j / 3, 1 )        mean over the ten subsets of nine people
    eq. (6)    100 · min( matches / 3, 1 )                                vqa-robustness; Antol et al. 2015

matches  people whose answer is the model's, after the official processing of both (`text.vqa_answer`), which runs only
where the ten answers are not all equal. Both definitions compare the same texts, so that they differ in the formula
alone: 0, 30, 60, 90, 100 % for none to four matches by the first, 0, 33.3, 66.7, 100 % for none to three by the second.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Key, Measure, identity, mean
from voirdire.stats.aggregate import FloatArray
from voirdire.text.vqa_answer import process_answer, tidy_answer

__all__ = ["EQ6", "OFFICIAL", "VQA_ACCURACY", "HumanAnswers", "accuracies"]

PEOPLE = 10
ENOUGH = 3


def _leave_one_out(matches: int) -> float:
    """The official accuracy of an answer that so many people gave; thirds are added up before they are divided."""
    agree = [True] * matches + [False] * (PEOPLE - matches)
    return 100 * sum(min(ENOUGH, matches - one) for one in agree) / (ENOUGH * PEOPLE)


OFFICIAL = np.array([_leave_one_out(matches) for matches in range(PEOPLE + 1)])
"""Official accuracy by the number of matches, in percent."""

EQ6 = np.array([100 * min(matches / ENOUGH, 1.0) for matches in range(PEOPLE + 1)])
"""Accuracy by eq. (6) by the number of matches, in percent."""


class HumanAnswers:
    """Ten answers to each of many questions, made ready once to be compared with many models' answers.

    places  int[n, 10], places in `pool`, the distinct answers
    """

    def __init__(self, places: npt.NDArray[np.integer], pool: Sequence[str]) -> None:
        if places.ndim != 2 or places.shape[1] != PEOPLE:
            raise ValueError(f"places: shape {places.shape}; ten answers a question are needed, so (n, {PEOPLE})")
        self._tidied: dict[str, int] = {}
        self._processed: dict[str, int] = {}
        tidied = np.array([_number(self._tidied, tidy_answer(text)) for text in pool], dtype=np.int64)[places]
        # Texts are compared as they are where all ten are equal, and processed elsewhere.
        self.unanimous = (tidied == tidied[:, :1]).all(axis=1)
        numbers = np.array([_number(self._processed, process_answer(text)) for text in pool], dtype=np.int64)
        self._codes = np.where(self.unanimous[:, None], tidied, numbers[places])

    def __len__(self) -> int:
        return len(self._codes)

    def matches(
        self, answers: Sequence[str], questions: npt.NDArray[np.integer] | None = None
    ) -> npt.NDArray[np.int64]:
        """How many of the ten gave each answer; `questions` has the place of each answer's question, all by default."""
        chosen = np.arange(len(self)) if questions is None else questions
        if len(answers) != len(chosen):
            raise ValueError(f"answers: {len(answers)}; one for each of {len(chosen)} questions is needed")
        distinct = {text: place for place, text in enumerate(dict.fromkeys(answers))}
        which = np.fromiter((distinct[text] for text in answers), dtype=np.int64, count=len(answers))
        as_is = _find(self._tidied, tidy_answer, distinct)
        processed = _find(self._processed, process_answer, distinct)
        codes = np.where(self.unanimous[chosen], as_is[which], processed[which]) if len(which) else which
        return np.asarray((self._codes[chosen] == codes[:, None]).sum(axis=1))


def accuracies(matches: npt.NDArray[np.integer], table: FloatArray = OFFICIAL) -> FloatArray:
    """One statistic a question, in percent: the accuracy by its number of matches."""
    return np.asarray(table[matches])


def _number(numbers: dict[str, int], text: str) -> int:
    return numbers.setdefault(text, len(numbers))


def _find(numbers: dict[str, int], treat: Callable[[str], str], texts: dict[str, int]) -> npt.NDArray[np.int64]:
    """The numbers of the treated texts, −1 for one that nobody gave."""
    return np.array([numbers.get(treat(text), -1) for text in texts], dtype=np.int64)


VQA_ACCURACY = Measure(
    key=Key("accuracy"),
    statistic=identity,
    aggregate=mean,
    better="higher",
    unit="%",
    of=("accuracy",),
    description="agreement with ten people's answers, official definition",
    citation="vqa",
)
