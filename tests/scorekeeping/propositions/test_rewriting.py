"""Dialogues of our own, rewritten with a resolver whose clusters are written by hand."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from voirdire.scorekeeping.propositions.rewriting import Rewritten, rewrite
from voirdire.text.coreference import PRONOUNS, Cluster, Pieces, TokenSpan, resolver
from voirdire.text.tagging import HanTa, Tagger, tagger


@pytest.fixture(scope="module")
def hanta() -> Tagger:
    return tagger()


@dataclass(frozen=True)
class Told:
    """Knows the clusters, a mention as (piece, first word, number of words)."""

    clusters: Sequence[Sequence[tuple[int, str, int]]]
    name: str = "told"
    signature: str = "told"

    def resolve(self, pieces: Pieces, tagger: Tagger) -> list[Cluster]:
        return [
            tuple(
                TokenSpan(piece, at := list(pieces[piece]).index(first), at + length)
                for piece, first, length in cluster
            )
            for cluster in self.clusters
        ]


def rounds_of(caption: str, question: str, answer: str, mention: tuple[str, int], hanta: Tagger) -> Rewritten:
    """One round whose first pronoun of the question stands for a phrase of the caption."""
    pronoun = next(word for word in question.split() if word in PRONOUNS)
    told = Told([[(0, *mention), (1, pronoun, 1)]])
    return rewrite(caption, [(question, answer)], hanta, told)


@pytest.mark.parametrize(
    ("question", "mention", "expected"),
    [
        ("is it brown", ("a", 3), "is the small dog brown"),
        ("is its tail long?", ("a", 3), "is the small dog's tail long?"),
        ("do you like it , the dog", ("the", 2), "do you like the park , the dog"),
        ("what's it doing", ("a", 3), "what's the small dog doing"),
        ("are they friends", ("some", 2), "are the boys friends"),
        ("are their hats red", ("some", 2), "are the boys' hats red"),
        ("can you see her", ("a", 3), "can you see the small dog's"),
        ("is it his", ("his", 2), "is his ball his"),
        ("don't they run", ("three", 2), "don't the three girls run"),
    ],
)
def test_the_phrase_that_comes_in(question: str, mention: tuple[str, int], expected: str, hanta: HanTa) -> None:
    caption = "a small dog and some boys and three girls play with his ball in the park"
    made = rounds_of(caption, question, "no", mention, hanta)
    assert made == Rewritten(caption, ((expected, "no"),), 1)


def test_a_mark_after_an_article_goes_with_it(hanta: HanTa) -> None:
    made = rounds_of("a, young goat on a roof", "is it tame", "no", ("a", 4), hanta)
    assert made.rounds == (("is the young goat tame", "no"),)


def test_a_long_mention_leaves_the_pronoun(hanta: Tagger) -> None:
    caption = "a very big black and white dog"
    for length, replaced in ((5, 1), (6, 0)):
        made = rounds_of(caption, "is it big", "yes", ("a", length) if length == 6 else ("very", 5), hanta)
        assert made.replaced == replaced
    assert made.rounds == (("is it big", "yes"),)


def test_a_determiner_stays(hanta: Tagger) -> None:
    made = rounds_of("a dog and a cat", "is that dog big", "yes", ("a", 2), hanta)
    assert made.replaced == 0


def test_all_pieces_but_the_caption_are_rewritten(hanta: Tagger) -> None:
    caption = "a woman holds her dog by its collar"
    rounds = [("is the lamp on", "yes"), ("does she smile", 'no, she said "go", and it did not'), ("is it big", "yes")]
    told = Told(
        [
            [(0, "a", 2), (0, "her", 1), (3, "she", 1), (4, "she", 1)],
            [(0, "her", 2), (0, "its", 1), (4, "it", 1)],
            [(1, "the", 2), (5, "it", 1)],
        ]
    )
    made = rewrite(caption, rounds, hanta, told)
    assert made.caption == caption
    assert made.rounds == (
        ("is the lamp on", "yes"),
        ("does the woman smile", 'no, the woman said "go", and her dog did not'),
        ("is the lamp big", "yes"),
    )
    assert made.replaced == 4


def test_the_resolver_reads_questions_and_answers_with_their_marks(hanta: Tagger) -> None:
    seen: list[list[str]] = []

    class Listening(Told):
        def resolve(self, pieces: Pieces, tagger: Tagger) -> list[Cluster]:
            seen.extend(map(list, pieces))
            return []

    rewrite("a cat", [("is it grey?", "yes!"), ("why", "")], hanta, Listening([]))
    assert seen == [["a", "cat", "."], ["is", "it", "grey", "?"], ["yes", "!"], ["why", "?"], ["."]]


def test_where_a_text_cannot_be_put_together_the_dialogue_stays(hanta: Tagger) -> None:
    told = Told([[(0, "a", 2), (1, "it", 1), (3, "it", 1)]])
    good = rewrite("a cat", [("is it grey", "yes"), ('is "it" old', "no")], hanta, told)
    assert good == Rewritten("a cat", (("is the cat grey", "yes"), ('is "the cat" old', "no")), 2)
    # Two single quotes that open come out of the treebank as two backquotes.
    rounds = (("is it grey", "yes"), ("is ''tis it", "no"))
    assert rewrite("a cat", rounds, hanta, told) == Rewritten("a cat", rounds, 0, failed=True)


def test_nothing_resolved_and_nothing_there(hanta: Tagger) -> None:
    rounds = (("is it grey?", "it's  grey"),)
    assert rewrite("a cat", rounds, hanta, resolver("none")) == Rewritten("a cat", rounds, 0)
    assert rewrite("", [], hanta, resolver("none")) == Rewritten("", (), 0)
