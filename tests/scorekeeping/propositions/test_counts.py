"""Every count by hand."""

from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.scorekeeping.propositions.counts import count
from voirdire.scorekeeping.propositions.making import MadePropositions


def dialogues(*rounds: tuple[tuple[str, str], ...], caption: str = "a goat on a roof") -> Dialogues:
    return Dialogues(tuple(Dialogue(number, caption, one) for number, one in enumerate(rounds)), "val")


def test_every_count_by_hand() -> None:
    def record(text: str, truth: int, turn: int, fact: str | None) -> Proposition:
        return Proposition(text, truth, turn, "there" if turn else "caption", fact)  # type: ignore[arg-type]

    found = {
        2: (
            record("a b.", 1, 0, None),
            record("b.", 0, 0, None),
            record("c.", 1, 2, "positive"),
            record("d.", 0, 2, "positive"),
        ),
        5: (record("a b.", 1, 1, "negative"), record("b.", 0, 1, "negative")),
    }
    counts = count(MadePropositions(PropositionSet("val", "x", found, turns={2: 11, 5: 3})))
    assert (counts.dialogues, counts.propositions, counts.types, counts.vocabulary) == (2, 6, 4, 4)
    assert counts.datapoints == 4 * 11 + 2 * 3
    assert (counts.per_dialogue, counts.fewest, counts.most, counts.rounds_used) == (3, 2, 4, 1.5)
    assert (counts.dialogues_per_type, counts.one_dialogue, counts.mean_turn, counts.true) == (1.5, 0.5, 1, 0.5)
    assert counts.polarity == {"positive": 2 / 6, "negative": 2 / 6, "none": 2 / 6}
    assert counts.classes == {
        "true private": 3 / 50,
        "true shared": (11 + 9 + 2) / 50,
        "false private": 3 / 50,
        "false shared": (11 + 9 + 2) / 50,
    }
    assert counts.by_rule == {"there": 4, "caption": 2}
    assert counts.by_turn == {0: 2, 1: 2, 2: 2}
    assert counts.by_rounds_used == {1: 1, 2: 1}
    assert counts.skewed == ()


def test_sentences_that_come_early_or_late_are_shown() -> None:
    texts = [f"{letter}." for letter in "abcdefgh"]
    found = {
        number: tuple(Proposition(text, 1, place + 1, "there", None) for place, text in enumerate(texts))
        for number in range(30)
    }
    skewed = count(MadePropositions(PropositionSet("val", "x", found, turns=dict.fromkeys(found, 11)))).skewed
    assert [one.proposition for one in skewed] == ["a.", "b.", "c.", "f.", "g.", "h."]
    assert (skewed[0].uses, skewed[0].mean_turn, skewed[0].turns) == (30, 1, (0, 30, *[0] * 9))


def test_an_empty_set_has_counts_too() -> None:
    counts = count(MadePropositions(PropositionSet("val", "x", {})))
    assert (counts.propositions, counts.per_dialogue, counts.fewest, counts.rounds_used) == (0, None, None, None)
