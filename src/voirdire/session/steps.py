"""One thing to be made, a run or a file, with a note that says whether it exists already.

    note = version, kind and options of the step, fingerprints of all that it reads, fingerprint of what it made

The note lies beside what was made and is written last. A step whose note would be the same now is not run again; one
that was killed in between has no note. So a session can be killed at any moment, and the same call goes on.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from voirdire._version import __version__
from voirdire.atomic import atomic_folder, write_atomic
from voirdire.call import Call
from voirdire.exam import Ask, Exam, Part, load, part_named
from voirdire.formats.files import open_source
from voirdire.live.settings import LiveOptions
from voirdire.options import Options, about, option_fields
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Run, write_run
from voirdire.session.named_files import fingerprint

if TYPE_CHECKING:
    # Loaded where a model is asked, and nowhere else: the client comes with them.
    from voirdire.live.interview import Forecast, Interview
    from voirdire.live.scripts import Spending


Sources = Mapping[str, tuple[str, ...]]
"""Role to the files, or providers with files, that are read in it."""

Make = Callable[["Step"], None]
"""Makes what stands at the step's place, whole or not at all."""

WORK = "training"
"""What the folder is called beside a run, in which unfinished work is kept."""


@dataclass(frozen=True)
class Step:
    """What is made, and of what.

    model    whose it is; empty where several models share it
    kind     what it does, in the words of the verb that does the same: "answers score"
    place    the folder of the run, or the file
    sources  what is read; its content counts
    options  plain values; all else that the result depends on
    manner   plain values that only say how it is made, and do not change the result
    maker    what makes it, as `package.module:name`
    weight   how long it takes beside others
    """

    model: str
    kind: str
    place: Path
    sources: Sources
    options: Mapping[str, Any] = field(default_factory=dict)
    maker: str = "voirdire.session.steps:make_part"
    weight: int = 0
    manner: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Its name in progress and messages: "blind: answers score", "blind: world answer, ranks.json"."""
        what = f"{self.kind}, {self.place.name}" if self.model and self.maker != Step.maker else self.kind
        return f"{self.model}: {what}" if self.model else what

    @property
    def note(self) -> Path:
        """The note that says what `place` was made of."""
        return note_of(self.place)

    def file(self, role: str) -> str:
        """The only file in a role."""
        (file,) = self.sources[role]
        return file


def part_step(
    model: str, kind: str, place: Path, given: Mapping[str, tuple[str, ...]], options: Any, weight: int = 0
) -> Step:
    """The step of an exam's part; a provider that an option names may read files, so it is a source."""
    named = {
        option.name: value if isinstance(value := getattr(options, option.name), tuple) else (value,)
        for option in option_fields(type(options))
        if about(option).provider and getattr(options, option.name) is not None
    }
    plain = {name: value for name, value in options.plain().items() if name not in named}
    return Step(model, kind, place, {**given, **named}, plain, weight=weight)


def options_of_step(part: Part, step: Step) -> Options:
    """The options of a part's step: plain values, and the providers among its sources."""
    values = dict(step.options)
    for option in option_fields(part.options):
        if files := step.sources.get(option.name):
            values[option.name] = files if isinstance(option.default, tuple) else files[0]
    return part.options(**values)


def make_part(step: Step) -> None:
    """Run a part of an exam: its run goes to the step's place, or what else it writes."""
    part = part_named(step.kind)
    given = {source.name: step.sources.get(source.name, ()) for source in part.inputs}
    places: dict[str, Any] = {output.name: str(step.place) for output in part.outputs if output.name == "output"}
    work = Path(f"{step.place}.{WORK}")
    if part.takes_also("work"):
        places["work"] = work
    if part.takes_also("overwrite"):
        # It was checked before whether the output is up to date.
        places["overwrite"] = True
    result = Call(part, given, options_of_step(part, step), places).run()
    if isinstance(result, Run):
        write_run(result, step.place, overwrite=True)
    if part.takes_also("work"):
        shutil.rmtree(work, ignore_errors=True)


def note_of(place: Path) -> Path:
    """The note beside what a session made."""
    return place.with_name(f".{place.name}.made_of.json")


