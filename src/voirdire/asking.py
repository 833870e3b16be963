"""From Python: a live model is asked and examined, or all exams of a config are run, as `voirdire ask` and `exam` do.

    ask_model(reply, "world", "asked", exams=["answers"], limit=5)
    run_exam("exam.yaml").verdict

A model is named as on the command line, or is a function of the messages and the picture that returns a text.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voirdire.errors import UsageError, shorten
from voirdire.exam import Exam, exam_named, exams
from voirdire.options import Options, check_names, named, option_fields
from voirdire.progress import UNSEEN, Stages

if TYPE_CHECKING:
    from voirdire.engine import Engine
    from voirdire.session.config import Config
    from voirdire.session.session import Session
    from voirdire.session.steps import Step

Data = str | Path | Sequence[str | Path]


def run_exam(
    config: str | Path,
    output: str | Path | None = None,
    *,
    limit: int | None = None,
    seed: int | None = None,
    engine: "Engine | None" = None,
    stages: Stages = UNSEEN,
) -> "Session":
    """Run all exams of a config for all of its models, and write the report: `voirdire exam`.

    output  the folder for runs and report, in place of the config's
    limit   so many images only, in every exam, drawn by the `seed`
    """
    from voirdire.session.config import read_config
    from voirdire.session.session import run_session

    return run_session(read_config(config).over(limit=limit, seed=seed), output, engine, stages=stages)


def ask_model(
    model: str | Callable[..., Any],
    data: Data,
    output: str | Path,
    *,
    exams: Sequence[str] = (),
    name: str = "",
    images: str | Path | None = None,
    witnesses: bool = False,
    engine: "Engine | None" = None,
    stages: Stages = UNSEEN,
    **options: Any,
) -> "Session":
    """Ask a live model, score its answers, and write the report: `voirdire ask`.

    model      a name, as `openai:MODEL@URL`, or a function `reply(messages, picture)` that returns a text
    data       the official files, folders with them, or a world
    output     the folder for answers, runs and report
    exams      which; all that there is data for if not given
    name       of the model, in figures and tables
    images     a folder or a zip of pictures
    witnesses  with a world: also examine its witnesses
    options    of the interview, by the names of the flags: `limit=5`, `template="brief.yaml"`
    """
    from voirdire.live.settings import LiveOptions
    from voirdire.session.session import run_session

    chosen = _chosen(exams)
    of_model = {named(field): field.name for field in option_fields(LiveOptions)}
    of_exams = interview_options(chosen)
    check_names(options, [*of_model, *of_exams])
    live = {field.name: field.default for field in option_fields(LiveOptions)}
    live |= {of_model[key]: value for key, value in options.items() if key in of_model}
    live["model"] = model if isinstance(model, str) else _function_name(model)
    paths = [Path(path) for path in ([data] if isinstance(data, str | Path) else data)]
    place = Path(output)
    config, before = session_of_model(
        chosen, paths, place, live, name=name, images=None if images is None else str(images), witnesses=witnesses
    )
    shared = {key: options[key] for key in ("limit", "seed") if options.get(key) is not None}
    own: dict[str, dict[str, Any]] = {}
    for key, exam in of_exams.items():
        if key in options and key not in ("limit", "seed"):
            own.setdefault(exam, {})[key] = options[key]
    merged = {exam: {**config.options.get(exam, {}), **own.get(exam, {})} for exam in {*config.options, *own}}
    return run_session(replace(config, options=merged).over(**shared), place, engine, before=before, stages=stages)


def _chosen(names: Sequence[str]) -> list[Exam]:
    return [exam_named(name) for name in names] if names else list(exams())


def _function_name(function: Callable[..., Any]) -> str:
    """A function's name as a model's."""
    name, module = getattr(function, "__qualname__", ""), getattr(function, "__module__", "")
    if not module or not name.isidentifier():
        raise UsageError(f"`model` must be a name, or a function of a module's own, got {shorten(function)}")
    return f"python:{module}:{name}"


def interview_options(chosen: Sequence[Exam]) -> dict[str, str]:
    """The options of the interviews of these exams by name, each with the first exam that has it."""
    found: dict[str, str] = {}
    for exam in chosen:
        for part in exam.in_session():
            for field in option_fields(Options if part.ask is None else part.ask.options):
                found.setdefault(named(field), exam.name)
    return found


def session_of_model(
    chosen: Collection[Exam],
    paths: Sequence[Path],
    out: Path,
    live: dict[str, Any],
    *,
    name: str = "",
    images: str | None = None,
    witnesses: bool = False,
    tell: Callable[[str], None] = lambda line: None,
) -> "tuple[Config, tuple[Step, ...]]":
    """The session of one live model, and the steps that have to come before it.

    live  the model's settings by name
    tell  called with each note on the data, before an error that may follow from it
    """
    from voirdire.session.config import MODEL_NAME, Config, is_model_name
    from voirdire.session.init import data_of
    from voirdire.world.witness_session import world_data, world_session

    names = {exam.name for exam in chosen}
    label = name or re.sub(r"[^\w.+=-]+", " ", live["model"].partition("@")[0]).strip(" .+=-")
    if not is_model_name(label):
        raise UsageError(f"`name` must be {MODEL_NAME}; got {shorten(label)}")
    before: tuple[Step, ...] = ()
    models: dict[str, Any] = {}
    live_witnesses: dict[str, Any] = {}
    options: Mapping[str, Any] = {}
    if len(paths) == 1 and (paths[0] / "world.json").is_file():
        before, data, pictures = world_data(paths[0], out, names)
        if others := names - data.keys():
            # The data of an exam of another package is found among the world's files.
            from_files, _, _ = data_of(paths)
            data |= {name: files for name, files in from_files.items() if name in others}
        live["scenes"] = live["scenes"] or str(paths[0] / "scenes.jsonl")
        if witnesses:
            before, beside = world_session(paths[0], out, judging=True)
            if label in beside.models:
                raise UsageError(f"`name` must not be a witness's beside the witnesses, got {label}")
            live_witnesses = dict(beside.live)
            models = {
                name: {exam: files[exam] for exam in files if exam in names} for name, files in beside.models.items()
            }
            options = beside.options
    elif witnesses:
        raise UsageError("`witnesses` are those of a world; `data` names none")
    else:
        data, pictures, notes = data_of(paths)
        for note in notes:
            tell(note)
    data = {name: files for name, files in data.items() if name in names}
    if not data:
        raise UsageError(f"`data` has nothing that {' or '.join(sorted(names))} could be asked about")
    given = {name: value for name, value in live.items() if value is not None}
    models = {label: {}, **{name: files for name, files in models.items() if files}}
    live_ones = {name: settings for name, settings in live_witnesses.items() if name in models} | {label: given}
    return Config(models, data, options, images or pictures, str(out), live=live_ones), before
