"""How high does a model rank the true answer, and in what order the relevant ones? The dataset's own evaluation.

Every round that has candidates needs its ranking; a missing one, or one too many, is an error that lists them. Rankings
of exactly the rounds that the dense annotations hold, which NDCG is taken over, are enough where these are given: then
all figures are of these rounds, and a warning says so. Rounds without ground truth (the whole test split) are no case
for the measures of its rank. Intervals are over images.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from voirdire.answers.exam import EXAM, RankAnswersOptions
from voirdire.answers.rounds import check_none, check_options, find_rounds, listed
from voirdire.answers.views import rank_views
from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam import present
from voirdire.formats.option_numbers import Dense, Ranks, Scores
from voirdire.formats.option_rows import OPTIONS
from voirdire.formats.visdial import VisDial
from voirdire.metrics.ranks import Cutoff, all_ranks, gains, true_ranks
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Run
from voirdire.runs.view import estimate_views

__all__ = ["rank_answers", "ranking_of", "ranks_of_truth", "told_candidates"]


def rank_answers(
    visdial: VisDial,
    ranks: Ranks | None = None,
    scores: Scores | None = None,
    dense: Dense | None = None,
    options: RankAnswersOptions | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """Mean rank, reciprocal rank, recall at 1, 5, 10 and, with dense annotations, NDCG of a model's rankings."""
    import polars as pl

    options = options or RankAnswersOptions()
    check_rank(present(ranks=ranks, scores=scores), options)
    ranking = ranking_of(ranks, scores)
    assert ranking is not None
    image_ids, rounds, rank, places = ranks_of_truth(visdial, ranking, dense)
    has_truth = bool((rank > 0).any())
    if not has_truth and dense is None:
        found = "no ground truth (`gt_index`) in any round, as in the test split"
        hint = "Give its dense annotations: with these alone, NDCG is all that can be said."
        raise InputError("dialogues", [Problem("", "", found, "dialogues of train or val", hint)])
    warnings = _warn_of_part(len(rank), visdial) + _warn_of_truth(image_ids, rounds, rank)
    columns: dict[str, npt.NDArray[np.generic]] = {"image_id": image_ids, "round": rounds, "rank": rank}
    if dense is not None:
        columns["ndcg"], more = _ndcg(image_ids, rounds, places, ranking, dense, options.cutoff)
        warnings += more
    items = pl.DataFrame(columns).with_columns(pl.col("rank").replace(0, None))
    if dense is not None:
        items = items.with_columns(pl.col("ndcg").fill_nan(None))
    role = "ranks" if isinstance(ranking, Ranks) else "scores"
    data = {"visdial": visdial.fingerprint} | ({"dense": dense.fingerprint} if dense is not None else {})
    cutoff = {"cutoff": options.cutoff} if dense is not None else {}
    return EXAM.run(
        "rank",
        options,
        items,
        estimate_views(rank_views(items, options), seed=options.seed),
        data,
        outputs={role: ranking.fingerprint},
        changing={"ties": "worst", **cutoff, **told_candidates(visdial)},
        warnings=warnings,
    )


def check_rank(given: Mapping[str, object], options: RankAnswersOptions) -> None:
    """Refuse a call without a ranking, or with two."""
    if ("ranks" in given) == ("scores" in given):
        raise UsageError("give either `ranks` or `scores`")


def ranking_of(ranks: Ranks | None, scores: Scores | None) -> Ranks | Scores | None:
    """The one of the two that is given, if any is."""
    if ranks is not None and scores is not None:
        raise UsageError("give either `ranks` or `scores`")
    return scores if ranks is None else ranks


def told_candidates(visdial: VisDial) -> dict[str, int]:
    """How many candidates a round has, for signatures: nothing where it is VisDial's number."""
    width = visdial.options.shape[1]
    return {} if width == OPTIONS else {"candidates": width}


