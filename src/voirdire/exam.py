"""What an exam is: a question, the papers that ask it, and the parts in which it is put to a model.

An exam declares itself: each of our four packages has one `Exam` in its module `exam`, and other packages add theirs
through the entry-point group `voirdire.exams`. All that stands above the exams goes over this registry and knows none
of them by name: verbs and flags, the keys of a config, what `validate` and `list` say, comparisons, the report.

A declaration is light. What does the work is named by where it is, `package.module:name`, and loaded when it is used.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from voirdire._version import __version__
from voirdire.errors import InputError, Problem, UsageError, shorten, shorten_text
from voirdire.items import ItemSchema
from voirdire.options import OptionError, Options, about, option_fields, types_of
from voirdire.progress import UNSEEN, Stages
from voirdire.providers import entry_points

if TYPE_CHECKING:
    import polars as pl

    from voirdire.metrics.measure import Measure
    from voirdire.runs.estimate import Measures
    from voirdire.runs.run import Run
    from voirdire.runs.view import View

__all__ = [
    "GROUP",
    "Ask",
    "Differ",
    "Exam",
    "Held",
    "Input",
    "Made",
    "Outcome",
    "Output",
    "Part",
    "Study",
    "check_given",
    "check_providers",
    "exam_named",
    "exams",
    "exams_reading",
    "exams_told",
    "load",
    "measures_of",
    "options_of",
    "part_named",
    "part_of",
    "present",
    "read_input",
    "read_inputs",
    "read_run",
    "studied",
    "views_of",
]

OURS = ("answers", "robustness", "questions", "scorekeeping")
GROUP = "voirdire.exams"


@dataclass(frozen=True)
class Made:
    """How an input can be made where it is not given: by another part of the exam, from inputs that are given instead.

    part    the part that makes it
    inputs  its inputs, and the keys of the config that are given for them
    fixed   options of that part that a session sets
    """

    part: str
    inputs: Mapping[str, str]
    fixed: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Input:
    """Something that a part reads: a file, several, or a provider that may read files itself.

    name        the parameter of the part's function; the flag and the key of a config are called so, too
    help        one line for a reader
    formats     the names of the formats that will do, as `voirdire validate` says them
    read        what makes a record of a path; without it the text itself is handed over
    uses        options that the reading needs, too
    many        whether several may be given
    joined      of several: what makes one record of all, given the records and their names; without it there is a list
    numbered    how many files one name with {} in it stands for: with 1, 2, … in its place
    needed      whether the part cannot do without it
    beside      another input; this one is needed where that is given
    excludes    another input; only one of the two may be given
    of_model    whether it comes from the model on the stand, not from a dataset
    called      words by which a file's name tells this input from others of the same format; {} stands for a number
    uncalled    whether a file is this one whose name has none of the words of all these inputs
    prefer      of several files: words of the names of those that `init` takes before others
    specs       of a provider: what makes its name of a file, by format: {"scenes": "scenes:{}"}
    made        how a session makes it where it is not given
    context     whether a report finds in it what surrounds the items: in all such files, or, as the games of all models
                have the same objects, in the first that tells of them
    tells       of which formats a report does so, where not of all
    only_with   formats; `init` looks for it only where a model's file is of one of them
    instead_of  another key; `init` looks for it only where that is not found
    wanted_by   formats; where a model's file is of one of them, the part cannot do without it: a session passes the
                part over, and says so
    key, flag   what it is called in a config and on the command line, where that is not its name
    metavar     what stands for its value in a call
    positional  whether it stands in a call without a flag
    """

    name: str
    help: str
    formats: tuple[str, ...] = ()
    read: str = ""
    uses: tuple[str, ...] = ()
    many: bool = False
    joined: str = ""
    numbered: int = 0
    needed: bool = False
    beside: str = ""
    excludes: str = ""
    of_model: bool = False
    called: tuple[str, ...] = ()
    uncalled: bool = False
    prefer: tuple[str, ...] = ()
    specs: Mapping[str, str] = field(default_factory=dict)
    made: Made | None = None
    context: Literal["", "all", "first"] = ""
    tells: tuple[str, ...] = ()
    only_with: tuple[str, ...] = ()
    instead_of: str = ""
    wanted_by: tuple[str, ...] = ()
    key: str = ""
    flag: str = ""
    metavar: str = "FILE"
    positional: bool = False

    @property
    def at(self) -> str:
        """Its key in a config."""
        return self.key or self.name

    def files(self, given: str | Path | Sequence[str] | None) -> list[str]:
        """What is given for it, one by one; a name with {} stands for as many files as are numbered."""
        found = [] if given is None else [str(given)] if isinstance(given, str | Path) else list(given)
        every = range(1, self.numbered + 1)
        return [
            text.replace("{}", str(number)) if self.numbered else text
            for text in found
            for number in (every if self.numbered and "{}" in text else (1,))
        ]


@dataclass(frozen=True)
class Output:
    """A file that a part writes; `name` is the parameter of its function, `endings` those that its name may have."""

    help: str
    name: str = "output"
    endings: tuple[str, ...] = ()
    needed: bool = True
    folder: bool = False
    flag: str = ""
    metavar: str = "OUT"


@dataclass(frozen=True)
class Held:
    """How a session holds a part.

    given    keys of the model's files, one of which it must have; for a part that is of the data, any model
    unless   keys of the model's files; where one is given, another part says what this one would
    of_data  whose run it is where it is held once, for the data, and not for each model: "references"
    folder   the run's folder, where that is not named as exam and part
    switch   a key of the exam's options that turns it off
    needs    inputs without which a session does not hold it, beside those that it needs in any call
    without  inputs that a session does not know
    fixed    options that a session sets
    weight   how long it takes beside others: what takes long is begun first
    """

    given: tuple[str, ...]
    unless: tuple[str, ...] = ()
    of_data: str = ""
    folder: str = ""
    switch: str = ""
    needs: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    weight: int = 0

    def holds(self, given: Collection[str]) -> bool:
        """Whether a model with files under these keys is asked."""
        return (
            not self.of_data
            and any(key in given for key in self.given)
            and not any(key in given for key in self.unless)
        )


@dataclass(frozen=True)
class Differ:
    """That two runs may differ in a part of their signatures: `says` what then, with {} for both labels.

    kind     how the part must begin in both runs; empty where any two may differ
    unknown  what stands there where nobody knows it. Then runs may differ only where one of them has this value, and
             `says` is said wherever one has it, also where both do. The part may have parts of its own: those of
             `options.noise` are `options.noise.ranker` and so on
    """

    says: str = ""
    kind: str = ""
    unknown: str = ""


@dataclass(frozen=True)
class Ask:
    """How a part is put to a model that can be asked: what the model's files are made of.

    function  what does it: from the records of its inputs by name, `options` and `stand` (`voirdire.live.stand`); it
              writes its files to the stand's folder
    skills    what the model has to be able to do
    inputs    what is read of the data
    options   its options
    writes    the keys of the model's files, and the names that these then have; {} stands for a number. Of a provider's
              file, `table:FILE`; it is the model's own and goes before what the data has under this key
    written   what says, from the files that are given for its inputs by name and its options, which of these keys will
              be written; all where it is not given
    scored    options of the part for a session in which models are asked so, unless it is told otherwise
    """

    function: str
    skills: tuple[str, ...]
    inputs: tuple[Input, ...]
    options: type[Options]
    writes: Mapping[str, str]
    written: str = ""
    scored: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Study:
    """How people judge what a part scores: what they are shown, and what becomes of what they say.

    draw     what makes the tasks: from the records of its inputs by name, `options` and `pictured`, the images to draw
             from or None for all, to a list of `voirdire.study.design.StudyTask`
    inputs   what is read of the data
    options  its options, a `voirdire.study.design.StudyOptions`
    gather   what makes files of what was said: from a list of `voirdire.study.design.Judged` and the folder to write to
    writes   inputs of the part, and the names of the files that are then given for them
    texts    where its words for judges are, one file per language: `package:folder`
    """

    draw: str
    inputs: tuple[Input, ...]
    options: type[Options]
    gather: str
    writes: Mapping[str, str]
    texts: str


@dataclass(frozen=True)
class Outcome:
    """What a part that makes no run has to say: lines for a person, a value for a program; its run where it has one."""

    lines: tuple[str, ...] = ()
    value: Any = None
    warnings: tuple[str, ...] = ()
    run: "Run | None" = None


@dataclass(frozen=True)
class Part:
    """One thing that an exam does; on the command line it is a verb.

    name        of the verb
    help        one line for a reader; `detail` may say more
    function    what does it: from its inputs, `options` and `stages` to a `Run`, or to an `Outcome` where it is no run
    check       what refuses a call before anything is read, from the inputs and outputs that are given, by name, and
                the options: for what an `Input` does not say of itself
    inputs      what it reads
    options     its options
    outputs     what it writes, beside the run
    makes       a run, or something else, of which an `Outcome` tells
    json        whether an `Outcome` has a value for programs
    work        whether it keeps what is finished in a folder until all is, given as `work`
    engine      whether its work can be done by several processes, given as `engine`
    overwrite   whether it must be asked to put something in the place of what is there, given as `overwrite`
    views       what its figures are made of: from items and options to views; none where models are not compared
    measures    all measures that its runs may have, each once: a tuple, or a function that makes it
    items       the columns of its runs' items; without them a run's items are taken as they are
    tables      its runs as a text for a person, where the plain table is not enough
    differ      parts of a signature in which two runs may differ and still be compared: `data.coco`
    held        how a session holds it; None where it does not
    ask         how its model's files are made by asking a model; None where they only come as files
    study       how people judge what it scores; None where they do not
    """

    name: str
    help: str
    function: str
    inputs: tuple[Input, ...] = ()
    options: type[Options] = Options
    outputs: tuple[Output, ...] = ()
    makes: Literal["run", "outcome"] = "run"
    json: bool = True
    work: bool = False
    engine: bool = False
    overwrite: bool = False
    views: str = ""
    measures: str = ""
    items: ItemSchema | None = None
    tables: str = ""
    check: str = ""
    differ: Mapping[str, "Differ"] = field(default_factory=dict)
    held: Held | None = None
    ask: Ask | None = None
    study: Study | None = None
    detail: str = ""

    def input(self, name: str) -> Input:
        """One of its inputs."""
        return next(one for one in self.inputs if one.name == name)

    def held_inputs(self) -> tuple[Input, ...]:
        """The inputs that a session gives it."""
        held = self.held
        if held is None:
            return self.inputs
        return tuple(
            replace(one, needed=one.needed or one.name in held.needs)
            for one in self.inputs
            if one.name not in held.without
        )

    def carry_out(
        self,
        given: Mapping[str, Any],
        options: Options | None = None,
        stages: Stages = UNSEEN,
        outputs: Mapping[str, Any] | None = None,
    ) -> "Run | Outcome":
        """Read what is given, by the names of the inputs, and do it.

        outputs  the places to write to by name, and `engine`, `overwrite` and `work` where the part takes them
        """
        options = options or self.options()
        check_providers(options)
        function = load(self.function)
        check_given(self, given)
        if self.check:
            load(self.check)(present(**{**given, **(outputs or {})}), options)
        from voirdire.formats.files import reading_once

        with reading_once():
            read = read_inputs(self, given, options, stages)
            made: Run | Outcome = function(**read, options=options, stages=stages, **(outputs or {}))
        return made


@dataclass(frozen=True)
class Exam:
    """One examination.

    name      as it is called everywhere
    question  what it asks of a model
    papers    the keys of its works in the bibliography, that which it implements first
    parts     in the order of the verbs
    help      what its verbs are for, in one line
    section   what makes its section of a report: from models and context to a section; a plain one if not given
    method    how it is held, in one sentence without its subject's name, for the methods of a paper
    clusters  what is drawn as a whole for its intervals, in words
    data      inputs that no part reads and a session knows
    formats   formats that it has a use for beside those of its inputs
    bibliography  a BibTeX file of its own, as `package:file.bib`
    """

    name: str
    question: str
    papers: tuple[str, ...]
    parts: tuple[Part, ...]
    help: str
    section: str = ""
    method: str = ""
    clusters: str = "images"
    data: tuple[Input, ...] = ()
    formats: tuple[str, ...] = ()
    bibliography: str = ""

    @property
    def title(self) -> str:
        """Its name as a heading."""
        return self.name.capitalize()

    def part(self, name: str) -> Part:
        """One of its parts."""
        found = next((one for one in self.parts if one.name == name), None)
        if found is None:
            raise UsageError(f"{self.name} has no part {name!r}; it has {', '.join(one.name for one in self.parts)}")
        return found

    def run(
        self,
        part: str,
        options: Options,
        items: "pl.DataFrame",
        measures: "Measures",
        data: Mapping[str, str],
        *,
        outputs: Mapping[str, str] | None = None,
        changing: Mapping[str, Any] | None = None,
        encoder: str | None = None,
        warnings: Iterable[str] = (),
        **more: Any,
    ) -> "Run":
        """A run of one of its parts.

        data      the files that the model was examined on, for the signature: role to SHA-256
        outputs   what else was read, the model's own files
        changing  what changes figures beside data, encoder and seed
        more      other fields of a run
        """
        from voirdire.runs.run import Run
        from voirdire.runs.signature import Signature

        seed = getattr(options, "seed", None)
        signature = Signature(__version__, data, encoder=encoder, seed=seed, options=changing or {})
        read = {**data, **(outputs or {})}
        return Run(
            self.name, options.plain(), items, measures, signature, read, warnings=tuple(warnings), part=part, **more
        )

    def held(self) -> list[Part]:
        """The parts that a session holds."""
        return [one for one in self.parts if one.held is not None]

    def inputs(self) -> Iterator[Input]:
        """All inputs of its parts, and those that no part reads; each key of a config once."""
        seen: set[str] = set()
        for one in (*(one for part in self.parts for one in part.inputs), *self.data):
            if one.at not in seen:
                seen.add(one.at)
                yield one

    def session_inputs(self, of_model: bool, asked: bool = False) -> list[Input]:
        """The inputs that a session knows, of the model or of the data, each key once; `asked`, also what models are
        asked from."""
        found: dict[str, Input] = {}
        read = [*(one for part in self.held() for one in part.held_inputs()), *self.data]
        if asked:
            read += [one for part in self.held() if part.ask is not None for one in part.ask.inputs]
        for one in read:
            for name, key in one.made.inputs.items() if one.made else ():
                maker = self.part(one.made.part).input(name) if one.made else one
                # What it is made of is of use only where it is.
                found.setdefault(key, replace(maker, name=key, key=key, needed=False, beside=one.beside))
            found.setdefault(one.at, one)
        return [one for one in found.values() if one.of_model == of_model]


@cache
def load(place: str) -> Any:
    """What stands at `package.module:name`."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@cache
