"""A whole session: steps, runs, report. Finished work is reused, and one model's fault does not stop another.

A fault is shown with the place in the config that it is about. A message has the name of an input or an option in
backticks (`round_base`); here the name becomes its key (`options.answers.round_base`), after the number of its line.
"""

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voirdire.atomic import lock_folder, unwritten, write_atomic
from voirdire.call import read_one
from voirdire.engine import ENGINES, Engine, on_files_in
from voirdire.errors import InputError, UsageError, VoirDireError
from voirdire.exam import Exam, exam_named, exams, part_named
from voirdire.formats.catalogue import read_as
from voirdire.formats.files import reading_once
from voirdire.formats.picture_files import check_pictures
from voirdire.options import named, names_in, option_fields, renamed
from voirdire.progress import UNSEEN, Stages
from voirdire.section.context import is_context
from voirdire.session.config import IMAGES, SLICES, Config, leaves, session_parts, texts
from voirdire.session.execute import BadFiles, Fault, NotAsked, OnEvent, execute, needs, no_events
from voirdire.session.named_files import paths_of
from voirdire.session.schedule import Schedule, schedule
from voirdire.session.several_templates import over_templates
from voirdire.session.steps import ASK, Step, forecast, interviews_shown_by, is_made, options_of_step
from voirdire.session.trust import check_trust
from voirdire.verdict.labels import check_labels
from voirdire.verdict.templates import BETWEEN

if TYPE_CHECKING:
    from voirdire.live.interview import Forecast
    from voirdire.section.content import Model


REPORT = "report.html"
VERDICT = "verdict.txt"
"""The first screen of the report as a text."""
WARNINGS = "warnings.txt"
"""What the verbs that made the runs would have warned of, a line each."""
LOCK = ".lock"
CONTEXT = "context"


@dataclass(frozen=True)
class Session:
    """The result of a session.

    report   where the report is, with its verdict beside it; None where no run could be made, or it was not written
    runs     the folders of the runs that are there
    skipped  what was not done, and why
    faults   what could not be done
    """

    report: Path | None
    runs: tuple[Path, ...]
    skipped: tuple[str, ...]
    faults: tuple[Fault, ...]

    @property
    def verdict(self) -> str:
        """The first screen of the report as a text; empty without a report."""
        return self._beside_report(VERDICT)

    @property
    def warnings(self) -> list[str]:
        """What the verbs that made the runs would have warned of; empty without a report."""
        return self._beside_report(WARNINGS).splitlines()

    def _beside_report(self, name: str) -> str:
        path = self.report.with_name(name) if self.report is not None else None
        return path.read_text(encoding="utf-8") if path is not None and path.is_file() else ""


def run_session(
    config: Config,
    out: str | Path | None = None,
    engine: Engine | None = None,
    on_event: OnEvent = no_events,
    before: Sequence[Step] = (),
    stages: Stages = UNSEEN,
) -> Session:
    """Run all exams of a config for all of its models, and write the report.

    out       in place of the config's `output`
    engine    where steps are run side by side, in place of the config's; interviews always run in this process
    on_event  called with the result of each step
    before    steps that make the files which the config names
    stages    show the progress of interviews
    """
    place = out if out is not None else config.output
    if place is None:
        raise UsageError("the config names no folder for its output (output); name one with -o")
    folder = Path(place)
    if config.images is not None:
        try:
            check_pictures(config.images)
        except UsageError as error:
            raise UsageError(f"{config.places.at('data.images')}: {error}") from None
    if config.slices is not None:
        try:
            check_labels(config.slices)
        except InputError as error:
            raise UsageError(f"{config.places.at('data.slices')}: {error}") from None
    check_trust(config, engine is None)
    config = over_templates(config)
    plan = schedule(config, folder)
    try:
        # Of two sessions in one folder each would take what the other is writing for what a killed one left.
        lock = lock_folder(folder, LOCK)
    except OSError as error:
        raise unwritten(folder, error) from None
    with lock, reading_once(), interviews_shown_by(stages):
        if engine is None and config.engine is not None:
            engine = ENGINES.make(config.engine)
        return _run(config, plan, folder, on_files_in(engine, folder), on_event, before)


