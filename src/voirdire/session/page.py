"""The report of a session as a step: of its runs, and of the files that say what the models were asked."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from voirdire.report.context import tells_of_items
from voirdire.session.config import Config, texts
from voirdire.session.steps import Step

__all__ = ["bare", "report_step"]

CONTEXT = "context"


def report_step(config: Config, runs: Sequence[Step], place: Path) -> Step:
    """The report of these runs, each labelled with its model's name."""
    sources = {"runs": tuple(str(step.place) for step in runs), CONTEXT: _context(config, runs)}
    # A folder of pictures may hold a whole dataset's: its name stands for it.
    images = None if config.data.images is None else str(Path(config.data.images).resolve())
    options = {"labels": [step.model for step in runs], "images": images}
    return Step("", "report", place, sources, options)


def bare(step: Step) -> Step:
    """The same report without the files and the pictures beside its runs."""
    return replace(step, sources={**step.sources, CONTEXT: ()}, options={**step.options, "images": None})


def _context(config: Config, runs: Sequence[Step]) -> tuple[str, ...]:
    """Files that say what surrounds the items: dialogues, questions, and the objects of games."""
    data = config.data
    listening = data.scorekeeping
    dialogues = (data.answers.dialogues, listening.dialogues, listening.valid_dialogues, listening.test_dialogues)
    # Runs that were made have sound games; logs, and 20 questions, tell no more of a game than its run does.
    games = (data.questions.originals, *(path for step in runs for path in step.sources.get("games", ())))
    # The games of all models have the same objects: one file tells them.
    first = [path for path in dict.fromkeys(games) if path is not None and tells_of_items(path)][:1]
    return tuple(
        dict.fromkeys(path for path in (*dialogues, *texts(data.robustness.questions), *first) if path is not None)
    )
