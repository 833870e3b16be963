"""The protocol of resolvers, on a dialogue made up here."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from voirdire.errors import UsageError
from voirdire.formats.vispro import Pronoun, VisproDialogue
from voirdire.text.coreference import (
    RESOLVERS,
    Cluster,
    Pieces,
    Resolution,
    TokenSpan,
    antecedents,
    check_clusters,
    measure,
    resolver,
)
from voirdire.text.tagging import Tagger, tagger

PIECES = [
    ["a", "woman", "walks", "her", "dog"],
    ["is", "she", "old", "?"],
    ["no", ",", "and", "it", "is", "small"],
    ["are", "they", "happy", "?"],
]
WOMAN = (TokenSpan(0, 0, 2), TokenSpan(0, 3, 4), TokenSpan(1, 1, 2))
DOG = (TokenSpan(0, 3, 5), TokenSpan(2, 3, 4))


def test_each_pronoun_gets_the_first_mention_of_its_cluster() -> None:
    assert antecedents(PIECES, [WOMAN, DOG]) == {
        TokenSpan(0, 3, 4): TokenSpan(0, 0, 2),
        TokenSpan(1, 1, 2): TokenSpan(0, 0, 2),
        TokenSpan(2, 3, 4): TokenSpan(0, 3, 5),
        TokenSpan(3, 1, 2): None,
    }
    assert TokenSpan(0, 3, 5).tokens(PIECES) == ["her", "dog"]


def test_a_cluster_of_pronouns_resolves_nothing() -> None:
    assert set(antecedents(PIECES, [(TokenSpan(1, 1, 2), TokenSpan(2, 3, 4))]).values()) == {None}


def test_none_resolves_nothing() -> None:
    made = resolver("none")
    assert made.resolve(PIECES, tagger()) == []
    assert made.signature == "none"
    assert set(antecedents(PIECES, made.resolve(PIECES, tagger())).values()) == {None}
    assert antecedents([], []) == {}


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        ([(TokenSpan(0, 0, 2),)], "two or more mentions"),
        ([(TokenSpan(1, 1, 2), TokenSpan(0, 0, 2))], "in the order of the text"),
        ([(TokenSpan(0, 0, 2), TokenSpan(4, 0, 1))], "inside the 4 pieces"),
        ([(TokenSpan(0, 0, 2), TokenSpan(1, 3, 5))], "inside the 4 pieces"),
        ([(TokenSpan(0, 0, 2), TokenSpan(1, 2, 2))], "inside the 4 pieces"),
        ([WOMAN, (TokenSpan(0, 0, 2), TokenSpan(2, 3, 4))], "twice"),
    ],
)
def test_clusters_that_cannot_be_are_refused(clusters: list[Cluster], message: str) -> None:
    with pytest.raises(ValueError, match="`clusters` must") as caught:
        check_clusters(PIECES, clusters)
    assert message in str(caught.value)


def test_names() -> None:
    assert "none" in RESOLVERS.names()
    with pytest.raises(UsageError, match="there is no resolver 'magic'"):
        resolver("magic")


# 0 a 1 tall 2 man 3 rides 4 a 5 horse | 6 is 7 he 8 old | 9 no 10 he 11 likes 12 it | 13 is 14 it 15 sunny
SENTENCES = [
    ["a", "tall", "man", "rides", "a", "horse"],
    ["is", "he", "old"],
    ["no", "he", "likes", "it"],
    ["is", "it", "sunny"],
]
MAN, HORSE = (0, 2), (4, 5)
PRONOUNS = [(7, [MAN], 0), (10, [MAN], 0), (12, [HORSE], 0), (14, [], 2)]
GOLD = VisproDialogue(
    pronoun_info=[Pronoun((at, at), [MAN, HORSE], kind, right, False) for at, right, kind in PRONOUNS],
    sentences=SENTENCES,
    image_file="x_1.jpg",
    clusters=[],
    doc_key="1",
    speakers=[
        [speaker] * len(words)
        for speaker, words in zip(("caption", "question", "answer", "question"), SENTENCES, strict=True)
    ],
    correct_caption_NPs=[],
    object_detection=[],
)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Told:
    clusters: Sequence[Cluster]
    name: str = "told"
    signature: str = "told"

    def resolve(self, pieces: Pieces, tagger: Tagger) -> list[Cluster]:
        return list(self.clusters)


@pytest.fixture(scope="module")
def hanta() -> Tagger:
    return tagger()


def test_counts_by_hand(hanta: Tagger) -> None:
    man = (TokenSpan(0, 0, 3), TokenSpan(1, 1, 2), TokenSpan(2, 1, 2))
    horse = (TokenSpan(0, 4, 6), TokenSpan(2, 3, 4), TokenSpan(3, 1, 2))
    found = measure([GOLD], hanta, Told([man, horse]))
    # All four are resolved, the three that refer rightly; the sunny `it` stands for nothing.
    assert found["all"] == Resolution(pronouns=4, referring=3, resolved=4, right=3, exact=3)
    assert found["all"].precision == 0.75
    assert found["all"].recall == 1.0
    assert found["he"] == Resolution(2, 2, 2, 2, 2)
    assert found["it"] == Resolution(2, 1, 2, 1, 1)


@pytest.mark.parametrize(
    ("mention", "right", "exact"),
    [
        (TokenSpan(0, 0, 3), 1, 1),
        (TokenSpan(0, 1, 3), 1, 0),
        (TokenSpan(0, 0, 4), 1, 0),
        (TokenSpan(0, 0, 6), 1, 0),
        (TokenSpan(0, 2, 4), 0, 0),
        (TokenSpan(0, 4, 6), 0, 0),
    ],
)
def test_a_phrase_inside_or_around_a_gold_phrase_is_right(
    mention: TokenSpan, right: int, exact: int, hanta: Tagger
) -> None:
    found = measure([GOLD], hanta, Told([(mention, TokenSpan(1, 1, 2))]))["all"]
    assert (found.resolved, found.right, found.exact) == (1, right, exact)


def test_it_is_the_first_mention_that_counts(hanta: Tagger) -> None:
    wrong_first = (TokenSpan(0, 3, 4), TokenSpan(0, 4, 6), TokenSpan(2, 3, 4))
    assert measure([GOLD], hanta, Told([wrong_first]))["all"].right == 0


def test_nothing_resolved_and_nothing_there(hanta: Tagger) -> None:
    none = measure([GOLD], hanta, resolver("none"))["all"]
    assert none == Resolution(4, 3, 0, 0, 0)
    assert math.isnan(none.precision)
    assert none.recall == 0.0
    empty = measure([], hanta, resolver("none"))["all"]
    assert empty == Resolution(0, 0, 0, 0, 0)
    assert math.isnan(empty.recall)
