"""The rankers by BLEU, ROUGE-L and CIDEr beside the metrics themselves on every pair."""

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from voirdire.metrics.bleu import bleu
from voirdire.metrics.cider import Corpus, cider
from voirdire.metrics.ngrams import compare_texts
from voirdire.metrics.rouge import rouge_l
from voirdire.robustness.rankers import make_ranker
from voirdire.text.tokens import words

pytestmark = pytest.mark.slow

BLEUS = ("bleu1", "bleu2", "bleu3", "bleu4")
NAMES = (*BLEUS, "rouge_l", "cider")
NOBODY = np.empty(0, np.int64)


@lru_cache(16)
def compare(pool, question):
    """The pool as words, and what all metrics are made from; six of them ask for the same dozen questions."""
    pool, question = [" ".join(words(text)) for text in pool], " ".join(words(question))
    return pool, compare_texts(pool, [question], [0, 1], np.zeros(len(pool)), pool)


def metric(name, pool, question):
    """The metric's own score of every pool question's words as hypothesis, the main question's as reference."""
    pool, compared = compare(tuple(pool), question)
    if name == "cider":
        return cider(compared, Corpus(pool, len(pool), first=np.arange(len(pool) + 1)))[:, 3]
    return rouge_l(compared) if name == "rouge_l" else bleu(compared)[:, int(name[-1]) - 1]


def check(name, pool, question, left_out, top, places, scores, rtol=1e-13):
    """A list is right where it has the metric's scores, the best of them, and equal ones in the pool's order."""
    expected = metric(name, pool, question)
    allowed = np.ones(len(pool), bool)
    allowed[left_out] = False
    allowed &= expected > 0
    found = places[places >= 0]
    assert len(found) == min(top, allowed.sum())
    assert (places[len(found) :] == -1).all()
    assert (scores[len(found) :] == 0).all()
    assert len(set(found.tolist())) == len(found)
    assert allowed[found].all()
    np.testing.assert_allclose(scores[: len(found)], expected[found], rtol=rtol)
    np.testing.assert_allclose(scores[: len(found)], np.sort(expected[allowed])[::-1][: len(found)], rtol=rtol)
    assert (np.diff(scores) <= 0).all()
    for at in np.flatnonzero(np.diff(scores[: len(found)]) == 0):
        assert found[at] < found[at + 1]
    # Whoever is left out at the last score comes later in the pool; far enough from it nobody is left out.
    if len(found) == top and len(found):
        tied = allowed & np.isclose(expected, scores[top - 1], rtol=rtol, atol=0)
        tied[found] = False
        last = found[scores[:top] == scores[top - 1]]
        assert not tied[: last.max()].any()


def check_all(name, pool, questions, left_out, top, rtol=1e-13):
    got = make_ranker(name, pool).rank(questions, left_out, top)
    assert got.places.shape == got.scores.shape == (len(questions), top)
    assert got.places.dtype == np.int64
    for row, question in enumerate(questions):
        check(name, pool, question, left_out[row], top, got.places[row], got.scores[row], rtol)
    return got


WORDS = ("is", "The", "dog", "dog?", "red", "a", "on", "isn't")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(
    pool=st.lists(TEXTS, min_size=2, max_size=25),
    questions=st.lists(st.one_of(TEXTS, TEXTS.map(lambda text: f"{text} unknown dog unknown")), min_size=1, max_size=3),
    top=st.integers(1, 30),
    data=st.data(),
)
@example(pool=["the the", "the"], questions=["the the the"], top=2, data=None)
# With unknown words the lengths that reach most are others.
@example(pool=["dog", "is dog", "is is is is is is"], questions=["unknown dog unknown"], top=1, data=None)
def test_lists_are_those_of_the_metric(name, pool, questions, top, data):
    places = st.lists(st.integers(0, len(pool) - 1), max_size=5)
    left_out = [np.array(data.draw(places) if data else [], np.int64) for _ in questions]
    check_all(name, pool, questions, left_out, top)


def made_questions(count, seed):
    """Questions of a small grammar, as like one another as people's are."""
    rng = np.random.default_rng(seed)
    starts = ("Is the", "What color is the", "How many", "Are there any", "Where is the", "Is this a", "Does the")
    kinds = ("", "red", "big", "small", "old", "wooden", "left")
    things = ("dog", "man", "two men", "bench", "train", "plate", "cat's tail", "sign")
    ends = ("", "on the table", "in the back", "next to the dog", "near the man on the left", "of the train", "there")
    extras = ("", "", "and the cat", "by the lake", "with a hat", "at night", "and a dog")
    parts = (starts, kinds, things, ends, extras)
    rows = zip(*(rng.choice(part, count) for part in parts), strict=True)
    return [" ".join(" ".join(row).split()) + "?" for row in rows]


