"""A config proposed from the files in a folder: each is recognised by its content, and placed by its kind and name.

Where a file goes follows from what the exams declare: the formats of their inputs, and the words by which a name tells
inputs of one format apart. Files that do not go together (`belonging`) are not put together. What is left out is said
with its reason.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from voirdire.errors import EXAMPLES, InputError, UsageError
from voirdire.exam import Exam, Hint, Input, exam_named, exams
from voirdire.figures import counted
from voirdire.formats.catalogue import detect
from voirdire.formats.files import open_source
from voirdire.progress import Progress, silent
from voirdire.session.config import Config, leaves, texts
from voirdire.session.config_text import config_text
from voirdire.session.matching import Matching, read_together
from voirdire.session.model_names import called, has_word, model_names, named_as_data, prefer, surely
from voirdire.session.named_files import paths_of
from voirdire.session.schedule import schedule
from voirdire.session.steps import note_of
from voirdire.validation import examine, find_files

PICTURES = frozenset({".jpg", ".jpeg", ".png"})
OUTPUT = "results"

Files = dict[str, dict[str, Any]]
"""By exam and key."""

UNREAD = "no exam of a session reads such files"
UNKNOWN = "of no known format"
FAULTY = "it has faults"
UNUSED = "no model's output is here that it would be of use for"
NOT_ASKED = "nothing is asked from it"
BY_NAME = "its name does not say whether it is {}"
AS_DATA = "it is called as a part of a dataset is, and as nobody's output"
INCOMPLETE = "of no use without other files of its model"


@dataclass(frozen=True)
class Proposal:
    """A config's text, and what to tell of it."""

    text: str
    told: tuple[str, ...]


