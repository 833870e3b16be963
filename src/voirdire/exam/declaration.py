"""The declaration of an exam: its parts, and for each its inputs, options and measures, and how a session runs it.

A declaration is light. Functions are named by their place, `package.module:name`, and loaded when they are used; the
function itself may stand there, too. Verbs and flags, the keys of a config, the output of `validate` and `list`,
comparisons and the report all follow from it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from voirdire._version import __version__
from voirdire.errors import UsageError
from voirdire.items import ItemSchema
from voirdire.options import Options

if TYPE_CHECKING:
    import polars as pl

    from voirdire.metrics.measure import Measure
    from voirdire.runs.estimate import Measures
    from voirdire.runs.run import Run

PATH = "path"
"""The reader of an input that gets the path itself."""
Skill: TypeAlias = Literal["answer", "rank", "ask", "guess", "point", "judge", "states"]
"""The tasks that a model can do; `live.model` says what each is."""
SKILLS: tuple[Skill, ...] = get_args(Skill)

Place: TypeAlias = str | Callable[..., Any] | tuple[Any, ...]
"""Where something is, `package.module:name`, or the thing itself: a function, or a tuple of measures."""


def load(place: Place) -> Any:
    """The object at `package.module:name`; anything but a text is returned as it is."""
    return _load(place) if isinstance(place, str) else place


@cache
def _load(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True)
class Input:
    """Something that a part reads: a file, several, or a provider that may read files itself.

    name      the parameter of the part's function, the flag and the key of a config
    help      one line for a reader
    formats   the names of its formats, as in `voirdire validate`, separated by blanks
    read      how it is read, where not as the first of its formats is: what makes a record of a path; `path` for the
              path itself; or a registry of providers (`…:ORACLES`, in capitals), for a name such as `table:FILE`. A
              reader gets those options of the part that it has a parameter for
    many      whether several may be given; a number N says that a name with {} in it stands for N files, 1 to N
    needed    whether it is required
    of_model  whether it comes from the model, not from a dataset
    either    another input; only one of the two may be given
    together  another input; each of the two needs the other
    flag      its form in a call where not `--name FILE`: `--with`, `--run RUN`, or `RUN` for an argument without a
              flag
    """

    name: str
    help: str
    formats: str = ""
    read: str = ""
    many: bool | int = False
    needed: bool = False
    of_model: bool = False
    either: str = ""
    together: str = ""
    flag: str = ""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of its formats."""
        return tuple(self.formats.split())

    @property
    def is_provider(self) -> bool:
        """Whether it is the name of a provider, which may have a file behind the colon."""
        return self.read.rpartition(":")[2].isupper()

    @property
    def is_read(self) -> bool:
        """Whether a record is read from it; else the function gets the text itself."""
        return not self.is_provider and self.read != PATH and bool(self.read or self.formats)

    @property
    def numbered(self) -> int:
        """How many files a name with {} in it stands for; 0 where {} means nothing."""
        return 0 if isinstance(self.many, bool) else self.many

    @property
    def joined(self) -> bool:
        """Whether several files are joined to one record, as formats of rounds are."""
        from voirdire.formats.joining import JOINS

        return bool(self.many) and self.is_read and self.kinds[:1] != () and self.kinds[0] in JOINS

    @property
    def flag_name(self) -> str:
        """Its flag; empty where it is an argument without one."""
        first = self.flag.partition(" ")[0]
        return first if first.startswith("--") else "" if first else f"--{self.name.replace('_', '-')}"

    @property
    def metavar(self) -> str:
        """The placeholder of its value in help texts."""
        return self.flag.removeprefix(self.flag_name).strip() or "FILE"

    def files(self, given: Any) -> list[str]:
        """The files that are given for it; a name with {} stands for as many files as are numbered."""
        texts = [] if given is None else [given] if isinstance(given, str | Path) else given
        numbers = range(1, self.numbered + 1)
        return [
            text.replace("{}", str(number)) if self.numbered else text
            for text in map(str, texts)
            for number in (numbers if self.numbered and "{}" in text else (1,))
        ]


@dataclass(frozen=True)
class Output:
    """A file that a part writes; `name` is the parameter of its function, `endings` those that its name may have."""

    help: str
    name: str = "output"
    endings: tuple[str, ...] = ()
    needed: bool = True
    folder: bool = False
    metavar: str = "OUT"


