"""Of how much of what was asked a figure is, where that is not all: said beside the figure.

    limited       50 of 2,064 images, seed 0      the run took a part of the images
    not answered  2,064 of 20,640 rounds          the model's output lacks some, or the measure has no case there

The second is the figure's own: NDCG is of the annotated rounds, a partition of the questions that it reaches. A slice
says by its name that it is of a part; beside it stands what the whole run lacks.
"""

from collections.abc import Iterable

from voirdire.errors import UsageError
from voirdire.exam import views_of
from voirdire.figures import counted
from voirdire.runs import Run
from voirdire.section.content import Model


class Covering:
    """What stands beside the figures of some runs, by the keys of these in the page."""

    def __init__(self, models: Iterable[Model]) -> None:
        self._runs = {model.key: model.run for model in models}
        self._own: dict[str, dict[str, str]] = {}

    def of(self, key: str, measure: str) -> str:
        """Beside a figure of the run of this key; `measure` is empty for one that is made of the run's items."""
        run = self._runs[key]
        if key not in self._own:
            self._own[key] = _own(run)
        told = self._own[key].get(measure)
        return run.covers(measure) if told is None else "; ".join(filter(None, (run.limit, told)))


def _own(run: Run) -> dict[str, str]:
    """By name the measures that have fewer cases than were asked."""
    coverage = run.coverage
    if coverage is None:
        return {}
    try:
        views = views_of(run)
    except UsageError:  # A part whose runs are not compared states no views.
        return {}
    asked = counted(coverage.asked, coverage.noun)
    return {
        measure.name: f"{n:,} of {asked}"
        for view in views
        # Only there a row is what was asked; else, as with the questions of games, counts are of something else.
        if view.noun == coverage.noun and view.items.height == coverage.asked
        for measure in view.measures
        if measure.where is None and (n := run.measures.figure(measure.key).n) is not None and n < coverage.asked
    }