def propose(folder: Path, place: Path, report: Progress = silent) -> Proposal:
    """The config for the files below `folder`, to be kept in the folder `place`."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; name one that holds data files and models' outputs")
    found = _Found(folder, report)
    data = found.data()
    models = found.models(data)
    pictures = found.pictures.most_common(1)
    images = str(pictures[0][0]) if pictures else None
    config = Config(models, data, images=images, output=str(place / OUTPUT))
    told = [f"{name}: {', '.join(files)}" for name, files in models.items()]
    if not models:
        told.append(f"no output of a model was found below {folder}; add models by hand")
    told += found.left_out()
    try:
        told += [f"not run: {line}" for line in schedule(config, place / OUTPUT).passed_over]
    except UsageError as error:
        if models:
            told.append(f"still to be set: {error}")
    if found.unsure:
        told.append(f"{counted(len(found.unsure), 'guess', 'guesses')} to check; a comment in the config says of what")
    return Proposal(config_text(config, place, found.notes(), found.unsure), tuple(told))


def data_of(paths: Sequence[Path]) -> tuple[Files, str | None, list[str]]:
    """What a live model is asked about, from files and folders: the data by exam, pictures, and what to tell of it."""
    missing = next((path for path in paths if not path.exists()), None)
    if missing is not None:
        raise UsageError(f"`data`: {missing} is not there")
    if len(paths) > 1:
        paths = [path.absolute() for path in paths]  # What they have in common is asked of paths of one kind.
    folder = paths[0] if len(paths) == 1 and paths[0].is_dir() else Path(os.path.commonpath([p.parent for p in paths]))
    found = _Found(folder, sources=paths)
    found.outputs.clear()
    data = found.data(asked=True)
    pictures = found.pictures.most_common(1)
    told = [f"{name}.{key}: {', '.join(texts(value))}" for name, files in data.items() for key, value in files.items()]
    # Of a folder much may be of no use; of what is named itself that is said, and of what is broken.
    told += [
        f"left out: {path}: {found.rest[path]}; {found.why.get(path, NOT_ASKED)}"
        for path in found.rest
        if path in paths or found.why.get(path, "").startswith(FAULTY)
    ]
    return data, str(pictures[0][0]) if pictures else None, told


@dataclass
class _Found:
    """The files below a folder by their kind.

    sources  in place of the folder: files and folders below it

    outputs  what files of models are used as, by path: `answers.generations`, `robustness.noisy.3`
    rest     those that are not placed, and what they are
    why      of these, why
    unsure   keys of the config whose values are guesses, and why
    """

    folder: Path
    report: Progress = silent
    sources: Sequence[Path] = ()
    kinds: dict[Path, str] = field(default_factory=dict)
    outputs: dict[Path, str] = field(default_factory=dict)
    rest: dict[Path, str] = field(default_factory=dict)
    why: dict[Path, str] = field(default_factory=dict)
    unsure: dict[str, str] = field(default_factory=dict)
    pictures: Counter[Path] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        files, skipped, _, _ = find_files(self.sources or [self.folder])
        self.matching = Matching(self.folder, {})
        for done, path in enumerate(map(Path, files)):
            self.report(done, len(files))
            self._look(path)
        self.report(len(files), len(files))
        self.pictures.update(Path(one).parent for one in skipped if Path(one).suffix.lower() in PICTURES)
        self._name_outputs()

    def _look(self, path: Path) -> None:
        """What a file is; what no exam would read is not read."""
        try:
            format_ = detect(open_source(path))
        except InputError as error:
            self.rest[path], self.why[path] = str(error.problems[0]), UNKNOWN
            return
        self.rest[path] = f"{format_.title} ({format_.name})"
        if note_of(path).exists():
            self.rest[path], self.why[path] = f"{format_.title} that a session made", "a session made it"
        elif not (_outputs(format_.name) or _is_data(format_.name, asked=bool(self.sources))):
            self.why[path] = UNREAD
        elif (examined := examine(path)).fault is not None:
            self.why[path] = f"{FAULTY}: {examined.fault.lines[0]}"
        else:
            self.matching.examined[path] = examined
            self.kinds[path] = format_.name

    def of(self, *kinds: str) -> list[Path]:
        """The files of these kinds, those to be examined on first."""
        return sorted((path for path, kind in self.kinds.items() if kind in kinds), key=self._order)

    def _order(self, path: Path) -> tuple[int, str]:
        return prefer(path.relative_to(self.folder))

    def _name_outputs(self) -> None:
        """Which files are of models, and as what they are used."""
        unnamed: dict[Path, str] = {}
        for path in self.of(*dict.fromkeys(self.kinds.values())):
            inside, fits = path.relative_to(self.folder), _outputs(self.kinds[path])
            if not fits:
                continue
            if named_as_data(inside) and any(_is_data(format_) for _, source in fits for format_ in source.kinds):
                self.why[path] = AS_DATA
            elif (use := _use(inside, fits)) is not None:
                self.outputs[path] = use
            elif (use := _unnamed_use(inside, fits)) is not None:
                unnamed[path] = use
            else:
                self.why[path] = BY_NAME.format(" or ".join(source.name for _, source in fits))
        named = set(model_names({path.relative_to(self.folder): use for path, use in self.outputs.items()}).items())
        exams_of = {(name, self.outputs[self.folder / path].partition(".")[0]) for path, name in named}
        for path, use in unnamed.items():
            inside = path.relative_to(self.folder)
            name = model_names({inside: use})[inside]
            if (name, use.partition(".")[0]) in exams_of:
                fits = _outputs(self.kinds[path])
                self.why[path] = BY_NAME.format(" or ".join(source.name for _, source in fits))
            else:
                self.outputs[path] = use

    def _outputs_of(self, exam: Exam) -> dict[Path, str]:
        """The models' files for an exam, with their keys."""
        parts = {path: use.split(".") for path, use in self.outputs.items()}
        return {path: words[1] for path, words in parts.items() if words[0] == exam.name}

    def data(self, asked: bool = False) -> Files:
        """What all models are examined on, of the exams that a model has files for; one file may serve two exams.

        asked  also what live models are asked about
        """
        made: Files = {}
        for exam in exams():
            outputs = self._outputs_of(exam)
            if self.outputs and not outputs:
                continue
            inputs = exam.session_inputs(of_model=False, asked=asked)
            chosen = self._choose(exam, inputs, outputs)
            if chosen:
                made[exam.name] = {source.name: chosen[source.name] for source in inputs if source.name in chosen}
        return made

    def _choose(self, exam: Exam, inputs: Sequence[Input], outputs: Mapping[Path, str]) -> dict[str, Any]:
        kinds, together = {self.kinds[path] for path in outputs}, read_together(exam)
        of_models = {source.name for source in exam.session_inputs(of_model=True)}
        placed: dict[str, Any] = {}
        files: dict[str, Path] = {}
        # What takes the place of another input is looked for after that one.
        for source in sorted(inputs, key=lambda source: bool(exam.hint(source.name).instead_of)):
            name, hint = source.name, exam.hint(source.name)
            if (hint.only_with and not kinds & set(hint.only_with)) or hint.instead_of in placed:
                continue
            if source.together in of_models and source.together not in outputs.values():
                continue
            if _idle(exam, source, kinds, placed):
                continue
            beside = [path for path, key in outputs.items() if key in together[name] and self._concerns(hint, path)]
            others = [path for key, path in files.items() if key in together[name]]
            if source.many and not source.joined:
                if paths := self._all(source, hint, beside, others):
                    placed[name] = paths
                continue
            for format_ in source.kinds:
                choice = self.matching.choose(hint.prefer, self._free(format_), beside, others)
                self.why |= {path: why for path, why in choice.left.items() if path in self.rest}
                if choice.taken is not None:
                    path = files[name] = choice.taken
                    self._place(path)
                    self._doubt(f"data.{exam.name}.{name}", "", choice.alike)
                    placed[name] = f"{hint.providers[format_]}:{path}" if format_ in hint.providers else str(path)
                    break
        return placed

    def _concerns(self, hint: Hint, path: Path) -> bool:
        """Whether a file of the data is of use for a model's file of this kind."""
        return not hint.only_with or self.kinds[path] in hint.only_with

    def _free(self, *formats: str) -> list[Path]:
        """The files of these formats that are no model's."""
        return [path for path in self.of(*formats) if path not in self.outputs]

    def _all(self, source: Input, hint: Hint, outputs: Sequence[Path], data: Sequence[Path]) -> tuple[str, ...]:
        """Every file that goes with what is there."""
        found = []
        for path in self._free(*source.kinds):
            choice = self.matching.choose(hint.prefer, [path], outputs, data)
            self.why |= choice.left
            if choice.taken is not None and "train" not in path.name:
                self._place(path)
                found.append(str(path))
        return tuple(found)

    def _place(self, path: Path) -> None:
        self.rest.pop(path, None)
        self.why.pop(path, None)

    def _doubt(self, key: str, whose: str, alike: int) -> None:
        """Remark where the first of some files was taken and others would do as well."""
        if alike > 1:
            self.unsure.setdefault(key, f"{whose}one of {alike} such files; the end has the others")

    def models(self, data: Files) -> dict[str, Files]:
        """The outputs by model; those that do not go with the data, or lack data, are left out."""
        self._drop_outputs(data)
        uses: dict[PurePath, str] = {path.relative_to(self.folder): use for path, use in self.outputs.items()}
        names = model_names(uses)
        placed: dict[str, dict[str, list[Path]]] = {}
        for one, use in uses.items():
            placed.setdefault(names[one], {}).setdefault(use, []).append(self.folder / one)
        made: dict[str, Files] = {}
        for name, by_use in sorted(placed.items()):
            files = _files({use: paths[0] for use, paths in by_use.items()})
            used = {path for paths in by_use.values() for path in paths if _holds(files, path)}
            for path in used:
                self._place(path)
            for path in {path for paths in by_use.values() for path in paths} - used:
                self.why[path] = INCOMPLETE
            for use, paths in by_use.items():
                for path in paths[1:]:
                    self.why[path] = f"{self.matching.called(paths[0])} is taken as the {use} of {name}"
                self._doubt(f"models.{name}", f"its {use} is ", sum(map(self._alike(paths[0]), paths)))
            if not files:
                continue
            made[name] = files
            if guessed := [one for one in uses if names[one] == name and not surely(one, name)]:
                self.unsure[f"models.{name}"] = f"a guess at its name, from {guessed[0]}"
        return made

    def _alike(self, first: Path) -> Any:
        return lambda path: self._order(path)[0] == self._order(first)[0]

    def _drop_outputs(self, data: Files) -> None:
        """Leave outputs out that speak of other things than the data, or that lack what they are examined on."""
        lacking: dict[Path, str] = {}
        for path, use in list(self.outputs.items()):
            name, key = use.split(".")[:2]
            exam = exam_named(name)
            together, placed = read_together(exam)[key], data.get(name, {})
            names = [source.name for source in exam.session_inputs(of_model=False)]
            names = [name for name in names if name in placed and name in together]
            concerned = [name for name in names if self._concerns(exam.hint(name), path)]
            given = [text for name in concerned for text in texts(placed[name])]
            beside = [other for text in given for other in map(Path, (text, *paths_of(text)))]
            beside = [other for other in beside if other in self.matching.examined]
            if why := next(filter(None, (self.matching.fault(path, other) for other in beside)), ""):
                del self.outputs[path]
                self.why[path] = why
            elif wanted := _lacking(exam, key, placed):
                what = f"`data.{name}.{wanted.name}` ({wanted.help.rstrip('.')})"
                lacking[path] = f"it needs {what}, and no file here that goes with the rest is that"
        if len(lacking) < len(self.outputs):
            for path, why in lacking.items():
                del self.outputs[path]
                self.why[path] = why

    def left_out(self) -> Iterator[str]:
        """What is not placed, one line per reason."""
        files: dict[str, list[str]] = {}
        for path in self.rest:
            files.setdefault(self.why.get(path, UNUSED), []).append(self.matching.called(path))
        for why, names in files.items():
            more = f" and {len(names) - EXAMPLES:,} more" if len(names) > EXAMPLES else ""
            yield f"left out: {', '.join(names[:EXAMPLES])}{more}: {why}"

    def notes(self) -> list[str]:
        """What is not placed, for the end of the config."""
        if not self.rest:
            return []
        lines = [
            f"{self.matching.called(path)}: {what}; {self.why.get(path, UNUSED)}" for path, what in self.rest.items()
        ]
        return [f"Not placed, of the files in {self.folder.name or self.folder}:", *(f"  {line}" for line in lines)]


