"""The options that all studies have: how they are made, and how they are collected."""

from dataclasses import dataclass

from voirdire.options import LARGEST_SEED, OptionError, Options, option
from voirdire.study.tasks import checks_among

PILOT = 30
"""Tasks of a pilot: from fewer images or games than these `voirdire plan` calls a plan rough."""


@dataclass(frozen=True)
class StudyOptions(Options):
    """Who judges how much; each exam adds how many tasks are drawn, and from what."""

    judges: int = option(5, "People per task.", least=1, most=1_000)
    per_judge: int | None = option(
        None, "At most so many tasks per person.", least=1, most=1_000_000, metavar="N", shown="all"
    )
    checks: float = option(
        0.1, "Attention checks, whose truth is known, as a share of the tasks; 0 for none.", least=0, most=1
    )
    pilot: bool = option(False, f"A small study first: {PILOT} tasks, of which `voirdire plan` says how many it takes.")
    pictured: bool = option(False, "Draw only from images that have a picture, in place of refusing.")
    minutes: float = option(
        30.0, "An unfinished task is given to somebody else after so many minutes.", least=0.01, most=100_000
    )
    seed: int = option(
        0, "Of what is drawn, and of the order in which each person sees it.", least=0, most=LARGEST_SEED
    )

    def sizes(self, name: str, wanted: int | None, usual: int, most: int) -> tuple[int, int]:
        """How many tasks and how many checks to draw of `most`, which are all different.

        name    of the option that `wanted` comes from; None takes as many as usual, or all if there are fewer
        """
        tasks = wanted if wanted is not None else PILOT if self.pilot else usual
        room = max(1, int(most / (1 + self.checks)))
        if wanted is None:
            tasks = min(tasks, room)
        checks = checks_among(tasks, self.checks)
        if tasks + checks > most:
            raise OptionError(
                name, f"`{name}` must be at most {room:,}, as there are {most:,} to draw from, got {tasks:,}"
            )
        return tasks, checks


@dataclass(frozen=True)
class CollectOptions(Options):
    """Whose judgements count, and by what a judge is named."""

    without: tuple[str, ...] = option((), "A judge whose judgements are left out.", metavar="JUDGE")
    without_named: bool = option(False, "Leave out every judge whom the rule names.")
    failed: float = option(0.2, "Share of failed attention checks above which a judge is named.", least=0, most=1)
    gap: float = option(0.04, "How far below the median judge's agreement a judge is named.", least=0, most=1)
    seed: int = option(0, "Of the resamples that the intervals come from.", least=0, most=LARGEST_SEED)
