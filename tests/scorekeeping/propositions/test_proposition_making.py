"""From dialogues to sets: what is kept, left out and drawn, and every count by hand."""

import pytest

from voirdire.errors import UsageError
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.scorekeeping.exam import PropositionOptions
from voirdire.scorekeeping.probe.sample import check_balanced
from voirdire.scorekeeping.propositions.counts import count
from voirdire.scorekeeping.propositions.making import MadePropositions, make_propositions
from voirdire.scorekeeping.propositions.selection import LeftOutWords, balance, caption_draws
from voirdire.text.coreference import resolver
from voirdire.text.tagging import HanTa

ALL = PropositionOptions(captions=1.0)


@pytest.fixture(scope="module")
def hanta() -> HanTa:
    return HanTa()


def dialogues(*rounds: tuple[tuple[str, str], ...], caption: str = "a goat on a roof") -> Dialogues:
    return Dialogues(tuple(Dialogue(number, caption, one) for number, one in enumerate(rounds)), "val")


def make(found: Dialogues, hanta: HanTa, options: PropositionOptions = ALL) -> MadePropositions:
    return make_propositions(found, hanta, resolver("rules"), options, "here.json")


TWO = (("is there a ladder", "no"), ("how old is it", "very"), ("what color is the ladder", "i can't tell"))


def test_entailments_stand_at_even_places_and_their_contradictions_after_them(hanta: HanTa) -> None:
    made = make(dialogues(TWO), hanta)
    records = made.propositions.dialogues[0]
    assert [(one.proposition, one.a_thinks_true, one.turn_shared, one.rule, one.qa_fact) for one in records] == [
        ("there is a goat.", 1, 0, "caption", None),
        ("there is no goat.", 0, 0, "caption", None),
        ("there is a roof.", 1, 0, "caption", None),
        ("there is no roof.", 0, 0, "caption", None),
        ("there is no ladder.", 1, 1, "there", "negative"),
        ("there is a ladder.", 0, 1, "there", "negative"),
    ]
    assert (made.propositions.split, made.propositions.source) == ("val", "here.json")
    assert made.rounds == {
        "used": 1,
        "no rule matches": 1,
        "the answer starts with an expression of not knowing": 1,
    }


def test_pronouns_are_replaced_before_the_rules_that_ask_for_it(hanta: HanTa) -> None:
    made = make(dialogues((("is he old", "yes"), ("is he old", "no")), caption="a clown on a roof"), hanta)
    texts = [one.proposition for one in made.propositions.dialogues[0]]
    assert "the clown is old." in texts
    assert made.replaced == 2


def test_profane_dialogues_and_those_without_propositions_are_left_out(hanta: HanTa) -> None:
    found = dialogues(TWO, (("is it a damn goat", "yes"),), (("why", "because"),))
    made = make(found, hanta, PropositionOptions(captions=0.0))
    assert list(made.propositions.dialogues) == [0]
    assert made.left_out == {"damn": 1}
    assert made.read == 3


def test_words_of_ones_own_leave_dialogues_out(hanta: HanTa) -> None:
    words = LeftOutWords.of(["ladder"])
    found = dialogues(TWO, (("is it a damn goat", "yes"),))
    made = make_propositions(found, hanta, resolver("rules"), ALL, words=words)
    assert list(made.propositions.dialogues) == [1]
    assert made.left_out == {"ladder": 1}


def test_a_set_says_how_long_its_dialogues_are(hanta: HanTa) -> None:
    assert make(dialogues(TWO, TWO[:1]), hanta).propositions.turns == {0: 4, 1: 2}


def test_colours_with_or(hanta: HanTa) -> None:
    found = dialogues((("what color is the goat", "red or blue"), ("what color is the barn", "red and blue")))
    for colours in ("and", "or"):
        made = make(found, hanta, PropositionOptions(captions=0, colours=colours))
        said = [one.proposition for one in made.propositions.dialogues[0]][::2]
        assert said == [f"the goat is red {colours} blue.", "the barn is red and blue."]


def test_captions_are_drawn_with_the_seed(hanta: HanTa) -> None:
    found = dialogues(*[TWO] * 200)
    first, again, other = (
        make(found, hanta, PropositionOptions(seed=seed)).propositions.dialogues for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    drawn = sum(one.rule == "caption" for records in first.values() for one in records)
    assert 60 < drawn < 180  # 120 of 800 on average
    assert all(len(records) % 2 == 0 for records in first.values())


def test_draws_of_captions() -> None:
    assert caption_draws(0.0, 1, 100) == [False] * 100
    assert caption_draws(1.0, 1, 100) == [True] * 100
    assert caption_draws(0.5, 1, 0) == []
    with pytest.raises(ValueError, match=r"`share` must be from 0 to 1, got 1\.5"):
        caption_draws(1.5, 1, 2)


def test_a_share_outside_its_range_is_refused(hanta: HanTa) -> None:
    with pytest.raises(UsageError, match="`captions` must be at most 1, got 2"):
        make(dialogues(TWO), hanta, PropositionOptions(captions=2))


def records(*truths: tuple[str, int]) -> tuple[Proposition, ...]:
    return tuple(Proposition(text, truth, 1, "there", "positive") for text, truth in truths)


class TestBalance:
    def test_every_sentence_is_left_as_often_true_as_false(self) -> None:
        many = {number: records(("a.", 1), ("b.", 0)) for number in range(50)}
        many |= {number: records(("b.", 1), ("a.", 0)) for number in range(50, 70)}
        many[70] = records(("c.", 1), ("d.", 0))
        balanced = balance(PropositionSet("train", "x", many), 3)
        check_balanced(balanced, "made")
        assert len(balanced) == 80
        assert 70 not in balanced.dialogues
        assert balanced == balance(PropositionSet("train", "x", many), 3)
        assert balanced != balance(PropositionSet("train", "x", many), 4)

    def test_no_sentence_is_left_more_often_than_the_limit(self) -> None:
        many = {number: records(("a.", number % 2), ("b.", 1 - number % 2)) for number in range(40)}
        balanced = balance(PropositionSet("train", "x", many), 0, limit=7)
        assert len(balanced) == 4 * 7
        check_balanced(balanced, "made")

    def test_what_is_balanced_stays(self) -> None:
        both = PropositionSet("train", "x", {0: records(("a.", 1), ("b.", 0)), 1: records(("b.", 1), ("a.", 0))})
        assert balance(both, 5) == both

    def test_nothing_may_be_left(self) -> None:
        assert balance(PropositionSet("train", "x", {0: records(("a.", 1), ("b.", 0))}), 5).dialogues == {}


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
