"""Diversity of the answers to one question: distinct n-grams, likeness among themselves, different answers.

    distinct-n(G)  = |different n-grams in all g ∈ G| / |n-grams in all g ∈ G|          (Li et al. 2016)
    self-BLEU-n(G) = 1/|G| · Σ_{g ∈ G} BLEU-n(g, G without this g)                      (Zhu et al. 2018)
    different(G)   = number of different answers in G, case and spacing aside

G  the answers of one round that have text; with fewer than two there is nothing to compare, and no figure
Tokens are what white space parts, as for BLEU, whose p_i are 0 here where no n-gram of an order matches, so that orders
beyond the length of an answer count 0. A round without n-grams of an order has no distinct-n of it. No direction is
better in itself: answers that are drawn at random are as varied as can be. dense-visdial (§3.2.2) wants evaluation to
see diversity and leaves open how it is measured.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from voirdire.metrics.bleu import bleu
from voirdire.metrics.measure import Measure
from voirdire.metrics.ngrams import ORDERS, ComparedTexts, Ngrams, intern_texts
from voirdire.stats.aggregate import FloatArray
from voirdire.text.tokens import folded

DISTINCT = 2
"""Orders of n-grams of which distinct ones are counted."""

Int64 = npt.NDArray[np.int64]

DIVERSITY = (
    *(
        Measure.averaged(
            f"distinct{n}",
            "neither",
            label=f"distinct-{n}",
            description=f"different {words} of the answers of a round, as a share of all",
            citation="distinct-n",
        )
        for n, words in enumerate(("words", "pairs of words"), start=1)
    ),
    *(
        Measure.averaged(
            f"self_bleu{n}",
            "neither",
            label=f"self-BLEU-{n}",
            description=f"BLEU-{n} of each answer of a round against its others, their mean; low where they vary",
            citation="self-bleu",
        )
        for n in range(1, ORDERS + 1)
    ),
    Measure.averaged(
        "different",
        "neither",
        label="different answers",
        description="different answers of a round, case and spacing aside",
        citation="dense-visdial, §3.2.2",
    ),
)
"""In the order of the columns of `diversity`."""


def diversity(texts: Sequence[str], rounds: Int64, count: int) -> FloatArray:
    """(count, measures): the figures of each round, NaN where there is none; `rounds[i]` is the round of text i."""
    if len(texts) != len(rounds):
        raise ValueError(f"`rounds` must be one for each of {len(texts)} texts, got {len(rounds)}")
    order = np.argsort(rounds, kind="stable")
    several = order[np.bincount(rounds, minlength=count)[rounds[order]] > 1]
    out = np.full((count, len(DIVERSITY)), np.nan)
    if not len(several):
        return out
    chosen, of = [texts[place] for place in several.tolist()], rounds[several]
    present, sizes = np.unique(of, return_counts=True)
    ngrams = intern_texts(chosen)
    out[present, :DISTINCT] = _distinct(ngrams, of, count)[present]
    scores = bleu(_against_others(ngrams, sizes, chosen))
    first = np.cumsum(sizes) - sizes
    out[present, DISTINCT : DISTINCT + ORDERS] = np.add.reduceat(scores, first) / sizes[:, None]
    spelt = {text: folded(text) for text in set(chosen)}
    pairs = {(round_, spelt[text]) for round_, text in zip(of.tolist(), chosen, strict=True)}
    out[present, -1] = np.bincount([round_ for round_, _ in pairs], minlength=count)[present]
    return out


def _distinct(ngrams: Ngrams, rounds: Int64, count: int) -> FloatArray:
    """(count, orders): different n-grams of each round over all of them."""
    sizes = np.diff(ngrams.gram_first)[ngrams.texts]
    starts = np.cumsum(sizes) - sizes
    places = np.repeat(ngrams.gram_first[ngrams.texts] - starts, sizes) + np.arange(int(sizes.sum()))
    grams, times, owner = ngrams.grams[places].astype(np.int64), ngrams.counts[places], np.repeat(rounds, sizes)
    out = np.full((count, DISTINCT), np.nan)
    for n in range(DISTINCT):
        here = (grams >= ngrams.bounds[n]) & (grams < ngrams.bounds[n + 1])
        every = np.bincount(owner[here], weights=times[here], minlength=count)
        different = np.unique(owner[here] * (ngrams.bounds[-1] + 1) + grams[here]) // (ngrams.bounds[-1] + 1)
        np.divide(np.bincount(different, minlength=count), every, out=out[:, n], where=every > 0)
    return out


def _against_others(ngrams: Ngrams, sizes: Int64, texts: Sequence[str]) -> ComparedTexts:
    """Each text with the others of its round for references; texts come round by round, `sizes[r]` in the r-th."""
    of = np.repeat(sizes, sizes)
    begins = np.repeat(np.cumsum(sizes) - sizes, sizes)
    own = np.arange(len(of)) - begins
    first = np.append(0, np.cumsum(of - 1))
    owner = np.repeat(np.arange(len(of)), of - 1)
    at = np.arange(int(first[-1])) - first[owner]
    members = ngrams.texts[begins[owner] + at + (at >= own[owner])]
    nothing = np.empty(0, np.int64)
    return ComparedTexts(ngrams, ngrams.texts, np.arange(len(of)), first, members, nothing, texts)
