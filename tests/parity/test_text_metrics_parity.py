"""CIDEr-D, BLEU and ROUGE-L beside pycocoevalcap on made-up and real texts; BLEU beside sacrebleu where both agree."""

import numpy as np
import pytest
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.rouge.rouge import Rouge
from sacrebleu.metrics import BLEU

from voirdire.formats.generations import read_generations
from voirdire.formats.references import read_references
from voirdire.metrics.bleu import bleu, caption_bleu
from voirdire.metrics.cider import cider_d
from voirdire.metrics.ngrams import compare_texts
from voirdire.metrics.rouge import rouge_l

pytestmark = pytest.mark.slow


def made_up(seed, rounds=120, words=12, longest=12):
    rng = np.random.default_rng(seed)

    def text():
        return " ".join(f"w{n}" for n in rng.integers(0, words, rng.integers(1, longest)))

    return [text() for _ in range(rounds)], [[text() for _ in range(rng.integers(1, 9))] for _ in range(rounds)]


def compare(hypotheses, sets):
    first = [0, *np.cumsum([len(set_) for set_ in sets])]
    return compare_texts(hypotheses, [text for set_ in sets for text in set_], first)


def check(hypotheses, sets):
    compared = compare(hypotheses, sets)
    gts, res = dict(enumerate(sets)), {i: [text] for i, text in enumerate(hypotheses)}
    np.testing.assert_allclose(cider_d(compared)[:, 3], Cider().compute_score(gts, res)[1], rtol=0, atol=1e-12)
    theirs = np.array(Bleu().compute_score(gts, res, verbose=0)[1]).T
    np.testing.assert_allclose(bleu(compared, 1e-15, 1e-9), theirs, rtol=0, atol=1e-12)
    np.testing.assert_allclose(caption_bleu(compared), theirs, rtol=0, atol=1e-8)
    matched = bleu(compared) > 0
    np.testing.assert_allclose(bleu(compared)[matched], theirs[matched], rtol=0, atol=1e-7)
    np.testing.assert_allclose(rouge_l(compared), Rouge().compute_score(gts, res)[1], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("seed", "words", "longest"), [(0, 12, 12), (1, 3, 5), (2, 500, 40), (3, 2, 90)])
def test_made_up_texts(seed, words, longest):
    check(*made_up(seed, words=words, longest=longest))


def test_real_answers(real_data):
    references = read_references(real_data / "visdial/dense/refs_H_human_val.json")
    said = read_generations(real_data / "visdial/dense/cca_aq_g_val_generations.json")
    row = {pair: at for at, pair in enumerate(zip(said.image_ids.tolist(), said.rounds.tolist(), strict=True))}
    pairs = zip(references.image_ids.tolist(), references.rounds.tolist(), strict=True)
    hypotheses = [said.of(row[pair])[0] for pair in pairs]
    # pycocoevalcap's ROUGE-L takes every single space for a border, so spaces are made single first.
    sets = [[" ".join(text.split()) for text in references.of(at)] for at in range(len(references))]
    check(hypotheses, sets)


def test_bleu_beside_sacrebleu():
    hypotheses, sets = made_up(5, words=6)
    scores = bleu(compare(hypotheses, sets))
    for n in range(1, 5):
        # sacrebleu stops at the first order without a match only if nothing smooths it; both sides then say 0.
        metric = BLEU(tokenize="none", smooth_method="none", max_ngram_order=n, effective_order=False)
        for text, references, ours in zip(hypotheses, sets, scores[:, n - 1], strict=True):
            if len(text.split()) >= n:
                assert metric.sentence_score(text, references).score / 100 == pytest.approx(ours, abs=1e-12)
