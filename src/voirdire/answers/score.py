"""How like the valid answers are those that a model generates? Overlap of words and distance of vectors.

    score of a round at k   = mean of the scores of its first k generations            `cider4@5`
    best of a round at k    = highest of them, or the lowest L2 distance               `cider4@5:best`
    measure                 = mean over the rounds;   `…:std` is the spread over rounds (ddof 0)
    `…:within`              = mean over the rounds of the spread of the k scores inside a round (ddof 0), if asked for
    `…:extracted`           = the measure of the short answers inside generations (`text.short_answers`), if asked for

Where rounds have several generations, also how varied they are (`metrics.diversity`): `distinct2@5`, `self_bleu1@5`.

`cider4` without a k takes all generations of a round; where each has one, nothing else is measured. Generations are
respelt first (`text.respelling`), references only if asked for. A generation without text is left out and counted. A
round without any is no case for a measure, but counts as wrong in `cider4:asked`. Intervals are over images
(dense-visdial, §5 and appendix C).

What can be reached is measured likewise, with a valid answer itself as the generation (`score_bounds`):

    a_gt    the ground truth of a round as its only generation
    gamma   each member of the set in turn as the generation, scored against the whole set

Both are slices of every measure: `cider4[gamma]` is the mean over rounds of the round's mean (μ), `cider4[gamma]:std`
its spread over rounds (σ), `cider4[gamma]:best` the mean over rounds of the best member (γ; for L2 the nearest one). A
ground truth is respelt as a generation is, which is why it may differ from itself as a reference (BLEU-1 is .9961 in
print); a member is part of the set that it is compared with, and stays as it is spelt (§5.1 and appendix C).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from voirdire.answers.exam import EXAM, BoundOptions, ScoreAnswersOptions
from voirdire.answers.rounds import listed, match_rounds
from voirdire.answers.similarity import (
    ByRound,
    frame,
    measure_texts,
    prepare,
    sign,
    spelt,
    spelt_references,
    warn_of_sets,
)
from voirdire.answers.views import depths, score_views
from voirdire.errors import InputError, Problem
from voirdire.formats.generations import Generations
from voirdire.formats.references import References
from voirdire.metrics.diversity import DIVERSITY, diversity
from voirdire.metrics.measure import Measure
from voirdire.metrics.text_metric import TEXT_METRICS
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Run, estimate
from voirdire.runs.limit import draw
from voirdire.runs.view import estimate_views
from voirdire.stats.aggregate import FloatArray
from voirdire.text.encoders import Encoder
from voirdire.text.short_answers import RULE, is_sentence, short_answer

TRUTH, MEMBERS = "a_gt", "gamma"

Int64 = npt.NDArray[np.int64]


def score_answers(
    generations: Generations,
    references: References,
    options: ScoreAnswersOptions | None = None,
    encoders: Sequence[Encoder] | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """Every measure of a model's generations against the reference sets of the same rounds.

    encoders  in place of those that the options name
    """
    options, vectors = prepare(options or ScoreAnswersOptions(), encoders, stages)
    whole = references = spelt_references(references, options)
    drawn = draw(references.image_ids, options, covered=generations.image_ids)
    references, generations = drawn.of(references), drawn.of(generations)
    rows, coverage, uncovered = match_rounds(
        references, generations, "reference sets", "generations (`generations`)", options
    )
    texts, sets, places, empty = _texts(generations, rows, options)
    are = np.array(_are_sentences(texts), dtype=bool)
    usual = np.array(_are_sentences(references.texts), dtype=bool)
    warnings = [
        *uncovered,
        *_warn_of_generations(generations, references, rows, sets, empty),
        *warn_of_sets(references),
        *_warn_of_sentences(are, usual, references, options.extracts),
    ]
    progress = stages("answers score", "texts")
    scores = measure_texts(texts, sets, references, options.measures, options.idf, vectors, progress, whole)
    given = np.where(rows >= 0, np.diff(generations.first)[rows], 0)
    ks = depths(int(given.max()))
    if options.within and not ks:
        warnings.append("One generation per round has no spread inside a round, so `:within` is not measured.")
    of_reference = np.repeat(np.arange(len(references)), np.diff(references.first))
    columns: dict[str, npt.NDArray[np.generic] | list[list[str]] | list[str]] = {
        "image_id": references.image_ids,
        "round": references.rounds,
        "generations": given,
        "empty": np.bincount(empty, minlength=len(references)),
        "question": references.questions,
        "answers": _by_item(texts, sets, len(references)),
        "references": [references.of(row) for row in range(len(references))],
        "sentences": _per_item(are, sets, len(references)),
        "usual_sentences": _per_item(usual, of_reference, len(references)),
        "usual_texts": np.bincount(of_reference, minlength=len(references)).astype(np.float64),
    }
    measures = TEXT_METRICS.measures(options.measures, [encoder.name for encoder in vectors])
    for measure in measures:
        values = scores.columns[measure.name]
        columns[measure.name] = ByRound(sets, values, len(references)).mean()
        for k in ks:
            chosen, key = places < k, measure.key.at(k)
            rounds = ByRound(sets[chosen], values[chosen], len(references))
            columns[str(key)] = rounds.mean()
            columns[str(key.as_variant("best"))] = rounds.best(measure.better == "lower")
            if options.within:
                columns[str(key.as_variant("within"))] = rounds.spread()
    if options.extracts:
        short, *_ = _texts(generations, rows, options, extract=True)
        other = np.flatnonzero([taken != text for taken, text in zip(short, texts, strict=True)])
        extracted = {measure.name: scores.columns[measure.name].copy() for measure in measures}
        if len(other):
            # A text that the rule leaves as it is keeps its scores.
            taken = [short[at] for at in other.tolist()]
            again = measure_texts(
                taken, sets[other], references, options.measures, options.idf, vectors, progress, whole
            )
            for name, values in extracted.items():
                values[other] = again.columns[name]
        columns["extracted"] = _by_item(short, sets, len(references))
        for measure in measures:
            for depth in (None, *ks):
                chosen = places < depth if depth is not None else np.ones(len(places), dtype=bool)
                key = replace(measure.key, k=depth).as_variant("extracted")
                values = extracted[measure.name][chosen]
                columns[str(key)] = ByRound(sets[chosen], values, len(references)).mean()
    if ks:
        columns |= _diversity(texts, sets, places, len(references), ks)
    items = frame(columns)
    signature = sign(whole, options, vectors, scores.data)
    if options.extracts:
        signature = replace(signature, options={**signature.options, "extracted": RULE})
    run = Run(
        exam="answers",
        part="score",
        options=options.plain(),
        items=items,
        measures=estimate_views(score_views(items, options), seed=options.seed),
        signature=signature,
        fingerprints={"generations": generations.fingerprint, "references": references.fingerprint} | scores.data,
        warnings=tuple(warnings),
        coverage=coverage,
    )
    return drawn.sign(run)


def score_bounds(
    references: References,
    options: BoundOptions | None = None,
    encoders: Sequence[Encoder] | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """The rows A_gt and Γ of every measure for these reference sets; `encoders` in place of those of the options."""
    options, vectors = prepare(options or BoundOptions(), encoders, stages)
    whole = references = spelt_references(references, options)
    drawn = draw(references.image_ids, options)
    references = drawn.of(references)
    count = len(references)
    members = np.repeat(np.arange(count), np.diff(references.first))
    texts = [*spelt(references.gt_answers, options), *references.texts]
    sets = np.concatenate([np.arange(count), members])
    progress = stages("answers bounds", "texts")
    scores = measure_texts(texts, sets, references, options.measures, options.idf, vectors, progress, whole)
    columns: dict[str, npt.NDArray[np.generic]] = {
        "image_id": np.tile(references.image_ids, 2),
        "round": np.tile(references.rounds, 2),
        "bound": np.repeat([TRUTH, MEMBERS], count),
    }
    # A round's truth is one item, its members together another one.
    items_of = np.concatenate([np.arange(count), members + count])
    measures: list[Measure] = []
    for measure in TEXT_METRICS.measures(options.measures, [encoder.name for encoder in vectors]):
        rounds, best = ByRound(items_of, scores.columns[measure.name], 2 * count), measure.key.as_variant("best")
        columns[measure.name] = rounds.mean()
        columns[str(best)] = rounds.best(measure.better == "lower")
        truth, each = (measure.slice("bound", bound) for bound in (TRUTH, MEMBERS))
        measures += [truth, truth.spread(), each, each.spread(), each.variant("best", of=(str(best),))]
    items = frame(columns)
    run = Run(
        exam="answers",
        part="bounds",
        options=options.plain(),
        items=items,
        measures=estimate(items, measures, seed=options.seed, clusters="image_id"),
        signature=sign(whole, options, vectors, scores.data),
        fingerprints={"references": references.fingerprint} | scores.data,
        warnings=tuple(warn_of_sets(references)),
    )
    return drawn.sign(run)


def _diversity(texts: list[str], items: Int64, places: Int64, count: int, ks: Sequence[int]) -> dict[str, FloatArray]:
    """The columns of diversity, over all answers of a round and over the first k, from two on."""
    columns: dict[str, FloatArray] = {}
    for k in (None, *(k for k in ks if k > 1)):
        chosen = np.flatnonzero(places < k) if k is not None else np.arange(len(texts))
        figures = diversity([texts[place] for place in chosen.tolist()], items[chosen], count)
        columns |= {str(replace(measure.key, k=k)): figures[:, at] for at, measure in enumerate(DIVERSITY)}
    return columns


def _texts(
    generations: Generations, rows: npt.NDArray[np.intp], options: ScoreAnswersOptions, extract: bool = False
) -> tuple[list[str], Int64, Int64, Int64]:
    """The generations to score, with the set and the place in its round of each, and the sets of those without text.

    extract  take the short answers inside them, which have text wherever the generation has
    """
    sets = np.repeat(np.arange(len(rows)), np.where(rows >= 0, np.diff(generations.first)[rows], 0))
    starts = np.append(0, np.cumsum(np.bincount(sets, minlength=len(rows))))
    places = np.arange(len(sets)) - starts[sets]
    given = [generations.texts[at] for at in (generations.first[rows[sets]] + places).tolist()]
    if extract:
        given = [short_answer(text) for text in given]
    texts = spelt(given, options)
    has_text = np.array([bool(text.strip()) for text in texts], dtype=bool)
    if not has_text.any():
        raise InputError("generations", [Problem("", "", "no text in any round to be scored", "at least one")])
    kept = [text for text, has in zip(texts, has_text.tolist(), strict=True) if has]
    return kept, sets[has_text], places[has_text], sets[~has_text]


def _by_item(texts: list[str], items: Int64, count: int) -> list[list[str]]:
    """The texts of each item, in their order."""
    lists: list[list[str]] = [[] for _ in range(count)]
    for text, item in zip(texts, items.tolist(), strict=True):
        lists[item].append(text)
    return lists


def _are_sentences(texts: Sequence[str]) -> list[bool]:
    known = {text: is_sentence(text, short_answer(text)) for text in dict.fromkeys(texts)}
    return [known[text] for text in texts]


def _per_item(are: npt.NDArray[np.bool_], items: Int64, count: int) -> FloatArray:
    """How many of each item's texts are sentences."""
    return np.bincount(items[are], minlength=count).astype(np.float64)


