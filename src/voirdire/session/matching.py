"""Whose a file is, by its name; and which files go together.

The model whose output a file is, by the names of its folders and its own:

    said/blind/partition1.json   → blind          blind_generations.json → blind
    outputs/v2/states.h5         → v2             results.json           → model

Words that say what a file contains are no names: the nearest folder with another name is the model's, else what is
left of the file's name. Where two files of one kind would be the same model's so, all such folders name them, and the
file's name, too, where these are not enough: `mcan/step100/answers.json` → mcan-step100.

Files are compared by the ids that they share, as `voirdire validate --against` does.

Of several files of one kind that would do, one is taken:

    1. the one with which more of the models' outputs go together
    2. of these, the one that holds the same as more of them, and no more or less
    3. the split to be examined on: val, test, dev, train
    4. one whose name has a word that the input prefers: H, for sets made by people
    5. the first by name
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePath

from voirdire.exam import Exam, exams
from voirdire.validation import ENDINGS, CrossCheck, Examined, check_examined


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
    """The file that is taken, and why the others are not; `others` would do as well."""

    taken: Path | None
    left: dict[Path, str]
    alike: int = 1
    others: tuple[Path, ...] = ()


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
        return Choice(taken, left, sum(keys[path][:-1] == keys[taken][:-1] for path in keys), tuple(others))

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


_CONTENTS = """
answer answerer asked asking clean coco control converted data dense dialogs dialogue dialogues eval
evaluation exam exams game games generated generation generations guesswhat hidden inference log logs model
models mscoco noise noisy openended output outputs partition partitions pred predicted prediction predictions
preds question questioner rank ranking rankings ranks references refs result results run runs said score
scores state states submission submissions visdial vqa
"""
DATASETS = frozenset({"coco", "guesswhat", "mscoco", "visdial", "vqa"})
SPLITS = ("val", "valid", "validation", "test", "dev", "train")
"""Which split is taken where a folder has several, the first that is there."""

NAMELESS = "model"
"""The name of a model whose files do not give one."""

# A dot between digits is part of a word: llava-1.5.
_BETWEEN = re.compile(r"[_\- ]+|(?<!\d)\.+|\.+(?!\d)")
_YEAR = re.compile(r"\d{4}$")
_VERSION = re.compile(r"v?[\d.]+")
_UNUSABLE = re.compile(r"\s*[^\w .+@=-]+\s*")


def model_names(outputs: Mapping[PurePath, str]) -> dict[PurePath, str]:
    """The models of outputs by their paths from the folder that is looked at; the values are what each is used as."""
    names: dict[PurePath, str] = {}
    for name_of in (_nearest, _folders, _everything):
        given = {path: name_of(path) for path in outputs if path not in names}
        used: dict[tuple[str, str], set[str]] = {}
        for path, name in given.items():
            used.setdefault((name, outputs[path]), set()).add(_everything(path))
        shared = {name for (name, _), paths in used.items() if len(paths) > 1}
        names |= {path: name for path, name in given.items() if name not in shared}
    return {path: _UNUSABLE.sub("-", name).strip(" .+@=-") or NAMELESS for path, name in names.items()}


def is_certain(path: PurePath, name: str) -> bool:
    """Whether the path names this model and nothing else that could be one."""
    return _everything(path) == name != NAMELESS


def named_as_data(path: PurePath) -> bool:
    """Whether a file's name is that of a dataset's part, not of a model's output: `guesswhat_val.jsonl`."""
    words = _words(_stem(path))
    return not _left(_stem(path)) and bool({*SPLITS, "guesswhat"} & set(map(_split, words)))


def called(path: PurePath, words: Mapping[str, Sequence[str]]) -> str | None:
    """Which of several uses a file's name says, or the nearest folder's; with its number where the word has one.

    words  by use; {} in a word stands for a number, which is added to the use: `robustness.noisy.3`
    """
    for name in (path.name, *reversed(path.parts[:-1])):
        for use, some in words.items():
            for word in some:
                if match := _word(word).search(name):
                    return f"{use}.{match[1]}" if "{}" in word else use
    return None


def has_word(name: str, word: str) -> bool:
    """Whether a name has a word, parted from other letters; {} in it stands for a number that may be there."""
    return _word(word.replace("{}", "")).search(name) is not None


@cache
def _word(word: str) -> re.Pattern[str]:
    """A word as it stands in a name, parted from other letters; with a number behind it where it has {}."""
    text = re.escape(word.replace("{}", ""))
    if "{}" in word:
        return re.compile(rf"(?i)(?<![a-z\d]){text}[_\-]?([1-9])(?!\d)")
    return re.compile(rf"(?i)(?<![a-z]){text}(?![a-z])")


def prefer(path: PurePath) -> tuple[int, str]:
    """Sorts files of one kind: the split to be examined on first, by the file's name or the nearest folder's."""
    for name in (_stem(path), *reversed(path.parts[:-1])):
        if splits := [SPLITS.index(split) for word in _words(name) if (split := _split(word)) in SPLITS]:
            return (min(splits), str(path))
    return (0, str(path))


def _nearest(path: PurePath) -> str:
    folders = path.parts[:-1]
    for folder in reversed(folders):
        if _left(folder):
            return folder
    # A model may be called by such a word, too: the folder below the one that holds all of them.
    return "-".join(_left(_stem(path))) or (folders[1] if len(folders) > 1 else NAMELESS)


def _folders(path: PurePath) -> str:
    """All folders whose names do not say what they contain."""
    return "-".join(folder for folder in path.parts[:-1] if _left(folder)) or _nearest(path)


def _everything(path: PurePath) -> str:
    """These, and what is left of the file's name."""
    folders = [folder for folder in path.parts[:-1] if _left(folder)]
    return "-".join((*folders, *_left(_stem(path)))) or _nearest(path)


@cache
def _content_words() -> tuple[frozenset[str], re.Pattern[str]]:
    """Words that say what a file contains, those of the exams among them; and those with a number behind them."""
    words = [
        word
        for exam in exams()
        for source in exam.session_inputs(of_model=True)
        for word in exam.hint(source.name).called
    ]
    numbered = "|".join(sorted((re.escape(word.replace("{}", "")) for word in words), key=len, reverse=True)) or "(?!)"
    plain = {exam.name for exam in exams()} | {word for word in words if "{}" not in word}
    return frozenset(_CONTENTS.split()) | plain, re.compile(rf"(?i)(?<![a-z\d])(?:{numbered})[_\-]?[1-9](?!\d)")


def _left(name: str) -> list[str]:
    """The words of a name that do not say what it contains: no version of a dataset, either."""
    contents, numbered = _content_words()
    words = _words(numbered.sub("", name))
    of_data = not DATASETS.isdisjoint(word.lower() for word in words)
    return [
        word
        for word in words
        if word.lower() not in contents
        and _split(word) not in SPLITS
        and not (of_data and _VERSION.fullmatch(word.lower()))
    ]


def _words(name: str) -> list[str]:
    return [word for word in _BETWEEN.split(name) if word]


def _split(word: str) -> str:
    """The word in small letters without a year: `val2014` → val."""
    return _YEAR.sub("", word.lower())


def _stem(path: PurePath) -> str:
    name = path.name.removesuffix(".gz")
    return PurePath(name).stem if PurePath(name).suffix.lower() in ENDINGS else name