def _outputs(format_: str) -> list[tuple[Exam, Input]]:
    """The inputs that come from a model and may be of a format."""
    every = ((exam, source) for exam in exams() for source in exam.session_inputs(of_model=True))
    return [(exam, source) for exam, source in every if format_ in source.kinds]


def _is_data(format_: str, asked: bool = False) -> bool:
    """Whether a dataset's file may be of a format; `asked`, also one that live models are asked from."""
    return any(
        format_ in source.kinds for exam in exams() for source in exam.session_inputs(of_model=False, asked=asked)
    )


def _use(path: PurePath, fits: Sequence[tuple[Exam, Input]]) -> str | None:
    """What a file is used as: `answers.generations`, `robustness.noisy.3`; None where its name would have to say it."""
    words = {f"{exam.name}.{source.name}": exam.hint(source.name).called for exam, source in fits}
    return called(path, words) if any(words.values()) else next(iter(words))


def _unnamed_use(path: PurePath, fits: Sequence[tuple[Exam, Input]]) -> str | None:
    """What a file is used as whose name has none of the words that tell inputs apart."""
    hints = {f"{exam.name}.{source.name}": exam.hint(source.name) for exam, source in fits}
    words = [word for hint in hints.values() for word in hint.called]
    if any(has_word(part, word) for part in path.parts for word in words):
        return None
    return next((use for use, hint in hints.items() if hint.uncalled), None)


