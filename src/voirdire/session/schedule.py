"""From a config to the steps of a session: first those that several models share, then each model's exams.

OUT/<part>/<key>.json               what a part reads and another part of the exam makes, where it is not given
OUT/said/<model>/<exam>-<part>      a live model's files
OUT/runs/<model>/<exam>             the run of the exam's main part
OUT/runs/<model>/<exam>-<part>      further runs: answers-rank, questions-kinds
OUT/runs/references/<exam>-<part>   runs that are of the data, here of reference sets, and of no model
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from voirdire.errors import InputError, UsageError
from voirdire.exam import Ask, Exam, Part, exams, load
from voirdire.formats.catalogue import detect
from voirdire.formats.files import open_source
from voirdire.live.settings import LiveOptions
from voirdire.options import OptionError, Options, about, named, option_fields
from voirdire.session.config import Config, Values, options_for, session_parts, texts
from voirdire.session.steps import Step, ask_step, part_step


@dataclass(frozen=True)
class Schedule:
    """All that is to be done.

    steps        each after those that it needs
    asks         those of them that ask a model, each after what it needs
    runs         those of them that make runs, in the order of the models
    skipped      the exams that models have no files for
    passed_over  parts of exams that are skipped for a model, and what they would need
    unasked      parts that live models are not asked for, and why
    not_taken    exams of which a live model is asked nothing, and why
    """

    steps: tuple[Step, ...]
    runs: tuple[Step, ...]
    skipped: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    asks: tuple[Step, ...] = ()
    unasked: tuple[str, ...] = ()
    not_taken: tuple[str, ...] = ()


def schedule(config: Config, out: Path) -> Schedule:
    """The schedule of a session. A model that lacks the data for its files is an error, before anything is done."""
    makers: dict[str, Step] = {}
    runs: list[Step] = []
    lacking: dict[tuple[str, ...], list[str]] = {}
    wanting: dict[str, list[str]] = {}
    for exam in exams():
        _check_providers(config, exam)
    config, asks, unasked = _asked(config, out, makers)
    not_taken: list[str] = []
    for model in config.models:
        without = tuple(exam.name for exam in exams() if not config.of_model(model, exam.name))
        if without and model not in config.live:
            lacking.setdefault(without, []).append(model)
        for exam_name in without:
            starts = f"{model}: {exam_name} "
            whys = dict.fromkeys(line.rpartition(": ")[2] for line in unasked if line.startswith(starts))
            not_taken += [f"{starts}is not taken: {', '.join(whys)}"] if whys else []
        for exam in exams():
            parts, passed_over = _of_model(config, exam, model)
            runs += [_step(config, exam, part, model, out, makers) for part in parts]
            for line in passed_over:
                wanting.setdefault(line, []).append(model)
    for exam in exams():
        runs += _of_data(config, exam, out, makers)
    if not runs:
        raise UsageError("; ".join(unasked) or "no model has a file for any exam")
    skipped = tuple(f"{', '.join(models)}: no files for {', '.join(without)}" for without, models in lacking.items())
    passed = tuple(f"{', '.join(models)}: {line}" for line, models in wanting.items())
    steps = (*makers.values(), *asks, *runs)
    return Schedule(steps, tuple(runs), skipped, passed, tuple(asks), tuple(unasked), tuple(not_taken))


def _asked(config: Config, out: Path, makers: dict[str, Step]) -> tuple[Config, list[Step], list[str]]:
    """The config with the files that live models will be asked for, the steps that ask, and why others are not."""
    asks: list[Step] = []
    unasked: list[str] = []
    models: dict[str, Mapping[str, Values]] = {**config.models}
    for name, given in config.live.items():
        # The client comes with it.
        from voirdire.live.providers import make_model

        live = live_options(config, name, given)
        skills = make_model(live).skills
        for exam in (exam for exam in exams() if exam.name in config.data):
            for part in (part for part in exam.in_session() if part.ask is not None):
                ask, files = part.ask, models[name].get(exam.name, {})
                if ask is None or any(key in files for key in ask.writes):
                    continue
                why = _unable(config, exam, part, ask, skills)
                if why:
                    # A model that brings files is asked only for what it can do beside them.
                    if not config.models[name]:
                        unasked.append(f"{name}: {exam.name} {part.name} is not asked: {why}")
                    continue
                sources = _ask_sources(config, exam, ask, out, makers)
                options = _options(config, exam, ask)
                step = ask_step(name, exam, part, live, options, sources, config.images, out)
                asks.append(step)
                names = load(ask.written)(sources, options) if ask.written else ask.writes
                written = {key: _written(step.place, some) for key, some in names.items()}
                models[name] = {**models[name], exam.name: {**files, **written}}
    return replace(config, models=models), asks, unasked


def _written(folder: Path, names: str) -> str | tuple[str, ...]:
    """A file that is written to a folder, or several; for `table:FILE` the provider with the file."""
    parts = (name.rpartition(":") for name in names.split())
    first, *others = (f"{provider}{colon}{folder / file}" for provider, colon, file in parts)
    return (first, *others) if others else first


def live_options(config: Config, name: str, given: Values) -> LiveOptions:
    """How a live model of the config is asked."""
    try:
        return LiveOptions(**{"trust": config.trust, **given})
    except OptionError as error:
        raise UsageError(f"{config.places.at(f'models.{name}.{error.field}')}: {error}") from None


def _unable(config: Config, exam: Exam, part: Part, ask: Ask, skills: Collection[str]) -> str:
    """Why a part cannot be put to a model; empty where it can."""
    data = config.data.get(exam.name, {})
    if lacking := [skill for skill in ask.skills if skill not in skills]:
        return f"the model cannot {' and '.join('give states' if skill == 'states' else skill for skill in lacking)}"
    of_data = (source for source in part.session_inputs() if not source.of_model)
    for source in (*ask.inputs, *of_data):
        if source.needed and not any(key in data for key in exam.sources_of(source)):
            return f"`data.{exam.name}.{source.name}` is not given ({source.help.rstrip('.')})"
    return ""


def _ask_sources(
    config: Config, exam: Exam, ask: Ask, out: Path, makers: dict[str, Step]
) -> dict[str, tuple[str, ...]]:
    sources: dict[str, tuple[str, ...]] = {}
    for source in ask.inputs:
        files = tuple(source.files(config.data.get(exam.name, {}).get(source.name)))
        if files := files or _made(config, exam, source.name, out, makers):
            sources[source.name] = files
    return sources


def _of_model(config: Config, exam: Exam, model: str) -> tuple[list[Part], list[str]]:
    """The parts that are run for a model's files; and of those that lack something, what that is."""
    given = config.of_model(model, exam.name)
    if not given:
        return [], []
    place = config.places.at(f"models.{model}.{exam.name}")
    parts = [(part, rules) for part in exam.in_session() if (rules := part.session) and not rules.of_data]
    fitting = [part for part, rules in parts if rules.applies_to(given)]
    if not fitting:
        keys = dict.fromkeys(key for _, rules in parts for key in rules.given)
        raise UsageError(f"{place}: give {' or '.join(keys)}")
    wanting = {part.name: line for part in fitting if (line := _wanting(config, exam, part, given))}
    if len(wanting) == len(fitting):
        raise UsageError(f"{place}: {next(iter(wanting.values()))}")
    return [part for part in fitting if part.name not in wanting], list(wanting.values())