def exams() -> tuple[Exam, ...]:
    """All exams: our four in their order, then those of other packages by name."""
    return (*map(_ours, OURS), *_others().values())


def exams_told(what: Literal["help", "question"]) -> dict[str, str]:
    """What is said of each exam, by name and in their order; the declarations of ours are not loaded for it."""
    told = {name: load(f"voirdire.{name}:{what.upper()}") for name in OURS}
    return told | {name: getattr(one, what) for name, one in _others().items()}


def exam_named(name: str) -> Exam:
    """The exam of this name."""
    others = _others()
    if name not in (*OURS, *others):
        raise UsageError(f"there is no exam {name!r}; there are: {', '.join((*OURS, *others))}")
    return others[name] if name in others else _ours(name)


def _ours(name: str) -> Exam:
    exam: Exam = load(f"voirdire.{name}.exam:EXAM")
    return exam


@cache
def _others() -> dict[str, Exam]:
    found: dict[str, Exam] = {}
    for point in sorted(entry_points(GROUP), key=lambda point: point.name):
        one: Exam = point.load()
        if one.name in (*OURS, *found):
            raise UsageError(f"two exams are called {one.name!r}; uninstall one of the packages that bring them")
        found[one.name] = one
    return found


def studied(name: str) -> tuple[Exam, Part]:
    """The exam of this name and the part of it that people can judge."""
    exam = exam_named(name)
    part = next((one for one in exam.parts if one.study is not None), None)
    if part is None:
        known = ", ".join(one.name for one in exams() if any(part.study for part in one.parts))
        raise UsageError(f"{exam.name} has no part that people judge; these exams have one: {known}")
    return exam, part


