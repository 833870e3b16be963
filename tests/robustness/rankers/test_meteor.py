"""The ranker by METEOR against METEOR on every pair: lists, ties, and each bound by itself."""

import gzip
import itertools
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ranker_cases import from_python

from voirdire.metrics.meteor import meteor_segments
from voirdire.metrics.meteor.index import MeteorFiles, build
from voirdire.metrics.meteor.lexicon import MeteorLexicon
from voirdire.metrics.meteor.tables import read_sentences, tables_of
from voirdire.metrics.meteor.words import word_key
from voirdire.robustness.rankers import make_ranker, meteor_bounds, meteor_marks, meteor_sieve
from voirdire.robustness.rankers.meteor import MeteorRanker, lists_of

pytestmark = pytest.mark.slow

# Few words with many relations, so that alignments compete; `aā` and `bâ` are two words of one key.
WORDS = [
    *("the", "a", "of", "is", "in", "bâ", "aā", "cat", "cats", "feline", "couch", "sofa", "settee"),
    *("runs", "running", "run", "dog", "many", "plenty", "lot"),
]
SYNSETS = {"couch": "1 9", "sofa": "1", "settee": "9", "cat": "2", "feline": "2 3", "dog": "3", "run": "4", "lot": "4"}
PARAPHRASES = (
    *(("a lot of", "many"), ("many", "a lot of"), ("many", "plenty of"), ("is", "is the"), ("the", "of the")),
    *(("the cat", "feline"), ("in the couch", "sofa is"), ("dog dog", "cats"), ("runs the", "is running"), ("bâ", "a")),
    *(("cat the cat", "the"), ("in", "of"), ("dog", "the dog"), ("is in", "in is"), ("aā cat", "run the sofa")),
)


def make_lexicon(folder, functions, synsets, paraphrases):
    source = MeteorFiles(folder / "words.jar", folder / "paraphrases.gz")
    with zipfile.ZipFile(source.jar, "w") as archive:
        archive.writestr("function/english.words", "".join(f"{word}\n" for word in functions))
        archive.writestr("nonbreaking/english.prefixes", "Mr\n")
        archive.writestr("synonym/english.exceptions", "mouse\nmice\n")
        archive.writestr("synonym/english.synsets", "".join(f"{word}\n{sets}\n" for word, sets in synsets.items()))
    with gzip.open(source.paraphrases, "wt", encoding="utf-8") as file:
        file.writelines(f"0.5\n{phrase}\n{instead}\n" for phrase, instead in paraphrases)
    return MeteorLexicon(source, build(source))


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory):
    functions = ("the", "a", "of", "is", "in", "bâ")
    return make_lexicon(tmp_path_factory.mktemp("meteor"), functions, SYNSETS, PARAPHRASES)


@pytest.fixture
def small(lexicon, monkeypatch):
    monkeypatch.setattr("voirdire.metrics.meteor.lexicon.installed_lexicon", lambda: lexicon)
    monkeypatch.setattr("voirdire.robustness.rankers.meteor.installed_lexicon", lambda: lexicon)


def nobody(count):
    return [np.empty(0, np.int64)] * count


def by_every_pair(pool, question, top, left_out=()):
    """(places, scores) of METEOR on every pair."""
    scores = meteor_segments(pool, [[question]] * len(pool))
    scores[list(left_out)] = 0.0
    best = np.lexsort((np.arange(len(pool)), -scores))[:top]
    best = best[scores[best] > 0]
    return best.tolist(), scores[best].tolist()


def lists(found, row):
    kept = found.places[row] >= 0
    assert (found.scores[row][~kept] == 0).all()
    assert kept.sum() == np.flatnonzero(kept).size == kept[: kept.sum()].sum()
    return found.places[row][kept].tolist(), found.scores[row][kept].tolist()


side_of, bound_all, mark, unmark, clear_gains, fill_gains, sift = map(
    from_python,
    (
        *(meteor_bounds.side_of, meteor_bounds.bound_all, meteor_marks.mark, meteor_marks.unmark),
        *(meteor_sieve.clear_gains, meteor_sieve.fill_gains, meteor_sieve.sift),
    ),
)


