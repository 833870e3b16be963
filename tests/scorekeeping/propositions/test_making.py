"""From dialogues to sets: what is kept, left out and drawn."""

import pytest

from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.propositions import Proposition
from voirdire.scorekeeping.exam import PropositionOptions
from voirdire.scorekeeping.propositions.making import MadePropositions, make_propositions
from voirdire.scorekeeping.propositions.selection import LeftOutWords
from voirdire.text.coreference import resolver
from voirdire.text.tagging import HanTa

ALL = PropositionOptions(captions=1.0)


@pytest.fixture(scope="module")
def hanta() -> HanTa:
    return HanTa()


def dialogues(*rounds: tuple[tuple[str, str], ...], caption: str = "a goat stands on a roof") -> Dialogues:
    return Dialogues(tuple(Dialogue(number, caption, one) for number, one in enumerate(rounds)), "val")


def make(found: Dialogues, hanta: HanTa, options: PropositionOptions = ALL) -> MadePropositions:
    return make_propositions(found, hanta, resolver("rules"), options, "here.json")


TWO = (("is there a ladder", "no"), ("how old is it", "very"), ("what color is the ladder", "i can't tell"))


@pytest.mark.slow
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
    assert "the clown on a roof is old." in texts
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


def test_what_is_in_color_is_drawn_by_seed_and_image(hanta: HanTa) -> None:
    found = dialogues(*[(("is this in color", "yes"),)] * 60)
    said = [
        [records[0].proposition.split()[1] for records in make(found, hanta, options).propositions.dialogues.values()]
        for options in (
            PropositionOptions(captions=0),
            PropositionOptions(captions=0),
            PropositionOptions(captions=0, seed=1),
        )
    ]
    assert said[0] == said[1] != said[2]
    assert set(said[0]) == {"image", "photo", "picture"}
    few = make(found, hanta, PropositionOptions(captions=0, limit=5)).propositions.dialogues
    assert [records[0].proposition.split()[1] for records in few.values()] == [said[0][place] for place in few]


def test_corrected_english_is_a_step_behind_the_rules(hanta: HanTa) -> None:
    found = dialogues((("is there boats", "no"), ("can you see the sky", "yes")))
    said = {
        wording: [
            record.proposition
            for record in make(found, hanta, PropositionOptions(captions=0, wording=wording)).propositions.dialogues[0]
        ]
        for wording in ("authors", "corrected")
    }
    assert said["authors"][::2] == ["there is no boats.", "one can see a sky."]
    assert said["corrected"][::2] == ["there are no boats.", "one can see the sky."]


def test_colours_with_or(hanta: HanTa) -> None:
    found = dialogues((("what color is the goat", "red or blue"), ("what color is the barn", "red and blue")))
    for colours in ("and", "or"):
        made = make(found, hanta, PropositionOptions(captions=0, colours=colours))
        said = [one.proposition for one in made.propositions.dialogues[0]][::2]
        assert said == [f"the goat is red {colours} blue.", "the barn is red and blue."]


@pytest.mark.slow
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


def records(*truths: tuple[str, int]) -> tuple[Proposition, ...]:
    return tuple(Proposition(text, truth, 1, "there", "positive") for text, truth in truths)
