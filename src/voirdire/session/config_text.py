"""A config as a text that explains itself: what is set stands there, what could be set stands there as a comment."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml

from voirdire.session.config import Config, ModelFiles
from voirdire.session.config_file import SPECS

__all__ = ["config_text"]

HEAD = """\
# A session of exams: voirdire exam --config THIS_FILE
# Paths are meant from the folder of this file. A line that begins with # is not read: take the # away to use it.
"""
SECTIONS = {
    "output": "Where runs, propositions and the report go.",
    "data": "What all models are examined on.",
    "models": "The outputs of each model by exam; an exam that a model has no files for is skipped.",
    "options": "How each exam is held; the defaults are the papers'.",
}
KEYS = {
    "data.answers.dialogues": "VisDial dialogues with candidate answers, for ranks",
    "data.answers.dense": "human relevance of the candidates, for NDCG and overlap",
    "data.answers.references": "sets of valid answers, for generations",
    "data.robustness.annotations": "ten people's answers a question",
    "data.robustness.questions": "the questions as they were asked, clean and noisy, to be shown in the report",
    "data.questions.oracle": "who answers for every object: table:FILE, model:FILE or scenes:FILE",
    "data.questions.coco": "COCO's instances, for games without lists of objects",
    "data.questions.originals": "or the original games, for the same",
    "data.scorekeeping.dialogues": "dialogues whose rounds become propositions",
    "data.scorekeeping.propositions": "or propositions that are made already",
    "options.answers.bounds": "what the valid answers themselves score, where a model gives answers",
    "options.answers.overlap": "how far `references` agree with people's sets, made of `dialogues` and `dense`",
    "data.images": "a folder of pictures, to be shown in the report",
    "models.answers.generations": "its answers, one or more a round",
    "models.answers.ranks": "its ranking of the candidates",
    "models.answers.scores": "or its scores of the candidates",
    "models.robustness.clean": "its answers to the questions as they are",
    "models.robustness.noisy": "its answers to partitions 1 to 7; {} stands for the number",
    "models.robustness.control": "its answers where random questions were added",
    "models.questions.games": "games that it played",
    "models.scorekeeping.states": "its states of the dialogues, turn by turn",
}
PLACES = {"data.images": "FOLDER", "data.questions.oracle": "NAME:FILE"}
"""What stands for a value that is not set, where that is no file."""

EXAMPLE = [
    "  # mine:",
    "  #   answers: {generations: mine/generations.json, ranks: mine/ranks.json}",
    '  #   robustness: {clean: mine/clean.json, noisy: "mine/partition{}.json", control: mine/control1.json}',
    "  #   questions: {games: mine/games.jsonl}",
    "  #   scorekeeping: {states: mine/states.h5}",
]
_PLAIN = re.compile(r"[\w./][\w./+@ =-]*")


def config_text(
    config: Config, folder: Path, notes: Sequence[str] = (), remarks: Mapping[str, str] | None = None
) -> str:
    """The config with its paths from `folder`, in which it is to be kept.

    notes    stand at its end as comments
    remarks  stand behind the keys of which they are, by path: `models.blind`
    """
    writing = _Writing(folder, remarks or {})
    lines = [HEAD.rstrip()]
    for section, says in SECTIONS.items():
        lines += ["", f"# {says}"]
        value = getattr(config, section)
        if section == "output":
            lines.append(f"output: {writing.scalar(value, path=True)}" if value else "# output: results")
        elif section == "models":
            lines += ["models:", *(line for name, one in value.items() for line in writing.model(name, one))]
            lines += [] if value else EXAMPLE
        else:
            lines += [f"{section}:", *writing.struct(value, section, 1)]
    if notes:
        lines += ["", *(f"# {line}" if line else "#" for note in notes for line in note.splitlines())]
    return "\n".join(lines) + "\n"


class _Writing:
    """Values as YAML, paths from a folder."""

    def __init__(self, folder: Path, remarks: Mapping[str, str]) -> None:
        self.folder = folder.absolute()
        self.remarks = remarks
        self._said: set[str] = set()

    def model(self, name: str, files: ModelFiles) -> list[str]:
        head = f"  {self.scalar(name)}:{self._says(f'models.{name}')}"
        return [head, *self.struct(files, "models", 2, offered=False)]

    def struct(self, part: msgspec.Struct, path: str, depth: int, offered: bool = True) -> list[str]:
        """The lines of a part; what is not set is offered as a comment."""
        lines = []
        usual = {one.name: one.default for one in msgspec.structs.fields(type(part))}
        for name in part.__struct_fields__:
            value, inside = getattr(part, name), f"{path}.{name}"
            indent = "  " * depth
            if isinstance(value, msgspec.Struct):
                lines += [f"{indent}{name}:", *self.struct(value, inside, depth + 1, offered)]
                continue
            as_path = not path.startswith("options")
            if value == usual[name]:
                if offered:
                    shown = PLACES.get(inside, "FILE") if as_path and not value else self.scalar(value)
                    lines.append(f"{indent}# {name}: {shown}{self._says(inside)}")
                continue
            says = self._says(inside)
            if isinstance(value, tuple):
                lines.append(f"{indent}{name}:{says}")
                lines += [f"{indent}  - {self.scalar(one, as_path, name in SPECS)}" for one in value]
            else:
                lines.append(f"{indent}{name}: {self.scalar(value, as_path, name in SPECS)}{says}")
        return lines

    def _says(self, path: str) -> str:
        """What a key is for, the first time that it is there, and what is to be remarked of it."""
        words = [table[path] for table in (KEYS, self.remarks) if path in table and path not in self._said]
        self._said.add(path)
        return f"  # {'; '.join(words)}" if words else ""

    def scalar(self, value: Any, path: bool = False, spec: bool = False) -> str:
        """One value in a line."""
        if isinstance(value, str) and (path or spec):
            value = self._from_folder(value, spec)
        if isinstance(value, str) and _PLAIN.fullmatch(value) and yaml.safe_load(value) == value:
            return value
        return msgspec.json.encode(value).decode()

    def _from_folder(self, value: str, spec: bool) -> str:
        name, colon, argument = value.partition(":") if spec else ("", "", value)
        if spec and not (colon and Path(argument).exists()):
            return value
        return f"{name}{colon}{os.path.relpath(argument, self.folder)}"