@dataclass(frozen=True)
class InSession:
    """How a session runs a part; all names are those of inputs.

    given    inputs of the model, one of which it must have; for a part that is of the data, any model
    unless   inputs of the model; where one is given, another part makes the same figures
    of_data  the owner of the run where it is made once, for the data, and not for each model: "references". An option
             of the exam with the part's name turns it off
    folder   the run's folder, where its name is not exam and part
    needs    inputs without which a session skips it, beside those that it needs in any call
    wants    inputs that it needs where the model's file is of one of these formats, separated by blanks
    without  inputs that do not exist in a session
    fixed    options that a session sets
    weight   how long it takes beside others: long ones begin first
    """

    given: tuple[str, ...]
    unless: tuple[str, ...] = ()
    of_data: str = ""
    folder: str = ""
    needs: tuple[str, ...] = ()
    wants: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    weight: int = 0

    def applies_to(self, given: Collection[str]) -> bool:
        """Whether it is run for a model with files for these inputs."""
        return (
            not self.of_data
            and any(name in given for name in self.given)
            and not any(name in given for name in self.unless)
        )


@dataclass(frozen=True)
class Made:
    """How a session makes an input that is not given: by another part of the exam, from other inputs.

    part    the part that makes it
    inputs  its inputs, and the keys of the config that are given for them
    fixed   options of that part that a session sets
    """

    part: str
    inputs: Mapping[str, str]
    fixed: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Hint:
    """How `init` guesses which file is an input.

    called      words in a file's name that distinguish this input from others of its format; {} is a number
    uncalled    whether it is this input where a file's name has none of the words of all these inputs
    prefer      of several files: words of the names of those that are taken before others
    only_with   formats; it is looked for only where a model's file is of one of these formats
    instead_of  another input; it is looked for only where that is not found
    each        whether of several files each makes runs of its own: the first for all models, each further one for a
                model called as model and file, whose files name it: `blip2@refs_S`
    providers   for an input that is a provider: which provider reads a file of a format: {"scenes": "scenes"}
    """

    called: tuple[str, ...] = ()
    uncalled: bool = False
    prefer: tuple[str, ...] = ()
    only_with: tuple[str, ...] = ()
    instead_of: str = ""
    each: bool = False
    providers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Differ:
    """Allows two runs to differ in a part of their signatures; `note` says what that means, with {} for both labels.

    kind     how the part must begin in both runs; empty where any two may differ
    unknown  its value where it is not known. Then runs may differ only where one of them has this value, and
             `note` is given wherever one has it, also where both do. The part may have parts of its own: those of
             `options.noise` are `options.noise.ranker` and so on
    """

    note: str = ""
    kind: str = ""
    unknown: str = ""


@dataclass(frozen=True)
class Ask:
    """How a live model is asked for the files of a part.

    function  asks: from the records of its inputs by name, `options` and `interview`
              (`voirdire.live.interview`); it writes its files to the interview's folder
    skills    the skills that the model needs
    inputs    its inputs, of the data
    options   its options
    writes    the inputs of the model that it makes, and the names of the files; {} stands for a number. Of a provider's
              file, `table:FILE`; it is the model's own and goes before what the data has under this key
    written   a function from the files of its inputs by name and its options to what will be written: keys of `writes`,
              each with the names of its files, separated by blanks; as `writes` says where it is not given
    scored    options of the part for a session with live models, unless the config sets them
    """

    function: Place
    skills: tuple[str, ...]
    inputs: tuple[Input, ...]
    options: type[Options]
    writes: Mapping[str, str]
    written: Place = ""
    scored: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Study:
    """How people judge what a part scores: their tasks, and the files made of their judgements.

    function  draws the tasks: from the records of its inputs by name, `options` and `pictured`, the images to draw
              from or None for all, to a list of `voirdire.study.design.StudyTask`
    inputs    its inputs, of the data
    options   its options, a `voirdire.study.design.StudyOptions`
    gather    makes files of the judgements: from a list of `voirdire.study.design.Judged` and the folder to write to
    writes    inputs of the part, and the names of the files that are then given for them
    texts     the folder of its words for judges, one file per language: `package:folder`
    """

    function: Place
    inputs: tuple[Input, ...]
    options: type[Options]
    gather: Place
    writes: Mapping[str, str]
    texts: str


