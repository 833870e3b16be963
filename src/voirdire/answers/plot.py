"""Figures 2 and 3 of dense-visdial, drawn from runs: one line per run, vertical bars for the 95 % intervals.

runs of `rank` or `audit`   how often the true answer is ranked first, second, …; from 11 on by tens (Figure 2)
runs of `score`             a measure of the first k generations per round, their mean and the best (Figure 3)
"""

from collections.abc import Sequence
from pathlib import Path

from voirdire.answers.exam import PlotAnswersOptions
from voirdire.answers.section.charts import k_chart, rank_chart
from voirdire.answers.section.tables import base_keys, ks_of, leading
from voirdire.drawings import check_drawing, write_chart
from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.metrics.key import Key
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Run
from voirdire.section.content import Chart, Model

NAME = "figure"
USUAL = Key("cider4")
RANKED = {"answers rank", "answers audit"}


def plot_runs(
    run: Sequence[tuple[str, Run]],
    options: PlotAnswersOptions | None = None,
    stages: Stages = UNSEEN,
    *,
    output: str | Path,
) -> Outcome:
    """Draw named runs to a file whose ending says how: .svg, .png, .html."""
    check_drawing(output)
    drawn = figure(run, options or PlotAnswersOptions())
    return Outcome((f"{drawn.title}: {write_chart(dict(drawn.spec), output)}",))


def figure(runs: Sequence[tuple[str, Run]], options: PlotAnswersOptions) -> Chart:
    """The chart of the runs; all of them must be of one kind."""
    models = [Model(name, str(number), run) for number, (name, run) in enumerate(runs)]
    kinds = {run.title for _, run in runs}
    if kinds <= RANKED:
        if options.measure is not None:
            raise UsageError("`measure` is for runs of `answers score`; the ranks of the truth are no measure of these")
        chart = rank_chart(NAME, models)
        if chart is None:
            raise UsageError("no run has ranks of the true answer: `answers audit` has them with `ranks` or `scores`")
        return chart
    if kinds != {"answers score"}:
        raise UsageError(
            f"`run` must be of `answers rank` or `audit`, or of `answers score`, got {', '.join(sorted(kinds))}"
        )
    if single := next((model.label for model in models if not ks_of(model)), None):
        raise UsageError(f"{single}: its rounds have one generation each, so that there is no curve over k")
    known = [key for key in base_keys(models) if all(key in model.run.measures for model in models)]
    if not known:
        raise UsageError("the runs have no measure in common")
    return k_chart(NAME, models, _chosen(options.measure, models, known))


def _chosen(name: str | None, models: Sequence[Model], known: Sequence[Key]) -> Key:
    if name is None:
        return USUAL if USUAL in known else leading(models, known, 1)[0]
    for key in known:
        if name == str(key):
            return key
    raise UsageError(f"`measure` must be one that all runs have, got {name!r}; there are {', '.join(map(str, known))}")
