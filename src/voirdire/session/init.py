"""A config proposed from the files in a folder: each is recognised by its content, and placed by its kind and name.

Where a file goes follows from what the exams declare: the formats of their inputs, and the words by which a name tells
inputs of one format apart.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from voirdire.errors import InputError, UsageError
from voirdire.exam import Exam, Input, Part, exams
from voirdire.figures import counted
from voirdire.formats.catalogue import detect
from voirdire.formats.files import open_source
from voirdire.session.config import Config, leaves, texts
from voirdire.session.config_text import config_text
from voirdire.session.naming import called, model_names, named_as_data, prefer, surely
from voirdire.session.schedule import schedule
from voirdire.session.steps import note_of
from voirdire.validation import find_files

__all__ = ["Proposal", "propose"]

PICTURES = frozenset({".jpg", ".jpeg", ".png"})
OUTPUT = "results"

Files = dict[str, dict[str, Any]]
"""By exam and key."""


@dataclass(frozen=True)
class Proposal:
    """A config's text, and what to tell of it."""

    text: str
    told: tuple[str, ...]


def propose(folder: Path, place: Path) -> Proposal:
    """The config for the files below `folder`, to be kept in the folder `place`."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; name one that holds data files and models' outputs")
    found = _Found(folder)
    models = found.models()
    data = found.data(models)
    pictures = found.pictures.most_common(1)
    images = str(pictures[0][0]) if pictures else None
    config = Config(models, data, images=images, output=str(place / OUTPUT))
    told = [f"{name}: {', '.join(files)}" for name, files in models.items()]
    if not models:
        told.append(f"no output of a model was found below {folder}; add models by hand")
    if found.rest:
        told.append(f"{counted(len(found.rest), 'file')} not placed; the end of the config says which")
    try:
        schedule(config, place / OUTPUT)
    except UsageError as error:
        if models:
            told.append(f"still to be set: {error}")
    told += [f"still to be set: `{key}`: {help_.rstrip('.')}" for key, help_ in found.wanted(models, data)]
    if found.unsure:
        told.append(f"{counted(len(found.unsure), 'guess', 'guesses')} to check; a comment in the config says of what")
    return Proposal(config_text(config, place, found.notes(), found.unsure), tuple(told))


def _outputs(format_: str) -> list[tuple[Exam, Input]]:
    """The inputs that come from a model and may be of a format."""
    return [(exam, one) for exam in exams() for one in exam.session_inputs(of_model=True) if format_ in one.formats]


@dataclass
class _Found:
    """The files below a folder by their kind.

    rest    those that are not placed, and why
    unsure  keys of the config whose values are guesses, and why
    """

    folder: Path
    kinds: dict[Path, str] = field(default_factory=dict)
    rest: dict[Path, str] = field(default_factory=dict)
    unsure: dict[str, str] = field(default_factory=dict)
    pictures: Counter[Path] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        files, skipped, _, _ = find_files([self.folder])
        for path in map(Path, files):
            try:
                format_ = detect(open_source(path))
            except InputError as error:
                self.rest[path] = str(error.problems[0])
                continue
            self.rest[path] = f"{format_.title} ({format_.name})"
            if note_of(path).exists():
                self.rest[path] = f"{format_.title} that a session made"
                continue
            self.kinds[path] = format_.name
        self.pictures.update(Path(one).parent for one in skipped if Path(one).suffix.lower() in PICTURES)

    def of(self, *kinds: str) -> list[Path]:
        """The files of these kinds, those to be examined on first."""
        return sorted((path for path, kind in self.kinds.items() if kind in kinds), key=self._order)

    def _order(self, path: Path) -> tuple[int, str]:
        return prefer(path.relative_to(self.folder))

    def _doubt(self, key: str, whose: str, found: Sequence[Path]) -> None:
        """Remark where the first of these files was taken and others would do as well."""
        alike = sum(self._order(path)[0] == self._order(found[0])[0] for path in found)
        if alike > 1:
            self.unsure.setdefault(key, f"{whose}one of {alike} such files; the end has the others")

    def data(self, models: Mapping[str, Files]) -> Files:
        """What all models are examined on: of each input the first file that fits it; one file may serve two exams."""
        made: Files = {}
        taken: dict[str, Path] = {}
        for exam in exams():
            kinds = self._kinds(models, exam)
            placed: dict[str, Any] = {}
            inputs = exam.session_inputs(of_model=False)
            # What takes the place of another input is looked for after that one.
            for one in sorted(inputs, key=lambda one: bool(one.instead_of)):
                if (one.only_with and not kinds & set(one.only_with)) or one.instead_of in placed:
                    continue
                if (value := self._value(exam, one, taken)) is not None:
                    placed[one.at] = value
            if placed:
                made[exam.name] = {one.at: placed[one.at] for one in inputs if one.at in placed}
        return made

    def _kinds(self, models: Mapping[str, Files], exam: Exam) -> set[str]:
        """The formats of the models' files for an exam."""
        given = (
            path for files in models.values() for _, value in leaves(files.get(exam.name, {})) for path in texts(value)
        )
        return {self.kinds[Path(path)] for path in given if Path(path) in self.kinds}

    def _value(self, exam: Exam, one: Input, taken: dict[str, Path]) -> Any:
        # Files that are joined would have to be parts of one: which are, only their owner knows.
        if one.many and not one.joined:
            found = [path for path in self.of(*one.formats) if "train" not in path.name]
            for path in found:
                self.rest.pop(path, None)
            return tuple(map(str, found)) or None
        for format_ in (*one.formats, *one.specs):
            # A file that another exam takes may serve this one, too.
            fits = [path for path in self.of(format_) if path in self.rest or taken.get(format_) == path]
            if fits:
                path = taken.setdefault(format_, fits[0])
                if self.rest.pop(path, None) is not None:
                    self._doubt(f"data.{exam.name}.{one.at}", "", fits)
                return one.specs[format_].format(path) if format_ in one.specs else str(path)
        return None

    def models(self) -> dict[str, Files]:
        """The outputs by model; games that are named like a dataset's are no model's."""
        uses: dict[PurePath, str] = {}
        for path in self.of(*dict.fromkeys(self.kinds.values())):
            inside = path.relative_to(self.folder)
            if (use := _use(inside, _outputs(self.kinds[path]))) is not None:
                uses[inside] = use
        names = model_names(uses)
        placed: dict[str, dict[str, list[Path]]] = {}
        for one, use in uses.items():
            placed.setdefault(names[one], {}).setdefault(use, []).append(self.folder / one)
        made: dict[str, Files] = {}
        for name, by_use in sorted(placed.items()):
            files = _files({use: paths[0] for use, paths in by_use.items()})
            if not files:
                continue
            made[name] = files
            for _, value in leaves(files):
                for text in texts(value):
                    for path in [self.folder / one for one in uses] if "{}" in text else [Path(text)]:
                        if str(path) == text or _numbered(text, path):
                            self.rest.pop(path, None)
            if guessed := [one for one in uses if names[one] == name and not surely(one, name)]:
                self.unsure[f"models.{name}"] = f"a guess at its name, from {guessed[0]}"
            for use, paths in by_use.items():
                self._doubt(f"models.{name}", f"its {use} is ", paths)
        return made

    def wanted(self, models: Mapping[str, Files], data: Files) -> Iterator[tuple[str, str]]:
        """Keys that are not set, and that models' files of some formats cannot do without, with their help."""
        for exam in exams():
            kinds = self._kinds(models, exam)
            for one in exam.session_inputs(of_model=False):
                if kinds & set(one.wanted_by) and one.at not in data.get(exam.name, {}):
                    yield f"data.{exam.name}.{one.at}", one.help

    def notes(self) -> list[str]:
        """What is not placed, for the end of the config."""
        if not self.rest:
            return []
        lines = [f"{path.relative_to(self.folder)}: {what}" for path, what in self.rest.items()]
        return [f"Not placed, of the files in {self.folder.name or self.folder}:", *(f"  {line}" for line in lines)]


