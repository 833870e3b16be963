"""The words and the classes of a network that answers questions, from its training files.

    words    each word of a training question, in the order of the alphabet, and UNKNOWN, which stands for all others
    classes  the K answers that are the majority's most often; of equal counts the later one in the alphabet comes first

Questions are cut into words by a rule of `recipes`: Penn-Treebank tokens in lower case, or lower case without marks.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from voirdire.models.recipes import WordRule
from voirdire.text.tokens import treebank

UNKNOWN = "UNK"
_MARKS = re.compile(r"""[?!'"$:@(),.;]""")
_BLANKS = re.compile(r"[-/]")


def question_words(question: str, rule: WordRule) -> list[str]:
    """The words of a question."""
    lower = question.lower()
    return treebank(lower) if rule == "treebank" else _BLANKS.sub(" ", _MARKS.sub("", lower)).split()


@dataclass(frozen=True)
class QuestionVocabulary:
    """Words by number; 0 is padding, and the last is UNKNOWN.

    longest  words after which a question is cut; None for no limit
    """

    words: tuple[str, ...]
    rule: WordRule
    longest: int | None

    @classmethod
    def of(cls, questions: Iterable[str], rule: WordRule, longest: int | None) -> "QuestionVocabulary":
        """All words of these questions."""
        known = {word for question in set(questions) for word in question_words(question, rule)}
        return cls((*sorted(known - {UNKNOWN}), UNKNOWN), rule, longest)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, start=1)}

    def numbers(self, question: str) -> list[int]:
        """The numbers of a question's words."""
        unknown = len(self.words)
        words = question_words(question, self.rule)[: self.longest]
        return [self._numbers.get(word, unknown) for word in words]

    def padded(self, questions: Sequence[str]) -> npt.NDArray[np.int64]:
        """int64[n, words] with zeros behind; one column where no question has a word."""
        rows = [self.numbers(question) for question in questions]
        table = np.zeros((len(rows), max([1, *map(len, rows)])), np.int64)
        for row, numbers in zip(table, rows, strict=True):
            row[: len(numbers)] = numbers
        return table


def commonest_answers(majority: Iterable[str], most: int) -> tuple[str, ...]:
    """The classes: the `most` commonest answers, by count and then by text, both downwards."""
    counts = Counter(majority)
    return tuple(sorted(counts, key=lambda answer: (counts[answer], answer), reverse=True)[:most])
