"""The model whose output a file is, by the names of its folders and its own.

    said/blind/partition1.json   → blind          blind_generations.json → blind
    outputs/v2/states.h5         → v2             results.json           → model

Words that say what a file contains are no names: the nearest folder with another name is the model's, else what is
left of the file's name. Where two files of one kind would be the same model's so, all such folders name them, and the
file's name, too, where these are not enough: `mcan/step100/answers.json` → mcan-step100.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import PurePath

from voirdire.exam import exams
from voirdire.validation import ENDINGS

_CONTENTS = """
answer answerer asked asking clean coco control data dense dialogs dialogue dialogues eval evaluation exam exams game
games generated generation generations guesswhat hidden inference log logs model models mscoco noise noisy openended
output outputs partition partitions pred predicted prediction predictions preds question questioner rank ranking
rankings ranks references refs result results run runs said score scores state states submission submissions visdial
vqa
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
    return {path: _usable(name) for path, name in names.items()}


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


def _usable(name: str) -> str:
    """The name as a config may have it."""
    return _UNUSABLE.sub("-", name).strip(" .+@=-") or NAMELESS
