"""The data of METEOR 1.5, where the package pycocoevalcap keeps them: its jar (a zip) and its paraphrase table.

    function/english.words        one function word a line
    nonbreaking/english.prefixes  one abbreviation a line, with a remark where it is one only before numbers
    synonym/english.exceptions    a base form, then a line of its irregular forms
    synonym/english.synsets       a word, then a line of the numbers of its synsets
    paraphrase-en.gz              a probability, a phrase, a phrase that may stand for it; three lines each

Nothing of the jar is run. Its list of relations between synsets takes no part in matching.
"""

import hashlib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from voirdire.errors import UsageError
from voirdire.metrics.meteor.normalise import ALWAYS, BEFORE_NUMBER

__all__ = ["Source", "installed_source"]


@dataclass(frozen=True)
class Source:
    """The two files, and what the lists in the jar say."""

    jar: Path
    paraphrases: Path

    @cached_property
    def digest(self) -> str:
        """One SHA-256 over those of both files."""
        both = hashlib.sha256()
        for path in (self.jar, self.paraphrases):
            with path.open("rb") as file:
                both.update(hashlib.file_digest(file, "sha256").digest())
        return both.hexdigest()

    def function_words(self) -> frozenset[str]:
        """Words that carry little meaning, and marks."""
        return frozenset(self._lines("function/english.words"))

    def abbreviations(self) -> dict[str, int]:
        """ALWAYS or BEFORE_NUMBER by abbreviation, without its point."""
        found = {}
        for line in self._lines("nonbreaking/english.prefixes"):
            word, *remark = line.split() or [""]
            if word and not word.startswith("#"):
                found[word] = BEFORE_NUMBER if remark[:1] == ["#NUMERIC_ONLY#"] else ALWAYS
        return found

    def irregular(self) -> dict[str, list[str]]:
        """The base forms by irregular form."""
        bases: dict[str, list[str]] = {}
        for base, forms in self._pairs("synonym/english.exceptions"):
            for form in forms.split():
                bases.setdefault(form, []).append(base)
        return bases

    def synsets(self) -> dict[str, list[int]]:
        """The numbers of its synsets by word, in rising order."""
        return {
            word: sorted(set(map(int, numbers.split()))) for word, numbers in self._pairs("synonym/english.synsets")
        }

    def _lines(self, name: str) -> list[str]:
        with zipfile.ZipFile(self.jar) as archive:
            return archive.read(name).decode("utf-8").removesuffix("\n").split("\n")

    def _pairs(self, name: str) -> Iterator[tuple[str, str]]:
        lines = self._lines(name)
        return zip(lines[::2], lines[1::2], strict=True)


def installed_source() -> Source:
    """The files of the pycocoevalcap that is installed; the package is found, never imported."""
    spec = find_spec("pycocoevalcap")
    folders = [Path(folder) / "meteor" for folder in (spec.submodule_search_locations or ())] if spec else []
    for folder in folders:
        source = Source(folder / "meteor-1.5.jar", folder / "data" / "paraphrase-en.gz")
        if source.jar.is_file() and source.paraphrases.is_file():
            return source
    raise UsageError(
        'METEOR needs the data files of pycocoevalcap, which are not there: pip install "pycocoevalcap>=1.2"'
    )