def part_named(title: str) -> Part:
    """The part that is called so on the command line: `answers score`."""
    exam, _, part = title.partition(" ")
    return exam_named(exam).part(part)


def part_of(run: "Run") -> Part:
    """The part that a run is of."""
    return exam_named(run.exam).part(run.part)


def measures_of(run: "Run") -> "dict[str, Measure]":
    """What is to be said of a run's measures, by their names without k, slice, condition and variant."""
    return _measures(part_of(run))


@cache
def _declared(place: str) -> "tuple[Measure, ...]":
    found: Any = load(place)
    made: tuple[Measure, ...] = tuple(found() if callable(found) else found)
    return made


def _measures(part: Part) -> "dict[str, Measure]":
    return {one.key.measure: one for one in _declared(part.measures)} if part.measures else {}


def views_of(run: "Run") -> "tuple[View, ...]":
    """What the run's figures were made of; a part that says nothing of one model against another is refused."""
    part = part_of(run)
    if not part.views:
        others = ", ".join(f"{exam.name} {one.name}" for exam in exams() for one in exam.parts if one.views)
        raise UsageError(f"`{run.title}` has no figures by which models are compared; these parts have: {others}")
    make: Callable[..., tuple[View, ...]] = load(part.views)
    return make(run.items, options_of(run))


