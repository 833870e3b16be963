"""Which files go together: compared by the ids that they share, as `voirdire validate --against` does.

Of several files of one kind that would do, one is taken:

    1. the one with which more of the models' outputs go together
    2. of these, the one that holds the same as more of them, and no more or less
    3. the split to be examined on: val, test, dev, train
    4. one whose name has a word that the input prefers: H, for sets made by people
    5. the first by name
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from voirdire.exam import Exam
from voirdire.session.model_names import has_word, prefer
from voirdire.validation import CrossCheck, Examined, check_examined


def read_together(exam: Exam) -> dict[str, set[str]]:
    """The keys of a session's inputs, each with those that a part reads beside it, or that what it reads is made of."""
    inputs = [source for of_model in (True, False) for source in exam.session_inputs(of_model, asked=True)]
    of_model = {source.name for source in inputs if source.of_model}
    # What is of a split of its own, with states of its own, goes with nothing else.
    apart = {source.name for source in inputs if source.together and of_model & {source.name, source.together}}
    together: dict[str, set[str]] = {source.name: set() for source in inputs}
    for part in exam.in_session():
        read = (*part.session_inputs(), *(part.ask.inputs if part.ask is not None else ()))
        keys = {key for source in read for key in exam.sources_of(source)} - apart
        for key in keys:
            together[key] |= keys - {key}
    return together


@dataclass(frozen=True)
class Choice:
    """The file that is taken, and why the others are not."""

    taken: Path | None
    left: dict[Path, str]
    alike: int = 1


@dataclass
class Matching:
    """Files below a folder, as they were examined."""

    folder: Path
    examined: dict[Path, Examined]
    _checks: dict[tuple[Path, Path], tuple[CrossCheck, ...]] = field(default_factory=dict)

    def fault(self, path: Path, other: Path) -> str:
        """Why two files do not go together; empty where they do, or nothing says that they do not."""
        bad = next((check for check in self._compared(path, other) if not check.ok), None)
        if bad is None:
            return ""
        shared = f"{bad.common:,} {bad.kind}s" if bad.common else f"no {bad.kind}"
        return f"shares {shared} with {self.called(other)}; {bad.reason}"

    def called(self, path: Path) -> str:
        """A file as messages name it."""
        return str(path.relative_to(self.folder))

    def choose(
        self, preferred: Sequence[str], files: Iterable[Path], outputs: Sequence[Path], data: Collection[Path]
    ) -> Choice:
        """The file to take for an input, beside the models' outputs and the data that it is read with.

        preferred  words of the names of files that come before others
        """
        left: dict[Path, str] = {}
        keys: dict[Path, tuple[int, int, int, int, str]] = {}
        for path in files:
            if why := self._against(path, outputs, data):
                left[path] = why
            else:
                keys[path] = self._key(preferred, path, outputs)
        if not keys:
            return Choice(None, left)
        taken, *others = sorted(keys, key=keys.__getitem__)
        words = f"{' or '.join(preferred)} in its name comes first"
        rules = (
            "it goes with more outputs",
            "it holds the same as more outputs",
            "val comes before other splits",
            words,
        )
        for path in others:
            at = next(place for place in range(5) if keys[path][place] != keys[taken][place])
            left[path] = f"{self.called(taken)} is taken: {(*rules, 'the first by name')[at]}"
        return Choice(taken, left, sum(keys[path][:-1] == keys[taken][:-1] for path in keys))

    def _against(self, path: Path, outputs: Sequence[Path], data: Collection[Path]) -> str:
        """Why a file of the data cannot be taken: all outputs, or data that are taken already, are about other ids."""
        faults = [self.fault(path, other) for other in outputs if self._compared(path, other)]
        if faults and all(faults):
            return faults[0]
        return next(filter(None, (self.fault(path, other) for other in data)), "")

    def _key(self, preferred: Sequence[str], path: Path, outputs: Sequence[Path]) -> tuple[int, int, int, int, str]:
        checks = [compared for other in outputs if (compared := self._compared(path, other))]
        going = sum(all(check.ok for check in compared) for compared in checks)
        same = sum(not any(check.missing or check.unknown for check in compared) for compared in checks)
        split, name = prefer(path.relative_to(self.folder))
        liked = not any(has_word(path.name, word) for word in preferred)
        return -going, -same, split, int(liked), name

    def _compared(self, path: Path, other: Path) -> tuple[CrossCheck, ...]:
        if (path, other) not in self._checks:
            self._checks[path, other] = check_examined(self.examined[path], self.examined[other])
        return self._checks[path, other]