def forecast_session(
    config: Config, out: Path, before: Sequence[Step] = (), tell: Callable[[str], None] = lambda line: None
) -> "tuple[dict[tuple[str, str], Forecast], tuple[str, ...]]":
    """What the model that is named last would be asked, and what it would not be; nothing is asked.

    What is needed to count is made: propositions, and questions with noise; `tell` is first called with a line on that.
    The forecasts are by step and by the name
    of the template, which is empty for a model that is asked without words.
    """
    last = list(over_templates(replace(config, models={list(config.live)[-1]: {}})).models)
    config = over_templates(config)
    plan = schedule(config, out)
    first = _needed_for(plan.asks, (*before, *plan.steps))
    if first:
        tell(f"made first, as it takes these to count: {', '.join(step.title for step in first)}")
    for fault in execute(first):
        raise UsageError(fault.message)
    forecasts = {}
    for step in (step for step in plan.asks if step.model in last):
        with tempfile.TemporaryDirectory() as folder:
            template, counted = forecast(step, Path(folder))
            forecasts[step.kind, template] = counted
    return forecasts, (*plan.passed_over, *plan.unasked)


def _run(
    config: Config, plan: Schedule, folder: Path, engine: Engine | None, on_event: OnEvent, before: Sequence[Step]
) -> Session:
    if plan.unasked:
        on_event(NotAsked(plan.unasked))
    # Files that no step reads are not made: noise for a model that cannot answer.
    steps = (*_needed_for(plan.steps, before), *plan.steps)
    bad_files = check_files(steps, {step.place for step in steps})
    early = tuple(replace(with_config_place(fault, config), early=True) for fault in bad_files)
    if early:
        on_event(BadFiles(early))
    faults, went_on = _execute_all(steps, plan.asks, engine, on_event, bad_files, config)
    failed = {fault.step.place for fault in (*bad_files, *faults)}
    runs = [step for step in plan.runs if went_on and step.place not in failed]
    report, wrong = _reported(report_step(config, runs, folder / REPORT), on_event) if runs else (None, [])
    explanations = (*early, *(with_config_place(fault, config) for fault in (*faults, *wrong)))
    skipped = (*plan.skipped, *plan.passed_over, *plan.not_taken)
    return Session(report, tuple(step.place for step in runs), skipped, explanations)


def _execute_all(
    steps: Sequence[Step],
    asks: Sequence[Step],
    engine: Engine | None,
    on_event: OnEvent,
    bad_files: Sequence[Fault],
    config: Config,
) -> tuple[list[Fault], bool]:
    """The faults of all steps, and whether there was anything left to do after the interviews.

    Steps that ask models are done in this process, one after the other, so that their progress can be shown. Where
    nobody but live models is examined, and none of them could be asked, nothing is left to do.
    """
    first = _needed_for(asks, steps)
    faults = execute(first, engine, on_event, bad_files) if first else []
    not_asked = execute(asks, on_event=on_event, bad_files=(*bad_files, *faults)) if asks else []
    faults += not_asked
    if asks and len(not_asked) == len(asks) and set(config.models) <= set(config.live):
        return faults, False
    rest = [step for step in steps if step not in first and step not in asks]
    return faults + execute(rest, engine, on_event, (*bad_files, *faults)), True


def _needed_for(these: Sequence[Step], steps: Sequence[Step]) -> list[Step]:
    """What other steps make for these."""
    by_place = {step.place: step for step in steps if step not in these}
    needed: dict[Path, Step] = {}
    waiting = list(these)
    while waiting:
        for place in needs(waiting.pop(), by_place):
            if place not in needed:
                needed[place] = by_place[place]
                waiting.append(by_place[place])
    return [step for step in steps if step.place in needed]