@dataclass(frozen=True)
class ShortAnswers:
    """What leads where models answer in sentences: the figures by the short answers inside, with the official beside.

    key    a function from the key of a figure to that of the same by short answers, or to the same key
    share  the measure that is the share of a model's answers that are sentences; it may have conditions
    usual  the measure that is this share among the right answers; empty where these are short
    least  how much larger than usual a model's share must be for its answers to count as sentences
    """

    key: Place
    share: str
    usual: str = ""
    least: float = 0.05


@dataclass(frozen=True)
class Outcome:
    """The result of a part that makes no run: lines for a person, a value for a program; its run where it has one."""

    lines: tuple[str, ...] = ()
    value: Any = None
    warnings: tuple[str, ...] = ()
    run: "Run | None" = None


@dataclass(frozen=True)
class Part:
    """One thing that an exam does; on the command line it is a verb.

    name      of the verb
    help      one line for a reader; after an empty line there may be more
    function  from its inputs, `options` and `stages` to a `Run`, or to an `Outcome` where it is no run
    inputs    its inputs
    options   its options
    outputs   the files that it writes, beside the run
    makes     a run; or an `Outcome`, with a value for programs or with lines alone
    takes     further parameters of its function, separated by blanks: `engine`, which maps its work; `overwrite`,
              whether to replace existing files; `work`, a folder that keeps finished work until all is done
    views     a function from items and options to the views of its figures; none where models are not compared
    measures  all measures that its runs may have, each once: a tuple, or a function that makes it
    items     the columns of its runs' items; without them a run's items are taken as they are
    short_answers  what leads where models answer in sentences; None where no figure depends on how answers are worded
    caveats   a function from a run to its figures that cannot rank models, by key, each with the reason
    tables    its runs as a text for a person, where the plain table is not enough
    check     refuses a call before anything is read, from the given inputs and outputs by name, and the options: for
              rules that an `Input` cannot state
    differ    parts of a signature in which two runs may differ and still be compared: `data.coco`
    session   how a session runs it; None where it does not
    ask       how a live model is asked for its model's files; None where they only come as files
    study     how people judge what it scores; None where they do not
    """

    name: str
    help: str
    function: Place
    inputs: tuple[Input, ...] = ()
    options: type[Options] = Options
    outputs: tuple[Output, ...] = ()
    makes: Literal["run", "value", "lines"] = "run"
    takes: str = ""
    views: Place = ""
    measures: Place = ""
    items: ItemSchema | None = None
    short_answers: ShortAnswers | None = None
    caveats: Place = ""
    tables: Place = ""
    check: Place = ""
    differ: Mapping[str, "Differ"] = field(default_factory=dict)
    session: InSession | None = None
    ask: Ask | None = None
    study: Study | None = None

    @property
    def summary(self) -> str:
        """The first line of its help."""
        return self.help.partition("\n")[0]

    def takes_also(self, what: Literal["engine", "overwrite", "work"]) -> bool:
        """Whether its function has this parameter."""
        return what in self.takes.split()

    def input(self, name: str) -> Input:
        """One of its inputs."""
        return next(given for given in self.inputs if given.name == name)

    def session_inputs(self) -> tuple[Input, ...]:
        """The inputs that a session gives it."""
        if self.session is None:
            return self.inputs
        needs, without = self.session.needs, self.session.without
        known = (given for given in self.inputs if given.name not in without)
        return tuple(replace(given, needed=given.needed or given.name in needs) for given in known)


