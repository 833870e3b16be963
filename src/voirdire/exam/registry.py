"""The registry of exams: our four, and those of other packages, each checked when it is registered.

Each of our four packages has one `Exam` in its module `exam`; other packages add theirs through the entry-point group
`voirdire.exams`. Everything above the exams goes over this registry and knows none of them by name.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from voirdire.errors import InputError, Problem, UsageError, shorten, shorten_text
from voirdire.exam.check import check_declaration
from voirdire.exam.declaration import Exam, Part, declared_measures, load
from voirdire.options import OptionError, types_of
from voirdire.providers import entry_points

if TYPE_CHECKING:
    from voirdire.metrics.measure import Measure
    from voirdire.runs.run import Run
    from voirdire.runs.view import View

OURS = ("answers", "robustness", "questions", "scorekeeping")
GROUP = "voirdire.exams"


@cache
def exams() -> tuple[Exam, ...]:
    """All exams: our four in their order, then those of other packages by name."""
    return (*map(_ours, OURS), *_others().values())


def exam_texts(what: Literal["help", "question"]) -> dict[str, str]:
    """The help or the question of each exam, by name and in their order; for ours no declaration is loaded."""
    ours = {name: load(f"voirdire.{name}:{what.upper()}") for name in OURS}
    return ours | {name: getattr(exam, what) for name, exam in _others().items()}


def exam_named(name: str) -> Exam:
    """The exam of this name."""
    if name in OURS:
        return _ours(name)
    others = _others()
    if name not in others:
        raise UsageError(f"there is no exam {name!r}; there are: {', '.join((*OURS, *others))}")
    return others[name]


@cache
def _ours(name: str) -> Exam:
    exam: Exam = load(f"voirdire.{name}.exam:EXAM")
    check_declaration(exam)
    return exam


@cache
def _others() -> dict[str, Exam]:
    installed: dict[str, Exam] = {}
    for point in sorted(entry_points(GROUP), key=lambda point: point.name):
        try:
            exam: Exam = point.load()
        except Exception as error:
            what = f"{type(error).__name__}: {shorten_text(str(error), 300)}"
            raise UsageError(f"the exam {point.name!r} ({point.value}) cannot be loaded: {what}") from error
        if not isinstance(exam, Exam):
            raise UsageError(f"the entry point {point.name} of {GROUP} must name an Exam, got {type(exam).__name__}")
        if exam.name in (*OURS, *installed):
            raise UsageError(f"two exams are called {exam.name!r}; uninstall one of the packages that bring them")
        check_declaration(exam)
        installed[exam.name] = exam
    return installed


def studied(name: str) -> tuple[Exam, Part]:
    """The exam of this name and the part of it that people can judge."""
    exam = exam_named(name)
    part = next((part for part in exam.parts if part.study is not None), None)
    if part is None:
        known = ", ".join(other.name for other in exams() if any(part.study for part in other.parts))
        raise UsageError(f"{exam.name} has no part that people judge; these exams have one: {known}")
    return exam, part


def part_named(title: str) -> Part:
    """The part with this name on the command line: `answers score`."""
    exam, _, part = title.partition(" ")
    return exam_named(exam).part(part)


def part_of(run: "Run") -> Part:
    """The part that a run is of."""
    return exam_named(run.exam).part(run.part)


def measures_of(run: "Run") -> "dict[str, Measure]":
    """The measures of a run's part, by their names without k, slice, condition and variant."""
    part = part_of(run)
    return {measure.key.measure: measure for measure in declared_measures(part.measures)}


def views_of(run: "Run") -> "tuple[View, ...]":
    """The views of a run's figures; a part whose runs cannot be compared is refused."""
    part = part_of(run)
    if not part.views:
        others = ", ".join(f"{exam.name} {part.name}" for exam in exams() for part in exam.parts if part.views)
        raise UsageError(f"`{run.title}` has no figures by which models are compared; these parts have: {others}")
    make: Callable[..., tuple[View, ...]] = load(part.views)
    return make(run.items, options_of(run))


def options_of(run: "Run") -> Any:
    """The options object of a run."""
    try:
        return part_of(run).options(**run.options)
    except TypeError:
        raise UsageError(
            f"a run of `{run.title}` with options that this version does not have ({', '.join(run.options)}); run the "
            "exam again"
        ) from None


def read_run(folder: str | Path) -> "Run":
    """Read a run and check it, also against its part's declared options and items."""
    from voirdire.runs.store import ITEMS, RUN
    from voirdire.runs.store import read_run as read

    run = read(folder)
    # The package of a run's exam need not be installed.
    exam = next((exam for exam in exams() if exam.name == run.exam), None)
    part = next((part for part in exam.parts if part.name == run.part), None) if exam else None
    if part is not None:
        _refuse(Path(folder) / RUN, _option_faults(part, run))
        columns = part.items.faults(run.items.schema, run.measures) if part.items is not None else ()
        _refuse(Path(folder) / ITEMS, columns)
    return run


def read_named_run(named: str) -> "tuple[str, Run]":
    """A run, and what it is called where several are shown together: its label (`label=folder`), or else its folder."""
    label, folder = label_and_path(named)
    return label or folder, read_run(folder)


def label_and_path(named: str) -> tuple[str, str]:
    """The two parts of `label=path`; a folder whose own name has an equals sign is a path."""
    label, equals, path = named.partition("=")
    return (label, path) if equals and not Path(named).exists() else ("", named)


def _refuse(path: Path, faults: Iterable[tuple[str, str, str]]) -> None:
    again = "Run the exam again."
    problems = [Problem("", shorten_text(field), found, expected, again) for field, found, expected in faults]
    if problems:
        raise InputError(str(path), problems)


def _option_faults(part: Part, run: "Run") -> Iterator[tuple[str, str, str]]:
    """The options of a run that the part does not know, or does not allow: entry, found, expected."""
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


def exams_reading(format_: str) -> list[str]:
    """The names of the exams that a format can serve."""
    return [
        exam.name
        for exam in exams()
        if format_ in exam.formats or any(format_ in source.kinds for source in exam.inputs())
    ]