def ranks_of_truth(
    visdial: VisDial, ranking: Ranks | Scores, dense: Dense | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """Of every round that has candidates: image, round, rank of the truth (0 where it has none), row of the ranking.

    dense  annotations whose rounds may be the only ones that are ranked
    """
    asked = np.flatnonzero(visdial.options[:, 0] >= 0)
    image_ids = visdial.image_ids[visdial.round_dialogues()][asked]
    rounds = visdial.round_numbers()[asked]
    if not len(asked):
        raise InputError("dialogues", [Problem("", "", "no candidate answers in any round", "some to rank")])
    numbers = ranking.ranks if isinstance(ranking, Ranks) else ranking.scores
    what = f"rankings (`{'ranks' if isinstance(ranking, Ranks) else 'scores'}`)"
    check_options(what, numbers.shape[1], visdial.options.shape[1])
    places = find_rounds(image_ids, rounds, ranking.image_ids, ranking.rounds)
    if dense is not None and (places < 0).any() and _same_rounds(ranking, dense):
        asked, image_ids, rounds, places = (one[places >= 0] for one in (asked, image_ids, rounds, places))
    unknown = np.setdiff1d(np.arange(len(ranking)), places)
    check_none(what, image_ids, rounds, np.flatnonzero(places < 0), "no ranking", "one for every round asked")
    expected = "only rounds that the dialogues ask with candidates"
    check_none(what, ranking.image_ids, ranking.rounds, unknown, "a ranking", expected)
    truth = visdial.gt_index[asked].astype(np.int64)
    rank = np.zeros(len(asked), dtype=np.int64)
    given = np.flatnonzero(truth >= 0)
    if isinstance(ranking, Ranks):
        rank[given] = ranking.ranks[places[given], truth[given]]
    else:
        rank[given] = true_ranks(ranking.scores[places[given]], truth[given])
    return image_ids, rounds, rank, places


def _same_rounds(ranking: Ranks | Scores, dense: Dense) -> bool:
    found = find_rounds(dense.image_ids, dense.rounds, ranking.image_ids, ranking.rounds)
    return len(dense) == len(ranking) and bool((found >= 0).all())


def _warn_of_part(ranked: int, visdial: VisDial) -> list[str]:
    asked = int((visdial.options[:, 0] >= 0).sum())
    if ranked == asked:
        return []
    return [f"Only the {ranked:,} annotated rounds of {asked:,} are ranked, so all figures are of these."]


def _warn_of_truth(
    image_ids: npt.NDArray[np.int64], rounds: npt.NDArray[np.int64], rank: npt.NDArray[np.int64]
) -> list[str]:
    without = np.flatnonzero(rank == 0)
    if not len(without):
        return []
    if len(without) == len(rank):
        return ["The dialogues have no ground truths, so only NDCG is measured."]
    return [f"{listed(image_ids[without], rounds[without])}: no ground truth, so left out of all but NDCG."]


def _ndcg(
    image_ids: npt.NDArray[np.int64],
    rounds: npt.NDArray[np.int64],
    places: npt.NDArray[np.intp],
    ranking: Ranks | Scores,
    dense: Dense,
    cutoff: Cutoff,
) -> tuple[npt.NDArray[np.float64], list[str]]:
    """One gain per round, NaN where it has no annotation or nothing relevant; and what was left out."""
    numbers = ranking.ranks if isinstance(ranking, Ranks) else ranking.scores
    check_options("dense annotations (`dense`)", dense.relevance.shape[1], numbers.shape[1])
    rows = find_rounds(dense.image_ids, dense.rounds, image_ids, rounds)
    expected = "annotations of rounds that the dialogues ask with candidates"
    unknown = np.flatnonzero(rows < 0)
    check_none("dense annotations (`dense`)", dense.image_ids, dense.rounds, unknown, "an unknown round", expected)
    chosen = places[rows]
    ranks = ranking.ranks[chosen] if isinstance(ranking, Ranks) else all_ranks(ranking.scores[chosen])
    gain = np.full(len(image_ids), np.nan)
    gain[rows] = gains(ranks, dense.relevance, cutoff)
    empty = np.flatnonzero(~dense.relevance.any(axis=1))
    warnings = []
    if len(empty):
        where = listed(dense.image_ids[empty], dense.rounds[empty])
        warnings.append(f"{where}: no relevant candidate, so left out of NDCG.")
    return gain, warnings
