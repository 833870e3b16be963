"""The protocol of resolvers, on a dialogue made up here."""

import pytest

from voirdire.errors import UsageError
from voirdire.text.coreference import RESOLVERS, Cluster, Span, antecedents, check_clusters, resolver
from voirdire.text.tagging import tagger

PIECES = [
    ["a", "woman", "walks", "her", "dog"],
    ["is", "she", "old", "?"],
    ["no", ",", "and", "it", "is", "small"],
    ["are", "they", "happy", "?"],
]
WOMAN = (Span(0, 0, 2), Span(0, 3, 4), Span(1, 1, 2))
DOG = (Span(0, 3, 5), Span(2, 3, 4))


def test_each_pronoun_gets_the_first_mention_of_its_cluster() -> None:
    assert antecedents(PIECES, [WOMAN, DOG]) == {
        Span(0, 3, 4): Span(0, 0, 2),
        Span(1, 1, 2): Span(0, 0, 2),
        Span(2, 3, 4): Span(0, 3, 5),
        Span(3, 1, 2): None,
    }
    assert Span(0, 3, 5).tokens(PIECES) == ["her", "dog"]


def test_a_cluster_of_pronouns_resolves_nothing() -> None:
    assert set(antecedents(PIECES, [(Span(1, 1, 2), Span(2, 3, 4))]).values()) == {None}


def test_none_resolves_nothing() -> None:
    made = resolver("none")
    assert made.resolve(PIECES, tagger()) == []
    assert made.signature == "none"
    assert set(antecedents(PIECES, made.resolve(PIECES, tagger())).values()) == {None}
    assert antecedents([], []) == {}


@pytest.mark.parametrize(
    ("clusters", "said"),
    [
        ([(Span(0, 0, 2),)], "two or more mentions"),
        ([(Span(1, 1, 2), Span(0, 0, 2))], "in the order of the text"),
        ([(Span(0, 0, 2), Span(4, 0, 1))], "inside the 4 pieces"),
        ([(Span(0, 0, 2), Span(1, 3, 5))], "inside the 4 pieces"),
        ([(Span(0, 0, 2), Span(1, 2, 2))], "inside the 4 pieces"),
        ([WOMAN, (Span(0, 0, 2), Span(2, 3, 4))], "twice"),
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
