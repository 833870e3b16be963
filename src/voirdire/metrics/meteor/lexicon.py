"""METEOR's word lists: the synsets of single words, and which words a matcher joins.

    synsets(w) ∪ synsets(base forms of w)

The base forms are those that the list of irregular forms gives; where w is not in it, the first that one of the rules
below makes out of w and that has synsets. A matcher of single words joins by equal keys, equal stems, a common synset:

EXACT    equal keys, so every word with itself
STEM     other keys, equal stem keys
SYNONYM  other keys, a common synset
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from voirdire.metrics.meteor.index import Arrays, MeteorFiles, installed_files, installed_index
from voirdire.metrics.meteor.words import stem, word_key

IntArray = npt.NDArray[np.int32]

# The matchers in their order; the last joins phrases.
EXACT, STEM, SYNONYM, PARAPHRASE = 0, 1, 2, 3

# (ending, what takes its place), tried in this order: endings of nouns, of verbs, of adjectives.
ENDINGS = (
    *(
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    *(("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    *(("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)


@dataclass(frozen=True)
class Words:
    """What the lists have of n words, a row each.

    keys, stem_keys  int32; equal keys are a match of words, equal stem keys one of stems
    function         bool, whether it is a function word
    phrase_word      int32, its number in the paraphrase table, −1 where it is not in it
    synset_first     int32[n + 1], with `synsets` its synsets in rising order
    """

    keys: npt.NDArray[np.int32]
    stem_keys: npt.NDArray[np.int32]
    function: npt.NDArray[np.bool_]
    phrase_word: npt.NDArray[np.int32]
    synset_first: npt.NDArray[np.int32]
    synsets: npt.NDArray[np.int32]

    def followed_by(self, others: "Words") -> "Words":
        """These words and others after them."""
        return Words(
            keys=np.append(self.keys, others.keys),
            stem_keys=np.append(self.stem_keys, others.stem_keys),
            function=np.append(self.function, others.function),
            phrase_word=np.append(self.phrase_word, others.phrase_word),
            synset_first=np.append(self.synset_first, self.synset_first[-1] + others.synset_first[1:]),
            synsets=np.append(self.synsets, others.synsets),
        )


class MeteorLexicon:
    """The word lists of one source, with its index."""

    def __init__(self, files: MeteorFiles, index: Arrays) -> None:
        self.index = index
        self.abbreviations = files.abbreviations()
        self.function_words = files.function_words()
        self.irregular = files.irregular()
        every = index["words"].tobytes().decode().split("\n")
        self.number = dict(zip(every, range(len(every)), strict=True))

    def of(self, words: list[str]) -> Words:
        """What the lists have of these words."""
        synsets = [self.synsets(word) for word in words]
        places = np.array([self.number.get(word, -1) for word in words], np.int32)
        return Words(
            keys=np.array([word_key(word) for word in words], np.int32),
            stem_keys=np.array([word_key(stem(word)) for word in words], np.int32),
            function=np.array([word in self.function_words for word in words], np.bool_),
            phrase_word=np.where(places < self.index["phrase_words"], places, -1).astype(np.int32),
            synset_first=np.append(0, np.cumsum([len(numbers) for numbers in synsets])).astype(np.int32),
            synsets=np.array([number for numbers in synsets for number in numbers], np.int32),
        )

    def synsets(self, word: str) -> list[int]:
        """The synsets of a word and of its base forms, in rising order."""
        bases = self.irregular[word] if word in self.irregular else [self._regular(word)]
        return sorted({number for form in (word, *bases) for number in self._listed(form)})

    def _regular(self, word: str) -> str:
        """The first base form with synsets that a rule makes; the word itself where none does."""
        if len(word) <= 2 or word.endswith("ss"):
            return word
        for ending, instead in ENDINGS:
            if word.endswith(ending):
                base = word.removesuffix(ending) + instead
                if self._listed(base):
                    return base
        return word

    def _listed(self, word: str) -> list[int]:
        number = self.number.get(word)
        if number is None:
            return []
        first = self.index["synset_first"]
        synsets: list[int] = self.index["synsets"][first[number] : first[number + 1]].tolist()
        return synsets


@cache
def installed_lexicon() -> MeteorLexicon:
    """The lexicon of the files that are installed."""
    return MeteorLexicon(installed_files(), installed_index())


def find_relatives(words: Words) -> tuple[IntArray, IntArray, IntArray]:
    """(first of each word, the words that a matcher joins with it, the matcher of each), by matcher within a word."""
    count = len(words.keys)
    every = np.arange(count)
    exact, stem = _sharing(every, words.keys), _sharing(every, words.stem_keys)
    synonym = _sharing(np.repeat(every, np.diff(words.synset_first)), words.synsets)
    codes = []
    for matcher, (word, other) in ((EXACT, exact), (STEM, stem), (SYNONYM, synonym)):
        kept = (words.keys[word] == words.keys[other]) == (matcher == EXACT)
        codes.append((word[kept] * PARAPHRASE + matcher) * count + other[kept])
    rest, other = np.divmod(np.unique(np.concatenate(codes)), max(count, 1))
    word, matcher_of = np.divmod(rest, PARAPHRASE)
    first = np.searchsorted(word, np.arange(count + 1))
    return first.astype(np.int32), other.astype(np.int32), matcher_of.astype(np.int32)


def _sharing(
    words: npt.NDArray[np.intp], groups: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Every two words of one group, each with itself too."""
    order = np.argsort(groups, kind="stable")
    words, groups = words[order], groups[order]
    first, sizes = np.unique(groups, return_index=True, return_counts=True)[1:]
    size_of_each, first_of_each = np.repeat(sizes, sizes), np.repeat(first, sizes)
    # A member is paired with each member of its group: as often as the group is large.
    member = np.repeat(np.arange(len(words)), size_of_each)
    within = np.arange(len(member)) - np.repeat(np.cumsum(size_of_each) - size_of_each, size_of_each)
    return words[member], words[first_of_each[member] + within]
