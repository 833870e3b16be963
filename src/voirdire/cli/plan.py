"""`voirdire plan`: how many dialogues, questions or games an interval of some width or a test of some power needs."""

from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli.output import AsJson, say, show_json, warn
from voirdire.figures import show_count, show_figure
from voirdire.options import LARGEST_SEED
from voirdire.tables import aligned

if TYPE_CHECKING:
    from voirdire.verdict.planning import Plan

LARGEST = 1e6
"""No measure has figures, or differences, as large as this."""


def plan(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's folder, of a small sample or of another model.")],
    second: Annotated[
        str | None, typer.Argument(metavar="SECOND", help="A run of another model; plan for the difference.")
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option(
            metavar="W",
            min=0,
            max=LARGEST,
            help="Half-width of the 95 % interval that you want, in the measure's unit.",
        ),
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option(metavar="D", min=-LARGEST, max=LARGEST, help="Difference between two models to detect."),
    ] = None,
    power: Annotated[
        float | None,
        typer.Option(metavar="P", min=0, max=1, help="Probability to detect it (p ≤ 0.05).", show_default="0.8"),
    ] = None,
    measure: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Plan for this measure; may be given again.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of the simulations of a size.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Estimate from a run how many images or games an interval of some width, or a test of some power, needs."""
    from voirdire.errors import UsageError
    from voirdire.exam import read_run
    from voirdire.verdict.planning import POWER, plan_interval, plan_power

    if (half_width is None) == (difference is None):
        raise UsageError("give either --half-width W, or --difference D (with --power P)")
    if half_width is not None and power is not None:
        raise UsageError("--power goes with --difference, not with --half-width")
    runs = [read_run(folder) for folder in (run, second) if folder is not None]
    if half_width is not None:
        plan_ = plan_interval(runs, half_width, measures=measure or (), seed=seed)
    else:
        wished = POWER if power is None else power
        plan_ = plan_power(runs, difference or 0.0, power=wished, measures=measure or (), seed=seed)
    if as_json:
        show_json(plan_)
        return
    say(_text(plan_))
    warn(plan_.warnings)


def _text(plan: "Plan") -> str:
    """A row per measure, and below the table what its columns are."""
    kinds = sorted({f"{planned.of}s" for planned in plan.measures})
    of = kinds[0] if len(kinds) == 1 else "clusters"
    what = "difference" if plan.runs == 2 else "value"
    reached = "± there" if plan.power is None else "power there"
    head = ["measure", what, "± now", f"{of} now", f"{of} needed", "items", reached]
    rows = [
        [
            planned.measure,
            *map(show_figure, (planned.figure, planned.half_width)),
            *map(show_count, (planned.clusters, planned.needed, planned.cases)),
            show_figure(planned.tried),
        ]
        for planned in plan.measures
    ]
    return "\n".join([*aligned(head, rows), "", _wish(plan)])


def _wish(plan: "Plan") -> str:
    figure = "differences between the two runs" if plan.runs == 2 else "figures"
    if plan.power is None:
        return f"{plan.title}: {figure} with 95 % intervals of ± {plan.half_width:g}"
    return f"{plan.title}: a difference of {plan.difference:g} found with probability {plan.power:g} (p ≤ 0.05)"
