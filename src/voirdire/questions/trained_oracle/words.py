"""Words of a question, and their numbers.

A question is its words in lower case: letters and digits, with an apostrophe inside a word kept; marks are left out. A
question without a word is one unknown word. Number 0 is the unknown word: words that train has fewer than `min_count`
times are it too, so that it has a vector of its own.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

__all__ = ["UNKNOWN", "Vocabulary", "words_of"]

UNKNOWN = 0
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def words_of(question: str) -> list[str]:
    """The words of a question in order."""
    return _WORD.findall(question.lower().replace("’", "'"))


class Vocabulary:
    """The words that an oracle knows, numbered from 1."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate(self.words, start=1)}
        if len(self._numbers) < len(self.words):
            raise ValueError("words: one of them is there twice")

    @classmethod
    def of(cls, questions: Mapping[str, int], min_count: int) -> "Vocabulary":
        """The words of questions, each asked so many times, that occur often enough; in alphabetical order."""
        counts: Counter[str] = Counter()
        for question, times in questions.items():
            for word in words_of(question):
                counts[word] += times
        return cls(sorted(word for word, count in counts.items() if count >= min_count))

    def __len__(self) -> int:
        """How many numbers there are, that of the unknown word among them."""
        return len(self.words) + 1

    def numbers(self, question: str) -> list[int]:
        """A question as numbers, at least one."""
        return [self._numbers.get(word, UNKNOWN) for word in words_of(question)] or [UNKNOWN]
