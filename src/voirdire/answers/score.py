"""How like the valid answers are those that a model generates? Overlap of words and distance of vectors.

    score of a round at k   = mean of the scores of its first k generations            `cider4@5`
    best of a round at k    = highest of them, or the lowest L2 distance               `cider4@5:best`
    measure                 = mean over the rounds;   `…:std` is the spread over rounds (ddof 0)
    `…:within`              = mean over the rounds of the spread of the k scores inside a round (ddof 0), if asked for
    `…:extracted`           = the measure of the short answers inside generations (`text.short_answers`), if asked for

Where rounds have several generations, also how varied they are (`metrics.diversity`): `distinct2@5`, `self_bleu1@5`.

`cider4` without a k takes all generations of a round; where each has one, nothing else is measured. Generations are
respelt first (`text.tokens`), references are not. A generation without text is left out and counted. A round without
any is no case for a measure, but counts as wrong in `cider4:asked`. Intervals are over images (dense-visdial, §5 and
appendix C).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from voirdire._version import __version__
from voirdire.answers.exam import BoundOptions, ScoreAnswersOptions
from voirdire.answers.rounds import ByRound, frame, listed, match_rounds, without_truth
from voirdire.answers.statistics import measure_texts, measures_of
from voirdire.answers.views import depths, score_views
from voirdire.errors import InputError, Problem
from voirdire.formats.generations import Generations
from voirdire.formats.references import References
from voirdire.metrics.diversity import DIVERSITY, diversity
from voirdire.metrics.text_metric import TEXT_METRICS
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Run, Signature
from voirdire.runs.limit import draw
from voirdire.runs.view import estimate_views
from voirdire.stats.aggregate import FloatArray
from voirdire.text.encoders import DistinctEncoder, Encoder, SpokenWords, WordTable, encoder
from voirdire.text.short_answers import RULE, is_shortened, short_answer
from voirdire.text.tokens import respell

__all__ = ["prepare", "score_answers", "sign", "warn_of_sets"]

LOOKED_AT, MANY_MORE = 10_000, 0.25
"""How many references are looked at to see whether they are sentences, and how many more generations may be."""

Int64 = npt.NDArray[np.int64]
Chosen = TypeVar("Chosen", bound=BoundOptions)


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
    respelt = not options.as_written
    whole, drawn = references, draw(references.image_ids, options, there=generations.image_ids)
    references, generations = drawn.of(references), drawn.of(generations)
    rows, coverage, said = match_rounds(
        references, generations, "reference sets", "generations (`generations`)", options
    )
    warnings = list(said)
    texts, sets, places, empty = _texts(generations, rows, respelt)
    warnings += _warn_of_generations(generations, references, rows, sets, empty) + warn_of_sets(references)
    warnings += _warn_of_sentences(generations, references, rows, options.extract)
    progress = stages("answers score", "texts")
    made = measure_texts(texts, sets, references, options.measures, options.idf, vectors, progress, whole)
    given = np.where(rows >= 0, np.diff(generations.first)[rows], 0)
    ks = depths(int(given.max()))
    if options.within and not ks:
        warnings.append("One generation per round has no spread inside a round, so `:within` is not measured.")
    columns: dict[str, npt.NDArray[np.generic] | list[list[str]] | list[str]] = {
        "image_id": references.image_ids,
        "round": references.rounds,
        "generations": given,
        "empty": np.bincount(empty, minlength=len(references)),
        "question": references.questions,
        "answers": _by_item(texts, sets, len(references)),
        "references": [references.of(row) for row in range(len(references))],
    }
    for measure in measures_of(options.measures, [one.name for one in vectors]):
        values = made.columns[measure.name]
        columns[measure.name] = ByRound(sets, values, len(references)).mean()
        for k in ks:
            chosen, key = places < k, measure.key.at(k)
            rounds = ByRound(sets[chosen], values[chosen], len(references))
            columns[str(key)] = rounds.mean()
            columns[str(key.as_variant("best"))] = rounds.best(measure.better == "lower")
            if options.within:
                columns[str(key.as_variant("within"))] = rounds.spread()
    if options.extract:
        short, *_ = _texts(generations, rows, respelt, extract=True)
        again = measure_texts(short, sets, references, options.measures, options.idf, vectors, progress, whole)
        columns["extracted"] = _by_item(short, sets, len(references))
        for measure in measures_of(options.measures, [one.name for one in vectors]):
            for depth in (None, *ks):
                chosen = places < depth if depth is not None else np.ones(len(places), dtype=bool)
                key = replace(measure.key, k=depth).as_variant("extracted")
                values = again.columns[measure.name][chosen]
                columns[str(key)] = ByRound(sets[chosen], values, len(references)).mean()
    if ks:
        columns |= _diversity(texts, sets, places, len(references), ks)
    items = frame(columns)
    run = Run(
        exam="answers",
        part="score",
        options=options.plain(),
        items=items,
        measures=estimate_views(score_views(items, options), seed=options.seed),
        signature=_signed(sign(whole, options, respelt, vectors, made.data), options),
        fingerprints={"generations": generations.fingerprint, "references": references.fingerprint} | made.data,
        warnings=tuple(warnings),
        coverage=coverage,
    )
    return drawn.told(run)


def _signed(signature: Signature, options: ScoreAnswersOptions) -> Signature:
    """With the rule by which short answers were taken, where they were."""
    return replace(signature, options={**signature.options, "extracted": RULE}) if options.extract else signature


def _diversity(texts: list[str], items: Int64, places: Int64, count: int, ks: Sequence[int]) -> dict[str, FloatArray]:
    """The columns of diversity, over all answers of a round and over the first k, from two on."""
    columns: dict[str, FloatArray] = {}
    for k in (None, *(k for k in ks if k > 1)):
        chosen = np.flatnonzero(places < k) if k is not None else np.arange(len(texts))
        figures = diversity([texts[place] for place in chosen.tolist()], items[chosen], count)
        columns |= {str(replace(one.key, k=k)): figures[:, at] for at, one in enumerate(DIVERSITY)}
    return columns


def prepare(options: Chosen, encoders: Sequence[Encoder] | None, stages: Stages) -> tuple[Chosen, Sequence[Encoder]]:
    """What measures need before they run, such as METEOR's index, and the encoders; and the options that name these."""
    metrics = TEXT_METRICS.choose(options.measures)
    for metric in metrics:
        if metric.prepare is not None:
            metric.prepare(stages(f"index for {metric.family.upper()}, made once", "steps"))
    if not any(metric.encodes for metric in metrics):
        return options, ()
    if encoders is None:
        return options, [_for_distances(encoder(name)) for name in options.encoder]
    return replace(options, encoder=tuple(one.name for one in encoders)), encoders