def options_of(run: "Run") -> Any:
    """The options of a run as they were given to its part."""
    kind = part_of(run).options
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in run.options.items()}
    try:
        return kind(**given)
    except TypeError:
        raise UsageError(
            f"a run of `{run.title}` with options that this version does not have ({', '.join(run.options)}); hold the "
            "exam again"
        ) from None


def read_run(folder: str | Path) -> "Run":
    """Read a run, or say what is wrong with it, also by what its part declares of its options and its items."""
    from voirdire.runs.store import ITEMS, RUN
    from voirdire.runs.store import read_run as read

    run = read(folder)
    # The package that a run's exam comes with need not be here.
    exam = next((one for one in exams() if one.name == run.exam), None)
    part = next((one for one in exam.parts if one.name == run.part), None) if exam else None
    if part is not None:
        _refuse(Path(folder) / RUN, _option_faults(part, run))
        columns = part.items.faults(run.items.schema, run.measures) if part.items is not None else ()
        _refuse(Path(folder) / ITEMS, columns)
    return run


def _refuse(path: Path, faults: Iterable[tuple[str, str, str]]) -> None:
    again = "Hold the exam again."
    found = [Problem("", shorten_text(field), there, expected, again) for field, there, expected in faults]
    if found:
        raise InputError(str(path), found)


