"""Reference sets: which of a round's candidates, 100 in VisDial, are valid answers.

    H  relevance > 0, and the ground truth; rounds whose relevances are all zero are left out
    S  (Σ), M, G  the top cluster of correlations C, see `clusters`

Four pairings form C, the correlations with the candidates A:

    gt-others     (A_gt, Ã)   of the ground truth with the 99 others; the ground truth joins the cluster (default)
    gt-all        (A_gt, A)   the same with itself among them
    question-gt   (Q, A)_gt   of the question with all; the cluster that holds the ground truth
    question-max  (Q, A)_max  of the question with all; the cluster of the best, which may lack the ground truth

For S a cluster has no label but a border, one standard deviation below the best; in (Q, A)_gt we read it as one
standard deviation below the ground truth.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from voirdire.answers.cca import Cca
from voirdire.answers.cca.projection import Projector, gather_dot, open_projector
from voirdire.answers.clusters import top_cluster
from voirdire.answers.exam import Pairing, ReferencesOptions, SetOptions
from voirdire.answers.rounds import check_none, check_options, find_rounds, listed, rounds_of
from voirdire.engine import Engine, Here
from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam import Outcome
from voirdire.formats.option_numbers import Dense
from voirdire.formats.references import References, write_references
from voirdire.formats.visdial import VisDial
from voirdire.progress import UNSEEN, Progress, Stages

Bool = npt.NDArray[np.bool_]
Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]


ROUNDS = 2048
"""Rounds after which progress is reported."""


def reference_sets(
    visdial: VisDial,
    options: SetOptions | None = None,
    projector: Projector | None = None,
    dense: Dense | None = None,
    stages: Stages = UNSEEN,
    engine: Engine | None = None,
) -> tuple[References, tuple[str, ...]]:
    """The sets of every round that can have one, and warnings.

    dense      relevances: H is made from them, and of the other methods only these rounds are asked for where given
    projector  what makes correlations; H needs none
    engine     where texts are projected
    """
    options = options or SetOptions()
    rows, warnings = complete_rounds(visdial)
    if dense is not None:
        check_options("dense annotations (`dense`)", dense.relevance.shape[1], visdial.options.shape[1])
        annotated, relevance, more = _annotated(visdial, rows, dense)
        rows, warnings = rows[annotated], (*warnings, *more)
    if options.method == "H":
        if dense is None:
            raise _missing(options)
        in_set = relevance > 0
        in_set[np.arange(len(rows)), visdial.gt_index[rows]] = True
    else:
        if projector is None:
            raise _missing(options)
        answers, questions = _projected(visdial, rows, projector, options.pairing, stages, engine or Here())
        in_set = _chosen(visdial, rows, (answers, questions), options, stages("choose", "rounds"))
        warnings += warn_of_truths(projector)
    return as_references(visdial, rows, in_set), warnings


def complete_rounds(visdial: VisDial) -> tuple[Int64, tuple[str, ...]]:
    """The rounds that have candidates and a ground truth among them, and a warning about the others."""
    complete = (visdial.options[:, 0] >= 0) & (visdial.gt_index >= 0)
    left_out = np.flatnonzero(~complete)
    if not complete.any():
        found = "no round with candidates and a ground truth among them (`answer_options`, `gt_index`)"
        raise InputError("dialogues", [Problem("", "", found, "dialogues of train or val")])
    if not len(left_out):
        return np.flatnonzero(complete), ()
    where = listed(*rounds_of(visdial, left_out))
    return np.flatnonzero(complete), (f"{where}: no candidates or no ground truth, so no set.",)


def _annotated(visdial: VisDial, rows: Int64, dense: Dense) -> tuple[Int64, Float64, tuple[str, ...]]:
    """Places in `rows` of the annotated rounds, their relevances, and a warning about those that have none."""
    places = find_rounds(dense, rounds_of(visdial, rows))
    expected = "annotations of rounds that the dialogues have, with candidates and ground truth"
    check_none("dense annotations (`dense`)", dense, np.flatnonzero(places < 0), "an unknown round", expected)
    relevant = dense.relevance.any(axis=1)
    warnings: tuple[str, ...] = ()
    if not relevant.all():
        where = listed(dense.image_ids[~relevant], dense.rounds[~relevant])
        warnings = (f"{where}: all relevances are 0, so no set.",)
    kept = np.flatnonzero(relevant)
    kept = kept[np.argsort(places[kept], kind="stable")]
    return places[kept].astype(np.int64), dense.relevance[kept], warnings


def _chosen(
    visdial: VisDial, rows: Int64, projected: tuple[Float64, Float64], options: SetOptions, progress: Progress
) -> Bool:
    """The sets of rounds, block by block; no round depends on another."""
    parts = [np.empty((0, visdial.options.shape[1]), np.bool_)]
    progress(0, len(rows))
    for start in range(0, len(rows), ROUNDS):
        some = rows[start : start + ROUNDS]
        parts.append(members(correlate(visdial, some, *projected, options), visdial.gt_index[some], options))
        progress(start + len(some), len(rows))
    return np.concatenate(parts)


def _projected(
    visdial: VisDial, rows: Int64, projector: Projector, pairing: Pairing, stages: Stages, engine: Engine
) -> tuple[Float64, Float64]:
    """Projections of the two pools: only of the texts that these rounds use."""
    answers = np.unique(visdial.options[rows])
    questions = np.unique(visdial.question[rows]) if pairing.startswith("question") else np.empty(0, np.int64)
    k = len(projector.cca.eigenvalues)
    out = np.zeros((len(visdial.answers), k)), np.zeros((len(visdial.questions) if len(questions) else 0, k))
    texts = [visdial.answers[place] for place in answers.tolist()]
    out[0][answers] = projector.project_on(engine, "answer", texts, stages("project answers", "texts"))
    if len(questions):
        texts = [visdial.questions[place] for place in questions.tolist()]
        out[1][questions] = projector.project_on(engine, "question", texts, stages("project questions", "texts"))
    return out


def correlate(visdial: VisDial, rows: Int64, answers: Float64, questions: Float64, options: SetOptions) -> Float64:
    """float64[n, m]: correlations of each round's anchor, its ground truth or its question, with its candidates.

    answers, questions  unit projections of the pools' texts
    """
    candidates = visdial.options[rows]
    if options.pairing.startswith("question"):
        anchors, anchor = questions, visdial.question[rows]
    else:
        anchors, anchor = answers, candidates[np.arange(len(rows)), visdial.gt_index[rows]]
    result: Float64 = gather_dot(anchors, anchor.astype(np.int64), answers, candidates)
    return result


def members(values: Float64, gt_index: npt.NDArray[np.integer], options: SetOptions) -> Bool:
    """bool[n, m]: the sets by method S, M or G, from the correlations of the pairing."""
    if options.method == "H":
        raise ValueError("`method` must be S, M or G, got 'H', which is made of relevances")
    compared = values.shape[1] - (options.pairing == "gt-others")
    if compared < (needed := options.clusters if options.method == "G" else 2):
        of = "beside the ground truth " if options.pairing == "gt-others" else ""
        raise UsageError(
            f"method {options.method} needs at least {needed} candidates {of}in a round, and the dialogues have "
            f"{compared}"
        )
    every = np.arange(len(values))
    truth = gt_index.astype(np.int64)
    if options.pairing == "gt-others":
        others = np.ones(values.shape, np.bool_)
        others[every, truth] = False
        inside = top_cluster(values[others].reshape(len(values), -1), options.method, None, options.clusters)
        in_set = np.ones(values.shape, np.bool_)
        in_set[others] = inside.ravel()
        return in_set
    anchor = truth if options.pairing == "question-gt" else None
    in_set = top_cluster(values, options.method, anchor, options.clusters)
    if options.pairing != "question-max":
        in_set[every, truth] = True
    return in_set


def warn_of_truths(projector: Projector) -> tuple[str, ...]:
    """A warning that the CCA was trained without the answers that people find relevant."""
    if projector.cca.source != "ground truths":
        return ()
    return (
        "This CCA was trained on ground truths alone, without dense annotations. Published sets made so agree with "
        "people less: precision 49.21 % instead of 62.48 % against H. Where there are annotations, train with them.",
    )


def as_references(visdial: VisDial, rows: Int64, in_set: Bool) -> References:
    """The sets in the published layout."""
    places = visdial.options[rows][in_set].tolist()
    return References(
        *rounds_of(visdial, rows),
        in_set,
        [visdial.answers[place] for place in places],
        np.concatenate([[0], np.cumsum(in_set.sum(axis=1))]).astype(np.int64),
        [visdial.questions[place] for place in visdial.question[rows].tolist()],
        [visdial.answers[place] for place in visdial.options[rows, visdial.gt_index[rows].astype(np.int64)].tolist()],
    )


def check_references(given: Mapping[str, object], options: SetOptions) -> None:
    """Refuse a call without what the method makes its sets of."""
    if ("dense" if options.method == "H" else "cca") not in given:
        raise _missing(options)


def _missing(options: SetOptions) -> UsageError:
    if options.method == "H":
        return UsageError("method H needs dense annotations: they say which answers people found relevant")
    return UsageError(f"method {options.method} needs a CCA, whose correlations it clusters")


def make_references(
    visdial: VisDial,
    dense: Dense | None = None,
    cca: Cca | None = None,
    *,
    options: ReferencesOptions,
    output: str,
    engine: Engine | None = None,
    stages: Stages = UNSEEN,
) -> Outcome:
    """Write reference sets: H from dense annotations; S, M, G from a CCA, for all rounds or those with annotations."""
    projector = None if cca is None or options.method == "H" else open_projector(cca, options.encoder)
    sets, warnings = reference_sets(visdial, options, projector, dense, stages, engine)
    write_references(sets, output)
    mean = len(sets.texts) / max(len(sets), 1)
    return Outcome((f"{options.method}: {len(sets):,} sets, {mean:.2f} answers each: {output}",), warnings=warnings)