def is_made(step: Step) -> bool:
    """Whether the step's output exists and is what it would make now."""
    return step.place.exists() and step.note.is_file() and open_source(step.note).data == _note(step, _reads(step))


def do(step: Step) -> None:
    """Make its output and the note; unfinished files of a killed session are removed."""
    for path in (step.place, step.note):
        for partial in path.parent.glob(f".*.partial.{path.name}"):
            shutil.rmtree(partial) if partial.is_dir() else partial.unlink()
    step.note.unlink(missing_ok=True)
    reads = _reads(step)
    make: Make = load(step.maker)
    make(step)
    write_atomic(step.note, _note(step, reads))


def _reads(step: Step) -> dict[str, list[str]]:
    return {role: [fingerprint(spec) for spec in specs] for role, specs in step.sources.items()}


def _note(step: Step, reads: dict[str, list[str]]) -> bytes:
    output = fingerprint(str(step.place))
    note = {"version": __version__, "kind": step.kind, "options": step.options, "reads": reads, "made": output}
    return msgspec.json.format(msgspec.json.encode(note, order="sorted"), indent=2) + b"\n"


OUTPUTS, JOURNAL = "said", ".journal"
ASK = "ask "
SCENES, TEMPLATE = "live.scenes", "live.template"
"""Roles of the files of scenes and of the prompt template."""
_STAGES: ContextVar[Stages] = ContextVar("stages", default=UNSEEN)
_SPENT: "ContextVar[dict[str, Spending] | None]" = ContextVar("spent", default=None)


@contextmanager
def interviews_shown_by(stages: Stages) -> Iterator[None]:
    """For the length of the block, interviews are shown by these stages, and what models cost is added up."""
    tokens = _STAGES.set(stages), _SPENT.set({})
    try:
        yield
    finally:
        _STAGES.reset(tokens[0])
        _SPENT.reset(tokens[1])


def ask_step(
    name: str, exam: Exam, part: Part, live: LiveOptions, options: Options, data: Sources, images: str | None, out: Path
) -> Step:
    """The step that asks a model for a part's files."""
    files = {SCENES: live.scenes, TEMPLATE: live.template if Path(live.template).is_file() else None}
    sources = {**data, **{role: (path,) for role, path in files.items() if path is not None}}
    reply_options = {key: value for key, value in live.reply_options.items() if f"live.{key}" not in sources}
    manner = {"live": live.plain(), "images": [] if images is None else [images]}
    place = out / OUTPUTS / name / f"{exam.name}-{part.name}"
    kind = f"{ASK}{exam.name} {part.name}"
    maker = "voirdire.session.steps:make_replies"
    return Step(name, kind, place, sources, {"live": reply_options, **options.plain()}, maker, manner=manner)


def _ask_of(step: Step) -> Ask:
    ask = part_named(step.kind.removeprefix(ASK)).ask
    assert ask is not None
    return ask


def _interview(step: Step, folder: Path, **more: Any) -> "Interview":
    from voirdire.live.interview import Interview

    live = LiveOptions(**step.manner["live"])
    journal = step.place.with_name(step.place.name + JOURNAL)
    return Interview(live, folder, journal, list(map(Path, step.manner["images"])), **more)


def _ask(step: Step, interview: "Interview") -> None:
    """Ask for everything, into the interview's folder."""
    ask = _ask_of(step)
    options = ask.options(**{name: value for name, value in step.options.items() if name != "live"})
    Call(ask, step.sources, options, {"interview": interview}).run()


def make_replies(step: Step) -> None:
    """Ask a model for its files; replies so far stay in the journal, whatever happens to the rest."""
    from voirdire.live.scripts import Spending

    spent = _SPENT.get()
    spending = Spending() if spent is None else spent.setdefault(step.model, Spending())
    with (
        atomic_folder(step.place, replace=True) as folder,
        _interview(step, folder, stages=_STAGES.get(), spending=spending) as interview,
    ):
        _ask(step, interview)
        interview.provenance().write(folder)


def forecast(step: Step, folder: Path) -> "tuple[str, Forecast]":
    """The name of the template, and the count of what a step would ask; nothing is asked, and what it would write goes
    to a folder of the caller's."""
    with _interview(step, folder, dry=True) as interview:
        _ask(step, interview)
        return interview.template_name, interview.forecast
