"""Steps in which a live model is asked for the files of one part; these are then scored as any files are."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voirdire.atomic import atomic_folder
from voirdire.call import Call
from voirdire.exam import Ask, Exam, Part, part_named
from voirdire.live.settings import LiveOptions
from voirdire.options import Options
from voirdire.progress import UNSEEN, Stages
from voirdire.session.steps import Sources, Step

if TYPE_CHECKING:
    # Loaded where a model is asked, and nowhere else: the client comes with them.
    from voirdire.live.interview import Forecast, Interview
    from voirdire.live.scripts import Spending

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
    maker = "voirdire.session.interview_steps:make_replies"
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


def forecast(step: Step, folder: Path) -> "Forecast":
    """Count what a step would ask; nothing is asked, and what it would write goes to a folder of the caller's."""
    with _interview(step, folder, dry=True) as interview:
        _ask(step, interview)
        return interview.forecast