def _wanting(config: Config, exam: Exam, part: Part, given: Values) -> str:
    """What a part lacks for files of such a format, and what it would tell; empty where it lacks nothing."""
    wants = part.session.wants if part.session is not None else {}
    for source in part.session_inputs():
        if source.name in wants and source.name not in {**config.data.get(exam.name, {}), **given}:
            files = (file for other in part.inputs if other.of_model for file in other.files(given.get(other.name)))
            if any(_format(file) in wants[source.name].split() for file in files):
                return (
                    f"{exam.name} {part.name} needs `data.{exam.name}.{source.name}` ({source.help.rstrip('.')}); it "
                    f"would tell: {part.summary}"
                )
    return ""


def _format(path: str) -> str:
    """The format of a file; empty where it is missing or of no format, which is an error where it is read."""
    try:
        return detect(open_source(path)).name
    except InputError:
        return ""


def _of_data(config: Config, exam: Exam, out: Path, makers: dict[str, Step]) -> Iterator[Step]:
    """The parts that are run once, where any model is examined by the data that they are of and all of it is there."""
    data, chosen = config.data.get(exam.name, {}), config.options.get(exam.name, {})
    for part in exam.in_session():
        rules = part.session
        if rules is None or not rules.of_data or not chosen.get(part.name, True):
            continue
        examined = any(key in config.of_model(model, exam.name) for model in config.models for key in rules.given)
        inputs = part.session_inputs()
        if examined and all(source.name in data for source in inputs if source.needed or source.together in data):
            yield _step(config, exam, part, rules.of_data, out, makers)


