"""How many propositions there are and how they are spread: Tables 1, 4 and 5, Figures 2, 5 and 6 of the paper.

The counts are a value for other code, measures for programs and tables for people.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from voirdire._version import __version__
from voirdire.formats.propositions import Proposition
from voirdire.runs import Run, Signature
from voirdire.runs.estimate import Estimate
from voirdire.scorekeeping.propositions.deriving import NAMES
from voirdire.scorekeeping.propositions.making import Made, PropositionOptions
from voirdire.text.tokens import words

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CLASSES", "Counts", "Skewed", "as_run", "count", "tables"]

CLASSES = ("true private", "true shared", "false private", "false shared")
TURNS = 11
COMMON = 30
"""How often a sentence has to occur for its turns to say something."""
SHOWN = 3


@dataclass(frozen=True, slots=True)
class Skewed:
    """A common sentence: how often it is said, in which turn on average, and how often in each of eleven."""

    proposition: str
    uses: int
    mean_turn: float
    turns: tuple[int, ...]


@dataclass(frozen=True)
class Counts:
    """What the paper's tables and figures say of a set; shares are between 0 and 1, None where nothing was counted.

    datapoints        a proposition and a turn of its dialogue each
    rounds_used       mean number of turns of a dialogue that propositions come from, its caption counted as one
    one_dialogue      share of the types that occur in one dialogue only
    polarity          share of propositions by the answer's polarity: positive, negative, none
    classes           share of datapoints by true or false to the answerer, private or shared
    by_rule, by_turn  propositions
    by_rounds_used    dialogues
    skewed            the earliest and the latest of the common sentences
    """

    dialogues: int
    propositions: int
    types: int
    vocabulary: int
    datapoints: int
    per_dialogue: float | None
    fewest: int | None
    most: int | None
    rounds_used: float | None
    dialogues_per_type: float | None
    one_dialogue: float | None
    mean_turn: float | None
    true: float | None
    polarity: Mapping[str, float]
    classes: Mapping[str, float]
    by_rule: Mapping[str, int]
    by_turn: Mapping[int, int]
    by_rounds_used: Mapping[int, int]
    skewed: tuple[Skewed, ...]


def count(made: Made) -> Counts:
    """The counts of a set of propositions."""
    dialogues = made.propositions.dialogues
    records = [record for one in dialogues.values() for record in one]
    sizes = [len(one) for one in dialogues.values()]
    used = Counter(len({record.turn_shared for record in one}) for one in dialogues.values())
    homes: dict[str, set[int]] = {}
    for dialogue, one in dialogues.items():
        for record in one:
            homes.setdefault(record.proposition, set()).add(dialogue)
    classes: Counter[str] = Counter()
    for dialogue, one in dialogues.items():
        for record in one:
            truth, turns = "true" if record.a_thinks_true else "false", made.turns[dialogue]
            classes[f"{truth} private"] += record.turn_shared
            classes[f"{truth} shared"] += turns - record.turn_shared
    polarity = Counter(record.qa_fact or "none" for record in records)
    points = classes.total()
    return Counts(
        dialogues=len(dialogues),
        propositions=len(records),
        types=len(homes),
        vocabulary=len({word for sentence in homes for word in words(sentence)}),
        datapoints=points,
        per_dialogue=_mean(len(records), len(dialogues)),
        fewest=min(sizes, default=None),
        most=max(sizes, default=None),
        rounds_used=_mean(sum(rounds * number for rounds, number in used.items()), len(dialogues)),
        dialogues_per_type=_mean(sum(map(len, homes.values())), len(homes)),
        one_dialogue=_mean(sum(len(home) == 1 for home in homes.values()), len(homes)),
        mean_turn=_mean(sum(record.turn_shared for record in records), len(records)),
        true=_mean(sum(record.a_thinks_true for record in records), len(records)),
        polarity={name: polarity[name] / max(len(records), 1) for name in ("positive", "negative", "none")},
        classes={name: classes[name] / max(points, 1) for name in CLASSES},
        by_rule=dict(Counter(record.rule for record in records).most_common()),
        by_turn=dict(sorted(Counter(record.turn_shared for record in records).items())),
        by_rounds_used=dict(sorted(used.items())),
        skewed=_skewed(records),
    )


def _mean(total: float, number: int) -> float | None:
    return total / number if number else None


def _skewed(records: list[Proposition]) -> tuple[Skewed, ...]:
    turns: dict[str, list[int]] = {}
    for record in records:
        turns.setdefault(record.proposition, []).append(record.turn_shared)
    common = [
        Skewed(text, len(where), sum(where) / len(where), tuple(where.count(turn) for turn in range(TURNS)))
        for text, where in turns.items()
        if len(where) >= COMMON
    ]
    common.sort(key=lambda one: (one.mean_turn, one.proposition))
    return tuple(common) if len(common) <= 2 * SHOWN else tuple(common[:SHOWN] + common[-SHOWN:])


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
        ("propositions per dialogue", f"{_two(counts.per_dialogue)}  ({counts.fewest} to {counts.most})"),
        ("rounds used per dialogue, with the caption", _two(counts.rounds_used)),
        ("dialogues per type", _two(counts.dialogues_per_type)),
        ("types in one dialogue only", _share(counts.one_dialogue)),
        ("mean turn in which it is shared", _two(counts.mean_turn)),
        ("pronouns replaced per dialogue", _two(_mean(made.replaced, made.read - made.profane.total()))),
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
        "pronouns_replaced": (_mean(made.replaced, stayed), stayed),
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
