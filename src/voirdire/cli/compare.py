"""`voirdire compare`: is one model really better than another? `voirdire plan`: how many items does it take to tell?"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli.output import (
    AsJson,
    Latex,
    Line,
    Runs,
    check,
    json_text,
    print_styled,
    put_json,
    put_out,
    read_labelled,
    say,
    show_json,
    unstyled,
    warn,
)
from voirdire.cli.progress_bars import shown_stages
from voirdire.errors import UsageError
from voirdire.escaping import latex_comment
from voirdire.figures import ALPHA, show_count, show_figure
from voirdire.options import LARGEST_SEED
from voirdire.tables import aligned, check_csv_folder, padded, write_csv_folder

if TYPE_CHECKING:
    from voirdire.runs.run import Run
    from voirdire.verdict.comparison import Compared, Comparison
    from voirdire.verdict.paper_tables import IntervalForm
    from voirdire.verdict.planning import Plan


CHANGED = 5
AHEAD, BETTER, WORSE = "bold", "bold green", "red"
"""Styles of figures in a terminal: the better one, and where the difference is significant the better and the worse."""


def compare(
    runs: Runs,
    measures: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME,…", help="Show only these measures, in this order; may be given again."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of the swaps and the resamples.")] = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    interval: Annotated[
        str | None,
        typer.Option(
            metavar="FORM",
            help="With --latex: all models side by side, each figure with its interval, as pm (±) or in brackets.",
        ),
    ] = None,
    csv: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Also write every table to this folder, one CSV file each.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Also write the output to this file.")
    ] = None,
) -> None:
    """Compare runs of one part of an exam with the first of them, on what both were asked.

    A folder that holds runs stands for all of them; those of each part are compared with each other.
    """
    from voirdire.atomic import check_output, write_atomic
    from voirdire.stats.bootstrap import RESAMPLES
    from voirdire.verdict.comparison import compare_runs
    from voirdire.verdict.paper_tables import csv_tables, only_measures

    check(as_json, latex)
    form, wanted = _interval(interval, latex), [name for text in measures or () for name in text.split(",") if name]
    if output is not None:
        check_output(Path(output))
    if csv is not None:
        check_csv_folder(Path(csv))
    documents: list[dict[str, object]] = []
    blocks: list[list[Line]] = []
    tables: dict[str, str] = {}
    warnings: list[str] = []
    with shown_stages() as stages:
        pairs, alone = _grouped(runs)
        for named in pairs:
            title, signature = named[0][1].title, named[0][1].signature
            testing = stages(f"compare {title}", "tests")
            comparisons: Sequence[Comparison] = compare_runs(*zip(*named, strict=True), seed=seed, progress=testing)
            if wanted:
                comparisons = only_measures(comparisons, wanted)
            tables |= csv_tables(comparisons) if csv is not None else {}
            as_dicts = [comparison.to_dict() for comparison in comparisons] if as_json else []
            documents.append({"exam": named[0][1].exam, "comparisons": as_dicts, "signature": signature, "seed": seed})
            foot = f"{title}|{signature}|resamples:{RESAMPLES}|seed of the comparison:{seed}"
            blocks += _latex(comparisons, foot, form) if latex else [*map(_text, comparisons), [[(foot, "")]]]
            warnings += [] if as_json else [warning for comparison in comparisons for warning in comparison.warnings]
    if csv is not None:
        write_csv_folder(Path(csv), tables)
    if as_json:
        text = json_text(documents[0] if len(documents) == 1 else {"parts": documents})
    else:
        lines = [line for block in blocks for line in (*block, [])][:-1]
        text = "\n".join(map(unstyled, lines))
    if output is not None:
        write_atomic(Path(output), (text + "\n").encode(errors="backslashreplace"))
    if as_json:
        put_json(text)
    elif latex:
        put_out(text)
    else:
        print_styled(lines)
    warn([*warnings, *alone])


def _interval(form: str | None, latex: bool) -> "IntervalForm | None":
    from voirdire.verdict.paper_tables import INTERVALS

    if form is None:
        return None
    if not latex:
        raise UsageError("--interval goes with --latex")
    known = next((each for each in INTERVALS if each == form), None)
    if known is None:
        raise UsageError(f"--interval {form}: may be one of {', '.join(INTERVALS)}")
    return known


def _grouped(runs: Sequence[str]) -> "tuple[list[list[tuple[str, Run]]], list[str]]":
    """The runs to compare with each other, with their labels; and a line about each that has no other."""
    read = read_labelled(runs)
    parts: dict[str, list[tuple[str, Run]]] = {}
    for label, run in read:
        parts.setdefault(run.title, []).append((label, run))
    pairs = [named for named in parts.values() if len(named) > 1]
    if not pairs or len(read) == len(runs):
        # Runs that are named one by one are meant to be compared, so it is an error where they cannot be.
        return [read], []
    alone = [
        f"{named[0][0]}: no other run of `{title}` to compare with" for title, named in parts.items() if len(named) == 1
    ]
    return pairs, alone


def _text(comparison: "Comparison") -> list[Line]:
    """All measures; of the slices those that differ, and of the units those that changed most."""
    from voirdire.verdict.comparison import LEGEND

    lines: list[Line] = [
        [(comparison.heading, AHEAD)],
        *([[(comparison.lead, "")]] if comparison.lead else []),
        [],
        *_table(comparison, comparison.measures),
        [],
        [(LEGEND, "dim")],
    ]
    if comparison.slices:
        differ = [
            compared for compared in comparison.slices if compared.p_holm is not None and compared.p_holm <= ALPHA
        ]
        summary = f"{len(differ):,} of {len(comparison.slices):,} slices differ after a correction of their own."
        lines += [[], [(summary, "")]]
        if differ:
            lines += [[], *_table(comparison, differ)]
    if comparison.changed:
        rows = [
            [change.unit, change.measure.name, *map(show_figure, (change.first, change.second))]
            for change in comparison.changed[:CHANGED]
        ]
        below = aligned(["", "measure", *comparison.labels], rows)
        lines += [[], [("Changed most:", "")], *([(line, "")] for line in below)]
    return lines


def _table(comparison: "Comparison", measures: "Sequence[Compared]") -> list[Line]:
    """A row per measure, whose better figure stands out."""
    head, rule, *rows = padded(*comparison.table(measures))
    lines: list[Line] = [[("  ".join(head).rstrip(), AHEAD)], [("  ".join(rule), "dim")]]
    for compared, (name, first, second, difference, mark, *rest) in zip(measures, rows, strict=True):
        counts = compared.differs and compared.best[0] != compared.best[1]
        styles = [_style(better, counts) for better in compared.best]
        lines.append(
            [
                (f"{name}  ", ""),
                (first, styles[0]),
                ("  ", ""),
                (second, styles[1]),
                (f"  {difference}  ", ""),
                (mark, AHEAD if counts else ""),
                ("  " + "  ".join(rest).rstrip(), ""),
            ]
        )
    return lines


def _style(better: bool, counts: bool) -> str:
    if not counts:
        return AHEAD if better else ""
    return BETTER if better else WORSE


def _latex(comparisons: "Sequence[Comparison]", foot: str, form: "IntervalForm | None") -> list[list[Line]]:
    from voirdire.verdict.paper_tables import latex_tables

    return [
        [[(line, "")] for line in (latex_comment(heading), latex_comment(foot), *lines)]
        for heading, lines in latex_tables(comparisons, form)
    ]


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
    say(_plan_text(plan_))
    warn(plan_.warnings)


def _plan_text(plan: "Plan") -> str:
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