@pytest.mark.parametrize("name", NAMES)
def test_questions_as_people_ask_them(name):
    pool = made_questions(15_000, seed=1)
    questions = [*made_questions(8, seed=2), "Zebra crossing ahead?", "?", "", "What color is the"]
    own = {text: place for place, text in reversed(list(enumerate(pool)))}
    left_out = [np.array([own[text]] if text in own else [], np.int64) for text in questions]
    assert sum(map(len, left_out)) > 3
    got = check_all(name, pool, questions, left_out, 21)
    assert (got.places[-2] == -1).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_changes_nothing(name):
    ranker = make_ranker(name, made_questions(800, seed=3))
    questions = made_questions(20, seed=4)
    together = ranker.rank(questions, [NOBODY] * 20, 21)
    for row in (0, 7, 19):
        alone = ranker.rank([questions[row]], [NOBODY], 21)
        assert alone.places.tobytes() == together.places[row : row + 1].tobytes()
        assert alone.scores.tobytes() == together.scores[row : row + 1].tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_equal_questions_share_a_score_and_stand_in_the_pool_s_order(name):
    pool = ["is it red now ?", "a dog", "Is  it, RED now?", "where is it", "is it red now"]
    got = make_ranker(name, pool).rank(["Is it red now?"], [NOBODY], 21)
    assert got.places[0, :3].tolist() == [0, 2, 4]
    assert len(set(got.scores[0, :3].tolist())) == 1
    got = make_ranker(name, pool).rank(["is it red now !"], [np.array([4, 0])], 1)
    assert got.places.tolist() == [[2]]


def test_words_match_whatever_their_case_and_what_stands_behind_them():
    pool = ["Where is the Dog?", "A dog, there", "the man's cat", "no!"]
    ranked = make_ranker("bleu1", pool).rank(["dog", "MAN cats", "No.", "?!"], [NOBODY] * 4, 2).places
    assert ranked.tolist() == [[1, 0], [2, -1], [3, -1], [-1, -1]]


@pytest.mark.parametrize(
    ("name", "question", "one", "other"),
    [
        # Squares 2/4 · 1/3 and 4/9 · 3/8: both are 1/6.
        ("bleu2", "a b c d", "a b x y", "a b c d x y z u v"),
        # With 25 tokens against 1 and 38: 1 / (25 + 900) and 2 / (950 + 900).
        ("rouge_l", " ".join(f"w{n}" for n in range(25)), "w0", " ".join(["w1", "w2"] + ["x"] * 36)),
        # All words are as rare as one another, and the sums have three parts.
        ("cider", "p q r s t u", "p q r", "s t u"),
    ],
)
def test_scores_that_are_equal_on_paper_are_ties(name, question, one, other):
    for pool in ([one, other, "o", "oo"], [other, one, "o", "oo"]):
        got = make_ranker(name, pool).rank([question], [NOBODY], 2)
        assert got.places[0].tolist() == [0, 1]
        assert got.scores[0, 0] == got.scores[0, 1] > 0


def test_bleu_without_a_common_ngram_of_its_order_is_no_neighbour():
    pool = ["is the dog red", "is the dog big", "a red dog", "is the"]
    ranked = {name: make_ranker(name, pool).rank(["is the dog red"], [NOBODY], 4).places[0].tolist() for name in BLEUS}
    assert ranked == {
        "bleu1": [0, 1, 2, 3],
        "bleu2": [0, 1, 3, -1],
        "bleu3": [0, 1, -1, -1],
        "bleu4": [0, -1, -1, -1],
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_main_question_of_more_than_64_tokens(name):
    """Its scores are the metric's, to twelve digits."""
    long = " ".join(f"w{n % 40}" for n in range(70))
    pool = [*made_questions(50, seed=5), long.replace("w3", "z"), " ".join(long.split()[:20]), long, "w1 w2 w3 w4"]
    check_all(name, pool, [long, pool[0], "w1 w2 w3 w4 w5"], [NOBODY] * 3, 21, rtol=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_a_pool_question_of_many_tokens(name):
    long = " ".join(f"w{n % 40}" for n in range(300))
    check_all(name, [long, "w1 w2 w3 w4 w5 w6", "w9", ""], ["w1 w2 w3 w4 w1 w2", long[:200]], [NOBODY] * 2, 3)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pool", [[], [""], ["", " "]])
def test_a_pool_without_words(name, pool):
    got = make_ranker(name, pool).rank(["is it?", ""], [NOBODY] * 2, 3)
    assert got.places.tolist() == [[-1] * 3] * 2
    assert got.scores.tolist() == [[0.0] * 3] * 2


def test_one_question_has_no_idf():
    assert make_ranker("cider", ["is it?"]).rank(["is it?"], [NOBODY], 2).places.tolist() == [[-1, -1]]


@pytest.mark.parametrize("name", NAMES)
def test_no_questions_and_wrong_calls(name):
    ranker = make_ranker(name, ["a b c d", "b"])
    assert ranker.rank([], [], 21).places.shape == (0, 21)
    with pytest.raises(ValueError, match=r"`left_out` must have one entry per question \(2\), got 1"):
        ranker.rank(["a", "b"], [NOBODY], 21)
    with pytest.raises(ValueError, match="`top` must be at least 1, got 0"):
        ranker.rank(["a"], [NOBODY], 0)
    with pytest.raises(ValueError, match="one string"):
        make_ranker(name, "a pool")


@pytest.mark.parametrize("name", NAMES)
def test_the_signature_says_the_reading(name):
    signature = make_ranker(name, ["a", "b"]).signature
    assert signature["ranker"] == name
    assert signature["hypothesis"] == "pool question"
    assert signature["reference"] == "main question"
    assert signature["tokeniser"] == "treebank, lower case, without punctuation"
