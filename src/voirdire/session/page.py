"""The report of a session as a step: of its runs, and of the files that say what the models were asked."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from voirdire.session.config import Config
from voirdire.session.steps import Step

__all__ = ["bare", "report_step"]

CONTEXT = "context"


def report_step(config: Config, runs: Sequence[Step], place: Path) -> Step:
    """The report of these runs, each labelled with its model's name."""
    sources = {"runs": tuple(str(step.place) for step in runs), CONTEXT: _context(config)}
    # A folder of pictures may hold a whole dataset's: its name stands for it.
    images = None if config.data.images is None else str(Path(config.data.images).resolve())
    options = {"labels": [step.model for step in runs], "images": images}
    return Step("", "report", place, sources, options)


def bare(step: Step) -> Step:
    """The same report without the files and the pictures beside its runs."""
    return replace(step, sources={**step.sources, CONTEXT: ()}, options={**step.options, "images": None})


def _context(config: Config) -> tuple[str, ...]:
    """Files that say what surrounds the items: dialogues, questions, and the objects of games."""
    data = config.data
    listening = data.scorekeeping
    dialogues = (data.answers.dialogues, listening.dialogues, listening.valid_dialogues, listening.test_dialogues)
    games = (data.questions.originals, *(one.questions.games for one in config.models.values() if one.questions))
    asked = data.robustness.questions
    questions = (asked,) if isinstance(asked, str) else asked
    # The games of all models have the same objects: one file tells them.
    first = [path for path in games if path is not None][:1]
    return tuple(dict.fromkeys(path for path in (*dialogues, *questions, *first) if path is not None))
