"""Whose output a file is, by the names of its folders and its own.

    said/blind/partition1.json   → blind          blind_generations.json → blind
    outputs/v2/states.h5         → v2             results.json           → model

Words that say what a file holds are no names: the nearest folder that is called otherwise names the model, else what is
left of the file's name.
"""

import re
from pathlib import PurePath

__all__ = ["condition", "model_name", "named_as_data", "prefer"]

_HELD = """
answer answers answerer asked asking clean control data dialogue dialogues dialogs dev exam exams game games generated
generation generations guesswhat hidden log logs model models noise noisy output outputs partition partitions
predicted prediction predictions question questioner questions rank ranking rankings ranks result results
robustness run runs said score scorekeeping scores state states test train val valid validation visdial vqa
"""
WORDS = frozenset(_HELD.split())
SPLITS = ("val", "valid", "validation", "test", "dev", "train")
"""Which split is taken where a folder has several, the first that is there."""

_PARTS = re.compile(r"[_\-. ]+")
_NUMBERED = re.compile(r"(partition|noisy|noise|control|p)[_\-]?(\d)")


def _left(name: str) -> list[str]:
    """The words of a name that do not say what it holds."""
    words = [word for word in _PARTS.split(name) if word]
    return [word for word in words if word.lower() not in WORDS and not _NUMBERED.fullmatch(word.lower())]


def model_name(path: PurePath) -> str:
    """The model of an output, by its path from the folder that is looked at."""
    folders = path.parts[:-1]
    for folder in reversed(folders):
        if _left(folder):
            return folder
    stem = re.sub(r"(?i)(partition|noisy|control)[_\-]\d", "", path.name.split(".")[0])
    # A model may be called by such a word, too: the folder below the one that holds all of them.
    return "-".join(_left(stem)) or (folders[1] if len(folders) > 1 else "model")


def named_as_data(path: PurePath) -> bool:
    """Whether a file is called as a dataset's part is, and as nobody's output: `guesswhat_val.jsonl`."""
    stem = path.name.split(".")[0]
    return not _left(stem) and bool({*SPLITS, "guesswhat"} & {word.lower() for word in _PARTS.split(stem)})


def condition(path: PurePath) -> str | None:
    """Which questions VQA answers are to: `clean`, `1` to `7`, `control`; None where the name does not say."""
    name = path.name.lower()
    if "control" in name:
        return "control"
    if found := _NUMBERED.search(name):
        return found[2]
    return "clean" if "clean" in name else None


def prefer(path: PurePath) -> tuple[int, str]:
    """Sorts files of one kind: the split to be examined on first."""
    words = [word.lower() for word in _PARTS.split(path.name)]
    found = [SPLITS.index(word) for word in words if word in SPLITS]
    return (min(found, default=0), str(path))