def _for_distances(made: DistinctEncoder) -> Encoder:
    """A table of word vectors as published distances took it; any other encoder as it is."""
    return SpokenWords(made.backend) if isinstance(made.backend, WordTable) else made


def sign(
    references: References,
    options: BoundOptions,
    respelt: bool,
    encoders: Sequence[Encoder],
    data: dict[str, str],
) -> Signature:
    """What the figures of a comparison with reference sets depend on."""
    weighed = any(metric.weighs for metric in TEXT_METRICS.choose(options.measures))
    return Signature(
        version=__version__,
        data={"references": references.fingerprint} | data,
        references=f"{len(references)} sets of {len(references.texts) / len(references):.2f}",
        tokeniser="treebank and back, whitespace" if respelt else "whitespace",
        encoder=",".join(f"{one.name}:{one.signature[:12]}" for one in encoders) or None,
        seed=options.seed,
        options={"idf": options.idf.partition(":")[0]} if weighed else {},
    )


def warn_of_sets(references: References) -> list[str]:
    """What is odd about the sets: a ground truth that is not among the members, a member without text."""
    warnings = without_truth(references)
    if empty := sum(not text.strip() for text in references.texts):
        warnings.append(f"{empty:,} references have no text; nothing is like them.")
    return warnings


def _texts(
    generations: Generations, rows: npt.NDArray[np.intp], respelt: bool, extract: bool = False
) -> tuple[list[str], Int64, Int64, Int64]:
    """The generations to score, the set and the place in its round of each, and the sets of those without text.

    extract  take the short answers inside them; one that has text keeps some
    """
    sets = np.repeat(np.arange(len(rows)), np.where(rows >= 0, np.diff(generations.first)[rows], 0))
    starts = np.append(0, np.cumsum(np.bincount(sets, minlength=len(rows))))
    places = np.arange(len(sets)) - starts[sets]
    given = [generations.texts[at] for at in (generations.first[rows[sets]] + places).tolist()]
    if extract:
        given = [short_answer(text) for text in given]
    texts = respell(given) if respelt else given
    held = np.array([bool(text.strip()) for text in texts], dtype=bool)
    if not held.any():
        raise InputError("generations", [Problem("", "", "no text in any round to be scored", "at least one")])
    kept = [text for text, has in zip(texts, held.tolist(), strict=True) if has]
    return kept, sets[held], places[held], sets[~held]


def _by_item(texts: list[str], items: Int64, count: int) -> list[list[str]]:
    """The texts of each item, in their order."""
    gathered: list[list[str]] = [[] for _ in range(count)]
    for text, item in zip(texts, items.tolist(), strict=True):
        gathered[item].append(text)
    return gathered


def _warn_of_sentences(
    generations: Generations, references: References, rows: npt.NDArray[np.intp], extract: bool
) -> list[str]:
    """Say where generations are sentences far more often than the valid answers are, and what was taken from them."""
    given = [text for row in rows[rows >= 0].tolist() for text in generations.of(row) if text.strip()]
    count = sum(is_shortened(text, short_answer(text)) for text in given)
    said = references.texts[:LOOKED_AT]
    usual = sum(is_shortened(text, short_answer(text)) for text in said) / max(1, len(said))
    share = count / max(1, len(given))
    figures = f"{count:,} of {len(given):,} generations ({100 * share:.0f} %)"
    if extract:
        return [f"{figures} are sentences with a shorter answer inside; `…:extracted` scores that answer ({RULE})."]
    if share < usual + MANY_MORE:
        return []
    return [
        f"{figures} are written as sentences with a shorter answer inside, {100 * usual:.0f} % of the references are; "
        "`extract` scores these answers, too."
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