@dataclass(frozen=True)
class PaperTable:
    """A table as the exam's paper prints it; `voirdire EXAM table` makes it of runs.

    numbers  its numbers in the paper, separated by blanks: "1", or "3 5" for tables of one form
    title    what it shows, in a few words
    parts    the parts whose runs its figures are of, separated by blanks
    make     its rows and columns: from these runs, as `voirdire.section.content.Model`s in the order given, to tables
             of the report. Where a cell names its run and measure, what differs significantly is marked
    claims   what the paper says that this table shows, tested: from the same runs, `groups` (models by the name of
             their group) and `seed`, to a list of `voirdire.section.printed.PaperClaim`
    groups   the groups of models that the claims are about: "attention", "no attention"
    """

    numbers: str
    title: str
    parts: str
    make: Place
    claims: Place = ""
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exam:
    """One examination.

    name      its name everywhere
    question  the question that it answers about a model
    papers    the keys of its works in the bibliography, that which it implements first
    parts     in the order of the verbs
    help      the help of its group of verbs, one line
    section   a function from models and context to its section of a report; a plain one if not given
    method    how models are examined, one sentence without its subject, for the methods section of a paper
    clusters  the clusters that its intervals resample, in words
    makes     inputs that a session makes where they are not given, and how
    hints     a function without parameters to `Hint`s by input, for those inputs that `init` needs one for
    context   formats of files that a report shows beside its items: dialogues, the objects of a game
    formats   formats that it can use beside those of its inputs
    bibliography  a BibTeX file of its own, as `package:file.bib`
    tables    the tables of its papers
    """

    name: str
    question: str
    papers: tuple[str, ...]
    parts: tuple[Part, ...]
    help: str
    section: Place = ""
    method: str = ""
    clusters: str = "images"
    makes: Mapping[str, Made] = field(default_factory=dict)
    hints: Place = ""
    context: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    bibliography: str = ""
    tables: tuple[PaperTable, ...] = ()

    @property
    def title(self) -> str:
        """Its name as a heading."""
        return self.name.capitalize()

    def part(self, name: str) -> Part:
        """One of its parts."""
        part = next((part for part in self.parts if part.name == name), None)
        if part is None:
            raise UsageError(f"{self.name} has no part {name!r}; it has {', '.join(part.name for part in self.parts)}")
        return part

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
        tokeniser: str | None = None,
        warnings: Iterable[str] = (),
        **more: Any,
    ) -> "Run":
        """A run of one of its parts.

        data      the files that the model was examined on, for the signature: role to SHA-256
        outputs   other files that were read, the model's own
        changing  options that change figures, beside data, encoder, tokeniser and seed
        more      other fields of a run
        """
        from voirdire.runs.run import Run, Signature

        seed = getattr(options, "seed", None)
        signature = Signature(__version__, data, None, tokeniser, encoder, seed, changing or {})
        read = {**data, **(outputs or {})}
        return Run(
            self.name, options.plain(), items, measures, signature, read, warnings=tuple(warnings), part=part, **more
        )

    def in_session(self) -> list[Part]:
        """The parts that a session runs."""
        return [part for part in self.parts if part.session is not None]

    def inputs(self) -> list[Input]:
        """All inputs of its parts; each name with the same formats once."""
        inputs: dict[tuple[str, str], Input] = {}
        for given in (given for part in self.parts for given in part.inputs):
            inputs.setdefault((given.name, given.formats), given)
        return list(inputs.values())

    def session_inputs(self, of_model: bool, asked: bool = False) -> list[Input]:
        """The inputs that a session knows, of the model or of the data, each once; `asked`, also what models are asked
        from."""
        known: dict[str, Input] = {}
        read = [given for part in self.in_session() for given in part.session_inputs()]
        if asked:
            read += [given for part in self.in_session() if part.ask is not None for given in part.ask.inputs]
        for given in read:
            rule = self.makes.get(given.name)
            for name, key in rule.inputs.items() if rule else ():
                # The sources of an input are of use only where the input is.
                source = self.part(rule.part).input(name)  # type: ignore[union-attr]
                known.setdefault(key, replace(source, name=key, needed=False, together=given.together))
            known.setdefault(given.name, given)
        return [given for given in known.values() if given.of_model == of_model]

    def own_inputs(self) -> list[Input]:
        """The inputs of the data that a model of a session may have files of its own for."""
        return [given for given in self.session_inputs(of_model=False) if self.hint(given.name).each]

    def sources_of(self, given: Input) -> tuple[str, ...]:
        """The keys of a config that give an input: its own, and those from which a session makes it."""
        rule = self.makes.get(given.name)
        return (given.name, *(rule.inputs.values() if rule else ()))

    def hint(self, name: str) -> Hint:
        """How `init` guesses which file is an input."""
        hints: Mapping[str, Hint] = load(self.hints)() if self.hints else {}
        return hints.get(name, Hint())


def present(**given: Any) -> dict[str, Any]:
    """Those of the values that are given."""
    return {name: value for name, value in given.items() if not is_absent(value)}


def is_absent(value: Any) -> bool:
    """Whether nothing is given: None, or an empty text or list."""
    return value is None or (isinstance(value, str | list | tuple) and not value)


def declared_measures(place: Place) -> "tuple[Measure, ...]":
    """The measures at this place: a tuple, or the result of a function."""
    return _declared(place) if isinstance(place, str) else tuple(place() if callable(place) else place)


@cache
def _declared(place: str) -> "tuple[Measure, ...]":
    measures: Any = load(place) if place else ()
    return tuple(measures() if callable(measures) else measures)
