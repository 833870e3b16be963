"""The 2,064 val dialogues: as many propositions, types, rounds and shares as were published, and every rule at work."""

import runpy
from pathlib import Path

import pytest

from voirdire.formats.dialogues import read_dialogues
from voirdire.scorekeeping.propositions.counts import Counts, count
from voirdire.scorekeeping.propositions.deriving import NAMES
from voirdire.scorekeeping.propositions.making import MadePropositions, make_propositions
from voirdire.scorekeeping.propositions.selection import profane_words, read_left_out_words
from voirdire.text.coreference import resolver
from voirdire.text.tagging import tagger

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(real_data: Path) -> MadePropositions:
    found = read_dialogues(real_data / "visdial" / "dialogues" / "visdial_1.0_val_text.json")
    words = read_left_out_words(real_data / "scorekeeping" / "left_out_words.txt")
    return make_propositions(found, tagger(), resolver(), words=words)


@pytest.fixture(scope="module")
def counts(made: MadePropositions) -> Counts:
    return count(made)


@pytest.mark.parametrize(
    ("name", "published", "tolerance"),
    [
        ("dialogues", 1979, 0.002),
        ("propositions", 23_060, 0.02),
        ("types", 12_048, 0.02),
        ("rounds_used", 5.72, 0.02),
        ("vocabulary", 2168, 0.06),
        ("dialogues_per_type", 1.91, 0.06),
        ("mean_turn", 5.05, 0.06),
    ],
)
def test_a_count_is_near_the_published_one(counts: Counts, name: str, published: float, tolerance: float) -> None:
    assert getattr(counts, name) == pytest.approx(published, rel=tolerance)


def test_78_dialogues_are_left_out_for_a_word_and_some_yield_nothing(made: MadePropositions) -> None:
    assert made.left_out.total() == 78
    assert 2 <= made.read - 78 - len(made.propositions.dialogues) <= 9


def test_ski_slopes_are_not_left_out(real_data: Path) -> None:
    found = read_dialogues(real_data / "visdial" / "dialogues" / "visdial_1.0_val_text.json")
    texts = [(one.caption, *(text for pair in one.rounds for text in pair)) for one in found]
    ours, theirs = profane_words(), read_left_out_words(real_data / "scorekeeping" / "left_out_words.txt")
    left = [said for said in texts if ours.first(said)]
    assert len(left) == 32
    assert all(map(theirs.first, left))


def test_the_rules_of_pronouns_leave_no_it(made: MadePropositions) -> None:
    rules = ("verb_pron_adj", "verb_pron_obj")
    records = [one for some in made.propositions.dialogues.values() for one in some if one.rule in rules]
    assert records
    assert [record.proposition for record in records if record.proposition.startswith("it ")] == []


def test_shares_are_within_one_point(counts: Counts) -> None:
    published = {"positive": 0.3273, "negative": 0.3909, "none": 0.2816}
    assert counts.polarity == pytest.approx(published, abs=0.01)
    classes = {"true private": 0.2294, "true shared": 0.2705, "false private": 0.2294, "false shared": 0.2705}
    assert counts.classes == pytest.approx(classes, abs=0.01)


def test_what_is_private_at_turn_5(counts: Counts) -> None:
    """Measured: 45.7 %; the paper says around 44.5."""
    private = sum(number for turn, number in counts.by_turn.items() if turn > 5)
    assert private / counts.propositions == pytest.approx(0.445, abs=0.015)


def test_every_rule_has_its_published_share(counts: Counts) -> None:
    """Measured: 1.5 points, half the sum of the absolute differences."""
    published = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "propositions.py"))["SHARES"]
    assert set(counts.by_rule) == set(NAMES) == set(published)
    assert sum(abs(counts.by_rule[name] / counts.propositions - published[name] / 100) for name in NAMES) / 2 < 0.02
