"""Stems of English words by the Porter2 algorithm as METEOR 1.5 has it.

snowballstemmer's releases 2.x give the jar's stem for every one of 175,787 words tried; 3.0 changed the algorithm
(`evening` and `even` no longer share a stem, `geologist` and `geology` do), so that its stems are refused.
"""

from functools import cache
from typing import Any

from voirdire.errors import UsageError

__all__ = ["stem"]


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    text: str = _stemmer().stemWord(word)
    return text


@cache
def _stemmer() -> Any:
    # By its module: the package's own factory takes a compiled stemmer of any release where one is installed.
    from snowballstemmer.english_stemmer import EnglishStemmer

    stemmer = EnglishStemmer()
    if stemmer.stemWord("evening") != "even":
        raise UsageError('METEOR needs the stemmer of an earlier release: pip install "snowballstemmer>=2.2,<3"')
    return stemmer
