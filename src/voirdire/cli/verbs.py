"""From a part of an exam to a verb: its inputs, options and outputs become flags, and its result is printed.

In messages the name of an input or an option (`top`) becomes its flag (--top).
"""

import contextlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from voirdire.call import Call
from voirdire.cli.command import Later, flagged, group, later
from voirdire.cli.output import (
    AsJson,
    EngineName,
    Latex,
    Output,
    Overwrite,
    Workers,
    check,
    engine_of,
    give,
    put_json,
    say,
    show_json,
    warn,
)
from voirdire.cli.progress_bars import shown_stages
from voirdire.cli.report import help_of, table_verb
from voirdire.errors import UsageError, VoirDireError
from voirdire.exam import Input, Outcome, Part, exam_named
from voirdire.exam import Output as OutputFile
from voirdire.options import about, choices, limits, named, needed, option_fields, renamed, types_of
from voirdire.progress import Stages

if TYPE_CHECKING:
    from dataclasses import Field

    from typer.core import TyperGroup

Parameter = inspect.Parameter
STDOUT = "-"
"""The name of a file that stands for standard output."""

_Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is at --output, or make the same again.")]


def exam_verbs(name: str) -> "TyperGroup":
    """The verbs of the exam of this name."""
    exam = exam_named(name)
    verbs = [*map(_verb, exam.parts)]
    if exam.tables:
        verbs.append(later("table", lambda: help_of(exam), lambda: flagged(table_verb(exam))))
    return group(name, exam.help, verbs)


def _verb(part: Part) -> Later:
    return later(part.name, lambda: in_flags(part.help, part), lambda: _function(part))


def _function(part: Part) -> Callable[..., None]:
    """A function whose parameters are the part's flags."""
    parameters = [*map(input_parameter, part.inputs), *_options(part), *map(_output, part.outputs)]
    if part.takes_also("engine"):
        parameters += [make_parameter("workers", Workers, 1), make_parameter("engine", EngineName, None)]
    if part.takes_also("overwrite"):
        parameters.append(make_parameter("overwrite", _Overwrite, False))
    if part.makes == "run":
        parameters += [
            make_parameter("as_json", AsJson, False),
            make_parameter("latex", Latex, False),
            make_parameter("run_folder", Output, None),
            make_parameter("overwrite", Overwrite, False),
        ]
    elif part.makes == "value":
        parameters.append(make_parameter("as_json", AsJson, False))

    def verb(**values: Any) -> None:
        with _in_flags(part):
            _call(part, values)

    return with_parameters(verb, parameters)


def with_parameters(function: Callable[..., None], parameters: Sequence[inspect.Parameter]) -> Callable[..., None]:
    """The function as one with these parameters; required ones come first, as in any call."""
    ordered = sorted(parameters, key=lambda parameter: parameter.default is not Parameter.empty)
    function.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in ordered}
    return function


def _call(part: Part, values: dict[str, Any]) -> None:
    given = {source.name: values[source.name] for source in part.inputs}
    options = part.options(**{field.name: values[field.name] for field in option_fields(part.options)})
    places: dict[str, Any] = {output.name: _checked(output, values[output.name]) for output in part.outputs}
    as_json, latex = values.get("as_json", False), values.get("latex", False)
    folder, overwrite = values.get("run_folder"), values.get("overwrite", False)
    check(as_json, latex, folder, overwrite)
    on_stdout = STDOUT in places.values()
    if as_json and on_stdout:
        raise UsageError("--json prints to standard output; write what is made to a file")
    if part.takes_also("engine"):
        from voirdire.engine import Here

        places["engine"] = engine_of(values["workers"], values["engine"]) or Here()
    if part.takes_also("overwrite"):
        places["overwrite"] = overwrite
    work = Path(f"{folder}.training") if part.takes_also("work") and folder is not None else None
    if part.takes_also("work"):
        places["work"] = work
    with shown_stages() as stages, _with_notes(part, stages):
        result = Call(part, given, options, places).run(stages)
    if isinstance(result, Outcome):
        _show(result, as_json, beside=on_stdout)
        return
    give(result, as_json, latex, folder, overwrite)
    if work is not None:
        import shutil

        shutil.rmtree(work, ignore_errors=True)


def _with_notes(part: Part, stages: Stages) -> AbstractContextManager[object]:
    """Show workers' notes beside the progress, and how much of their work failed."""
    if not part.takes_also("engine"):
        return contextlib.nullcontext()
    from voirdire.engine.notes import listening

    return listening(stages.note)


