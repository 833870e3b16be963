"""The protocol of resolvers, on a dialogue made up here."""

import pytest

from voirdire.errors import UsageError
from voirdire.text.coreference import RESOLVERS, Cluster, TokenSpan, antecedents, check_clusters, resolver
from voirdire.text.tagging import tagger

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
    ("clusters", "said"),
    [
        ([(TokenSpan(0, 0, 2),)], "two or more mentions"),
        ([(TokenSpan(1, 1, 2), TokenSpan(0, 0, 2))], "in the order of the text"),
        ([(TokenSpan(0, 0, 2), TokenSpan(4, 0, 1))], "inside the 4 pieces"),
        ([(TokenSpan(0, 0, 2), TokenSpan(1, 3, 5))], "inside the 4 pieces"),
        ([(TokenSpan(0, 0, 2), TokenSpan(1, 2, 2))], "inside the 4 pieces"),
        ([WOMAN, (TokenSpan(0, 0, 2), TokenSpan(2, 3, 4))], "twice"),
    ],
)
def test_clusters_that_cannot_be_are_refused(clusters: list[Cluster], said: str) -> None:
    with pytest.raises(ValueError, match="`clusters` must") as caught:
        check_clusters(PIECES, clusters)
    assert said in str(caught.value)


def test_names() -> None:
    assert "none" in RESOLVERS.names()
    with pytest.raises(UsageError, match="there is no resolver 'magic'"):
        resolver("magic")
