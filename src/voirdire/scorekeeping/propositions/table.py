"""Propositions of dialogues in a file, and their counts: as measures for programs and as tables for people."""

from pathlib import Path
from typing import TYPE_CHECKING

from voirdire._version import __version__
from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.formats.dialogues import Dialogues
from voirdire.formats.propositions import write_propositions
from voirdire.metrics.measure import Key, Measure
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Run, Signature
from voirdire.runs.estimate import Estimate, Measures
from voirdire.scorekeeping.exam import PropositionOptions
from voirdire.scorekeeping.propositions.counts import Counts, count
from voirdire.scorekeeping.propositions.making import Made, make_propositions
from voirdire.scorekeeping.propositions.order import NAMES
from voirdire.text.coreference import resolver as find_resolver
from voirdire.text.tagging import tagger as find_tagger

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MEASURES", "as_run", "propose", "tables"]

_ABOUT = {
    "dialogues": "dialogues that have propositions",
    "propositions": "propositions, of all dialogues",
    "types": "different sentences",
    "vocabulary": "different words",
    "datapoints": "propositions at turns: what a probe is asked",
    "per_dialogue": "propositions per dialogue",
    "rounds_used": "turns per dialogue that propositions come from, with the caption",
    "dialogues_per_type": "dialogues per different sentence",
    "one_dialogue_types": "share of the sentences that are in one dialogue only",
    "turn_shared": "mean turn in which a proposition is shared",
    "pronouns_replaced": "pronouns replaced per dialogue",
    "profane_dialogues": "dialogues with a profane word, left out",
    "empty_dialogues": "dialogues without propositions, left out",
    "unwritten_dialogues": "dialogues that could not be rewritten",
    "true": "share of the propositions that are true to the answerer",
    "polarity": "share of the propositions by the polarity of their answer",
    "class": "share of the datapoints by their class",
    "rounds": "rounds by what became of them",
}
MEASURES = tuple(
    Measure.figure(name, "neither", description=text, citation="scorekeeping, §4") for name, text in _ABOUT.items()
)
"""All measures that `scorekeeping propositions` tells."""


def propose(
    dialogues: Dialogues, options: PropositionOptions | None = None, *, output: str | Path, stages: Stages = UNSEEN
) -> Outcome:
    """Write the propositions of dialogues to a file, and tell their counts; see `make_propositions`."""
    options = options or PropositionOptions()
    tagger, resolver = find_tagger(options.tagger), find_resolver(options.resolver)
    made = make_propositions(
        dialogues, tagger, resolver, options, Path(dialogues.file).name, stages("propositions", "dialogues")
    )
    if not made.propositions.dialogues:
        left = f"nothing is left, neither of {len(dialogues):,} dialogues nor of their captions"
        raise UsageError(f"{dialogues.file}: {left}" if dialogues.file else left)
    write_propositions(made.propositions, output)
    run = as_run(made, dialogues.fingerprint, tagger.name, resolver.signature, options)
    return Outcome((tables(made), "", f"{run.title}|{run.signature}"), warnings=run.warnings, run=run)


def as_run(made: Made, data: str, tagger: str, resolver: str, options: PropositionOptions) -> Run:
    """The counts as measures without intervals, propositions as items."""
    counts = count(made)
    return Run(
        exam="scorekeeping",
        part="propositions",
        options=options.plain(),
        items=_items(made),
        measures=Measures({key: Estimate(value, None, None, n) for key, (value, n) in _measures(made, counts).items()}),
        signature=Signature(
            version=__version__,
            data={"dialogues": data},
            seed=options.seed,
            options={"tagger": tagger, "resolver": resolver, "captions": options.captions, "balance": options.balance},
        ),
        fingerprints={"dialogues": data},
        warnings=_warnings(made, counts, options),
    )


