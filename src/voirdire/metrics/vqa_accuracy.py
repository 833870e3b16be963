"""VQA accuracy: the agreement of an answer with those of ten people, in percent.

    official   100/10 · Σ_j min( matches without person j / 3, 1 )        mean over the ten subsets of nine people
    eq. (6)    100 · min( matches / 3, 1 )                                vqa-robustness; Antol et al. 2015

matches  people whose answer is the model's, after the official processing of both, which runs only where the ten
answers are not all equal; where they are, texts are compared as they are but for `tidy`. Both definitions compare the
same texts, so that they differ in the formula alone: 0, 30, 60, 90, 100 % for none to four matches by the first,
0, 33.3, 66.7, 100 % for none to three by the second.

The answer processing of the official VQA evaluation, step by step, with its quirks:

    tidy      line feeds and tabs become spaces; both ends are stripped
    points    each mark of PUNCTUATION goes: without a trace where the text has it next to a space, or has a digit,
              a comma and a digit in a row anywhere; else a space takes its place. Then full stops that no digit
              follows go, but only the first 32 of them
    words     lower case; number words up to ten become digits (`none` is 0); a, an and the go; then contractions
              that lost an apostrophe get it back

The marks next to a space are looked for in the original text, not in what earlier marks left. Apostrophes and colons
are no marks.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Measure
from voirdire.stats.aggregate import FloatArray

PEOPLE = 10
ENOUGH = 3


def _leave_one_out(matches: int) -> float:
    """The official accuracy of an answer that so many people gave; thirds are added up before they are divided."""
    agree = [True] * matches + [False] * (PEOPLE - matches)
    return 100 * sum(min(ENOUGH, matches - left_out) for left_out in agree) / (ENOUGH * PEOPLE)


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
            raise ValueError(f"`places` must be ten answers per question, of shape (n, {PEOPLE}), got {places.shape}")
        self._tidied: dict[str, int] = {}
        self._processed: dict[str, int] = {}
        tidied = np.array([_number(self._tidied, tidy_answer(text)) for text in pool], dtype=np.int64)[places]
        # Texts are compared as they are where all ten are equal, and processed elsewhere.
        self.unanimous = (tidied == tidied[:, :1]).all(axis=1)
        numbers = np.array([_number(self._processed, process_answer(text)) for text in pool], dtype=np.int64)
        self._codes = np.where(self.unanimous[:, None], tidied, numbers[places])
        self._numbers, self._places = numbers, places

    def __len__(self) -> int:
        return len(self._codes)

    def matches(
        self, answers: Sequence[str], questions: npt.NDArray[np.integer] | None = None, processed: bool = False
    ) -> npt.NDArray[np.int64]:
        """How many of the ten gave each answer; `questions` has the place of each answer's question, all by default.

        processed  process texts also where all ten are equal, for answers that are not the model's own words
        """
        chosen = np.arange(len(self)) if questions is None else questions
        if len(answers) != len(chosen):
            raise ValueError(f"`answers` must be one for each of {len(chosen)} questions, got {len(answers)}")
        distinct = {text: place for place, text in enumerate(dict.fromkeys(answers))}
        which = np.fromiter((distinct[text] for text in answers), dtype=np.int64, count=len(answers))
        as_is = _find(self._tidied, tidy_answer, distinct)
        treated = _find(self._processed, process_answer, distinct)
        if processed:
            return np.asarray((self._numbers[self._places[chosen]] == treated[which][:, None]).sum(axis=1))
        codes = np.where(self.unanimous[chosen], as_is[which], treated[which]) if len(which) else which
        return np.asarray((self._codes[chosen] == codes[:, None]).sum(axis=1))

    def commonest(self, types: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """How many of the ten gave the answer that is the commonest one to all questions of the same type.

        types  of each question the number of its type; of several commonest answers the one that stands first counts
        """
        answers = self._numbers[self._places]
        matches = np.zeros(len(self), dtype=np.int64)
        for kind in np.unique(types):
            rows = np.flatnonzero(types == kind)
            matches[rows] = (answers[rows] == np.bincount(answers[rows].reshape(-1)).argmax()).sum(axis=1)
        return matches


def accuracies(matches: npt.NDArray[np.integer], table: FloatArray = OFFICIAL) -> FloatArray:
    """One statistic per question, in percent: the accuracy by its number of matches."""
    return np.asarray(table[matches])


def _number(numbers: dict[str, int], text: str) -> int:
    return numbers.setdefault(text, len(numbers))


def _find(numbers: dict[str, int], treat: Callable[[str], str], texts: dict[str, int]) -> npt.NDArray[np.int64]:
    """The numbers of the treated texts, −1 for one that nobody gave."""
    return np.array([numbers.get(treat(text), -1) for text in texts], dtype=np.int64)


VQA_ACCURACY = Measure.averaged(
    "accuracy",
    "higher",
    unit="%",
    description="agreement with ten people's answers, official definition",
    citation="vqa",
)


PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'
STOPS = 32

_DIGIT_COMMA_DIGIT = re.compile(r"\d,\d")
_STOP = re.compile(r"\.(?!\d)")

NUMBERS = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten".split())  # noqa: SIM905
} | {"none": "0"}

ARTICLES = frozenset({"a", "an", "the"})

# As they should be. Each is found with any one of its apostrophes missing. Forms with a capital I are not here: the
# official table has them, but the text is in lower case by then.
_CONTRACTED = """
ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't he'd he'd've he's
how'd how'll how's isn't it'd it'd've it'll ma'am mightn't mightn't've might've mustn't must've needn't not've o'clock
oughtn't 'ow's'at shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll somebody's someone'd
someone'd've someone'll someone's something'd something'd've something'll that's there'd there'd've there're there's
they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll what're what's what've when's
where'd where's where've who'd who'd've who'll who's who've why'll why're why's won't would've wouldn't wouldn't've
y'all y'all'll y'all'd've you'd you'd've you'll you're you've
""".split()  # noqa: SIM905

CONTRACTIONS = {
    word[:place] + word[place + 1 :]: word for word in _CONTRACTED for place in range(len(word)) if word[place] == "'"
} | {"somebody'd": "somebodyd"}  # The official table has this one the wrong way round.


def tidy_answer(text: str) -> str:
    """Line feeds and tabs as spaces, both ends stripped."""
    return text.replace("\n", " ").replace("\t", " ").strip()


def process_answer(text: str) -> str:
    """All steps on one answer."""
    return _words(_points(tidy_answer(text)))


def process_answers(prediction: str, answers: Sequence[str]) -> tuple[str, list[str]]:
    """A prediction and its question's answers as the official evaluation compares them."""
    tidied = [tidy_answer(answer) for answer in answers]
    if len(set(tidied)) <= 1:
        return tidy_answer(prediction), tidied
    return process_answer(prediction), [process_answer(answer) for answer in tidied]


def _points(text: str) -> str:
    number = _DIGIT_COMMA_DIGIT.search(text) is not None
    out = text
    for mark in PUNCTUATION:
        loose = number or f"{mark} " in text or f" {mark}" in text
        out = out.replace(mark, "" if loose else " ")
    return _STOP.sub("", out, count=STOPS)


def _words(text: str) -> str:
    numbered = (NUMBERS.get(word, word) for word in text.lower().split())
    return " ".join(CONTRACTIONS.get(word, word) for word in numbered if word not in ARTICLES)