def _idle(exam: Exam, source: Input, kinds: set[str], placed: Mapping[str, Any]) -> bool:
    """Whether all parts that read an input are passed over for such outputs: they want another that is not there."""
    readers = [
        part.session for part in exam.in_session() if part.session is not None and source in part.session_inputs()
    ]
    wanted = [
        [name for name, formats in rules.wants.items() if kinds & set(formats.split()) and name != source.name]
        for rules in readers
    ]
    return bool(readers) and all(any(name not in placed for name in names) for names in wanted)


def _lacking(exam: Exam, key: str, placed: Mapping[str, Any]) -> Input | None:
    """An input of the data without which no part can be run that reads a model's file of this key."""
    found: Input | None = None
    for part in exam.in_session():
        inputs = part.session_inputs()
        if part.session is None or part.session.of_data or key not in {source.name for source in inputs}:
            continue
        needed = [source for source in inputs if source.needed and not source.of_model]
        lacks = [source for source in needed if placed.keys().isdisjoint(exam.sources_of(source))]
        if not lacks:
            return None
        found = found or lacks[0]
    return found


def _holds(files: Files, path: Path) -> bool:
    """Whether a file is among those of a model; a name with {} stands for several."""
    found = [text for _, value in leaves(files) for text in texts(value)]
    return any(str(path) == text or ("{}" in text and _numbered(text, path)) for text in found)


def _numbered(text: str, path: Path) -> bool:
    head, _, tail = text.partition("{}")
    name = str(path)
    return name.startswith(head) and name.endswith(tail) and name[len(head) : len(name) - len(tail)].isdigit()


def _files(used: Mapping[str, Path]) -> Files:
    """A model's files by exam and key; those that an exam cannot use without others are left."""
    made: Files = {}
    for exam in exams():
        given: dict[str, Any] = {}
        for source in exam.session_inputs(of_model=True):
            use = f"{exam.name}.{source.name}"
            value = _series(used, use, source.numbered) if source.numbered else used.get(use)
            if value and exam.hint(source.name).instead_of not in given:
                given[source.name] = value if isinstance(value, tuple | str) else str(value)
        fitting = [part for part in exam.in_session() if part.session is not None and part.session.applies_to(given)]
        lacking = [[source for source in part.inputs if _lacks(source, given)] for part in fitting]
        usable = [part for part, inputs in zip(fitting, lacking, strict=True) if not inputs]
        keys = {source.name for part in usable for source in part.inputs}
        if kept := {key: value for key, value in given.items() if key in keys}:
            made[exam.name] = kept
    return made


def _lacks(source: Input, given: Mapping[str, Any]) -> bool:
    return source.of_model and source.needed and source.name not in given


def _series(used: Mapping[str, Path], use: str, count: int) -> str | tuple[str, ...]:
    """The files with numbers that are there without a gap; a name with {} where all of them differ in it alone."""
    found: list[str] = []
    for number in range(1, count + 1):
        if f"{use}.{number}" not in used:
            break
        found.append(str(used[f"{use}.{number}"]))
    if len(found) == count:
        head, first, tail = found[0].rpartition("1")
        if first and [f"{head}{number}{tail}" for number in range(1, count + 1)] == found:
            return f"{head}{{}}{tail}"
    return tuple(found)