def tables(made: Made) -> str:
    """All counts, for people."""
    counts = count(made)
    sizes = [
        ("dialogues", f"{counts.dialogues:,} of {made.read:,}"),
        ("propositions", f"{counts.propositions:,}"),
        ("types", f"{counts.types:,}"),
        ("vocabulary", f"{counts.vocabulary:,}"),
        ("datapoints", f"{counts.datapoints:,}"),
        ("propositions per dialogue", f"{_two(counts.per_dialogue)}  ({counts.fewest} to {counts.most})"),
        ("rounds used per dialogue, with the caption", _two(counts.rounds_used)),
        ("dialogues per type", _two(counts.dialogues_per_type)),
        ("types in one dialogue only", _share(counts.one_dialogue)),
        ("mean turn in which it is shared", _two(counts.mean_turn)),
        ("pronouns replaced per dialogue", _two(_ratio(made.replaced, made.read - made.profane.total()))),
        ("dialogues with a profane word, left out", f"{made.profane.total():,}"),
        ("dialogues without propositions, left out", f"{made.read - made.profane.total() - counts.dialogues:,}"),
        ("dialogues that could not be rewritten", f"{made.failed:,}"),
    ]
    shares = [("true to the answerer", _share(counts.true))]
    shares += [(f"answer {name}", _share(value)) for name, value in counts.polarity.items()]
    shares += [(f"datapoints {name}", _share(value)) for name, value in counts.classes.items()]
    rules = [(name, f"{counts.by_rule.get(name, 0):,}") for name in NAMES]
    turns = [(f"turn {turn}", f"{number:,}") for turn, number in counts.by_turn.items()]
    used = [(f"{rounds} turns used", f"{number:,}") for rounds, number in counts.by_rounds_used.items()]
    fates = [(name, f"{number:,}") for name, number in made.rounds.most_common()]
    parts = [
        _table("sizes", sizes),
        _table("shares", shares),
        _table("rounds", fates),
        _table("propositions by rule", rules),
        _table("propositions by turn", turns),
        _table("dialogues by turns used", used),
    ]
    if counts.skewed:
        said = [
            (one.proposition, f"{one.uses:,} uses, mean turn {one.mean_turn:.2f}: {' '.join(map(str, one.turns))}")
            for one in counts.skewed
        ]
        parts.append(_table("sentences that come early or late (uses in turns 0 to 10)", said))
    return "\n\n".join(parts)


def _table(title: str, rows: list[tuple[str, str]]) -> str:
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join([title, *(f"  {name.ljust(width)}  {value}" for name, value in rows)])


def _two(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f} %"


def _ratio(total: float, number: int) -> float | None:
    return total / number if number else None


def _measures(made: Made, counts: Counts) -> dict[Key, tuple[float | None, int | None]]:
    """Each measure's value, and the number of things that it is a mean of."""
    dialogues, records, types = counts.dialogues, counts.propositions, counts.types
    stayed = made.read - made.profane.total()
    measures: dict[Key, tuple[float | None, int | None]] = {
        Key("dialogues"): (dialogues, made.read),
        Key("propositions"): (records, None),
        Key("types"): (types, None),
        Key("vocabulary"): (counts.vocabulary, None),
        Key("datapoints"): (counts.datapoints, None),
        Key("per_dialogue"): (counts.per_dialogue, dialogues),
        Key("per_dialogue").under("min"): (counts.fewest, dialogues),
        Key("per_dialogue").under("max"): (counts.most, dialogues),
        Key("rounds_used"): (counts.rounds_used, dialogues),
        Key("dialogues_per_type"): (counts.dialogues_per_type, types),
        Key("one_dialogue_types"): (counts.one_dialogue, types),
        Key("turn_shared"): (counts.mean_turn, records),
        Key("pronouns_replaced"): (_ratio(made.replaced, stayed), stayed),
        Key("profane_dialogues"): (made.profane.total(), made.read),
        Key("empty_dialogues"): (stayed - dialogues, made.read),
        Key("unwritten_dialogues"): (made.failed, stayed),
        Key("true"): (counts.true, records),
    }
    of_rule, used = Key("propositions"), Key("dialogues")
    measures |= {Key("polarity").on(name): (value, records) for name, value in counts.polarity.items()}
    measures |= {Key("class").on(name): (value, counts.datapoints) for name, value in counts.classes.items()}
    measures |= {of_rule.on(name): (counts.by_rule.get(name, 0), None) for name in NAMES}
    measures |= {of_rule.on(f"turn {turn}"): (number, None) for turn, number in counts.by_turn.items()}
    measures |= {used.on(f"{turns} turns used"): (number, None) for turns, number in counts.by_rounds_used.items()}
    measures |= {Key("rounds").on(name): (number, None) for name, number in made.rounds.most_common()}
    for one in counts.skewed:
        measures[Key("turn_shared").on(one.proposition)] = (one.mean_turn, one.uses)
    return measures


def _warnings(made: Made, counts: Counts, options: PropositionOptions) -> tuple[str, ...]:
    silent = [name for name in NAMES if name not in counts.by_rule]
    if options.captions == 0:
        silent = [name for name in silent if name != "caption"]
    said = [f"rules without a proposition: {', '.join(silent)}"] if silent else []
    return tuple(made.propositions.notes) + tuple(said)


def _items(made: Made) -> "pl.DataFrame":
    import polars as pl

    rows = [(number, record) for number, records in made.propositions.dialogues.items() for record in records]
    return pl.DataFrame(
        {
            "dialogue": pl.Series([number for number, _ in rows], dtype=pl.Int64),
            "proposition": pl.Series([record.proposition for _, record in rows], dtype=pl.String),
            "a_thinks_true": pl.Series([record.a_thinks_true for _, record in rows], dtype=pl.Int8),
            "turn_shared": pl.Series([record.turn_shared for _, record in rows], dtype=pl.Int8),
            "rule": pl.Series([record.rule for _, record in rows], dtype=pl.String),
            "qa_fact": pl.Series([record.qa_fact for _, record in rows], dtype=pl.String),
        }
    )