def _use(path: PurePath, fits: Sequence[tuple[Exam, Input]]) -> str | None:
    """What a file is used as: `answers.generations`, `robustness.noisy.3`; None where no name says it."""
    if not fits or (named_as_data(path) and any(_is_data(format_) for _, one in fits for format_ in one.formats)):
        return None
    if not any(one.called for _, one in fits):
        exam, one = fits[0]
        return f"{exam.name}.{one.at}"
    words = {f"{exam.name}.{one.at}": one.called for exam, one in fits}
    return called(path, words)


def _is_data(format_: str) -> bool:
    """Whether a format of models' files is also that of a dataset's."""
    return any(format_ in one.formats for exam in exams() for one in exam.session_inputs(of_model=False))


def _numbered(text: str, path: Path) -> bool:
    head, _, tail = text.partition("{}")
    name = str(path)
    return name.startswith(head) and name.endswith(tail) and name[len(head) : len(name) - len(tail)].isdigit()


def _files(used: Mapping[str, Path]) -> Files:
    """A model's files by exam and key; those that an exam cannot use without others are left."""
    made: Files = {}
    for exam in exams():
        inputs = {one.at: one for one in exam.session_inputs(of_model=True)}
        given: dict[str, Any] = {}
        for key, one in inputs.items():
            value = _series(used, f"{exam.name}.{key}", one) if one.numbered else used.get(f"{exam.name}.{key}")
            if value and one.instead_of not in given:
                given[key] = value if isinstance(value, tuple | str) else str(value)
        for part in exam.held():
            held = part.held
            if held is None or held.of_data or not any(key in given for key in held.given):
                continue
            if lacks := [one for one in part.inputs if one.of_model and one.needed and one.at not in given]:
                own = {one.at for one in part.inputs} - {
                    one.at for other in exam.held() if other is not part for one in other.inputs
                }
                given = {key: value for key, value in given.items() if key not in own or not lacks}
        if any(
            key in given
            for part in exam.held()
            if part.held is not None and not part.held.of_data
            for key in part.held.given
        ):
            made[exam.name] = given
    return made


def _usable(part: Part, given: Mapping[str, Any]) -> bool:
    """Whether a model's files are enough for a part."""
    held = part.held
    if held is None or held.of_data or not any(key in given for key in held.given):
        return False
    return all(one.at in given for one in part.inputs if one.of_model and one.needed)


def _series(used: Mapping[str, Path], use: str, one: Input) -> str | tuple[str, ...]:
    """The files with numbers that are there without a gap; a name with {} where all of them differ in it alone."""
    found: list[str] = []
    for number in range(1, one.numbered + 1):
        if f"{use}.{number}" not in used:
            break
        found.append(str(used[f"{use}.{number}"]))
    if len(found) == one.numbered:
        head, first, tail = found[0].rpartition("1")
        if first and [f"{head}{number}{tail}" for number in range(1, one.numbered + 1)] == found:
            return f"{head}{{}}{tail}"
    return tuple(found)
