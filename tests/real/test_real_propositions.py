"""The 2,064 val dialogues: as many propositions, types, rounds and shares as were published, and every rule at work."""

from pathlib import Path

import pytest

from voirdire.formats.dialogues import read_dialogues
from voirdire.scorekeeping.propositions.counts import Counts, count
from voirdire.scorekeeping.propositions.deriving import NAMES
from voirdire.scorekeeping.propositions.making import make_propositions
from voirdire.text.coreference import resolver
from voirdire.text.tagging import tagger


@pytest.fixture(scope="module")
def counts(real_data: Path) -> Counts:
    found = read_dialogues(real_data / "visdial" / "dialogues" / "visdial_1.0_val_text.json")
    return count(make_propositions(found, tagger(), resolver()))


@pytest.mark.parametrize(
    ("name", "published", "tolerance"),
    [
        ("dialogues", 1979, 0.02),
        ("propositions", 23_060, 0.06),
        ("types", 12_048, 0.06),
        ("rounds_used", 5.72, 0.06),
        ("vocabulary", 2168, 0.06),
        ("dialogues_per_type", 1.91, 0.06),
        ("mean_turn", 5.05, 0.06),
    ],
)
def test_a_count_is_near_the_published_one(counts: Counts, name: str, published: float, tolerance: float) -> None:
    assert getattr(counts, name) == pytest.approx(published, rel=tolerance)


def test_shares_are_within_three_points(counts: Counts) -> None:
    published = {"positive": 0.3273, "negative": 0.3909, "none": 0.2816}
    assert counts.polarity == pytest.approx(published, abs=0.03)
    classes = {"true private": 0.2294, "true shared": 0.2705, "false private": 0.2294, "false shared": 0.2705}
    assert counts.classes == pytest.approx(classes, abs=0.01)


def test_every_rule_fires(counts: Counts) -> None:
    assert set(counts.by_rule) == set(NAMES)
