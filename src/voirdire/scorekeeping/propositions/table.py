"""The counts of a set of propositions as measures for programs and as tables for people."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from voirdire._version import __version__
from voirdire.runs import Run, Signature
from voirdire.runs.estimate import Estimate
from voirdire.scorekeeping.propositions.counts import Counts, count
from voirdire.scorekeeping.propositions.making import Made, PropositionOptions
from voirdire.scorekeeping.propositions.order import NAMES

if TYPE_CHECKING:
    import polars as pl

__all__ = ["as_run", "tables"]


def as_run(made: Made, data: str, tagger: str, resolver: str, options: PropositionOptions) -> Run:
    """The counts as measures without intervals, propositions as items."""
    counts = count(made)
    return Run(
        exam="scorekeeping",
        part="propositions",
        options=asdict(options) | {"tagger": tagger, "resolver": resolver},
        items=_items(made),
        measures={name: Estimate(value, None, None, n) for name, (value, n) in _measures(made, counts).items()},
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
        ("propositions a dialogue", f"{_two(counts.per_dialogue)}  ({counts.fewest} to {counts.most})"),
        ("rounds used a dialogue, with the caption", _two(counts.rounds_used)),
        ("dialogues a type", _two(counts.dialogues_per_type)),
        ("types in one dialogue only", _share(counts.one_dialogue)),
        ("mean turn in which it is shared", _two(counts.mean_turn)),
        ("pronouns replaced a dialogue", _two(_ratio(made.replaced, made.read - made.profane.total()))),
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


def _measures(made: Made, counts: Counts) -> dict[str, tuple[float | None, int | None]]:
    """Each measure's value, and the number of things that it is a mean of."""
    dialogues, records, types = counts.dialogues, counts.propositions, counts.types
    stayed = made.read - made.profane.total()
    measures: dict[str, tuple[float | None, int | None]] = {
        "dialogues": (dialogues, made.read),
        "propositions": (records, None),
        "types": (types, None),
        "vocabulary": (counts.vocabulary, None),
        "datapoints": (counts.datapoints, None),
        "per_dialogue": (counts.per_dialogue, dialogues),
        "per_dialogue:min": (counts.fewest, dialogues),
        "per_dialogue:max": (counts.most, dialogues),
        "rounds_used": (counts.rounds_used, dialogues),
        "dialogues_per_type": (counts.dialogues_per_type, types),
        "one_dialogue_types": (counts.one_dialogue, types),
        "turn_shared": (counts.mean_turn, records),
        "pronouns_replaced": (_ratio(made.replaced, stayed), stayed),
        "profane_dialogues": (made.profane.total(), made.read),
        "empty_dialogues": (stayed - dialogues, made.read),
        "unwritten_dialogues": (made.failed, stayed),
        "true": (counts.true, records),
    }
    measures |= {f"polarity[{name}]": (value, records) for name, value in counts.polarity.items()}
    measures |= {f"class[{name}]": (value, counts.datapoints) for name, value in counts.classes.items()}
    measures |= {f"propositions[{name}]": (counts.by_rule.get(name, 0), None) for name in NAMES}
    measures |= {f"propositions[turn {turn}]": (number, None) for turn, number in counts.by_turn.items()}
    measures |= {f"dialogues[{used} turns used]": (number, None) for used, number in counts.by_rounds_used.items()}
    measures |= {f"rounds[{name}]": (number, None) for name, number in made.rounds.most_common()}
    for one in counts.skewed:
        measures[f"turn_shared[{one.proposition}]"] = (one.mean_turn, one.uses)
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