def _reported(report: Step, on_event: OnEvent) -> tuple[Path | None, list[Fault]]:
    """Write the report; its place, and what went wrong."""
    wrong = execute([report], on_event=on_event)
    if not wrong:
        return report.place, []
    # Finished runs are shown in any case, if only without the texts and pictures around them.
    sources = {**report.sources, CONTEXT: (), SLICES: ()}
    bare = replace(report, sources=sources, options={**report.options, "images": None})
    again = execute([bare], on_event=on_event)
    known = {fault.message for fault in wrong}
    return None if again else report.place, [*wrong, *(fault for fault in again if fault.message not in known)]


def report_step(config: Config, runs: Sequence[Step], place: Path) -> Step:
    """The report of these runs, each labelled with its model's name, with files that say what the models were asked."""
    sources = {
        "runs": tuple(str(step.place) for step in runs),
        CONTEXT: tuple(dict.fromkeys(_context(config, runs))),
        SLICES: () if config.slices is None else (config.slices,),
    }
    # A folder of pictures may hold a whole dataset's: its name stands for it.
    images = None if config.images is None else os.path.realpath(config.images)
    options = {"labels": [step.model for step in runs], "images": images}
    return Step("", "report", place, sources, options, maker="voirdire.session.session:make_report_step")


def _context(config: Config, runs: Sequence[Step]) -> Iterator[str]:
    """Files that surround the items: dialogues, questions, and the objects of games.

    Those of the data; where they have none, the first of the models' own: the games of all have the same objects.
    """
    for exam in exams():
        mine = [step for step in runs if step.kind.partition(" ")[0] == exam.name]
        if not mine:
            continue  # Its files may not even have been made.
        data = config.data.get(exam.name, {})
        of_data = [source for source in exam.session_inputs(of_model=False) if set(source.kinds) <= set(exam.context)]
        outputs = exam.session_inputs(of_model=True)
        of_model = [source.name for source in outputs if set(source.kinds) & set(exam.context)]
        files = [file for source in of_data for file in source.files(data.get(source.name))]
        others = (file for step in mine for name in of_model for file in step.sources.get(name, ()))
        # Runs that were made are of sound files; some of these may tell no more of an item than its run does.
        yield from files or islice((file for file in others if is_context(file)), 1)


def make_report_step(step: Step) -> None:
    """Write the report of a session."""
    from voirdire.exam import read_run
    from voirdire.report.make import make_report, models_of, write_report
    from voirdire.report.verdict_text import verdict_text
    from voirdire.section.context import read_context

    runs = (read_run(folder) for folder in step.sources["runs"])
    models = models_of(zip(step.options["labels"], runs, strict=True))
    slices = next(iter(step.sources[SLICES]), None)
    report = make_report(models, read_context(step.sources[CONTEXT]), step.options["images"], slices)
    # These first: whoever finds the report finds them, too.
    write_atomic(step.place.with_name(VERDICT), verdict_text(report).encode())
    write_atomic(step.place.with_name(WARNINGS), "\n".join(_warnings(models)).encode())
    write_report(report, step.place)


def _warnings(models: "Sequence[Model]") -> list[str]:
    """The warnings of runs, each with the models that it is about."""
    labels: dict[tuple[str, str], list[str]] = {}
    for model in models:
        for warning in model.run.warnings:
            labels.setdefault((model.run.title, warning), []).append(model.label)
    return [f"warning: {', '.join(about)}: {title}: {warning}" for (title, warning), about in labels.items()]


def check_files(steps: Iterable[Step], places: Collection[Path]) -> list[Fault]:
    """The faults of files that steps read.

    places  of the outputs of steps
    """
    return [
        fault
        for step in steps
        if step.maker == Step.maker and not needs(step, places) and not is_made(step)
        for fault in _of_step(step)
    ]


def _of_step(step: Step) -> Iterator[Fault]:
    exam = exam_named(step.kind.partition(" ")[0])
    part = part_named(step.kind)
    options = options_of_step(part, step)
    for source in part.inputs:
        for text in step.sources.get(source.name, ()):
            try:
                if source.is_read:
                    read_one(source, text, options)
                name, _, path = text.partition(":")
                for format_, provider in exam.hint(source.name).providers.items():
                    if provider == name:
                        read_as(path, format_)
            except VoirDireError as error:
                yield Fault(step, str(error), error.source if isinstance(error, InputError) else "")


