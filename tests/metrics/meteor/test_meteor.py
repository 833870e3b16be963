"""METEOR's scores on a made-up lexicon, computed by hand."""

import itertools

import numpy as np
import pytest

from voirdire.metrics.measure import Measure
from voirdire.metrics.meteor import CORPUS, METEOR, meteor_segments, meteor_statistics
from voirdire.metrics.meteor.index import build
from voirdire.metrics.meteor.lexicon import MeteorLexicon

pytestmark = pytest.mark.slow

WORDS = "the a cat feline dog dogs many plenty of lot couch sofa . red scarlet coloured"


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory, write_meteor):
    source = write_meteor(tmp_path_factory.mktemp("meteor"))
    return MeteorLexicon(source, build(source))


@pytest.fixture(autouse=True)
def small(lexicon, monkeypatch):
    monkeypatch.setattr("voirdire.metrics.meteor.lexicon.installed_lexicon", lambda: lexicon)


def score(hypothesis, *references):
    (actual,) = meteor_segments([hypothesis], [references])
    return actual


def by_hand(precision, recall, chunks, matches):
    return 1 / (0.15 / precision + 0.85 / recall) * (1 - 0.6 * (chunks / matches) ** 0.2)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("yes", "yes", 1.0),
        ("Yes!", "yes !", 1.0),
        ("cat", "dog", 0.0),
        # One function word beside the match: its weight is 0.25 of 1.
        ("the dog", "dog", by_hand(0.75, 1, 1, 1)),
        ("dog", "the dog", by_hand(1, 0.75, 1, 1)),
        # All is matched in one chunk: no penalty, but a weaker match weighs less.
        ("running", "runs", 0.6),
        ("couch", "sofa", 0.8),
        ("mice", "rodents", 0.8),
        ("a lot of dogs", "many dogs", 1 / (0.15 / (1.5 / 2) + 0.85 / (1.2 / 1.5))),
        # The table holds this pair in one direction; it is used in both.
        ("plenty of dogs", "many dogs", 1 / (0.15 / ((0.6 + 0.75) / 1.75) + 0.85 / (1.2 / 1.5))),
        ("many dogs", "plenty of dogs", 1 / (0.15 / (1.2 / 1.5) + 0.85 / ((0.6 + 0.75) / 1.75))),
        # A function word and one with meaning weigh differently on the two sides of one match.
        ("it seems", "it is", 1 / (0.15 / ((0.75 + 0.45) / 1.5) + 0.85 / ((0.75 + 0.15) / 1.0))),
        # Same words in another order: two chunks.
        ("cat dog", "dog cat", by_hand(1, 1, 2, 2)),
        # Every word is matched once.
        ("dog dog", "dog", by_hand(0.5, 1, 1, 1)),
        # Of two places for `dog` the one that makes fewer chunks is taken.
        ("dog cat dog", "cat dog", by_hand(2 / 3, 1, 1, 2)),
        # Words as themselves go before a paraphrase that covers as many.
        ("a lot", "a lot", 1.0),
    ],
)
def test_scores_by_hand(hypothesis, reference, expected):
    assert score(hypothesis, reference) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("hypothesis", "reference"), [*itertools.product(["", "  ", "."], ["", " \t", "...", "!", "yes"])]
)
def test_degenerate_texts_score_nothing(hypothesis, reference):
    assert score(hypothesis, reference) == 0.0
    assert score(reference, hypothesis) == 0.0


def test_punctuation_alone_is_matched_as_any_word():
    assert score("...", "...") == 1.0
    assert score(".", ".") == 1.0


def test_the_best_reference_counts():
    assert score("the cat", "a dog", "feline", "the cat") == 1.0
    assert score("cat", "dog", "feline") == score("cat", "feline", "") == pytest.approx(0.8)


def test_segments_do_not_depend_on_their_company():
    rng = np.random.default_rng(5)
    words = WORDS.split()
    texts = [" ".join(rng.choice(words, rng.integers(0, 12))) for _ in range(120)]
    sets = [[texts[at] for at in rng.integers(0, 120, rng.integers(1, 5))] for _ in texts]
    together = meteor_segments(texts, sets)
    assert together.dtype == np.float64
    alone = [score(text, *references) for text, references in zip(texts, sets, strict=True)]
    np.testing.assert_array_equal(together, alone)
    assert (together >= 0).all()
    assert (together <= 1).all()
    assert 0 < together.mean() < 1


def test_a_long_text_with_itself_is_perfect_but_for_repeated_words():
    words = [f"w{at}" for at in range(300)]
    assert score(" ".join(words), " ".join(words)) == 1.0
    assert score(" ".join(words), " ".join(reversed(words))) == pytest.approx(0.4, abs=1e-12)


def test_corpus_score_adds_statistics_up():
    hypotheses, references = ["the dog", "cat dog", "yes"], [["dog"], ["dog cat", "dog"], ["yes"]]
    statistics = meteor_statistics(hypotheses, references)
    # matched weights, length weights, chunks (none for the perfect third), matches
    assert statistics.tolist() == [
        [0.75, 0.75, 1.0, 0.75, 1, 1],
        [1.5, 1.5, 1.5, 1.5, 2, 2],
        [0.75, 0.75, 0.75, 0.75, 0, 1],
    ]
    assert CORPUS.of(statistics.sum(axis=0)) == pytest.approx(by_hand(3 / 3.25, 1, 3, 4), abs=1e-12)
    for row, segment in zip(statistics, meteor_segments(hypotheses, references), strict=True):
        assert CORPUS.of(row) == pytest.approx(segment, abs=1e-12)


def test_corpus_score_of_nothing_matched_is_nothing():
    statistics = meteor_statistics(["cat", ""], [["dog"], ["dog"]])
    assert CORPUS.of(statistics.sum(axis=0)) == 0.0


def test_measure_is_the_mean_of_the_segments():
    assert isinstance(METEOR, Measure)
    scores = meteor_segments(["cat", "cat"], [["feline"], ["cat"]])
    statistics, _ = METEOR.statistics({"meteor": scores})
    assert METEOR.name == "meteor"
    assert METEOR.aggregate.of(METEOR.aggregate.columns(statistics[:, None]).sum(axis=0)) == pytest.approx(0.9)


def test_no_items():
    assert meteor_segments([], []).shape == (0,)
    assert meteor_statistics([], []).shape == (0, 6)


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        (["a"], [[]], "got none in set 0"),
        (["a", "b"], [["a"]], "`references` must be one set for each of 2 hypotheses, got 1"),
        (["a"], ["a"], "got a string as set 0"),
        ("a", [["a"]], "`hypotheses` must be a sequence of strings, got a string"),
    ],
)
def test_calls_that_cannot_be_meant_are_refused(hypotheses, references, message):
    with pytest.raises(ValueError, match=message):
        meteor_segments(hypotheses, references)
