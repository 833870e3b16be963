"""A config as a text that explains itself: values that are set, and as comments those that could be set."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml

from voirdire.errors import UsageError
from voirdire.escaping import one_line, visible
from voirdire.exam import Exam, Input, exams
from voirdire.options import About, limits
from voirdire.session.config import IMAGES, SHARED, SLICES, Config, Values, option_abouts

HEAD = """\
# A session of exams: voirdire exam --config THIS_FILE
# Paths are relative to the folder of this file. A line that begins with # is not read: take the # away to use it.
"""
SECTIONS = {
    "output": "Where runs, propositions and the report go.",
    "engine": "Where the work is done: here, processes:N, or on a cluster with ray:ADDRESS.",
    "data": "What all models are examined on.",
    "models": "The outputs of each model by exam; an exam that a model has no files for is skipped. "
    "A live model is asked for its files: `mine: {model: openai:NAME@URL, key: VARIABLE}`.",
    "options": "How each exam is run; the defaults are the papers'.",
}
IMAGES_HELP = "A folder or a zip of pictures, for live models and the report."
SLICES_HELP = "A table of your own labels of items, by which the report slices and filters."
_PLAIN = re.compile(r"[\w./][\w./+@ =-]*")


def config_text(
    config: Config, folder: Path, notes: Sequence[str] = (), remarks: Mapping[str, str] | None = None
) -> str:
    """The config with its paths from `folder`, in which it is to be kept.

    notes    stand at its end as comments
    remarks  stand behind the keys of which they are, by path: `models.blind`
    """
    writing = _Writing(folder, remarks or {})
    parts = {
        "output": [f"output: {writing.scalar(config.output, path=True)}" if config.output else "# output: results"],
        "engine": [f"engine: {writing.scalar(config.engine)}" if config.engine else "# engine: processes:4"],
        "data": ["data:", *writing.data(config)],
        "models": ["models:", *writing.models(config)],
        "options": ["options:", *writing.options(config)],
    }
    lines = [HEAD.rstrip()]
    for section, about in SECTIONS.items():
        lines += ["", f"# {about}", *parts[section]]
    if notes:
        lines += ["", *(f"# {one_line(line)}" if line else "#" for note in notes for line in note.splitlines())]
    return "\n".join(lines) + "\n"


class _Writing:
    """Values as YAML, paths from a folder."""

    def __init__(self, folder: Path, remarks: Mapping[str, str]) -> None:
        self.folder = folder.absolute()
        self.remarks = remarks
        self._commented: set[str] = set()

    def data(self, config: Config) -> Iterator[str]:
        shown = _shown(config)
        for exam in shown:
            if inputs := exam.session_inputs(of_model=False):
                yield f"  {exam.name}:"
                yield from self._files(exam, inputs, config.data.get(exam.name, {}), "data", "    ", offered=True)
        if unused := [exam.name for exam in exams() if exam not in shown]:
            yield f"  # {', '.join(unused)}: no model below has files for {'these' if len(unused) > 1 else 'it'}"
        for key, value, stands, help_ in (
            (IMAGES, config.images, "FOLDER", IMAGES_HELP),
            (SLICES, config.slices, "CSV", SLICES_HELP),
        ):
            shown_value = f"# {key}: {stands}" if value is None else f"{key}: {self.scalar(value, path=True)}"
            yield f"  {shown_value}  # {_sentence(help_)}"

    def models(self, config: Config) -> Iterator[str]:
        for name, files in config.models.items():
            remark = self.remarks.get(f"models.{name}")
            yield f"  {self.scalar(name)}:" + (f"  # {one_line(remark)}" if remark else "")
            for exam in exams():
                if given := files.get(exam.name):
                    yield f"    {exam.name}:"
                    inputs = [*exam.session_inputs(of_model=True), *exam.own_inputs()]
                    yield from self._files(exam, inputs, given, "models", "      ", offered=False)
        if not config.models:
            yield "  # mine:"
            for exam in exams():
                names = [source.name for source in exam.session_inputs(of_model=True)]
                keys = ", ".join(f"{name}: mine/{name}" for name in names)
                yield f"  #   {exam.name}: {{{keys}}}"

    def options(self, config: Config) -> Iterator[str]:
        for key, described in SHARED.items():
            value = config.shared.get(key)
            stands = f"# {key}: {'N' if key == 'limit' else 0}" if value is None else f"{key}: {value}"
            yield f"  {stands}  # {_sentence(described.help)}"
        for exam in _shown(config):
            given = config.options.get(exam.name, {})
            abouts = option_abouts(exam)
            if abouts:
                yield f"  {exam.name}:"
            for key, (_, default, described) in abouts.items():
                path, spec = f"options.{exam.name}.{key}", bool(described.provider)
                if key in given and given[key] != default:
                    yield from self._pair("    ", key, given[key], self._comment(path, ""), spec=spec)
                else:
                    yield f"    # {key}: {self.scalar(default)}{self._comment(path, _help(described))}"

    def _files(
        self, exam: Exam, inputs: Sequence[Input], given: Values, section: str, indent: str, offered: bool
    ) -> Iterator[str]:
        for source in inputs:
            comment, spec = self._comment(f"{section}.{exam.name}.{source.name}", source.help), source.is_provider
            if source.name in given:
                yield from self._pair(indent, source.name, given[source.name], comment, path=not spec, spec=spec)
            elif offered:
                yield f"{indent}# {source.name}: {'NAME:FILE' if spec else 'FILE'}{comment}"

    def _pair(
        self, indent: str, key: str, value: Any, comment: str, path: bool = False, spec: bool = False
    ) -> Iterator[str]:
        if isinstance(value, tuple):
            yield f"{indent}{key}:{comment}"
            yield from (f"{indent}  - {self.scalar(item, path, spec)}" for item in value)
        else:
            yield f"{indent}{key}: {self.scalar(value, path, spec)}{comment}"

    def _comment(self, path: str, help_: str) -> str:
        """What a key is for, the first time that it is there, and what is to be remarked of it."""
        words = [] if path in self._commented or not help_ else [_sentence(help_)]
        self._commented.add(path)
        words += [self.remarks[path]] if path in self.remarks else []
        return f"  # {one_line('; '.join(words))}" if words else ""

    def scalar(self, value: Any, path: bool = False, spec: bool = False) -> str:
        """One value in a line."""
        if isinstance(value, str) and (path or spec):
            value = self._from_folder(value, spec)
        if isinstance(value, str) and _PLAIN.fullmatch(value) and yaml.safe_load(value) == value:
            return value
        # YAML takes some characters for ends of lines, or for damage, that JSON takes as they are.
        try:
            return visible(msgspec.json.encode(value).decode())
        except UnicodeEncodeError:
            raise UsageError(f"{value}: a config cannot hold a name that is not UTF-8; rename the file") from None

    def _from_folder(self, value: str, spec: bool) -> str:
        name, colon, argument = value.partition(":") if spec else ("", "", value)
        if spec and not (colon and Path(argument).exists()):
            return value
        return f"{name}{colon}{os.path.relpath(argument, self.folder)}"


def _shown(config: Config) -> list[Exam]:
    """The exams of which anything is set; all, where there is no model yet."""
    used = {name for files in config.models.values() for name, given in files.items() if given}
    return [exam for exam in exams() if not used or exam.name in {*used, *config.data, *config.options}]


def _help(described: About) -> str:
    """What an option is for, and its limits."""
    return " ".join(filter(None, (described.help, limits(described))))


def _sentence(text: str) -> str:
    """A help's text as a comment: without its full stop."""
    return text.rstrip(".")
