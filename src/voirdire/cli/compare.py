"""`voirdire compare`: is one model really better than another?"""

from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli.output import AsJson, Latex, Runs, check, read_labelled, say, show_json, warn
from voirdire.escaping import latex_comment
from voirdire.figures import ALPHA, show_figure
from voirdire.options import LARGEST_SEED
from voirdire.tables import aligned, tabular

if TYPE_CHECKING:
    from voirdire.runs.run import Run
    from voirdire.verdict.comparison import Comparison

__all__ = ["compare"]

CHANGED = 5


def compare(
    runs: Runs,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Of the swaps and the resamples.")] = 0,
    as_json: AsJson = False,
    latex: Latex = False,
) -> None:
    """Compare runs of one part of an exam with the first of them, on what both were asked.

    A folder that holds runs stands for all of them; those of each part are compared with each other.
    """
    from voirdire.stats.bootstrap import RESAMPLES
    from voirdire.verdict.comparison import compare_runs

    check(as_json, latex)
    read = read_labelled(runs)
    parts: dict[str, list[tuple[str, Run]]] = {}
    for label, run in read:
        parts.setdefault(run.title, []).append((label, run))
    pairs, alone = [named for named in parts.values() if len(named) > 1], []
    if not pairs or len(read) == len(runs):
        # Runs that were named one by one are meant to be compared: what is in the way of that is an error.
        pairs = [read]
    else:
        alone = [
            f"{named[0][0]}: no other run of `{title}` to compare with"
            for title, named in parts.items()
            if len(named) == 1
        ]
    found = []
    for named in pairs:
        made = compare_runs([label for label, _ in named], [run for _, run in named], seed=seed)
        first = named[0][1]
        if as_json:
            found.append(
                {
                    "exam": first.exam,
                    "comparisons": [one.to_dict() for one in made],
                    "signature": first.signature,
                    "seed": seed,
                }
            )
            continue
        foot = f"{first.title}|{first.signature}|resamples:{RESAMPLES}|seed of the comparison:{seed}"
        shown = [_latex(one, foot) if latex else _text(one) for one in made]
        say("\n\n".join(shown if latex else [*shown, foot]))
        warn(warning for one in made for warning in one.warnings)
    if as_json:
        show_json(found[0] if len(found) == 1 else {"parts": found})
    warn(alone)


def _text(made: "Comparison") -> str:
    """All measures; of the slices those that differ, and of the units those that changed most."""
    from voirdire.verdict.comparison import LEGEND

    head, rows = made.table()
    first, second = made.labels
    parts = ["\n".join([made.heading, "", *aligned(head, rows), "", LEGEND])]
    if made.slices:
        differ = [one for one in made.slices if one.p_holm is not None and one.p_holm <= ALPHA]
        parts.append(f"{len(differ):,} of {len(made.slices):,} slices differ after a correction of their own.")
        if differ:
            parts.append("\n".join(aligned(*made.table(differ))))
    if made.changed:
        kept = made.changed[:CHANGED]
        table = [[one.unit, one.measure.name, *map(show_figure, (one.first, one.second))] for one in kept]
        parts.append("\n".join(["Changed most:", *aligned(["", "measure", first, second], table)]))
    return "\n\n".join(parts)


def _latex(made: "Comparison", foot: str) -> str:
    return "\n".join([latex_comment(made.heading), latex_comment(foot), *tabular(*made.table())])
