"""From a part of an exam to a verb: its inputs, options and outputs become flags, and what it makes is shown.

A message that names an input or an option by its field (`top`) is said with the flag (--top).
"""

import contextlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from voirdire.cli.command import Later, group, later
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
from voirdire.cli.progress import shown_stages
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

_Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Let --output take the place of another, or make the same again.")
]


def exam_verbs(name: str) -> "TyperGroup":
    """The verbs of the exam of this name."""
    exam = exam_named(name)
    return group(name, exam.help, map(_verb, exam.parts))


def _verb(part: Part) -> Later:
    said = "\n\n".join(filter(None, (part.help, part.detail)))
    return later(part.name, lambda: in_flags(said, part), lambda: _function(part))


def _function(part: Part) -> Callable[..., None]:
    """A function whose parameters are the part's flags."""
    parameters = [*map(input_parameter, part.inputs), *_options(part), *map(_output, part.outputs)]
    if part.engine:
        parameters += [make_parameter("workers", Workers, 1), make_parameter("engine", EngineName, None)]
    if part.overwrite:
        parameters.append(make_parameter("overwrite", _Overwrite, False))
    if part.makes == "run":
        parameters += [
            make_parameter("as_json", AsJson, False),
            make_parameter("latex", Latex, False),
            make_parameter("run_folder", Output, None),
            make_parameter("overwrite", Overwrite, False),
        ]
    elif part.json:
        parameters.append(make_parameter("as_json", AsJson, False))

    def verb(**values: Any) -> None:
        with _in_flags(part):
            _carry_out(part, values)

    return with_parameters(verb, parameters)


def with_parameters(function: Callable[..., None], parameters: Sequence[inspect.Parameter]) -> Callable[..., None]:
    """The function as one with these parameters; required ones come first, as in any call."""
    ordered = sorted(parameters, key=lambda one: one.default is not Parameter.empty)
    function.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
    function.__annotations__ = {one.name: one.annotation for one in ordered}
    return function


def _carry_out(part: Part, values: dict[str, Any]) -> None:
    given = {one.name: values.pop(one.name) for one in part.inputs}
    fields = {one.name: values.pop(one.name) for one in option_fields(part.options)}
    options = part.options(
        **{name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    )
    outputs: dict[str, Any] = {one.name: _checked(one, values.pop(one.name)) for one in part.outputs}
    as_json, latex = values.get("as_json", False), values.get("latex", False)
    folder, overwrite = values.get("run_folder"), values.get("overwrite", False)
    check(as_json, latex, folder, overwrite)
    on_stdout = STDOUT in outputs.values()
    if as_json and on_stdout:
        raise UsageError("--json prints to standard output; write what is made to a file")
    if part.engine:
        from voirdire.engine import Here

        outputs["engine"] = engine_of(values["workers"], values["engine"]) or Here()
    if part.overwrite:
        outputs["overwrite"] = overwrite
    if part.work:
        outputs["work"] = None if folder is None else Path(f"{folder}.training")
    with shown_stages() as stages, _heard(part, stages):
        made = part.carry_out(given, options, stages, outputs=outputs)
    if isinstance(made, Outcome):
        _tell(made, as_json, beside=on_stdout)
        return
    give(made, as_json, latex, folder, overwrite)
    if part.work and outputs["work"] is not None:
        import shutil

        shutil.rmtree(outputs["work"], ignore_errors=True)


def _heard(part: Part, stages: Stages) -> AbstractContextManager[object]:
    """Show beside how far it is what workers say, and how much of their work failed."""
    if not part.engine:
        return contextlib.nullcontext()
    from voirdire.engine.notes import listening

    return listening(stages.note)


def _tell(made: Outcome, as_json: bool, beside: bool) -> None:
    """Say what was made; `beside` what stands on standard output already, so on stderr."""
    if as_json:
        show_json(made.value) if made.run is None else put_json(made.run.to_json())
        return
    for line in made.lines:
        say(line, err=beside)
    warn(made.warnings)


@contextlib.contextmanager
def _in_flags(part: Part) -> Iterator[None]:
    """Say what goes wrong in the words of a call."""
    try:
        yield
    except VoirDireError as error:
        raise UsageError(in_flags(str(error), part)) from error


def in_flags(text: str, part: Part) -> str:
    """The text with flags for the names of the part's inputs, options and outputs."""
    flags = {one.name: _flag(one.flag or one.name) for one in part.inputs if not one.positional}
    flags |= {one.name: _flag(one.flag or one.name) for one in part.outputs}
    flags |= {named(one): _flag(named(one)) for one in option_fields(part.options) if not about(one).positional}
    flags["overwrite"] = "--overwrite"
    return renamed(text, flags)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def make_parameter(name: str, annotation: Any, default: Any) -> Parameter:
    """A parameter of a verb's function."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def input_parameter(one: Input) -> Parameter:
    """The flag of an input, or the argument that it is."""
    type_: Any = list[str] if one.many else str
    again = " May be given again." if one.many and not one.positional else ""
    if one.positional:
        annotation = Annotated[type_, typer.Argument(metavar=one.metavar, help=one.help)]
        return make_parameter(one.name, annotation, Parameter.empty)
    said = typer.Option(_flag(one.flag or one.name), metavar=one.metavar, help=one.help + again)
    if one.needed:
        return make_parameter(one.name, Annotated[type_, said], Parameter.empty)
    return make_parameter(one.name, Annotated[type_ | None, said], None)


def _output(one: OutputFile) -> Parameter:
    flags = ("--output", "-o") if one.name == "output" else (_flag(one.flag or one.name),)
    said = typer.Option(*flags, metavar=one.metavar, help=one.help)
    if one.needed:
        return make_parameter(one.name, Annotated[str, said], Parameter.empty)
    return make_parameter(one.name, Annotated[str | None, said], None)


def _checked(one: OutputFile, path: str | None) -> str | None:
    """Refuse a place where nothing can be put before any work is done for it."""
    if path == "":
        raise UsageError(f"`{one.name}` must name something, got an empty name")
    if path is None or path == STDOUT or one.folder:
        return path
    from voirdire.atomic import check_output

    if one.endings and not path.lower().endswith(one.endings):
        raise UsageError(f"`{one.name}` must end in {' or '.join(one.endings)}, got {path}")
    check_output(Path(path))
    return path


def _options(part: Part) -> Iterator[Parameter]:
    hints = types_of(part.options)
    for one in option_fields(part.options):
        yield option_parameter(one, hints[one.name])


def option_parameter(one: "Field[Any]", type_: Any) -> Parameter:
    """The flag of an option."""
    said, listed = about(one), choices(type_)
    plain = _plain_type(type_)
    default = Parameter.empty if needed(one) else one.default
    if default is MISSING:
        default = Parameter.empty
    if said.positional:
        return make_parameter(
            one.name, Annotated[plain, typer.Argument(metavar=said.metavar or None, help=said.help)], default
        )
    metavar = said.metavar or ("|".join(map(str, listed)) if listed and plain is not bool else None)
    again = "May be given again." if _is_tuple(type_) else ""
    help_ = " ".join(filter(None, (said.help, limits(said), again)))
    shown: Any = said.shown or not _is_tuple(type_)
    flag = _flag(named(one))
    if default is True:
        flag += f"/{_flag(f'no_{named(one)}')}"
    option = typer.Option(flag, metavar=metavar, help=help_, show_default=shown)
    return make_parameter(one.name, Annotated[plain, option], list(default) if isinstance(default, tuple) else default)


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