def with_config_place(fault: Fault, config: Config) -> Fault:
    """The fault with the place in the config where it can be mended, and with keys for names."""
    if fault.step.manner and not config.places.name:
        return fault  # Of a call, whose messages name flags.
    kind = fault.step.kind.removeprefix(ASK)
    exam = next((each for each in exams() if each.name == kind.partition(" ")[0]), None)
    if exam is None:
        about = [key for key, value in _every(config).items() if fault.file and _names_file(value, fault.file)]
        return replace(fault, message=_place(config, about) + fault.message)
    model = _in_config(config, fault.step.model)
    keys = _keys(exam, model)
    keys |= {name: f"models.{model}.{name}" for name in fault.step.manner.get("live", ())}
    own = _set(config, keys, fault.step.sources)
    if fault.file:
        every = own | _every(config)
        about = [key for key, value in every.items() if _names_file(value, fault.file)]
        about += [keys[fault.file]] if fault.file in keys else []
    else:
        names = [fault.option, *names_in(fault.message)]
        about = [key for key, value in own.items() if _quoted(value, fault.message)]
        # Of several that which is set.
        about += sorted((keys[mentioned] for mentioned in names if mentioned in keys), key=lambda key: key not in own)
    home = f"models.{model}.{exam.name}" if fault.step.model in config.models else f"data.{exam.name}"
    message = renamed(fault.message, {name: f"`{key}`" for name, key in keys.items()})
    return replace(fault, message=_place(config, [*about, home]) + message)


def _in_config(config: Config, model: str) -> str:
    """A model's name in the config, which names one that is asked in several templates once."""
    name, lines = model.rpartition(BETWEEN)[0], config.places.lines
    return name if f"models.{model}" not in lines and f"models.{name}" in lines else model


def _place(config: Config, keys: list[str]) -> str:
    return config.places.at(keys[0]) + ": " if keys else ""


def _keys(exam: Exam, model: str) -> dict[str, str]:
    """The keys of an exam's inputs and options, by the names that messages have for them."""
    keys: dict[str, str] = {}
    for part in session_parts(exam):
        for field in option_fields(part.options):
            keys[named(field)] = f"options.{exam.name}.{named(field)}"
        for source in part.session_inputs():
            place = f"models.{model}" if source.of_model else "data"
            keys[source.name] = f"{place}.{exam.name}.{source.name}"
    return keys


def _every(config: Config) -> dict[str, Any]:
    beside = {IMAGES: config.images, SLICES: config.slices}
    data = {**config.data, **{key: value for key, value in beside.items() if value is not None}}
    models = {name: {**files, **config.live.get(name, {})} for name, files in config.models.items()}
    return dict(leaves({"models": models, "data": data, "options": {**config.shared, **config.options}}))


def _set(config: Config, keys: Mapping[str, str], sources: Mapping[str, Any]) -> dict[str, Any]:
    """What the config says of these keys; first what the step reads."""
    every = _every(config)
    present = [(key, every[key], name) for name, key in keys.items() if key in every]
    return {key: value for key, value, _ in sorted(present, key=lambda entry: entry[2] not in sources)}


def _names_file(value: Any, file: str) -> bool:
    """Whether a value names the file, a folder that it is in, or a provider that reads it."""
    named_files = [path for text in texts(value) for path in (*_numbered(text), *paths_of(text))]
    return any(path and Path(file).is_relative_to(path) for path in named_files)


def _numbered(text: str) -> list[str]:
    """The files that a name with {} may stand for."""
    return [text.replace("{}", str(number)) for number in range(1, 10)] if "{}" in text else [text]


def _quoted(value: Any, message: str) -> bool:
    """Whether the message quotes the value, or the name of the provider in it."""
    return any(repr(word) in message for text in texts(value) for word in (text, text.partition(":")[0]))
