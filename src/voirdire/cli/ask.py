"""`voirdire ask EXAM`: ask a live model. Its answers are written as files, and scored as any files are.

Every exam has a verb of its own, with its own options; `all` runs every exam that there is data for.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voirdire.asking import session_of_model
from voirdire.cli.command import Later, group, later
from voirdire.cli.output import EngineName, Workers, engine_of, say
from voirdire.cli.verbs import make_parameter, option_parameter, with_parameters
from voirdire.errors import UsageError, VoirDireError
from voirdire.exam import Exam, exam_named, exam_texts, exams
from voirdire.live.settings import LiveOptions
from voirdire.options import Options, named, option_fields, renamed, types_of

if TYPE_CHECKING:
    from voirdire.live.interview import Forecast
    from voirdire.session.config import Config
    from voirdire.session.steps import Step

ALL = "all"
Parameter = inspect.Parameter

_Data = Annotated[
    list[str],
    typer.Option(
        metavar="PATH",
        help="The data to ask about: the official files, a folder with them, or a world. May be given again.",
    ),
]
_Images = Annotated[str | None, typer.Option(metavar="PATH", help="A folder or a zip of pictures, with COCO names.")]
_Output = Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="The folder for answers, runs and report.")]
_Name = Annotated[str | None, typer.Option(metavar="NAME", help="The model's name in figures and tables.")]
_Witnesses = Annotated[
    bool, typer.Option("--witnesses", help="With a world: also examine its witnesses, and show them beside the model.")
]
_Dry = Annotated[bool, typer.Option("--dry-run", help="Ask nothing; count requests, tokens and pictures.")]


def ask_verbs() -> Any:
    """Ask a live model for its answers, then score them."""
    questions = exam_texts("question")
    verbs = [later(name, partial(str, text), partial(_of_exam, name)) for name, text in questions.items()]
    every: Later = later(ALL, lambda: "All exams that there is data for.", lambda: _function(list(exams())))
    return group("ask", str(ask_verbs.__doc__), [*verbs, every])


def _of_exam(name: str) -> Callable[..., None]:
    return _function([exam_named(name)])


def _options_of(chosen: list[Exam]) -> dict[str, tuple[str, Any, Any]]:
    """The options of interviews, by the names of their flags: the exam's name, the field and its type."""
    options: dict[str, tuple[str, Any, Any]] = {}
    for exam in chosen:
        for part in exam.in_session():
            asking = Options if part.ask is None else part.ask.options
            for field in option_fields(asking):
                options.setdefault(named(field), (exam.name, field, types_of(asking)[field.name]))
    return options


def _function(chosen: list[Exam]) -> Callable[..., None]:
    hints, asking = types_of(LiveOptions), _options_of(chosen)
    live = [option_parameter(field, hints[field.name]) for field in option_fields(LiveOptions)]
    own = [option_parameter(field, type_) for _, field, type_ in asking.values()]
    parameters = [
        make_parameter("data", _Data, Parameter.empty),
        make_parameter("output", _Output, Parameter.empty),
        make_parameter("images", _Images, None),
        make_parameter("name", _Name, None),
        make_parameter("witnesses", _Witnesses, False),
        make_parameter("dry_run", _Dry, False),
        make_parameter("workers", Workers, 1),
        make_parameter("engine", EngineName, None),
        *live,
        *own,
    ]

    def verb(**values: Any) -> None:
        try:
            _ask(chosen, asking, values)
        except VoirDireError as error:
            raise UsageError(_in_flags(str(error), values)) from error

    return with_parameters(verb, parameters)


def _in_flags(text: str, values: Mapping[str, Any]) -> str:
    return renamed(text, {name: f"--{name.replace('_', '-')}" for name in values})


def _ask(chosen: list[Exam], asking: Mapping[str, tuple[str, Any, Any]], values: dict[str, Any]) -> None:
    from voirdire.cli.session_progress import show_end, show_work
    from voirdire.session.session import run_session

    out = Path(values["output"])
    live = {field.name: values[field.name] for field in option_fields(LiveOptions)}
    config, before = session_of_model(
        chosen,
        [Path(path) for path in values["data"]],
        out,
        live,
        name=values["name"] or "",
        images=values["images"],
        witnesses=values["witnesses"],
        tell=partial(say, err=True),
    )
    options: dict[str, dict[str, Any]] = {}
    for exam, field, _ in asking.values():
        if values[field.name] != field.default and field.name not in ("limit", "seed"):
            options.setdefault(exam, {})[named(field)] = values[field.name]
    merged = {name: {**config.options.get(name, {}), **options.get(name, {})} for name in {*config.options, *options}}
    config = replace(config, options=merged).over(limit=values.get("limit"), seed=values.get("seed"))
    if values["dry_run"]:
        _estimate(config, before, out, live)
        return
    engine = engine_of(values["workers"], values["engine"])
    try:
        with show_work() as work:
            session = run_session(config, out, engine, work.on_event, before, work.stages)
    except KeyboardInterrupt:
        say("replies are kept: call again to go on", err=True)
        raise
    faults = tuple(replace(fault, message=_in_flags(fault.message, values)) for fault in session.faults)
    # Witnesses take the exams that they are for: only exams that the model does not take are of interest.
    label = list(config.live)[-1]
    skipped = tuple(line for line in session.skipped if line.startswith((f"{label}: ", f"{label}@")))
    show_end(replace(session, faults=faults, skipped=skipped))


def _estimate(config: "Config", before: "tuple[Step, ...]", out: Path, live: Mapping[str, Any]) -> None:
    """Print how many requests there would be, and what they would take."""
    from voirdire.live.interview import Forecast
    from voirdire.session.session import forecast_session

    forecasts, unasked = forecast_session(config, out, before, lambda line: say(line, err=True))
    for line in unasked:
        say(line, err=True)
    for (kind, template), forecast in forecasts.items():
        say(f"{kind}{f', template {template}' if template else ''}: {_forecast_line(forecast)}")
        for remark in forecast.remarks:
            say(f"    {remark}")
    whole = sum(forecasts.values(), Forecast())
    line = f"in all: at most {_forecast_line(whole)}"
    paces = {
        "requests": (whole.requests, live["requests_per_minute"]),
        "tokens": (whole.tokens, live["tokens_per_minute"]),
    }
    times = {f"{pace:,} {what} per minute": count / pace for what, (count, pace) in paces.items() if pace}
    if times:
        slowest = max(times, key=lambda pace: times[pace])
        line += f", {times[slowest]:,.1f} minutes at {slowest}"
    say(line)


def _forecast_line(forecast: "Forecast") -> str:
    line = f"{forecast.requests:,} requests, {forecast.pictures:,} with a picture, about {forecast.tokens:,} tokens"
    return f"{line}, {forecast.cost:,.2f} in the prices' currency" if forecast.cost else line
