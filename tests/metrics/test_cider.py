"""CIDEr against its definition read slowly, by hand, and with other corpora."""

import json
import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from voirdire.errors import InputError, UsageError
from voirdire.metrics.cider import CIDER, CORPORA, cider, cider_d
from voirdire.metrics.ngrams import compare_texts


def grams(text, n):
    words = text.split()
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def slow_cider(hypotheses, sets, documents=None):
    """The definition, a line at a time."""
    documents = sets if documents is None else documents
    scores = []
    for hypothesis, references in zip(hypotheses, sets, strict=True):
        orders = []
        for n in range(1, 5):

            def weights(text, n=n):
                actual = {}
                for gram, count in grams(text, n).items():
                    df = sum(any(gram in grams(text, n) for text in document) for document in documents)
                    actual[gram] = count * (math.log(len(documents)) - math.log(max(1, df)))
                return actual

            ours, total = weights(hypothesis), 0.0
            for reference in references:
                theirs = weights(reference)
                dot = sum(ours[gram] * theirs.get(gram, 0.0) for gram in ours)
                lengths = math.hypot(*ours.values()) * math.hypot(*theirs.values())
                total += dot / lengths if lengths else 0.0
            orders.append(total / len(references))
        scores.append([sum(orders[:n]) / n for n in range(1, 5)])
    return np.array(scores)


def made_up(seed, rounds=25, words=9):
    rng = np.random.default_rng(seed)

    def text():
        return " ".join(f"w{n}" for n in rng.integers(0, words, rng.integers(0, 9)))

    return [text() for _ in range(rounds)], [[text() for _ in range(rng.integers(1, 6))] for _ in range(rounds)]


def compare(hypotheses, references, **more):
    first = [0, *np.cumsum([len(reference) for reference in references])]
    return compare_texts(hypotheses, [text for reference in references for text in reference], first, **more)


@pytest.mark.parametrize("seed", range(4))
def test_equal_to_the_definition(seed):
    hypotheses, sets = made_up(seed)
    np.testing.assert_allclose(cider(compare(hypotheses, sets)), slow_cider(hypotheses, sets), rtol=0, atol=1e-9)


def test_by_hand():
    # Three sets: all hold `yes` (idf 0), two hold `a`, one each `cat` and `dog`.
    scores = cider(compare(["a dog", "yes", "a dog"], [["a cat", "yes"], ["a dog yes"], ["yes"]]))
    log = math.log
    idf = {"a": log(3) - log(2), "cat": log(3), "dog": log(3)}
    cosine = idf["a"] ** 2 / (math.hypot(idf["a"], idf["dog"]) * math.hypot(idf["a"], idf["cat"]))
    assert scores[0] == pytest.approx([cosine / 2, cosine / 4, cosine / 6, cosine / 8])
    assert scores[1].tolist() == [0, 0, 0, 0]
    assert scores[2].tolist() == [0, 0, 0, 0]


def test_the_same_text_everywhere_scores_one_where_it_has_the_order():
    scores = cider(compare(["a b c d", "a b"], [["a b c d"] * 3, ["x"]]))
    np.testing.assert_allclose(scores[0], 1.0)
    scores = cider(compare(["a b", "x"], [["a b"] * 3, ["x"]]))
    np.testing.assert_allclose(scores[0], [1.0, 1.0, 2 / 3, 1 / 2])


def test_several_hypotheses_share_a_set():
    _, sets = made_up(9)
    texts = ["w1 w2 w3", "w4", "", "w1 w1"]
    together = cider(compare(texts, sets, sets=[3, 3, 7, 3]))
    alone = slow_cider(texts, [sets[3], sets[3], sets[7], sets[3]], sets)
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-12)
    assert together[0, 0] > 0


def test_a_single_document_says_why_it_cannot_be():
    with pytest.raises(UsageError, match=r"single document every weight is log 1 − log 1 = 0.*`idf`"):
        cider(compare(["a dog"], [["a dog"]]))
    with pytest.raises(UsageError, match="single document"):
        cider_d(compare(["a dog"], [["a dog"]]))


