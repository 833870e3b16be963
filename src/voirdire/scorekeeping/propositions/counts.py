"""How many propositions there are and how they are spread: Tables 1, 4 and 5, Figures 2, 5 and 6 of the paper.

The counts are a value for other code, measures for programs and tables for people; `propose` also writes the
propositions themselves to a file.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from voirdire.engine import Engine
from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.formats.dialogues import Dialogues
from voirdire.formats.propositions import Proposition, write_propositions
from voirdire.lazy import pl
from voirdire.metrics.measure import Key, Measure
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Run
from voirdire.runs.estimate import Estimate, Measures
from voirdire.scorekeeping.exam import EXAM, PropositionOptions
from voirdire.scorekeeping.propositions.deriving import NAMES
from voirdire.scorekeeping.propositions.making import MadePropositions, make_propositions
from voirdire.scorekeeping.propositions.selection import LeftOutWords
from voirdire.text.coreference import resolver as find_resolver
from voirdire.text.tagging import tagger as find_tagger
from voirdire.text.tokens import words

CLASSES = ("true private", "true shared", "false private", "false shared")
TURNS = 11
COMMON = 30
"""How often a sentence has to occur for its turns to say something."""
SHOWN = 3
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
    "left_out_dialogues": "dialogues with a word of the list, left out",
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
"""All measures of `scorekeeping propositions`."""


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


def count(made: MadePropositions) -> Counts:
    """The counts of a set of propositions."""
    dialogues = made.propositions.dialogues
    records = [record for its in dialogues.values() for record in its]
    sizes = [len(its) for its in dialogues.values()]
    used = Counter(len({record.turn_shared for record in its}) for its in dialogues.values())
    homes: dict[str, set[int]] = {}
    for dialogue, its in dialogues.items():
        for record in its:
            homes.setdefault(record.proposition, set()).add(dialogue)
    classes: Counter[str] = Counter()
    for dialogue, its in dialogues.items():
        for record in its:
            truth, turns = "true" if record.a_thinks_true else "false", made.propositions.turns[dialogue]
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
        skewed=skewed(records),
    )


def _mean(total: float, number: int) -> float | None:
    return total / number if number else None


def skewed(records: Sequence[Proposition], common: int = COMMON) -> tuple[Skewed, ...]:
    """The earliest and the latest of the sentences that are there so often."""
    turns: dict[str, list[int]] = {}
    for record in records:
        turns.setdefault(record.proposition, []).append(record.turn_shared)
    sentences = [
        Skewed(text, len(where), sum(where) / len(where), tuple(where.count(turn) for turn in range(TURNS)))
        for text, where in turns.items()
        if len(where) >= common
    ]
    sentences.sort(key=lambda common: (common.mean_turn, common.proposition))
    return tuple(sentences) if len(sentences) <= 2 * SHOWN else tuple(sentences[:SHOWN] + sentences[-SHOWN:])


def propose(
    dialogues: Dialogues,
    left_out_words: LeftOutWords | None = None,
    options: PropositionOptions | None = None,
    *,
    output: str | Path,
    engine: Engine | None = None,
    stages: Stages = UNSEEN,
) -> Outcome:
    """Write the propositions of dialogues to a file, and return their counts; see `make_propositions`."""
    options = options or PropositionOptions()
    tagger, resolver = find_tagger(options.tagger), find_resolver(options.resolver)
    progress, source = stages("propositions", "dialogues"), Path(dialogues.file).name
    made = make_propositions(dialogues, tagger, resolver, options, source, progress, left_out_words, engine)
    if not made.propositions.dialogues:
        left = f"nothing is left, neither of {len(dialogues):,} dialogues nor of their captions"
        raise UsageError(f"{dialogues.file}: {left}" if dialogues.file else left)
    write_propositions(made.propositions, output)
    files = {"dialogues": dialogues.fingerprint}
    if left_out_words is not None:
        files["left_out_words"] = left_out_words.fingerprint
    run = as_run(made, files, tagger.name, resolver.signature, options)
    run = run if made.drawn is None else made.drawn.sign(run)
    return Outcome((tables(made), "", f"{run.title}|{run.signature}"), warnings=run.warnings, run=run)


def as_run(
    made: MadePropositions, data: dict[str, str], tagger: str, resolver: str, options: PropositionOptions
) -> Run:
    """The counts as measures without intervals, propositions as items."""
    counts = count(made)
    return EXAM.run(
        "propositions",
        options,
        _items(made),
        Measures({key: Estimate(value, None, None, n) for key, (value, n) in _measures(made, counts).items()}),
        data,
        changing={
            "tagger": tagger,
            "resolver": resolver,
            "captions": options.captions,
            "balance": options.balance,
            "wording": options.wording,
            "colours": options.colours,
        },
        warnings=_warnings(made, counts, options),
    )


def tables(made: MadePropositions) -> str:
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
        ("pronouns replaced per dialogue", _two(_mean(made.replaced, made.read - made.left_out.total()))),
        ("dialogues with a word of the list, left out", f"{made.left_out.total():,}"),
        ("dialogues without propositions, left out", f"{made.read - made.left_out.total() - counts.dialogues:,}"),
        ("dialogues that could not be rewritten", f"{made.failed:,}"),
    ]
    shares = [("true to the answerer", _share(counts.true))]
    shares += [(f"answer {name}", _share(value)) for name, value in counts.polarity.items()]
    shares += [(f"datapoints {name}", _share(value)) for name, value in counts.classes.items()]
    all_made = max(counts.propositions, 1)
    by_rule = [(name, counts.by_rule.get(name, 0)) for name in NAMES]
    rules = [(name, f"{number:6,}  {100 * number / all_made:5.2f} %") for name, number in by_rule]
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
        sentences = [
            (text.proposition, f"{text.uses:,} uses, mean turn {text.mean_turn:.2f}: {' '.join(map(str, text.turns))}")
            for text in counts.skewed
        ]
        parts.append(_table("sentences that come early or late (uses in turns 0 to 10)", sentences))
    return "\n\n".join(parts)


def _table(title: str, rows: list[tuple[str, str]]) -> str:
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join([title, *(f"  {name.ljust(width)}  {value}" for name, value in rows)])


def _two(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f} %"


def _measures(made: MadePropositions, counts: Counts) -> dict[Key, tuple[float | None, int | None]]:
    """Each measure's value, and the number of things that it is a mean of."""
    dialogues, records, types = counts.dialogues, counts.propositions, counts.types
    stayed = made.read - made.left_out.total()
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
        Key("pronouns_replaced"): (_mean(made.replaced, stayed), stayed),
        Key("left_out_dialogues"): (made.left_out.total(), made.read),
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
    for common in counts.skewed:
        measures[Key("turn_shared").on(common.proposition)] = (common.mean_turn, common.uses)
    return measures


def _warnings(made: MadePropositions, counts: Counts, options: PropositionOptions) -> tuple[str, ...]:
    silent = [name for name in NAMES if name not in counts.by_rule]
    if options.captions == 0:
        silent = [name for name in silent if name != "caption"]
    warnings = [f"rules without a proposition: {', '.join(silent)}"] if silent else []
    return tuple(made.propositions.notes) + tuple(warnings)


def _items(made: MadePropositions) -> "pl.DataFrame":
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