def bounds_of(ranker, questions):
    """For each question and each sequence of the pool: the bounds by sieve and by chunks, and the score."""
    from voirdire.metrics.meteor.scorer import score_pairs
    from voirdire.robustness.rankers.meteor_bounds import factors
    from voirdire.robustness.rankers.meteor_marks import most_links

    pool = ranker._pool
    sentences = read_sentences([ranker._words(text) for text in questions], ranker._lexicon, ranker._sentences)
    tables = tables_of(sentences, ranker._lexicon)
    inverted, count, phrases = lists_of(pool, tables), len(pool.earliest), len(tables.emit_first)
    masks, spans = np.zeros((pool.row_first[-1], 4), np.uint64), np.zeros(phrases, np.uint64)
    links = most_links(tables, inverted.emitter_first, count)
    heads, chains = np.full(phrases, -1, np.int32), np.empty((links, 4), np.int32)
    gains, phrase_gains = np.zeros(len(masks), np.int64), np.zeros(phrases, np.int64)
    room = np.empty((2, 65), np.uint64), np.empty((4, 64), np.int64)
    for reference in range(count, count + len(questions)):
        here = tables.words[tables.first[reference] : tables.first[reference + 1]]
        side = side_of(here, tables.keys, tables.function)
        linked = mark(tables, inverted, reference, masks, spans, heads, chains)
        largest = fill_gains(tables, inverted, reference, side, masks, chains, linked, gains, phrase_gains)
        results = []
        for way in ("sieve", "chunks"):
            order, bounds, of_each = np.arange(count, dtype=np.int32), np.empty(count), np.zeros(count)
            if way == "sieve":
                kept = sift(
                    *(order, count, tables.first, pool.rows, pool.weight, tables.phrase_first, tables.phrase),
                    *((gains, phrase_gains, largest), side, 0.0, factors(), bounds),
                )
            else:
                kept = bound_all(
                    *(order, count, tables.first, pool.rows),
                    (tables.phrase_first, tables.phrase_start, tables.phrase_length, tables.phrase),
                    *((pool.meaning, pool.again, pool.weight), (masks, spans, heads, chains)),
                    *(side, 0.0, factors(), room, bounds),
                )
            of_each[order[:kept]] = bounds[:kept]
            results.append(of_each)
        clear_gains(tables, inverted, reference, chains, linked, gains, phrase_gains)
        unmark(tables, inverted, reference, masks, spans, heads, chains, linked)
        assert not masks.any()
        assert not spans.any()
        assert not gains.any()
        assert not phrase_gains.any()
        assert (heads == -1).all()
        yield *results, score_pairs(tables, np.arange(count), np.full(count, reference))[1]


TEXTS = st.lists(st.sampled_from(WORDS), min_size=0, max_size=9).map(" ".join)
SLOW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)


def test_the_lexicon_has_two_words_of_one_key():
    assert word_key("aā") == word_key("bâ")


@SLOW
@given(pool=st.lists(TEXTS, min_size=1, max_size=40), questions=st.lists(TEXTS, min_size=1, max_size=4), data=st.data())
@pytest.mark.usefixtures("small")
def test_lists_are_those_of_every_pair(pool, questions, data):
    top = data.draw(st.integers(1, 6))
    left_out = [np.array(data.draw(st.lists(st.integers(0, len(pool) - 1), max_size=4)), np.int64) for _ in questions]
    ranked = MeteorRanker(pool).rank(questions, left_out, top)
    assert ranked.places.shape == ranked.scores.shape == (len(questions), top)
    for row, question in enumerate(questions):
        assert lists(ranked, row) == by_every_pair(pool, question, top, left_out[row])


@SLOW
@given(pool=st.lists(TEXTS, min_size=1, max_size=40), questions=st.lists(TEXTS, min_size=1, max_size=4))
@pytest.mark.usefixtures("small")
def test_no_score_is_above_a_bound(pool, questions):
    for sieve, chunks, scores in bounds_of(MeteorRanker(pool), questions):
        assert (sieve >= scores).all()
        assert (chunks >= scores).all()


@pytest.mark.usefixtures("small")
def test_bounds_hold_on_many_random_texts_and_tell_questions_apart():
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 13))) for _ in range(1500)]
    tight = 0
    for sieve, chunks, scores in bounds_of(MeteorRanker(texts[:1400]), texts[1400:]):
        assert (sieve >= scores).all()
        assert (chunks >= scores).all()
        tight += (chunks <= scores * (1 + 1e-8)).sum()
    assert tight > 1000