def _show(outcome: Outcome, as_json: bool, beside: bool) -> None:
    """Print a part's result; on stderr where it is `beside` other output on standard output."""
    if as_json:
        show_json(outcome.value) if outcome.run is None else put_json(outcome.run.to_json())
        return
    for line in outcome.lines:
        say(line, err=beside)
    warn(outcome.warnings)


@contextlib.contextmanager
def _in_flags(part: Part) -> Iterator[None]:
    """Name flags in place of fields in errors."""
    try:
        yield
    except VoirDireError as error:
        raise UsageError(in_flags(str(error), part)) from error


def in_flags(text: str, part: Part) -> str:
    """The text with flags for the names of the part's inputs, options and outputs."""
    flags = input_flags(part.inputs) | {output.name: _flag(output.name) for output in part.outputs}
    fields = option_fields(part.options)
    flags |= {named(field): _flag(named(field)) for field in fields if not about(field).positional}
    flags["overwrite"] = "--overwrite"
    return renamed(text, flags)


def input_flags(inputs: Iterable[Input]) -> dict[str, str]:
    """The flags of inputs by their names; those that stand in a call without one are left out."""
    return {source.name: source.flag_name for source in inputs if source.flag_name}


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def make_parameter(name: str, annotation: Any, default: Any) -> Parameter:
    """A parameter of a verb's function."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def input_parameter(source: Input) -> Parameter:
    """The flag of an input, or the argument that it is."""
    type_: Any = list[str] if source.many else str
    if not source.flag_name:
        annotation = Annotated[type_, typer.Argument(metavar=source.metavar, help=source.help)]
        return make_parameter(source.name, annotation, Parameter.empty)
    again = " May be given again." if source.many else ""
    flag = typer.Option(source.flag_name, metavar=source.metavar, help=source.help + again)
    if source.needed:
        return make_parameter(source.name, Annotated[type_, flag], Parameter.empty)
    return make_parameter(source.name, Annotated[type_ | None, flag], None)


def _output(output: OutputFile) -> Parameter:
    flags = ("--output", "-o") if output.name == "output" else (_flag(output.name),)
    option = typer.Option(*flags, metavar=output.metavar, help=output.help)
    if output.needed:
        return make_parameter(output.name, Annotated[str, option], Parameter.empty)
    return make_parameter(output.name, Annotated[str | None, option], None)


def _checked(output: OutputFile, path: str | None) -> str | None:
    """Refuse a place where nothing can be put before any work is done for it."""
    if path is None or path == STDOUT or output.folder:
        return path
    from voirdire.atomic import check_output

    if output.endings and not path.lower().endswith(output.endings):
        raise UsageError(f"`{output.name}` must end in {' or '.join(output.endings)}, got {path}")
    check_output(Path(path))
    return path


def _options(part: Part) -> Iterator[Parameter]:
    hints = types_of(part.options)
    for field in option_fields(part.options):
        yield option_parameter(field, hints[field.name])


def option_parameter(field: "Field[Any]", type_: Any) -> Parameter:
    """The flag of an option."""
    described, listed = about(field), choices(type_)
    plain = _plain_type(type_)
    default = Parameter.empty if needed(field) else field.default
    if default is MISSING:
        default = Parameter.empty
    if described.positional:
        argument = typer.Argument(metavar=described.metavar or None, help=described.help)
        return make_parameter(field.name, Annotated[plain, argument], default)
    metavar = described.metavar or ("|".join(map(str, listed)) if listed and plain is not bool else None)
    again = "May be given again." if _is_tuple(type_) else ""
    help_ = " ".join(filter(None, (described.help, limits(described), again)))
    shown: Any = described.shown or not _is_tuple(type_)
    flag = _flag(named(field))
    # Where there is a default of its own, or one that other options decide, both words are needed.
    if default is True or type_ == bool | None:
        flag += f"/{_flag(f'no_{named(field)}')}"
    option = typer.Option(flag, metavar=metavar, help=help_, show_default=shown)
    plain_default = list(default) if isinstance(default, tuple) else default
    return make_parameter(field.name, Annotated[plain, option], plain_default)


def _is_tuple(type_: Any) -> bool:
    return getattr(type_, "__origin__", None) is tuple


def _plain_type(type_: Any) -> Any:
    """What typer takes for a field's type: words of a list are texts, several values a list."""
    if _is_tuple(type_):
        return list[_plain_type(get_args(type_)[0])]  # type: ignore[misc]
    if type_ in (str, int, float, bool):
        return type_
    if listed := choices(type_):
        inner = type(listed[0])
        return inner | None if type(None) in get_args(type_) else inner
    return type_