def _option_faults(part: Part, run: "Run") -> Iterator[tuple[str, str, str]]:
    """What of a run's options the part does not know, or does not allow: entry, found, expected."""
    import msgspec

    types, wrong = types_of(part.options), False
    for name, value in run.options.items():
        fault = f"no such option; there are {', '.join(types) or 'none'}"
        if name in types:
            try:
                msgspec.convert(value, types[name])
                continue
            except msgspec.ValidationError as error:
                fault = f"what the part takes: {error}"
        wrong = True
        yield f"options.{name}", shorten(value), fault
    if not wrong:
        try:
            options_of(run)
        except OptionError as error:
            yield f"options.{error.field}", shorten(run.options.get(error.field)), f"what the part takes: {error}"


def check_providers(options: Options) -> None:
    """Refuse names that no provider has, before anything is read."""
    for one in option_fields(type(options)):
        value = getattr(options, one.name)
        if about(one).provider and value != one.default:
            for spec in value if isinstance(value, tuple) else (value,):
                try:
                    load(about(one).provider).check(spec)
                except UsageError as error:
                    raise UsageError(f"`{one.name}`: {error}") from None


def present(**given: Any) -> dict[str, Any]:
    """What is there of what may be given."""
    return {name: value for name, value in given.items() if value is not None and not _is_empty(value)}


def _is_empty(value: Any) -> bool:
    return isinstance(value, str | list | tuple) and not value


def exams_reading(format_: str) -> list[str]:
    """The names of the exams that a format can serve."""
    return [
        one.name
        for one in exams()
        if format_ in one.formats or any(format_ in (*given.formats, *given.specs) for given in one.inputs())
    ]


def read_inputs(
    part: Part | Ask | Study, given: Mapping[str, Any], options: Options, stages: Stages = UNSEEN
) -> dict[str, Any]:
    """The records of a part's inputs by name; None, or an empty list, where an input is not given."""
    total = sum(len(one.files(given.get(one.name))) for one in part.inputs if one.read)
    progress, numbers = stages("read", "files"), count()
    read: dict[str, Any] = {}
    for one in part.inputs:
        read[one.name] = read_input(one, given.get(one.name), options, lambda: progress(next(numbers), total))
    if total:
        progress(total, total)
    return read


def read_input(one: Input, given: Any, options: Options, begin: Callable[[], None] = lambda: None) -> Any:
    """The record of what is given for an input, or several; None, or an empty list, where nothing is."""
    from voirdire.formats.files import once

    uses = {name: getattr(options, name) for name in one.uses}
    files = one.files(given)
    found: list[Any] = list(files)
    if one.read:
        found.clear()
        for file in files:
            begin()
            found.append(once(load(one.read))(file, **uses))
    if one.joined and len(found) > 1:
        found = [load(one.joined)(found, files)]
    return found if one.many and not one.joined else found[0] if found else None


def check_given(part: Part | Study, given: Mapping[str, Any]) -> None:
    """Refuse a call that lacks what the part cannot do without, or has more of it than it takes."""
    there = {one.name: len(found) for one in part.inputs if (found := one.files(given.get(one.name)))}
    for one in part.inputs:
        if there.get(one.name, 0) > 1 and not one.many:
            raise UsageError(f"`{one.name}` must be given once, got {there[one.name]}")
        if not all(one.files(given.get(one.name))):
            raise UsageError(f"`{one.name}` must name something, got an empty name")
        if one.name not in there and (one.needed or one.beside in there):
            why = f"`{one.beside}` needs `{one.name}` beside it" if one.beside else f"`{one.name}` must be given"
            raise UsageError(f"{why}: {one.help.rstrip('.')}")
        if one.name in there and one.excludes in there:
            raise UsageError(f"give either `{one.excludes}` or `{one.name}`")
