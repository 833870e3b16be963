"""Where propositions come from, drawn: Figures 2, 5 and 6 of the paper.

turns      Figure 5: of each file's propositions, the share that is said at each turn
used       Figure 6: of each file's dialogues, the share of which so many turns became propositions
sentences  Figure 2: common sentences that come early or late, and the share of their uses at each turn
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from voirdire.drawings import chart, check_drawing, write_chart
from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.formats.propositions import PropositionSet
from voirdire.progress import UNSEEN, Stages
from voirdire.scorekeeping.exam import PlotPropositionsOptions
from voirdire.scorekeeping.propositions.counts import TURNS, skewed

_AXES = {
    "turns": ("turn at which it is said", "propositions (%)"),
    "used": ("turns that became propositions", "dialogues (%)"),
    "sentences": ("turn at which it is said", "uses (%)"),
}


def draw_propositions(
    propositions: Sequence[PropositionSet],
    output: str,
    options: PlotPropositionsOptions | None = None,
    stages: Stages = UNSEEN,
) -> Outcome:
    """Draw the files, and say where."""
    check_drawing(output)
    return Outcome((f"drawn: {write_chart(proposition_drawing(propositions, options), output)}",))


def proposition_drawing(
    propositions: Sequence[PropositionSet], options: PlotPropositionsOptions | None = None
) -> dict[str, Any]:
    """The drawing as a Vega-Lite specification, with its data inside."""
    options = options or PlotPropositionsOptions()
    if options.figure == "sentences":
        points = [point for file in propositions for point in _sentences(file, options.common)]
        if not points:
            raise UsageError(f"no sentence is there {options.common} times or more; give a smaller `common`")
    else:
        count = _by_turn if options.figure == "turns" else _by_used
        named = zip(_names(propositions), propositions, strict=True)
        points = [point for name, file in named for point in _shares(name, count(file))]
    across, up = _AXES[options.figure]
    return chart(
        points,
        {"field": "at", "type": "ordinal", "title": across, "axis": {"labelAngle": 0}},
        {"field": "share", "type": "quantitative", "title": up},
        "series",
    )


def _names(propositions: Sequence[PropositionSet]) -> list[str]:
    """The splits, or the files where a split has no name or is there twice."""
    splits = [file.split for file in propositions]
    if all(splits) and len(set(splits)) == len(splits):
        return splits
    return [file.file or f"propositions {number}" for number, file in enumerate(propositions, 1)]


def _by_turn(propositions: PropositionSet) -> Mapping[int, int]:
    counts = Counter(record.turn_shared for records in propositions.dialogues.values() for record in records)
    return {turn: counts[turn] for turn in range(TURNS)}


def _by_used(propositions: PropositionSet) -> Mapping[int, int]:
    counts = Counter(len({record.turn_shared for record in records}) for records in propositions.dialogues.values())
    return {number: counts[number] for number in range(1, TURNS + 1)}


def _sentences(propositions: PropositionSet, common: int) -> Iterable[dict[str, Any]]:
    records = [record for records in propositions.dialogues.values() for record in records]
    for sentence in skewed(records, common):
        yield from _shares(sentence.proposition, dict(enumerate(sentence.turns)))


def _shares(series: str, counts: Mapping[int, int]) -> list[dict[str, Any]]:
    total = sum(counts.values())
    shares = {at: 100 * number / total for at, number in counts.items()}
    return [{"series": series, "at": at, "share": share, "low": share, "high": share} for at, share in shares.items()]