def test_another_corpus_of_reference_sets(tmp_path):
    hypotheses, sets = made_up(1, rounds=6)
    _, others = made_up(2, rounds=11)
    rows = [
        {
            "image_id": i,
            "round_id": 0,
            "in_cluster_idxs": [1] * len(texts) + [0] * (100 - len(texts)),
            "refs": texts,
            "question": "q",
            "gt_answer": texts[0],
        }
        for i, texts in enumerate(others)
    ]
    (tmp_path / "r.json").write_text(json.dumps(rows))
    corpus = CORPORA.make(f"references:{tmp_path / 'r.json'}")
    outcome = cider(compare(hypotheses, sets, beside=corpus.texts), corpus)
    np.testing.assert_allclose(outcome, slow_cider(hypotheses, sets, others), rtol=0, atol=1e-9)
    # With a corpus of its own a single round can be scored.
    alone = cider(compare(hypotheses[:1], sets[:1], beside=corpus.texts), corpus)
    np.testing.assert_allclose(alone, slow_cider(hypotheses[:1], sets[:1], others), rtol=0, atol=1e-9)


def test_dialogues_as_a_corpus(tmp_path):
    answers = ["no", "yes it is", "a red dog", "yes"]
    spoken = [[0, 1], [2, 1], [3, 3]]
    dialogs = [
        {"image_id": i, "caption": "c", "dialog": [{"question": 0, "answer": a} for a in places]}
        for i, places in enumerate(spoken)
    ]
    document = {"version": "1.0", "split": "val", "data": {"questions": ["q"], "answers": answers, "dialogs": dialogs}}
    (tmp_path / "v.json").write_text(json.dumps(document))
    corpus = CORPORA.make(f"visdial:{tmp_path / 'v.json'}")
    documents = [[answers[place] for place in places] for places in spoken]
    hypotheses, sets = ["yes it is", "no dog"], [["it is", "yes"], ["a dog"]]
    outcome = cider(compare(hypotheses, sets, beside=corpus.texts), corpus)
    np.testing.assert_allclose(outcome, slow_cider(hypotheses, sets, documents), rtol=0, atol=1e-9)


def test_frequencies_from_a_file(tmp_path):
    hypotheses, sets = made_up(3, rounds=8)
    _, others = made_up(4, rounds=9)
    counts = Counter(
        " ".join(gram)
        for document in others
        for gram in {gram for text in document for n in range(1, 5) for gram in grams(text, n)}
    )
    (tmp_path / "df.json").write_text(json.dumps({"documents": len(others), "frequencies": counts}))
    corpus = CORPORA.make(f"file:{tmp_path / 'df.json'}")
    outcome = cider(compare(hypotheses, sets, beside=corpus.texts), corpus)
    np.testing.assert_allclose(outcome, slow_cider(hypotheses, sets, others), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"documents": 5, "frequencies": {"a dog": 6}}, "found 6, expected 1 to 5, the number of documents"),
        ({"documents": 5, "frequencies": {"a b c d e": 1}}, "n-grams of 1 to 4 tokens"),
        ({"documents": 5, "frequencies": {" ": 1}}, "n-grams of 1 to 4 tokens"),
        ({"documents": 5}, "expected this field"),
    ],
)
def test_a_bad_file_of_frequencies(content, message, tmp_path):
    (tmp_path / "df.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=message):
        CORPORA.make(f"file:{tmp_path / 'df.json'}")


def test_corpora_that_cannot_be():
    with pytest.raises(UsageError, match="needs a file: visdial:FILE"):
        CORPORA.make("visdial")
    with pytest.raises(UsageError, match="no corpus 'coco'; there are: file, references, visdial"):
        CORPORA.make("coco")


def test_a_corpus_that_was_not_interned(tmp_path):
    (tmp_path / "df.json").write_text(json.dumps({"documents": 5, "frequencies": {"a": 2}}))
    corpus = CORPORA.make(f"file:{tmp_path / 'df.json'}")
    with pytest.raises(ValueError, match="interned along"):
        cider(compare(["a"], [["a"]]), corpus)


def test_names():
    assert [measure.name for measure in CIDER] == ["cider1", "cider2", "cider3", "cider4"]
    assert all(a.aggregate is b.aggregate for a, b in pairwise(CIDER))
