"""`voirdire compare`: is one model really better than another?"""

from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli.output import AsJson, Latex, Runs, check, read_labelled, say, show_json, warn
from voirdire.escaping import latex_comment
from voirdire.figures import (
    ALPHA,
    ARROWS,
    counted,
    show_count,
    show_difference,
    show_figure,
    show_interval,
    show_p,
    stars,
)
from voirdire.options import LARGEST_SEED
from voirdire.tables import aligned, tabular

if TYPE_CHECKING:
    from voirdire.verdict.comparison import Compared, Comparison

__all__ = ["compare"]

CHANGED = 5
LEGEND = "* p ≤ 0.05, ** p ≤ 0.01, *** p ≤ 0.001, corrected (Holm); ↑ higher is better, ↓ lower"


def compare(
    runs: Runs,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Of the swaps and the resamples.")] = 0,
    as_json: AsJson = False,
    latex: Latex = False,
) -> None:
    """Compare runs of one part of an exam with the first of them, on what both were asked."""
    from voirdire.stats.bootstrap import RESAMPLES
    from voirdire.verdict.comparison import compare_runs

    check(as_json, latex)
    named = read_labelled(runs)
    first = named[0][1]
    made = compare_runs([label for label, _ in named], [run for _, run in named], seed=seed)
    if as_json:
        show_json(
            {
                "exam": first.exam,
                "comparisons": [one.to_dict() for one in made],
                "signature": first.signature,
                "seed": seed,
            }
        )
        return
    foot = f"{first.title}|{first.signature}|resamples:{RESAMPLES}|seed of the comparison:{seed}"
    shown = [_latex(one, foot) if latex else _text(one) for one in made]
    say("\n\n".join(shown if latex else [*shown, foot]))
    warn(warning for one in made for warning in one.warnings)


def _text(made: "Comparison") -> str:
    """All measures; of the slices those that differ, and of the units those that changed most."""
    head, rows = _table(made, made.measures)
    first, second = made.labels
    parts = ["\n".join([_title(made), "", *aligned(head, rows), "", LEGEND])]
    if made.slices:
        differ = [one for one in made.slices if one.p_holm is not None and one.p_holm <= ALPHA]
        parts.append(f"{len(differ):,} of {len(made.slices):,} slices differ after a correction of their own.")
        if differ:
            parts.append("\n".join(aligned(*_table(made, differ))))
    if made.changed:
        kept = made.changed[:CHANGED]
        table = [[one.unit, one.measure.name, *map(show_figure, (one.first, one.second))] for one in kept]
        parts.append("\n".join(["Changed most:", *aligned(["", "measure", first, second], table)]))
    return "\n\n".join(parts)


def _latex(made: "Comparison", foot: str) -> str:
    return "\n".join([latex_comment(_title(made)), latex_comment(foot), *tabular(*_table(made, made.measures))])


def _title(made: "Comparison") -> str:
    first, second = made.labels
    return f"{made.title}: {second} against {first}, {counted(made.paired, made.noun)} in both"


def _table(made: "Comparison", shown: "list[Compared] | tuple[Compared, ...]") -> tuple[list[str], list[list[str]]]:
    head = ["measure", *made.labels, "difference", "", "95 % interval", "p", "p (Holm)", "win/tie/loss", "n"]
    return head, [_row(one) for one in shown]


def _row(one: "Compared") -> list[str]:
    return [
        one.measure.name + ARROWS[one.measure.better],
        show_figure(one.first),
        show_figure(one.second),
        show_difference(one.difference),
        stars(one.p_holm).ljust(3),
        show_interval(one.low, one.high),
        show_p(one.p),
        show_p(one.p_holm),
        "/".join(map(show_count, (one.wins, one.ties, one.losses))),
        show_count(one.n),
    ]
