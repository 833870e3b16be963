"""How many propositions there are and how they are spread: Tables 1, 4 and 5, Figures 2, 5 and 6 of the paper."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from voirdire.formats.propositions import Proposition
from voirdire.scorekeeping.propositions.making import Made
from voirdire.text.tokens import words

__all__ = ["CLASSES", "Counts", "Skewed", "count"]

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