def _warn_of_sentences(
    are: npt.NDArray[np.bool_], usual: npt.NDArray[np.bool_], references: References, extract: bool
) -> list[str]:
    """A warning where generations are sentences far more often than the valid answers."""
    least = EXAM.part("score").short_answers
    if least is None or are.mean() < usual.mean() + least.least:
        return []
    scored = "`…:extracted` scores these answers" if extract else "`extract` scores these answers, too"
    return [
        f"{int(are.sum()):,} of {len(are):,} generations ({100 * are.mean():.0f} %) are written as sentences, "
        f"{100 * usual.mean():.0f} % of the references are; {scored} ({RULE})."
    ]


def _warn_of_generations(
    generations: Generations, references: References, rows: npt.NDArray[np.intp], sets: Int64, empty: Int64
) -> list[str]:
    warnings = []
    scored = np.flatnonzero(rows >= 0)
    if len(empty):
        rounds = len(np.unique(empty))
        warnings.append(f"{len(empty):,} generations without text were left out, in {rounds:,} rounds.")
    bare = np.setdiff1d(scored, sets)
    if len(bare):
        where = listed(references.image_ids[bare], references.rounds[bare])
        warnings.append(f"{where}: no generation with text, so left out of all measures.")
    given = np.diff(generations.first)[rows[scored]]
    if fewer := int((given < given.max()).sum()):
        warnings.append(
            f"{fewer:,} rounds have fewer than {given.max()} generations, the most that a round has; "
            "at a k beyond what a round has, all of its generations are taken."
        )
    return warnings