def _step(config: Config, exam: Exam, part: Part, owner: str, out: Path, makers: dict[str, Step]) -> Step:
    """The run of a part, and in `makers` the steps that make its inputs."""
    of_model = config.of_model(owner, exam.name) if owner in config.models else {}
    data = config.data.get(exam.name, {})
    sources: dict[str, tuple[str, ...]] = {}
    for source in part.session_inputs():
        name, where = source.name, f"models.{owner}.{exam.name}" if source.of_model else f"data.{exam.name}"
        if source.either in sources and name in (of_model if source.of_model else data):
            raise UsageError(f"{config.places.at(where)}: give either {source.either} or {name}")
        beside = part.input(source.together) if source.together else None
        if not source.of_model and beside is not None and beside.of_model and beside.name not in of_model:
            continue  # Data of which this model has no outputs.
        # A live model's files go before those of the data.
        files = tuple(source.files((of_model if source.of_model or name in of_model else data).get(name)))
        if not files and (beside is None or beside.name in of_model):
            files = _made(config, exam, name, out, makers)
        if files:
            sources[name] = files
        elif source.needed or (beside is not None and beside.name in of_model):
            wanted = (exam.sources_of(source)[1:] or (name,))[0]
            at = f"models.{owner}.{exam.name}" + (f".{beside.name}" if beside is not None else _first(part, of_model))
            raise UsageError(f"{config.places.at(at)}: needs `{where}.{wanted}`, which is not given")
    rules = part.session
    folder = rules.folder if rules is not None and rules.folder else f"{exam.name}-{part.name}"
    place = out / "runs" / owner / folder
    weight = rules.weight if rules is not None else 0
    return part_step(owner, f"{exam.name} {part.name}", place, sources, _options(config, exam, part), weight)


def _first(part: Part, given: Values) -> str:
    """The key for which a part is run."""
    keys = part.session.given if part.session is not None else ()
    return next((f".{key}" for key in keys if key in given), "")


def _made(config: Config, exam: Exam, key: str, out: Path, makers: dict[str, Step]) -> tuple[str, ...]:
    """The file that another part of the exam makes of given files; nothing where these are not given."""
    how = exam.makes.get(key)
    if how is None:
        return ()
    part, data = exam.part(how.part), config.data.get(exam.name, {})
    files_of = {name: tuple(part.input(name).files(data.get(source))) for name, source in how.inputs.items()}
    if any(not files and part.input(name).needed for name, files in files_of.items()):
        return ()
    given = {name: files for name, files in files_of.items() if files}
    place = out / part.name / f"{key}{part.outputs[0].endings[0]}"
    options = _options(config, exam, part, how.fixed)
    makers.setdefault(str(place), part_step("", f"{exam.name} {part.name}", place, given, options))
    return (str(place),)


def _options(config: Config, exam: Exam, part: Part | Ask, fixed: Mapping[str, Any] | None = None) -> Options:
    try:
        options: Options = options_for(config, exam, part)
        return replace(options, **fixed) if fixed else options
    except OptionError as error:
        raise UsageError(f"{config.places.at(f'options.{exam.name}.{error.field}')}: {error}") from None


def _check_providers(config: Config, exam: Exam) -> None:
    """Refuse unknown names of providers before anything is done."""
    given = config.options.get(exam.name, {})
    for part in session_parts(exam):
        for field in option_fields(part.options):
            provider, key = about(field).provider, named(field)
            for spec in texts(given.get(key)) if provider else ():
                try:
                    load(provider).check(spec)
                except UsageError as error:
                    raise UsageError(f"{config.places.at(f'options.{exam.name}.{key}')}: {error}") from None
