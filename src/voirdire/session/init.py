"""A config proposed from the files in a folder: each is recognised by its content, and placed by its kind and name.

Where a file goes follows from what the exams declare: the formats of their inputs, and the words by which names
distinguish inputs of one format. Files that do not go together (`matching`) are not put together. What is left out is
listed with its reason.
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
from voirdire.session.converting import Converted, convert_files
from voirdire.session.matching import (
    Matching,
    called,
    has_word,
    is_certain,
    model_names,
    named_as_data,
    prefer,
    read_together,
)
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
UNUSED = "no model's output here needs it"
NOT_ASKED = "no live model is asked from it"
BY_NAME = "its name does not say whether it is {}"
AS_DATA = "its name is that of a dataset's part, not of a model's output"
INCOMPLETE = "of no use without other files of its model"


@dataclass(frozen=True)
class Proposal:
    """A config's text, and notes about it."""

    text: str
    notes: tuple[str, ...]


def propose(folder: Path, place: Path, report: Progress = silent, converts: bool = True) -> Proposal:
    """The config for the files below `folder`, to be kept in the folder `place`.

    converts  whether files of other tools' layouts are converted on the way
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; name one that holds data files and models' outputs")
    listing = _Listing(folder, report, converts=converts)
    data = listing.data()
    count = len(listing.outputs)
    models = listing.models(data)
    if len(listing.outputs) < count:
        # What was about something else kept no file of the data from the others.
        data = listing.data()
        models = listing.models(data)
    pictures = listing.pictures.most_common(1)
    images = str(pictures[0][0]) if pictures else None
    config = Config(models, data, images=images, output=str(place / OUTPUT))
    notes = listing.converted()
    notes += [f"{name}: {', '.join(files)}" for name, files in models.items()]
    if not models:
        notes.append(f"no output of a model was found below {folder}; add models by hand")
    notes += listing.left_out()
    try:
        notes += [f"not run: {line}" for line in schedule(config, place / OUTPUT).passed_over]
    except UsageError as error:
        if models:
            notes.append(f"still to be set: {error}")
    if listing.unsure:
        notes.append(
            f"{counted(len(listing.unsure), 'guess', 'guesses')} to check; a comment in the config says of what"
        )
    return Proposal(config_text(config, place, listing.notes(), listing.unsure), tuple(notes))


def data_of(paths: Sequence[Path]) -> tuple[Files, str | None, list[str]]:
    """The data for a live model, from files and folders: by exam; the pictures; and notes about it."""
    missing = next((path for path in paths if not path.exists()), None)
    if missing is not None:
        raise UsageError(f"`data`: {missing} is not there")
    if len(paths) > 1:
        paths = [path.absolute() for path in paths]  # `commonpath` needs paths of one kind.
    folder = paths[0] if len(paths) == 1 and paths[0].is_dir() else Path(os.path.commonpath([p.parent for p in paths]))
    listing = _Listing(folder, sources=paths)
    listing.outputs.clear()
    data = listing.data(asked=True)
    pictures = listing.pictures.most_common(1)
    notes = [f"{name}.{key}: {', '.join(texts(value))}" for name, files in data.items() for key, value in files.items()]
    # Of a folder much may be of no use; only files that are named themselves, or are broken, are listed.
    notes += [
        f"left out: {path}: {listing.rest[path]}; {listing.why.get(path, NOT_ASKED)}"
        for path in listing.rest
        if path in paths or listing.why.get(path, "").startswith(FAULTY)
    ]
    return data, str(pictures[0][0]) if pictures else None, notes


@dataclass
class _Listing:
    """The files below a folder by their kind.

    sources  in place of the folder: files and folders below it
    converts whether files of other tools' layouts are converted

    outputs  what files of models are used as, by path: `answers.generations`, `robustness.noisy.3`
    rest     those that are not placed, and what they are
    why      of these, why
    unsure   keys of the config whose values are guesses, and why
    others   by exam and input: files that would do as well as the one that is taken, each for runs of its own
    """

    folder: Path
    report: Progress = silent
    sources: Sequence[Path] = ()
    converts: bool = False
    kinds: dict[Path, str] = field(default_factory=dict)
    outputs: dict[Path, str] = field(default_factory=dict)
    rest: dict[Path, str] = field(default_factory=dict)
    why: dict[Path, str] = field(default_factory=dict)
    unsure: dict[str, str] = field(default_factory=dict)
    pictures: Counter[Path] = field(default_factory=Counter)
    others: dict[tuple[str, str], list[Path]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        files, skipped, _, _ = find_files(self.sources or [self.folder])
        self.matching = Matching(self.folder, {})
        for done, path in enumerate(map(Path, files)):
            self.report(done, len(files))
            self._look(path)
        self.made = self._convert() if self.converts else []
        self.report(len(files), len(files))
        self.pictures.update(Path(path).parent for path in skipped if Path(path).suffix.lower() in PICTURES)
        self._name_outputs()

    def _convert(self) -> list[Converted]:
        """Convert what is of no known format, and look at what was made."""
        unknown = [path for path, why in self.why.items() if why == UNKNOWN]
        made = convert_files(self.folder, unknown, list(self.kinds.items())) if unknown else []
        for conversion in made:
            del self.rest[conversion.path], self.why[conversion.path]
            for path in conversion.made:
                self.rest.pop(path, None)
                self.why.pop(path, None)
                self._look(path)
        return made

    def converted(self) -> list[str]:
        """A line on each file that was converted."""
        called = self.matching.called
        return [
            f"converted: {called(made.path)} ({made.layout}) → {', '.join(map(called, made.made))}"
            for made in self.made
        ]

    def _look(self, path: Path) -> None:
        """Recognise a file; one that no exam would read is not read."""
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
        data: Files = {}
        for exam in exams():
            outputs = self._outputs_of(exam)
            if self.outputs and not outputs:
                continue
            inputs = exam.session_inputs(of_model=False, asked=asked)
            chosen = self._choose(exam, inputs, outputs)
            if chosen:
                data[exam.name] = {source.name: chosen[source.name] for source in inputs if source.name in chosen}
        return data

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
                    if hint.each and choice.others:
                        self.others[exam.name, name] = list(choice.others)
                    else:
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
        paths = []
        for path in self._free(*source.kinds):
            choice = self.matching.choose(hint.prefer, [path], outputs, data)
            self.why |= choice.left
            if choice.taken is not None and "train" not in path.name:
                self._place(path)
                paths.append(str(path))
        return tuple(paths)

    def _place(self, path: Path) -> None:
        self.rest.pop(path, None)
        self.why.pop(path, None)

    def _doubt(self, key: str, whose: str, alike: int) -> None:
        """Note where the first of some files was taken and others would do as well."""
        if alike > 1:
            self.unsure.setdefault(key, f"{whose}one of {alike} such files; the end has the others")

    def models(self, data: Files) -> dict[str, Files]:
        """The outputs by model; those that do not go with the data, or lack data, are left out."""
        self._drop_outputs(data)
        uses: dict[PurePath, str] = {path.relative_to(self.folder): use for path, use in self.outputs.items()}
        names = model_names(uses)
        placed: dict[str, dict[str, list[Path]]] = {}
        for path, use in uses.items():
            placed.setdefault(names[path], {}).setdefault(use, []).append(self.folder / path)
        models: dict[str, Files] = {}
        for name, by_use in sorted(placed.items()):
            files = _files({use: paths[0] for use, paths in by_use.items()})
            used = {path for paths in by_use.values() for path in paths if _contains(files, path)}
            for path in used:
                self._place(path)
            for path in {path for paths in by_use.values() for path in paths} - used:
                self.why[path] = INCOMPLETE
            for use, paths in by_use.items():
                for path in paths[1:]:
                    self.why[path] = f"{self.matching.called(paths[0])} is taken as the {use} of {name}"
                self._doubt(
                    f"models.{name}",
                    f"its {use} is ",
                    sum(self._order(path)[0] == self._order(paths[0])[0] for path in paths),
                )
            if not files:
                continue
            models[name] = files
            models |= self._by_others(name, files)
            if guessed := [path for path in uses if names[path] == name and not is_certain(path, name)]:
                self.unsure[f"models.{name}"] = f"a guess at its name, from {guessed[0]}"
        return models

    def _by_others(self, name: str, files: Files) -> dict[str, Files]:
        """The model by each further file of the data that its outputs go with."""
        further: dict[str, Files] = {}
        for (exam, key), paths in self.others.items():
            readers = [part for part in exam_named(exam).in_session() if key in {s.name for s in part.session_inputs()}]
            keys = {source.name for part in readers for source in part.inputs if source.of_model}
            own = {used: value for used, value in files.get(exam, {}).items() if used in keys}
            outputs = [Path(text) for value in own.values() for text in texts(value)]
            for path in paths if outputs else ():
                if not any(self.matching.fault(path, output) for output in outputs):
                    self._place(path)
                    further[f"{name}@{path.name.partition('.')[0]}"] = {exam: {**own, key: str(path)}}
        return further

    def _drop_outputs(self, data: Files) -> None:
        """Leave out outputs that are about other things than the data, or that lack their data."""
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
    """What a file is used as: `answers.generations`, `robustness.noisy.3`; None where its name does not tell."""
    words = {f"{exam.name}.{source.name}": exam.hint(source.name).called for exam, source in fits}
    return called(path, words) if any(words.values()) else next(iter(words))


def _unnamed_use(path: PurePath, fits: Sequence[tuple[Exam, Input]]) -> str | None:
    """What a file is used as whose name has none of the words that distinguish inputs."""
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
    wanted: Input | None = None
    for part in exam.in_session():
        inputs = part.session_inputs()
        if part.session is None or part.session.of_data or key not in {source.name for source in inputs}:
            continue
        needed = [source for source in inputs if source.needed and not source.of_model]
        lacks = [source for source in needed if placed.keys().isdisjoint(exam.sources_of(source))]
        if not lacks:
            return None
        wanted = wanted or lacks[0]
    return wanted


def _contains(files: Files, path: Path) -> bool:
    """Whether a file is among those of a model; a name with {} stands for several."""
    named = [text for _, value in leaves(files) for text in texts(value)]
    return any(str(path) == text or ("{}" in text and _numbered(text, path)) for text in named)


def _numbered(text: str, path: Path) -> bool:
    head, _, tail = text.partition("{}")
    name = str(path)
    return name.startswith(head) and name.endswith(tail) and name[len(head) : len(name) - len(tail)].isdigit()


def _files(used: Mapping[str, Path]) -> Files:
    """A model's files by exam and key; those that an exam cannot use without others are left."""
    usable_files: Files = {}
    for exam in exams():
        given: dict[str, Any] = {}
        for source in exam.session_inputs(of_model=True):
            use = f"{exam.name}.{source.name}"
            value = _series(used, use, source.numbered) if source.numbered else used.get(use)
            if value and exam.hint(source.name).instead_of not in given:
                given[source.name] = value if isinstance(value, tuple | str) else str(value)
        fitting = [part for part in exam.in_session() if part.session is not None and part.session.applies_to(given)]
        lacking = [
            [source for source in part.inputs if source.of_model and source.needed and source.name not in given]
            for part in fitting
        ]
        usable = [part for part, inputs in zip(fitting, lacking, strict=True) if not inputs]
        keys = {source.name for part in usable for source in part.inputs}
        if kept := {key: value for key, value in given.items() if key in keys}:
            usable_files[exam.name] = kept
    return usable_files


def _series(used: Mapping[str, Path], use: str, count: int) -> str | tuple[str, ...]:
    """The files with numbers that are there without a gap; a name with {} where all of them differ in it alone."""
    paths: list[str] = []
    for number in range(1, count + 1):
        if f"{use}.{number}" not in used:
            break
        paths.append(str(used[f"{use}.{number}"]))
    if len(paths) == count:
        head, first, tail = paths[0].rpartition("1")
        if first and [f"{head}{number}{tail}" for number in range(1, count + 1)] == paths:
            return f"{head}{{}}{tail}"
    return tuple(paths)