@pytest.mark.parametrize("seed", range(24, 40))
def test_bounds_hold_whatever_words_mean(tmp_path, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    words = rng.choice(WORDS, rng.integers(4, len(WORDS)), replace=False)
    # Both words of one key are always there.
    words = [*words, *{"aā", "bâ"}.difference(words)]

    def phrase():
        return " ".join(rng.choice(words, rng.integers(1, 5)))

    synsets = {word: f"{rng.integers(0, 5)} {rng.integers(5, 9)}" for word in rng.choice(words, 4, replace=False)}
    lexicon = make_lexicon(
        tmp_path, rng.choice(words, 3), synsets, [(phrase(), phrase()) for _ in range(rng.integers(1, 60))]
    )
    monkeypatch.setattr("voirdire.robustness.rankers.meteor.installed_lexicon", lambda: lexicon)
    texts = [" ".join(rng.choice(words, rng.integers(1, 11))) for _ in range(440)]
    for sieve, chunks, scores in bounds_of(MeteorRanker(texts[:400]), texts[400:]):
        assert (sieve >= scores).all()
        assert (chunks >= scores).all()


@pytest.mark.usefixtures("small")
def test_equal_scores_stand_in_the_order_of_the_pool():
    pool = ["the dog", "cat is", "dog the!", "The dog", "sofa", "the dog", "cat  is", "is cat", "settee", "sofa"]
    ranked = MeteorRanker(pool).rank(["the dog", "couch"], nobody(2), 4)
    assert lists(ranked, 0)[0] == [0, 3, 5, 2]
    assert lists(ranked, 1) == ([4, 8, 9], [pytest.approx(0.8)] * 3)


@pytest.mark.usefixtures("small")
def test_what_is_left_out_makes_room_for_the_next():
    pool = ["the dog"] * 5 + ["a dog", "dog"]
    ranker = MeteorRanker(pool)
    ranked = ranker.rank(["the dog"] * 2, [np.array([3, 0, 3]), np.arange(7)], 4)
    assert lists(ranked, 0)[0] == [1, 2, 4, 6]
    assert lists(ranked, 1) == ([], [])


@pytest.mark.usefixtures("small")
def test_short_lists_and_degenerate_questions():
    ranker = MeteorRanker(["many cats", "", "  ", "."])
    ranked = ranker.rank(["a lot of cats", "", "unheard of", "dog"], nobody(4), 21)
    assert ranked.places.shape == (4, 21)
    assert [len(lists(ranked, row)[0]) for row in range(4)] == [1, 0, 0, 0]
    assert ranked.places[0, 0] == 0
    assert dict(ranked.certificates) == {}
    for row, question in enumerate(["a lot of cats", "", "unheard of", "dog"]):
        assert lists(ranked, row) == by_every_pair(["many cats", "", "  ", "."], question, 21)


@pytest.mark.usefixtures("small")
def test_no_questions_and_no_pool():
    assert MeteorRanker(["a"]).rank([], [], 3).places.shape == (0, 3)
    assert (MeteorRanker([]).rank(["a"], nobody(1), 3).places == -1).all()


@pytest.mark.usefixtures("small")
def test_texts_of_more_words_than_a_machine_word_has_bits():
    rng = np.random.default_rng(8)
    pool = [" ".join(rng.choice(WORDS, size)) for size in [3, 5, 7, 62, 63, 64, 65, 90] * 6]
    questions = [" ".join(rng.choice(WORDS, size)) for size in (4, 62, 63, 64, 65, 80)]
    ranked = MeteorRanker(pool).rank(questions, nobody(6), 5)
    for row, question in enumerate(questions):
        assert lists(ranked, row) == by_every_pair(pool, question, 5)


@pytest.mark.usefixtures("small")
def test_a_list_does_not_depend_on_its_company():
    rng = np.random.default_rng(5)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 10))) for _ in range(60)]
    ranker = MeteorRanker(texts[:50])
    together = ranker.rank(texts[50:], nobody(10), 7)
    for row, text in enumerate(texts[50:]):
        alone = ranker.rank([text], nobody(1), 7)
        assert lists(alone, 0) == lists(together, row)


@pytest.mark.usefixtures("small")
def test_calls_that_cannot_be_meant_are_refused():
    ranker = make_ranker("meteor", ["a"])
    with pytest.raises(ValueError, match="`top` must be at least 1, got 0"):
        ranker.rank(["a"], nobody(1), 0)
    with pytest.raises(ValueError, match=r"`left_out` must have one entry per question \(1\), got 0"):
        ranker.rank(["a"], [], 3)
    with pytest.raises(ValueError, match="`pool_texts` must be a sequence of strings, got one string 'abc'"):
        MeteorRanker("abc")


def world_like():
    """Questions of the kind that the world asks."""
    kinds = ("red", "big", "wooden", "")
    things = ("dog", "couch", "people", "child", "parking lot", "vehicle", "car")
    places = ("", "in the background", "on the left side", "to the right of the table", "in front of the kids")
    for kind, thing, place in itertools.product(kinds, things, places):
        yield f"Is the {kind} {thing} {place}?"
        yield f"How many {kind} {thing} can you see {place}?"
        yield f"What color is the {thing} {place}?"


def test_lists_with_the_data_of_meteor_itself():
    texts = list(dict.fromkeys(" ".join(text.split()) for text in world_like()))
    rng = np.random.default_rng(2)
    texts = [texts[at] for at in rng.permutation(len(texts))]
    pool, questions = texts[:-6], [*texts[-6:], "Where are the children?", "is a automobile left of it"]
    ranker = make_ranker("meteor", pool)
    ranked = ranker.rank(questions, nobody(8), 21)
    for row, question in enumerate(questions):
        assert lists(ranked, row) == by_every_pair(pool, question, 21)
    for sieve, chunks, scores in bounds_of(ranker, questions):
        assert (sieve >= scores).all()
        assert (chunks >= scores).all()
    assert ranker.signature["ranker"] == "meteor"
    assert ranker.batch > 0
